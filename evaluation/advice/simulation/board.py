"""Leaderboards of simulated challenges, computed by the rules and the code of the ranking itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation.assessment.model import Aggregation
from evaluation.ranking.evaluate import make_plan
from evaluation.ranking.simulated import DrawnValues, simulated_ranking
from evaluation.ranking.uncertainty.certainty import decide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.advice.simulation.contest import Contest
    from evaluation.advice.simulation.model import BoolArray, SampleArray
    from evaluation.assessment.model import Assessment
    from evaluation.ranking.plans import Plan
    from evaluation.ranking.uncertainty.statements import Decision

FloatArray = npt.NDArray[np.float64]
MOST_DRAWS: Final = 500
FLIP_DRAWS: Final = 200
"""Number of resamples where sign flips decide.

The ranking requires resamples there, but the decision does not depend on them.
"""


@dataclass(frozen=True)
class BoardTally:
    """Summary of the leaderboards of many simulated challenges.

    Attributes
    ----------
    boards
        Number of leaderboards.
    first
        Share of leaderboards on which the truly best team ranks first alone.
    named, wrong
        Share of leaderboards that name a winner, and share that name a team that is not truly the only best.
    widths
        By true rank, the mean number of ranks in a set.
    first_width
        Mean number of ranks in the set of the team that ranks first.
    confirmed
        Share of leaderboards whose winner is confirmed, whatever rare failures there are.
    """

    boards: int
    named: float
    wrong: float
    widths: FloatArray
    first_width: float
    confirmed: float = 0.0
    first: float = 0.0

    @property
    def right(self) -> float:
        """Share of leaderboards that name the truly best team."""
        return self.named - self.wrong

    @property
    def width(self) -> float:
        """Mean number of ranks in a set."""
        return float(self.widths.mean())


def simulated_assessment(assessment: Assessment, contest: Contest) -> Assessment:
    """Return the registered assessment for cases that are units themselves and have no strata."""
    uncertainty = assessment.uncertainty
    draws = min(uncertainty.bootstrap, FLIP_DRAWS if contest.is_linear else MOST_DRAWS)
    return replace(
        assessment,
        rankings=(contest.scheme,),
        aggregation=Aggregation(),
        uncertainty=replace(uncertainty, bootstrap=draws, resample=("case",), strata=(), named_strata=()),
    )


def plan_of(assessment: Assessment, cases: int, seed: int) -> Plan:
    """Return the plan of units and resamples for `cases` cases."""
    names = [f"{case:06d}" for case in range(cases)]
    return make_plan(assessment, names, None, bootstrap=assessment.uncertainty.bootstrap, seed=seed)


def decision_of(
    contest: Contest,
    latent: Sequence[SampleArray],
    sample: int,
    plan: Plan,
    assessment: Assessment,
    failed: BoolArray | None = None,
) -> tuple[Decision, FloatArray]:
    """Return the decision of the leaderboard of one challenge, and its ranks."""
    of_sample = None if failed is None else failed[sample]
    drawn = [
        DrawnValues(model.metric, model.region, contest.values(model, part[sample], of_sample), of_sample)
        for model, part in zip(contest.models, latent, strict=True)
    ]
    ranking = simulated_ranking(drawn, plan, assessment)
    return decide(ranking), ranking.ranks[0]


class Tally:
    """Counts boards as they come."""

    def __init__(self, teams: int) -> None:
        self.teams, self.boards, self.named, self.wrong, self.confirmed, self.first = teams, 0, 0, 0, 0, 0
        self.widths, self.first_width = np.zeros(teams), 0.0

    def add(self, decision: Decision, ranks: FloatArray, true_ranks: FloatArray) -> None:
        """One board and the true ranks of its teams; where no sets are stated, every rank is possible."""
        best = np.flatnonzero(true_ranks == true_ranks.min())
        self.boards += 1
        leading = np.flatnonzero(ranks == ranks.min())
        self.first += int(len(leading) == len(best) == 1 and leading[0] == best[0])
        if decision.winner is not None:
            self.named += 1
            self.confirmed += int(decision.level == "confirmed")
            self.wrong += int(len(best) > 1 or decision.winner != best[0])
        width = np.full(self.teams, float(self.teams))
        if decision.low is not None and decision.high is not None:
            width = (decision.high - decision.low + 1).astype(np.float64)
        self.widths += width[np.argsort(true_ranks, kind="stable")]
        self.first_width += float(width[ranks == ranks.min()].mean())

    def result(self) -> BoardTally:
        """Shares and means."""
        count = max(self.boards, 1)
        return BoardTally(
            self.boards,
            self.named / count,
            self.wrong / count,
            self.widths / count,
            self.first_width / count,
            self.confirmed / count,
            self.first / count,
        )


def boards_within(seconds: float, contest: Contest, *, cases: int, teams: int, draws: int) -> int:
    """Return the number of leaderboards that one core can compute in about `seconds` seconds.

    It is estimated from the components of the work and is the same on every machine.

    Measured: for one mean over cases 8 ms per leaderboard and 15 µs per case and team. For other rankings 3 ms per leaderboard, and
    for each table 1 ms, 2 ns per resample, case and team, and 1 µs per resample and team.
    """
    if contest.is_linear:
        each = 8e-3 + 1.5e-5 * cases * teams
    else:
        tables = len(contest.models)
        each = 3e-3 + tables * (1e-3 + draws * teams * (2e-9 * cases + 1e-6)) + 1e-3 * teams**2 / 20
        if contest.compares_pairs:
            each += tables * draws * teams**2 * cases * 2e-8
    return max(1, math.floor(seconds / each))
