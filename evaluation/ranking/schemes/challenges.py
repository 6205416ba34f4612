"""Many simulated challenges at once: aggregates, ranks on cases and tests over an axis of challenges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from evaluation.assessment.model import Operator

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Challenges:
    """Values of one metric and region in many simulated challenges.

    Attributes
    ----------
    values
        Challenges × cases × teams on the scale of the metric; not a number where a case was not submitted.
    higher_is_better
        Direction of the values.
    quality
        Values before the scale of the metric bounds them, where larger is better, without ties; ``None`` if cases are missing.
    last
        Mask of missing cases that count as the last rank; ``None`` if no case is missing.
    """

    values: npt.NDArray[Any]
    higher_is_better: bool
    quality: npt.NDArray[Any] | None = None
    last: npt.NDArray[np.bool_] | None = None


def aggregate_cases(values: npt.NDArray[Any], operator: Operator | None, *, higher: bool) -> FloatArray:
    """Aggregate over the second axis; the mean if there is no operator."""
    position = None if operator is None else operator.quantile(higher_is_better=higher)
    gaps = bool(np.isnan(values).any())
    if position is None:
        if not gaps:
            return np.asarray(values.mean(axis=1, dtype=np.float64))
        present = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(present, values, 0.0).sum(axis=1) / present.sum(axis=1))
    return np.asarray((np.nanquantile if gaps else np.quantile)(values, position, axis=1), dtype=np.float64)


def ranks_without_ties(quality: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Ranks on every case; qualities are continuous, so there are no ties to be decided.

    Examples
    --------
    >>> ranks_without_ties(np.array([[[0.3, 0.9, 0.1]]], dtype=np.float32)).tolist()
    [[[2.0, 1.0, 3.0]]]
    """
    ranks = np.ones(quality.shape, dtype=np.float32)
    for team in range(quality.shape[-1]):
        ranks += quality[..., team, None] > quality
    return ranks


def signed_rank_p_values(quality: npt.NDArray[Any]) -> FloatArray:
    """One-sided p-values of "row is better than column" by Wilcoxon's signed rank test, for many challenges at once.

    The same approximation as `evaluation.ranking.significance`, for values without ties: the sign of a difference
    rides in the last bit of its absolute value, so that one fast sort gives the rank sums.

    Parameters
    ----------
    quality
        Samples × cases × teams, more is better; a pair is compared on the cases that both have.

    Returns
    -------
    numpy.ndarray
        Samples × teams × teams; the diagonal is not a number.
    """
    from scipy.special import ndtr

    samples, cases, teams = quality.shape
    values = np.ascontiguousarray(np.moveaxis(quality, 2, 0), dtype=np.float32)
    places = np.arange(1.0, cases + 1, dtype=np.float32)
    result = np.full((samples, teams, teams), np.nan)
    for row in range(teams - 1):
        difference = values[row] - values[row + 1 :]
        same = (difference == 0).sum(axis=-1)
        count = (~np.isnan(difference)).sum(axis=-1) - same
        bits = np.abs(difference).view(np.uint32)
        bits &= np.uint32(0xFFFFFFFE)
        bits |= difference > 0
        bits.sort(axis=-1)
        bits &= np.uint32(1)
        positive = bits.astype(np.float32) @ places
        if same.any():  # they are dropped, so the others move up
            positive -= same * bits.sum(axis=-1)
        centre = count * (count + 1) / 4.0
        deviation = np.sqrt(count * (count + 1) * (2 * count + 1) / 24.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            forwards = ndtr(-(positive - centre - 0.5) / deviation)
            backwards = ndtr((positive - centre + 0.5) / deviation)
        result[:, row, row + 1 :] = np.where(deviation > 0, forwards, 1.0).T
        result[:, row + 1 :, row] = np.where(deviation > 0, backwards, 1.0).T
    return result
