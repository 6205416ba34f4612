"""Similarity of two rankings."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
_BYTE: Final = 255


def kendall_tau_b(reference: npt.ArrayLike, rankings: npt.ArrayLike) -> FloatArray:
    """Kendall's τ-b between one ranking and each of many.

    Parameters
    ----------
    reference
        Ranks of m algorithms.
    rankings
        Any number of rows of m ranks.

    Returns
    -------
    numpy.ndarray
        One value in [-1, 1] a row; not a number where either ranking is constant, since τ-b is undefined there.

    References
    ----------
    Kendall, "The treatment of ties in ranking problems", Biometrika 33, 1945.

    Examples
    --------
    >>> kendall_tau_b([1, 2, 3], [[1, 2, 3], [3, 2, 1], [1, 1, 1]])
    array([ 1., -1., nan])
    """
    first = np.asarray(reference, dtype=np.float64)
    rows = np.atleast_2d(np.asarray(rankings, dtype=np.float64))
    tau = np.full(len(rows), np.nan)
    whole = ~np.isnan(rows).any(axis=1)
    if np.isnan(first).any() or not whole.any():
        return tau
    order = np.argsort(first, kind="stable")
    ordered = first[order]
    columns = np.ascontiguousarray(_whole_numbers(rows[whole])[:, order].T)
    # The next place with a worse rank: pairs from there on are told apart by the reference, too.
    beyond = np.searchsorted(ordered, ordered, side="right")
    agreement = np.zeros(columns.shape[1])
    untied = np.zeros(columns.shape[1])
    untied_reference = 0.0
    for index, apart in enumerate(beyond[:-1]):
        tied = columns[index + 1 : apart]
        if len(tied):
            untied += _count(tied != columns[index])
        others = columns[apart:]
        above, below = _count(others > columns[index]), _count(others < columns[index])
        untied_reference += len(others)
        agreement += above - below
        untied += above + below
    with np.errstate(invalid="ignore", divide="ignore"):
        tau[whole] = agreement / np.sqrt(untied_reference * untied)
    return tau


def _whole_numbers(ranks: FloatArray) -> npt.NDArray[np.int16] | npt.NDArray[np.int64]:
    """The same order in whole numbers, in few bytes: ranks are whole or half, anything else is numbered."""
    doubled = 2.0 * ranks
    if (doubled == np.rint(doubled)).all() and np.abs(doubled).max(initial=0.0) < np.iinfo(np.int16).max:
        return doubled.astype(np.int16)
    numbered: npt.NDArray[np.int64] = np.unique(ranks, return_inverse=True)[1].reshape(ranks.shape)
    return numbered


def _count(true: npt.NDArray[np.bool_]) -> FloatArray:
    """Count the true values of each column.

    Sums of bytes are many times as fast as sums of whole numbers.
    """
    total = np.zeros(true.shape[1])
    for start in range(0, len(true), _BYTE):
        total += np.add.reduce(true[start : start + _BYTE].view(np.uint8), axis=0, dtype=np.uint8)
    return total


def footrule(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Spearman's footrule, the sum of absolute differences of ranks; from 0 to ⌊m²/2⌋.

    Examples
    --------
    >>> footrule([1, 2, 3], [3, 2, 1])
    4.0
    """
    return float(np.abs(np.asarray(first, dtype=float) - np.asarray(second, dtype=float)).sum())


def weighted_footrule(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Footrule in which a difference counts by the better of the two ranks: |a - b| / min(a, b).

    Examples
    --------
    >>> weighted_footrule([1, 2, 3], [2, 1, 3])
    2.0
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    return float((np.abs(a - b) / np.minimum(a, b)).sum())


def symmetric_difference(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Distance of Kemeny and Snell: 2 for every pair in opposite order, 1 for every pair tied in only one ranking.

    Examples
    --------
    >>> symmetric_difference([1, 2, 3], [1, 3, 2]), symmetric_difference([1, 2, 3], [1, 1, 3])
    (2.0, 1.0)
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    left, right = np.triu_indices(len(a), 1)
    return float(np.abs(np.sign(a[left] - a[right]) - np.sign(b[left] - b[right])).sum())
