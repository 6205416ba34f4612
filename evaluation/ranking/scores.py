"""Many values become one score and scores become ranks, for all samples at once; rank 1 is always the best. And how operators are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from evaluation.assessment.model import Operator


FloatArray = npt.NDArray[np.float64]
SNAP_DIGITS: Final = 12
SETTLED_DIGITS: Final = 14
"""Number of significant digits to keep in sums and differences.

Floating-point numbers have nearly 16 digits. The rounding errors of about ten consecutive sums are removed.
"""
_LOG10_OF_2: Final = 0.30102999566398120
_NEARLY: Final = 1e-10
"""Relative distance above which rounding to `SNAP_DIGITS` digits makes no two numbers equal, with room."""
_POWERS: Final = np.array([float(f"1e{exponent}") for exponent in range(-300, 301)])


def snap(values: npt.ArrayLike, digits: int = SNAP_DIGITS) -> FloatArray:
    """Round to significant digits, so that float noise does not break ties.

    Two algorithms whose scores are equal on paper may differ in the last bit after averaging; comparing such doubles
    breaks the tie at random.

    Parameters
    ----------
    values
        Any shape; not a number and infinities stay as they are.
    digits
        Significant decimal digits to keep.

    Examples
    --------
    >>> a, b = (3.2 + 3.5) / 2, (3.3 + 3.4) / 2
    >>> a == b, snap(a) == snap(b)
    (False, np.True_)
    """
    array = np.asarray(values, dtype=np.float64)
    size = np.abs(array)
    usable = (size > _POWERS[20]) & (size < _POWERS[-20])
    # The binary exponent gives the decimal one or the one below; comparing with the next power decides.
    safe = np.where(usable, size, 1.0)
    exponent = np.floor((np.frexp(safe)[1] - 1) * _LOG10_OF_2).astype(np.int64)
    exponent += safe >= _POWERS[301 + exponent]
    shift = digits - 1 - exponent
    up = _POWERS[300 + np.maximum(shift, 0)]
    down = _POWERS[300 + np.maximum(-shift, 0)]
    with np.errstate(invalid="ignore"):
        rounded = np.rint(array * up / down) / up * down
    return np.where(usable, rounded, array)


def settled(values: FloatArray, largest: float) -> FloatArray:
    """Round to `SETTLED_DIGITS` digits of the largest number from which the values were computed.

    A difference that cancels out leaves a rounding error. Close to 0 this error has significant digits that `snap`
    would keep. They would break a tie. One size for all compared values keeps mathematically equal values equal.

    Parameters
    ----------
    values
        Any shape; not a number and infinities remain unchanged.
    largest
        Size of the numbers that were added and subtracted, 0 or more.

    Examples
    --------
    >>> mixed = np.array([-1.0 + 1.25 * (6 * 0.3 - 1.0)])
    >>> bool(mixed[0] == 0.0), bool(settled(mixed, 1.25)[0] == 0.0)
    (False, True)
    """
    if not np.isfinite(largest) or not _POWERS[20] < largest < _POWERS[-20]:
        return values
    shift = SETTLED_DIGITS - 1 - int(np.floor(np.log10(largest)))
    up, down = _POWERS[300 + max(shift, 0)], _POWERS[300 + max(-shift, 0)]
    with np.errstate(invalid="ignore"):
        rounded: FloatArray = np.rint(values * up / down) / up * down
    return rounded


def rank(
    scores: npt.ArrayLike,
    *,
    higher_is_better: bool,
    ties: str = "min",
    missing_rank: str = "toolkit",
    last_rank: npt.NDArray[np.bool_] | None = None,
    rounded: bool = False,
) -> FloatArray:
    """Rank along the last axis.

    Parameters
    ----------
    scores
        Any number of rows of m scores, already snapped unless `rounded`; not a number counts as missing.
    higher_is_better
        Whether the greatest score gets rank 1.
    ties
        ``min`` (1, 2, 2, 4), ``max`` (1, 3, 3, 4), ``dense`` (1, 2, 2, 3) or ``average`` (1, 2.5, 2.5, 4).
    missing_rank
        What k missing entries among m get. ``toolkit``: counted on from the largest *rank* that is there, all tied by
        the same rule; ``last``: m; ``shared_last``: m - k + 1.
    last_rank
        If given, only the missing entries marked here are ranked; the other ones stay missing and take no place.
    rounded
        Rank as if the scores were snapped. Only rows in which it could matter are, which is rare among drawn scores.

    Returns
    -------
    numpy.ndarray
        Ranks in the shape of `scores`.

    Examples
    --------
    >>> rank([9, 8, 8, 7], higher_is_better=True, ties="average")
    array([1. , 2.5, 2.5, 4. ])
    >>> rank([0.9, 0.5, 0.5, float("nan")], higher_is_better=True)
    array([1., 2., 2., 3.])
    """
    array = np.asarray(scores, dtype=np.float64)
    rows = np.ascontiguousarray(-array if higher_is_better else array).reshape(-1, array.shape[-1])
    width = rows.shape[1]
    order = np.argsort(rows, axis=1)  # equal scores get one rank in any order; not a number is sorted to the end
    flat_index = order + width * np.arange(len(rows))[:, None]
    ordered = rows.ravel()[flat_index]
    position = np.arange(1.0, width + 1)
    ranks = np.empty(rows.shape)
    apart = _far_apart(ordered) if rounded else np.zeros(len(rows), dtype=bool)
    if apart.all():
        ranks.ravel()[flat_index] = np.broadcast_to(position, rows.shape)
        return ranks.reshape(array.shape)
    if rounded and (near := _nearly_tied(ordered, ~apart)).any():
        rows = rows.copy() if np.shares_memory(rows, array) else rows
        rows[near] = snap(rows[near])
        order = np.argsort(rows, axis=1)
        flat_index = order + width * np.arange(len(rows))[:, None]
        ordered = rows.ravel()[flat_index]
    starts = np.ones(rows.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=starts[:, 1:])
    whole = bool(starts.all())
    sorted_ranks = np.broadcast_to(position, rows.shape) if whole else _tied(starts, position, ties)
    if np.isnan(ordered[:, -1]).any():
        present = ~np.isnan(ordered)
        sorted_ranks = _with_missing(
            sorted_ranks, present, order, ties=ties, missing_rank=missing_rank, last_rank=last_rank
        )
    ranks.ravel()[flat_index] = sorted_ranks
    return ranks.reshape(array.shape)


def _far_apart(ordered: FloatArray) -> npt.NDArray[np.bool_]:
    """Return a mask of the rows without any gap that is small relative to their largest number.

    Each row must be in order. Most rows are identified in this one pass.
    """
    if ordered.shape[1] < 2:
        return np.zeros(len(ordered), dtype=bool)
    columns = np.ascontiguousarray(ordered.T)
    with np.errstate(invalid="ignore"):  # not a number and infinities are left to `_nearly_tied`
        smallest = (columns[1:] - columns[:-1]).min(axis=0)
        return np.asarray(smallest > _NEARLY * np.maximum(np.abs(columns[0]), np.abs(columns[-1])))


def _nearly_tied(ordered: FloatArray, wanted: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Rows, each in order, in which rounding to `SNAP_DIGITS` digits could make two different scores equal."""
    upper, lower = ordered[wanted, 1:], ordered[wanted, :-1]
    with np.errstate(invalid="ignore"):
        near = upper - lower <= _NEARLY * np.maximum(np.abs(upper), np.abs(lower))
    near &= upper != lower
    result = np.zeros(len(ordered), dtype=bool)
    result[wanted] = near.any(axis=1)
    return result


