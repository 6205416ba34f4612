"""Interface of a kind of problem.

The command line, the worker, the pages and the documentation all use this one object. Most methods have a default that
fits many kinds. Modules that are slow to import are imported inside the methods. A page can therefore load the registry
of kinds at no cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.problems.pictures import AnswerView, Pictures
from evaluation.problems.plausibility import Plausibility
from evaluation.problems.samples import Samples
from evaluation.problems.scorer_files import ScorerFiles
from evaluation.problems.texts import PageTexts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evaluation.assessment import Assessment
    from evaluation.assessment.model import MetricUse
    from evaluation.catalogue import Option
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.problems.kind_figures import KindFigure
    from evaluation.problems.opened import Opened, References
    from evaluation.scoring.evidence_blocks import Block, CaseEvidence
    from evaluation.scoring.rows import Pieces, Row, ScoredCase


class MergingRules(NamedTuple):
    """Rules by which references of several annotators become one.

    Attributes
    ----------
    computed
        Those that are computed from the annotators' references, with what they do.
    """

    computed: Mapping[str, str] = {}


class Problem:
    """A kind of problem; a kind is a subclass, or an instance with other attributes.

    Attributes
    ----------
    id
        Identifier in assessment documents.
    category
        Its code in the metric catalogue; empty if its metrics are not from there.
    task_categories
        Categories of tasks in the design catalogue that are of this kind.
    source
        Origin of the kind: ``podium``, or the name of a package.
    is_scored
        Whether submissions can be scored here.
    settings
        Options that an assessment can set under ``settings``.
    is_measured_elsewhere
        Whether values come from code that is not here.
    takes_algorithms
        Whether algorithms may be run on its cases. The cost of a run can then be ranked.
    pixel_kind
        For a kind with objects: the kind whose functions count their pixels.
    measures_as
        Kinds whose metrics this one also accepts, computed as in those kinds.
    has_one_metric
        Whether an assessment has a single metric, which results tables do not name.
    pictures
        Pictures of its cases.
    answer_view
        Answers to a case, line by line; ``None`` where they are not shown.
    samples
        Small challenges and predictions to try it with.
    scorer_files
        Files that a scoring image of the organizers receives.
    texts
        Texts about it on pages.
    plausibility
        Checks of metrics, of data and of results.
    table_files
        Permitted names of the single table of all cases; empty where predictions are one file per case.
    reference_files
        Permitted names of the single table of references, where they differ from those of predictions.
    files_beside_references
        Additional tables that may be stored next to that of the references and are read with it.
    takes_regions, needs_regions, has_numbered_labels
        Whether an assessment can have regions, must have them, and names their labels by whole numbers only.
    has_image_diagonal
        Whether a case has an image whose diagonal can be used as the worst distance.
    evidence_tells_missing
        Whether a value of the whole data set includes cases without a valid prediction, which its evidence identifies.
    tells_outcomes
        Whether a metric can be undefined in a single case because of its prediction (otherwise only ``missing``).
    has_values_of_cases
        Whether any metric has a value for a single case; otherwise all values are of the whole data set.
    averages_micro
        Whether counts can be pooled over classes, since a case can have several.
    tells_reference_by_results
        Whether the components of a result reveal the references.
    finds_objects
        Whether metrics can rate the detection, outlines and classification of objects separately.
    rates_parts
        Whether detection, classification and outlines are also rated separately, in addition to the metrics.
    pools
        Whether metrics with one value for the whole data set are computed from contributions of single cases.
    figures
        Figures specific to this kind, drawn from the components of values of the whole data set, or from values of cases.
    """

    id: str = ""
    category: str = ""
    task_categories: tuple[str, ...] = ()
    source: str = "podium"
    is_scored: bool = False
    settings: tuple[Option, ...] = ()
    figures: tuple[KindFigure, ...] = ()
    table_files: tuple[str, ...] = ()
    reference_files: tuple[str, ...] = ()
    files_beside_references: tuple[str, ...] = ()
    takes_regions: bool = True
    needs_regions: bool = False
    has_numbered_labels: bool = False
    has_image_diagonal: bool = False
    tells_outcomes: bool = True
    evidence_tells_missing: bool = False
    has_values_of_cases: bool = True
    averages_micro: bool = False
    tells_reference_by_results: bool = False
    finds_objects: bool = False
    rates_parts: bool = False
    pools: bool = True
    has_one_metric: bool = False
    is_measured_elsewhere: bool = False
    takes_algorithms: bool = False
    pixel_kind: str = ""
    measures_as: tuple[str, ...] = ()
    pictures: Pictures = Pictures()
    answer_view: AnswerView | None = None
    samples: Samples = Samples()
    scorer_files: ScorerFiles = ScorerFiles()
    texts: PageTexts = PageTexts()
    plausibility: Plausibility = Plausibility()

    # The assessment document ------------------------------------------------------------------------------------------

    def read_metric(self, value: object, path: str, *, rank_based: bool) -> MetricUse:
        """Check one entry of the assessment's metrics; of the catalogue unless the kind declares its own.

        Raises
        ------
        AssessmentError
            For what cannot be taken.
        """
        from evaluation.assessment.metrics import read_catalogue_metric

        return read_catalogue_metric(value, path, self.id, rank_based=rank_based)

    def variant(self, settings: object) -> Problem:
        """The kind that an assessment with such settings, which are not checked yet, is of: as a rule this one."""
        return self

    def complete_settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Checked settings, with the defaults that depend on others.

        Raises
        ------
        AssessmentError
            For settings that do not fit together.
        """
        return settings

    def told_apart_by(self, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the columns of the case table whose values split the cases into separate data sets.

        Each data set has separate values.
        """
        return ()

    def stands_beside(self, settings: Mapping[str, Any]) -> bool:
        """Return whether a value over all data sets is reported next to those of each data set.

        It does not count where these are combined.
        """
        return False

    def complete_metric(self, metric: MetricUse, settings: Mapping[str, Any]) -> MetricUse:
        """Return a metric entry completed from the settings, for example with the unit of distances."""
        return metric

    def metric_document(self, metric: MetricUse) -> dict[str, Any]:
        """The entry as JSON values with every default."""
        return {
            "id": metric.id,
            "name": metric.name,
            "options": {
                key: list(value) if isinstance(value, tuple) else value for key, value in metric.options.items()
            },
            "policy": metric.policy.document,
        }

    def check_metrics(self, metrics: tuple[MetricUse, ...]) -> None:
        """Refuse a list of metrics that does not fit together, before anything else refers to it.

        Raises
        ------
        AssessmentError
            Naming place, value and what is allowed.
        """

    def check(self, assessment: Assessment) -> None:
        """Refuse what no single entry of the assessment shows.

        Raises
        ------
        AssessmentError
            Naming place, value and what is allowed.
        """

    def refusal(self, assessment: Assessment) -> str:
        """Return the reason why this assessment cannot score submissions; empty if it can."""
        return ""

    def needs_scores(self, use: MetricUse) -> bool:
        """Return whether a metric has no value for predictions without scores."""
        from evaluation import catalogue

        return use.level == "dataset" and "scores" in catalogue.get(use.id).needs

    # Folders of the command line --------------------------------------------------------------------------------------

    def open_references(self, assessment: Assessment, folder: Path) -> References:
        """Find the references of a folder.

        Raises
        ------
        ReadError
            If they cannot be taken.
        ValueError
            If predictions of this kind are not scored from folders.
        """
        raise ValueError(self._from_no_folder)

    def open_predictions(self, assessment: Assessment, folder: Path, references: References) -> Opened:
        """Find the predictions of one algorithm; what cannot be taken is no error but a reason.

        Raises
        ------
        ReadError
            If the folder is not there.
        """
        raise ValueError(self._from_no_folder)

    def open_all(
        self, assessment: Assessment, predictions: Mapping[str, Path], references: References
    ) -> dict[str, Opened]:
        """Find the predictions of all algorithms: of a folder each, unless a kind has several in one."""
        return {name: self.open_predictions(assessment, folder, references) for name, folder in predictions.items()}

    @property
    def _from_no_folder(self) -> str:
        return f"predictions of the problem {self.id} cannot be scored from folders"

    # Scoring ----------------------------------------------------------------------------------------------------------

    def score(
        self,
        assessment: Assessment,
        case: str,
        reference: Any,
        prediction: Any | None,
        *,
        algorithm: str = "",
        parts: bool = False,
    ) -> ScoredCase:
        """Score one prediction against its prepared reference; ``None`` is a case without one.

        Parameters
        ----------
        parts
            Also rate detection, classification and outlines apart, where the kind does (`rates_parts`).
        """
        raise NotImplementedError

    def reference_for(self, reference: Any, algorithm: str) -> Any:
        """A prepared reference as it is for one algorithm: the same for all, unless they are measured by references of their own.

        Raises
        ------
        ValueError
            If the references have nothing of this algorithm.
        """
        return reference

    def score_at_once(
        self, assessment: Assessment, algorithm: str, references: References, opened: Opened
    ) -> tuple[list[Row], list[Block]] | None:
        """Return the results of `score` for every case and of `finish` in one pass.

        This is for kinds in which scoring all cases together is much faster. Other kinds return ``None``.
        """
        return None

    def preload(self) -> None:
        """Load the libraries that scoring loads when first called, before processes are forked."""

    def warm_up(self, assessment: Assessment, reference: Any) -> None:
        """Work out about a reference, once before processes are forked, what comparing it with a prediction needs."""

    def pooled_parts(self, assessment: Assessment) -> dict[str, str]:
        """The part of the evidence that each metric of the whole data set is recomputed from: its own, as a rule."""
        return {use.name: use.name for use in assessment.computed if use.level == "dataset"}

    def finish(
        self, assessment: Assessment, algorithm: str, pieces: Mapping[str, Pieces | None], shared: Mapping[str, Any]
    ) -> tuple[list[Row], list[Block]]:
        """Rows of the whole data set, and what they are made of, from what each case adds; ``None`` is a missing case.

        A missing case cannot be imputed in a value of the whole data set: with any, the value is ``missing``, unless the kind
        knows what such a case counts as.
        """
        from evaluation.scoring.rows import finish_pieces

        return finish_pieces(self, assessment, algorithm, pieces, shared)

    def regions_of(self, assessment: Assessment, use: MetricUse, shared: Mapping[str, Any]) -> list[str]:
        """Names of the regions in which a metric has a value; the empty name is that over all.

        `shared` is from the method of that name. Before there are references, as for the rule on the page of a challenge, it
        holds only the names of the assessment's regions, as ``classes`` and ``regions``.
        """
        return [region.name for region in assessment.regions] or [""]

    def unanswered_cases(self, evidence: CaseEvidence) -> int:
        """Return the number of cases without a valid prediction, where `evidence_tells_missing` is set.

        Otherwise a value that includes such cases is missing.
        """
        return 0

    def recompute(self, metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """Values of a metric of the whole data set under multiplicities ``(B, cases)``, from evidence alone.

        Raises
        ------
        ValueError
            If it cannot be recomputed.
        """
        message = f"metric {metric.id} of {self.id} cannot be recomputed from evidence"
        raise ValueError(message)

    def hits(self, metric: MetricUse, evidence: CaseEvidence) -> tuple[FloatArray, FloatArray] | None:
        """Hits and trials of each case, of a metric that counts one in the other; ``None`` for any other metric."""
        return None

    # What a confined child reports ------------------------------------------------------------------------------------

    def without_reference(self, reference: Any, pieces: Pieces) -> Pieces:
        """Pieces without what the reference adds to them, to be kept unencrypted until a run is put together."""
        return pieces

    def with_reference(self, reference: Any, pieces: Pieces) -> Pieces:
        """The pieces again as `score` gave them."""
        return pieces

    # References on a platform -----------------------------------------------------------------------------------------

    merging: MergingRules = MergingRules()

    @property
    def reference_tables(self) -> tuple[str, ...]:
        """Names that the one table of references may have; empty where references are a file a case."""
        return self.reference_files or self.table_files

    def reference_columns(self, assessment: Assessment) -> Mapping[str, tuple[str, ...]]:
        """Columns of the tables that belong to the references, by the names of the tables; empty where there is no table."""
        return {}

    def shared_evidence(
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

    # In words ---------------------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """Name of the kind as readable text.

        Examples
        --------
        >>> Problem.named("object_detection").title
        'object detection'
        """
        return self.id.replace("_", " ")

    @classmethod
    def named(cls, problem_id: str) -> Problem:
        """A kind that has nothing but an id."""
        problem = cls()
        problem.id = problem_id
        return problem
