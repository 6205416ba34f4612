"""Simulated boards with skewed values, unequal failures, clusters and repeated looks, judged by the board's own code.

The cells are those of section "Cells" in docs/ranking.md. In each world two algorithms are truly tied for first place unless
stated otherwise. A named winner is then always false.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from evaluation.assessment import parse
from evaluation.ranking.evaluate import make_plan
from evaluation.ranking.simulated import DrawnValues, simulated_ranking
from evaluation.ranking.uncertainty.budgets import FamilyShare
from evaluation.ranking.uncertainty.certainty import decide
from evaluation.ranking.uncertainty.looks import Look

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evaluation.assessment.model import Assessment
    from evaluation.ranking.plans import Plan
    from evaluation.ranking.uncertainty.statements import Decision

FloatArray = npt.NDArray[np.float64]
STUDY: Final = 1
"""Version of this study, raised when rules or worlds change."""
ERRORS: Final = 2.0
FAR: Final = 40.0
"""Distance of all other algorithms from the two best, in the worlds that have more than two."""
_MEAN_OF_LOGNORMAL: Final = math.exp(0.5)
_SD_OF_LOGNORMAL: Final = math.sqrt((math.e - 1.0) * math.e)


@dataclass(frozen=True)
class HardCell:
    """One kind of challenge.

    Attributes
    ----------
    world
        Name of the world, a key of `WORLDS`.
    cases, teams
        Numbers of cases and of algorithms.
    share
        Parameter of the world, for example a failure rate; 0 if it has none.
    """

    world: str
    cases: int
    teams: int
    share: float = 0.0


@dataclass(frozen=True)
class HardOutcome:
    """Results of the boards of a cell, as shares of boards.

    Attributes
    ----------
    named
        Boards that name a winner.
    false_named, false_confirmed
        Boards on which the named or confirmed winner is not truly better than all others.
    false_sentence
        Boards whose condition "provided it fails in fewer than …" is fulfilled although the named winner is not better.
    covered
        Boards whose rank sets all contain the true ranks.
    """

    boards: int
    named: float
    false_named: float
    false_confirmed: float
    false_sentence: float
    covered: float


@dataclass(frozen=True)
class Bar:
    """Limit of one share.

    Attributes
    ----------
    share
        Name of an attribute of `HardOutcome`.
    limit
        Largest share, or the smallest if `is_minimum`.
    """

    share: str
    limit: float
    is_minimum: bool = False

    def holds(self, outcome: HardOutcome) -> bool:
        """Return whether the share is within the limit, up to 2 binomial standard errors."""
        value = float(getattr(outcome, self.share))
        error = ERRORS * math.sqrt(self.limit * (1.0 - self.limit) / outcome.boards)
        return value >= self.limit - error if self.is_minimum else value <= self.limit + error


@dataclass(frozen=True)
class Drawn:
    """Values of one board and what is true of them.

    Attributes
    ----------
    values
        Cases × algorithms, larger is better.
    quality
        True scores.
    rates
        True failure rates.
    patients
        Patient of each case; ``None`` where cases are independent.
    """

    values: FloatArray
    quality: FloatArray
    rates: FloatArray
    patients: tuple[str, ...] | None = None


@dataclass(frozen=True)
class World:
    """Rule that draws the values of a board.

    Attributes
    ----------
    draw
        Function of a random generator and a cell.
    failure
        Registered value of a failure; ``None`` if a failure is excluded.
    bars
        Function of a cell that returns its limits.
    meaning
        Description for the table.
    uncertainty
        Registered settings of the uncertainty.
    levels
        Registered levels of aggregation.
    value_range
        Registered range of the values.
    """

    draw: Callable[[np.random.Generator, HardCell], Drawn]
    failure: float | None
    bars: Callable[[HardCell], Sequence[Bar]]
    meaning: str
    uncertainty: Mapping[str, Any] | None = None
    levels: tuple[str, ...] = ("case",)
    value_range: tuple[float, float] | None = None


def _field(cell: HardCell, best: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Values and quality of a field whose first two algorithms have these values and truly tie."""
    values = np.concatenate([best, np.repeat(best[:, 1:], cell.teams - 2, axis=1) - FAR], axis=1)
    return values, np.where(np.arange(cell.teams) < 2, 0.0, -FAR)


