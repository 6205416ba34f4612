"""Binned calibration: the distance between share of hits and mean score in every bin of scores.

A case without a valid answer is in a separate bin with the greatest gap, 1. It therefore cannot balance the
under-confidence of other cases. Omitting a case never makes ECE, MCE, TCE or CWCE with bins of equal width smaller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from evaluation.metrics.samples import totals, weighted_count
from evaluation.metrics.values import FloatArray, Values, ratio
from evaluation.outcomes import Flag, Outcome

if TYPE_CHECKING:
    from evaluation.metrics.samples import Samples

Binning = Literal["equal_width", "equal_mass"]
BinEdge = Literal["right_closed", "left_closed"]
_DECIMALS = 9


class Gaps(NamedTuple):
    """Bins with, for each, how many cases it holds and the sum of hit minus score over them, ``(B, bins)``."""

    size: FloatArray
    difference: FloatArray
    total: FloatArray


def find_gaps(
    scores: FloatArray,
    hits: npt.NDArray[np.bool_],
    absent: npt.NDArray[np.bool_],
    weights: FloatArray | None,
    *,
    n_bins: int = 15,
    binning: Binning = "equal_width",
    bin_edge: BinEdge = "right_closed",
) -> Gaps:
    """Sort cases into bins.

    Parameters
    ----------
    scores, hits
        Score in [0, 1] of every case, and whether it came true.
    absent
        Cases without a valid answer; their score is not read.
    weights
        Multiplicities ``(B, N)``.
    n_bins, binning, bin_edge
        ``equal_width``: [0, 1] in equal parts; the lowest bin also holds 0, the highest also 1. ``equal_mass``: a case is
        placed by the share of lower scores (of higher ones if ``left_closed``), so that equal scores stay together.
    """
    answered = not absent.any()
    filled_scores = scores if answered else np.where(absent, 0.0, scores)
    difference = hits - filled_scores
    if binning == "equal_width":
        bins = _equal_width(filled_scores, n_bins, bin_edge)
        if not answered:
            bins = np.where(absent, n_bins, bins)
            difference = np.where(absent, -1.0, difference)
        if weights is None:
            size = np.bincount(bins, minlength=n_bins + 1)[None].astype(np.float64)
            sums: FloatArray = np.bincount(bins, weights=difference, minlength=n_bins + 1)[None].astype(np.float64)
        else:
            size = totals(bins, n_bins + 1, weights)
            sums = _sums(bins, n_bins + 1, weights, difference)
    else:
        rows = np.ones((1, len(scores))) if weights is None else weights
        answers = [
            _equal_mass(filled_scores, difference, absent, row, n_bins=n_bins, bin_edge=bin_edge) for row in rows
        ]
        size, sums = (np.stack(part) for part in zip(*answers, strict=True))
    return Gaps(size, sums, weighted_count(len(scores), weights))


def _equal_width(scores: FloatArray, n_bins: int, bin_edge: BinEdge) -> npt.NDArray[np.int64]:
    """Bins of equal width; rounded first, since 0.28 * 25 is not 7 in floating point."""
    bin_positions = np.round(scores * n_bins, _DECIMALS)
    if bin_edge == "right_closed":
        return np.maximum(np.ceil(bin_positions).astype(np.int64) - 1, 0)
    return np.minimum(bin_positions.astype(np.int64), n_bins - 1)


def _sums(bins: npt.NDArray[np.int64], size: int, weights: FloatArray, numbers: FloatArray) -> FloatArray:
    from scipy import sparse

    count = len(bins)
    members = sparse.csr_array((numbers, (bins, np.arange(count))), shape=(size, count))
    summed: FloatArray = (members @ weights.T).T
    return summed


def _equal_mass(
    scores: FloatArray,
    difference: FloatArray,
    absent: npt.NDArray[np.bool_],
    weights: FloatArray,
    *,
    n_bins: int,
    bin_edge: BinEdge,
) -> tuple[FloatArray, FloatArray]:
    """Bins of one resample, by whole-number ranks."""
    answered = ~absent
    values, inverse = np.unique(np.round(scores[answered], _DECIMALS), return_inverse=True)
    mass = np.bincount(inverse, weights=weights[answered], minlength=len(values))
    up_to = np.cumsum(mass)
    total = up_to[-1] if len(up_to) else 0.0
    if bin_edge == "right_closed":
        bin_positions = ratio((up_to - mass) * n_bins, total)
    else:
        bin_positions = n_bins - 1 - np.floor(ratio((total - up_to) * n_bins, total))
    bins = np.clip(np.nan_to_num(np.floor(bin_positions)).astype(np.int64), 0, n_bins - 1)[inverse]
    size = np.bincount(bins, weights=weights[answered], minlength=n_bins + 1).astype(np.float64)
    sums = np.bincount(bins, weights=(weights * difference)[answered], minlength=n_bins + 1).astype(np.float64)
    size[n_bins] = weights[absent].sum()
    sums[n_bins] = -size[n_bins]
    return size, sums


def mean_gap(gaps: Gaps) -> FloatArray:
    """Mean absolute gap, weighted by the size of the bins."""
    return ratio(np.abs(gaps.difference).sum(axis=1), gaps.total)


def largest_gap(gaps: Gaps) -> FloatArray:
    """Greatest absolute gap of the bins that hold a case."""
    gap = np.abs(ratio(gaps.difference, gaps.size))
    largest: FloatArray = np.where(gaps.size > 0, gap, 0.0).max(axis=1)
    return largest


def mean_squared_gap(gaps: Gaps) -> FloatArray:
    """Mean squared gap, weighted by the size of the bins."""
    squares = np.where(gaps.size > 0, ratio(gaps.difference**2, gaps.size), 0.0)
    return ratio(squares.sum(axis=1), gaps.total)


def top_label(samples: Samples) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Winning score of every case, and whether its class is the right one; of two equal scores the positive wins."""
    scores = samples.required_scores
    if scores.shape[1] == 2:
        positive = scores[:, 1] >= scores[:, 0]
        return np.maximum(scores[:, 0], scores[:, 1]), positive == (samples.reference == 1)
    winner = np.argmax(scores, axis=1)
    return scores[np.arange(len(scores)), winner], winner == samples.reference


def over_cases(numbers: FloatArray, total: FloatArray) -> Values:
    """Values that are undefined without any case."""
    return Values(np.where(total > 0, numbers, 0.0)).undefine(total == 0, Outcome.DEGENERATE, Flag.REFERENCE)
