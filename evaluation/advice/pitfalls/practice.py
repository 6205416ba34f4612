"""Triggers of pitfalls of implementation, reporting and running a challenge."""

from __future__ import annotations

from evaluation.advice.pitfalls.facts import BY_ORDER, OF_ONE_CLASS, Facts
from evaluation.advice.pitfalls.registry import names, trigger, verb
from evaluation.catalogue import get
from evaluation.ranking.schemes import get_scheme

_LOOSE = 0.1


@trigger("P-IMPL-HYPERPARAMETERS")
def _unconfirmed(facts: Facts) -> str | None:
    given = {str(entry.get("name", entry["id"])): entry.get("options", {}) for entry in facts.plan.document["metrics"]}
    for metric in facts.plan.metrics:
        if metric.id == "value":
            continue
        defaults = {option.name: option.default for option in get(metric.id).assessment_options if option.required}
        left = [name for name, default in defaults.items() if given.get(metric.name, {}).get(name) == default]
        if left and not facts.declared("rationale"):
            return f"{left[0]} of {metric.name} stands at its default, and no reason is given"
    return None


@trigger("P-IMPL-FROC-RANGE")
def _range(facts: Facts) -> str | None:
    points = {str(m.options.get("fppi_points")) + str(m.options.get("form")) for m in facts.uses({"froc_score"})}
    return "FROC is read at different points in one design" if len(points) > 1 else None


@trigger("P-IMPL-LOCALIZATION-CUTOFF")
def _cutoff(facts: Facts) -> str | None:
    if facts.category not in ("ObD", "InS"):
        return None
    single = [
        metric.name
        for metric in facts.plan.metrics
        if metric.options.get("localization_threshold") is not None
        and str(metric.options.get("localization_criterion", "")).endswith("iou")
        and not metric.options.get("localization_thresholds")
    ]
    return f"one threshold decides hits in {names(single)}" if single else None


@trigger("P-IMPL-LOOSE-IOU")
def _loose(facts: Facts) -> str | None:
    if facts.category not in ("ObD", "InS"):
        return None
    loose = [name for name, value in facts.thresholds.items() if name.endswith("iou") and value < _LOOSE]
    return f"{loose[0]} of {facts.thresholds[loose[0]]:g} is a hit" if loose else None


@trigger("P-IMPL-BOX-TUBULAR")
def _slanted(facts: Facts) -> str | None:
    if "loc_box_iou" not in facts.criteria or facts.category != "ObD":
        return None
    return "objects are tubes, and boxes decide hits" if facts.said("FP3.3") else None


@trigger("P-IMPL-GLOBAL-THRESHOLD")
def _common(facts: Facts) -> str | None:
    curves = {"auroc", "average_precision", "mean_average_precision"}
    if facts.ranked and facts.ranked <= curves and facts.number_of_classes > 2:
        return f"with {facts.number_of_classes} classes only {verb(facts.ranked, 'is')} ranked, each class at its own cut-off"
    return None


@trigger("P-IMPL-CALIBRATION-BINS")
def _bins(facts: Facts) -> str | None:
    bins = {(m.options.get("n_bins"), m.options.get("binning")) for m in facts.uses({"ece", "mce", "tce", "cwce"})}
    if len(bins) > 1:
        return "calibration errors use different bins"
    return f"one binning decides {names(facts.ids & {'ece', 'mce'})}" if bins and not facts.ids & {"ece_kde"} else None


@trigger("P-IMPL-POSITIVE-CLASS")
def _positive(facts: Facts) -> str | None:
    if facts.category != "ImLC" or facts.number_of_classes != 2:
        return None
    open_ones = [m.name for m in facts.uses(OF_ONE_CLASS) if m.options.get("positive_class") is None]
    return f"{open_ones[0]} does not say which of the two classes is positive" if open_ones else None


