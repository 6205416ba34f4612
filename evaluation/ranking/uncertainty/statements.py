"""Statements of a ranking document on the certainty of one ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.plans import FIRST_RULES
from evaluation.ranking.stability import head_to_head, near_duplicates, order_among, teams_left_out
from evaluation.ranking.uncertainty import effects
from evaluation.ranking.uncertainty.budgets import Budget, budget
from evaluation.ranking.uncertainty.draws import Draws
from evaluation.ranking.uncertainty.failures import failure, ranks_after_one_more, unseen_variance
from evaluation.ranking.uncertainty.further_failures import failures_to_lose
from evaluation.ranking.uncertainty.grounds import Grounds
from evaluation.ranking.uncertainty.linear import LinearPart
from evaluation.ranking.uncertainty.pairs import (
    MOST_IN_MATRICES,
    flip_intervals,
    letters,
    with_consequences,
    without_noise,
)
from evaluation.ranking.uncertainty.pairs import difference as difference_entry
from evaluation.ranking.uncertainty.score_intervals import interval_of_extreme
from evaluation.ranking.uncertainty.sign_flips import FLIPS_VERSION, FlipComparisons, compare_by_flips

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.ranking.plans import Evaluated
    from evaluation.ranking.uncertainty.elementary import Ranking
    from evaluation.ranking.uncertainty.given_errors import GivenErrors
    from evaluation.ranking.uncertainty.leads import Lead

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
DifferenceFunction = Callable[[int], "tuple[float, tuple[float, float] | None] | None"]
"""Function of another algorithm that returns the difference of the first from it, and the interval of the difference."""
LEADING: Final = 0.5
_ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class Comparisons:
    """Comparisons of all pairs by one of the two methods.

    Attributes
    ----------
    better
        Row is significantly better than column, simultaneously over all pairs.
    p_own
        One-sided p-values of the ranking's own statistic, not adjusted.
    level
        ``confirmed`` or ``significant`` if the first is better than every other one at the winner's share of the error,
        apart from one more failure; otherwise ``None``.
    limit
        Lower limit of the lead of the first over the best of the others; ``None`` where there is none.
    survives
        Whether the first is still first with one more failure.
    intervals
        Function that returns the difference of the first from another algorithm and its simultaneous interval; ``None``
        where differences have no meaning.
    """

    better: BoolArray
    p_own: FloatArray
    level: str | None
    limit: float | None
    survives: bool
    intervals: DifferenceFunction | None


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
    level
        ``confirmed`` or ``significant`` if a winner is named.
    safe_rate
        Failure rate of the winner up to which its lead is safe; ``None`` if no winner is named, if it is confirmed, or if a
        failure has no value.
    """

    winner: int | None
    low: IntArray | None
    high: IntArray | None
    by_draws: bool
    level: str | None = None
    safe_rate: float | None = None


def _cases_of(items: Sequence[Evaluated]) -> int:
    """Return the number of cases of one task on which the tables of a ranking are based."""
    inside = [item.inside for item in items if item.inside is not None]
    if len(inside) < len(items):
        return len(items[0].plan.cases)
    return int(np.any(inside, axis=0).sum())


