"""Known facts about a design for the detection of pitfalls.

A fact that is not known raises an error when it is requested.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.advice.fingerprint import Fingerprint, Unanswered
from evaluation.advice.knowledge import knowledge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evaluation.advice.pitfalls.scan import PredictionScan, ReferenceScan
    from evaluation.assessment.model import Assessment, MetricUse

OVERLAP: Final = frozenset({"dsc", "iou", "fbeta", "cldice"})
BOUNDARY: Final = frozenset(
    {"hausdorff_distance", "hausdorff_percentile", "assd", "masd", "nsd", "boundary_iou", "mi_nsd"}
)
DISTANCES: Final = frozenset({"hausdorff_distance", "hausdorff_percentile", "assd", "masd"})
CURVES: Final = frozenset({"auroc", "average_precision", "mean_average_precision", "froc_score"})
CALIBRATION: Final = frozenset(
    {"brier_score", "brier_skill_score", "root_brier_score", "nll", "ece", "mce", "tce", "cwce", "kce", "ece_kde"}
)
TRUE_NEGATIVES: Final = frozenset(
    {
        "specificity", "npv", "accuracy", "balanced_accuracy", "youden_j", "lr_plus", "mcc", "cohens_kappa",
        "weighted_cohens_kappa", "expected_cost", "expected_cost_normalized", "net_benefit", "auroc",
    }
)  # fmt: skip
OF_OBJECTS: Final = frozenset(
    {"average_precision", "mean_average_precision", "froc_score", "panoptic_quality", "detection_quality", "fppi",
     "fppi_at_sensitivity", "sensitivity_at_fppi", "mi_dsc", "mi_nsd"}
)  # fmt: skip
ON_PREVALENCE: Final = frozenset(
    {"accuracy", "ppv", "npv", "fbeta", "mcc", "cohens_kappa", "weighted_cohens_kappa", "brier_score", "net_benefit",
     "average_precision"}
)  # fmt: skip
BY_ORDER: Final = CURVES | {
    "sensitivity_at_specificity", "specificity_at_sensitivity", "ppv_at_sensitivity", "npv_at_sensitivity",
    "sensitivity_at_ppv", "sensitivity_at_npv", "fppi_at_sensitivity", "sensitivity_at_fppi",
}  # fmt: skip
OF_ONE_CLASS: Final = frozenset({"sensitivity", "specificity", "ppv", "npv", "fbeta", "lr_plus", "net_benefit"})


class Unknown(LookupError):  # noqa: N818 - nothing is wrong, something was not said
    """Error for a missing fact, with `source` as the name of its potential source."""

    def __init__(self, source: str) -> None:
        self.source = source
        super().__init__(source)


@dataclass(frozen=True)
class DesignFacts:
    """Facts that a design declares beyond fingerprint and assessment, or ``None`` for undeclared ones.

    Attributes
    ----------
    test_sets, sites, raters, runs_per_team
        Numbers of them.
    external_test
        Whether test data come from a different source than development data.
    metadata_columns, strata
        Columns known about cases, and columns used for results by group.
    classes
        Names of the classes.
    ordinal
        Whether classes are grades on a scale.
    hierarchy_depth, all_levels_scored
        Levels of a tree of classes, and whether all are scored.
    label_rules, label_rules_checked
        Whether labels must obey rules (a core inside its tumour), and whether submissions are checked for them.
    rater_score
        Whether the score between experts is known.
    rationale
        Reason for the choice of metrics, in the organizers' words.
    soft_masks
        Whether submissions are probability maps to which a cut-off is applied.
    image_score_of_objects
        Whether located objects are reduced to one score per image.
    detections_capped
        Whether the number of predictions per image is limited.
    relevance_margin
        Whether a difference that matters was declared.
    derived_quantity, derived_quantity_scored
        Whether the use needs a quantity derived from the output, and whether it is scored.
    population_prevalence
        Prevalence of the positive class.
    exchange_rate
        Whether the number of unnecessary interventions that one detected case is worth is known.
    size_direction_matters
        Whether too large and too small predictions differ in importance.
    stratify_by_size, class_weights, baselines, cardinalities, case_plots
        Whether results are stratified by size, classes are weighted, trivial answers are shown, counts are
        published, and every case is plotted.
    reference_instances, reference_overlaps, reference_polygons, ignore_regions, ignore_rule
        Content of the references: instance labels, overlapping objects, polygons, regions to ignore and a rule
        for them.
    predictions_released, all_released
        Whether predictions are published, and those of all teams.
    """

    test_sets: int | None = None
    sites: int | None = None
    raters: int | None = None
    runs_per_team: int | None = None
    external_test: bool | None = None
    metadata_columns: tuple[str, ...] | None = None
    strata: tuple[str, ...] | None = None
    classes: tuple[str, ...] | None = None
    ordinal: bool | None = None
    hierarchy_depth: int | None = None
    all_levels_scored: bool | None = None
    label_rules: bool | None = None
    label_rules_checked: bool | None = None
    rater_score: bool | None = None
    rationale: str | None = None
    soft_masks: bool | None = None
    image_score_of_objects: bool | None = None
    detections_capped: bool | None = None
    relevance_margin: bool | None = None
    derived_quantity: bool | None = None
    derived_quantity_scored: bool | None = None
    population_prevalence: float | None = None
    exchange_rate: bool | None = None
    size_direction_matters: bool | None = None
    stratify_by_size: bool | None = None
    class_weights: bool | None = None
    baselines: bool | None = None
    cardinalities: bool | None = None
    case_plots: bool | None = None
    reference_instances: bool | None = None
    reference_overlaps: bool | None = None
    reference_polygons: bool | None = None
    ignore_regions: bool | None = None
    ignore_rule: bool | None = None
    predictions_released: bool | None = None
    all_released: bool | None = None


@dataclass(frozen=True)
class Facts:
    """Everything that pitfalls are looked for in; any part may be absent."""

    fingerprint: Fingerprint | None = None
    assessment: Assessment | None = None
    design: DesignFacts = DesignFacts()
    references: ReferenceScan | None = None
    predictions: tuple[PredictionScan, ...] = ()

    @property
    def category(self) -> str:
        """The problem category."""
        if self.fingerprint is not None and self.fingerprint.category is not None:
            return self.fingerprint.category
        if self.assessment is not None and self.assessment.problem in knowledge().categories:
            return knowledge().categories[self.assessment.problem]
        raise Unknown("fingerprint")

    def said(self, item: str) -> bool:
        """Return whether an item was answered yes, for the task or for any class.

        Assumed answers do not count.
        """
        return any(value is True for value in self._said(item))

    def denied(self, item: str) -> bool:
        """Return whether an item was answered no everywhere."""
        return all(value is False for value in self._said(item))

    def chosen(self, item: str) -> Any:
        """The answer to a choice."""
        return self._said(item)[0]

    def _said(self, item: str) -> list[Any]:
        if self.fingerprint is None:
            raise Unknown("fingerprint")
        answers = []
        for name in (None, *self.fingerprint.classes):
            try:
                answer = self.fingerprint.answer(item, name)
            except Unanswered:
                continue
            if answer.source in ("given", "derived"):
                answers.append(answer.value)
        if not answers:
            raise Unknown(f"fingerprint.{item}")
        return answers

    def declared(self, name: str) -> Any:
        """A fact of the design."""
        value = getattr(self.design, name)
        if value is None:
            raise Unknown(f"design.{name}")
        return value

    @property
    def plan(self) -> Assessment:
        """The assessment."""
        if self.assessment is None:
            raise Unknown("assessment")
        return self.assessment

    @property
    def ids(self) -> frozenset[str]:
        """Ids of all metrics."""
        return frozenset(metric.id for metric in self.plan.metrics)

    @property
    def ranked(self) -> frozenset[str]:
        """Ids of the metrics that enter a ranking."""
        rankings = self.plan.rankings
        return frozenset(
            metric.id
            for metric in self.plan.metrics
            if any(ranking.metrics is None or metric.name in ranking.metrics for ranking in rankings)
        )

    def uses(self, ids: Iterable[str]) -> list[MetricUse]:
        """The metrics with one of these ids."""
        wanted = set(ids)
        return [metric for metric in self.plan.metrics if metric.id in wanted]

    def options(self, name: str) -> list[tuple[MetricUse, Any]]:
        """Every metric that has the option, with its value."""
        return [(metric, metric.options[name]) for metric in self.plan.metrics if name in metric.options]

    @property
    def criteria(self) -> frozenset[str]:
        """Criteria that declare a hit."""
        return frozenset(str(value) for _, value in self.options("localization_criterion"))

    @property
    def thresholds(self) -> dict[str, float]:
        """Return the thresholds of hits by criterion, using the smallest of several."""
        by_criterion: dict[str, float] = {}
        for metric, criterion in self.options("localization_criterion"):
            value = metric.options.get("localization_threshold")
            if value is not None:
                by_criterion[str(criterion)] = min(float(value), by_criterion.get(str(criterion), float("inf")))
        return by_criterion

    @property
    def number_of_classes(self) -> int:
        """Return the number of classes."""
        if self.design.classes is not None:
            return len(self.design.classes)
        if self.references is not None and self.references.classes:
            return len(self.references.classes)
        return len(self.plan.regions)

    @property
    def scan(self) -> ReferenceScan:
        """Return the scan of the references."""
        if self.references is None:
            raise Unknown("references")
        return self.references

    @property
    def submissions(self) -> tuple[PredictionScan, ...]:
        """Return the scans of example predictions."""
        if not self.predictions:
            raise Unknown("predictions")
        return self.predictions
