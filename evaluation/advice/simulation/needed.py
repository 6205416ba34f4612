"""Number of cases that a leaderboard needs to name the right winner.

Scores of n cases scatter around those of infinitely many like a sample of the cases of one challenge, √(K/n) times as
far as those of K cases. Each challenge is therefore sampled once, with K cases, and evaluated for every n: shares
grow with n without noise, and bisection finds the n at which they reach a target. `docs/advice.md` describes the
accuracy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy.stats import t

from evaluation.advice.simulation.board import FLIP_DRAWS, plan_of, simulated_assessment
from evaluation.advice.simulation.model import draw_field, draw_latent
from evaluation.ranking.schemes.challenges import ranks_without_ties
from evaluation.ranking.simulated import DrawnValues, simulated_ranking
from evaluation.ranking.stability import head_to_head
from evaluation.ranking.uncertainty.draws import Draws, Spread
from evaluation.ranking.uncertainty.grounds import FEWEST_DRAWN_UNITS, FEWEST_DRAWS, budget
from evaluation.ranking.uncertainty.needed import units_needed

if TYPE_CHECKING:
    from collections.abc import Callable

    from evaluation.advice.simulation.contest import Contest
    from evaluation.assessment import Assessment
    from evaluation.ranking.uncertainty.grounds import Ranking

FloatArray = npt.NDArray[np.float64]
TARGETS: Final = (0.5, 0.8)
STEP: Final = 10
MOST_CASES: Final = 10_000
_SAMPLE: Final = 150
_ASKED: Final = 26
"""Number of case counts that are evaluated in a typical search."""
_WILCOXON: Final = 3.0 / np.pi
"""Asymptotic efficiency of the signed rank test relative to the t test, for normal differences."""


@dataclass(frozen=True)
class Share:
    """Of challenges in which the truly best ranks first alone, and in which a winner, and the right one, is named."""

    first: float
    named: float
    right: float


def challenges_within(seconds: float, contest: Contest, *, teams: int) -> int:
    """Return the number of challenges that one core can simulate in about `seconds` seconds.

    It is estimated from the components of the work and is the same on every machine.
    """
    if contest.is_linear:
        return int(seconds / (1e-3 + 2e-6 * _SAMPLE * teams))
    each = _ASKED * len(contest.models) * (3e-4 + 1.5e-7 * FLIP_DRAWS * teams)
    return int(seconds / (5e-3 + each))


class Scaled:
    """Simulated challenges that can be evaluated for any number of cases."""

    def __init__(
        self,
        contest: Contest,
        assessment: Assessment,
        *,
        teams: int,
        challenges: int,
        agreement: float,
        seed: int,
        advance: Callable[[], None],
    ) -> None:
        simulated = simulated_assessment(assessment, contest)
        fewer = min(simulated.uncertainty.bootstrap, FLIP_DRAWS)
        self.contest = contest
        self.assessment = replace(simulated, uncertainty=replace(simulated.uncertainty, bootstrap=fewer))
        self.teams, self.challenges, self.agreement, self.seed = teams, challenges, agreement, seed
        self.advance = advance
        self.least = units_needed(self.assessment, algorithms=teams)[0].winner
        self._shares: dict[int, Share] = {}

    @property
    def possible(self) -> bool:
        """True if a winner can ever be named and scores can be scaled.

        Scaling derives the scores of n cases from those of another number of cases.
        """
        return self.least is not None and self.contest.scores_converge

    def at(self, cases: int) -> Share:
        """Return the shares with `cases` cases."""
        if cases not in self._shares:
            if self.contest.is_linear:
                self._shares[cases] = self._linear(cases)
            else:
                self._shares[cases] = self._by_draws(cases)
        return self._shares[cases]

    def fewest(self, target: float) -> int | None:
        """The fewest cases, in tens, with which the right winner is named in so large a share; ``None`` above 10,000."""
        if self.at(MOST_CASES).right < target:
            return None
        low, high = 0, MOST_CASES // STEP
        while high - low > 1:
            middle = (low + high) // 2
            if self.at(middle * STEP).right >= target:
                high = middle
            else:
                low = middle
        return high * STEP

    # One mean: the t form of the flips

    @cached_property
    def _means(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """For every challenge true scores, sampled deviations from them, and variances of differences of pairs."""
        random = np.random.default_rng([self.seed, 10])
        contest, model = self.contest, self.contest.models[0]
        truth, off, spread = [], [], []
        for _ in range(self.challenges):
            field = draw_field(random, 1, self.teams, 1, self.agreement)
            latent = draw_latent(random, contest.models, field, _SAMPLE, self.agreement)[0]
            if contest.compares_pairs:
                values, limit = latent[0].astype(np.float64), model.mean + model.teams * field.parts[0][0]
            elif contest.ranks_cases:
                values = -ranks_without_ties(latent)[0].astype(np.float64)
                limit = -contest.limit_scores(model, field.parts[0])[0][0]
            else:
                values = model.scale.sign * model.scale.to_scores(latent)[0].astype(np.float64)
                limit = model.scale.sign * contest.limit_scores(model, field.parts[0])[0][0]
            matrix = np.cov(values.T).reshape(self.teams, self.teams)
            variances = np.diag(matrix)
            truth.append(limit)
            off.append(values.mean(axis=0) - limit)
            spread.append(variances[:, None] + variances[None, :] - 2.0 * matrix)
            self.advance()
        return np.array(truth), np.array(off), np.array(spread)

    def _linear(self, cases: int) -> Share:
        truth, off, spread = self._means
        scores = truth + off * np.sqrt(_SAMPLE / cases)
        first = scores.argmax(axis=1)
        every = np.arange(len(scores))
        gaps = scores[every, first][:, None] - scores
        if self.contest.compares_pairs:
            gaps *= np.sqrt(_WILCOXON)
        error = np.sqrt(np.maximum(spread[every, first], 0.0) / cases)
        share = budget(self.assessment.uncertainty, self.teams).winner / 2.0
        beyond = gaps >= float(t.isf(share, max(cases - 1, 1))) * error
        beyond[every, first] = True
        named = beyond.all(axis=1) & (self.least is not None and cases >= self.least)
        right = first == truth.argmax(axis=1)
        right &= (truth == truth.max(axis=1, keepdims=True)).sum(axis=1) == 1
        return Share(float(right.mean()), float(named.mean()), float((named & right).mean()))

    # Everything else: the draws themselves, shrunk or spread

    @cached_property
    def _drawn(self) -> list[tuple[FloatArray, list[FloatArray], Ranking]]:
        """For every challenge true ranks, true scores of each table, and the ranking of a sample."""
        random = np.random.default_rng([self.seed, 11])
        plan = plan_of(self.assessment, _SAMPLE, self.seed)
        contest, draws = self.contest, []
        for _ in range(self.challenges):
            field = draw_field(random, 1, self.teams, len(contest.models), self.agreement)
            latent = draw_latent(random, contest.models, field, _SAMPLE, self.agreement)
            values = [
                DrawnValues(model.metric, model.region, model.scale.to_scores(part[0]).astype(np.float64))
                for model, part in zip(contest.models, latent, strict=True)
            ]
            ranking = simulated_ranking(values, plan, self.assessment)
            limits = [
                contest.limit_scores(model, quality)[0][0]
                for model, quality in zip(contest.models, field.parts, strict=True)
            ]
            draws.append((contest.true_ranks(field)[0], limits, ranking))
            self.advance()
        return draws

    def _by_draws(self, cases: int) -> Share:
        counted = np.zeros(3)
        shares = budget(self.assessment.uncertainty, self.teams)
        factor = np.sqrt(_SAMPLE / cases)
        for true, limits, ranking in self._drawn:
            parts = []
            for part, limit in zip(ranking.elementary, limits, strict=True):
                centre = limit + (part.scores[0] - limit) * factor
                parts.append(
                    replace(part, scores=np.vstack([centre, centre + (part.scores[1:] - part.scores[0]) * factor]))
                )
            ranks = ranking.final([part.scores[:1] for part in parts])
            scaled = replace(ranking, elementary=tuple(parts), ranks=ranks)
            first = np.flatnonzero(ranks[0] == ranks[0].min())
            best = np.flatnonzero(true == true.min())
            right = len(first) == len(best) == 1 and first[0] == best[0]
            named = False
            if len(first) == 1 and cases >= FEWEST_DRAWN_UNITS and self.least is not None and cases >= self.least:
                number = len(ranking.ranks) - 1
                winner = int(first[0])
                named = number >= FEWEST_DRAWS and Draws(scaled, number, Spread(cases, 0, cases)).wins(
                    winner, shares.winner
                )
                named = named and not head_to_head(scaled, winner)
            counted += [right, named, named and right]
        return Share(*(float(value) for value in counted / max(self.challenges, 1)))
