"""Hits and false alarms at every distinct score: what all curves and working points are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from evaluation.metrics.values import FloatArray, Values, ratio
from evaluation.outcomes import Flag, Outcome

if TYPE_CHECKING:
    import numpy.typing as npt

Interpolation = Literal["step", "voc_all_points", "points_101", "coco_101"]
Rule = Literal["auto", "tight", "best"]
_SLACK = 1e-12


class ThresholdCounts(NamedTuple):
    """Counts of predicted positives at each distinct score, in descending order of scores.

    Attributes
    ----------
    thresholds
        Shape ``(T,)``.
    tp, fp
        Shape ``(B, T)``: true and false positives among the cases with at least that score.
    positive, negative
        Shape ``(B, 1)``: their numbers in the reference. Positives beyond those that the lowest threshold finds are
        objects without a prediction.
    """

    thresholds: FloatArray
    tp: FloatArray
    fp: FloatArray
    positive: FloatArray
    negative: FloatArray


def count_thresholds(
    positive: npt.NDArray[np.bool_], scores: FloatArray, weights: FloatArray | None = None, *, grouped: bool = True
) -> ThresholdCounts:
    """Count true and false positives at each threshold, from the highest score down.

    Parameters
    ----------
    positive
        True for cases that are positive in the reference, ``(N,)``.
    scores
        Finite numbers, ``(N,)``; those in [0, 1] are counted fastest.
    weights
        Multiplicities ``(B, N)`` of the cases.
    grouped
        Equal scores enter together; otherwise one by one in the order of the cases.

    Examples
    --------
    >>> curve = count_thresholds(np.array([True, False, True]), np.array([0.5, 0.5, 0.9]))
    >>> curve.thresholds, curve.tp, curve.fp
    (array([0.9, 0.5]), array([[1., 2.]]), array([[0., 1.]]))
    """
    if weights is None and grouped and (not scores.size or (scores.min() >= 0 and scores.max() <= 1)):
        return _count_once(positive, scores)
    order = np.argsort(-scores, kind="stable")
    ordered, hit = scores[order], positive[order]
    last = np.ones(len(ordered), dtype=bool)
    if grouped:
        last[:-1] = ordered[1:] != ordered[:-1]
    counted = np.ones((1, len(scores))) if weights is None else weights[:, order]
    tp = np.cumsum(counted * hit, axis=1)[:, last]
    fp = np.cumsum(counted * ~hit, axis=1)[:, last]
    return ThresholdCounts(ordered[last], tp, fp, _total(tp), _total(fp))


def _count_once(positive: npt.NDArray[np.bool_], scores: FloatArray) -> ThresholdCounts:
    """Sort one whole number a case that holds score and label.

    The two highest bits of a floating-point number in [0, 1] are 0 and its bits order as the number does, so the label
    fits below them and a plain sort, far faster than an indirect one, keeps both together.
    """
    keys = scores.copy().view(np.int64)
    keys <<= 1
    keys |= positive
    np.invert(keys, out=keys)  # ascending keys are then descending scores
    keys.sort()
    np.invert(keys, out=keys)
    tp = np.cumsum(keys & 1, dtype=np.float64)
    keys >>= 1
    ends = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=ends[:-1])
    counted = np.arange(1, len(keys) + 1, dtype=np.float64)
    if not ends.all():
        keys, tp, counted = keys[ends], tp[ends], counted[ends]
    fp = np.subtract(counted, tp, out=counted)
    return ThresholdCounts(keys.view(np.float64), tp[None], fp[None], _total(tp[None]), _total(fp[None]))


def _total(counts: FloatArray) -> FloatArray:
    return counts[:, -1:] if counts.shape[1] else np.zeros((len(counts), 1))


def area_under_roc(curve: ThresholdCounts, max_fpr: float | None = None) -> Values:
    """Area under Sensitivity against 1 - Specificity, points joined by straight lines.

    With ``max_fpr`` only the part up to this false positive rate counts. It is standardized as by McClish (Medical Decision Making 9,
    1989), so that a guess has 0.5 and a perfect curve 1.
    """
    if max_fpr is not None and max_fpr < 1:
        return _partial_area(curve, max_fpr)
    if not curve.tp.shape[1]:
        return Values(np.zeros(len(curve.tp))).undefine(True, Outcome.DEGENERATE, Flag.REFERENCE)
    # Trapezoids between neighbouring points, the first of them (0, 0).
    area = np.einsum("bt,bt->b", np.diff(curve.fp, axis=1), curve.tp[:, 1:] + curve.tp[:, :-1])
    area = (area + curve.fp[:, 0] * curve.tp[:, 0]) / 2
    values = Values(ratio(area, (curve.positive * curve.negative)[:, 0]))
    return values.undefine(((curve.positive == 0) | (curve.negative == 0))[:, 0], Outcome.DEGENERATE, Flag.REFERENCE)


def _partial_area(curve: ThresholdCounts, max_fpr: float) -> Values:
    lacking = ((curve.positive == 0) | (curve.negative == 0))[:, 0]
    fpr, tpr = np.nan_to_num(ratio(curve.fp, curve.negative)), np.nan_to_num(ratio(curve.tp, curve.positive))
    areas = []
    for x, y in zip(fpr, tpr, strict=True):
        x, y = np.append(0.0, x), np.append(0.0, y)  # noqa: PLW2901  (with the corner at nothing predicted)
        inside = int(np.searchsorted(x, max_fpr, side="right"))
        if inside < len(x):
            end = np.interp(max_fpr, x[inside - 1 : inside + 1], y[inside - 1 : inside + 1])
            x, y = np.append(x[:inside], max_fpr), np.append(y[:inside], end)  # noqa: PLW2901
        areas.append(float(np.trapezoid(y, x)))
    lowest = max_fpr**2 / 2
    values = Values(0.5 * (1 + (np.array(areas) - lowest) / (max_fpr - lowest)))
    return values.undefine(lacking, Outcome.DEGENERATE, Flag.REFERENCE)


def average_precision_of(curve: ThresholdCounts, interpolation: Interpolation = "step") -> Values:
    """Mean PPV over the steps of Sensitivity.

    ``step`` sums (R_i - R_{i-1}) P_i; ``voc_all_points`` puts the greatest PPV at the same or a higher Sensitivity in
    place of P_i; ``points_101`` averages that envelope at 101 Sensitivities; ``coco_101`` does so as pycocotools computes
    it, with Sensitivities and points as floating-point numbers.
    """
    none = curve.positive[:, 0] == 0
    if not curve.tp.shape[1]:
        return Values(np.zeros(len(curve.tp))).undefine(none, Outcome.DEGENERATE, Flag.REFERENCE)
    if interpolation == "coco_101":
        numbers = np.array(
            [_as_pycocotools(*row) for row in zip(curve.tp, curve.fp, curve.positive[:, 0], strict=True)]
        )
        return Values(numbers).undefine(none, Outcome.DEGENERATE, Flag.REFERENCE)
    precision = np.nan_to_num(ratio(curve.tp, curve.tp + curve.fp))
    if interpolation != "step":
        precision = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    if interpolation == "points_101":
        numbers = np.stack(
            [
                _at_recalls(tp, total, row)
                for tp, total, row in zip(curve.tp, curve.positive[:, 0], precision, strict=True)
            ]
        )
        return Values(numbers).undefine(none, Outcome.DEGENERATE, Flag.REFERENCE)
    area = np.einsum("bt,bt->b", np.diff(curve.tp, axis=1), precision[:, 1:]) + curve.tp[:, 0] * precision[:, 0]
    values = Values(ratio(area, curve.positive[:, 0]))
    return values.undefine(none, Outcome.DEGENERATE, Flag.REFERENCE)


def _at_recalls(tp: FloatArray, total: float, envelope: FloatArray) -> float:
    """Mean of the envelope at Sensitivities 0, 0.01, …, 1; compared as whole numbers, where 0.7 is 70 of 100."""
    first = np.searchsorted(tp * 100, np.arange(101) * total, side="left")
    return float(np.append(envelope, 0.0)[np.minimum(first, len(envelope))].mean())


def _as_pycocotools(tp: FloatArray, fp: FloatArray, positive: float) -> float:
    """One class and cutoff as ``COCOeval.accumulate`` of pycocotools 2.0.11 computes them, rounding included."""
    if not positive:
        return 0.0
    precision = tp / (fp + tp + np.spacing(1))
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    first = np.searchsorted(tp / positive, np.linspace(0.0, 1.0, 101), side="left")
    return float(np.append(envelope, 0.0)[np.minimum(first, len(envelope))].mean())


class Point(NamedTuple):
    """A working point: the value there and the threshold that gives it, infinity for nothing predicted."""

    values: Values
    thresholds: FloatArray


def working_point(
    reported: FloatArray,
    target: FloatArray,
    at_least: float,
    thresholds: FloatArray,
    *,
    rule: Literal["tight", "best"],
    undefined: npt.NDArray[np.bool_],
    lower_reported: bool = False,
    at_most: bool = False,
) -> Point:
    """Report one metric where another meets its target.

    Parameters
    ----------
    reported, target
        Values of both metrics at every threshold, ``(B, T)``; NaN where undefined.
    at_least
        The target.
    thresholds
        Shape ``(T,)``.
    rule
        ``tight``: the threshold that meets the target most narrowly, among equals that of the best reported value;
        ``best``: the best reported value of all thresholds that meet the target.
    undefined
        Shape ``(B,)``: where the reference lacks what the metrics need.
    lower_reported
        A smaller reported value is better.
    at_most
        The target is an upper limit.

    Returns
    -------
    Point
        ``degenerate`` where no threshold meets the target.
    """
    score = -reported if lower_reported else reported
    excess = (at_least - target) if at_most else (target - at_least)
    meets = (excess >= -_SLACK) & ~np.isnan(score)
    score = np.where(meets, score, -np.inf)
    if rule == "tight":
        nearest = np.where(meets, excess, np.inf).min(axis=1, keepdims=True)
        score = np.where(excess <= nearest + _SLACK, score, -np.inf)
    chosen = np.argmax(score, axis=1)
    rows = np.arange(len(score))
    values = Values(np.where(meets.any(axis=1), reported[rows, chosen], np.nan))
    values.undefine(undefined, Outcome.DEGENERATE, Flag.REFERENCE)
    values.undefine(~meets.any(axis=1), Outcome.DEGENERATE)
    values.thresholds = thresholds[chosen]
    return Point(values, values.thresholds)


def with_ends(curve: ThresholdCounts) -> ThresholdCounts:
    """The curve with the threshold above all scores in front, at which nothing is predicted positive."""
    empty = np.zeros((len(curve.tp), 1))
    return curve._replace(
        thresholds=np.append(np.inf, curve.thresholds),
        tp=np.concatenate([empty, curve.tp], axis=1),
        fp=np.concatenate([empty, curve.fp], axis=1),
    )
