"""Simultaneous comparisons where a rank is no mean: would a plausible shift of all scores change the order?

Deviations of resampled scores from those of the full data are inflated and sent through the rest of the ranking. What
no such shift reverses is shown.

References
----------
Efron, Tibshirani, "The problem of regions", Annals of Statistics 26, 1998.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evaluation.ranking.scores import snap, spread_around_median

if TYPE_CHECKING:
    from evaluation.ranking.uncertainty.elementary import Elementary, Ranking

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Spread:
    """Numbers of units and strata that determine the inflation of draws.

    Attributes
    ----------
    units, strata
        Numbers of the task with the fewest units.
    smallest
        Units of the smallest stratum, all units if there are no strata.
    """

    units: int
    strata: int
    smallest: int

    @property
    def growth(self) -> float:
        """By how much the spread of draws is too small with few units."""
        return float(np.sqrt(self.smallest / (self.smallest - 1)))

    def critical(self, share: float) -> float:
        """Inflated quantile of Student's t."""
        return self.growth * _student(share, self.units - max(self.strata, 1))


@lru_cache(maxsize=4096)
def _student(share: float, freedom: int) -> float:
    """The value that Student's t exceeds in a share of cases; SciPy takes as long for one as a step of a small board."""
    from scipy.special import stdtrit  # loads faster than scipy.stats

    return float(-stdtrit(freedom, share))


@lru_cache(maxsize=4096)
def _normal(share: float) -> float:
    """The value that a standard normal exceeds in a share of cases."""
    from scipy.special import ndtri

    return float(-ndtri(share))


