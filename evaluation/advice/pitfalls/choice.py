"""Triggers of pitfalls of choosing: kind of problem, what matters, and the structure."""

from __future__ import annotations

from evaluation.advice.departures import RELATED
from evaluation.advice.pitfalls.facts import (
    BOUNDARY,
    CALIBRATION,
    CURVES,
    OF_OBJECTS,
    OVERLAP,
    TRUE_NEGATIVES,
    Facts,
    Unknown,
)
from evaluation.advice.pitfalls.registry import names, trigger, verb
from evaluation.catalogue import get

_SIZES_APART = 4.0
_SIZES_MIXED = 10.0
_TINY = 30
_ONE_PIXEL = 0.02


@trigger("P-CAT-SEMSEG-FOR-OBJDET")
def _pixels_for_objects(facts: Facts) -> str | None:
    if facts.category != "SemS" or facts.ids & OF_OBJECTS:
        return None
    for scan in facts.scan.regions.values():
        small, large = scan.quantile("piece_sizes", 0.05), scan.quantile("piece_sizes", 0.95)
        if scan.quantile("components", 0.75) >= 2 and large >= _SIZES_APART * small:
            return (
                f"{scan.name} comes in {scan.quantile('components', 0.75):.0f} or more pieces on a quarter of the cases, "
                f"from {small:.0f} to {large:.0f} voxels, and only pixels are scored"
            )
    return None


@trigger("P-CAT-SEMSEG-FOR-INSSEG")
def _no_instances(facts: Facts) -> str | None:
    if facts.category == "SemS" and facts.said("FP3.5"):
        return "objects of one class can touch or overlap, and the problem is semantic segmentation"
    if facts.category == "InS" and facts.declared("reference_instances") is False:
        return "objects are to be kept apart, but the reference has no instance labels"
    return None


@trigger("P-CAT-IMLC-FOR-OBJDET")
def _image_scores(facts: Facts) -> str | None:
    if "auroc" in facts.ids and facts.declared("image_score_of_objects"):
        return "located objects are reduced to one score an image, and AUROC judges that score"
    return None


@trigger("P-CAT-TN-UNDEFINED")
def _true_negatives(facts: Facts) -> str | None:
    ids = facts.ids & TRUE_NEGATIVES
    if not ids:
        return None
    if facts.category in ("ObD", "InS"):
        return f"{verb(ids, 'needs')} true negatives, and objects have none"
    if facts.category == "SemS" and ids & {"specificity", "accuracy"}:
        return f"{verb(ids, 'counts')} background pixels as right"
    return None


@trigger("P-CAT-TINY-AS-SEGMENTATION")
def _tiny(facts: Facts) -> str | None:
    if facts.category not in ("SemS", "InS"):
        return None
    try:
        for scan in facts.scan.regions.values():
            if scan.quantile("piece_sizes", 0.95) < _TINY:
                return f"95 % of the pieces of {scan.name} have fewer than {_TINY} voxels"
    except Unknown:
        if facts.said("FP3.1") and facts.said("FP4.3.1"):
            return "structures are tiny throughout and experts disagree"
        raise
    return None


@trigger("P-CAT-NO-MATCHING-CATEGORY")
def _derived(facts: Facts) -> str | None:
    if facts.declared("derived_quantity") and not facts.declared("derived_quantity_scored"):
        return "the use needs a quantity derived from the output, and no metric scores it"
    return None


@trigger("P-SEL-POPULARITY")
def _popular(facts: Facts) -> str | None:
    words = str(facts.declared("rationale")).lower()
    if not words.strip():
        return "no reason is given for the metrics"
    popular = ("commonly used", "widely used", "popular", "standard metric", "most used", "well-known", "well known")
    phrases = [word for word in popular if word in words]
    return f"the reason given is that the metric is “{phrases[0]}”" if phrases else None


@trigger("P-SEL-SINGLE-METRIC")
def _single(facts: Facts) -> str | None:
    families = {get(metric.id).family for metric in facts.plan.metrics if metric.id != "value"}
    if len(families) == 1:
        return f"all metrics ({names(facts.ids)}) are of one kind"
    return None


@trigger("P-DOM-BOUNDARY-UNAWARE")
def _outline(facts: Facts) -> str | None:
    if facts.category in ("SemS", "InS") and not facts.ids & BOUNDARY and facts.said("FP2.1"):
        return f"the outline matters, and {verb(facts.ids, 'does')} not measure it"
    return None


@trigger("P-DOM-CENTER-UNAWARE")
def _centre(facts: Facts) -> str | None:
    aware = {"loc_center_distance", "loc_point_in_mask", "loc_center_hit", "loc_center_cover"}
    if facts.category == "ImLC" or "cldice" in facts.ids or facts.criteria & aware:
        return None
    return "the centre or centreline matters, and nothing measures it" if facts.said("FP2.3") else None


