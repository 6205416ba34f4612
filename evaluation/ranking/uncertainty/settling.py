"""Numbers of cases that would settle an open comparison with the first algorithm.

The number is uncertain, since it is estimated from the data of the comparison itself. It is therefore shown with the range
over resampled data.

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
_EDGES: Final = (0.05, 0.95)


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
    from scipy.special import ndtri

    units = len(differences)
    quantile = float(ndtri(1.0 - level) + ndtri(POWER))
    every = [np.ones((1, units))]
    observed = resampled_differences(differences, weights, stratum_of_unit, every)
    resampled = resampled_differences(
        differences, weights, stratum_of_unit, drawn_counts(stratum_of_unit, seed=seed, cases=cases, draws=DRAWS)
    )
    estimates = _needed(*observed, margin=margin, quantile=quantile, units=units)[0]
    drawn = np.sort(_needed(*resampled, margin=margin, quantile=quantile, units=units), axis=0)
    low, high = (drawn[math.ceil(edge * DRAWS) - 1] for edge in _EDGES)
    return [
        UnitsToSettle(_stated(estimate), _stated(min(least, estimate)), _stated(max(most, estimate)))
        for estimate, least, most in zip(estimates, low, high, strict=True)
    ]


def _needed(differences: FloatArray, errors: FloatArray, *, margin: float, quantile: float, units: int) -> FloatArray:
    """Numbers of units; infinite without a lead."""
    lead = differences - margin
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        needed = np.ceil(units * (quantile * errors / lead) ** 2)
    return np.asarray(np.where(lead > 0.0, np.maximum(needed, 2.0), np.inf))


def _stated(number: float) -> int | None:
    return None if number > MOST else int(number)
