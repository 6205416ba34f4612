"""Triggers of pitfalls in the data, in aggregation and in ranking."""

from __future__ import annotations

from evaluation.advice.pitfalls.facts import BY_ORDER, DISTANCES, ON_PREVALENCE, Facts, Unknown
from evaluation.advice.pitfalls.registry import names, trigger, verb
from evaluation.advice.pitfalls.scan import SOURCES
from evaluation.ranking.schemes import get_scheme

_DOMINANT = 0.8
_RARE = 0.1
_VERY_RARE = 0.05
_PAIR = 0.01
_PER_BIN = 30


def _rarest(facts: Facts) -> tuple[str, float]:
    """The rarest class and its share of the cases."""
    counts = facts.scan.classes
    if not counts:
        raise Unknown("references")
    rare = min(counts, key=lambda name: counts[name])
    return rare, counts[rare] / facts.scan.cases


@trigger("P-DATA-IMBALANCE-ACCURACY")
def _accuracy(facts: Facts) -> str | None:
    if "accuracy" not in facts.ids:
        return None
    try:
        counts = facts.scan.classes
        if counts:
            frequent = max(counts, key=lambda name: counts[name])
            share = counts[frequent] / facts.scan.cases
            return f"always saying {frequent} has an accuracy of {share:.2f}" if share > _DOMINANT else None
    except Unknown:
        pass
    return "classes differ much in number, and accuracy is measured" if facts.said("FP4.1") else None


@trigger("P-DATA-IMBALANCE-BA")
def _balanced(facts: Facts) -> str | None:
    ids = facts.ranked & {"balanced_accuracy", "youden_j"}
    if not ids or facts.ids & {"ppv", "mcc", "average_precision"}:
        return None
    rare, share = _rarest(facts)
    return f"{verb(ids, 'is')} ranked while {rare} makes up {share:.1%} of the cases" if share < _VERY_RARE else None


@trigger("P-DATA-IMBALANCE-AUROC")
def _flattering(facts: Facts) -> str | None:
    if "auroc" not in facts.ranked or "average_precision" in facts.ids:
        return None
    rare, share = _rarest(facts)
    return f"AUROC is ranked while {rare} makes up {share:.1%} of the cases" if share < _RARE else None


@trigger("P-DATA-IMBALANCE-PREVALENCE-METRICS")
def _other_scale(facts: Facts) -> str | None:
    ids = facts.ids & ON_PREVALENCE
    if facts.category == "SemS" or not ids:
        return None
    rare, share = _rarest(facts)
    return f"{verb(ids, 'depends')} on prevalence, and {rare} makes up {share:.1%}" if share < _RARE else None


@trigger("P-DATA-SMALL-SAMPLE-AUROC")
def _few(facts: Facts) -> str | None:
    ids = facts.ids & {"auroc", "average_precision"}
    if not ids or facts.category != "ImLC":
        return None
    rare, share = _rarest(facts)
    number = round(share * facts.scan.cases)
    step = 1.0 / max(number * (facts.scan.cases - number), 1)
    if step > _PAIR:
        return f"with {number} cases of {rare} one swapped pair is worth {step:.2f} AUROC"
    return None


@trigger("P-DATA-SMALL-SAMPLE-ECE")
def _few_in_bins(facts: Facts) -> str | None:
    for metric in facts.uses({"ece", "mce", "tce", "cwce"}):
        bins = metric.options.get("n_bins")
        if bins and facts.scan.cases / bins < _PER_BIN:
            return f"{facts.scan.cases} cases in {bins} bins are {facts.scan.cases / bins:.0f} a bin"
    return None


@trigger("P-DATA-INTER-RATER")
def _experts(facts: Facts) -> str | None:
    if facts.category not in ("SemS", "InS") or facts.ids & {"nsd", "mi_nsd"}:
        return None
    return f"experts disagree, and {verb(facts.ids, 'has')} no tolerance for it" if facts.said("FP4.3.1") else None


@trigger("P-DATA-REFERENCE-OUTLIERS")
def _strays(facts: Facts) -> str | None:
    if "hausdorff_distance" not in facts.ids:
        return None
    try:
        for scan in facts.scan.regions.values():
            if scan.strays:
                return (
                    f"{scan.name} has a stray speck in {len(scan.strays)} of the references, such as {scan.strays[0]}"
                )
    except Unknown:
        if facts.said("FP4.3.2"):
            return "the reference can have strays, and the largest distance is measured"
        raise
    return None