def _tied(starts: npt.NDArray[np.bool_], position: FloatArray, ties: str) -> FloatArray:
    if ties == "dense":
        return np.cumsum(starts, axis=1).astype(np.float64)
    first: FloatArray = np.maximum.accumulate(starts * position, axis=1)
    if ties == "min":
        return first
    ends = np.ones(starts.shape, dtype=bool)
    ends[:, :-1] = starts[:, 1:]
    backwards = np.where(ends, position, np.inf)[:, ::-1]
    last: FloatArray = np.minimum.accumulate(backwards, axis=1)[:, ::-1]
    if ties == "max":
        return last
    if ties == "average":
        return (first + last) / 2.0
    message = f"unknown rule for ties: {ties!r}"
    raise ValueError(message)


def _with_missing(
    sorted_ranks: FloatArray,
    present: npt.NDArray[np.bool_],
    order: npt.NDArray[np.intp],
    *,
    ties: str,
    missing_rank: str,
    last_rank: npt.NDArray[np.bool_] | None,
) -> FloatArray:
    ranked = ~present
    if last_rank is not None:
        marked = np.take_along_axis(last_rank.reshape(present.shape), order, axis=1)
        ranked &= marked
    k = ranked.sum(axis=1, keepdims=True)
    in_play = present.sum(axis=1, keepdims=True) + k
    base = np.where(present, sorted_ranks, 0.0).max(axis=1, keepdims=True)
    if missing_rank == "last":
        theirs = in_play.astype(np.float64)
    elif missing_rank == "shared_last":
        theirs = in_play - k + 1.0
    elif missing_rank == "toolkit":
        theirs = base + {"min": 1.0, "dense": 1.0, "max": k, "average": (k + 1) / 2.0}[ties]
    else:
        message = f"unknown rule for missing ranks: {missing_rank!r}"
        raise ValueError(message)
    return np.where(present, sorted_ranks, np.where(ranked, theirs, np.nan))


