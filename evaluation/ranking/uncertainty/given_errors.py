"""Comparisons of values with given standard errors, which are taken as they are.

Errors are normal and independent between algorithms. Neither the number of listed cases nor resamples nor a seed enters.

References
----------
Hayter, "A proof of the conjecture that the Tukey-Kramer multiple comparisons procedure is conservative", Annals of Statistics 12, 1984.
Mogstad, Romano, Shaikh, Wilhelm, "Inference for ranks with applications to mobility across neighbourhoods and academic
achievement across countries", Review of Economic Studies 91, 2024.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
_SAMPLES: Final = 200_000
"""Normal samples of a critical value that has no integral in one dimension: its standard error is about 0.003."""
_NUMBERS_AT_ONCE: Final = 4_000_000
_MOST_NUMBERS: Final = 60_000_000
_SEED: Final = 20_261_129
_ROUNDING: Final = 1e-9


@lru_cache(maxsize=256)
def range_quantile(share: float, algorithms: int) -> float:
    """Return the critical value of all standardized differences of independent values with equal errors.

    Parameters
    ----------
    share
        Probability with which the largest of all standardized differences exceeds the critical value.

    Examples
    --------
    >>> round(range_quantile(0.05, 10), 3), round(range_quantile(0.05, 2), 3)
    (3.164, 1.96)
    """
    from scipy.integrate import quad
    from scipy.optimize import brentq
    from scipy.stats import norm

    def exceeded(critical: float) -> float:
        width = critical * math.sqrt(2.0)

        def density(lowest: float) -> float:
            inside = norm.cdf(lowest + width) - norm.cdf(lowest)
            return float(norm.pdf(lowest) * inside ** (algorithms - 1))

        covered, _ = quad(density, -9.0, 9.0, epsabs=1e-12, limit=200)
        return float(1.0 - algorithms * covered - share)

    return float(brentq(exceeded, 0.01, 20.0, xtol=1e-6))


@dataclass(frozen=True)
class GivenErrors:
    """Values with standard errors, where larger is better.

    Attributes
    ----------
    values, errors
        One number for each algorithm; errors are above 0 or 0.
    """

    values: FloatArray
    errors: FloatArray

    @cached_property
    def differences(self) -> FloatArray:
        """Row minus column."""
        return np.asarray(self.values[:, None] - self.values[None, :])

    @cached_property
    def error_of_differences(self) -> FloatArray:
        """Standard errors of the differences."""
        return np.sqrt(self.errors[:, None] ** 2 + self.errors[None, :] ** 2)

    @cached_property
    def standardized(self) -> FloatArray:
        """Differences in standard errors; infinite for different values without error, 0 for equal ones."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = self.differences / self.error_of_differences
        return np.where(self.differences == 0.0, 0.0, ratio)

    def p_values(self) -> FloatArray:
        """Return one-sided p-values of "row is better than column", not adjusted."""
        from scipy.stats import norm

        p_own = norm.sf(self.standardized)
        np.fill_diagonal(p_own, np.nan)
        return np.asarray(p_own)

    def shown(self, share: float) -> tuple[BoolArray, float]:
        """Return the pairs whose order is significant, all at once and in steps, and the first critical value."""
        count = len(self.values)
        shown_better = np.zeros((count, count), dtype=bool)
        alive = np.triu(self.error_of_differences > 0.0, 1)
        shown_better |= np.isposinf(self.standardized)
        first: float | None = None
        while alive.any():
            critical = self.critical(share, alive)
            first = critical if first is None else first
            new = alive & (np.abs(self.standardized) > critical + _ROUNDING)
            if not new.any():
                break
            shown_better |= (new | new.T) & (self.standardized > 0.0)
            alive &= ~new
        return shown_better, first or 0.0

    def critical(self, share: float, pairs: BoolArray) -> float:
        """Return the value that the largest standardized difference of some pairs exceeds with a probability of `share`.

        Parameters
        ----------
        pairs
            Upper triangle of the matrix of pairs.
        """
        involved = np.flatnonzero(pairs.any(axis=0) | pairs.any(axis=1))
        bound = range_quantile(share, len(involved))  # never too small, whatever the errors
        is_complete = int(pairs.sum()) == len(involved) * (len(involved) - 1) // 2
        if is_complete and float(np.ptp(self.errors[involved])) <= _ROUNDING * float(self.errors.max()):
            return bound
        rows, columns = np.nonzero(pairs)
        samples = min(_SAMPLES, max(20_000, _MOST_NUMBERS // len(rows)))
        random = np.random.Generator(np.random.Philox(_SEED))
        largest = []
        step = max(1, _NUMBERS_AT_ONCE // len(rows))
        scale = self.error_of_differences[rows, columns]
        for start in range(0, samples, step):
            normal = random.standard_normal((min(step, samples - start), len(self.values))) * self.errors
            largest.append((np.abs(normal[:, rows] - normal[:, columns]) / scale).max(axis=1))
        return min(bound, float(np.quantile(np.concatenate(largest), 1.0 - share)))

    def limits(self, winner: int, level: float) -> FloatArray:
        """Return lower limits of the differences of one algorithm from all, each at a one-sided level."""
        from scipy.stats import norm

        return np.asarray(self.differences[winner] - float(norm.isf(level)) * self.error_of_differences[winner])

    def interval(self, first: int, other: int, critical: float) -> tuple[float, tuple[float, float]]:
        """Return the difference of two algorithms and its simultaneous interval."""
        estimate, error = float(self.differences[first, other]), float(self.error_of_differences[first, other])
        return estimate, (estimate - critical * error, estimate + critical * error)