@trigger("P-DOM-VOLUME-UNAWARE-BOUNDARY")
def _hollow(facts: Facts) -> str | None:
    ids = facts.ids & (BOUNDARY - {"mi_nsd"})
    if not ids:
        return None
    if not facts.ids & OVERLAP and facts.said("FP2.2"):
        return f"volume matters, and only {verb(ids, 'is')} measured"
    for scan in facts.submissions:
        for region, holes in scan.holes.items():
            hollow = [share for share in holes if share > 0.1]
            if hollow:
                return f"{region} is hollow by more than 10 % in {len(hollow)} of the predictions of {scan.name}"
    return None


@trigger("P-DOM-VOLUME-UNAWARE-BOUNDARY-IOU")
def _wide_rim(facts: Facts) -> str | None:
    for metric in facts.uses({"boundary_iou"}):
        width = metric.options.get("distance")
        if width is None or metric.options.get("combine_with_mask_iou"):
            continue
        voxel = min(min(spacing) for spacing in facts.scan.spacings)
        for scan in facts.scan.regions.values():
            thickness = scan.quantile("thickness", 0.5) * voxel
            if 2 * width >= thickness:
                return f"the rim of {width:g} mm on both sides is as thick as {scan.name} ({thickness:.1f} mm)"
    return None


@trigger("P-DOM-UNEQUAL-CONFUSIONS")
def _unequal(facts: Facts) -> str | None:
    if facts.ids & {"expected_cost", "weighted_cohens_kappa", "fbeta", "net_benefit"}:
        return None
    differs = facts.said("FP2.5.2a" if facts.category == "InS" else "FP2.5.2")
    return f"some mistakes are worse than others, and {verb(facts.ids, 'treats')} them alike" if differs else None


@trigger("P-DOM-OVER-UNDERSEGMENTATION")
def _direction(facts: Facts) -> str | None:
    ids = facts.ids & {"dsc", "iou"}
    if not ids or facts.ids & (BOUNDARY | {"fbeta"}):
        return None
    return (
        f"too large and too small differ, and {verb(ids, 'favours')} too large"
        if facts.declared("size_direction_matters")
        else None
    )


@trigger("P-DOM-ORDINAL-COUNTING")
def _grades(facts: Facts) -> str | None:
    if facts.ids & {"weighted_cohens_kappa", "expected_cost"} or facts.category != "ImLC":
        return None
    if facts.declared("ordinal") and facts.number_of_classes >= 3:
        return f"the classes are grades, and {verb(facts.ids, 'does')} not know their order"
    return None


@trigger("P-DOM-ORDINAL-CALIBRATION")
def _grades_of_probabilities(facts: Facts) -> str | None:
    if "brier_score" in facts.ids and facts.declared("ordinal"):
        return "the classes are grades, and the Brier score does not know their order"
    return None


@trigger("P-DOM-LABEL-SHIFT-ORDINAL")
def _kappa_between_sets(facts: Facts) -> str | None:
    if "weighted_cohens_kappa" in facts.ids and facts.declared("test_sets") > 1:
        return f"weighted kappa is compared between {facts.declared('test_sets')} test sets"
    return None


@trigger("P-DOM-CALIBRATION-IGNORED")
def _uncalibrated(facts: Facts) -> str | None:
    if facts.ids & CALIBRATION or facts.category == "SemS":
        return None
    return (
        "scores will be read as probabilities, and no metric of calibration is used" if facts.said("FP2.7.1") else None
    )


@trigger("P-DOM-CALIBRATION-DEFINITION")
def _which_calibration(facts: Facts) -> str | None:
    ids = facts.ids & {"ece", "mce", "cwce"}
    if ids and not facts.ids & {"ece_kde", "root_brier_score"} and facts.number_of_classes >= 3:
        return f"with {facts.number_of_classes} classes {verb(ids, 'sees')} single classes only"
    return None


@trigger("P-DOM-BENEFIT-COST")
def _exchange(facts: Facts) -> str | None:
    if (
        facts.category == "ImLC"
        and not facts.ids & {"net_benefit", "expected_cost"}
        and facts.declared("exchange_rate")
    ):
        return "it is known how many interventions one case is worth, and no metric uses it"
    return None


@trigger("P-DOM-VESSEL-OFFSET")
def _beside(facts: Facts) -> str | None:
    if facts.category == "SemS" and facts.ids == {"cldice"} and (facts.said("FP2.1") or facts.said("FP2.2")):
        return "outline or volume matters, and only the centreline is measured"
    return None


@trigger("P-STR-SMALL-STRUCTURES")
def _small(facts: Facts) -> str | None:
    ids = facts.ids & OVERLAP
    if not ids or facts.category == "ImLC":
        return None
    try:
        for scan in facts.scan.regions.values():
            size = scan.quantile("piece_sizes", 0.5)
            if size >= 1 and 1.0 / (2.0 * size - 1.0) > _ONE_PIXEL:
                return (
                    f"half of the pieces of {scan.name} have at most {size:.0f} voxels, so that one voxel costs "
                    f"{1.0 / (2.0 * size - 1.0):.2f} of DSC"
                )
    except Unknown:
        if facts.said("FP3.1"):
            return f"structures are small throughout, and {verb(ids, 'is')} measured"
        raise
    return None


