"""The formulas of object detection, on detections of one class and under multiplicities of the images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from evaluation.metrics import counting
from evaluation.metrics.counting import Counts
from evaluation.metrics.evaluators import resolve_rule
from evaluation.metrics.threshold_counts import average_precision_of, working_point
from evaluation.metrics.values import FloatArray, Values, ratio
from evaluation.outcomes import Flag, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from evaluation.metrics.detections import Detections

_SLACK: Final = 1e-9
_FORMULAS: Final[Mapping[str, Callable[..., Values]]] = {
    "sensitivity": counting.sensitivity,
    "ppv": counting.ppv,
    "fbeta": counting.fbeta,
}
CURVES: Final = frozenset(
    {
        "average_precision",
        "mean_average_precision",
        "average_recall",
        "mean_average_recall",
        "froc_score",
        "ppv_at_sensitivity",
        "sensitivity_at_ppv",
        "fppi_at_sensitivity",
        "sensitivity_at_fppi",
    }
)
"""Metrics that look at all thresholds, not at one."""


def evaluate(
    metric: str,
    detections: Detections,
    weights: FloatArray | None = None,
    *,
    groups: NDArray[np.int64] | None = None,
    areas: FloatArray | None = None,
    **options: Any,
) -> Values:
    """Compute a metric of one class.

    Parameters
    ----------
    metric
        Its id.
    detections
        From `count_detections`, or from `trace_detections` for the metrics in `CURVES`.
    weights
        Multiplicities of the images, ``(B, images)``.
    groups
        Number of the patient of each image, for ``scale="patient"``.
    areas
        Area of each image in mm², where false positives are counted per area, not per image.
    options
        ``scale`` and what the metric's formula takes.
    """
    scale = options.pop("scale", "dataset")
    if scale == "patient" and groups is None:
        message = 'scale "patient" needs to know the patient of each image'
        raise ValueError(message)
    if scale == "image":
        groups = np.arange(detections.images)
    if metric in _FORMULAS:
        if scale == "dataset" or groups is None:
            return _FORMULAS[metric](detections.counts(weights), **options)
        return _mean_of_groups(metric, detections, weights, groups, options)
    if metric == "average_recall":
        counts = detections.counts(weights)
        return Values(ratio(counts.tp, counts.tp + counts.fn)).undefine(
            counts.tp + counts.fn == 0, Outcome.DEGENERATE, Flag.REFERENCE
        )
    if metric == "fppi":
        return _fppi(detections.counts(weights), detections.weights(weights).sum(axis=1))
    if areas is not None and scale != "dataset":
        message = f'scale "{scale}" counts false positives per image, not per area'
        raise ValueError(message)
    if scale == "dataset" or groups is None:
        return _of_curve(metric, detections, weights, options, areas)
    return _of_group_curves(metric, detections, weights, groups, options)


def image_outcome(tp: float, fp: float, fn: float) -> Outcome:
    """Return the outcome of an image, which shows whether either side has no objects."""
    if tp + fn == 0:
        return Outcome.BOTH_EMPTY if fp == 0 else Outcome.REF_EMPTY
    return Outcome.PRED_EMPTY if tp + fp == 0 else Outcome.OK


def _fppi(counts: Counts, images: FloatArray) -> Values:
    return Values(ratio(counts.fp, images)).undefine(images == 0, Outcome.DEGENERATE, Flag.REFERENCE)


def _mean_of_groups(
    metric: str,
    detections: Detections,
    weights: FloatArray | None,
    groups: NDArray[np.int64],
    options: Mapping[str, Any],
) -> Values:
    """Mean over images or patients by the rules for objects in an image (metrics reference, section 3.4)."""
    by_image = detections.by_image()
    member = np.zeros((int(groups.max(initial=-1)) + 1, detections.images))
    member[groups, np.arange(detections.images)] = 1
    means = []
    for row in detections.weights(weights):
        pooled = [member @ (row * count) for count in by_image[:3]]
        tp, fp, fn = pooled
        drawn = member @ row > 0
        numbers = _FORMULAS[metric](Counts.of(tp, fp, fn, np.zeros_like(tp)), **options).numbers
        nothing = tp + fp + fn == 0
        if metric == "sensitivity":
            counted = drawn & (tp + fn > 0)
        else:
            counted = drawn
            numbers = np.where(nothing, 1.0, np.nan_to_num(numbers))
        times = member @ row if len(groups) == len(member) else counted.astype(float)
        share = np.where(counted, times, 0.0)
        total = share.sum()
        values = Values([ratio((np.nan_to_num(numbers) * share).sum(), total)])
        means.append(values.undefine(total == 0, Outcome.DEGENERATE, Flag.REFERENCE))
    return Values.joined(means)


def _of_curve(
    metric: str,
    detections: Detections,
    weights: FloatArray | None,
    options: Mapping[str, Any],
    areas: FloatArray | None = None,
) -> Values:
    times = detections.weights(weights)
    images = times.sum(axis=1) if areas is None else times @ areas
    if metric == "average_precision":
        interpolation = options.get("interpolation", "step")
        # pycocotools lets equal scores enter one by one, whatever is chosen for others.
        if options.get("ties", "grouped") == "grouped" and interpolation != "coco_101":
            return average_precision_of(detections.curve(weights), interpolation)
        if weights is None:
            return average_precision_of(detections.curve(grouped=False), interpolation)
        drawn = [detections.repeated(row.astype(np.int64)) for row in weights]
        return Values.joined([average_precision_of(each.curve(grouped=False), interpolation) for each in drawn])
    curve = detections.curve(weights)
    rates = {
        "sensitivity": ratio(curve.tp, curve.positive),
        "ppv": ratio(curve.tp, curve.tp + curve.fp),
        "fppi": ratio(curve.fp, images[:, None]),
    }
    return _from_rates(metric, rates, curve.thresholds, curve.positive[:, 0] == 0, options)


def _from_rates(
    metric: str,
    rates: Mapping[str, FloatArray],
    thresholds: FloatArray,
    lacking: NDArray[np.bool_],
    options: Mapping[str, Any],
) -> Values:
    """The value from rates at every threshold; ``lacking`` where the reference has no object."""
    sensitivity, fppi = rates["sensitivity"], rates["fppi"]
    if metric == "froc_score":
        numbers = [froc(x, y, **options) for x, y in zip(fppi, np.nan_to_num(sensitivity), strict=True)]
        return Values(numbers).undefine(lacking, Outcome.DEGENERATE, Flag.REFERENCE)
    reported, target = metric.split("_at_")
    # At "nothing predicted" Sensitivity and FPPI are 0 and PPV is undefined, so that point counts for the former only.
    empty = {"sensitivity": 0.0, "ppv": np.nan, "fppi": 0.0}
    first = np.ones((len(sensitivity), 1))
    with_empty = {name: np.concatenate([first * empty[name], values], axis=1) for name, values in rates.items()}
    return working_point(
        with_empty[reported],
        with_empty[target],
        float(options[f"target_{target}"]),
        np.append(np.inf, thresholds),
        rule=resolve_rule(options.get("rule", "auto"), target),
        undefined=lacking,
        lower_reported=reported == "fppi",
        at_most=target == "fppi",
    ).values


def froc(
    fppi: FloatArray,
    sensitivity: FloatArray,
    *,
    form: Literal["mean_at_points", "area"] = "mean_at_points",
    fppi_points: Sequence[float] = (0.125, 0.25, 0.5, 1, 2, 4, 8),
    fppi_max: float = 8.0,
    curve: Literal["step", "linear"] = "step",
) -> float:
    """Summarise a FROC curve, given by its points in the order of falling thresholds.

    Examples
    --------
    >>> froc(np.array([0.0, 1.0]), np.array([0.5, 1.0]), fppi_points=[0.5, 2])
    0.75
    """
    if form not in ("mean_at_points", "area") or curve not in ("step", "linear"):
        message = f"form is 'mean_at_points' or 'area' and curve 'step' or 'linear', not {form!r} and {curve!r}"
        raise ValueError(message)
    order = np.argsort(fppi, kind="stable")
    x = np.append(0.0, fppi[order])
    y = np.maximum.accumulate(np.append(0.0, sensitivity[order]))
    if form == "mean_at_points":
        return float(np.mean([_read(x, y, float(point), curve) for point in fppi_points]))
    inside = x < fppi_max
    corners_x = np.append(x[inside], fppi_max)
    corners_y = np.append(y[inside], _read(x, y, fppi_max, curve))
    heights = corners_y[:-1] if curve == "step" else (corners_y[:-1] + corners_y[1:]) / 2
    return float((np.diff(corners_x) * heights).sum() / fppi_max)


def _read(x: FloatArray, y: FloatArray, point: float, curve: str) -> float:
    if curve == "linear":
        last = np.append(x[1:] != x[:-1], True)
        return float(np.interp(point, x[last], y[last]))
    return float(y[np.searchsorted(x, point * (1 + _SLACK), side="right") - 1])


def _of_group_curves(
    metric: str,
    detections: Detections,
    weights: FloatArray | None,
    groups: NDArray[np.int64],
    options: Mapping[str, Any],
) -> Values:
    """Average the rates of images or patients at every threshold and build the curve from the averages."""
    drawn = []
    for row in detections.weights(weights):
        thresholds, tp, fp, positive, images = _group_counts(detections, row, groups)
        use = images > 0
        has = use & (positive > 0)
        sensitivity = ratio(tp[has], positive[has, None]).mean(axis=0) if has.any() else np.zeros(len(thresholds))
        predicted = tp[use] + fp[use]
        ppv = np.where(predicted > 0, ratio(tp[use], predicted), (positive[use] == 0)[:, None]).mean(axis=0)
        fppi = (fp[use] / images[use, None]).mean(axis=0)
        lacking = np.array([not has.any()])
        if metric == "average_precision":
            steps = np.diff(sensitivity, prepend=0.0)
            values = Values([float((steps * ppv).sum())])
            drawn.append(values.undefine(lacking, Outcome.DEGENERATE, Flag.REFERENCE))
        else:
            rates = {"sensitivity": sensitivity[None], "ppv": ppv[None], "fppi": fppi[None]}
            drawn.append(_from_rates(metric, rates, thresholds, lacking, options))
    return Values.joined(drawn)


def _group_counts(
    detections: Detections, row: FloatArray, groups: NDArray[np.int64]
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Counts of each group at every threshold, ``(groups, T)``; copies of an image are counted as often as drawn."""
    thresholds = np.unique(detections.score)[::-1]
    threshold_index = np.searchsorted(-thresholds, -detections.score)
    count = int(groups.max(initial=-1)) + 1
    shape = (count, len(thresholds))
    cells = groups[detections.image] * len(thresholds) + threshold_index
    of_step = row[detections.image]
    tp, fp = (
        np.cumsum(
            np.bincount(cells, weights=of_step * steps, minlength=count * len(thresholds)).reshape(shape),
            axis=1,
            dtype=float,
        )
        for steps in (detections.tp, detections.fp)
    )
    positive = np.bincount(groups, weights=row * detections.references, minlength=count).astype(float)
    return thresholds, tp, fp, positive, np.bincount(groups, weights=row, minlength=count).astype(float)
