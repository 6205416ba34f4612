"""Boards of real pairs of algorithms, centred so that both are truly equally good: how often one is named the winner.

A board is a sample of cases with replacement. The second algorithm's values are shifted by the mean difference, so that every
named winner is false. Many boards are judged at once by the limits of leads that a ranking of two algorithms uses.
"""

from __future__ import annotations

import csv
import itertools
import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.uncertainty.betting import log_capital
from evaluation.ranking.uncertainty.leads import Lead
from evaluation.ranking.uncertainty.sign_flips import flip_matrix
from evaluation.ranking.uncertainty.studentized import drawn_counts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
STUDY: Final = 1
"""Version of this study, raised when rules or values change."""
NUMBERS: Final = (10, 20, 40)
SHARE: Final = 0.05
MEAN_BAR, PAIR_BAR, MOST_ABOVE = 0.05, 0.10, 0.02
"""Bars: mean over pairs, false winners of one pair, and share of pairs that may exceed the latter."""
_FEWEST_CASES: Final = 30
_ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class RealTable:
    """Values of one metric of a data set.

    Attributes
    ----------
    values
        Cases × algorithms, larger is better; not a number for failed cases.
    failure
        Value of a failure, in the same direction.
    bounds
        Worst and best possible value; ``None`` for distances.
    """

    data: str
    metric: str
    region: str
    algorithms: tuple[str, ...]
    values: FloatArray
    failure: float
    bounds: tuple[float, float] | None


@dataclass(frozen=True)
class RealCell:
    """All pairs of algorithms by one metric of a data set, with one number of cases."""

    data: str
    metric: str
    region: str
    cases: int


@dataclass(frozen=True)
class RealOutcome:
    """Results of the pairs of a cell.

    Attributes
    ----------
    pairs
        Number of pairs that have enough cases and differ.
    mean, above, worst
        Mean share of false winners, number of pairs whose share is above 0.10, and the largest share.
    worst_pair
        Names of the pair with the largest share.
    """

    boards: int
    pairs: int
    mean: float
    above: int
    worst: float
    worst_pair: str


@cache
def read_tables(path: Path) -> tuple[RealTable, ...]:
    """Read the values of the example data sets."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))[1:]
    tables = []
    for (data, metric, region, direction, failure), members in itertools.groupby(rows, key=lambda row: tuple(row[:5])):
        rows_of_table = list(members)
        sign = 1.0 if direction == "higher" else -1.0
        values = np.array([[float(cell) if cell else np.nan for cell in row[6:]] for row in rows_of_table]).T
        tables.append(
            RealTable(
                *(data, metric, region, tuple(row[5] for row in rows_of_table), sign * values, sign * float(failure)),
                (0.0, 1.0) if direction == "higher" else None,
            )
        )
    return tuple(tables)


def real_cells(path: Path) -> list[RealCell]:
    """Return the cells of the study."""
    return [RealCell(table.data, table.metric, table.region, n) for table in read_tables(path) for n in NUMBERS]


def simulate_real(path: Path, cell: RealCell, boards: int, seed: int) -> RealOutcome:
    """Simulate boards of all pairs of a cell.

    The same cell and seed yield the same boards, regardless of other simulations.
    """
    table = next(
        one for one in read_tables(path) if (one.data, one.metric, one.region) == (cell.data, cell.metric, cell.region)
    )
    shares = {}
    for names, first, second in centred_pairs(table):
        random = np.random.default_rng([seed, *f"{cell} {names}".encode()])
        drawn = random.integers(0, len(first), (cell.cases, boards))
        shares[names] = float(named(first[drawn], second[drawn], table, seed).mean())
    if not shares:
        return RealOutcome(boards, 0, 0.0, 0, 0.0, "")
    values, worst = np.array(list(shares.values())), max(shares, key=lambda names: shares[names])
    above = int((values > PAIR_BAR).sum())
    return RealOutcome(boards, len(values), float(values.mean()), above, shares[worst], worst)


def centred_pairs(table: RealTable) -> Iterator[tuple[str, FloatArray, FloatArray]]:
    """Yield the names and values of each pair on the cases in which neither fails, with equal means."""
    for j, k in itertools.combinations(range(len(table.algorithms)), 2):
        both = table.values[:, [j, k]]
        both = both[~np.isnan(both).any(axis=1)]
        difference = both[:, 0] - both[:, 1]
        if len(both) < _FEWEST_CASES or float(np.ptp(difference)) <= _ROUNDING:
            continue
        yield f"{table.algorithms[j]} and {table.algorithms[k]}", both[:, 0], both[:, 1] + difference.mean()


def named(first: FloatArray, second: FloatArray, table: RealTable, seed: int) -> BoolArray:
    """Return whether a ranking of the two names a winner, on each of many boards.

    Parameters
    ----------
    first, second
        Values of the two, cases × boards, larger is better.
    """
    units = len(first)
    names = [f"c{index:03d}" for index in range(units)]
    signs = flip_matrix(units, bootstrap=1000, seed=seed, cases=names)
    winner = np.zeros(first.shape[1], dtype=bool)
    for leader, other in ((first, second), (second, first)):
        difference = leader - other
        # By most boards the flips alone name no winner; limits are computed for the others.
        likely = np.flatnonzero(_by_flips(difference, signs, table.bounds))
        if len(likely):
            winner[likely] |= _leads(leader[:, likely], difference[:, likely], signs, table, seed, names)
    return winner


def _by_flips(difference: FloatArray, signs: npt.NDArray[np.int8], bounds: tuple[float, float] | None) -> BoolArray:
    """Return whether the flips or the e-values exclude that the leader is not better."""
    sums = signs.astype(np.float64) @ difference
    tolerance = _ROUNDING * np.abs(difference).sum(axis=0)
    extreme = (sums >= difference.sum(axis=0) - tolerance).sum(axis=0)
    by_flips = (extreme <= math.floor(SHARE / 2.0 * len(signs) + _ROUNDING)) & (difference.sum(axis=0) > 0.0)
    return np.asarray(by_flips | _confirmed(difference, bounds))


def _confirmed(difference: FloatArray, bounds: tuple[float, float] | None) -> BoolArray:
    if bounds is None:
        return np.zeros(difference.shape[1], dtype=bool)
    return np.asarray(log_capital(difference / (bounds[1] - bounds[0]), 0.0) >= math.log(2.0 / SHARE))


def _leads(
    leader: FloatArray,
    difference: FloatArray,
    signs: npt.NDArray[np.int8],
    table: RealTable,
    seed: int,
    names: Sequence[str],
) -> BoolArray:
    units = len(difference)
    strata = np.zeros(units, dtype=np.int64)
    lead = Lead(
        difference / units,
        np.full(units, 1.0 / units),
        strata,
        signs,
        level=SHARE / 2.0,
        margin=0.0,
        counts=lambda: drawn_counts(strata, seed=seed, cases=names),
    )
    after = lead.with_one_more_failure(np.minimum(table.failure - leader, 0.0) / units)
    significant = (lead.lower > lead.noise) & (after > lead.noise)
    return np.asarray(significant | _confirmed(difference, table.bounds))
