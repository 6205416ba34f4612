"""Hall's statistic: a guard against skewed differences for rank sets, letters and intervals.

The sign-flip test assumes that differences are symmetric around their mean. Hall's transformation of Student's t removes
the effect of skewness up to the second order. It needs no resamples and exists for every level.

A long tail that no unit of a pair shows is not in the skewness of that pair, and with many algorithms some pair looks
significant for this reason. The skewness that is typical of all pairs shows the tail. Each pair is therefore judged by its own
skewness and by the typical one in the adverse direction, and the more cautious result applies.

References
----------
Hall, "On the removal of skewness by transformation", Journal of the Royal Statistical Society B 54, 1992.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
FEWEST = 3
"""Minimum number of units for which a skewness is defined."""
_FEWEST_ALGORITHMS = 3
_NORMAL_MEDIAN = 0.6745
"""Median of the absolute value of a standard normal variable."""


@dataclass(frozen=True)
class Moments:
    """Moments of the differences of pairs.

    Attributes
    ----------
    units
        Number of units.
    mean, deviation
        Mean difference and standard deviation (divisor ``units - 1``) of each pair.
    skewness
        Adjusted Fisher-Pearson skewness of each pair; 0 where the differences do not vary.
    """

    units: int
    mean: FloatArray
    deviation: FloatArray
    skewness: FloatArray

    def statistics(self, typical: float = 0.0) -> FloatArray:
        """Return Hall's statistic of each pair; infinite where all differences are the same and not 0.

        Parameters
        ----------
        typical
            Typical skewness of all pairs, at least 0. The statistic closer to 0 of the pair's own skewness and of this one in the
            adverse direction applies; a statistic on the other side of 0 is kept.
        """
        statistic = self._statistics(self.skewness)
        if typical <= 0.0:
            return statistic
        sign = np.where(self.mean < 0.0, -1.0, 1.0)
        return np.asarray(sign * np.minimum(sign * statistic, sign * self._statistics(-sign * typical)))

    def _statistics(self, skewness: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = self.mean / self.deviation
        ratio = np.where(self.deviation > 0.0, ratio, 0.0)
        value = np.sqrt(self.units) * (
            ratio + skewness * ratio**2 / 3.0 + skewness**2 * ratio**3 / 27.0 + skewness / (6.0 * self.units)
        )
        constant = np.where(self.mean == 0.0, 0.0, np.copysign(np.inf, self.mean))
        return np.asarray(np.where(self.deviation > 0.0, value, constant))

    def limit(self, quantile: float, typical: float = 0.0) -> FloatArray:
        """Return the limit of the mean at which Hall's statistic equals a quantile.

        Parameters
        ----------
        quantile
            A positive quantile gives the lower limit, a negative one the upper limit.
        typical
            Typical skewness of all pairs, at least 0. The outer limit of the pair's own skewness and of this one in the adverse
            direction applies.
        """
        limit = self._limit(quantile, self.skewness)
        if typical <= 0.0:
            return limit
        adverse = self._limit(quantile, np.full_like(self.skewness, -np.copysign(typical, quantile)))
        return np.asarray(np.minimum(limit, adverse) if quantile > 0.0 else np.maximum(limit, adverse))

    def _limit(self, quantile: float, skewness: FloatArray) -> FloatArray:
        standardized = quantile / np.sqrt(self.units)
        skewed = np.abs(skewness) > 1e-9
        skewness = np.where(skewed, skewness, 1.0)
        bent = 3.0 / skewness * (np.cbrt(1.0 + skewness * (standardized - skewness / (6.0 * self.units))) - 1.0)
        return np.asarray(self.mean - self.deviation * np.where(skewed, bent, standardized))


def moments(differences: FloatArray, *, noise: float = 0.0) -> Moments:
    """Return the moments of differences.

    Parameters
    ----------
    differences
        Units × pairs, each on the scale of the mean.
    noise
        Standard deviation up to which differences are regarded as equal.

    Examples
    --------
    >>> import numpy as np
    >>> of_one = moments(np.array([[1.0], [2.0], [6.0]]))
    >>> float(of_one.mean[0]), round(float(of_one.deviation[0]), 4), round(float(of_one.skewness[0]), 4)
    (3.0, 2.6458, 1.4579)
    """
    units = len(differences)
    mean = differences.mean(axis=0)
    centred = differences - mean
    squares = np.einsum("up,up->p", centred, centred)
    cubes = np.einsum("up,up,up->p", centred, centred, centred)
    deviation = np.sqrt(squares / max(units - 1, 1))
    varies = (deviation > noise) & (squares > 0.0)
    skewness = np.zeros(len(mean))
    if units >= FEWEST:
        spread = np.where(varies, squares / units, 1.0) ** 1.5
        factor = np.sqrt(units * (units - 1.0)) / (units - 2.0)
        skewness = np.where(varies, factor * (cubes / units) / spread, 0.0)
    return Moments(units, np.asarray(mean), np.where(varies, deviation, 0.0), skewness)


def typical_skewness(of_pairs: Moments, first: IntArray, second: IntArray) -> float:
    """Return the absolute skewness that is typical of the differences of all pairs, without the part due to chance.

    It is the median over pairs that vary. The algorithm with the most skewed pairs is excluded if this makes the median smaller:
    failures of one algorithm say nothing about the others. The part due to chance is that of normal differences.

    Parameters
    ----------
    of_pairs
        Moments of the differences of all unordered pairs.
    first, second
        Indices of the two algorithms of each pair.

    Returns
    -------
    float
        0 for fewer than three algorithms, without pairs of the other algorithms, and where the skewness is not larger than that of normal differences.

    Notes
    -----
    For n normal differences the adjusted skewness has the variance 6n(n − 1)/((n − 2)(n + 1)(n + 3)).

    Examples
    --------
    >>> import numpy as np
    >>> skewed = Moments(20, np.zeros(3), np.ones(3), np.array([1.5, -2.0, 4.0]))
    >>> round(typical_skewness(skewed, np.array([0, 0, 1]), np.array([1, 2, 2])), 2)
    1.46
    """
    varies = of_pairs.deviation > 0.0
    skewness, first, second = np.abs(of_pairs.skewness[varies]), first[varies], second[varies]
    algorithms = np.union1d(first, second)
    units = of_pairs.units
    if len(algorithms) < _FEWEST_ALGORITHMS or units < FEWEST:
        return 0.0
    of_algorithms = [float(np.median(skewness[(first == one) | (second == one)])) for one in algorithms]
    most = algorithms[int(np.argmax(of_algorithms))]
    others = skewness[(first != most) & (second != most)]
    if not len(others):
        return 0.0
    median = min(float(np.median(skewness)), float(np.median(others)))
    by_chance = 6.0 * units * (units - 1.0) / ((units - 2.0) * (units + 1.0) * (units + 3.0))
    return float(np.sqrt(max(0.0, median**2 - _NORMAL_MEDIAN**2 * by_chance)))


def critical_t(critical: float, units: int) -> float:
    """Return the critical value of t that corresponds to one of the self-normalised statistic.

    Parameters
    ----------
    critical
        Critical value of the sum of differences divided by the root of their sum of squares.
    units
        Number of units.

    Returns
    -------
    float
        Infinity if no sample can reach the critical value.

    Examples
    --------
    >>> round(critical_t(2.0, 20), 4), critical_t(3.0, 9)
    (2.1794, inf)
    """
    if critical**2 >= units:
        return float("inf")
    return critical * float(np.sqrt(units - 1)) / float(np.sqrt(units - critical**2))
