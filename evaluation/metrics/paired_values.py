"""Numbers of a reference against predicted numbers, under multiplicities: one kernel for every metric of regression.

A kernel takes reference ``(n,)``, prediction ``(n,)``, multiplicities ``(B, n)`` and the metric's options, and returns `Values`.
The public functions call it with each case once; recomputation from evidence calls it with resamples, so that both give the
same numbers by construction.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from evaluation.metrics.samples import totals
from evaluation.metrics.values import FloatArray, Values, ratio
from evaluation.outcomes import Flag, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

PairedKernel = Callable[..., Values]
NORMAL_95: Final = 1.96
"""Half the width of limits of agreement in standard deviations, rounded as Bland and Altman round it."""
_PAIRS_AT_ONCE: Final = 1 << 22
_SORTED_FROM: Final = 300
_CASES_A_DRAW: Final = 50
_NEGLIGIBLE: Final = 1e-9
_SHORT: Final = 1 << 16
"""Number of distinct values from which on codes do not fit into 16 bits."""


def paired_arrays(reference: ArrayLike, prediction: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Check two arrays of numbers.

    Raises
    ------
    ValueError
        For other shapes than ``(n,)`` twice, or numbers that are not finite.
    """
    truth, answer = (np.atleast_1d(np.asarray(values, dtype=np.float64)) for values in (reference, prediction))
    if truth.ndim != 1 or truth.shape != answer.shape:
        message = f"reference of shape {truth.shape} and prediction of shape {answer.shape}; expected one number a case"
        raise ValueError(message)
    if not (np.isfinite(truth).all() and np.isfinite(answer).all()):
        message = "reference and prediction have to be finite numbers"
        raise ValueError(message)
    return truth, answer


class Moments(NamedTuple):
    """Weighted moments of two variables, each ``(B,)``: number, means, and sums of squares and products about the means."""

    number: FloatArray
    mean_x: FloatArray
    mean_y: FloatArray
    xx: FloatArray
    yy: FloatArray
    xy: FloatArray
    is_constant_x: NDArray[np.bool_]
    is_constant_y: NDArray[np.bool_]


def moments(x: FloatArray, y: FloatArray, weights: FloatArray) -> Moments:
    """Moments under multiplicities.

    Both variables are moved by their plain means before squares are summed, so that a large offset costs no digits.
    """
    number = weights.sum(axis=1)
    shift_x, shift_y = (float(values.mean()) if len(values) else 0.0 for values in (x, y))
    u, v = x - shift_x, y - shift_y
    sums = weights @ np.stack([u, v, u * u, v * v, u * v], axis=1)
    mean_u, mean_v = ratio(sums[:, 0], number), ratio(sums[:, 1], number)
    xx = np.maximum(sums[:, 2] - number * mean_u**2, 0.0)
    yy = np.maximum(sums[:, 3] - number * mean_v**2, 0.0)
    xy = sums[:, 4] - number * mean_u * mean_v
    constant_x, constant_y = is_constant(u, weights, xx), is_constant(v, weights, yy)
    xx, yy = np.where(constant_x, 0.0, xx), np.where(constant_y, 0.0, yy)
    return Moments(number, mean_u + shift_x, mean_v + shift_y, xx, yy, xy, constant_x, constant_y)


def is_constant(values: FloatArray, weights: FloatArray, squares: FloatArray) -> NDArray[np.bool_]:
    """In which resamples all drawn values are equal, exactly; only where the sum of squares is small is it looked up."""
    constant = np.zeros(len(weights), dtype=bool)
    suspicious = np.flatnonzero(~(squares > _NEGLIGIBLE * max(float((values**2).sum()), np.finfo(float).tiny)))
    for row in suspicious:
        drawn = values[weights[row] > 0]
        constant[row] = len(drawn) == 0 or float(drawn.min()) == float(drawn.max())
    return constant


