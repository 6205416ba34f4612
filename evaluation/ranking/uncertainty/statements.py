"""Statements of a ranking document on the certainty of one ranking."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.hierarchy import without_levels
from evaluation.ranking.resampling import Contributions, contributions
from evaluation.ranking.stability import head_to_head, near_duplicates, order_among, teams_left_out
from evaluation.ranking.uncertainty.draws import Draws
from evaluation.ranking.uncertainty.failures import failure, ranks_after_one_more, unseen_variance
from evaluation.ranking.uncertainty.grounds import Budget, Grounds, budget
from evaluation.ranking.uncertainty.pairs import MOST_IN_MATRICES, difference, flip_intervals, letters, verdict
from evaluation.ranking.uncertainty.sign_flips import FLIPS_VERSION, FlipComparisons, compare_by_flips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.ranking.evaluate import Evaluated
    from evaluation.ranking.uncertainty.grounds import Ranking

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
LEADING: Final = 0.5
_ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class _Shown:
    """Comparisons of all pairs by one of the two methods."""

    better: BoolArray
    p_own: FloatArray
    wins: BoolArray
    """For each algorithm, whether it is better than every other one at the winner's share of the error."""
    difference: Any
    """Function of two algorithms that gives the difference of their scores and its simultaneous interval."""


def statements(
    ranking: Ranking, order: IntArray, *, failed: Sequence[int | None]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the certainty statements of a ranking, and those of each algorithm in the requested order.

    Parameters
    ----------
    ranking
        The ranking with its elementary rankings.
    order
        Algorithms by displayed rank, then name.
    failed
        Failed cases of each algorithm, ``None`` where their number is not known.
    """
    return _Statements(ranking, order, failed).documents()


@dataclass(frozen=True)
class Decision:
    """The winner and the range of ranks of each algorithm, in the order of the table.

    Attributes
    ----------
    winner
        Index of the named winner in the table; ``None`` if no winner is named.
    low, high
        Ends of the rank sets; ``None`` if they cannot be stated.
    by_draws
        Whether resamples decided; otherwise sign flips did.
    """

    winner: int | None
    low: IntArray | None
    high: IntArray | None
    by_draws: bool


def decide(ranking: Ranking) -> Decision:
    """Only the winner and the rank sets of a ranking, for simulations that need nothing else."""
    order = np.lexsort((np.array(ranking.algorithms), ranking.ranks[0]))
    return _Statements(ranking, order, ranking.elementary[0].item.missing).decision()


def _cases_of(items: Sequence[Evaluated]) -> int:
    """Return the number of cases of one task on which the tables of a ranking are based."""
    inside = [item.inside for item in items if item.inside is not None]
    if len(inside) < len(items):
        return len(items[0].plan.cases)
    return int(np.any(inside, axis=0).sum())


class _Statements:
    def __init__(self, ranking: Ranking, order: IntArray, failed: Sequence[int | None]) -> None:
        self.ranking, self.order, self.failed = ranking, order, failed
        self.count = len(ranking.algorithms)
        plans = {part.item.table.task: part.item.plan for part in ranking.elementary}
        items = [part.item for part in ranking.elementary]
        self.cases = sum(_cases_of([item for item in items if item.plan is plan]) for plan in plans.values())
        self.uncertainty = ranking.assessment.uncertainty
        self.budget: Budget = budget(self.uncertainty, self.count)
        self.grounds = grounds = Grounds(ranking, self.budget)
        self.plan, self.linear, self.reason = grounds.plan, grounds.linear, grounds.reason
        self.first = int(order[0])
        self.ranks = ranking.ranks[0]
        self.alone = int((self.ranks == self.ranks.min()).sum()) == 1
        self.warnings = list({repr(w): dict(w) for plan in plans.values() for w in plan.warnings}.values())
        self.draws = (
            Draws(ranking, self.plan.bootstrap, grounds.spread)
            if grounds.states_sets and self.plan.bootstrap > 0 and grounds.spread.smallest > 1
            else None
        )

    # Comparisons

    def _compared(self) -> _Shown:
        return self._by_flips() if self.linear else self._by_draws()

    def _by_flips(self) -> _Shown:
        ranking, part = self.ranking, self.ranking.elementary[0]
        scored = np.flatnonzero(np.isfinite(part.scores[0]))
        values = ranking.scheme.averaged_values(ranking.values_of(part), ranking.registered)[:, scored]
        hierarchy = self.plan.hierarchy
        if ranking.scheme.compares_pairs:  # tests compare units, whatever their strata weigh
            hierarchy = without_levels(hierarchy, ranking.assessment.aggregation.fixed)
        contributed = contributions(values, self.plan.units, hierarchy)
        extra = None
        if self.uncertainty.unseen_failures == "jeffreys" and ranking.scheme.aggregates_values:
            counts = np.array([self.failed[int(j)] or 0 for j in scored])
            extra = unseen_variance(part, values, counts)
        transform = ranking.scheme.contributions if ranking.scheme.compares_pairs else None
        comparisons = compare_by_flips(
            contributed, self.plan.signs, self.budget.sets, transform=transform, extra_variance=extra
        )
        better = np.zeros((self.count, self.count), dtype=bool)
        p_own = np.full((self.count, self.count), np.nan)
        better[np.ix_(scored, scored)] = comparisons.shown
        p_own[np.ix_(scored, scored)] = comparisons.p_own
        wins = np.zeros(self.count, dtype=bool)
        limit = self.budget.winner / 2.0 + _ROUNDING
        for j in range(self.count):
            others = np.arange(self.count) != j
            wins[j] = bool((p_own[j, others] <= limit).all())
        if self.reason is not None:
            better[:] = False
        return _Shown(better, p_own, wins, self._flip_difference(contributed, comparisons, scored))

    def _flip_difference(self, contributed: Contributions, comparisons: FlipComparisons, scored: IntArray) -> Any:
        if self.ranking.scheme.compares_pairs:
            return None
        scored_index = {int(j): index for index, j in enumerate(scored)}
        first_place = scored_index.get(self.first)

        @cache
        def intervals() -> Any:
            return None if first_place is None else flip_intervals(contributed, first_place, comparisons.critical)

        def between(first: int, other: int) -> tuple[float, tuple[float, float] | None] | None:
            if first != self.first or other not in scored_index or intervals() is None:
                return None
            estimate_and_interval: tuple[float, tuple[float, float] | None] = intervals()[scored_index[other]]
            return estimate_and_interval

        return between

    def _by_draws(self) -> _Shown:
        assert self.draws is not None
        draws = self.draws
        better, inflation = draws.shown(self.budget.sets)
        wins = np.zeros(self.count, dtype=bool)
        if self.alone:
            wins[self.first] = draws.wins(self.first, self.budget.winner)
        if self.reason is not None:
            better[:] = False
        single = len(self.ranking.elementary) == 1 and not self.ranking.scheme.compares_pairs

        def between(first: int, other: int) -> tuple[float, tuple[float, float] | None] | None:
            estimate, interval = draws.interval(first, other, inflation)
            return (estimate, interval) if np.isfinite(estimate) else None

        return _Shown(better, draws.p_own(), wins, between if single else None)

    # What is written

    def documents(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        against = self._against_first
        comparisons, winner_reason, better = self._decided()
        named = winner_reason == "shown"
        again = self._first_again()
        outcome = self._verdict(named=named, against=against, again=again)
        names = np.array(self.ranking.algorithms)
        duplicates = near_duplicates(self.ranking, [int(j) for j in self.order])
        margin = self._margin()
        words = None if self._too_many else letters(better[np.ix_(self.order, self.order)])
        entry: dict[str, Any] = {
            "winner": {
                "named": named,
                "algorithm": str(names[self.first]) if named else None,
                "alpha": self.budget.alpha,
                "reason": winner_reason,
            },
            "verdict": outcome,
            "shown_better": self._matrix(better),
            "p_own": self._p_values(comparisons),
            "sets": {
                "method": "sign_flips" if self.linear else "draws",
                "level": self.uncertainty.interval,
                "units": self.grounds.units.number,
                "units_needed": self.grounds.units_needed,
                "reason": self.reason,
                "flips": FLIPS_VERSION if self.linear and self.grounds.states_sets else None,
            },
            "left_out": self._left_out(words),
            "margin": margin,
            "first_again": again,
            "sensitivity": {
                "teams": teams_left_out(self.ranking),
                "head_to_head": sorted(str(names[j]) for j in against),
                "duplicates": [[str(names[j]) for j in members] for members in duplicates],
                "without_duplicates": self._without(duplicates),
            },
            "warnings": self._all_warnings(),
        }
        return entry, self._algorithms(better, comparisons, margin, words)

    @cached_property
    def _against_first(self) -> list[int]:
        """Algorithms that tie with or beat the first one in a contest of two."""
        return head_to_head(self.ranking, self.first) if self.count > 1 and self.alone else []

    def _decided(self) -> tuple[_Shown | None, str, BoolArray]:
        """Comparisons, the reason for or against a winner, and the matrix that is shown."""
        comparisons = self._compared() if self.grounds.comparable else None
        winner_reason = self._winner_reason(comparisons)
        better = np.zeros((self.count, self.count), dtype=bool) if comparisons is None else comparisons.better.copy()
        if winner_reason == "shown":
            better[self.first] = True
            better[:, self.first] = False
            better[self.first, self.first] = False
        return comparisons, winner_reason, better

    def decision(self) -> Decision:
        """The winner and the rank sets alone."""
        _, winner_reason, better = self._decided()
        winner = self.first if winner_reason == "shown" else None
        if not self.grounds.states_sets:
            return Decision(winner, None, None, by_draws=not self.linear)
        return Decision(winner, *self._ends(better), by_draws=not self.linear)

    def _ends(self, better: BoolArray) -> tuple[IntArray, IntArray]:
        """Ends of the rank sets, widened to hold the displayed ranks."""
        low, high = 1 + better.sum(axis=0), self.count - better.sum(axis=1)
        return (
            np.minimum(low, np.floor(self.ranks).astype(np.int64)),
            np.maximum(high, np.ceil(self.ranks).astype(np.int64)),
        )

    def _winner_reason(self, comparisons: _Shown | None) -> str:
        if not self.grounds.states_sets or self.reason == "stratum_too_small":
            return str(self.reason)
        if self.grounds.units.number < self.grounds.units_needed["winner"] or comparisons is None:
            return "too_few_units"
        if not self.alone:
            return "tie"
        if not comparisons.wins[self.first]:
            return "not_shown"
        return "depends_on_entries" if self._against_first else "shown"

    def _verdict(self, *, named: bool, against: Sequence[int], again: float | None) -> str | None:
        if not self.grounds.states_sets:
            return None
        if named:
            return "clear"
        sure_enough = again is not None and again >= LEADING
        if self.grounds.comparable and self.alone and not against and sure_enough:
            return "leaning"
        return "open"

    def _first_again(self) -> float | None:
        if self.draws is None or not self.alone or self.count < 2:
            return None
        return self.draws.first_again(self.first)

    def _margin(self) -> float | None:
        if self.ranking.combined:
            return None
        return self.uncertainty.margin.get(self.ranking.elementary[0].item.table.metric.name)

    @property
    def _too_many(self) -> bool:
        return self.count > MOST_IN_MATRICES

    def _left_out(self, words: list[str] | None) -> dict[str, str]:
        """Return the reasons why matrices and letters are null, by key; empty if all are included."""
        if self._too_many:
            return dict.fromkeys(("shown_better", "p_own", "letters"), "too_many_algorithms")
        return {} if words is not None else {"letters": "too_many_letters"}

    def _matrix(self, better: BoolArray) -> list[list[bool]] | None:
        if self._too_many:
            return None
        rows: list[list[bool]] = better[np.ix_(self.order, self.order)].tolist()
        return rows

    def _p_values(self, comparisons: _Shown | None) -> list[list[float | None]] | None:
        if self._too_many:
            return None
        if comparisons is None:
            return [[None] * self.count for _ in range(self.count)]
        ordered = comparisons.p_own[np.ix_(self.order, self.order)]
        plain = ordered.astype(object)
        plain[np.isnan(ordered)] = None
        rows: list[list[float | None]] = plain.tolist()
        return rows

    def _without(self, duplicates: Sequence[Sequence[int]]) -> list[str] | None:
        """The order when only the best of each list of near-duplicates is ranked."""
        if not duplicates:
            return None
        dropped = {j for members in duplicates for j in members[1:]}
        columns = np.array([j for j in range(self.count) if j not in dropped])
        names = np.array(self.ranking.algorithms)[columns]
        order = np.lexsort((names, order_among(self.ranking, columns)))
        return [str(name) for name in names[order]]

    def _all_warnings(self) -> list[dict[str, Any]]:
        warnings = list(self.warnings)
        failures = any(self.failed[j] for j in range(self.count))
        if failures and self.plan.units.number < len(self.plan.cases):
            warnings.append({"code": "failures_clustered"})
        policies = [part.item.table.metric for part in self.ranking.elementary]
        warnings += [
            {"code": "failures_left_out", "metric": name}
            for name in dict.fromkeys(metric.name for metric in policies if metric.policy.missing == "exclude")
        ]
        # Of values that somebody else measured: what is known of their uncertainty.
        given = {
            part.item.table.metric.name: part.item.drawn_by for part in self.ranking.elementary if part.item.drawn_by
        }
        warnings += [{"code": f"given_{source}", "metric": name} for name, source in given.items()]
        return warnings

    def _algorithms(
        self, better: BoolArray, comparisons: _Shown | None, margin: float | None, words: list[str] | None
    ) -> list[dict[str, Any]]:
        low, high = self._ends(better)
        stated = self.grounds.states_sets
        more = ranks_after_one_more(self.ranking)
        rows: list[dict[str, Any]] = []
        for position, j in enumerate(map(int, self.order)):
            rows.append(
                {
                    "rank_set": [int(low[j]), int(high[j])] if stated else None,
                    "within_reach": bool(stated and low[j] == 1),
                    "letters": None if words is None else words[position],
                    "difference_from_first": self._difference(j, comparisons, better, margin),
                    "failure": failure(self.failed[j], self.cases),
                    "rank_if_one_more_failed": more[j],
                }
            )
        return rows

    def _difference(
        self, other: int, comparisons: _Shown | None, better: BoolArray, margin: float | None
    ) -> dict[str, Any] | None:
        if comparisons is None or comparisons.difference is None or self.ranking.combined or other == self.first:
            return None
        estimate_and_interval = comparisons.difference(self.first, other)
        if estimate_and_interval is None:
            return None
        estimate, interval = estimate_and_interval
        return difference(estimate, interval, verdict(interval, margin, shown_better=bool(better[self.first, other])))