class Draws:
    """The bootstrap of one ranking as deviations of its elementary scores.

    A score can be infinite, such as LR+ without a false positive. Nothing is then shown in favour of the algorithm, because no
    draw has another score. Documents of schema 2 do not except it.
    """

    def __init__(self, ranking: Ranking, bootstrap: int, spread: Spread, *, excepts_infinite: bool = True) -> None:
        self.ranking, self.number, self.spread = ranking, bootstrap, spread
        self.excepts_infinite = excepts_infinite
        self.full = [part.scores[0] for part in ranking.elementary]
        with np.errstate(invalid="ignore"):
            self.deviations = [part.scores[1 : 1 + bootstrap] - part.scores[0] for part in ranking.elementary]
        self._not_before: dict[float, FloatArray] = {}

    @property
    def extreme(self) -> float:
        """Normal quantile that corresponds to the largest of this number of draws."""
        return _normal(1.0 / (self.number + 1))

    @cached_property
    def before(self) -> BoolArray:
        """Row is strictly before column on the full data."""
        ranks = self.ranking.ranks[0]
        return np.asarray(ranks[:, None] < ranks[None, :])

    @cached_property
    def identical(self) -> BoolArray:
        """Pairs with the same scores on the full data and in all draws."""
        count = len(self.ranking.algorithms)
        same = np.ones((count, count), dtype=bool)
        for part in self.ranking.elementary:
            if len(np.unique(part.scores[0])) == count:  # not a number is one of them
                same &= np.eye(count, dtype=bool)
                continue
            columns = np.ascontiguousarray(part.scores[: 1 + self.number].T)
            kinds: dict[bytes, int] = {}
            kind = np.array([kinds.setdefault(column.tobytes(), len(kinds)) for column in columns])
            same &= kind[:, None] == kind[None, :]
        return same

    def not_before(self, inflation: float) -> FloatArray:
        """Share of draws, inflated, in which row does not come strictly before column."""
        if inflation == 1.0 and inflation not in self._not_before:
            self._not_before[inflation] = self._share(self.ranking.ranks[1 : 1 + self.number])
        elif inflation not in self._not_before:
            with np.errstate(invalid="ignore"):
                shifted = [full + inflation * dev for full, dev in zip(self.full, self.deviations, strict=True)]
            self._not_before[inflation] = self._share(self.ranking.final(shifted))
        return self._not_before[inflation]

    @cached_property
    def _without_spread(self) -> BoolArray:
        """Algorithms with an infinite score in a ranking that is not combined; resamples say nothing about their uncertainty."""
        if self.ranking.steps or not self.excepts_infinite:
            return np.zeros(len(self.ranking.algorithms), dtype=bool)
        return np.asarray(np.isinf(self.full[0]))

    def _share(self, ranks: FloatArray) -> FloatArray:
        count = ranks.shape[1]
        total = np.zeros((count, count))
        step = max(1, _AT_ONCE // (count * count))
        for start in range(0, len(ranks), step):
            rows = ranks[start : start + step]
            total += (rows[:, :, None] >= rows[:, None, :]).sum(axis=0)
        total /= max(len(ranks), 1)
        total[self._without_spread] = 1.0
        return total

    def shown(self, share: float) -> tuple[BoolArray, float]:
        """Return the pairs whose order is significant, stepwise as in Holm's method, and the first inflation."""
        alive = ~self.identical
        shown_before = np.zeros(alive.shape, dtype=bool)
        first = None
        while alive.any():
            inflation = max(1.0, self.spread.critical(share / int(alive.sum())) / self.extreme)
            first = inflation if first is None else first
            new = alive & self.before & (self.not_before(inflation) == 0.0)
            if not new.any():
                break
            shown_before |= new
            alive &= ~new
        return shown_before, 1.0 if first is None else first

    def wins(self, winner: int, share: float) -> bool:
        """Return whether one algorithm is significantly better than every other one.

        The level is half the winner's share of the error.
        """
        if share <= 0.0:  # a change of the board beyond the registered number
            return False
        p = share / 2.0
        others = np.arange(len(self.ranking.algorithms)) != winner
        if not self.before[winner, others].all() or self.identical[winner, others].any():
            return False
        critical = self.spread.critical(p)
        if (self.not_before(critical / self.extreme)[winner, others] > 0.0).any():
            return False
        return bool((self.not_before(critical / _normal(p))[winner, others] <= p).all())

    def p_own(self) -> FloatArray:
        """One-sided p-values of "row comes before column"."""
        values = (self.not_before(1.0) * self.number + 1.0) / (self.number + 1.0)
        values[self.identical] = 1.0
        np.fill_diagonal(values, np.nan)
        return np.asarray(values)

    def interval(self, first: int, other: int, inflation: float) -> tuple[float, tuple[float, float] | None]:
        """Difference of the scores of a single elementary ranking, and its simultaneous interval."""
        sign = 1.0 if self.ranking.elementary[0].higher_is_better else -1.0
        with np.errstate(invalid="ignore"):
            estimate = sign * float(self.full[0][first] - self.full[0][other])
        with np.errstate(invalid="ignore"):
            deviation = sign * (self.deviations[0][:, first] - self.deviations[0][:, other])
        if not np.isfinite(deviation).all() or not np.isfinite(estimate):
            return estimate, None
        low, high = float(deviation.min()), float(deviation.max())
        return estimate, (estimate + inflation * low, estimate + inflation * high)

    def first_again(self, winner: int) -> float | None:
        """Return the probability that the first algorithm is first again on the same number of fresh units.

        It may be first alone or together with others. The present order is itself one draw. Scores of close algorithms
        are therefore shrunk towards their mean by the share of their spread that is due to chance. Then one deviation
        for the true score and one for the fresh units are added.
        """
        fresh = []
        for part, full, deviation in zip(self.ranking.elementary, self.full, self.deviations, strict=True):
            if not np.isfinite(deviation).all():
                return None
            spread = self._spread_of(part, deviation)
            fresh.append(_fresh(part.higher_is_better, full, deviation * self.spread.growth, winner, spread))
        if not self.ranking.steps:  # the best score is first, whatever the ranks of the others
            scores = fresh[0] if self.ranking.elementary[0].higher_is_better else -fresh[0]
            # Rounding keeps an order, so only the two that are compared need it.
            return float((snap(scores[:, winner]) == snap(scores.max(axis=1))).mean())
        ranks = self.ranking.final(fresh)
        return float((ranks[:, winner] == ranks.min(axis=1)).mean())

    def _spread_of(self, part: Elementary, deviation: FloatArray) -> FloatArray:
        """Spread of each algorithm's draws; computed once for all rankings that use the same table."""
        item = part.item if part.inside is None else None  # pooled draws have no table
        if item is not None and len(deviation) == item.plan.bootstrap:
            return item.spread_of_draws
        return spread_around_median(deviation)

    def true_leads(self, winner: int) -> FloatArray | None:
        """Return draws of the true lead of an algorithm over the best of the others, from the shrunken model.

        Returns
        -------
        numpy.ndarray or None
            ``None`` for combined rankings, and where a score is missing.
        """
        if self.ranking.steps or len(self.full) != 1 or not np.isfinite(self.deviations[0]).all():
            return None
        part, deviation = self.ranking.elementary[0], self.deviations[0]
        scores = _true(
            part.higher_is_better,
            self.full[0],
            deviation * self.spread.growth,
            winner,
            self._spread_of(part, deviation),
        )
        others = np.delete(scores, winner, axis=1).max(axis=1)
        return np.asarray(scores[:, winner] - others)

    def fresh_places(self, winner: int) -> tuple[float, float] | None:
        """Return how often an algorithm is first alone, and first together with others, on fresh units."""
        fresh = []
        for part, full, deviation in zip(self.ranking.elementary, self.full, self.deviations, strict=True):
            if not np.isfinite(deviation).all():
                return None
            spread = self._spread_of(part, deviation)
            fresh.append(_fresh(part.higher_is_better, full, deviation * self.spread.growth, winner, spread))
        ranks = self.ranking.final(fresh)
        is_first = ranks[:, winner] == ranks.min(axis=1)
        alone = is_first & ((ranks == ranks.min(axis=1, keepdims=True)).sum(axis=1) == 1)
        return float(alone.mean()), float((is_first & ~alone).mean())

    def winner_limits(self, winner: int, share: float) -> FloatArray:
        """Return lower limits of the differences of one algorithm from each other one, at the level of `wins`.

        The limits are those of a single elementary ranking. A limit is not a number where a score is infinite.
        """
        if share <= 0.0:
            return np.full(len(self.ranking.algorithms), -np.inf)
        part, deviation = self.ranking.elementary[0], self.deviations[0]
        sign = 1.0 if part.higher_is_better else -1.0
        p = share / 2.0
        critical = self.spread.critical(p)
        with np.errstate(invalid="ignore"):
            estimate = sign * (self.full[0][winner] - self.full[0])
            shift = sign * (deviation[:, [winner]] - deviation)
            lowest = estimate + critical / self.extreme * shift.min(axis=0)
            ordered = np.sort(shift, axis=0)
            allowed = min(int(p * len(ordered) + 1e-9), len(ordered) - 1)
            quantile = estimate + critical / _normal(p) * ordered[allowed]
            return np.asarray(np.minimum(lowest, quantile))


def _true(higher: bool, full: FloatArray, deviation: FloatArray, winner: int, spread: FloatArray) -> FloatArray:
    """Draws of the true scores, draws × algorithms, where larger is better; close algorithms are shrunk."""
    score, dev = (full, deviation) if higher else (-full, -deviation)
    gaps = dev[:, [winner]] - dev
    apart = np.sqrt(np.einsum("bj,bj->j", gaps, gaps) / len(dev))
    close = (np.abs(score[winner] - score) <= 3.0 * apart) & (spread <= 4.0 * np.median(spread))
    result = score + dev
    group = np.flatnonzero(close)
    if len(group) >= 3:
        group_deviations = dev[:, group]
        centred = group_deviations - group_deviations.mean(axis=1, keepdims=True)
        error = float((centred**2).mean(axis=0).sum() / (len(group) - 1))
        observed = float(score[group].var(ddof=1))
        shrinkage = max(0.0, 1.0 - error / observed) if observed > 0 else 0.0
        middle = score[group].mean()
        result[:, group] = (middle + shrinkage * (score[group] - middle)) + group_deviations * np.sqrt(shrinkage)
    return np.asarray(result)


def _fresh(higher: bool, full: FloatArray, deviation: FloatArray, winner: int, spread: FloatArray) -> FloatArray:
    """Scores on fresh units, draws × algorithms, for a truth that is drawn too."""
    dev = deviation if higher else -deviation
    result = _true(higher, full, deviation, winner, spread)
    result[:-1] += dev[1:]
    result[-1] += dev[0]
    return result if higher else -result