def average_ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Ranks of the cases among the drawn ones, copies counted, equal values sharing their mean rank; ``(B, n)``."""
    distinct, inverse = np.unique(values, return_inverse=True)
    times = totals(inverse, len(distinct), weights)
    ranks: FloatArray = (np.cumsum(times, axis=1) - times + (times + 1) / 2)[:, inverse]
    return ranks


def _nothing_drawn(values: Values, number: FloatArray) -> Values:
    return values.undefine(number == 0, Outcome.DEGENERATE, Flag.REFERENCE)


def _rmse(y: FloatArray, p: FloatArray, weights: FloatArray) -> Values:
    number = weights.sum(axis=1)
    return _nothing_drawn(Values(np.sqrt(ratio(weights @ (p - y) ** 2, number))), number)


def _absolute_bias(y: FloatArray, p: FloatArray, weights: FloatArray) -> Values:
    number = weights.sum(axis=1)
    return _nothing_drawn(Values(np.abs(ratio(weights @ (p - y), number))), number)


def correlate(
    xx: FloatArray, yy: FloatArray, xy: FloatArray, constant_x: NDArray[np.bool_], constant_y: NDArray[np.bool_]
) -> Values:
    """Correlation from sums about the means; a constant first variable is the reference's doing.

    Differences that are too small to be squared count as constant.
    """
    values = Values(np.clip(ratio(xy, np.sqrt(xx) * np.sqrt(yy)), -1.0, 1.0))
    values.undefine(constant_x | (xx == 0), Outcome.DEGENERATE, Flag.REFERENCE)
    return values.undefine(constant_y | (yy == 0), Outcome.DEGENERATE)


def _pearson(y: FloatArray, p: FloatArray, weights: FloatArray) -> Values:
    of = moments(y, p, weights)
    return correlate(of.xx, of.yy, of.xy, of.is_constant_x, of.is_constant_y)


def _spearman(y: FloatArray, p: FloatArray, weights: FloatArray) -> Values:
    ranks_y, ranks_p = average_ranks(y, weights), average_ranks(p, weights)
    number = weights.sum(axis=1)
    middle = ((number + 1) / 2)[:, None]  # the mean of average ranks, whatever the ties
    u, v = ranks_y - middle, ranks_p - middle
    xx, yy = np.einsum("bn,bn,bn->b", weights, u, u), np.einsum("bn,bn,bn->b", weights, v, v)
    xy = np.einsum("bn,bn,bn->b", weights, u, v)
    return correlate(xx, yy, xy, is_constant(y, weights, xx), is_constant(p, weights, yy))


def _kendall_tau_b(y: FloatArray, p: FloatArray, weights: FloatArray) -> Values:
    # Sorting pays where a matrix of all pairs of cases is larger than what the resamples have to sort.
    if len(y) > _SORTED_FROM and len(y) > _CASES_A_DRAW * len(weights) and (weights == np.floor(weights)).all():
        return _kendall_by_sorting(y, p, weights)
    number = weights.sum(axis=1)
    concordance = np.zeros(len(weights))
    step = max(1, _PAIRS_AT_ONCE // max(1, len(y)))
    for start in range(0, len(y), step):
        block = slice(start, start + step)
        signs = np.sign(y[block, None] - y[None]) * np.sign(p[block, None] - p[None])
        concordance += np.einsum("bi,bi->b", weights[:, block] @ signs, weights) if len(y) else 0.0
    untied_y, untied_p = (number**2 - _equal_pairs(values, weights) for values in (y, p))
    values = Values(np.clip(ratio(concordance, np.sqrt(untied_y) * np.sqrt(untied_p)), -1.0, 1.0))
    values.undefine(untied_y <= 0, Outcome.DEGENERATE, Flag.REFERENCE)
    return values.undefine(untied_p <= 0, Outcome.DEGENERATE)


def _kendall_by_sorting(y: FloatArray, p: FloatArray, weights: FloatArray) -> Values:
    """Kendall's tau-b by SciPy, which counts exchanges while it sorts; one resample at a time, with its copies."""
    from scipy import stats

    # All numbers are finite, so that the rules about missing ones, which wrap the function, are not needed.
    kendalltau = inspect.unwrap(stats.kendalltau)
    constant_y, constant_p, numbers = [], [], []
    for row in weights:
        copies = row.astype(np.int64)
        drawn_y, drawn_p = (y, p) if (copies == 1).all() else (np.repeat(y, copies), np.repeat(p, copies))
        constant_y.append(len(drawn_y) == 0 or float(drawn_y.min()) == float(drawn_y.max()))
        constant_p.append(len(drawn_p) == 0 or float(drawn_p.min()) == float(drawn_p.max()))
        is_constant_here = constant_y[-1] or constant_p[-1]
        # SciPy sorts its first argument stably: many times faster for short whole numbers. The second one may stay as it is.
        tau = np.nan if is_constant_here else kendalltau(_codes(drawn_p), drawn_y, method="asymptotic").statistic
        numbers.append(float(tau))
    values = Values(numbers).undefine(constant_y, Outcome.DEGENERATE, Flag.REFERENCE)
    return values.undefine(constant_p, Outcome.DEGENERATE)


