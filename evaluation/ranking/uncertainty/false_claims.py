"""Probability that the first algorithm is not the best, from the observed units.

References
----------
Rubin, "The Bayesian bootstrap", Annals of Statistics 9, 1981; Learned-Miller, Thomas, "A new confidence interval for the
mean of a bounded random variable", arXiv 1905.06208, 2020.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.canonical import sha256

if TYPE_CHECKING:
    from collections.abc import Sequence

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
VERSION: Final = "podium-bayes-1"
DRAWS: Final = 1000
_AT_ONCE: Final = 4_000_000


@dataclass(frozen=True)
class Probabilities:
    """Probabilities that the first algorithm is better than, equivalent to or worse than the best of the others.

    They apply if failures are as frequent as observed.
    """

    better: float
    equivalent: float
    worse: float

    @property
    def document(self) -> dict[str, Any]:
        """Probabilities as entries of a ranking document."""
        return {"better": self.better, "equivalent": self.equivalent, "worse": self.worse}


def of_leads(leads: FloatArray, margin: float) -> Probabilities:
    """Return the shares of leads above the margin, within it, and below it.

    Parameters
    ----------
    leads
        Draws of the lead over the best of the others.
    margin
        Difference that does not matter.

    Examples
    --------
    >>> import numpy as np
    >>> of_leads(np.array([0.3, 0.0, -0.1, 0.2]), 0.05)
    Probabilities(better=0.5, equivalent=0.25, worse=0.25)
    """
    better, worse = float((leads > margin).mean()), float((leads < -margin).mean())
    return Probabilities(better, max(0.0, 1.0 - better - worse), worse)


def resampled_leads(
    differences: FloatArray,
    weights: FloatArray,
    stratum_of_unit: IntArray,
    *,
    seed: int,
    cases: Sequence[str],
    added: FloatArray | None = None,
) -> FloatArray:
    """Return draws of the lead over the best of the others by the Bayesian bootstrap.

    Parameters
    ----------
    differences
        Contributions of units to the differences of the first from the others, units × others.
    weights, stratum_of_unit
        Weight and stratum of each unit.
    seed, cases
        The key of the random numbers.
    added
        Differences in one more unit, one for each other algorithm; ``None`` for none. It belongs to the first stratum.
    """
    units = len(differences) + (added is not None)
    if added is not None:
        typical = float(weights.mean())
        differences = np.vstack([differences, typical * added])
        weights = np.append(weights, typical)
        stratum_of_unit = np.append(stratum_of_unit, stratum_of_unit[0])
    members = [np.flatnonzero(stratum_of_unit == stratum) for stratum in np.unique(stratum_of_unit)]
    key = int(sha256([VERSION, seed, list(cases)])[:32], 16)
    random = np.random.Philox(key=key)
    share = weights.sum()
    leads = np.empty(DRAWS)
    step = max(1, _AT_ONCE // units)
    for start in range(0, DRAWS, step):
        rows = min(step, DRAWS - start)
        words = random.random_raw(rows * units).reshape(rows, units) >> np.uint64(11)
        gamma = -np.log((words.astype(np.float64) + 0.5) * 2.0**-53)
        drawn = np.zeros((rows, differences.shape[1]))
        for inside in members:
            total = weights[inside].sum() / share
            drawn += total * (gamma[:, inside] @ differences[inside]) / (gamma[:, inside] @ weights[inside])[:, None]
        leads[start : start + rows] = share * drawn.min(axis=1)
    return leads
