"""Hall's statistic: a guard against skewed differences for rank sets, letters and intervals.

The sign-flip test assumes that differences are symmetric around their mean. Hall's transformation of Student's t removes
the effect of skewness up to the second order. It needs no resamples and exists for every level.

References
----------
Hall, "On the removal of skewness by transformation", Journal of the Royal Statistical Society B 54, 1992.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
FEWEST = 3
"""Minimum number of units for which a skewness is defined."""


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

    @property
    def statistics(self) -> FloatArray:
        """Hall's statistic of each pair; infinite where all differences are the same and not 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = self.mean / self.deviation
        ratio = np.where(self.deviation > 0.0, ratio, 0.0)
        skewness = self.skewness
        value = np.sqrt(self.units) * (
            ratio + skewness * ratio**2 / 3.0 + skewness**2 * ratio**3 / 27.0 + skewness / (6.0 * self.units)
        )
        constant = np.where(self.mean == 0.0, 0.0, np.copysign(np.inf, self.mean))
        return np.asarray(np.where(self.deviation > 0.0, value, constant))

    def limit(self, quantile: float) -> FloatArray:
        """Return the limit of the mean at which Hall's statistic equals a quantile.

        A positive quantile gives the lower limit, a negative one the upper limit.
        """
        standardized = quantile / np.sqrt(self.units)
        skewed = np.abs(self.skewness) > 1e-9
        skewness = np.where(skewed, self.skewness, 1.0)
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
