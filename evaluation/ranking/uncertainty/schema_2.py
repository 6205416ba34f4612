"""Statements by the rules of ranking documents of schema 2, by which bundles of that schema are verified.

These rules assume symmetric differences and equal failure rates. No new ranking is computed by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from evaluation.ranking.uncertainty.statements import LEADING, Comparisons, Statements

if TYPE_CHECKING:
    from collections.abc import Sequence

BoolArray = npt.NDArray[np.bool_]


class StatementsOfSchema2(Statements):
    """Statements on the certainty of one ranking, by the rules of schema 2."""

    has_consequences: ClassVar[bool] = False
    excepts_infinite: ClassVar[bool] = False

    def by_flips(self) -> Comparisons:
        """Compare all pairs by sign flips alone."""
        flips = self.flips(margin=0.0, guarded=False)
        intervals = None if self.ranking.scheme.compares_pairs else self.flip_intervals(flips, guarded=False)
        level = "clear" if self.wins_by_flips(flips.p_own) else None
        return Comparisons(flips.shown, flips.p_own, level, None, survives=True, intervals=intervals)

    def by_draws(self) -> Comparisons:
        """Compare all pairs by inflated draws."""
        assert self.draws is not None
        better, inflation = self.draws.shown(self.budget.sets)
        wins = self.alone and self.draws.wins(self.first, self.budget.winner)
        if self.reason is not None:
            better[:] = False
        level = "clear" if wins else None
        return Comparisons(
            better, self.draws.p_own(), level, None, survives=True, intervals=self.draw_intervals(inflation)
        )

    def _spent(self) -> dict[str, Any]:
        return {}

    def effects(self, level: str | None, better: BoolArray) -> dict[str, Any]:  # noqa: ARG002
        """Return nothing: schema 2 has no effect sizes."""
        return {}

    def score_intervals(self) -> dict[int, dict[str, Any]] | None:
        """Return nothing: schema 2 has resampling ranges of scores only."""
        return None

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
