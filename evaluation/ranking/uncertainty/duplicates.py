"""Algorithms that are nearly the same: their values agree, or go together and differ little."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from evaluation.ranking.operators import row_medians

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
_CORRELATED: Final = 0.95
_NEAR: Final = 0.1
_SAME: Final = 1e-9
_AT_ONCE: Final = 2_000_000
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
    alike_values = np.zeros((count, count), dtype=bool)
    step = max(1, _AT_ONCE // max(cases, 1))
    for start in range(0, len(first), step):
        one, other = first[start : start + step], second[start : start + step]
        alike_values[one, other] = _agreeing(filled[:, one], filled[:, other]) >= cases / 2.0
    alike_values |= alike_values.T
    with np.errstate(invalid="ignore"):
        residuals = (
            values - row_medians(np.where(np.isfinite(values), values, np.nan))
            if (np.isfinite(values).any(axis=1).all())
            else np.zeros_like(values)
        )
    ranks = rankdata(np.nan_to_num(residuals, nan=-np.inf), axis=0)
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
        known = gaps[np.isfinite(gaps)]  # a gap to what has no value is no measure of how far others are apart
        near[first, second] = gaps <= _NEAR * (np.median(known) if len(known) else 0.0)
        candidate &= near | near.T
    np.fill_diagonal(alike_values, val=False)
    return np.asarray(alike_values | candidate)


def _agreeing(one: FloatArray, other: FloatArray) -> npt.NDArray[np.int64]:
    """On how many cases the columns of two arrays agree."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(one - other)
    same = gap <= _SAME * np.maximum(np.abs(one), np.abs(other))
    same &= np.isfinite(gap)
    same |= one == other
    return np.asarray(np.add.reduce(same.view(np.uint8), axis=0, dtype=np.int64))
