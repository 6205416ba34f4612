"""Numbers of cases that would show a difference, on boards and in reports; the simulation of designs assumes no skewness.

The number allows for the skewness of the differences, as the guard of the verdict does: a lead with a tail of bad cases needs more
cases. It is larger than the number of cases with which the comparison is still open.

A number from data is uncertain, since it is estimated from the data of the comparison itself. It is therefore shown with the
range over resampled data.

References
----------
Hall, "On the removal of skewness by transformation", Journal of the Royal Statistical Society B 54, 1992.
Lachin, "Introduction to sample size determination and power analysis for clinical trials", Controlled Clinical Trials 2, 1981.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.uncertainty.skewness import moments
from evaluation.ranking.uncertainty.studentized import drawn_counts, resampled_differences

if TYPE_CHECKING:
    from collections.abc import Sequence

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
MOST: Final = 10_000
"""Largest number that is stated."""
DRAWS: Final = 400
_ROUNDING: Final = 1e-12
POWER: Final = 0.8
EDGES: Final = (0.05, 0.95)
"""Ends of the stated 90 % range."""


@dataclass(frozen=True)
class UnitsToSettle:
    """Number of units with which a lead would be significant with probability 0.8.

    Attributes
    ----------
    estimate
        From the observed difference and its spread; ``None`` above `MOST`, or without a lead.
    low, high
        90 % range over resampled data; ``None`` above `MOST`.
    """

    estimate: int | None
    low: int | None
    high: int | None


def units_to_settle(
    differences: FloatArray,
    weights: FloatArray,
    stratum_of_unit: IntArray,
    *,
    level: float,
    margin: float,
    seed: int,
    cases: Sequence[str],
    costliest: FloatArray | None = None,
) -> list[UnitsToSettle]:
    """Return the numbers of units that would settle each comparison that is open with the present ones.

    Parameters
    ----------
    differences
        Contributions of units to the differences, units × pairs.
    weights, stratum_of_unit
        Weight and stratum of each unit.
    level
        One-sided level.
    margin
        Difference that does not matter.
    seed, cases
        The key of the resamples.
    costliest
        Largest loss of each difference by a failure in one of the present units; ``None`` if a failure has no value. The lead over
        new units must exceed it with the same probability.
    """
    from scipy.special import ndtri

    units = len(differences)
    scale = np.abs(differences).sum(axis=0).max(initial=0.0)
    skewness = moments(units * differences, noise=1e-12 * units * scale).skewness
    every = [np.ones((1, units))]
    observed, error = resampled_differences(differences, weights, stratum_of_unit, every)
    resampled, errors = resampled_differences(
        differences, weights, stratum_of_unit, drawn_counts(stratum_of_unit, seed=seed, cases=cases, draws=DRAWS)
    )

    def needed(lead: FloatArray, errors: FloatArray) -> FloatArray:
        numbers = units_to_show(lead, errors * math.sqrt(units), level=level, skewness=skewness)
        if costliest is None:
            return numbers
        with np.errstate(divide="ignore", invalid="ignore"):
            # The lead of new units is above cost / n with probability 0.8: lead n - z s √n - cost = 0.
            spread = ndtri(POWER) * errors * math.sqrt(units)
            root = (spread + np.sqrt(spread**2 + 4.0 * lead * units * costliest)) / (2.0 * lead)
            outweighed = np.floor(root**2 * (1.0 + _ROUNDING)) + 1.0
        return np.where(lead > 0.0, np.maximum(numbers, outweighed), numbers)

    # With the present units the comparison is open, so that more are needed.
    estimates = np.maximum(needed(observed - margin, error)[0], units + 1.0)
    drawn = np.sort(needed(resampled - margin, errors), axis=0)
    low, high = (drawn[math.ceil(edge * DRAWS) - 1] for edge in EDGES)
    return [
        UnitsToSettle(stated(estimate), stated(min(least, estimate)), stated(max(most, estimate)))
        for estimate, least, most in zip(estimates, low, high, strict=True)
    ]


def units_to_show(
    lead: FloatArray, deviation: FloatArray, *, level: float, skewness: FloatArray | None = None
) -> FloatArray:
    """Return the numbers of units with which leads would be significant with probability 0.8.

    Parameters
    ----------
    lead
        True mean difference of each pair, minus the margin.
    deviation
        Standard deviation of the difference over units, of the same shape.
    level
        One-sided level: half of the winner's share of the error.
    skewness
        Skewness of the differences; ``None`` for symmetric ones. Hall's statistic of the expected values must then reach the same
        quantiles. The larger number of both applies.

    Returns
    -------
    numpy.ndarray
        Whole numbers; infinite without a lead. At least the number with which sign flips can reach the level at all,
        ``log2(1 / level)``.

    Examples
    --------
    >>> units_to_show(np.array([0.1, 0.05, 0.0]), np.array([0.2, 0.2, 0.2]), level=0.025).tolist()
    [32.0, 126.0, inf]
    >>> units_to_show(np.array([5.0]), np.array([0.2]), level=0.025).tolist()
    [6.0]
    >>> units_to_show(np.array([0.1]), np.array([0.2]), level=0.025, skewness=np.array([-3.0])).tolist()
    [96.0]
    """
    from scipy.special import ndtri

    quantile = float(ndtri(1.0 - level) + ndtri(POWER))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        needed = np.ceil((quantile * deviation / lead) ** 2)
        if skewness is not None:
            needed = np.fmax(needed, _by_hall(lead / deviation, skewness, quantile))
    # No number of units suffices at a level of 0, which a change beyond the registered ones has.
    fewest = max(math.ceil(-math.log2(level)), 2) if level > 0.0 else math.inf
    return np.asarray(np.where((lead > 0.0) & np.isfinite(quantile), np.maximum(needed, fewest), np.inf))


def _by_hall(ratio: FloatArray, skewness: FloatArray, quantile: float) -> FloatArray:
    """Return the number n at which √n (T + G T²/3 + G² T³/27) + G/(6 √n) reaches a quantile; not a number for symmetric differences."""
    transformed = np.where(skewness == 0.0, np.nan, ((1.0 + skewness * ratio / 3.0) ** 3 - 1.0) / skewness)
    inside = np.maximum(quantile**2 - 2.0 * transformed * skewness / 3.0, 0.0)
    return np.asarray(np.ceil(((quantile + np.sqrt(inside)) / (2.0 * transformed)) ** 2))


def stated(number: float) -> int | None:
    """Return a number of units as it is stated: ``None`` above `MOST`."""
    return None if number > MOST else int(number)