class Statements:
    """Statements on the certainty of one ranking, by the rules of the present schema."""

    has_consequences: ClassVar[bool] = True
    """True if comparisons that follow from others are significant."""
    excepts_infinite: ClassVar[bool] = True
    """True if draws show nothing in favour of an infinite score."""

    def __init__(self, ranking: Ranking, order: IntArray, failed: Sequence[int | None]) -> None:
        self.ranking, self.order, self.failed = ranking, order, failed
        self.count = len(ranking.algorithms)
        plans = {part.item.table.task: part.item.plan for part in ranking.elementary}
        items = [part.item for part in ranking.elementary]
        self.cases = sum(_cases_of([item for item in items if item.plan is plan]) for plan in plans.values())
        self.uncertainty = ranking.assessment.uncertainty
        self.look = ranking.elementary[0].item.plan.look
        self.budget: Budget = budget(self.uncertainty, self.count, self.look, ranking.share)
        self.grounds = grounds = Grounds(ranking, self.budget)
        self.plan, self.linear, self.reason = grounds.plan, grounds.linear, grounds.reason
        self.first = int(order[0])
        self.ranks = ranking.ranks[0]
        self.alone = int((self.ranks == self.ranks.min()).sum()) == 1
        self.warnings = list({repr(w): dict(w) for plan in plans.values() for w in plan.warnings}.values())
        self.draws = (
            Draws(ranking, self.plan.bootstrap, grounds.spread, excepts_infinite=self.excepts_infinite)
            if grounds.states_sets and self.plan.bootstrap > 0 and grounds.spread.smallest > 1
            else None
        )

    # Comparisons

    def _compared(self) -> Comparisons:
        if self.grounds.given is not None:
            comparisons = self.by_errors(self.grounds.given)
        else:
            comparisons = self.by_flips() if self.linear else self.by_draws()
        if not self.has_consequences:
            return comparisons
        return replace(comparisons, better=with_consequences(comparisons.better))

    def by_errors(self, given: GivenErrors) -> Comparisons:
        """Compare all pairs, and the first with all others, by given standard errors."""
        better, critical = given.shown(self.budget.sets)
        others = np.arange(self.count) != self.first
        limits = given.limits(self.first, self.budget.winner / 2.0)[others]
        limit = float(limits.min())
        level = "significant" if self.alone and limit > (self.margin() or 0.0) else None
        if self.reason is not None:
            better[:] = False
        return Comparisons(
            better,
            given.p_values(),
            level,
            limit,
            self._is_first_after_failure,
            lambda other: given.interval(self.first, other, critical),
        )

    @cached_property
    def linear_part(self) -> LinearPart:
        """Contributions of the units to the scores, where the ranking is linear."""
        return LinearPart(self.ranking, self.ranking.elementary[0])

    def flips(self, *, margin: float, guarded: bool) -> FlipComparisons:
        """Compare all pairs by sign flips; the matrices are those of all algorithms of the table."""
        ranking, linear = self.ranking, self.linear_part
        scored = linear.scored
        extra = None
        if self.uncertainty.unseen_failures == "jeffreys" and ranking.scheme.aggregates_values:
            counts = np.array([self.failed[int(j)] or 0 for j in scored])
            extra = unseen_variance(linear.part, linear.values, counts)
        comparisons = compare_by_flips(
            linear.contributed,
            self.plan.signs,
            self.budget.sets,
            transform=ranking.scheme.contributions if ranking.scheme.compares_pairs else None,
            extra_variance=extra,
            margin=margin,
            guarded=guarded,
        )
        better = np.zeros((self.count, self.count), dtype=bool)
        p_own = np.full((self.count, self.count), np.nan)
        better[np.ix_(scored, scored)] = comparisons.shown
        p_own[np.ix_(scored, scored)] = comparisons.p_own
        if self.reason is not None:
            better[:] = False
        return replace(comparisons, shown=better, p_own=p_own)

    def wins_by_flips(self, p_own: FloatArray) -> bool:
        """Return whether each comparison of the first has a p-value of at most half of the winner's share of the error."""
        others = np.arange(self.count) != self.first
        return bool((p_own[self.first, others] <= self.budget.winner / 2.0 + _ROUNDING).all())

    def by_flips(self) -> Comparisons:
        """Compare all pairs by sign flips with the guard against skewness, and the first with all others by its lead."""
        is_tested = self.ranking.scheme.compares_pairs
        flips = self.flips(margin=0.0 if is_tested else self.margin() or 0.0, guarded=True)
        better, p_own = flips.shown, flips.p_own
        if is_tested:
            # Tests at another level than that of the sets may leave two at one rank, or in the other order.
            better &= self.ranks[:, None] < self.ranks
            level = "significant" if self.wins_by_flips(p_own) else None
            return Comparisons(better, p_own, level, None, self._is_first_after_failure, None)
        intervals = self.flip_intervals(flips, guarded=True)
        if len(self.linear_part.scored) < self.count or not self.alone:
            return Comparisons(better, p_own, None, None, survives=True, intervals=intervals)
        return Comparisons(better, p_own, *self._lead(), intervals)

    def _lead(self) -> tuple[str | None, float, bool]:
        """Return the level of the lead, its lower limit, and whether it survives one more failure."""
        linear, lead = self.linear_part, self._first_lead
        confirmed = linear.confirmed(self.first, self.budget.winner, lead.margin)
        after = lead.with_one_more_failure(linear.failure_changes(self.first))
        if confirmed is None and not lead.exceeds(lead.by_flips):
            return None, float(np.minimum(lead.by_flips, after).min()), True
        limit = float(np.minimum(lead.lower, after).min())
        if confirmed is not None:
            return "confirmed", max(limit, confirmed), True
        if not lead.exceeds(lead.lower):
            return None, limit, True
        survives = lead.exceeds(after) and effects.has_safe_rate(linear, self.first, self.budget.winner, lead)
        return "significant", limit, survives

    @cached_property
    def _first_lead(self) -> Lead:
        return self.linear_part.lead(self.first, self.budget.winner / 2.0, self.margin() or 0.0)

    @cached_property
    def _is_first_after_failure(self) -> bool:
        """True if the first is still first with one more failure, or if that is not known."""
        rank_after = self._ranks_after_failure[self.first]
        return rank_after is None or rank_after == 1

    @cached_property
    def _ranks_after_failure(self) -> list[int | None]:
        return ranks_after_one_more(self.ranking)

    def flip_intervals(self, flips: FlipComparisons, *, guarded: bool) -> DifferenceFunction | None:
        """Return the function of the differences of the first from others; ``None`` if the first has no score."""
        places = {int(j): index for index, j in enumerate(self.linear_part.scored)}
        if self.first not in places:
            return None

        @cache
        def intervals() -> list[tuple[float, tuple[float, float] | None]]:
            return flip_intervals(
                self.linear_part.contributed,
                places[self.first],
                flips.critical,
                skewness=flips.skewness,
                guarded=guarded,
            )

        def between(other: int) -> tuple[float, tuple[float, float] | None] | None:
            return intervals()[places[other]] if other in places else None

        return between

    def draw_intervals(self, inflation: float) -> DifferenceFunction | None:
        """Return the function of the differences of the first from others; ``None`` for combined and tested rankings."""
        draws = self.draws
        if draws is None or len(self.ranking.elementary) != 1 or self.ranking.scheme.compares_pairs:
            return None

        def between(other: int) -> tuple[float, tuple[float, float] | None] | None:
            estimate, interval = draws.interval(self.first, other, inflation)
            return (estimate, interval) if np.isfinite(estimate) else None

        return between

    def by_draws(self) -> Comparisons:
        assert self.draws is not None
        draws = self.draws
        better, inflation = draws.shown(self.budget.sets)
        is_single = len(self.ranking.elementary) == 1 and not self.ranking.scheme.compares_pairs
        level, limit = None, None
        if self.alone and draws.wins(self.first, self.budget.winner):
            level = "confirmed" if self._is_confirmed_everywhere() else "significant"
        if self.alone and is_single and self.count > 1:
            others = np.arange(self.count) != self.first
            lower = float(draws.winner_limits(self.first, self.budget.winner)[others].min())
            limit = lower if np.isfinite(lower) else None
            if level is not None and (limit is None or limit <= (self.margin() or 0.0)):
                level = None
        if self.reason is not None:
            better[:] = False

        survives = level == "confirmed" or self._is_first_after_failure
        return Comparisons(better, draws.p_own(), level, limit, survives, self.draw_intervals(inflation))

    def _is_confirmed_everywhere(self) -> bool:
        """Return whether the first is confirmed in every ranking that is combined."""
        parts = self.ranking.elementary
        if not self.ranking.steps or any(part.item.drawn_by or part.item.table.per_dataset for part in parts):
            return False
        if not self.ranking.scheme.is_linear(self.ranking.registered) or self.ranking.scheme.compares_pairs:
            return False
        return all(
            LinearPart(self.ranking, part).confirmed(self.first, self.budget.winner, 0.0) is not None for part in parts
        )

    # What is written

    def documents(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        against = self._against_first
        comparisons, winner_reason, better = self._decided()
        named = winner_reason == "shown"
        level = comparisons.level if comparisons is not None and named else None
        again = self._first_again()
        outcome = self.verdict(level=level, winner_reason=winner_reason, against=against, again=again)
        names = np.array(self.ranking.algorithms)
        duplicates = near_duplicates(self.ranking, [int(j) for j in self.order])
        margin = self.margin()
        words = None if self._without_pairs else letters(better[np.ix_(self.order, self.order)])
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
                "method": self._method,
                "level": self.uncertainty.interval,
                "units": self.grounds.units.number,
                "units_needed": self.grounds.units_needed,
                "reason": self.reason,
                "flips": FLIPS_VERSION if self.linear and self.grounds.states_sets else None,
            },
            "left_out": self._left_out(words),
            "margin": margin,
            "first_again": again,
            **self._spent(),
            **self.effects(level, better),
            "sensitivity": {
                "teams": teams_left_out(self.ranking),
                "head_to_head": sorted(str(names[j]) for j in against),
                "duplicates": [[str(names[j]) for j in members] for members in duplicates],
                "without_duplicates": self._without(duplicates),
            },
            "warnings": self._all_warnings(),
        }
        rows = self._algorithms(better, comparisons, winner_reason, words)
        if entry.get("lead") is not None:
            entry["lead"] |= self._lead_interval(rows, entry["lead"]["over"], comparisons, winner_reason)
        return entry, rows

    @property
    def _method(self) -> str:
        """Method of the comparisons."""
        if self.grounds.given is not None:
            return "given_errors"
        return "sign_flips" if self.linear else "draws"

    def _lead_interval(
        self, rows: Sequence[Mapping[str, Any]], over: str, comparisons: Comparisons | None, winner_reason: str
    ) -> dict[str, Any]:
        """Return the interval of the lead: from the limit over the best of the others to the runner-up's upper end.

        Without a winner the lower end is not above the margin, whichever condition failed.
        """
        names = [self.ranking.algorithms[j] for j in self.order]
        of_other = rows[names.index(over)]["difference_from_first"]
        ends = None if of_other is None else of_other["interval"]
        if ends is not None and comparisons is not None:
            low, high = ends
            limit = self._limit(comparisons)
            if limit is not None:
                low = min(limit, high)
            if winner_reason not in ("shown", "exploratory"):
                low = min(low, self.margin() or 0.0)
            low = without_noise(low, self.margin() or 0.0, max(abs(low), abs(high)))
            ends = [low, high] if np.isfinite(low) else None
        stated = {"interval": ends, "level": self.uncertainty.interval}
        if winner_reason == "one_more_failure" and of_other is not None and comparisons is not None:
            stated["interval_as_observed"] = self._as_observed(comparisons, of_other["interval"])
        return stated

    def _as_observed(self, comparisons: Comparisons, ends: Sequence[float] | None) -> list[float] | None:
        """Return the interval of a lead that one more failure would cost, if failures are as frequent as observed."""
        linear = self.linear and self.grounds.given is None
        limit = float(self._first_lead.lower.min()) if linear else comparisons.limit
        return None if limit is None or ends is None or not np.isfinite(limit) else [limit, max(limit, ends[1])]

    def _limit(self, comparisons: Comparisons) -> float | None:
        """Return the lower limit of the lead over the best of the others, whether a winner is named or not."""
        if comparisons.limit is None or comparisons.level is not None or not self.linear:
            return comparisons.limit
        after = self._first_lead.with_one_more_failure(self.linear_part.failure_changes(self.first))
        return float(np.minimum(self._first_lead.lower, after).min())

    def _spent(self) -> dict[str, Any]:
        """Return the part of the error that this board may spend on a winner, and the family that shares it.

        The part is ``None`` if the whole share of a winner may be spent.
        """
        share = self.ranking.share
        is_shared = self.look is not None or (share is not None and share.tests > 1)
        spent: dict[str, Any] = {"spent_level": self.budget.winner if is_shared else None}
        return spent if share is None else spent | {"family": share.document}

    def effects(self, level: str | None, better: BoolArray) -> dict[str, Any]:
        """Return the numbers about the lead that every board shows; ``None`` where there is no lead to describe."""
        if not self.grounds.comparable or not self.alone or self.count < 2:
            return dict.fromkeys(effects.KEYS)
        margin = self.margin() or 0.0
        if self.linear and not self.ranking.scheme.compares_pairs and len(self.linear_part.scored) == self.count:
            return effects.of_linear(
                self.linear_part,
                self.first,
                self._first_lead,
                self.draws,
                self.budget.winner,
                better=better,
                level=level,
            )
        numbers = effects.of_draws(self.ranking, self.draws, self.first, margin, level=level)
        further = failures_to_lose(self.ranking, self.first)
        return numbers if further is None else {**numbers, "failures_to_lose": further}

    @property
    def _is_exploratory(self) -> bool:
        """True for a ranking that only describes its cases."""
        return self.ranking.share is not None and self.ranking.share.is_exploratory

    @cached_property
    def _against_first(self) -> list[int]:
        """Algorithms that tie with or beat the first one in a contest of two."""
        return head_to_head(self.ranking, self.first) if self.count > 1 and self.alone else []

    def _decided(self) -> tuple[Comparisons | None, str, BoolArray]:
        """Comparisons, the reason for or against a winner, and the matrix that is shown."""
        comparisons = self._compared() if self.grounds.comparable else None
        winner_reason = self._winner_reason(comparisons)
        better = np.zeros((self.count, self.count), dtype=bool) if comparisons is None else comparisons.better.copy()
        if winner_reason == "shown":
            better[self.first] = True
            better[:, self.first] = False
            better[self.first, self.first] = False
            share = self.ranking.share
            if comparisons is not None and share is not None and share.tests < share.size:
                # Holm's later steps bound a lead by the margin alone: the limits of all rankings then hold together.
                comparisons = replace(comparisons, limit=None if comparisons.limit is None else self.margin() or 0.0)
        return comparisons, winner_reason, better

    def decision(self) -> Decision:
        """The winner and the rank sets alone."""
        comparisons, winner_reason, better = self._decided()
        named = winner_reason == "shown" and comparisons is not None
        level = comparisons.level if named and comparisons is not None else None
        low, high = self._ends(better) if self.grounds.states_sets else (None, None)
        rate = None
        if level == "significant" and self.linear and not self.ranking.scheme.compares_pairs:
            result = effects.safe_rate(self.linear_part, self.first, self.budget.winner, self._first_lead.margin)
            rate = None if result is None else result.rate
        return Decision(self.first if named else None, low, high, not self.linear, level, rate)

    def _ends(self, better: BoolArray) -> tuple[IntArray, IntArray]:
        """Ends of the rank sets, widened to hold the displayed ranks."""
        low, high = 1 + better.sum(axis=0), self.count - better.sum(axis=1)
        return (
            np.minimum(low, np.floor(self.ranks).astype(np.int64)),
            np.maximum(high, np.ceil(self.ranks).astype(np.int64)),
        )

    def _winner_reason(self, comparisons: Comparisons | None) -> str:
        if self.grounds.states_sets and self._is_exploratory:
            return "exploratory"
        if not self.grounds.states_sets or self.reason in ("stratum_too_small", "possible_clusters"):
            return str(self.reason)
        if self.grounds.units.number < self.grounds.units_needed["winner"] or comparisons is None:
            return "too_few_units"
        if not self.alone:
            return "tie"
        if comparisons.level is None:
            return "not_shown"
        if self._against_first:
            return "depends_on_entries"
        return "shown" if comparisons.survives else "one_more_failure"

    def verdict(
        self, *, level: str | None, winner_reason: str, against: Sequence[int], again: float | None
    ) -> str | None:
        if not self.grounds.states_sets or self._is_exploratory:
            return None
        if level is not None:
            return level
        if winner_reason == "one_more_failure":
            return "leaning"
        is_likely = again is not None and again >= LEADING
        is_compared = self.grounds.comparable or self.reason == "possible_clusters"
        return "leaning" if is_compared and self.alone and not against and is_likely else "open"

    def _first_again(self) -> float | None:
        if self.draws is None or not self.alone or self.count < 2:
            return None
        return self.draws.first_again(self.first)

    def margin(self) -> float | None:
        """Return the registered margin; a combination of several rankings has none, that of a single one has its margin."""
        if self.ranking.combined and (len(self.ranking.elementary) > 1 or self.plan.rules == FIRST_RULES):
            return None
        return self.uncertainty.margin.get(self.ranking.elementary[0].item.table.metric.name)

    @property
    def _without_pairs(self) -> str | None:
        """Reason why the document contains no comparisons of pairs and no letters; ``None`` if it contains them."""
        if self._is_exploratory:
            return "exploratory"
        return "too_many_algorithms" if self.count > MOST_IN_MATRICES else None

    def _left_out(self, words: list[str] | None) -> dict[str, str]:
        """Return the reasons why matrices and letters are null, by key; empty if all are included."""
        if self._without_pairs is not None:
            return dict.fromkeys(("shown_better", "p_own", "letters"), self._without_pairs)
        return {} if words is not None else {"letters": "too_many_letters"}

    def _matrix(self, better: BoolArray) -> list[list[bool]] | None:
        if self._without_pairs is not None:
            return None
        rows: list[list[bool]] = better[np.ix_(self.order, self.order)].tolist()
        return rows

    def _p_values(self, comparisons: Comparisons | None) -> list[list[float | None]] | None:
        if self._without_pairs is not None:
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
        self, better: BoolArray, comparisons: Comparisons | None, winner_reason: str, words: list[str] | None
    ) -> list[dict[str, Any]]:
        low, high = self._ends(better)
        stated = self.grounds.states_sets
        after_failure = self._ranks_after_failure
        score_intervals = self.score_intervals()
        rows: list[dict[str, Any]] = []
        for position, j in enumerate(map(int, self.order)):
            rows.append(
                {
                    "rank_set": [int(low[j]), int(high[j])] if stated else None,
                    "within_reach": bool(stated and low[j] == 1),
                    "letters": None if words is None else words[position],
                    "difference_from_first": self.difference(j, comparisons, better, winner_reason),
                    "failure": failure(self.failed[j], self.cases),
                    "rank_if_one_more_failed": after_failure[j],
                    **({} if score_intervals is None else {"score_confidence_interval": score_intervals.get(j)}),
                }
            )
        return rows

    def score_intervals(self) -> dict[int, dict[str, Any]] | None:
        """Return the intervals that cover the scores, by algorithm; ``None`` for combined rankings.

        There are none where cases may be alike by a column that is not declared.
        """
        if self.ranking.combined:
            return None
        if any(warning["code"] == "possible_clusters" for warning in self.warnings):
            return {}
        if self.ranking.elementary[0].item.table.per_dataset:
            return self._intervals_of_extremes()
        if not self.linear or not self.plan.requested:
            return {}
        higher = self.ranking.elementary[0].item.ranked.higher_is_better
        intervals = self.linear_part.score_intervals(self.uncertainty.interval)
        return {j: interval.document(higher_is_better=higher) for j, interval in intervals.items()}

    def _intervals_of_extremes(self) -> dict[int, dict[str, Any]]:
        """Return exact intervals of values of the whole data set that are the best or the worst possible ones.

        There are none where cases are not the units.
        """
        item = self.ranking.elementary[0].item
        if item.units.number < item.cases:
            return {}
        level, values = self.uncertainty.interval, item.table.values[0].tolist()
        intervals = {j: interval_of_extreme(values[j], trials, level) for j, trials in enumerate(item.trials)}
        return {j: one.document(higher_is_better=True) for j, one in intervals.items() if one is not None}

    def difference(
        self, other: int, comparisons: Comparisons | None, better: BoolArray, winner_reason: str
    ) -> dict[str, Any] | None:
        if comparisons is None or comparisons.intervals is None or self.ranking.combined or other == self.first:
            return None
        estimate_and_interval = comparisons.intervals(other)
        if estimate_and_interval is None:
            return None
        estimate, interval = estimate_and_interval
        return difference_entry(
            estimate,
            None if winner_reason == "depends_on_entries" else interval,
            margin=self.margin() or 0.0,
            is_better=bool(better[self.first, other]),
            limit=comparisons.limit if winner_reason == "shown" else None,
            level=self.uncertainty.interval,
            is_descriptive=self._is_exploratory,
        )