@trigger("P-STR-SIZE-VARIABILITY")
def _sizes(facts: Facts) -> str | None:
    if facts.category == "ImLC" or facts.design.stratify_by_size:
        return None
    try:
        for scan in facts.scan.regions.values():
            small, large = scan.quantile("piece_sizes", 0.05), scan.quantile("piece_sizes", 0.95)
            if large >= _SIZES_MIXED * small:
                return f"pieces of {scan.name} have from {small:.0f} to {large:.0f} voxels"
    except Unknown:
        if facts.said("FP3.2"):
            return "sizes vary much, and results are not shown by size"
        raise
    return None


@trigger("P-STR-MASD-SMALL-PREDICTION")
def _specks(facts: Facts) -> str | None:
    if "masd" not in facts.ranked:
        return None
    for scan in facts.submissions:
        small = [ratio for ratios in scan.size_ratios.values() for ratio in ratios if 0 < ratio < 0.1]
        if small:
            return f"in {len(small)} of the predictions of {scan.name} the size is less than a tenth of the true one"
    return None


@trigger("P-STR-SMALL-LOCALIZATION")
def _one_threshold(facts: Facts) -> str | None:
    criteria = facts.criteria & {"loc_mask_iou", "loc_box_iou"}
    if not criteria or facts.category not in ("ObD", "InS"):
        return None
    return f"sizes vary much, and {verb(criteria, 'uses')} one threshold for all" if facts.said("FP3.2") else None


@trigger("P-STR-SHAPE-UNAWARE")
def _shapes(facts: Facts) -> str | None:
    if facts.category in ("SemS", "InS") and facts.ids <= OVERLAP and facts.said("FP2.1"):
        return f"the shape matters, and {verb(facts.ids, 'does')} not see it"
    return None


@trigger("P-STR-COMPLEX-SHAPE-CENTERLINE")
def _trees(facts: Facts) -> str | None:
    if facts.category in ("SemS", "InS") and "cldice" not in facts.ids and facts.said("FP3.3"):
        return "structures are tubes, and their centreline is not measured"
    return None


@trigger("P-STR-MULTI-INSTANCE-BOUNDARY")
def _other_object(facts: Facts) -> str | None:
    ids = facts.ids & BOUNDARY
    if facts.category != "SemS" or not ids:
        return None
    try:
        for scan in facts.scan.regions.values():
            if scan.quantile("components", 0.75) >= 2:
                return (
                    f"{scan.name} has several pieces on a quarter of the cases, and {verb(ids, 'is')} measured over all"
                )
    except Unknown:
        if facts.said("FP3.5"):
            return f"objects can touch, and {verb(ids, 'is')} measured over all of them"
        raise
    return None


@trigger("P-STR-NESTED-LABELS")
def _rules(facts: Facts) -> str | None:
    if facts.category != "ImLC" and facts.declared("label_rules") and not facts.declared("label_rules_checked"):
        return "labels have to obey rules that no submission is checked for"
    return None


@trigger("P-STR-BOX-ANNOTATION")
def _boxes(facts: Facts) -> str | None:
    if "loc_box_iou" in facts.criteria and (facts.said("FP3.6") or facts.said("FP3.3")):
        return "objects are tubes or come in pieces, and boxes decide hits"
    return None


@trigger("P-RANK-RELATED-METRICS")
def _twice(facts: Facts) -> str | None:
    pairs = [pair for pair in RELATED if pair <= facts.ranked]
    return f"{names(pairs[0])} both enter the ranking" if pairs else None


@trigger("P-RANK-SYNONYMS")
def _same(facts: Facts) -> str | None:
    if "dsc" in facts.ids:
        for metric in facts.uses({"fbeta"}):
            if metric.options.get("beta") == 1 and facts.category == "SemS":
                return "F-beta with beta 1 on pixels is the same as DSC"
    seen = [(metric.id, str(sorted(metric.options.items(), key=str))) for metric in facts.plan.metrics]
    doubled = {metric_id for metric_id, options in seen if seen.count((metric_id, options)) > 1}
    return f"{verb(doubled, 'stands')} twice with the same options" if doubled else None


@trigger("P-OUT-NO-CLASS-SCORES")
def _no_scores(facts: Facts) -> str | None:
    ids = facts.ids & CURVES
    return f"{verb(ids, 'needs')} scores, and submissions carry none" if ids and facts.denied("FP5.1") else None


@trigger("P-OUT-SCORES-LOST")
def _lost(facts: Facts) -> str | None:
    if facts.category == "InS" and "average_precision" in facts.ids and facts.denied("FP5.1"):
        return "objects are cut out of maps without a score, and average precision is used"
    return None


@trigger("P-OUT-OVERLAPPING-PREDICTIONS")
def _overlapping(facts: Facts) -> str | None:
    if facts.category == "InS" and "criterion_gt_half" in {v for _, v in facts.options("assignment")}:
        return (
            "predicted objects may overlap, and matching above one half relies on that they do not"
            if facts.said("FP5.4")
            else None
        )
    return None
