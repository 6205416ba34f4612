"""Many values become one, for all samples at once: weighted by how often each case was drawn; and how that is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.ranking.ranks import snap

if TYPE_CHECKING:
    from evaluation.assessment import Operator

FloatArray = npt.NDArray[np.float64]


def aggregate(values: FloatArray, counts: FloatArray, operator: Operator, *, higher_is_better: bool) -> FloatArray:
    """Aggregate over cases in every sample.

    Parameters
    ----------
    values
        Cases × algorithms; not a number where the case is left out for the algorithm.
    counts
        Cases × samples, whole numbers of 0 or more.
    operator
        Mean, or an order statistic.
    higher_is_better
        Direction of the values, which says what the worse end of a percentile is.

    Returns
    -------
    numpy.ndarray
        Samples × algorithms, snapped to 12 significant digits; not a number where no value was drawn.

    Examples
    --------
    >>> from evaluation.assessment import Operator
    >>> values = np.array([[0.1], [0.4]])
    >>> aggregate(values, np.array([[1.0, 2.0], [1.0, 0.0]]), Operator("mean"), higher_is_better=True)
    array([[0.25],
           [0.1 ]])
    """
    distinct, inverse = _distinct_columns(values)
    share = operator.quantile(higher_is_better=higher_is_better)
    result = _means(distinct, counts) if share is None else _quantiles(distinct, counts, share)
    return snap(result)[:, inverse]


def row_medians(rows: FloatArray) -> FloatArray:
    """Median of every row, as a column; what is not a number is left out.

    Several times as fast as `numpy.nanmedian`, which goes through Python for every row.

    Examples
    --------
    >>> row_medians(np.array([[3.0, 1.0, np.nan], [1.0, 2.0, 4.0]]))
    array([[2.],
           [2.]])
    """
    ordered = np.sort(rows, axis=1)  # not a number is sorted to the end
    width = rows.shape[1]
    if width and not np.isnan(ordered[:, -1]).any():
        low, high = ordered[:, [(width - 1) // 2]], ordered[:, [width // 2]]
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(low == high, low, (low + high) / 2.0))
    count = rows.shape[1] - np.isnan(ordered).sum(axis=1, keepdims=True)
    if not rows.shape[1]:
        return np.full((len(rows), 1), np.nan)
    low = np.take_along_axis(ordered, np.maximum((count - 1) // 2, 0), axis=1)
    high = np.take_along_axis(ordered, np.minimum(count // 2, rows.shape[1] - 1), axis=1)
    with np.errstate(invalid="ignore"):
        return np.where(low == high, low, (low + high) / 2.0)


def _means(values: FloatArray, counts: FloatArray) -> FloatArray:
    present = ~np.isnan(values)
    complete = bool(present.all())
    filled = values if complete else np.where(present, values, 0.0)
    totals = counts.sum(axis=0)
    high, low, fraction, scale = _slices(filled, float(totals.max(initial=1.0)))
    weights = np.ascontiguousarray(counts.T)
    sums = weights @ high
    if low.any():
        sums = sums + (weights @ low) * fraction
    drawn = totals[:, None] if complete else weights @ present.astype(np.float64)
    with np.errstate(invalid="ignore"):
        means: FloatArray = sums * scale / np.where(drawn > 0, drawn, np.nan)
    return means


def _slices(values: FloatArray, total: float) -> tuple[FloatArray, FloatArray, float, float]:
    """Whole-number parts with ``values = (high + low * fraction) * scale`` and weighted sums below 2**53.

    Sums of such parts have no rounding error. So a mean depends neither on the order of the cases nor on the
    linear-algebra library, its threads or the machine, and algorithms with the same multiset of values get the same
    mean.
    """
    largest = float(np.abs(values).max(initial=0.0))
    exponent = int(np.frexp(largest)[1])
    bits = 52 - int(np.frexp(max(total, 1.0))[1])
    scaled = np.ldexp(values, bits - exponent)
    high = np.rint(scaled)
    low = np.rint(np.ldexp(scaled - high, bits))
    return high, low, float(np.ldexp(1.0, -bits)), float(np.ldexp(1.0, exponent - bits))


def _quantiles(values: FloatArray, counts: FloatArray, share: float) -> FloatArray:
    """Order statistics with linear interpolation at position (n - 1) * share (R's type 7)."""
    samples = counts.shape[1]
    result = np.full((samples, values.shape[1]), np.nan)
    # Cumulative counts fit into 16 bits on all but the largest boards, and half the bytes are half the time.
    short = max(len(values), float(counts.sum(axis=0).max(initial=0.0))) < np.iinfo(np.int16).max
    kind = np.int16 if short else np.int32
    weights = counts.astype(kind)
    every = np.arange(samples)
    for column in range(values.shape[1]):
        order = np.argsort(values[:, column], kind="stable")
        order = order[: int((~np.isnan(values[:, column])).sum())]
        if not len(order):
            continue
        ordered = values[order, column]
        reached = np.cumsum(weights[order], axis=0, dtype=kind)
        drawn = reached[-1]
        position = np.maximum(drawn.astype(np.int32) - 1, 0) * share
        below = np.floor(position)
        lower = _first_beyond(reached, below)
        upper = _first_beyond(reached, np.ceil(position))
        fraction = position - below
        mixed = ordered[lower] + (ordered[upper] - ordered[lower]) * fraction
        result[:, column] = np.where(drawn > 0, mixed, np.nan)[every]
    return result


def _first_beyond(reached: npt.NDArray[Any], wanted: FloatArray) -> npt.NDArray[np.intp]:
    """Index of the first value whose cumulative count exceeds the wanted one."""
    index = np.add.reduce(reached <= wanted.astype(reached.dtype), axis=0, dtype=reached.dtype).astype(np.intp)
    return np.asarray(np.minimum(index, len(reached) - 1))


def _distinct_columns(values: FloatArray) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Algorithms with the very same values share their results bit by bit."""
    seen: dict[bytes, int] = {}
    inverse = np.empty(values.shape[1], dtype=np.intp)
    kept: list[int] = []
    for column in range(values.shape[1]):
        key = np.ascontiguousarray(values[:, column]).tobytes()
        if key not in seen:
            seen[key] = len(kept)
            kept.append(column)
        inverse[column] = seen[key]
    return np.ascontiguousarray(values[:, kept]), inverse


def ordinal(number: float) -> str:
    """Write a percentile as people read it.

    Examples
    --------
    >>> ordinal(5), ordinal(2.5), ordinal(21)
    ('5th', '2.5th', '21st')
    """
    if number != int(number):
        return f"{number:g}th"
    whole = int(number)
    ending = "th" if 10 <= whole % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(whole % 10, "th")
    return f"{whole}{ending}"


def operator_phrase(operator: Operator) -> str:
    """An operator inside a sentence: "the mean", "the 5th percentile counted from the worse end"."""
    words = {"mean": "the mean", "median": "the median", "min": "the smallest", "max": "the largest"}
    if operator.kind in words:
        return words[operator.kind]
    end = " counted from the worse end" if operator.counted_from == "worse" else ""
    return f"the {ordinal(operator.percentile or 0.0)} percentile{end}"


def operator_name(operator: Operator) -> str:
    """An operator in the head of a column or a line of pseudo-code: "mean", "5 % percentile"."""
    return f"{operator.percentile:g} % percentile" if operator.percentile is not None else operator.kind
