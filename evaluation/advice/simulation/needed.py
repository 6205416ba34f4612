"""Number of cases that would show the lead of the best team over the second, by the definition of boards and reports.

The number differs between challenges, since teams differ, and is therefore a range over simulated challenges. A pilot is
resampled in addition, because it is a sample itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.advice.simulation.model import (
    Field,
    SimulationError,
    draw_field,
    draw_latent,
    is_failure,
    of_table,
)
from evaluation.ranking.schemes.challenges import ranks_without_ties
from evaluation.ranking.uncertainty.budgets import budget
from evaluation.ranking.uncertainty.settling import EDGES, stated, units_to_show

if TYPE_CHECKING:
    from evaluation.advice.simulation.contest import Contest
    from evaluation.assessment.model import Assessment

FloatArray = npt.NDArray[np.float64]
CHALLENGES: Final = 400
PILOTS: Final = 100
"""Number of resampled pilots."""
_CHALLENGES_OF_PILOT: Final = 100
_CASES: Final = 300
"""Simulated cases from which the spread of a difference is estimated."""
_CASES_OF_RANKS: Final = 100
_WILCOXON: Final = 3.0 / np.pi
"""Asymptotic efficiency of the signed rank test relative to the t test, for normal differences."""


@dataclass(frozen=True)
class CasesNeeded:
    """Number of cases with which the best team is significantly better than the second in 80 of 100 challenges with these teams.

    Attributes
    ----------
    median
        In the median over simulated challenges; ``None`` above 10,000.
    low, high
        90 % range over simulated challenges; ``None`` above 10,000.
    pilot
        90 % range of the median over resampled pilots; ``None`` without a pilot.
    """

    median: int | None
    low: int | None
    high: int | None
    pilot: tuple[int | None, int | None] | None = None

    @property
    def document(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "median": self.median,
            "interval": [self.low, self.high],
            "pilot_interval": None if self.pilot is None else list(self.pilot),
        }


def cases_needed(
    contest: Contest, assessment: Assessment, *, teams: int, agreement: float, seed: int, least: int | None
) -> CasesNeeded | None:
    """Return the number of cases needed; ``None`` if no winner is ever named or the ranking is no mean over cases.

    Parameters
    ----------
    least
        The fewest cases with which a winner can be named at all.
    """
    if least is None or not contest.is_linear or (contest.compares_pairs and contest.failures > 0.0):
        return None
    margin = assessment.uncertainty.margin.get(contest.models[0].metric.name, 0.0)
    level = budget(assessment.uncertainty, teams).winner / 2.0
    random = np.random.default_rng([seed, 10])

    def numbers(of: Contest, challenges: int) -> FloatArray:
        lead, deviation = _best_two(of, random, challenges, teams, agreement)
        return np.sort(np.maximum(units_to_show(lead - margin, deviation, level=level), least))

    needed = numbers(contest, CHALLENGES)
    low, middle, high = (_quantile(needed, share) for share in (EDGES[0], 0.5, EDGES[1]))
    pilot = None
    if contest.pilot is not None:
        medians = np.sort(
            [
                np.inf if resampled is None else _quantile(numbers(resampled, _CHALLENGES_OF_PILOT), 0.5)
                for resampled in (_resampled(contest, random) for _ in range(PILOTS))
            ]
        )
        least_of, most_of = (_quantile(medians, edge) for edge in EDGES)
        pilot = stated(min(least_of, middle)), stated(max(most_of, middle))
    return CasesNeeded(stated(middle), stated(low), stated(high), pilot)


def _quantile(ordered: FloatArray, share: float) -> float:
    return float(ordered[max(math.ceil(share * len(ordered)) - 1, 0)])


def _best_two(
    contest: Contest, random: np.random.Generator, challenges: int, teams: int, agreement: float
) -> tuple[FloatArray, FloatArray]:
    """Return, for simulated challenges, the true lead of the best over the second, and its standard deviation per case."""
    model = contest.models[0]
    field = draw_field(random, challenges, teams, 1, agreement)
    quality = field.parts[0]
    best = np.argsort(-quality, axis=1, kind="stable")[:, :2]
    two = np.take_along_axis(quality, best, axis=1)
    if contest.compares_pairs:
        lead = model.teams * (two[:, 0] - two[:, 1])
        return lead, np.full(challenges, math.sqrt(2.0 / _WILCOXON) * model.noise)
    limits, higher = contest.limit_scores(model, quality)
    of_two = np.take_along_axis(limits if higher else -limits, best, axis=1)
    answered = 1.0 - contest.failures
    lead = (of_two[:, 0] - of_two[:, 1]) * (answered**2 if contest.ranks_cases else answered)
    if not contest.ranks_cases:
        pair = Field(np.take_along_axis(field.common, best, axis=1), (two,))
        latent = draw_latent(random, contest.models, pair, _CASES, agreement)
        values = contest.values(model, latent[0], contest.failed(random, latent))
        return lead, np.asarray((values[..., 0] - values[..., 1]).std(axis=1, ddof=1))
    latent = draw_latent(random, contest.models, field, _CASES_OF_RANKS, agreement)
    failed = contest.failed(random, latent)
    if failed is not None:
        # All failed teams of a case come last, in random order.
        latent[0][failed] -= np.float32(1e4)
    ranks = np.take_along_axis(ranks_without_ties(latent[0]), best[:, None, :], axis=2).astype(np.float64)
    return lead, np.asarray((ranks[..., 1] - ranks[..., 0]).std(axis=1, ddof=1))


def _resampled(contest: Contest, random: np.random.Generator) -> Contest | None:
    """Return the contest of a resampled pilot; ``None`` if too few of its cases are without failure.

    Cases are resampled. The variance between teams is divided by a chi-squared variable, since few algorithms say little
    about it, and the failure rate is drawn from its posterior distribution under the prior of Jeffreys.
    """
    assert contest.pilot is not None
    model, table = contest.models[0], contest.pilot
    algorithms = table.shape[1]
    failed = int(is_failure(model.metric, table).sum())
    drawn = table[random.integers(0, len(table), len(table))]
    try:
        estimate = of_table(model.metric, model.region, model.scale, drawn)
    except SimulationError:
        return None
    spread = estimate.teams * math.sqrt((algorithms - 1) / float(random.chisquare(algorithms - 1)))
    rate = float(random.beta(failed + 0.5, table.size - failed + 0.5)) if contest.simulates_failures else 0.0
    skewness = estimate.skewness if contest.simulates_skewness else 0.0
    return replace(contest, models=(replace(estimate, teams=spread, skewness=skewness),), failures=rate, pilot=None)
