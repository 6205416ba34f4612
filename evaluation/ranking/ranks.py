"""Ranks, ties and missing ranks; rank 1 is always the best."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
SNAP_DIGITS: Final = 12
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
    up = _POWERS[300 + np.clip(shift, 0, 300)]
    down = _POWERS[300 + np.clip(-shift, 0, 300)]
    with np.errstate(invalid="ignore"):
        rounded = np.rint(array * up / down) / up * down
    return np.where(usable, rounded, array)


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
    place = order + width * np.arange(len(rows))[:, None]
    ordered = rows.ravel()[place]
    position = np.arange(1.0, width + 1)
    ranks = np.empty(rows.shape)
    apart = _far_apart(ordered) if rounded else np.zeros(len(rows), dtype=bool)
    if apart.all():
        ranks.ravel()[place] = np.broadcast_to(position, rows.shape)
        return ranks.reshape(array.shape)
    if rounded and (near := _nearly_tied(ordered, ~apart)).any():
        rows = rows.copy() if np.shares_memory(rows, array) else rows
        rows[near] = snap(rows[near])
        order = np.argsort(rows, axis=1)
        place = order + width * np.arange(len(rows))[:, None]
        ordered = rows.ravel()[place]
    starts = np.ones(rows.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=starts[:, 1:])
    whole = bool(starts.all())
    sorted_ranks = np.broadcast_to(position, rows.shape) if whole else _tied(starts, position, ties)
    if width and np.isnan(ordered[:, -1]).any():
        present = ~np.isnan(ordered)
        sorted_ranks = _with_missing(
            sorted_ranks, present, order, ties=ties, missing_rank=missing_rank, last_rank=last_rank
        )
    ranks.ravel()[place] = sorted_ranks
    return ranks.reshape(array.shape)


def _far_apart(ordered: FloatArray) -> npt.NDArray[np.bool_]:
    """Rows, each in order, without any gap that is small beside their largest number: most rows, told in one pass."""
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
    first: FloatArray = np.maximum.accumulate(np.where(starts, position, 0.0), axis=1)
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