def _plain(cell: HardCell, best: FloatArray, rates: Sequence[float] = (0.0, 0.0)) -> Drawn:
    values, quality = _field(cell, best)
    return Drawn(values, quality, np.array([*rates, *[0.0] * (cell.teams - 2)]))


def _normal(random: np.random.Generator, cell: HardCell) -> Drawn:
    return _plain(cell, random.normal(0.0, 0.7, (cell.cases, 1)) + random.normal(0.0, 0.7, (cell.cases, 2)))


def _exponential(random: np.random.Generator, cell: HardCell) -> Drawn:
    best = random.normal(0.0, 0.05, (cell.cases, 2))
    best[:, 0] -= random.exponential(1.0, cell.cases) - 1.0
    return _plain(cell, best)


def _lognormal(random: np.random.Generator, cell: HardCell) -> Drawn:
    best = random.normal(0.0, 0.05, (cell.cases, 2))
    best[:, 0] -= np.exp(random.normal(0.0, 1.0, cell.cases)) - _MEAN_OF_LOGNORMAL
    return _plain(cell, best)


def _mirrored(random: np.random.Generator, cell: HardCell) -> Drawn:
    bad = np.exp(random.normal(0.0, 1.0, (cell.cases, cell.teams))) - _MEAN_OF_LOGNORMAL
    signs = np.where(np.arange(cell.teams) % 2 == 0, -1.0, 1.0)
    return Drawn(bad * signs, np.zeros(cell.teams), np.zeros(cell.teams))


def _equal_failures(random: np.random.Generator, cell: HardCell) -> Drawn:
    best = 0.85 + random.normal(0.0, 0.05, (cell.cases, 1)) + random.normal(0.0, 0.05, (cell.cases, 2))
    best[random.random(best.shape) < cell.share] = 0.0
    return _plain(cell, best, (cell.share, cell.share))


def _unequal(random: np.random.Generator, cell: HardCell, *, skewed: bool) -> Drawn:
    """The first algorithm is better on all cases but fails now and then, so that both truly tie."""
    rest = random.normal(0.0, 0.01, (cell.cases, 2))
    if skewed:
        rest[:, 0] -= 0.01 * (np.exp(random.normal(0.0, 1.0, cell.cases)) - _MEAN_OF_LOGNORMAL)
    best = 0.85 + random.normal(0.0, 0.03, (cell.cases, 1)) + rest
    best[:, 0] += cell.share * 0.85 / (1.0 - cell.share)
    best[random.random(cell.cases) < cell.share, 0] = 0.0
    values = np.concatenate([best, np.repeat(best[:, 1:], cell.teams - 2, axis=1) - 0.5], axis=1)
    quality = np.where(np.arange(cell.teams) < 2, 0.0, -0.5)
    return Drawn(values, quality, np.array([cell.share, *[0.0] * (cell.teams - 1)]))


def _zero_inflated(random: np.random.Generator, cell: HardCell) -> Drawn:
    """40 % of the references are empty. The first has a false positive there now and then and is better elsewhere."""
    empty = random.random(cell.cases) < 0.4
    best = np.clip(
        0.8 + random.normal(0.0, 0.05, (cell.cases, 1)) + random.normal(0.0, 0.03, (cell.cases, 2)), 0.0, 1.0
    )
    best[empty] = 1.0
    false_positive = empty & (random.random(cell.cases) < cell.share)
    best[false_positive, 0] = 0.0
    # What is lost on empty references is gained on the others, in expectation.
    best[~empty, 1] -= 0.4 * cell.share / 0.6
    values = np.concatenate([best, np.repeat(best[:, 1:], cell.teams - 2, axis=1) * 0.2], axis=1)
    rates = np.array([0.4 * cell.share, *[0.0] * (cell.teams - 1)])
    return Drawn(values, np.where(np.arange(cell.teams) < 2, 0.0, -1.0), rates)


