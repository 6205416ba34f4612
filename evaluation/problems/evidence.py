"""Values of the whole data set of a kind of problem, and the evidence that they are recomputed from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.problems.parts import KindPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment import Assessment
    from evaluation.assessment.model import MetricUse
    from evaluation.metrics.values import FloatArray
    from evaluation.problems.kind_figures import KindFigure
    from evaluation.scoring.evidence_blocks import Block, CaseEvidence
    from evaluation.scoring.rows import Pieces, Row


class KindEvidence(KindPart):
    """Values of the whole data set of a kind of problem, and the evidence that they are recomputed from.

    By default each metric has evidence of its own, and a value is missing if a case is missing.

    Attributes
    ----------
    figures
        Figures specific to this kind, drawn from the components of values of the whole data set, or from values of cases.
    counts_unanswered
        Whether a value of the whole data set includes cases without a valid prediction, which its evidence identifies.
    reveals_references
        Whether the components of a result reveal the references.
    is_pooled
        Whether metrics with one value for the whole data set are computed from contributions of single cases.
    """

    figures: tuple[KindFigure, ...] = ()
    counts_unanswered: bool = False
    reveals_references: bool = False
    is_pooled: bool = True

    def data_set_columns(self, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the columns of the case table whose values split the cases into separate data sets.

        Each data set has separate values.
        """
        return ()

    def has_overall_value(self, settings: Mapping[str, Any]) -> bool:
        """Return whether a value over all data sets is reported next to those of each data set.

        It does not count where these are combined.
        """
        return False

    def parts_by_metric(self, assessment: Assessment) -> dict[str, str]:
        """The part of the evidence that each metric of the whole data set is recomputed from: by default its own."""
        return {use.name: use.name for use in assessment.computed if use.level == "dataset"}

    def assemble(
        self, assessment: Assessment, algorithm: str, pieces: Mapping[str, Pieces | None], shared: Mapping[str, Any]
    ) -> tuple[list[Row], list[Block]]:
        """Rows of the whole data set, and what they are made of, from what each case adds; ``None`` is a missing case.

        A missing case cannot be imputed in a value of the whole data set: with any, the value is ``missing``, unless the kind
        knows what such a case counts as.
        """
        from evaluation.scoring.rows import finish_pieces

        return finish_pieces(self.kind, assessment, algorithm, pieces, shared)

    def regions_of(self, assessment: Assessment, use: MetricUse, shared: Mapping[str, Any]) -> list[str]:
        """Names of the regions in which a metric has a value; the empty name is that over all.

        `shared` is from the method of that name of this part or of a table. Before there are references, as for the rule on the page of a challenge, it
        holds only the names of the assessment's regions, as ``classes`` and ``regions``.
        """
        return [region.name for region in assessment.regions] or [""]

    def unanswered_cases(self, evidence: CaseEvidence) -> int:
        """Return the number of cases without a valid prediction, where `counts_unanswered` is set.

        Otherwise a value that includes such cases is missing.
        """
        return 0

    def hits_and_trials(self, metric: MetricUse, evidence: CaseEvidence) -> tuple[FloatArray, FloatArray] | None:
        """Hits and trials of each case, of a metric that counts one in the other; ``None`` for any other metric."""
        return None

    def remove_reference(self, reference: Any, pieces: Pieces) -> Pieces:
        """Pieces without what the reference adds to them, to be kept unencrypted until a run is put together."""
        return pieces

    def restore_reference(self, reference: Any, pieces: Pieces) -> Pieces:
        """The pieces again as `Problem.score` gave them."""
        return pieces

    def shared(
        self, assessment: Assessment, shared: Mapping[str, Any], facts: Mapping[str, Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """Return the content that the evidence of all algorithms has in common.

        Parameters
        ----------
        shared
            The part of it that the test set has stored.
        facts
            Known characteristics of each scored case, by column.
        """
        return shared
