"""Numbers of cases that would show a difference: the one definition of boards, reports and the simulation of designs.

A number from data is uncertain, since it is estimated from the data of the comparison itself. It is therefore shown with the
range over resampled data.

References
----------
Lachin, "Introduction to sample size determination and power analysis for clinical trials", Controlled Clinical Trials 2, 1981.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.uncertainty.studentized import drawn_counts, resampled_differences

if TYPE_CHECKING:
    from collections.abc import Sequence

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
MOST: Final = 10_000
"""Largest number that is stated."""
DRAWS: Final = 400
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
) -> list[UnitsToSettle]:
    """Return the numbers of units that would settle each comparison.

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
    """
    units = len(differences)
    every = [np.ones((1, units))]
    observed, error = resampled_differences(differences, weights, stratum_of_unit, every)
    resampled, errors = resampled_differences(
        differences, weights, stratum_of_unit, drawn_counts(stratum_of_unit, seed=seed, cases=cases, draws=DRAWS)
    )
    estimates = units_to_show(observed - margin, error * math.sqrt(units), level=level)[0]
    drawn = np.sort(units_to_show(resampled - margin, errors * math.sqrt(units), level=level), axis=0)
    low, high = (drawn[math.ceil(edge * DRAWS) - 1] for edge in EDGES)
    return [
        UnitsToSettle(stated(estimate), stated(min(least, estimate)), stated(max(most, estimate)))
        for estimate, least, most in zip(estimates, low, high, strict=True)
    ]


def units_to_show(lead: FloatArray, deviation: FloatArray, *, level: float) -> FloatArray:
    """Return the numbers of units with which leads would be significant with probability 0.8.

    Parameters
    ----------
    lead
        True mean difference of each pair, minus the margin.
    deviation
        Standard deviation of the difference over units, of the same shape.
    level
        One-sided level: half of the winner's share of the error.

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
    """
    from scipy.special import ndtri

    quantile = float(ndtri(1.0 - level) + ndtri(POWER))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        needed = np.ceil((quantile * deviation / lead) ** 2)
    # No number of units suffices at a level of 0, which a change beyond the registered ones has.
    fewest = max(math.ceil(-math.log2(level)), 2) if level > 0.0 else math.inf
    return np.asarray(np.where((lead > 0.0) & np.isfinite(quantile), np.maximum(needed, fewest), np.inf))


def stated(number: float) -> int | None:
    """Return a number of units as it is stated: ``None`` above `MOST`."""
    return None if number > MOST else int(number)