@trigger("P-DATA-EMPTY-REFERENCE")
def _empty(facts: Facts) -> str | None:
    if facts.category == "ImLC":
        return None
    uneven = [m.name for m in facts.plan.metrics if m.policy.both_empty == "exclude" != m.policy.ref_empty]
    depends = f"; how many of them enter {uneven[0]} depends on what a team predicts there" if uneven else ""
    try:
        for scan in facts.scan.regions.values():
            if scan.empty:
                share = f"{len(scan.empty)} of {facts.scan.cases} references, such as {scan.empty[0]}"
                return f"{scan.name} is not there in {share}{depends}"
    except Unknown:
        if uneven or facts.said("FP4.6"):
            return f"there are cases without the structure{depends}"
        raise
    return None


@trigger("P-OUT-EMPTY-PREDICTION")
def _nothing(facts: Facts) -> str | None:
    if facts.category == "ImLC":
        return None
    lenient = _lenient(facts, "pred_empty")
    if lenient:
        return f"an empty prediction is left out of {lenient}"
    for scan in facts.submissions:
        for region, cases in scan.empty.items():
            if cases:
                return f"{scan.name} predicts no {region} on {len(cases)} of the cases that have it, such as {cases[0]}"
    return None


@trigger("P-AGG-NAN-BOUNDED")
def _dropped(facts: Facts) -> str | None:
    lenient = _lenient(facts, "missing")
    if lenient:
        return f"a missing case is left out of {lenient}, so that leaving out hard ones pays"
    undecided = [
        metric.name for metric in facts.plan.metrics if metric.policy.missing is None and metric.level == "case"
    ]
    return f"nothing says what a missing value of {undecided[0]} counts as" if undecided else None


@trigger("P-AGG-NAN-UNBOUNDED")
def _no_worst(facts: Facts) -> str | None:
    ids = facts.ids & DISTANCES
    if not ids:
        return None
    schemes = [ranking for ranking in facts.plan.rankings if get_scheme(ranking.scheme).aggregates_values]
    means = [ranking for ranking in schemes if ranking.operator.kind == "mean"]
    if means and any(metric.policy.missing == "image_diagonal" for metric in facts.uses(DISTANCES)):
        return f"a missing {verb(ids, 'counts')} as the image diagonal, which then dominates the mean"
    return None


def _lenient(facts: Facts, outcome: str) -> str:
    """Metrics that leave an outcome out which participants cause."""
    metric_names = [m.name for m in facts.plan.metrics if m.policy.get(outcome) == "exclude" and m.policy.allow_gaming]
    return ", ".join(metric_names)


@trigger("P-AGG-NAN-DETECTION")
def _patterns(facts: Facts) -> str | None:
    per_image = [metric.name for metric, scale in facts.options("scale") if scale == "image"]
    if facts.category not in ("ObD", "InS") or not per_image:
        return None
    return (
        f"{per_image[0]} is scored image by image, and images can be without objects"
        if facts.said("FP4.6") or facts.said("FP5.2")
        else None
    )


@trigger("P-AGG-OBJECT-SCALE")
def _scale(facts: Facts) -> str | None:
    if facts.category not in ("ObD", "InS"):
        return None
    scales = {str(scale) for _, scale in facts.options("scale")}
    return f"metrics count objects over different units: {names(scales)}" if len(scales) > 1 else None


@trigger("P-AGG-CLASS-HIERARCHY")
def _hierarchy(facts: Facts) -> str | None:
    if facts.declared("hierarchy_depth") > 1 and not facts.declared("all_levels_scored"):
        return f"classes form a tree of {facts.declared('hierarchy_depth')} levels, and not all of them are scored"
    return None


@trigger("P-AGG-UNEQUAL-CLASS-IMPORTANCE")
def _importance(facts: Facts) -> str | None:
    if facts.number_of_classes < 2 or facts.design.class_weights:
        return None
    weighted = any(step.weights for ranking in facts.plan.rankings for step in ranking.combine or ())
    if weighted or any(value == "weighted" for _, value in facts.options("class_average")):
        return None
    return "some classes are more important, and all are averaged evenly" if facts.said("FP2.5.1") else None


@trigger("P-AGG-PER-CLASS")
def _background(facts: Facts) -> str | None:
    metric_names = [metric.name for metric, value in facts.options("include_background") if value]
    return f"{metric_names[0]} includes the background" if metric_names else None