def aggregate(values: FloatArray, counts: FloatArray, operator: Operator, *, higher_is_better: bool) -> FloatArray:
    """Aggregate over cases in every sample.

    Parameters
    ----------
    values
        Cases × algorithms; not a number where the case is excluded for the algorithm.
    counts
        Cases × samples, whole numbers of 0 or more.
    operator
        Mean, or an order statistic.
    higher_is_better
        Direction of the values, which determines the worse end of a percentile.

    Returns
    -------
    numpy.ndarray
        Samples × algorithms, snapped to 12 significant digits; not a number where a sample contains no value.

    Examples
    --------
    >>> from evaluation.assessment.model import Operator
    >>> values = np.array([[0.1], [0.4]])
    >>> aggregate(values, np.array([[1.0, 2.0], [1.0, 0.0]]), Operator("mean"), higher_is_better=True)
    array([[0.25],
           [0.1 ]])
    """
    distinct, inverse = _distinct_columns(values)
    share = operator.quantile(higher_is_better=higher_is_better)
    result = _means(distinct, counts) if share is None else _quantiles(distinct, counts, share)
    return snap(settled(result, largest_of(distinct)))[:, inverse]


def largest_of(values: FloatArray) -> float:
    """Size of the largest number; 0 where there is none."""
    return float(np.abs(values).max(initial=0.0, where=~np.isnan(values)))


def row_medians(rows: FloatArray) -> FloatArray:
    """Return the median of every row as a column, without values that are not a number.

    Several times as fast as `numpy.nanmedian`, which goes through Python for every row.

    Examples
    --------
    >>> row_medians(np.array([[3.0, 1.0, np.nan], [1.0, 2.0, 4.0]]))
    array([[2.],
           [2.]])
    """
    ordered = np.sort(rows, axis=1)  # not a number is sorted to the end
    width = rows.shape[1]
    if not width:
        return np.full((len(rows), 1), np.nan)
    if not np.isnan(ordered[:, -1]).any():
        low, high = ordered[:, [(width - 1) // 2]], ordered[:, [width // 2]]
        with np.errstate(invalid="ignore"):
            return np.asarray((low + high) / 2.0)
    count = width - np.isnan(ordered).sum(axis=1, keepdims=True)
    low = np.take_along_axis(ordered, (count - 1) // 2, axis=1)  # without a number the last one, which is none
    high = np.take_along_axis(ordered, count // 2, axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray((low + high) / 2.0)


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
    with np.errstate(invalid="ignore"):  # of nothing there is no mean: 0 / 0 is not a number
        means: FloatArray = sums * scale / drawn
    return means


def _slices(values: FloatArray, total: float) -> tuple[FloatArray, FloatArray, float, float]:
    """Whole-number parts with ``values = (high + low * fraction) * scale`` and weighted sums below 2**53.

    Sums of such parts have no rounding error. So a mean depends neither on the order of the cases nor on the
    linear-algebra library, its threads or the machine, and algorithms with the same multiset of values get the same
    mean.
    """
    largest = float(np.abs(values).max(initial=0.0))
    exponent = int(np.frexp(largest)[1])
    bits = 52 - int(np.frexp(total)[1])
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
    for column in range(values.shape[1]):
        order = np.argsort(values[:, column], kind="stable")
        order = order[: int((~np.isnan(values[:, column])).sum())]
        if not len(order):
            continue
        ordered = values[order, column]
        reached = np.cumsum(weights[order], axis=0, dtype=kind)
        drawn = reached[-1]
        position = (drawn.astype(np.int32) - 1) * share
        below = np.floor(position)
        lower = _first_beyond(reached, below)
        upper = _first_beyond(reached, np.ceil(position))
        fraction = position - below
        mixed = ordered[lower] + (ordered[upper] - ordered[lower]) * fraction
        result[:, column] = np.where(drawn > 0, mixed, np.nan)
    return result


def _first_beyond(reached: npt.NDArray[Any], wanted: FloatArray) -> npt.NDArray[np.intp]:
    """Return the index of the first value whose cumulative count exceeds the required count."""
    index = np.add.reduce(reached <= wanted.astype(reached.dtype), axis=0, dtype=reached.dtype).astype(np.intp)
    return np.asarray(np.minimum(index, len(reached) - 1))


def _distinct_columns(values: FloatArray) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Algorithms with the very same values share their results bit by bit."""
    seen: dict[bytes, int] = {}
    inverse = np.empty(values.shape[1], dtype=np.intp)
    distinct: list[int] = []
    for column in range(values.shape[1]):
        key = np.ascontiguousarray(values[:, column]).tobytes()
        if key not in seen:
            seen[key] = len(distinct)
            distinct.append(column)
        inverse[column] = seen[key]
    return np.ascontiguousarray(values[:, distinct]), inverse


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
    ending = "th" if whole % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(whole % 10, "th")
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


def spread_around_median(deviation: FloatArray) -> FloatArray:
    """Mean square of each algorithm's deviation from the median of all, over the draws."""
    centred = deviation - row_medians(deviation)
    return np.asarray(np.einsum("bj,bj->j", centred, centred) / len(deviation))
