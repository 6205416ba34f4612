"""Bootstrap-t limits of the lead of one algorithm over others (``podium-bootstrap-t-1``).

Units are drawn with replacement within their strata. Each resample gives a t statistic around the observed difference.
The distribution of these statistics follows the skewness of the data, unlike Student's.

References
----------
Efron, Tibshirani, "An Introduction to the Bootstrap", Chapman and Hall 1993, section 12.5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation.canonical import sha256

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
VERSION: Final = "podium-bootstrap-t-1"
DRAWS: Final = 2000
_HALF_WORD: Final = np.uint64(32)
_AT_ONCE: Final = 4_000_000
_NO_SPREAD: Final = 1e-12
_ROUNDING: Final = 1e-9


def drawn_counts(
    stratum_of_unit: IntArray, *, seed: int, cases: Sequence[str], draws: int = DRAWS
) -> Iterator[FloatArray]:
    """Yield how often each unit occurs in each resample, in blocks of resamples × units.

    Parameters
    ----------
    stratum_of_unit
        Number of the stratum of each unit.
    seed, cases
        The key of the random numbers, as for other resamples.
    draws
        Number of resamples.
    """
    key = int(sha256([VERSION, seed, list(cases)])[:32], 16)
    random = np.random.Philox(key=key)
    units = len(stratum_of_unit)
    order = np.argsort(stratum_of_unit, kind="stable")
    sizes = np.bincount(stratum_of_unit)
    sizes = sizes[sizes > 0]
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    size_of_position = np.repeat(sizes, sizes).astype(np.uint64)
    step = max(1, _AT_ONCE // max(units, 1))
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        words = random.random_raw(rows * units).reshape(rows, units) >> _HALF_WORD
        positions = ((words * size_of_position) >> _HALF_WORD).astype(np.int64) + starts
        flat = order[positions] + np.arange(rows)[:, None] * units
        yield np.bincount(flat.ravel(), minlength=rows * units).reshape(rows, units).astype(np.float64)


@dataclass(frozen=True)
class Studentized:
    """Differences of one algorithm from others with their bootstrap-t distributions.

    Attributes
    ----------
    estimates, errors
        Difference and standard error of each pair.
    statistics
        t statistics of the resamples, resamples × pairs, in ascending order of each column. A resample without spread
        is infinite if its difference is above the observed one, and minus infinity otherwise.
    """

    estimates: FloatArray
    errors: FloatArray
    statistics: FloatArray

    def lower_limits(self, level: float) -> FloatArray:
        """Return the one-sided lower limits of the differences.

        A difference of `x` or less is rejected at `level` if and only if `x` is below the limit. The p-value counts
        the data themselves as one resample.

        Parameters
        ----------
        level
            One-sided level.
        """
        draws = len(self.statistics)
        allowed = math.floor(level * (draws + 1) + _ROUNDING) - 1
        if allowed < 0:
            return np.full(len(self.estimates), -np.inf)
        edge = self.statistics[draws - 1 - min(allowed, draws - 1)]
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(self.errors > 0.0, self.estimates - edge * self.errors, self.estimates))


def studentize(
    differences: FloatArray, weights: FloatArray, stratum_of_unit: IntArray, counts: Iterable[FloatArray]
) -> Studentized:
    """Return differences with their standard errors and bootstrap-t distributions.

    Parameters
    ----------
    differences
        Contributions of units to the differences, units × pairs. A difference is the sum of a column.
    weights
        Weight of each unit. The contribution of a unit is its own difference multiplied by its weight.
    stratum_of_unit
        Number of the stratum of each unit.
    counts
        Blocks of resamples × units, see `drawn_counts`.
    """
    estimates, errors, centred, members = _centred(differences, weights, stratum_of_unit)
    blocks = []
    for block in counts:
        shift, variance, is_constant = _resampled(block, centred, weights, members)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = shift / np.sqrt(variance)
        blocks.append(np.where(is_constant, np.where(shift > 0.0, np.inf, -np.inf), value))
    statistics = np.concatenate(blocks)
    statistics.sort(axis=0)
    return Studentized(estimates, errors, statistics)


def resampled_differences(
    differences: FloatArray, weights: FloatArray, stratum_of_unit: IntArray, counts: Iterable[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return differences and their standard errors in resamples, each resamples × pairs.

    The parameters are those of `studentize`.
    """
    estimates, _, centred, members = _centred(differences, weights, stratum_of_unit)
    moved = [_resampled(block, centred, weights, members)[:2] for block in counts]
    shift = np.concatenate([one for one, _ in moved])
    return estimates + shift, np.sqrt(np.concatenate([variance for _, variance in moved]))


def _centred(
    differences: FloatArray, weights: FloatArray, stratum_of_unit: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray, list[IntArray]]:
    """Differences, their standard errors, deviations within strata, and the units of each stratum."""
    members = [np.flatnonzero(stratum_of_unit == stratum) for stratum in np.unique(stratum_of_unit)]
    centred = np.empty_like(differences)
    variance = np.zeros(differences.shape[1])
    for units in members:
        total = weights[units].sum()
        centred[units] = differences[units] - weights[units, None] * (differences[units].sum(axis=0) / total)
        variance += _small_sample(len(units)) * (centred[units] ** 2).sum(axis=0)
    estimates = differences.sum(axis=0)
    noise = _NO_SPREAD * (np.abs(differences).sum(axis=0) / max(len(differences), 1)) ** 2
    return estimates, np.sqrt(np.where(variance > noise, variance, 0.0)), centred, members


def _small_sample(units: int) -> float:
    return units / (units - 1.0) if units > 1 else 1.0


def _resampled(
    counts: FloatArray, centred: FloatArray, weights: FloatArray, members: Sequence[IntArray]
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Shifts of the differences, their variances, and whether there is no spread, each resamples × pairs."""
    shift = np.zeros((len(counts), centred.shape[1]))
    variance, scale = np.zeros_like(shift), np.zeros_like(shift)
    for units in members:
        drawn, part, weight = counts[:, units], centred[units], weights[units]
        drawn_weight = (drawn @ weight)[:, None]
        sums = drawn @ part
        moved = sums / drawn_weight
        squares = drawn @ part**2
        # Equal weights are the rule, and need no product of their own.
        weighted = weight[0] * sums if (weight == weight[0]).all() else drawn @ (weight[:, None] * part)
        spread = squares - 2.0 * moved * weighted + moved**2 * (drawn @ weight**2)[:, None]
        ratio = (weight.sum() / drawn_weight) ** 2 * _small_sample(len(units))
        shift += weight.sum() * moved
        variance += ratio * np.maximum(spread, 0.0)
        scale += ratio * squares
    return shift, variance, variance <= _NO_SPREAD * scale
