"""Metrics, aims and rankings that have to fit each other."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from evaluation import problems as kinds
from evaluation.assessment.model import Assessment, MetricUse
from evaluation.designs.checks.registry import Subject, register
from evaluation.designs.compilation import compile_values
from evaluation.designs.compilation.costs import cost_of, registers_costs
from evaluation.designs.compilation.metrics import label_of, meaning, names_of
from evaluation.designs.compilation.problems import kinds_of, possible_kinds
from evaluation.problems import kind_of
from evaluation.problems.coordinates import lacks_unit
from evaluation.problems.offered_metrics import kinds_with
from evaluation.wording import joined

# Metrics of one set order algorithms by (nearly) the same property, so that together they weigh it twice.
DEPENDENT = (
    {"dsc", "iou", "fbeta"},
    {"hausdorff_distance", "hausdorff_percentile"},
    {"assd", "masd"},
    {"balanced_accuracy", "youden_j"},
    {"brier_score", "root_brier_score", "brier_skill_score"},
    {"accuracy", "expected_cost", "expected_cost_normalized"},
    {"ece", "mce", "ece_kde", "cwce"},
    {"icc", "ccc"},
)
POLICIES = {
    "no": {"not_allowed"},
    "yes_ignored": {"ignored"},
    "yes_penalized": {"worst_value", "worst_rank", "counted_as_incorrect"},
}
GROUPS_IN_WORDS = re.compile(r"mixed|cluster|hierarch|group", re.IGNORECASE)
MISSING = ("not_allowed", "worst_value", "worst_rank", "counted_as_incorrect", "ignored")


def used_for_ranking(subject: Subject) -> Iterator[dict[str, Any]]:
    """Rows of the metric table that enter a ranking."""
    return (row for row in subject.values.rows("metrics") if row.get("used_for_ranking"))


@register("missing_policy_consistent", reads=("incomplete_submissions_allowed", "missing_data_handling"))
def missing_policy_consistent(subject: Subject) -> str | None:
    allowed = subject.values.get("incomplete_submissions_allowed")
    handling = subject.values.get("missing_data_handling")
    if allowed not in POLICIES or handling not in MISSING or handling in POLICIES[allowed]:
        return None
    label = subject.catalogue["incomplete_submissions_allowed"].label_of(allowed)
    other = subject.catalogue["missing_data_handling"].label_of(handling)
    return f"“{label}” does not go with “{other}”."


@register("groups_considered", reads=("statistical_analyses", "uncertainty_settings", "aggregation_levels"))
def groups_considered(subject: Subject) -> str | None:
    """Check that the analysis considers groups of cases.

    Groups can be mentioned in the text, or be resampled or averaged.
    """
    settings = subject.values.get("uncertainty_settings") or {}
    levels = [str(row.get("name") or "").strip() for row in subject.values.rows("aggregation_levels")]
    groups = {*(settings.get("resample") or ()), *(settings.get("strata") or ()), *levels} - {"", "case"}
    named = GROUPS_IN_WORDS.search(subject.values.text("statistical_analyses"))
    return None if groups or named else "Neither the analysis nor the settings of the uncertainty name a group."


@register("metric_category_fit", reads=("task_category", "metrics"))
def metric_category_fit(subject: Subject) -> str | None:
    problems = possible_kinds(subject.values)
    if not problems:
        return None
    unfit = []
    for row in subject.values.rows("metrics"):
        metric = meaning(row).metric
        if metric is not None and not problems & set(kinds_with(metric)):
            unfit.append(label_of(row))
    return f"Does not fit: {', '.join(unfit)}." if unfit else None


@register(
    "aims_covered_by_metrics",
    reads=("assessment_aims", "metrics", "ranking_method", "statistical_analyses", "planned_further_analyses"),
)
def aims_covered_by_metrics(subject: Subject) -> str | None:
    values = subject.values
    further = values.get("planned_further_analyses") or ()
    stated_text = " ".join([
        *(str(row.get("assessed_aim", "")) for row in values.rows("metrics")),
        *(f"{row.get('name', '')} {row.get('description', '')}" for row in values.rows("ranking_method")),
        values.text("statistical_analyses"),
        *(subject.catalogue["planned_further_analyses"].label_of(item) for item in further),
        values.entry("planned_further_analyses").details,
    ]).casefold()  # fmt: skip
    if not values.rows("metrics"):
        return None
    uncovered = []
    for row in values.rows("assessment_aims"):
        aim = row.get("property")
        label = subject.catalogue["assessment_aims"].label_of(aim)
        slug = aim.replace("_", " ") if isinstance(aim, str) else label
        if slug.casefold() not in stated_text and label.casefold() not in stated_text:
            uncovered.append(label)
    return f"No metric names the aim: {', '.join(uncovered)}." if uncovered else None


@register("robustness_aim_has_operator", reads=("assessment_aims", "ranking_method"))
def robustness_aim_has_operator(subject: Subject) -> str | None:
    aims = {
        row.get("property") for row in subject.values.rows("assessment_aims") if isinstance(row.get("property"), str)
    }
    rankings = subject.values.rows("ranking_method")
    if "robustness" not in aims or not rankings:
        return None
    low = any(row.get("operator") in ("percentile", "worst") for row in rankings)
    return None if low else "No ranking looks at the low end of the cases."


@register("metric_parameters_present", reads=("metrics",))
def metric_parameters_present(subject: Subject) -> str | None:
    unclear = []
    for row in subject.values.rows("metrics"):
        meant = meaning(row)
        if meant.metric is not None:
            unclear += list(meant.unclear)
    return f"{'; '.join(unclear)}." if unclear else None


@register("detected_classes_named", reads=("task_category", "regions", "metrics", "problem_settings"))
def detected_classes_named(subject: Subject) -> str | None:
    """Report a detection of objects whose design names no class."""
    is_detection = any(kinds.get(kind).metrics.rates_objects for kind in kinds_of(subject.values) if kind)
    return "" if is_detection and not subject.values.rows("regions") else None


@register("dependent_metrics", reads=("metrics",))
def dependent_metrics(subject: Subject) -> str | None:
    names: dict[str, str] = {}
    for row in used_for_ranking(subject):
        metric = meaning(row).metric
        if metric is not None:
            names[metric.id] = label_of(row)
    pairs = [
        ", ".join(names[item] for item in sorted(group & set(names)))
        for group in DEPENDENT
        if len(group & set(names)) > 1
    ]
    return f"Together in the ranking: {'; '.join(pairs)}." if pairs else None


@register("ranking_metrics_defined", reads=("ranking_method", "metrics"))
def ranking_metrics_defined(subject: Subject) -> str | None:
    metric_names = set().union(*(names_of(row) for row in subject.values.rows("metrics")), set())
    unknown = [
        name
        for row in subject.values.rows("ranking_method")
        for name in row.get("metrics", ())
        if name.casefold() not in metric_names
    ]
    return f"Not in the table of metrics: {', '.join(dict.fromkeys(unknown))}." if unknown else None


@register("metrics_weigh_alike", reads=("ranking_method", "metrics", "regions", "task_category"))
def metrics_weigh_alike(subject: Subject) -> str | None:
    """A metric with three regions casts three votes where ranks are averaged over metrics and regions at once."""
    assessment = compile_values(subject.values, assume=True).assessment
    if assessment is None:
        return None
    for scheme in assessment.rankings:
        if not any({"metric", "region"} <= set(step.over) and not step.weights for step in scheme.combine or ()):
            continue
        votes = {
            metric.name: number_of_regions(metric, assessment)
            for metric in assessment.metrics
            if scheme.metrics is None or metric.name in scheme.metrics
        }
        if len(set(votes.values())) > 1:
            ratio = " : ".join(str(number) for number in votes.values())
            return f"{joined(list(votes))} weigh {ratio}, one vote a region; combine the regions first."
    return None


def number_of_regions(metric: MetricUse, assessment: Assessment) -> int:
    """In how many regions or classes a metric is ranked."""
    if metric.is_by_run:
        return 1
    if not assessment.regions or metric.is_by_scorer:
        return max(1, len(assessment.regions))
    regions = {region.name: list(range(len(region.labels))) for region in assessment.regions}
    shared = {"classes": list(regions), "regions": regions}
    return len(kind_of(assessment).evidence.regions_of(assessment, metric, shared))


@register("coordinates_have_a_unit", reads=("metrics", "problem_settings", "task_category", "regions"))
def coordinates_have_a_unit(subject: Subject) -> str | None:
    """Report distances that are compared in a unit that the design does not register."""
    assessment = compile_values(subject.values, assume=True).assessment
    return "" if assessment is not None and lacks_unit(assessment) else None


@register("own_metric_defined", reads=("metrics",))
def own_metric_defined(subject: Subject) -> str | None:
    """A metric that the platform does not compute is described so that others can compute it."""
    lacking = []
    for number, row in enumerate(subject.values.rows("metrics"), start=1):
        if meaning(row).metric is None and cost_of(row) is None and (missing := missing_in_definition(row)):
            lacking.append(f"{label_of(row) or f'metric {number}'}: {joined(missing)}")
    return f"Missing of {'; '.join(lacking)}." if lacking else None


@register("cautions_of_kind", reads=("metrics", "ranking_method", "problem_settings", "task_category", "regions"))
def cautions_of_kind(subject: Subject) -> str | None:
    """Report the cautions of the kind of problem: errors that a ranking by these metrics would miss."""
    assessment = compile_values(subject.values, assume=True).assessment
    cautions = () if assessment is None else kind_of(assessment).plausibility.cautions(assessment)
    return " ".join(cautions) or None


@register("costs_of_single_cases", reads=("metrics", "algorithm_execution"))
def costs_of_single_cases(subject: Subject) -> str | None:
    """Report that several cases share one start of the algorithm.

    The cost of a run is measured per start. It is the cost of a case only if each case has a separate start.
    """
    cases = (subject.values.get("algorithm_execution") or {}).get("batch_cases") or 1
    return f"{cases} cases share a start." if cases > 1 and registers_costs(subject.values) else None


def missing_in_definition(row: Mapping[str, Any]) -> list[str]:
    """List the missing parts in the definition of a metric that the platform does not compute.

    Examples
    --------
    >>> seam = {"name": {"other": "seam visibility"}, "definition": "height of the step", "unit": "grey values"}
    >>> missing_in_definition({**seam, "orientation": "lower", "range_min": 0, "open_range": "above"})
    ['the worst value', 'a formula or citation']
    """
    open_range = row.get("open_range")
    parts = {
        "the name": label_of(row),
        "what it measures": row.get("definition"),
        "the direction": row.get("orientation"),
        "the lowest value of its range": row.get("range_min") is not None or open_range in ("below", "both"),
        "the highest value of its range": row.get("range_max") is not None or open_range in ("above", "both"),
        "the unit": row.get("unit"),
        "the worst value": row.get("worst_value") is not None,
        "a formula or citation": row.get("formula") or row.get("implementation"),
    }
    return [words for words, given in parts.items() if not given]
