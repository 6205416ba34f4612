"""Lead of the first algorithm over others: limits, the claim of a winner, and the failure rate that would cancel it.

The lead is claimed exactly where its lower limit is above the margin. Limit and claim therefore never contradict each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.uncertainty.betting import LeaderBets, PairBets, confirmed_lead
from evaluation.ranking.uncertainty.budgets import allowed_rows
from evaluation.ranking.uncertainty.skewness import moments
from evaluation.ranking.uncertainty.studentized import studentize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from evaluation.ranking.resampling import Contributions
    from evaluation.ranking.uncertainty.sign_flips import SignArray

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
EQUAL_WEIGHTS: Final = 1e-9
FEWEST_OF_LEVEL: Final = 20
"""A two-sided level of fewer rows of the flips than this is tested by a formula."""
_AT_ONCE: Final = 4_000_000


def flip_limits(signs: SignArray, differences: FloatArray, weights: FloatArray, level: float) -> FloatArray:
    """Return one-sided lower limits of differences by inversion of the sign-flip test.

    Parameters
    ----------
    signs
        Flips × units, the first row all +1.
    differences
        Contributions of units to the differences, units × pairs.
    weights
        Weight of each unit.
    level
        One-sided level.

    Returns
    -------
    numpy.ndarray
        A difference of `x` or less is rejected at `level` if and only if `x` is below the limit.

    References
    ----------
    Hartigan, "Using subsample values as typical values", JASA 64, 1969.

    Examples
    --------
    >>> import numpy as np
    >>> from evaluation.ranking.uncertainty.sign_flips import flip_matrix
    >>> values = np.array([[0.1], [0.2], [0.3], [0.4], [0.5], [0.6]]) / 6
    >>> signs = flip_matrix(6, bootstrap=0, seed=1, cases=list("abcdef"))
    >>> flip_limits(signs, values, np.full(6, 1 / 6), 0.025).round(6).tolist()
    [0.1]
    """
    allowed = min(allowed_rows(level, len(signs)), len(signs) - 1)
    lower = np.empty(differences.shape[1])
    of_weights: FloatArray | None = None
    step = max(1, _AT_ONCE // len(signs))
    for start in range(0, differences.shape[1], step):
        pairs = slice(start, min(start + step, differences.shape[1]))
        columns = differences[:, pairs]
        total = columns.sum(axis=0)
        if of_weights is None:
            of_weights = (weights.sum() - signs.astype(np.float64) @ weights) / 2.0
        negative = (total - signs.astype(np.float64) @ columns) / 2.0
        unflipped = of_weights <= EQUAL_WEIGHTS * weights.sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(unflipped[:, None], -np.inf, negative / of_weights[:, None])
        lower[pairs] = np.partition(ratio, allowed, axis=0)[allowed]
    return lower


class Lead:
    """Lower limits of the lead of one algorithm over each other one.

    Parameters
    ----------
    differences
        Contributions of units to the differences of the first from the others, units × others.
    weights
        Weight of each unit.
    stratum_of_unit
        Number of the stratum of each unit.
    signs
        Sign flips × units.
    level
        One-sided level: half of the winner's share of the error.
    margin
        Difference that does not matter.
    counts
        Function that returns the resamples of bootstrap-t, see `evaluation.ranking.uncertainty.studentized.drawn_counts`.
    is_look
        Whether the level is that of one of several changes of the field or of one of several rankings. Levels that flips and draws cannot resolve are
        then tested by a formula.
    """

    def __init__(
        self,
        differences: FloatArray,
        weights: FloatArray,
        stratum_of_unit: IntArray,
        signs: SignArray,
        *,
        level: float,
        margin: float,
        counts: Callable[[], Iterable[FloatArray]],
        is_look: bool = False,
    ) -> None:
        self.differences, self.weights, self.margin, self.level = differences, weights, margin, level
        self.estimates = differences.sum(axis=0)
        self.noise = 1e-12 * float(np.abs(differences).sum(axis=0).max(initial=0.0))
        self._counts, self._strata = counts, stratum_of_unit
        self._by_formula = is_look and 2.0 * level < FEWEST_OF_LEVEL / len(signs)
        self.by_flips = self._formula_limits() if self._by_formula else flip_limits(signs, differences, weights, level)

    def _formula_limits(self) -> FloatArray:
        """Lower limits at a level that flips and draws cannot resolve: Student's t, and Hall's statistic."""
        from scipy.special import stdtrit  # loads faster than scipy.stats

        units = len(self.differences)
        if self.level <= 0.0 or units < 3:
            return np.full(len(self.estimates), -np.inf)
        quantile = float(-stdtrit(units - 1, self.level))
        of_pairs = moments(units * self.differences, noise=units * self.noise)
        plain = of_pairs.mean - quantile * of_pairs.deviation / math.sqrt(units)
        return np.asarray(np.minimum(plain, of_pairs.limit(quantile)))

    @cached_property
    def by_draws(self) -> FloatArray:
        """Lower limits by bootstrap-t."""
        if self._by_formula:
            return self.by_flips
        return studentize(self.differences, self.weights, self._strata, self._counts()).lower_limits(self.level)

    @cached_property
    def lower(self) -> FloatArray:
        """The smaller of both lower limits, for each other algorithm."""
        return np.asarray(np.minimum(self.by_flips, self.by_draws))

    def with_one_more_failure(self, changes: FloatArray | None) -> FloatArray:
        """Return the differences after one more failed unit of the first, the costliest for each other algorithm.

        Parameters
        ----------
        changes
            Changes of the differences by a failure in each unit, units × others; ``None`` if a failure has no value.
        """
        if changes is None:
            return np.full(len(self.estimates), np.inf)
        return np.asarray(self.estimates + changes.min(axis=0, initial=0.0))

    def exceeds(self, limits: FloatArray) -> bool:
        """Return whether all limits are above the margin."""
        return bool((limits > self.margin + self.noise).all())


@dataclass(frozen=True)
class BreakEven:
    """Failure rate of the first algorithm that would cancel its lead.

    Attributes
    ----------
    rate
        Total failure rate up to which the lead over all others is safe.
    estimate
        The same from the observed lead, without its uncertainty.
    other
        Index of the other algorithm with the smallest safe rate.
    cost
        Mean loss by a failure, in the unit of the score.
    """

    rate: float
    estimate: float
    other: int
    cost: float


def break_even(lead: Lead, costs: FloatArray) -> BreakEven | None:
    """Return the failure rate that would cancel a lead.

    Parameters
    ----------
    lead
        Lead on the units in which the first algorithm does not fail.
    costs
        For each other algorithm, the mean difference of its values from the failure value.

    Returns
    -------
    BreakEven or None
        ``None`` if a failure costs nothing.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> known = SimpleNamespace(lower=np.array([0.006]), estimates=np.array([0.024]), margin=0.0)
    >>> result = break_even(known, np.array([0.84]))
    >>> round(result.rate, 4), round(result.estimate, 4)
    (0.0071, 0.0278)
    """
    matters = costs > 0.0  # against an algorithm that is worse than a failure, failures cancel nothing
    if not matters.any():
        return None
    safe = np.maximum(lead.lower - lead.margin, 0.0)
    rates = np.where(matters, safe / np.where(matters, safe + costs, 1.0), np.inf)
    other = int(rates.argmin())
    observed = max(float(lead.estimates[other]) - lead.margin, 0.0)
    return BreakEven(float(rates[other]), observed / (observed + float(costs[other])), other, float(costs[other]))


@dataclass(frozen=True)
class Range:
    """Range of the averaged values, where larger is better.

    Attributes
    ----------
    worst, best
        Its ends.
    """

    worst: float
    best: float

    @property
    def width(self) -> float:
        """Difference of the best from the worst value."""
        return self.best - self.worst


def confirmed(
    contributed: Contributions,
    first: int,
    value_range: Range,
    *,
    names: Sequence[str],
    margin: float,
    winner_share: float,
    strata: int,
    seed: int,
    cases: Sequence[str],
) -> float | None:
    """Return the lead of the first algorithm that holds whatever rare failures there are.

    Parameters
    ----------
    contributed
        Contributions of units to scores, without excluded values.
    first
        Index of the first algorithm.
    value_range
        Range of the averaged values.
    names
        Names of the algorithms, by which ties of the leader so far are decided.
    margin
        Difference that does not matter, in the unit of the score.
    winner_share
        The winner's share of the error.
    strata
        Number of strata.

    Returns
    -------
    float or None
        Lower limit of the lead in the unit of the score; ``None`` if the lead is not confirmed.
    """
    weights = contributed.unit_weights
    scaled = (contributed.plain / weights[:, None] - value_range.worst) / value_range.width
    scaled_margin = margin / value_range.width
    if winner_share <= 0.0 or not 0.0 <= scaled_margin < 1.0:  # a change beyond the registered ones spends nothing
        return None
    scaled = np.clip(scaled, 0.0, 1.0)
    count = scaled.shape[1]
    are_alike = strata <= 1 and float(np.ptp(weights)) <= EQUAL_WEIGHTS * float(weights.max())
    if are_alike:
        order = np.argsort(np.array(names), kind="stable")
        bets: LeaderBets | PairBets = LeaderBets(scaled[:, order], seed=seed, cases=cases)
        first = int(np.flatnonzero(order == first)[0])
        threshold = 2.0 / winner_share
    else:
        bets, threshold = PairBets(scaled, first, weights), max(count, 2) / winner_share
    others = np.flatnonzero(np.arange(count) != first)
    lead = confirmed_lead(bets, others, scaled_margin, threshold)
    return None if lead is None else lead * value_range.width


def fewest_to_unseat(
    differences: FloatArray, stratum_of_unit: IntArray, weights: FloatArray
) -> tuple[int, int, bool] | None:
    """Return the fewest units whose removal makes another algorithm at least as good as the first.

    Parameters
    ----------
    differences
        Contributions of units to the differences of the first from the others, units × others.
    stratum_of_unit, weights
        Stratum and weight of each unit.

    Returns
    -------
    tuple or None
        Number of units, index of the other algorithm, and whether the number is exact (otherwise an upper bound).
        ``None`` if no removal of units suffices.

    Examples
    --------
    >>> import numpy as np
    >>> fewest_to_unseat(np.array([[0.5], [0.3], [-0.2], [-0.1]]), np.zeros(4, dtype=np.int64), np.full(4, 0.25))
    (1, 0, True)
    """
    units = len(differences)
    is_exact = float(np.ptp(weights)) <= EQUAL_WEIGHTS * float(weights.max()) and len(np.unique(stratum_of_unit)) == 1
    if is_exact:
        ordered = -np.sort(-differences, axis=0)
        remaining = ordered.sum(axis=0) - np.cumsum(ordered, axis=0)
        noise = 1e-12 * np.abs(differences).sum(axis=0)
        unseated = remaining[:-1] <= noise
        numbers = np.where(unseated.any(axis=0), unseated.argmax(axis=0) + 1, units)
        best = int(numbers.argmin())
        return None if numbers[best] >= units else (int(numbers[best]), best, True)
    numbers = np.array([_greedy(column, stratum_of_unit, weights) for column in differences.T])
    best = int(numbers.argmin())
    return None if numbers[best] >= units else (int(numbers[best]), best, False)


def _greedy(difference: FloatArray, stratum_of_unit: IntArray, weights: FloatArray) -> int:
    """Remove the unit that lowers the difference most, until it is 0 or less; strata keep their weights."""
    left = np.ones(len(difference), dtype=bool)
    strata = np.unique(stratum_of_unit)
    totals = {int(stratum): float(weights[stratum_of_unit == stratum].sum()) for stratum in strata}
    noise = 1e-12 * float(np.abs(difference).sum())
    for removed in range(len(difference)):
        sums = {s: float(difference[left & (stratum_of_unit == s)].sum()) for s in totals}
        sizes = {s: float(weights[left & (stratum_of_unit == s)].sum()) for s in totals}
        if sum(totals[s] * sums[s] / sizes[s] for s in totals if sizes[s] > 0) <= noise:
            return removed
        best_gain, best_unit = -math.inf, -1
        for stratum, total in totals.items():
            members = np.flatnonzero(left & (stratum_of_unit == stratum))
            if len(members) < 2:
                continue
            after = total * (sums[stratum] - difference[members]) / (sizes[stratum] - weights[members])
            gains = total * sums[stratum] / sizes[stratum] - after
            if gains.max() > best_gain:
                best_gain, best_unit = float(gains.max()), int(members[gains.argmax()])
        if best_unit < 0:
            return len(difference)
        left[best_unit] = False
    return len(difference)
