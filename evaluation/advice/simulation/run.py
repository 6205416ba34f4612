"""Simulating a challenge that does not exist yet, many times, by its registered assessment."""

from __future__ import annotations

import math
from dataclasses import dataclass
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
    SimulationError,
    draw_field,
    draw_latent,
    model_of,
)
from evaluation.advice.simulation.needed import TARGETS, Scaled, challenges_within
from evaluation.advice.simulation.result import CurvePoint, SelectivePoint, SimulationResult
from evaluation.ranking.uncertainty.grounds import budget
from evaluation.ranking.uncertainty.needed import units_needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pandas as pd

    from evaluation.advice.simulation.board import BoardTally
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
MOST_BOARDS: Final = 400
_CHUNK_ELEMENTS: Final = 400_000
_CURVE: Final = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True)
class _Effort:
    """Number of challenges that each stage simulates.

    Leaderboards and tests between all pairs of teams are the most expensive.
    """

    samples: int
    boards: int
    scaled: int
    selective: int

    @classmethod
    def of(cls, contest: Contest, *, cases: int, teams: int, samples: int, bootstrap: int) -> _Effort:
        tables = len(contest.models)
        budget = 32e6 / max(cases * teams * tables, 1)
        if contest.compares_pairs:
            budget /= max(teams / 10, 1)
        draws = min(bootstrap, FLIP_DRAWS if contest.is_linear else MOST_DRAWS)
        return cls(
            samples=min(samples, max(int(2 * budget), 50)),
            boards=max(
                10, min(samples, MOST_BOARDS, boards_within(4.0, contest, cases=cases, teams=teams, draws=draws))
            ),
            scaled=min(samples, MOST_BOARDS, max(40, challenges_within(3.0, contest, teams=teams))),
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
            + self.effort.boards
            + (self.effort.scaled if self._can_be_scaled else 0)
            + self._chunks(self.effort.selective, self.cases)
        )

    @property
    def _place(self) -> int:
        """Place of the simulated ranking among those of the assessment."""
        names = [scheme.name for scheme in self.assessment.rankings]
        return names.index(self.contest.scheme.name)

    @property
    def _can_be_scaled(self) -> bool:
        least = units_needed(simulated_assessment(self.assessment, self.contest), algorithms=self.teams)[0].winner
        return least is not None and self.contest.scores_converge

    def run(self) -> SimulationResult:
        places, wins, shares = self._outcomes()
        boards = self._boards()
        curve, needed = self._more_cases()
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
            boards=boards,
            alpha=budget(self.assessment.uncertainty, self.teams).alpha,
            interval=self.assessment.uncertainty.interval,
            units_needed=units_needed(self.assessment, algorithms=self.teams)[self._place].winner,
            curve=tuple(curve),
            needed=needed,
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

    def _boards(self) -> BoardTally:
        """Return the summary of the leaderboards, computed by the code of real leaderboards."""
        random = self.streams[1]
        assessment = simulated_assessment(self.assessment, self.contest)
        plan = plan_of(assessment, self.cases, self.seed)
        tally = Tally(self.teams)
        for _ in range(self.effort.boards):
            field = draw_field(random, 1, self.teams, len(self.contest.models), self.agreement)
            latent = draw_latent(random, self.contest.models, field, self.cases, self.agreement)
            decision, ranks = decision_of(self.contest, latent, 0, plan, assessment)
            tally.add(decision, ranks, self.contest.true_ranks(field)[0])
            self._advance()
        return tally.result()

    def _more_cases(self) -> tuple[list[CurvePoint], dict[float, int | None] | None]:
        """Return the results with other numbers of cases, and the fewest cases for each target.

        The latter is ``None`` if it cannot be computed.
        """
        scaled = Scaled(
            self.contest,
            self.assessment,
            teams=self.teams,
            challenges=self.effort.scaled,
            agreement=self.agreement,
            seed=self.seed,
            advance=self._advance,
        )
        if not scaled.possible:
            return [], None
        shares = [(cases, scaled.at(cases)) for cases in self.curve_cases]
        points = [CurvePoint(cases, share.first, share.named, share.right) for cases, share in shares]
        return points, {target: scaled.fewest(target) for target in TARGETS}

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
