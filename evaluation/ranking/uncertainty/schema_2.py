"""Statements by the rules of ranking documents of schema 2, by which bundles of that schema are verified.

These rules assume symmetric differences and equal failure rates. No new ranking is computed by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.ranking.uncertainty.failures import unseen_variance
from evaluation.ranking.uncertainty.pairs import flip_intervals
from evaluation.ranking.uncertainty.sign_flips import compare_by_flips
from evaluation.ranking.uncertainty.statements import LEADING, Comparisons, Statements

if TYPE_CHECKING:
    from collections.abc import Sequence

BoolArray = npt.NDArray[np.bool_]
_ROUNDING = 1e-12


class StatementsOfSchema2(Statements):
    """Statements on the certainty of one ranking, by the rules of schema 2."""

    def by_flips(self) -> Comparisons:
        """Compare all pairs by sign flips alone."""
        ranking, linear = self.ranking, self.linear_part
        scored, contributed = linear.scored, linear.contributed
        extra = None
        if self.uncertainty.unseen_failures == "jeffreys" and ranking.scheme.aggregates_values:
            counts = np.array([self.failed[int(j)] or 0 for j in scored])
            extra = unseen_variance(linear.part, linear.values, counts)
        is_tested = ranking.scheme.compares_pairs
        comparisons = compare_by_flips(
            contributed,
            self.plan.signs,
            self.budget.sets,
            transform=ranking.scheme.contributions if is_tested else None,
            extra_variance=extra,
            guarded=False,
        )
        better = np.zeros((self.count, self.count), dtype=bool)
        p_own = np.full((self.count, self.count), np.nan)
        better[np.ix_(scored, scored)] = comparisons.shown
        p_own[np.ix_(scored, scored)] = comparisons.p_own
        if self.reason is not None:
            better[:] = False
        others = np.arange(self.count) != self.first
        wins = bool((p_own[self.first, others] <= self.budget.winner / 2.0 + _ROUNDING).all())
        places = {int(j): index for index, j in enumerate(scored)}
        intervals = None
        if not is_tested and self.first in places:
            of_others = flip_intervals(contributed, places[self.first], comparisons.critical, guarded=False)

            def intervals(other: int) -> tuple[float, tuple[float, float] | None] | None:
                return of_others[places[other]] if other in places else None

        return Comparisons(better, p_own, "clear" if wins else None, None, survives=True, intervals=intervals)

    def by_draws(self) -> Comparisons:
        """Compare all pairs by inflated draws."""
        assert self.draws is not None
        draws = self.draws
        better, inflation = draws.shown(self.budget.sets)
        wins = self.alone and draws.wins(self.first, self.budget.winner)
        if self.reason is not None:
            better[:] = False
        is_single = len(self.ranking.elementary) == 1 and not self.ranking.scheme.compares_pairs

        def between(other: int) -> tuple[float, tuple[float, float] | None] | None:
            estimate, interval = draws.interval(self.first, other, inflation)
            return (estimate, interval) if np.isfinite(estimate) else None

        return Comparisons(
            better,
            draws.p_own(),
            "clear" if wins else None,
            None,
            survives=True,
            intervals=between if is_single else None,
        )

    def _spent(self) -> dict[str, Any]:
        return {}

    def effects(self, level: str | None, better: BoolArray) -> dict[str, Any]:  # noqa: ARG002
        """Return nothing: schema 2 has no effect sizes."""
        return {}

    def verdict(
        self,
        *,
        level: str | None,
        winner_reason: str,  # noqa: ARG002
        against: Sequence[int],
        again: float | None,
    ) -> str | None:
        """Return ``clear``, ``leaning``, ``open`` or ``None``."""
        if not self.grounds.states_sets:
            return None
        if level is not None:
            return level
        is_likely = again is not None and again >= LEADING
        return "leaning" if self.grounds.comparable and self.alone and not against and is_likely else "open"

    def difference(
        self,
        other: int,
        comparisons: Comparisons | None,
        better: BoolArray,
        winner_reason: str,  # noqa: ARG002
    ) -> dict[str, Any] | None:
        """Return the difference of the first from another algorithm."""
        if comparisons is None or comparisons.intervals is None or self.ranking.combined or other == self.first:
            return None
        estimate_and_interval = comparisons.intervals(other)
        if estimate_and_interval is None:
            return None
        estimate, interval = estimate_and_interval
        return difference_of_schema_2(estimate, interval, self.margin(), is_better=bool(better[self.first, other]))


def difference_of_schema_2(
    estimate: float, interval: tuple[float, float] | None, margin: float | None, *, is_better: bool
) -> dict[str, Any]:
    """Return the entry on a difference; whether a pair is better and its interval are not tied to each other."""
    outcome = _verdict_of(interval, margin, is_better=is_better)
    return {"estimate": estimate, "interval": None if interval is None else list(interval), "verdict": outcome}


def _verdict_of(interval: tuple[float, float] | None, margin: float | None, *, is_better: bool) -> str:
    if margin is None or margin == 0.0:
        return "better" if is_better else "undecided"
    if interval is None:
        return "undecided"
    low, high = interval
    if low > margin:
        return "better"
    return "equivalent" if -margin < low and high < margin else "undecided"