def _clustered(random: np.random.Generator, cell: HardCell) -> Drawn:
    """Cases of one patient share most of the difference; a quarter as many patients as cases."""
    patients = max(2, cell.cases // 4)
    of_case = np.arange(cell.cases) % patients
    best = random.normal(0.0, 1.0, (patients, 2))[of_case] + random.normal(0.0, 0.3, (cell.cases, 2))
    names = tuple(f"p{patient:03d}" for patient in of_case)
    return replace(_plain(cell, best), patients=names)


def _winner_bar(limit: float) -> tuple[Bar, ...]:
    return (Bar("false_named", limit), Bar("covered", 0.93, is_minimum=True))


def _symmetric(cell: HardCell) -> Sequence[Bar]:  # noqa: ARG001
    return _winner_bar(0.06)


def _of_lognormal(cell: HardCell) -> Sequence[Bar]:
    return Bar("false_named", 0.06), _skewed_sets(cell)


def _of_lognormal_without_gate(cell: HardCell) -> Sequence[Bar]:
    limit = 0.12 if cell.cases < 20 else 0.09 if cell.cases <= 40 else 0.06
    return Bar("false_named", limit), _skewed_sets(cell)


def _skewed_sets(cell: HardCell) -> Bar:
    return Bar("covered", 0.85 if cell.cases < 20 else 0.90 if cell.cases < 50 else 0.93, is_minimum=True)


def _only_sets(cell: HardCell) -> Sequence[Bar]:
    return (_skewed_sets(cell),)


def _sentence(cell: HardCell) -> Sequence[Bar]:  # noqa: ARG001
    return (Bar("false_sentence", 0.06),)


def _no_verdict(cell: HardCell) -> Sequence[Bar]:  # noqa: ARG001
    return (Bar("named", 0.0),)


def _none(cell: HardCell) -> Sequence[Bar]:  # noqa: ARG001
    return ()


def _looks(cell: HardCell) -> Sequence[Bar]:  # noqa: ARG001
    return (Bar("false_named", 0.05),)


def _several(random: np.random.Generator, cell: HardCell) -> Drawn:
    """Values of two truly equal teams in several rankings, one ranking per column pair."""
    rankings = int(cell.share)
    case = random.normal(0.0, 0.5, (cell.cases, 1))
    of_teams = random.normal(0.0, 0.5, (cell.cases, 2))
    # Rankings of one challenge agree in part: half of a team's difference is the same in all of them.
    values = [
        case + math.sqrt(0.5) * of_teams + random.normal(0.0, math.sqrt(0.5) * 0.5, of_teams.shape)
        for _ in range(rankings)
    ]
    return Drawn(np.concatenate(values, axis=1), np.zeros(2), np.zeros(2))


def _living(random: np.random.Generator, cell: HardCell) -> Drawn:
    """Values of all versions of a board that two truly equal teams update in turn, one version per column pair."""
    updates = int(cell.share)
    case = random.normal(0.0, 0.5, (cell.cases, 1))
    best = case + random.normal(0.0, 0.5, (cell.cases, 2))
    versions = []
    for update in range(updates):
        # A resubmission keeps half of the team's own differences.
        own_difference = best[:, update % 2] - case[:, 0]
        best[:, update % 2] = case[:, 0] + 0.5 * own_difference + random.normal(0.0, 0.5 * math.sqrt(0.75), cell.cases)
        versions.append(best.copy())
    return Drawn(np.concatenate(versions, axis=1), np.zeros(2), np.zeros(2))


WORLDS: Final[dict[str, World]] = {
    "normal": World(_normal, -20.0, _symmetric, "symmetric differences, no failures"),
    "exponential": World(_exponential, -20.0, _symmetric, "one of the two best has exponential bad cases"),
    "equal failures": World(_equal_failures, 0.0, _symmetric, "both fail equally often", value_range=(-FAR - 2.0, 2.0)),
    "log-normal": World(
        _lognormal, -6.0 * _SD_OF_LOGNORMAL - 1.0, _of_lognormal, "one of the two best has log-normal bad cases"
    ),
    "log-normal, failures excluded": World(
        _lognormal, None, _of_lognormal_without_gate, "the same, a failure has no value"
    ),
    "mirrored log-normal": World(_mirrored, None, _only_sets, "all tied, every other algorithm mirrored"),
    "unequal failures": World(
        lambda random, cell: _unequal(random, cell, skewed=False), 0.0, _sentence,
        "one of the two best fails now and then and is better otherwise", value_range=(-1.0, 2.0),
    ),
    "unequal failures, log-normal rest": World(
        lambda random, cell: _unequal(random, cell, skewed=True), 0.0, _sentence,
        "the same with log-normal bad cases", value_range=(-1.0, 2.0),
    ),
    "zero-inflated": World(
        _zero_inflated, 0.0, _sentence, "empty references with false positives of one of the two best",
        value_range=(-1.0, 1.0),
    ),
    "declared clusters": World(
        _clustered, -20.0, _symmetric, "cases of patients, the level is registered", levels=("case", "patient")
    ),
    "undeclared clusters": World(_clustered, -20.0, _no_verdict, "cases of patients in an undeclared column"),
    "invisible clusters": World(
        lambda random, cell: replace(_clustered(random, cell), patients=None), -20.0, _none,
        "cases of patients that no column shows",
    ),
    "several rankings": World(_several, -20.0, _looks, "two equal teams in rankings of one role; false if any is"),
    "living board": World(_living, -20.0, _looks, "two equal teams resubmit; false if any version is"),
}  # fmt: skip


def hard_cells(*, quick: bool = False) -> list[HardCell]:
    """Return the cells of the study; a small selection of all worlds if `quick`."""
    numbers = (12, 40) if quick else (8, 10, 15, 20, 40, 80, 200)
    teams = (2, 4) if quick else (2, 4, 10, 20)
    cells: list[HardCell] = []
    for world in WORLDS:
        if world == "living board":
            updates = (20,) if quick else (20, 50)
            cells += [HardCell(world, n, 2, float(j)) for n in ((60,) if quick else (20, 60, 200)) for j in updates]
            continue
        if world == "several rankings":
            cells += [
                HardCell(world, n, 2, float(rankings)) for n in numbers for rankings in ((8,) if quick else (3, 8))
            ]
            continue
        shares: tuple[float, ...] = (0.0,)
        if world in ("equal failures", "unequal failures", "unequal failures, log-normal rest"):
            shares = (0.02,) if quick else (0.01, 0.02, 0.05, 0.10)
        if world == "zero-inflated":
            shares = (0.25,) if quick else (0.10, 0.25, 0.50)
        cells += [HardCell(world, n, k, share) for n in numbers for k in teams for share in shares]
    return cells if quick else [*cells, HardCell("normal", 40, 50), HardCell("log-normal", 40, 50)]


def simulate_hard(cell: HardCell, boards: int, seed: int) -> HardOutcome:
    """Simulate boards of a cell.

    The same cell and seed yield the same boards, regardless of other simulations.
    """
    world = WORLDS[cell.world]
    random = np.random.default_rng([seed, *f"{cell}".encode()])
    assessment = _assessment(world)
    names = [f"c{case:04d}" for case in range(cell.cases)]
    first = world.draw(np.random.default_rng(0), cell)
    metadata = None if first.patients is None else pd.DataFrame({"case": names, "patient": first.patients})

    def plan(look: Look | None = None) -> Plan:
        whole = make_plan(assessment, names, metadata, bootstrap=1000, seed=seed, leave_one_out=False, look=look)
        return replace(whole, bootstrap=0, drawn=whole.design.full())

    if cell.world == "living board":
        return _simulate_living(cell, boards, random, assessment, plan)
    if cell.world == "several rankings":
        return _simulate_several(cell, boards, random, assessment, plan())
    counts = np.zeros(5)
    shared = plan()
    for _ in range(boards):
        drawn = world.draw(random, cell)
        counts += _judged(_decision(drawn.values, shared, assessment), drawn)
    return HardOutcome(boards, *(float(count) / boards for count in counts))


def _simulate_living(
    cell: HardCell,
    boards: int,
    random: np.random.Generator,
    assessment: Assessment,
    plan: Callable[[Look | None], Plan],
) -> HardOutcome:
    """Boards that are looked at after every update; false if any look names a winner."""
    updates = int(cell.share)
    plans = [plan(Look(update + 1)) for update in range(updates)]
    ever_named, ever_confirmed, covered = 0, 0, 0
    for _ in range(boards):
        values = _living(random, cell).values  # noqa: PD011  (no data frame)
        decisions = [
            _decision(values[:, 2 * update : 2 * update + 2], plans[update], assessment) for update in range(updates)
        ]
        ever_named += any(decision.winner is not None for decision in decisions)
        ever_confirmed += any(decision.level == "confirmed" for decision in decisions)
        last = decisions[-1]
        covered += last.low is None or (last.low is not None and last.high is not None and bool((last.high == 2).all()))
    shares = [count / boards for count in (ever_named, ever_named, ever_confirmed, 0, covered)]
    return HardOutcome(boards, *shares)


def _simulate_several(
    cell: HardCell, boards: int, random: np.random.Generator, assessment: Assessment, plan: Plan
) -> HardOutcome:
    """Challenges with several rankings of one role; false if any ranking names a winner.

    No winner is truly better, so that the first step of Holm's method decides.
    """
    rankings = int(cell.share)
    family = FamilyShare("secondary", rankings, rankings)
    ever_named, ever_confirmed, covered = 0, 0, 0
    for _ in range(boards):
        values = _several(random, cell).values  # noqa: PD011  (no data frame)
        decisions = [
            _decision(values[:, 2 * index : 2 * index + 2], plan, assessment, family) for index in range(rankings)
        ]
        ever_named += any(decision.winner is not None for decision in decisions)
        ever_confirmed += any(decision.level == "confirmed" for decision in decisions)
        covered += all(decision.high is None or bool((decision.high == 2).all()) for decision in decisions)
    shares = [count / boards for count in (ever_named, ever_named, ever_confirmed, 0, covered)]
    return HardOutcome(boards, *shares)


def _assessment(world: World) -> Assessment:
    metric: dict[str, Any] = {
        "id": "value",
        "direction": "higher",
        "policy": {"missing": "exclude", "allow_gaming": True} if world.failure is None else {"missing": world.failure},
    }
    if world.value_range is not None:
        metric["range"] = list(world.value_range)
    return parse(
        {
            "problem": "table",
            "metrics": [metric],
            "aggregation": {"levels": list(world.levels), "operator": "mean"},
            "uncertainty": dict(world.uncertainty or {}),
        }
    )


def _decision(values: FloatArray, plan: Plan, assessment: Assessment, family: FamilyShare | None = None) -> Decision:
    ranking = simulated_ranking([DrawnValues(assessment.metrics[0], None, values)], plan, assessment)
    return decide(ranking if family is None else replace(ranking, share=family))


def _judged(decision: Decision, drawn: Drawn) -> FloatArray:
    """Return 1 or 0 for a board that names a winner, is false, is falsely confirmed, has a false sentence, and is covered."""
    quality, count = drawn.quality, len(drawn.quality)
    better = quality[:, None] > quality[None, :]
    low = np.ones(count) if decision.low is None else decision.low
    high = np.full(count, count) if decision.high is None else decision.high
    covered = bool((low <= 1 + better.sum(axis=0)).all() and (high >= count - better.sum(axis=1)).all())
    if decision.winner is None:
        return np.array([0.0, 0.0, 0.0, 0.0, covered])
    is_best = bool(better[decision.winner].sum() == count - 1)
    condition = decision.safe_rate is None or drawn.rates[decision.winner] < decision.safe_rate
    return np.array(
        [
            1.0,
            not is_best,
            not is_best and decision.level == "confirmed",
            not is_best and decision.level == "significant" and condition,
            covered,
        ],
        dtype=np.float64,
    )


def bars_of(cell: HardCell) -> tuple[Bar, ...]:
    """Return the limits of a cell; confirmed winners are never false more often than the winner's share of the error."""
    share = 0.05 if cell.teams <= 2 else 0.1 / 3.0
    return (*WORLDS[cell.world].bars(cell), Bar("false_confirmed", share))


def keeps_hard_bars(cell: HardCell, outcome: HardOutcome) -> bool:
    """Return whether a cell meets all of its limits."""
    return all(bar.holds(outcome) for bar in bars_of(cell))
