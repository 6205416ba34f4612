"""Object detection: how many objects were found, and how many false ones with them.

Every function takes the objects of all images, the reference's first, one `evaluation.matching.Objects` an image, all of
one class. Images without objects belong into both lists: they decide how much a false alarm weighs. Options:
``localization_criterion`` and ``localization_threshold`` decide what a hit is, ``assignment`` who is matched to whom,
``double_assignment`` what becomes of duplicates; ``scale`` pools the counts (``dataset``) or averages over images or
patients (``patients`` then names the patient of each image).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.matching import Rule
from evaluation.metrics.coco import CUTOFFS, INTERPOLATION, trace_coco, trace_coco_classes
from evaluation.metrics.declaration import OBJECTS, computes, declare
from evaluation.metrics.detection_values import CURVES, evaluate
from evaluation.metrics.detections import Detections, count_detections, trace_classes, trace_detections
from evaluation.metrics.options import Option
from evaluation.metrics.shared_options import (
    AREA,
    COCO_CRITERION,
    MATCHED,
    MATCHING,
    RULE,
    SCALE,
    SCORE_THRESHOLD,
    TARGET_SENSITIVITY,
)
from evaluation.metrics.values import Values, ratio
from evaluation.outcomes import Flag, Outcome, Result

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from evaluation.matching import Objects
    from evaluation.metrics.values import FloatArray

MATCHING_OPTIONS = frozenset({"localization_criterion", "localization_threshold", "assignment", "double_assignment"})
_NOT_FOR_FORMULAS = MATCHING_OPTIONS | {
    "localization_thresholds",
    "max_detections",
    "area",
    "matched",
    "per",
    "areas",
    "score_threshold",
    "level",
    "positive_class",
    "class_average",
    "class_weights",
    "target_prevalence",
    "instance_connectivity",
}


@computes("object_detection", "instance_segmentation")
def sensitivity(references: Sequence[Objects], predictions: Sequence[Objects], **options: Any) -> Result:
    """Share of reference objects that were found, TP / (TP + FN).

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` if there is no reference object at all.

    Examples
    --------
    >>> from evaluation.matching import Objects
    >>> truth = [Objects(boxes=[[0, 0, 4, 4], [9, 9, 12, 12]])]
    >>> found = [Objects(boxes=[[0, 0, 4, 4]], scores=[0.9])]
    >>> sensitivity(truth, found).value
    0.5
    """
    return _measure("sensitivity", references, predictions, options)


@computes("object_detection", "instance_segmentation")
def ppv(references: Sequence[Objects], predictions: Sequence[Objects], **options: Any) -> Result:
    """Share of predictions that are right, TP / (TP + FP).

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` if nothing was predicted although there are objects,
        ``both_empty`` if there are none.
    """
    return _measure("ppv", references, predictions, options)


@computes("object_detection", "instance_segmentation")
def fbeta(references: Sequence[Objects], predictions: Sequence[Objects], **options: Any) -> Result:
    """F-beta score of objects, from counts; ``beta`` above 1 punishes missed objects more.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``both_empty`` if there is nothing on either side.
    """
    return _measure("fbeta", references, predictions, options)


@declare(
    "False Positives per Image",
    "FPPI",
    categories=OBJECTS,
    direction="lower",
    range=(0, None),
    family="per_class_counting",
    needs="objects images",
    options=(SCORE_THRESHOLD, *MATCHING),
    evidence="counts",
    whole_data_set=True,
)
def fppi(references: Sequence[Objects], predictions: Sequence[Objects], **options: Any) -> Result:
    """False positives per image, over all images, also those without objects.

    Returns
    -------
    Result
        Value in [0, inf), lower is better; ``degenerate`` without images. Predicting nothing is perfect.
    """
    return _measure("fppi", references, predictions, options)


@computes("object_detection", "instance_segmentation")
def average_precision(references: Sequence[Objects], predictions: Sequence[Objects], **options: Any) -> Result:
    """Average precision: the mean of PPV over the steps of Sensitivity.

    Further options: ``interpolation`` (``step``, ``voc_all_points``, ``points_101``, or
    ``coco_101``, which is what pycocotools gives, with ``max_detections`` of an image and class and ``area``), ``ties`` (``grouped``,
    ``sequential``), ``localization_thresholds`` (mean over several cutoffs).

    Returns
    -------
    Result
        Value in [0, 1], higher is better; 0 without predictions, ``degenerate`` without reference objects.
    """
    return _measure("average_precision", references, predictions, options)


@declare(
    "mean Average Precision",
    "mAP",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="multi_threshold",
    needs="objects scores images",
    options=(
        Option(
            "class_weights",
            "array",
            None,
            "Optional class weights; null is the plain mean over classes that occur in the reference.",
        ),
        Option(
            "interpolation",
            "enum",
            "step",
            "See average_precision.",
            choices=("step", "voc_all_points", "points_101", "coco_101"),
        ),
        Option("ties", "enum", "grouped", "See average_precision.", choices=("grouped", "sequential")),
        Option(
            "max_detections",
            "integer",
            None,
            "With coco_101: how many predictions of an image and class are read, best first; null is 100, as in pycocotools.",
            minimum=1,
            stands_where_set=True,
        ),
        AREA,
        MATCHED,
        Option("localization_thresholds", "array", None, "Optional list of cutoffs to average over."),
        *MATCHING,
    ),
    evidence="curve",
    all_classes=True,
)
def mean_average_precision(references: Sequence[Objects], predictions: Sequence[Objects], **options: Any) -> Result:
    """Mean of the average precision of all classes that occur in the reference; objects need ``classes``.

    Further options: those of `average_precision`, and ``class_weights``, one for each class in ascending order.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` if no class occurs.
    """
    names = class_names([*references, *predictions])
    cutoffs = options.get("localization_thresholds") or [None]
    if options.get("interpolation") == INTERPOLATION:
        by_class = trace_coco_classes(references, predictions, options, cutoffs, names)
    else:
        traced = [
            trace_classes(references, predictions, Rule.from_options(options, cutoff), names) for cutoff in cutoffs
        ]
        by_class = [list(traces) for traces in zip(*traced, strict=True)]
    values = [evaluate_thresholds("average_precision", traces, None, options) for traces in by_class]
    return mean_over_classes(values, options.get("class_weights")).result()


_RECALL_OPTIONS = (
    Option(
        "max_detections",
        "integer",
        100,
        "How many predictions of an image and class are read, best first.",
        minimum=1,
    ),
    AREA,
    Option("localization_thresholds", "array", CUTOFFS, "Cutoffs to average over."),
    COCO_CRITERION,
)


@declare(
    "Average Recall",
    "AR",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="multi_threshold",
    needs="objects scores images",
    options=_RECALL_OPTIONS,
    evidence="curve",
)
def average_recall(references: Sequence[Objects], predictions: Sequence[Objects], **options: Any) -> Result:
    """Return the share of reference objects that are found, averaged over cutoffs of the IoU, as pycocotools computes AR.

    The ``max_detections`` predictions of an image with the highest scores are read. Further options: ``area``,
    ``localization_thresholds``, ``localization_criterion``.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; 0 without predictions, ``degenerate`` without reference objects.

    Examples
    --------
    >>> from evaluation.matching import Objects
    >>> truth = [Objects(boxes=[[0, 0, 10, 10], [50, 50, 60, 60]])]
    >>> guess = [Objects(boxes=[[0, 0, 10, 8]], scores=[0.9])]
    >>> round(average_recall(truth, guess).value, 3)  # found at 7 of 10 cutoffs
    0.35
    """
    cutoffs = options.get("localization_thresholds") or list(CUTOFFS)
    [traces] = trace_coco_classes(references, predictions, options, cutoffs, None)
    return evaluate_thresholds("average_recall", traces, None, options).result()


@declare(
    "mean Average Recall",
    "mAR",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="multi_threshold",
    needs="objects scores images",
    options=_RECALL_OPTIONS,
    evidence="curve",
    all_classes=True,
)
def mean_average_recall(references: Sequence[Objects], predictions: Sequence[Objects], **options: Any) -> Result:
    """Return the mean of the average recall of all classes that occur in the reference; objects need ``classes``.

    Options are those of `average_recall`.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` if no class occurs.
    """
    names = class_names([*references, *predictions])
    cutoffs = options.get("localization_thresholds") or list(CUTOFFS)
    by_class = trace_coco_classes(references, predictions, options, cutoffs, names)
    return mean_over_classes([evaluate_thresholds("average_recall", each, None, options) for each in by_class]).result()


@declare(
    "Free-Response Receiver Operating Characteristic Score",
    "FROC",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="multi_threshold",
    needs="objects scores images",
    options=(
        Option(
            "form",
            "enum",
            "mean_at_points",
            "mean_at_points averages Sensitivity at fppi_points; area integrates from 0 to fppi_max and divides by fppi_max.",
            choices=("mean_at_points", "area"),
        ),
        Option("fppi_points", "array", (0.125, 0.25, 0.5, 1, 2, 4, 8), "FPPI values at which Sensitivity is read off."),
        Option("fppi_max", "number", 8, "Upper end of the abscissa for form=area.", exclusive_minimum=0),
        Option(
            "curve",
            "enum",
            "step",
            "step holds the last reached Sensitivity; linear joins the points.",
            choices=("step", "linear"),
        ),
        Option(
            "per",
            "enum",
            "image",
            "Unit of false positives: per image, or per mm² of the column area_mm2 of cases.csv (area).",
            choices=("image", "area"),
            stands_where_set=True,
            accepted={"InS": ("image",)},
        ),
        MATCHED,
        SCALE,
        *MATCHING,
    ),
    evidence="curve",
)
def froc_score(references: Sequence[Objects], predictions: Sequence[Objects], **options: Any) -> Result:
    """Free-response ROC score: Sensitivity over the number of false positives per image.

    Further options: ``form`` (``mean_at_points`` at ``fppi_points``, or ``area`` up to ``fppi_max``), ``curve``
    (``step``, ``linear``), and ``per``: with ``area``, false positives are counted per mm² of ``areas``, one for each image.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` without reference objects.
    """
    return _measure("froc_score", references, predictions, options)


@computes("object_detection", "instance_segmentation")
def ppv_at_sensitivity(references: Sequence[Objects], predictions: Sequence[Objects], **options: Any) -> Result:
    """PPV where Sensitivity reaches ``target_sensitivity``; ``degenerate`` if it never does."""
    return _measure("ppv_at_sensitivity", references, predictions, options)


@computes("object_detection", "instance_segmentation")
def sensitivity_at_ppv(references: Sequence[Objects], predictions: Sequence[Objects], **options: Any) -> Result:
    """Sensitivity where PPV reaches ``target_ppv``; ``degenerate`` if it never does."""
    return _measure("sensitivity_at_ppv", references, predictions, options)


@declare(
    "FPPI at fixed Sensitivity",
    "FPPI@Sens",
    categories=OBJECTS,
    direction="lower",
    range=(0, None),
    family="working_point",
    needs="objects scores images",
    options=(TARGET_SENSITIVITY, RULE, SCALE, *MATCHING),
    evidence="curve",
)
def fppi_at_sensitivity(references: Sequence[Objects], predictions: Sequence[Objects], **options: Any) -> Result:
    """False positives per image where Sensitivity reaches ``target_sensitivity``; ``degenerate`` if it never does."""
    return _measure("fppi_at_sensitivity", references, predictions, options)


@declare(
    "Sensitivity at fixed FPPI",
    "Sens@FPPI",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="working_point",
    needs="objects scores images",
    options=(Option("target_fppi", "number", 1.0, "Maximum FPPI.", required=True), RULE, SCALE, *MATCHING),
    evidence="curve",
)
def sensitivity_at_fppi(references: Sequence[Objects], predictions: Sequence[Objects], **options: Any) -> Result:
    """Sensitivity where the false positives per image stay at ``target_fppi`` or below."""
    return _measure("sensitivity_at_fppi", references, predictions, options)


def _measure(
    metric: str, references: Sequence[Objects], predictions: Sequence[Objects], options: Mapping[str, Any]
) -> Result:
    used = {name: value for name, value in options.items() if name not in ("patients", "areas")}
    if metric in CURVES:
        detections = trace_by_threshold(references, predictions, used)
    else:
        threshold = float(used.get("score_threshold", 0.5))
        rule = Rule.from_options(used)
        detections = [count_detections(references, predictions, rule, score_threshold=threshold)]
    groups = None
    if options.get("patients") is not None:
        _, groups = np.unique(np.asarray(options["patients"]), return_inverse=True)
    areas = None
    if options.get("per") == "area":
        areas = np.asarray(options["areas"], dtype=np.float64)
    return evaluate_thresholds(metric, detections, None, used, groups=groups, areas=areas).result()


def trace_by_threshold(
    references: Sequence[Objects], predictions: Sequence[Objects], options: Mapping[str, Any]
) -> list[Detections]:
    """Detections at each cutoff of the hit criterion: usually one, several for a mean over cutoffs."""
    cutoffs = options.get("localization_thresholds") or [None]
    if options.get("interpolation") == INTERPOLATION:
        return trace_coco_classes(references, predictions, options, cutoffs, None)[0]
    return [trace(references, predictions, options, cutoff) for cutoff in cutoffs]


def trace(
    references: Sequence[Objects],
    predictions: Sequence[Objects],
    options: Mapping[str, Any],
    cutoff: float | None = None,
) -> Detections:
    """Detections of one class at one cutoff, by the options of the metric."""
    if options.get("interpolation") == INTERPOLATION:
        return trace_coco(references, predictions, options, cutoff)
    return trace_detections(references, predictions, Rule.from_options(options, cutoff))


def evaluate_thresholds(
    metric: str,
    detections: Sequence[Detections],
    weights: FloatArray | None,
    options: Mapping[str, Any],
    *,
    groups: Any = None,
    areas: FloatArray | None = None,
) -> Values:
    """Compute a metric as the mean over the cutoffs of the hit criterion."""
    formula_options = {name: value for name, value in options.items() if name not in _NOT_FOR_FORMULAS}
    values = [evaluate(metric, each, weights, groups=groups, areas=areas, **formula_options) for each in detections]
    if len(values) == 1:
        return values[0]
    mean = Values(np.mean([value.numbers for value in values], axis=0))
    return mean.undefine(np.isnan(mean.numbers), Outcome.DEGENERATE, Flag.REFERENCE)


def mean_over_classes(values: Sequence[Values], class_weights: Sequence[float] | None = None) -> Values:
    """Return the mean over the defined classes.

    A class without a reference object is excluded for all algorithms.

    Raises
    ------
    ValueError
        If there is not one weight for each class.
    """
    if not values:
        return Values([np.nan]).undefine(True, Outcome.DEGENERATE, Flag.REFERENCE)
    if class_weights is not None and len(class_weights) != len(values):
        message = f"class_weights: one for each of {len(values)} classes, not {len(class_weights)}"
        raise ValueError(message)
    share = np.ones(len(values)) if class_weights is None else np.asarray(class_weights, dtype=float)
    numbers = np.stack([value.numbers for value in values], axis=1)
    counted = np.where(np.isnan(numbers), 0.0, share)
    total = counted.sum(axis=1)
    mean = Values(ratio((np.nan_to_num(numbers) * counted).sum(axis=1), total))
    return mean.undefine(total == 0, Outcome.DEGENERATE, Flag.REFERENCE)


def class_names(images: Sequence[Objects]) -> list[Hashable]:
    """The classes that occur in any of several images, ascending; one without a name if objects have no classes."""
    distinct_names: set[Hashable] = set()
    for objects in images:
        names = [""] * objects.size if objects.classes is None else objects.classes.tolist()
        distinct_names |= {
            name for name, ignored in zip(names, objects.ignored, strict=True) if not (ignored and name == "")
        }
    return sorted(distinct_names, key=str)
