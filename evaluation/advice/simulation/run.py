"""Simulating a challenge that does not exist yet, many times, by its registered assessment."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation.advice.simulation.board import (
    FLIP_DRAWS,
    MOST_DRAWS,
    Tally,
    boards_within,
    decision_of,
    plan_of,
    simulated_assessment,
)
from evaluation.advice.simulation.contest import Contest, simulated_scheme
from evaluation.advice.simulation.model import (
    FEWEST_FOR_SKEWNESS,
    SimulationError,
    check_skewness,
    draw_field,
    draw_latent,
    failure_rate,
    model_of,
    pilot_table,
)
from evaluation.advice.simulation.needed import cases_needed
from evaluation.advice.simulation.result import CurvePoint, SelectivePoint, SimulationResult
from evaluation.ranking.uncertainty.budgets import budget
from evaluation.ranking.uncertainty.needed import units_needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pandas as pd

    from evaluation.advice.simulation.board import BoardTally
    from evaluation.advice.simulation.model import SampleArray, Spread
    from evaluation.assessment.model import Assessment

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
FEWEST_TEAMS: Final = 2
MAX_TEAMS: Final = 100
FEWEST_CASES: Final = 3
MAX_CASES: Final = 5_000
MAX_SCORES: Final = 100_000
"""Of one simulated challenge, metric and region."""
MAX_SAMPLES: Final = 100_000
SHARES_LEFT_OUT: Final = (0.05, 0.1, 0.2)
MOST_BOARDS: Final = 400
_CHUNK_ELEMENTS: Final = 400_000
_CURVE: Final = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
_FEWEST_BOARDS: Final = 10
_MOST_OF_CURVE: Final = 100
MOST_FAILURES: Final = 0.5
"""Largest simulated share of failed cases."""


@dataclass(frozen=True)
class _Effort:
    """Number of challenges that each stage simulates.

    Leaderboards and tests between all pairs of teams are the most expensive.

    Attributes
    ----------
    curve
        Other numbers of cases, each with the number of leaderboards.
    """

    samples: int
    boards: int
    curve: tuple[tuple[int, int], ...]
    selective: int

    @classmethod
    def of(cls, contest: Contest, *, cases: int, teams: int, samples: int, bootstrap: int) -> _Effort:
        tables = len(contest.models)
        budget = 32e6 / max(cases * teams * tables, 1)
        if contest.compares_pairs:
            budget /= max(teams / 10, 1)
        draws = min(bootstrap, FLIP_DRAWS if contest.is_linear else MOST_DRAWS)
        others = sorted({max(3, round(cases * share)) for share in _CURVE} - {cases})
        curve = tuple(
            (
                other,
                max(_FEWEST_BOARDS, min(samples, boards_within(0.8, contest, cases=other, teams=teams, draws=draws), _MOST_OF_CURVE)),
            )
            for other in others
            if other <= MAX_CASES and other * teams <= MAX_SCORES
        )  # fmt: skip
        return cls(
            samples=min(samples, max(int(2 * budget), 50)),
            boards=max(
                10, min(samples, MOST_BOARDS, boards_within(6.0, contest, cases=cases, teams=teams, draws=draws))
            ),
            curve=curve,
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
    failures: float | None = None,
    skewness: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SimulationResult:
    """Simulate a challenge many times to find the differences that its design can detect.

    Parameters
    ----------
    assessment
        The compiled design, whose ranking scheme and policies are used.
    cases, teams
        Expected number of test cases and of teams.
    spread
        Spread of case scores: one for all metrics, or one for each by its name; defaults for missing ones.
    pilot
        Case scores to estimate the spread from, as in a results table; takes precedence over `spread`.
    samples
        Number of simulated challenges.
    seed
        Equal inputs and seed give equal results.
    agreement
        Correlation of the effects between metrics and regions, from 0 (nothing in common) to 1 (identical
        effects).
    image_diagonal
        Value in mm of a missing distance under a policy that uses the diagonal.
    ranking
        Name of the ranking, if the design has several.
    failures
        Probability from 0 to 0.5 that a team fails on a case. By default it is the share of the pilot, and 0 without one.
    skewness
        Skewness from -6 to 6 of the deviations of a team on a case, where more is better; negative if a few cases are very bad.
        By default it is that of the pilot or of the spread, and 0 without one.
    progress
        Called with the number of finished and of all pieces of work.

    Returns
    -------
    SimulationResult

    Raises
    ------
    SimulationError
        For numbers out of range, or a pilot that does not fit.

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
    contest = make_contest(
        assessment,
        spread=spread,
        pilot=pilot,
        ranking=ranking,
        failures=failures,
        skewness=skewness,
        diagonal=image_diagonal,
    )
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
    failures: float | None = None,
    skewness: float | None = None,
    diagonal: float = 200.0,
) -> Contest:
    """Everything that a simulation ranks.

    See `simulate` for the parameters.

    Raises
    ------
    SimulationError
        If there is no such ranking, or spread or pilot does not fit.
    """
    scheme, notes = simulated_scheme(assessment, ranking)
    used = [m for m in assessment.metrics if scheme.metrics is None or m.name in scheme.metrics]
    whole = [metric.name for metric in used if metric.level != "case"]
    if whole:
        stands = "stands" if len(whole) == 1 else "stand"
        notes = (
            *notes,
            (
                f"For {', '.join(whole)}, {'a metric' if len(whole) == 1 else 'metrics'} of the whole data set, {stands} the mean "
                "of what each case contributes."
            ),
        )
    names = [region.name for region in assessment.regions if scheme.regions is None or region.name in scheme.regions]
    regions: list[str | None] = list(names) or [None]
    models = tuple(
        model_of(metric, region, spread=spread, pilot=pilot, alone=len(used) == 1)
        for metric in used
        for region in regions
    )
    undecided = [metric.name for metric in used if metric.policy.missing is None]
    if undecided:
        notes = (*notes, f"Nothing says what a missing {undecided[0]} counts as, so missing cases are ignored here.")
    if scheme.combine is None and len(models) > 1:
        first = models[0]
        in_region = f" in {first.region}" if first.region else ""
        notes = (*notes, f"The design keeps its rankings apart; simulated is that of {first.metric.name}{in_region}.")
        models = models[:1]
    if skewness is None and pilot is not None and pilot["algorithm"].nunique() < FEWEST_FOR_SKEWNESS:
        notes = (*notes, f"The skewness of the pilot is not estimated: this needs {FEWEST_FOR_SKEWNESS} algorithms.")
    if skewness is not None:
        check_skewness(skewness)
        models = tuple(replace(model, skewness=float(skewness)) for model in models)
    if failures is not None and not 0.0 <= failures <= MOST_FAILURES:
        message = f"failures: {failures} is not a number from 0 to {MOST_FAILURES:g}"
        raise SimulationError(message)
    if failures is None:
        failures = max((failure_rate(model.metric, model.region, pilot) for model in models), default=0.0)
    contest = Contest(scheme, models, notes, float(failures), diagonal)
    return _with_pilot(_simulated_alone(contest), pilot)


