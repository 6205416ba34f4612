"""Algorithms that are nearly the same: their values agree, or go together and differ little."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
_CORRELATED: Final = 0.95
_NEAR: Final = 0.1
_SAME: Final = 1e-9


def alike(values: FloatArray) -> BoolArray:
    """Pairs of columns that agree on half of the cases, or whose residuals go together and differ little.

    Parameters
    ----------
    values
        Cases × algorithms.
    """
    filled = np.where(np.isnan(values), -np.inf, values)
    cases, count = filled.shape
    same = np.zeros((count, count))
    for column in range(count):
        with np.errstate(invalid="ignore"):
            gap = np.abs(filled - filled[:, [column]])
        close = gap <= _SAME * np.maximum(np.abs(filled), np.abs(filled[:, [column]]))
        same[column] = (close | (filled == filled[:, [column]])).sum(axis=0)
    alike_values = same >= cases / 2.0
    with np.errstate(invalid="ignore"):
        residuals = (
            values - np.nanmedian(np.where(np.isfinite(values), values, np.nan), axis=1, keepdims=True)
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
        first, second = np.triu_indices(count, 1)
        gaps = np.nanmedian(np.abs(filled[:, first] - filled[:, second]), axis=0)
        near = np.zeros((count, count), dtype=bool)
        near[first, second] = gaps <= _NEAR * np.median(gaps)
        candidate &= near | near.T
    np.fill_diagonal(alike_values, val=False)
    return np.asarray(alike_values | candidate)
