"""Interface of a kind of problem.

The command line, the worker, the pages and the documentation all use this one object. Most methods have a default that
fits many kinds. Modules that are slow to import are imported inside the methods. A page can therefore load the registry
of kinds at no cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.problems.evidence import KindEvidence
from evaluation.problems.metric_rules import MetricRules
from evaluation.problems.performance import Performance
from evaluation.problems.pictures import AnswerView, Pictures
from evaluation.problems.plausibility import Plausibility
from evaluation.problems.reference_rules import ReferenceRules
from evaluation.problems.region_rules import RegionRules
from evaluation.problems.samples import Samples
from evaluation.problems.scorer_files import ScorerFiles
from evaluation.problems.texts import PageTexts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.catalogue import Option
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.problems.opened import Opened, References
    from evaluation.scoring.evidence_blocks import CaseEvidence
    from evaluation.scoring.rows import ScoredCase


class Problem:
    """A kind of problem; each kind is a subclass.

    These members are its core. Everything else belongs to the parts that it names as attributes, such as its pictures.

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
    table_files
        Permitted names of the single table of all cases; empty where predictions are one file per case.
    is_measured_elsewhere
        Whether values come from code that is not here.
    takes_algorithms
        Whether algorithms may be run on its cases. The cost of a run can then be ranked.
    regions
        Regions that an assessment can have.
    references
        References on a platform: tables, columns, and several annotators.
    performance
        Preparation and shortcuts of scoring.
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
    metrics
        Entries of metrics in assessment documents, and their values.
    evidence
        Values of the whole data set, and what they are recomputed from.
    """

    id: str = ""
    category: str = ""
    task_categories: tuple[str, ...] = ()
    source: str = "podium"
    is_scored: bool = False
    settings: tuple[Option, ...] = ()
    table_files: tuple[str, ...] = ()
    is_measured_elsewhere: bool = False
    takes_algorithms: bool = False
    regions: RegionRules = RegionRules()
    references: ReferenceRules = ReferenceRules()
    performance: Performance = Performance()
    pictures: Pictures = Pictures()
    answer_view: AnswerView | None = None
    samples: Samples = Samples()
    scorer_files: ScorerFiles = ScorerFiles()
    texts: PageTexts = PageTexts()
    plausibility: Plausibility = Plausibility()
    metrics: MetricRules = MetricRules()
    evidence: KindEvidence = KindEvidence()

    # The assessment document ------------------------------------------------------------------------------------------

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

    def check(self, assessment: Assessment) -> None:
        """Refuse what no single entry of the assessment shows.

        Raises
        ------
        AssessmentError
            Naming place, value and what is allowed.
        """

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
            Also rate detection, classification and outlines apart, where the kind does (`MetricRules.rates_object_parts`).
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

    def recompute(self, metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """Values of a metric of the whole data set under multiplicities ``(B, cases)``, from evidence alone.

        Raises
        ------
        ValueError
            If it cannot be recomputed.
        """
        message = f"metric {metric.id} of {self.id} cannot be recomputed from evidence"
        raise ValueError(message)

    # In words ---------------------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """Name of the kind as readable text.

        Examples
        --------
        >>> from evaluation.problems import get
        >>> get("object_detection").title
        'object detection'
        """
        return self.id.replace("_", " ")
