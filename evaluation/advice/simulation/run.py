"""Simulating a challenge that does not exist yet, many times, by its registered assessment."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from evaluation.advice.simulation.contest import Contest, simulated_scheme
from evaluation.advice.simulation.model import (
    SimulationError,
    draw_field,
    draw_latent,
    model_of,
    typical_field,
)
from evaluation.advice.simulation.result import CurvePoint, SelectivePoint, SimulationResult
from evaluation.ranking.combination import Part, combine
from evaluation.ranking.resampling import Design, Drawn, multiplicities
from evaluation.ranking.schemes import Samples, apply_scheme
from evaluation.ranking.schemes.challenges import signed_rank_p_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pandas as pd

    from evaluation.advice.simulation.model import SampleArray, Spread
    from evaluation.assessment import Assessment

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
MAX_TEAMS: Final = 100
MAX_CASES: Final = 5_000
MAX_SCORES: Final = 100_000
"""Of one simulated challenge, metric and region."""
MAX_SAMPLES: Final = 100_000
SHARES_LEFT_OUT: Final = (0.05, 0.1, 0.2)
AHEAD: Final = 0.95
POWER: Final = 0.8
_CHUNK_ELEMENTS: Final = 400_000
_CURVE: Final = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
_LARGEST_ANSWER: Final = 1_000_000


@dataclass(frozen=True)
class _Effort:
    """How many challenges each stage simulates; tests between all pairs of teams cost most."""

    samples: int
    curve: int
    intervals: int
    bootstrap: int
    selective: int

    @classmethod
    def of(cls, contest: Contest, *, cases: int, teams: int, samples: int, bootstrap: int) -> _Effort:
        budget = 32e6 / max(cases * teams * len(contest.models), 1)
        if contest.compares_pairs:
            budget /= max(teams / 10, 1)
        by_tests = contest.compares_pairs
        return cls(
            samples=min(samples, max(int(2 * budget), 50)),
            curve=min(samples, 400, max(int(budget / 5), 20)),
            intervals=min(samples, 3 if by_tests else 20, max(int(budget / 50), 2)),
            bootstrap=min(bootstrap, 50 if by_tests else 500, max(int(5 * budget), 100)),
            selective=min(samples, 200, max(int(budget / 16), 10)),
        )


def simulate(
    assessment: Assessment,
    *,
    cases: int,
    teams: int,
    spread: Spread | Mapping[str, Spread] | None = None,
    pilot: pd.DataFrame | None = None,
    samples: int = 1000,
    seed: int = 1,
    agreement: float = 0.8,
    image_diagonal: float = 200.0,
    ranking: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SimulationResult:
    """Simulate a challenge many times: what can its design tell apart?

    Parameters
    ----------
    assessment
        The compiled design, whose ranking scheme and policies are used.
    cases, teams
        Number of test cases and of teams that are expected.
    spread
        How case scores spread: one for all metrics, or one for each by its name; defaults for what is not said.
    pilot
        Case scores to estimate the spread from, as in a results table; goes before `spread`.
    samples
        Number of simulated challenges.
    seed
        Equal inputs and seed give equal results.
    agreement
        Correlation of the effects between metrics and regions, from 0 (nothing in common) to 1 (all say the same).
    image_diagonal
        What a missing distance counts as where the policy says so, in mm.
    ranking
        Name of the ranking, if the design has several.
    progress
        Called with the number of finished and of all pieces of work.

    Returns
    -------
    SimulationResult

    Raises
    ------
    SimulationError
        For numbers out of range, a pilot that does not fit, or a design without a metric that has scores of cases.

    Examples
    --------
    >>> from evaluation.advice.simulation import Spread
    >>> from evaluation.assessment import parse
    >>> assessment = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]})
    >>> result = simulate(assessment, cases=50, teams=5, spread=Spread(0, 1, 5, 0.1), samples=50)
    >>> result.best_wins > 0.9
    True
    """
    _check(cases=cases, teams=teams, samples=samples, seed=seed, agreement=agreement)
    contest = make_contest(assessment, spread=spread, pilot=pilot, ranking=ranking)
    effort = _Effort.of(
        contest, cases=cases, teams=teams, samples=samples, bootstrap=assessment.uncertainty.bootstrap or 500
    )
    simulation = _Simulation(assessment, contest, cases, teams, agreement, image_diagonal, effort, seed, progress)
    return simulation.run()


def make_contest(
    assessment: Assessment,
    *,
    spread: Spread | Mapping[str, Spread] | None = None,
    pilot: pd.DataFrame | None = None,
    ranking: str | None = None,
) -> Contest:
    """Everything that a simulation ranks.

    Raises
    ------
    SimulationError
        If no metric of the ranking has scores of cases.
    """
    scheme, notes = simulated_scheme(assessment, ranking)
    used = [m for m in assessment.metrics if scheme.metrics is None or m.name in scheme.metrics]
    per_case = [metric for metric in used if metric.level == "case"]
    if not per_case:
        message = "no metric of the ranking gives one score a case, so there is nothing to simulate"
        raise SimulationError(message)
    left_out = [metric.name for metric in used if metric.level != "case"]
    if left_out:
        notes = (*notes, f"Metrics over the whole data set are left out: {', '.join(left_out)}.")
    names = [region.name for region in assessment.regions if scheme.regions is None or region.name in scheme.regions]
    regions: list[str | None] = list(names) or [None]
    models = tuple(
        model_of(metric, region, spread=spread, pilot=pilot, alone=len(per_case) == 1)
        for metric in per_case
        for region in regions
    )
    undecided = [metric.name for metric in per_case if metric.policy.missing is None]
    if undecided:
        notes = (*notes, f"Nothing says what a missing {undecided[0]} counts as, so missing cases are ignored here.")
    if scheme.combine is None and len(models) > 1:
        first = models[0]
        place = f" in {first.region}" if first.region else ""
        notes = (*notes, f"The design keeps its rankings apart; simulated is that of {first.metric.name}{place}.")
        models = models[:1]
    return Contest(scheme, models, notes)


@dataclass
class _Simulation:
    assessment: Assessment
    contest: Contest
    cases: int
    teams: int
    agreement: float
    diagonal: float
    effort: _Effort
    seed: int
    progress: Callable[[int, int], None] | None

    def __post_init__(self) -> None:
        self.streams = [np.random.default_rng([self.seed, stage]) for stage in range(4)]
        self.done = 0
        self.curve_cases = sorted({max(3, round(self.cases * share)) for share in _CURVE})
        self.total = (
            self._chunks(self.effort.samples, self.cases)
            + self._chunks(self.effort.curve, self.curve_cases[-1])
            + self.effort.intervals
            + self._chunks(self.effort.selective, self.cases)
        )

    def run(self) -> SimulationResult:
        places, wins, shares = self._outcomes()
        widths = self._interval_widths()
        curve = self._curve()
        selective = self._selective()
        contest = self.contest
        return SimulationResult(
            cases=self.cases,
            teams=self.teams,
            samples=self.effort.samples,
            seed=self.seed,
            agreement=self.agreement,
            scheme=contest.scheme.scheme,
            best_wins=wins,
            best_shares_first=shares,
            places=places,
            interval_widths=widths,
            interval=self.assessment.uncertainty.interval,
            curve=tuple(curve),
            cases_ahead=_needed([(p.cases, p.first_ahead) for p in curve], float(ndtri(AHEAD)), 0.0),
            cases_significant=_needed(
                [(p.cases, p.significant) for p in curve],
                float(ndtri(POWER)),
                float(ndtri(1.0 - contest.scheme.alpha)),
            ),
            selective=tuple(selective),
            models=tuple(model.document for model in contest.models),
            notes=contest.notes,
            group=self.assessment.uncertainty.group,
        )

    def _chunk(self, cases: int) -> int:
        return max(1, int(_CHUNK_ELEMENTS // (cases * self.teams)))

    def _chunks(self, samples: int, cases: int) -> int:
        return math.ceil(samples / self._chunk(cases))

    def _pieces(self, samples: int, cases: int) -> Iterator[int]:
        """Numbers of challenges that are drawn together, so that memory does not grow."""
        size = self._chunk(cases)
        for start in range(0, samples, size):
            yield min(size, samples - start)
            self._advance()

    def _advance(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)

    def _outcomes(self) -> tuple[FloatArray, float, float]:
        """How often the team of each true place gets each rank, and how often the best one wins alone or shares."""
        random = self.streams[0]
        counts = np.zeros((self.teams, self.teams))
        wins = shares = 0
        for size in self._pieces(self.effort.samples, self.cases):
            field = draw_field(random, size, self.teams, len(self.contest.models), self.agreement)
            true = self.contest.true_ranks(field)
            ranks = self.contest.ranks(draw_latent(random, self.contest.models, field, self.cases, self.agreement))
            order = np.lexsort((-field.common, true), axis=1)
            ordered = np.take_along_axis(ranks, order, axis=1)
            column = np.clip(np.floor(ordered).astype(np.int64), 1, self.teams) - 1
            np.add.at(counts, (np.broadcast_to(np.arange(self.teams), column.shape), column), 1)
            first = ranks == ranks.min(axis=1, keepdims=True)
            best = first & (true == true.min(axis=1, keepdims=True))
            alone = first.sum(axis=1) == 1
            wins += int((best.any(axis=1) & alone).sum())
            shares += int(best.any(axis=1).sum())
        return counts / self.effort.samples, wins / self.effort.samples, shares / self.effort.samples

    def _interval_widths(self) -> FloatArray:
        """Mean width of the bootstrap rank interval by true place, as the leaderboard would show it."""
        random = self.streams[1]
        models = self.contest.models
        names = tuple(f"{case:06d}" for case in range(self.cases))
        drawn = Design(names).draw(self.effort.bootstrap, self.seed)
        samples = Samples(multiplicities(drawn, self.cases, self.effort.bootstrap), drawn)
        tail = (1.0 - self.assessment.uncertainty.interval) / 2.0
        widths = []
        for _ in range(self.effort.intervals):
            field = draw_field(random, 1, self.teams, len(models), self.agreement)
            latent = draw_latent(random, models, field, self.cases, self.agreement)
            ranks = self._resampled_ranks(latent, samples, drawn)
            low, high = np.quantile(ranks, [tail, 1.0 - tail], axis=0)
            order = np.lexsort((-field.common, self.contest.true_ranks(field)), axis=1)[0]
            widths.append((high - low)[order])
            self._advance()
        return np.asarray(np.mean(widths, axis=0))

    def _resampled_ranks(self, latent: list[SampleArray], samples: Samples, drawn: Drawn) -> FloatArray:
        """Ranks of one challenge in every bootstrap sample, by the registered scheme."""
        scheme, models = self.contest.scheme, self.contest.models
        if self.contest.compares_pairs:
            index = drawn.cases.reshape(samples.number, self.cases)
            return self.contest.ranks([quality[0][index] for quality in latent])
        parts = []
        for model, quality in zip(models, latent, strict=True):
            ranked = apply_scheme(
                model.scale.to_scores(quality[0]).astype(np.float64),
                np.zeros((self.cases, self.teams), dtype=bool),
                samples,
                scheme,
                higher_is_better=model.metric.higher_is_better,
                aggregation=self.assessment.aggregation,
                hierarchy=None,
            )
            key = {"task": None, "metric": model.metric.name, "region": model.region}
            parts.append(Part(key, ranked.scores, ranked.ranks, np.ones(samples.number)))
        if scheme.combine is None:
            return parts[0].ranks
        return combine(parts, scheme.combine, scheme.missing_rank)[0].ranks

    def _curve(self) -> list[CurvePoint]:
        """What more cases would tell, for the field that one may expect; fewer cases are prefixes of more."""
        random = self.streams[2]
        models, teams = self.contest.models, self.teams
        most = self.curve_cases[-1]
        alpha = self.contest.scheme.alpha
        tallies = {cases: np.zeros(3) for cases in self.curve_cases}
        for size in self._pieces(self.effort.curve, most):
            field = typical_field(size, teams, len(models))
            latent = draw_latent(random, models, field, most, self.agreement)
            pair = models[0].scale.to_scores(latent[0][:, :, :2])
            for cases, tally in tallies.items():
                ranks = self.contest.ranks([part[:, :cases] for part in latent])
                first = ranks == ranks.min(axis=1, keepdims=True)
                tally[0] += (first[:, 0] & (first.sum(axis=1) == 1)).sum()
                tally[1] += (ranks[:, 0] < ranks[:, 1]).sum() + 0.5 * (ranks[:, 0] == ranks[:, 1]).sum()
                tally[2] += _significant(pair[:, :cases], alpha, higher=models[0].metric.higher_is_better)
        return [CurvePoint(cases, *(float(x) for x in tally / self.effort.curve)) for cases, tally in tallies.items()]

    def _selective(self) -> list[SelectivePoint]:
        """Places that a middling team wins by not handing in the cases that go worst for it."""
        random = self.streams[3]
        samples = self.effort.selective
        rows: dict[tuple[float, str], list[FloatArray]] = {}
        for size in self._pieces(samples, self.cases):
            field = draw_field(random, size, self.teams, len(self.contest.models), self.agreement)
            latent = draw_latent(random, self.contest.models, field, self.cases, self.agreement)
            true = self.contest.true_ranks(field)
            order = np.lexsort((-field.common, true), axis=1)
            team = order[:, (self.teams - 1) // 2]
            every = np.arange(size)
            honest = self.contest.ranks(latent)[every, team]
            badness = self._badness(latent, team)
            for left_out in SHARES_LEFT_OUT:
                gaps = np.zeros((size, self.cases, self.teams), dtype=bool)
                number = max(1, round(left_out * self.cases))
                worst = np.argsort(badness, axis=1)[:, :number]
                gaps[every[:, None], worst, team[:, None]] = True
                for rule in ("registered", "ignore"):
                    ranks = self.contest.ranks_with_gaps(latent, gaps, rule, self.diagonal)
                    rows.setdefault((left_out, rule), []).append(honest - ranks[every, team])
        return [
            SelectivePoint(
                left_out,
                float(np.concatenate(rows[left_out, "registered"]).mean()),
                float(np.concatenate(rows[left_out, "ignore"]).mean()),
            )
            for left_out in SHARES_LEFT_OUT
        ]

    def _badness(self, latent: list[SampleArray], team: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
        """Quality of one team on every case, averaged over the parts on a common scale; small is bad."""
        total = np.zeros(latent[0].shape[:2], dtype=np.float32)
        for model, drawn in zip(self.contest.models, latent, strict=True):
            own = np.take_along_axis(drawn, team[:, None, None], axis=2)[:, :, 0]
            total += (own - np.float32(model.mean)) / np.float32(max(math.hypot(model.cases, model.noise), 1e-12))
        return total


def _significant(pairs: npt.NDArray[Any], alpha: float, *, higher: bool) -> int:
    """In how many challenges the first is significantly better than the second on the first metric."""
    p_values = signed_rank_p_values(pairs if higher else -pairs)
    return int((p_values[:, 0, 1] <= alpha).sum())


def _needed(points: list[tuple[int, float]], wanted: float, critical: float) -> int | None:
    """Cases at which a share is reached, from a line through Φ⁻¹(share) + critical ∝ √cases.

    The share of challenges in which a mean of independent case differences exceeds a critical value follows
    Φ(c √n - critical). All points that are neither certain nor hopeless take part in the estimate of c.
    """
    inside = [(cases, share) for cases, share in points if 0.02 < share < 0.98]
    if not inside:
        sure = [cases for cases, share in points if share >= 0.98]
        return min(sure) if sure else None
    roots = np.sqrt([cases for cases, _ in inside])
    heights = ndtri([share for _, share in inside]) + critical
    slope = float((roots * heights).sum() / (roots**2).sum())
    if slope <= 0:
        return None
    cases = math.ceil(((wanted + critical) / slope) ** 2)
    return cases if cases <= _LARGEST_ANSWER else None


def _check(*, cases: int, teams: int, samples: int, seed: int, agreement: float) -> None:
    limits = {
        "cases": (cases, 3, MAX_CASES),
        "teams": (teams, 2, MAX_TEAMS),
        "samples": (samples, 1, MAX_SAMPLES),
        "seed": (seed, 0, 2**63),
    }
    for name, (value, low, high) in limits.items():
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            message = f"{name}: {value} is not a whole number from {low} to {high}"
            raise SimulationError(message)
    if cases * teams > MAX_SCORES:
        message = f"{cases} cases × {teams} teams are more than {MAX_SCORES} scores; simulate fewer teams or cases"
        raise SimulationError(message)
    if not 0.0 <= agreement <= 1.0:
        message = f"agreement: {agreement} is not a number from 0 to 1"
        raise SimulationError(message)
