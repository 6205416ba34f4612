"""Algorithms whose values are nearly the same."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.scores import rank, row_medians

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
_CORRELATED: Final = 0.95
_NEAR: Final = 0.1
_SAME: Final = 1e-9
_PAIRS_AT_ONCE: Final = 2_000_000
"""Numbers held at once in a block of cases × pairs."""


def alike(values: FloatArray) -> BoolArray:
    """Pairs of columns that agree on half of the cases, or whose residuals go together and differ little.

    Parameters
    ----------
    values
        Cases × algorithms.
    """
    filled = np.where(np.isnan(values), -np.inf, values)
    cases, count = filled.shape
    first, second = np.triu_indices(count, 1)
    step = max(1, _PAIRS_AT_ONCE // cases)
    alike_values = _agreeing_on_half(filled, first, second, step)
    with np.errstate(invalid="ignore"):
        residuals = (
            values - row_medians(np.where(np.isfinite(values), values, np.nan))
            if (np.isfinite(values).any(axis=1).all())
            else np.zeros_like(values)
        )
    ranks = rank(np.nan_to_num(residuals, nan=-np.inf).T, higher_is_better=False, ties="average").T
    ranks -= ranks.mean(axis=0)
    norms = np.sqrt((ranks**2).sum(axis=0))
    usable = norms > 0
    scaled = ranks / np.where(usable, norms, 1.0)
    correlation = scaled.T @ scaled
    candidate = (correlation >= _CORRELATED) & usable[:, None] & usable[None, :]
    np.fill_diagonal(candidate, val=False)
    if (candidate & ~alike_values).any():
        with np.errstate(invalid="ignore"):  # of two without a value nothing is known
            gaps = np.concatenate(
                [
                    row_medians(np.abs(filled[:, first[at : at + step]] - filled[:, second[at : at + step]]).T)[:, 0]
                    for at in range(0, len(first), step)
                ]
            )
        near = np.zeros((count, count), dtype=bool)
        finite_gaps = gaps[np.isfinite(gaps)]  # a gap to what has no value is no measure of how far others are apart
        near[first, second] = gaps <= _NEAR * (np.median(finite_gaps) if len(finite_gaps) else 0.0)
        candidate &= near | near.T
    return np.asarray(alike_values | candidate)


def _agreeing_on_half(filled: FloatArray, first: IntArray, second: IntArray, step: int) -> BoolArray:
    """Pairs of columns that agree on half of the cases, as a symmetric matrix."""
    cases, count = filled.shape
    result = np.zeros((count, count), dtype=bool)
    if count < 2:
        return result
    ordered = np.sort(filled, axis=1)
    with np.errstate(invalid="ignore"):
        smallest = (ordered[:, 1:] - ordered[:, :-1]).min(axis=1)
        apart = smallest > _SAME * np.maximum(np.abs(ordered[:, 0]), np.abs(ordered[:, -1]))
    rows = filled[~apart]  # on all other cases no two agree
    if len(rows) < cases / 2.0:
        return result
    for start in range(0, len(first), step):
        one, other = first[start : start + step], second[start : start + step]
        result[one, other] = _agreeing(rows[:, one], rows[:, other]) >= cases / 2.0
    return np.asarray(result | result.T)


def _agreeing(one: FloatArray, other: FloatArray) -> npt.NDArray[np.int64]:
    """On how many cases the columns of two arrays agree."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(one - other)
    same = gap <= _SAME * np.maximum(np.abs(one), np.abs(other))
    same &= np.isfinite(gap)
    same |= one == other
    return np.asarray(np.add.reduce(same.view(np.uint8), axis=0, dtype=np.int64))