@trigger("P-IMPL-PQ-ENTANGLED")
def _entangled(facts: Facts) -> str | None:
    if "panoptic_quality" in facts.ranked and not {"segmentation_quality", "detection_quality"} <= facts.ids:
        return "panoptic quality is ranked without its two parts"
    return None


@trigger("P-IMPL-AP-SCORE-MAGNITUDE")
def _order_only(facts: Facts) -> str | None:
    if not facts.ranked or not facts.ranked <= BY_ORDER:
        return None
    return (
        f"scores are read as probabilities, and {verb(facts.ranked, 'sees')} their order only"
        if facts.said("FP2.7.1")
        else None
    )


@trigger("P-IMPL-AP-TAIL-FP")
def _tail(facts: Facts) -> str | None:
    ids = facts.ids & {"average_precision", "mean_average_precision"}
    if facts.category in ("ObD", "InS") and ids and not facts.declared("detections_capped"):
        return f"{verb(ids, 'is')} used without a cap on predictions an image"
    return None


@trigger("P-IMPL-CENTER-COVER")
def _cover(facts: Facts) -> str | None:
    criteria = facts.criteria & {"loc_center_cover", "loc_point_in_mask"}
    return f"{verb(criteria, 'decides')} hits, and large predictions fulfil it easily" if criteria else None


@trigger("P-IMPL-CENTER-DISTANCE")
def _beside(facts: Facts) -> str | None:
    limit = facts.thresholds.get("loc_center_distance")
    if limit is None:
        return None
    voxel = min(min(spacing) for spacing in facts.scan.spacings)
    for scan in facts.scan.regions.values():
        size = scan.quantile("piece_sizes", 0.25)
        radius = (
            voxel * (3 * size / 12.566) ** (1 / 3) if facts.scan.dimensions == 3 else voxel * (size / 3.1416) ** 0.5
        )
        if limit > radius:
            return f"a hit may be {limit:g} mm away, and a quarter of {scan.name} has a radius below {radius:.1f} mm"
    return None


@trigger("P-IMPL-CENTER-HIT")
def _easier(facts: Facts) -> str | None:
    if "loc_center_hit" in facts.criteria:
        return "sizes vary much, and a hit is a centre within the object" if facts.said("FP3.2") else None
    return None


@trigger("P-IMPL-CENTER-TUBULAR")
def _tubes(facts: Facts) -> str | None:
    criteria = facts.criteria & {"loc_center_distance", "loc_center_hit", "loc_center_cover"}
    return f"objects are tubes, and {verb(criteria, 'decides')} hits" if criteria and facts.said("FP3.3") else None


@trigger("P-IMPL-ASSIGNMENT-STRATEGY")
def _assignments(facts: Facts) -> str | None:
    if facts.category not in ("ObD", "InS"):
        return None
    used = {str(value) for _, value in facts.options("assignment")}
    return f"metrics match objects by different rules: {names(used)}" if len(used) > 1 else None


@trigger("P-IMPL-NON-SPLIT")
def _merged(facts: Facts) -> str | None:
    strict = [name for name, value in facts.thresholds.items() if name.endswith("iou") and value >= 0.5]
    if facts.category not in ("ObD", "InS") or not strict:
        return None
    return f"objects can touch, and {strict[0]} of one half or more decides hits" if facts.said("FP3.5") else None


@trigger("P-REP-NONDETERMINISM")
def _runs(facts: Facts) -> str | None:
    return "one run a team is asked for" if facts.declared("runs_per_team") == 1 else None


@trigger("P-REP-VISUALIZATION")
def _plots(facts: Facts) -> str | None:
    return None if facts.declared("case_plots") else "the report shows no values of single cases"


@trigger("P-REP-CARDINALITIES")
def _counts(facts: Facts) -> str | None:
    counting = facts.ids & (OF_ONE_CLASS | {"accuracy", "balanced_accuracy", "mcc"})
    if counting and not facts.declared("cardinalities"):
        return f"{verb(counting, 'is')} published without the counts that it is made of"
    return None


