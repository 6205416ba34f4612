"""Values of the whole data set of a kind of problem, and the evidence that they are recomputed from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.outcomes import Outcome, undefined
from evaluation.problems.parts import KindPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.metrics.values import FloatArray
    from evaluation.problems.follow_up import FollowUp
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
    has_follow_up
        Whether the references are times to events that may be censored.
    is_pooled
        Whether metrics with one value for the whole data set are computed from contributions of single cases.
    """

    figures: tuple[KindFigure, ...] = ()
    counts_unanswered: bool = False
    reveals_references: bool = False
    has_follow_up: bool = False
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
        """Rows of the whole data set, and what they are made of, from what each case adds.

        A missing case has no false positives: leaving it out would raise PPV and lower FPPI. With any case missing, the
        value of the whole data set is ``missing`` and there is no evidence, unless the kind knows what such a case counts as.

        Parameters
        ----------
        pieces
            Of every case; ``None`` for a case without a readable prediction. A part that lacks in a case is one for which
            the prediction lacks an input, such as scores.
        shared
            What the evidence of all algorithms has in common.
        """
        import numpy as np

        from evaluation.scoring.evidence_blocks import CaseEvidence
        from evaluation.scoring.rows import Row, block_of

        rows: list[Row] = []
        blocks: list[Block] = []
        answered = {case: of_case for case, of_case in pieces.items() if of_case is not None}
        for use in assessment.computed:
            if use.level != "dataset":
                continue
            regions = self.regions_of(assessment, use, shared)
            is_lacking = any((use.name, region) not in of_case for of_case in answered.values() for region in regions)
            for region in regions:
                if is_lacking:
                    result = undefined(Outcome.NOT_APPLICABLE)
                elif len(answered) < len(pieces):
                    result = undefined(Outcome.MISSING)
                else:
                    numbers = {case: of_case[use.name, region] for case, of_case in answered.items()}
                    block = block_of(use.name, algorithm, region, numbers)
                    blocks.append(block)
                    evidence = CaseEvidence(assessment.problem, region, block, shared)
                    result = self.kind.recompute(use, evidence, np.ones((1, len(block.cases)))).result()
                rows.append(Row(algorithm, "", region, use.name, *result, None, result.flag))
        return rows, blocks

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

    def independent_trials(self, metric: MetricUse, evidence: CaseEvidence) -> int:
        """Return the number m of independent trials behind a value between 0 and 1; 0 where none is known.

        If θ is the true value, a value of 1 has at most the probability θᵐ, and a value of 0 at most (1 − θ)ᵐ.
        """
        return 0

    def follow_up(self, evidence: CaseEvidence) -> FollowUp | None:
        """Return the number of events and the follow-up of the cases, where `has_follow_up` is set; otherwise ``None``."""
        return None

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
