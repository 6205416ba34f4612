"""Does the uncertainty keep its word? Simulated boards whose true order is known, judged by the board's own code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from evaluation.assessment import parse
from evaluation.ranking.evaluate import make_plan
from evaluation.ranking.schemes import all_schemes, get_scheme
from evaluation.ranking.simulated import DrawnValues, simulated_ranking
from evaluation.ranking.stability import resampling_range
from evaluation.ranking.uncertainty.budgets import drawn_units
from evaluation.ranking.uncertainty.certainty import decide

if TYPE_CHECKING:
    from collections.abc import Callable

    from evaluation.assessment.model import Assessment
    from evaluation.ranking.plans import Plan
    from evaluation.ranking.uncertainty.elementary import Ranking

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
CellType = TypeVar("CellType")
OutcomeType = TypeVar("OutcomeType")
COVERED: Final = 0.93
FALSE_WINNERS: Final = 0.06
ERRORS: Final = 2.5
TOTAL: Final = 0.05
CASE_EFFECT: Final = 0.7
NOISE: Final = 0.7
FAILURE: Final = -8.0
NUMBERS: Final = (5, 10, 20, 50, 200)
TEAMS: Final = (3, 5, 10, 20)
OTHER_NUMBERS: Final = (7, 13, 30, 100)
OTHER_TEAMS: Final = (2, 4, 7, 14)
FAILURES: Final = (0.0, 0.02, 0.05)
FIELDS: Final = ("all equal", "two best", "ladder 0.02", "ladder 0.1", "one best")
SCHEMES: Final = ("mean", "rank, then mean", "median", "test, then rank", "mean of ranks over 4 metrics")
FULL_BOARDS, QUICK_BOARDS = 1000, 100
QUICK_SHARE: Final = 10
CONTRASTED: Final = 200
"""Boards of a cell that are resampled for the contrast alone, where sets and winner need no resamples."""
STUDY: Final = 3
"""Version of the study, raised when rules or simulated boards change.

