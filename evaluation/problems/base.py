"""Interface of a kind of problem.

The command line, the worker, the pages and the documentation all use this one object. Most methods have a default that
fits many kinds. Modules that are slow to import are imported inside the methods. A page can therefore load the registry
of kinds at no cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.problems.evidence import KindEvidence
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
    from evaluation.problems.opened import Opened, References
    from evaluation.scoring.evidence_blocks import Block, CaseEvidence
    from evaluation.scoring.rows import Row, ScoredCase


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
    evidence
        Values of the whole data set, and what they are recomputed from.
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
    tells_outcomes
        Whether a metric can be undefined in a single case because of its prediction (otherwise only ``missing``).
    has_values_of_cases
        Whether any metric has a value for a single case; otherwise all values are of the whole data set.
    averages_micro
        Whether counts can be pooled over classes, since a case can have several.
    finds_objects
        Whether metrics can rate the detection, outlines and classification of objects separately.
    rates_parts
        Whether detection, classification and outlines are also rated separately, in addition to the metrics.
    """

    id: str = ""
    category: str = ""
    task_categories: tuple[str, ...] = ()
    source: str = "podium"
    is_scored: bool = False
    settings: tuple[Option, ...] = ()
    table_files: tuple[str, ...] = ()
    reference_files: tuple[str, ...] = ()
    files_beside_references: tuple[str, ...] = ()
    takes_regions: bool = True
    needs_regions: bool = False
    has_numbered_labels: bool = False
    has_image_diagonal: bool = False
    tells_outcomes: bool = True
    has_values_of_cases: bool = True
    averages_micro: bool = False
    finds_objects: bool = False
    rates_parts: bool = False
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
    evidence: KindEvidence = KindEvidence()

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
        """Return the results of `score` for every case and of `KindEvidence.assemble` in one pass.

        This is for kinds in which scoring all cases together is much faster. Other kinds return ``None``.
        """
        return None

    def preload(self) -> None:
        """Load the libraries that scoring loads when first called, before processes are forked."""

    def warm_up(self, assessment: Assessment, reference: Any) -> None:
        """Work out about a reference, once before processes are forked, what comparing it with a prediction needs."""

    def recompute(self, metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """Values of a metric of the whole data set under multiplicities ``(B, cases)``, from evidence alone.

        Raises
        ------
        ValueError
            If it cannot be recomputed.
        """
        message = f"metric {metric.id} of {self.id} cannot be recomputed from evidence"
        raise ValueError(message)

    # References on a platform -----------------------------------------------------------------------------------------

    merging: MergingRules = MergingRules()

    @property
    def reference_tables(self) -> tuple[str, ...]:
        """Names that the one table of references may have; empty where references are a file a case."""
        return self.reference_files or self.table_files

    def reference_columns(self, assessment: Assessment) -> Mapping[str, tuple[str, ...]]:
        """Columns of the tables that belong to the references, by the names of the tables; empty where there is no table."""
        return {}

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