def _simulated_alone(contest: Contest) -> Contest:
    """Return the contest without failures and skewness where they cannot be simulated, with notes on this."""
    notes = list(contest.notes)
    if contest.failures > 0.0 and not contest.simulates_failures:
        notes.append("Failures are not simulated, because a missing case has no registered value in every metric.")
        contest = replace(contest, failures=0.0)
    if any(model.skewness for model in contest.models) and not contest.simulates_skewness:
        notes.append("Skewness is not simulated, because the ranking is not by a mean of the values of cases.")
        contest = replace(contest, models=tuple(replace(model, skewness=0.0) for model in contest.models))
    return replace(contest, notes=tuple(notes))


def _with_pilot(contest: Contest, pilot: pd.DataFrame | None) -> Contest:
    """Return the contest with the values of the pilot, which are resampled where there is one model of cases."""
    model = contest.models[0]
    if pilot is None or len(contest.models) > 1 or model.source != "pilot" or model.metric.level != "case":
        return contest
    return replace(contest, pilot=pilot_table(model.metric, model.region, pilot))


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
        self.streams = [np.random.default_rng([self.seed, stage]) for stage in range(6)]
        self.done = 0
        self.total = (
            self._chunks(self.effort.samples, self.cases)
            + self.effort.boards
            + sum(boards for _, boards in self.effort.curve)
            + 1
            + self._chunks(self.effort.selective, self.cases)
        )

    @property
    def _place(self) -> int:
        """Place of the simulated ranking among those of the assessment."""
        names = [scheme.name for scheme in self.assessment.rankings]
        return names.index(self.contest.scheme.name)

    def run(self) -> SimulationResult:
        places, wins, shares = self._outcomes()
        boards = self._boards(self.cases, self.effort.boards, self.streams[1], self.streams[4])
        curve = self._curve(boards)
        contest = self.contest
        least = units_needed(self.assessment, algorithms=self.teams)[self._place].winner
        needed = cases_needed(
            contest, self.assessment, teams=self.teams, agreement=self.agreement, seed=self.seed, least=least
        )
        self._advance()
        selective = self._selective()
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
            boards=boards,
            alpha=budget(self.assessment.uncertainty, self.teams).alpha,
            interval=self.assessment.uncertainty.interval,
            units_needed=least,
            curve=curve,
            needed=needed,
            failures=contest.failures,
            selective=tuple(selective),
            models=tuple(model.document for model in contest.models),
            notes=contest.notes,
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
        """Return the frequency of each rank by true rank, and how often the best wins or shares first."""
        random, of_failures = self.streams[0], self.streams[5]
        counts = np.zeros((self.teams, self.teams))
        wins = shares = 0
        for size in self._pieces(self.effort.samples, self.cases):
            field = draw_field(random, size, self.teams, len(self.contest.models), self.agreement)
            true = self.contest.true_ranks(field)
            latent = draw_latent(random, self.contest.models, field, self.cases, self.agreement)
            ranks = self.contest.ranks(latent, self.contest.failed(of_failures, latent))
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

    def _boards(
        self, cases: int, boards: int, random: np.random.Generator, of_failures: np.random.Generator
    ) -> BoardTally:
        """Return the summary of leaderboards with some number of cases, computed by the code of real leaderboards."""
        assessment = simulated_assessment(self.assessment, self.contest)
        plan = plan_of(assessment, cases, self.seed)
        tally = Tally(self.teams)
        for _ in range(boards):
            field = draw_field(random, 1, self.teams, len(self.contest.models), self.agreement)
            latent = draw_latent(random, self.contest.models, field, cases, self.agreement)
            failed = self.contest.failed(of_failures, latent)
            decision, ranks = decision_of(self.contest, latent, 0, plan, assessment, failed)
            tally.add(decision, ranks, self.contest.true_ranks(field)[0])
            self._advance()
        return tally.result()

    def _curve(self, planned: BoardTally) -> tuple[CurvePoint, ...]:
        """Return the results of leaderboards with other numbers of cases, and with the planned one."""
        tallies = {self.cases: planned}
        for cases, boards in self.effort.curve:
            tallies[cases] = self._boards(cases, boards, *self._streams_of(cases))
        return tuple(
            CurvePoint(cases, tally.first, tally.named, tally.right, tally.confirmed, tally.boards)
            for cases, tally in sorted(tallies.items())
        )

    def _streams_of(self, cases: int) -> tuple[np.random.Generator, np.random.Generator]:
        """Return the streams of a number of cases: of scores and of failures."""
        return np.random.default_rng([self.seed, 6, cases]), np.random.default_rng([self.seed, 7, cases])

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
            team_values = np.take_along_axis(drawn, team[:, None, None], axis=2)[:, :, 0]
            total += (team_values - np.float32(model.mean)) / np.float32(
                max(math.hypot(model.cases, model.noise), 1e-12)
            )
        return total


def _check(*, cases: int, teams: int, samples: int, seed: int, agreement: float) -> None:
    limits = {
        "cases": (cases, FEWEST_CASES, MAX_CASES),
        "teams": (teams, FEWEST_TEAMS, MAX_TEAMS),
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
