"""Intervals of scores that cover: Student's t and Hall's transformation, whichever is wider at each end.

Percentiles of resamples cover the true mean of few skewed values too seldom. Values outside the cases are taken to fail as
often as observed, so rare failures that no case shows make the intervals too narrow. An exception is `PERFECT`, which is valid
for every distribution. How often the intervals cover is measured in `docs/correctness/coverage.md`.

References
----------
Hall, "On the removal of skewness by transformation", Journal of the Royal Statistical Society B 54, 1992.
Clopper, Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26, 1934.
Obuchowski, Lieber, "Confidence bounds when the estimated ROC area is 1.0", Academic Radiology 9, 2002 (why resamples cannot give them).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.reading import EXACT
from evaluation.ranking.uncertainty.skewness import moments

if TYPE_CHECKING:
    from evaluation.assessment.model import MetricUse
    from evaluation.ranking.uncertainty.leads import Range

FloatArray = npt.NDArray[np.float64]
FEWEST_UNITS: Final = 8
"""Fewest units for which the coverage of values with a range is at least 0.93."""
FEWEST_UNITS_WITHOUT_RANGE: Final = 40
"""The same for values without a range, which may be as skewed as log-normal ones."""
HALL_AND_T, PERFECT = "hall_and_t", "perfect"
UNLIMITED: Final = (-math.inf, math.inf)
_ROUNDING: Final = 1e-12
_SLACK: Final = 1e-9


@dataclass(frozen=True)
class ScoreInterval:
    """Interval of a score.

    Attributes
    ----------
    low, high
        Its ends, in the direction of the values.
    method
        ``hall_and_t``, or ``perfect`` if all values are the best possible one: the lower end is then one-sided. ``exact_one_sided``
        for a value of the whole data set that is the best or the worst possible one.
    level
        Confidence level.
    """

    low: float
    high: float
    method: str
    level: float

    def document(self, *, higher_is_better: bool) -> dict[str, Any]:
        """Entry of a ranking document."""
        ends = [self.low, self.high] if higher_is_better else [0.0 - self.high, 0.0 - self.low]
        return {"interval": ends, "method": self.method, "level": self.level}


def score_intervals(
    values: FloatArray, level: float, value_range: Range | None, *, limits: tuple[float, float] = UNLIMITED
) -> list[ScoreInterval | None]:
    """Return the intervals of means of units.

    No end lies outside the range of the values. A mean of such values lies inside as well, so an interval that is cut
    contains the true mean exactly as often as before.

    Parameters
    ----------
    values
        Contributions of units to the scores multiplied by the number of units, units × algorithms, where larger is better.
    level
        Confidence level of each interval.
    value_range
        Range of the values, by which intervals are cut; ``None`` if it is not bounded at both ends.
    limits
        Lowest and highest possible value, where only one end of the range is known. The other one is infinite.

    Returns
    -------
    list
        ``None`` for fewer than `FEWEST_UNITS` units, or `FEWEST_UNITS_WITHOUT_RANGE` if there is no range, and for equal
        values that are not the best possible ones.

    Examples
    --------
    >>> import numpy as np
    >>> from evaluation.ranking.uncertainty.leads import Range
    >>> perfect = score_intervals(np.ones((20, 1)), 0.95, Range(0.0, 1.0))[0]
    >>> round(perfect.low, 3), perfect.high, perfect.method
    (0.861, 1.0, 'perfect')
    >>> distances = np.array([[-0.1]] * 45 + [[-40.0]])
    >>> cut = score_intervals(distances, 0.95, None, limits=(-np.inf, 0.0))[0]
    >>> cut.document(higher_is_better=False)["interval"][0]
    0.0
    """
    from scipy.special import stdtrit  # loads faster than scipy.stats

    units, count = values.shape
    if units < (FEWEST_UNITS_WITHOUT_RANGE if value_range is None else FEWEST_UNITS):
        return [None] * count
    scale = float(np.abs(values).max(initial=0.0))
    of_scores = moments(values, noise=_ROUNDING * scale)
    quantile = float(stdtrit(units - 1, (1.0 + level) / 2.0))
    half = quantile * of_scores.deviation / math.sqrt(units)
    low = np.minimum(of_scores.mean - half, of_scores.limit(quantile))
    high = np.maximum(of_scores.mean + half, of_scores.limit(-quantile))
    if value_range is not None:
        low, high = np.maximum(low, value_range.worst), np.minimum(high, value_range.best)
    low, high = np.maximum(low, limits[0]), np.minimum(high, limits[1])
    intervals: list[ScoreInterval | None] = []
    for index in range(count):
        if of_scores.deviation[index] > 0.0:
            intervals.append(ScoreInterval(float(low[index]), float(high[index]), HALL_AND_T, level))
        elif value_range is not None and of_scores.mean[index] >= value_range.best - _ROUNDING * scale:
            lowest = value_range.worst + value_range.width * (1.0 - level) ** (1.0 / units)
            intervals.append(ScoreInterval(lowest, value_range.best, PERFECT, level))
        else:
            intervals.append(None)
    return intervals


def limits_of(metric: MetricUse, values: FloatArray) -> tuple[float, float]:
    """Return the ends of the range of a metric; infinite where none is known, or where values are outside.

    A registered penalty for a missing value may be outside the range, and so may a mean of such values.
    """
    ends = (metric.worst, metric.best) if metric.higher_is_better else (metric.best, metric.worst)
    low, high = -math.inf if ends[0] is None else ends[0], math.inf if ends[1] is None else ends[1]
    finite = values[np.isfinite(values)]
    slack = _SLACK * max(1.0, float(np.abs(finite).max(initial=0.0)))
    return (
        low if finite.min(initial=math.inf) >= low - slack else -math.inf,
        high if finite.max(initial=-math.inf) <= high + slack else math.inf,
    )


def interval_of_extreme(value: float, trials: int, level: float) -> ScoreInterval | None:
    """Return the exact one-sided interval of a value of the whole data set that is 0 or 1.

    All resamples of such a value are equal, so that they give no interval.

    Parameters
    ----------
    value
        The value, where 0 and 1 are the ends of its range.
    trials
        Number m of independent trials: a value of 1 has at most the probability θᵐ, and a value of 0 at most (1 − θ)ᵐ, if θ is the
        true value.
    level
        Confidence level.

    Returns
    -------
    ScoreInterval or None
        ``None`` for any other value, and without trials.

    Examples
    --------
    >>> perfect = interval_of_extreme(1.0, 10, 0.95)
    >>> round(perfect.low, 3), perfect.high
    (0.741, 1.0)
    >>> none_right = interval_of_extreme(0.0, 10, 0.95)
    >>> none_right.low, round(none_right.high, 3)
    (0.0, 0.259)
    """
    if trials < 1 or value not in (0.0, 1.0):
        return None
    bound = (1.0 - level) ** (1.0 / trials)
    low, high = (bound, 1.0) if value == 1.0 else (0.0, 1.0 - bound)
    return ScoreInterval(low, high, EXACT, level)