@trigger("P-AGG-NONINDEPENDENT-CASES")
def _clusters(facts: Facts) -> str | None:
    levels = facts.plan.aggregation
    # A fixed level, such as the modality, says nothing about which cases come from one source.
    sampled = set(levels.levels[1:]) - set(levels.fixed)
    if sampled or set(facts.plan.uncertainty.resample) - {"case"}:
        return None
    try:
        for name, counts in facts.scan.groups.items():
            if name.lower() in SOURCES and max(counts.values()) > 1:
                return f"one {name} has {max(counts.values())} cases, and cases are drawn as if they were independent"
    except Unknown:
        pass
    return (
        "several cases come from one source, and levels and resampling do not say so" if facts.said("FP4.5") else None
    )


@trigger("P-AGG-STRATIFICATION")
def _groups(facts: Facts) -> str | None:
    columns = facts.design.metadata_columns
    if columns is None:
        columns = tuple(facts.scan.groups)
    if columns and not facts.declared("strata"):
        return f"{verb(columns, 'is')} known of every case, and results are not shown by it"
    return None


@trigger("P-AGG-IMAGE-COUNT-AP")
def _images(facts: Facts) -> str | None:
    if facts.category not in ("ObD", "InS") or "average_precision" not in facts.ranked:
        return None
    if facts.ids & {"froc_score", "fppi", "fppi_at_sensitivity"}:
        return None
    return "there are images without objects, which average precision does not count" if facts.said("FP4.6") else None


@trigger("P-DOM-PREVALENCE-CORRECTION")
def _study(facts: Facts) -> str | None:
    if facts.category != "ImLC":
        return None
    plain = [m.name for m in facts.uses({"ppv", "npv"}) if m.options.get("target_prevalence") is None]
    if not plain:
        return None
    return (
        f"{plain[0]} uses the prevalence of the test set, which is not that of the population"
        if facts.denied("FP4.2")
        else None
    )


@trigger("P-DOM-PREVALENCE-DEPENDENCY")
def _between_sets(facts: Facts) -> str | None:
    ids = facts.ranked & ON_PREVALENCE
    if facts.category != "ImLC" or not ids:
        return None
    if facts.design.test_sets is not None and facts.design.test_sets > 1:
        return f"{verb(ids, 'depends')} on prevalence, and {facts.design.test_sets} test sets are compared"
    if facts.denied("FP4.2"):
        return f"{verb(ids, 'depends')} on prevalence, and the test set does not have that of the population"
    return None


@trigger("P-DOM-MODEL-BIAS-RANK-METRICS")
def _shift(facts: Facts) -> str | None:
    if not facts.ranked or not facts.ranked <= BY_ORDER:
        return None
    sites = facts.design.sites
    if (sites is not None and sites > 1) or facts.declared("external_test"):
        return f"only {verb(facts.ranked, 'is')} ranked, which does not see a shift of all scores between sites"
    return None


@trigger("P-DOM-SEG-DECISION-THRESHOLD")
def _soft(facts: Facts) -> str | None:
    if facts.category in ("SemS", "InS") and facts.declared("soft_masks"):
        return "submissions are probability maps, and one cut-off makes masks of them"
    return None


@trigger("P-RANK-VARIABILITY")
def _certain(facts: Facts) -> str | None:
    return "the ranking is not resampled" if facts.plan.uncertainty.bootstrap == 0 else None


@trigger("P-INT-RESOLUTION")
def _resolution(facts: Facts) -> str | None:
    if facts.category not in ("SemS", "InS"):
        return None
    spacings = facts.scan.spacings
    if len(spacings) > 1:
        return f"references have {len(spacings)} different voxel sizes"
    uneven = spacings and max(spacings[0]) > 2 * min(spacings[0])
    return f"voxels are uneven: {' × '.join(f'{size:g}' for size in spacings[0])} mm" if uneven else None


@trigger("P-INT-DIMENSION")
def _volumes(facts: Facts) -> str | None:
    strict = [criterion for criterion, value in facts.thresholds.items() if criterion.endswith("iou") and value >= 0.5]
    if facts.category not in ("ObD", "InS") or not strict:
        return None
    if facts.scan.dimensions == 3:
        return f"{strict[0]} asks for {facts.thresholds[strict[0]]:g} or more in volumes"
    return None


@trigger("P-INT-IRRELEVANT-DIFFERENCE")
def _irrelevant(facts: Facts) -> str | None:
    if facts.assessment is not None and facts.assessment.uncertainty.margin:
        return None
    return None if facts.declared("relevance_margin") else "no difference that matters is declared"


@trigger("P-INT-NO-CEILING")
def _ceiling(facts: Facts) -> str | None:
    return None if facts.declared("rater_score") else "the score between experts is not known"