def _codes(values: FloatArray) -> NDArray[Any]:
    """Return the values as short whole numbers in the same order, with the same ties; unchanged if they are too many.

    Examples
    --------
    >>> _codes(np.array([0.5, -1.0, 0.5]))
    array([1, 0, 1], dtype=uint16)
    """
    distinct, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.uint16) if len(distinct) <= _SHORT else values


def _equal_pairs(values: FloatArray, weights: FloatArray) -> FloatArray:
    distinct, inverse = np.unique(values, return_inverse=True)
    times = totals(inverse, len(distinct), weights)
    pairs: FloatArray = (times**2).sum(axis=1)
    return pairs


def _r2(y: FloatArray, p: FloatArray, weights: FloatArray) -> Values:
    of = moments(y, p, weights)
    values = Values(1.0 - ratio(weights @ (p - y) ** 2, of.xx))
    return values.undefine(of.is_constant_x | (of.xx == 0), Outcome.DEGENERATE, Flag.REFERENCE)


def _icc(y: FloatArray, p: FloatArray, weights: FloatArray, *, form: str = "2,1") -> Values:
    centre = float(np.concatenate([y, p]).mean()) if len(y) else 0.0
    u, v = y - centre, p - centre
    of_means, of_differences = moments((u + v) / 2, v - u, weights), moments(u, v, weights)
    number = of_means.number
    rows = 2.0 * ratio(of_means.xx, number - 1.0)
    columns = number * of_means.mean_y**2 / 2.0
    error = ratio(of_means.yy / 2.0, number - 1.0)
    denominator = rows + error
    if form == "2,1":
        denominator = denominator + 2.0 * ratio(columns - error, number)
    values = Values(ratio(rows - error, denominator))
    nothing = (number < 2) | (of_differences.is_constant_x & of_differences.is_constant_y & ~(denominator > 0))
    return values.undefine(nothing | ~np.isfinite(values.numbers), Outcome.DEGENERATE, Flag.REFERENCE)


def _ccc(y: FloatArray, p: FloatArray, weights: FloatArray) -> Values:
    of = moments(y, p, weights)
    denominator = of.xx + of.yy + of.number * (of.mean_x - of.mean_y) ** 2
    nothing = of.is_constant_x & of.is_constant_y & (of.mean_x == of.mean_y)
    values = Values(np.where(nothing, np.nan, np.clip(ratio(2.0 * of.xy, denominator), -1.0, 1.0)))
    return values.undefine(~np.isfinite(values.numbers), Outcome.DEGENERATE, Flag.REFERENCE)


def _loa_width(y: FloatArray, p: FloatArray, weights: FloatArray) -> Values:
    of = moments(p - y, y, weights)
    values = Values(2.0 * NORMAL_95 * np.sqrt(ratio(of.xx, of.number - 1.0)))
    return values.undefine(of.number < 2, Outcome.DEGENERATE, Flag.REFERENCE)


PAIRED: Final[Mapping[str, PairedKernel]] = {
    "rmse": _rmse,
    "absolute_bias": _absolute_bias,
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall_tau_b": _kendall_tau_b,
    "r2": _r2,
    "icc": _icc,
    "ccc": _ccc,
    "loa_width": _loa_width,
}
"""Metrics of all cases together that compare numbers with numbers."""