@trigger("P-REP-NO-RANDOM-BASELINE")
def _baseline(facts: Facts) -> str | None:
    if facts.category in ("ImLC", "ObD") and not facts.declared("baselines"):
        return "no trivial answer is shown beside the scores"
    return None


@trigger("P-PQ-SMALL-OBJECT-SHIFT")
def _shifted(facts: Facts) -> str | None:
    if not facts.ids & {"panoptic_quality", "segmentation_quality"}:
        return None
    return "objects are small throughout, and panoptic quality reacts to one pixel" if facts.said("FP3.1") else None


@trigger("P-PQ-HARD-IOU-CUTOFF")
def _hard(facts: Facts) -> str | None:
    metric_names = [
        m.name for m in facts.uses({"panoptic_quality", "detection_quality"}) if m.options.get("iou_threshold") == 0.5
    ]
    return (
        f"{metric_names[0]} turns an outline just below one half into a miss and a false alarm"
        if metric_names
        else None
    )


@trigger("P-PQ-MISCLASSIFIED")
def _mislabelled(facts: Facts) -> str | None:
    if "panoptic_quality" in facts.ids and facts.number_of_classes > 1 and "detection_quality" not in facts.ids:
        return f"panoptic quality of {facts.number_of_classes} classes counts a wrong class as a miss"
    return None


@trigger("P-CHAL-EVALUATION-BUG")
def _tested(facts: Facts) -> str | None:
    foreign = [metric.id for metric in facts.plan.metrics if metric.id != "value" and get(metric.id).source != "podium"]
    return f"{verb(foreign, 'comes')} from another package, whose tests are not known here" if foreign else None


@trigger("P-CHAL-NO-RAW-PREDICTIONS")
def _released(facts: Facts) -> str | None:
    return None if facts.declared("predictions_released") else "predictions are not published"


@trigger("P-CHAL-SELECTION-BIAS")
def _best_only(facts: Facts) -> str | None:
    if facts.declared("predictions_released") and not facts.declared("all_released"):
        return "only some teams' predictions are published"
    return None


@trigger("P-CHAL-OVERLAPPING-REFERENCE")
def _contested(facts: Facts) -> str | None:
    if facts.category == "InS" and facts.declared("reference_overlaps"):
        return "annotated objects overlap, and a label map holds one object a pixel"
    return None


@trigger("P-CHAL-RASTERIZATION-LOSS")
def _vanished(facts: Facts) -> str | None:
    if facts.category != "ImLC" and facts.declared("reference_polygons"):
        return "references are drawn as polygons and turned into pixels"
    return None


@trigger("P-CHAL-IGNORE-REGIONS")
def _ignored(facts: Facts) -> str | None:
    if facts.category != "ImLC" and facts.declared("ignore_regions") and not facts.declared("ignore_rule"):
        return "there are regions to ignore, and no rule for objects across their border"
    return None


@trigger("P-CHAL-NO-SIGNIFICANCE")
def _untested(facts: Facts) -> str | None:
    tested = any(get_scheme(ranking.scheme).compares_pairs for ranking in facts.plan.rankings)
    if facts.plan.uncertainty.bootstrap == 0 and not tested:
        return "ranks come from means alone, without tests or resampling"
    return None


@trigger("P-CHAL-SCORES-NOT-RELEASED")
def _no_field(facts: Facts) -> str | None:
    if facts.category in ("ObD", "InS") and facts.denied("FP5.1"):
        return "the submission format has no score for objects"
    return None


@trigger("P-CHAL-METRIC-LOCK-IN")
def _copied(facts: Facts) -> str | None:
    words = str(facts.declared("rationale")).lower()
    phrases = [
        word
        for word in ("previous challenge", "earlier challenge", "last edition", "comparability with")
        if word in words
    ]
    return f"the reason given is “{phrases[0]}”" if phrases else None