Stored cells of earlier versions are simulated again.
"""
_RANKINGS: Final[dict[str, dict[str, Any]]] = {
    "mean": {},
    "rank, then mean": {"scheme": 1},
    "median": {"operator": "median"},
    "test, then rank": {"scheme": 2},
    "mean of ranks over 4 metrics": {"combine": {"over": ["metric"]}},
}


@dataclass(frozen=True)
class Cell:
    """One kind of challenge.

    Attributes
    ----------
    cases, teams
        Numbers of cases and of teams.
    field
        Distances between the teams, one of `FIELDS`, or ``trade``. In ``trade`` a team has a better typical value but more
        failures and is truly tied.
    failures
        Share of the cases that fail, of every team (of the first alone in ``trade``).
    scheme
        One of `SCHEMES`.
    unseen
        Method by which unobserved failures are included in the sets.
    """

    cases: int
    teams: int
    field: str
    failures: float
    scheme: str
    unseen: str = "none"


@dataclass(frozen=True)
class Outcome:
    """Results of the boards of a cell.

    Attributes
    ----------
    covered
        Share of boards whose rank sets all contain the true ranks.
    false_winner, named
        Share of boards that name a winner who is not truly the only best, and share that name any winner.
    width
        Mean number of ranks in a set.
    resampling_covered
        Share of boards whose resampling ranges all contain the true ranks.
    """

    boards: int
    covered: float
    false_winner: float
    named: float
    width: float
    resampling_covered: float

    def keeps_its_word(self) -> bool:
        """Return whether both limits are met, up to 2.5 binomial standard errors."""
        return self.covered >= COVERED - ERRORS * _error(
            COVERED, self.boards
        ) and self.false_winner <= FALSE_WINNERS + ERRORS * _error(FALSE_WINNERS, self.boards)


def keeps_bars(cell: Cell, outcome: Outcome) -> bool:
    """Return whether a cell meets all limits.

    Where two teams are far ahead, sets must also be narrower than all ranks.
    """
    fewest = drawn_units([0.5] if cell.scheme == "median" else [], cell.teams, TOTAL)["sets"]
    narrows = cell.field == "two best" and cell.teams > 2 and cell.cases >= fewest
    return outcome.keeps_its_word() and not (narrows and outcome.width >= cell.teams)


def grid(*, every: int = 1) -> list[Cell]:
    """Return the cells of the study, or one in `every` of them, with a fixed random selection."""
    cells = [
        Cell(cases, teams, field, failures, scheme)
        for scheme in SCHEMES
        for field in FIELDS
        for failures in FAILURES
        for teams in TEAMS
        for cases in NUMBERS
    ]
    return _some(cells, len(cells) // every)


def others(*, every: int = 1) -> list[Cell]:
    """Cells with numbers of cases and teams that the grid does not have; fewer if the grid has fewer cells."""
    cells = [
        Cell(cases, teams, field, failures, scheme)
        for scheme in SCHEMES
        for field in FIELDS
        for failures in FAILURES
        for teams in OTHER_TEAMS
        for cases in OTHER_NUMBERS
    ]
    return _some(cells, max(len(cells) // (5 * every), 1))


def some(cells: list[CellType], every: int) -> list[CellType]:
    """Return one in `every` of the cells, with a fixed random selection."""
    return _some(cells, max(len(cells) // every, 1))


def _some(cells: list[CellType], number: int) -> list[CellType]:
    if number >= len(cells):
        return cells
    chosen = np.random.default_rng(0).permutation(len(cells))[:number]
    return [cells[index] for index in sorted(chosen)]


def trades(*, quick: bool = False) -> list[Cell]:
    """Challenges whose failure rates differ, which no method can judge from what has been seen; printed, not barred."""
    numbers = (20, 50) if quick else (20, 50, 100, 200)
    return [
        Cell(cases, 3, "trade", failures, "mean", unseen)
        for cases in numbers
        for failures in (0.01, 0.02, 0.05)
        for unseen in ("none", "jeffreys")
    ]


def simulate(cell: Cell, boards: int, seed: int) -> Outcome:
    """Simulate boards of a cell.

    The same cell and seed yield the same boards, regardless of other simulations.
    """
    words = f"{cell}".encode()
    random = np.random.default_rng([seed, *words])
    assessment = _assessment(cell)
    names = [f"c{case:04d}" for case in range(cell.cases)]
    plan = make_plan(assessment, names, None, bootstrap=_draws(assessment), seed=seed, leave_one_out=False)
    # Sign flips need no resamples: what is requested decides what can be stated, what is drawn only the contrast.
    unsampled = replace(plan, bootstrap=0, drawn=plan.design.full())
    quality = _quality(cell)
    better = quality[:, None] > quality[None, :]
    true_low = 1 + better.sum(axis=0)
    true_high = cell.teams - better.sum(axis=1)
    only_best = int(quality.argmax()) if (quality == quality.max()).sum() == 1 else None
    counted = np.zeros(3)
    width = 0.0
    contrasted, held = 0, 0
    by_draws = True
    for _ in range(boards):
        resampled = by_draws or contrasted < CONTRASTED
        ranking = _board(cell, random, quality, assessment, plan if resampled else unsampled)
        decision = decide(ranking)
        by_draws = decision.by_draws
        low = np.ones(cell.teams) if decision.low is None else decision.low
        high = np.full(cell.teams, cell.teams) if decision.high is None else decision.high
        counted += [
            bool((low <= true_low).all() and (high >= true_high).all()),
            decision.winner is not None and decision.winner != only_best,
            decision.winner is not None,
        ]
        width += float((high - low + 1).mean())
        if resampled:
            ranges = resampling_range(ranking.ranks[1:], assessment.uncertainty.interval)
            held += bool((ranges[:, 0] <= true_low).all() and (ranges[:, 1] >= true_high).all())
            contrasted += 1
    covered, false_winner, named = (float(value) for value in counted / boards)
    return Outcome(boards, covered, false_winner, named, width / boards, held / contrasted)


def study(
    cells: list[CellType],
    boards: int,
    seed: int,
    progress: Callable[[int, int], None] | None,
    one: Callable[[CellType, int, int], OutcomeType | None],
) -> list[tuple[CellType, OutcomeType]]:
    """Simulate cell after cell, in an order drawn once, so that those that are done are a fair choice of all.

    Parameters
    ----------
    one
        Makes the outcome of a cell from boards and seed, or knows it already; ``None`` if the cell has to wait.
    """
    outcomes: dict[CellType, OutcomeType] = {}
    for index, cell_index in enumerate(np.random.default_rng(0).permutation(len(cells))):
        outcome = one(cells[cell_index], boards, seed)
        if outcome is not None:
            outcomes[cells[cell_index]] = outcome
        if progress is not None:
            progress(index + 1, len(cells))
    return [(cell, outcomes[cell]) for cell in cells if cell in outcomes]


def _draws(assessment: Assessment) -> int:
    """Resamples of every board; fewer where every pair is tested in each, which only the range for contrast needs."""
    return 100 if get_scheme(assessment.rankings[0].scheme).compares_pairs else 1000


def _error(share: float, boards: int) -> float:
    return float(np.sqrt(share * (1.0 - share) / boards))


def _quality(cell: Cell) -> FloatArray:
    """True scores, the best first."""
    places = np.arange(cell.teams, dtype=np.float64)
    if cell.field in ("all equal", "trade"):
        return np.zeros(cell.teams)
    if cell.field == "two best":
        return np.where(places < 2, 0.0, -4.0)
    if cell.field == "one best":
        return np.where(places < 1, 0.0, -0.3)
    return -places * float(cell.field.split()[1])


def _assessment(cell: Cell) -> Assessment:
    registered = dict(_RANKINGS[cell.scheme])
    if "scheme" in registered:
        registered["scheme"] = all_schemes()[registered["scheme"]].id
    return parse(
        {
            "problem": "table",
            "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": FAILURE}}],
            "ranking": registered,
            "uncertainty": {"unseen_failures": cell.unseen},
        }
    )


def _board(cell: Cell, random: np.random.Generator, quality: FloatArray, assessment: Assessment, plan: Plan) -> Ranking:
    scheme = assessment.rankings[0]
    number = 4 if scheme.combine else 1
    typical = quality.copy()
    rates = np.full(cell.teams, cell.failures)
    if cell.field == "trade":
        rates[1:] = 0.0
        # What it loses by failures it gains on the other cases, so that its true mean is that of the others.
        typical[0] = -cell.failures * FAILURE / (1.0 - cell.failures)
    failed: BoolArray = random.random((cell.cases, cell.teams)) < rates
    drawn = []
    for index in range(number):
        noise = random.normal(0, NOISE, (cell.cases, cell.teams))
        values = random.normal(0, CASE_EFFECT, (cell.cases, 1)) + typical + noise
        values[failed] = FAILURE
        drawn.append(DrawnValues(replace(assessment.metrics[0], name=f"metric {index + 1}"), None, values, failed))
    return simulated_ranking(drawn, plan, assessment)
