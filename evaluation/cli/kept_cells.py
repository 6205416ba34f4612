"""Cells of the coverage study that are done, kept in a file, so that hours of simulation need not be one piece."""

from __future__ import annotations

import csv
import io
from dataclasses import astuple, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from evaluation import durable
from evaluation.ranking import coverage, real_pairs, worlds
from evaluation.ranking.coverage import Cell, Outcome
from evaluation.ranking.real_pairs import RealCell, RealOutcome
from evaluation.ranking.worlds import HardCell, HardOutcome
from evaluation.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

CellType = TypeVar("CellType", Cell, HardCell, RealCell)
OutcomeType = TypeVar("OutcomeType", Outcome, HardOutcome, RealOutcome)
_KINDS: dict[Any, Any] = {"int": int, "float": float, "str": str}


class KeptCells(Generic[CellType, OutcomeType]):
    """Outcomes by cell, boards and seed, one line of a CSV file each.

    A simulated cell does not depend on the other simulated cells, so a stored line can replace its simulation.
    Lines of another study, by other rules or of other boards, are not used. The versions of Podium and NumPy are
    recorded next to each line.
    """

    def __init__(
        self,
        path: Path | None,
        cell: type[CellType],
        outcome: type[OutcomeType],
        simulate: Callable[[CellType, int, int], OutcomeType],
        study: int,
    ) -> None:
        self.path, self._study = path, study
        self._simulate: Callable[[CellType, int, int], OutcomeType] = simulate
        self._cell = {field.name: field.type for field in fields(cell)}
        self._outcome = {field.name: field.type for field in fields(outcome)}
        self.outcomes: dict[tuple[CellType, int, int], OutcomeType] = {}
        self.versions: dict[tuple[CellType, int, int], tuple[str, str]] = {}
        if path is not None and path.exists():
            for row in csv.DictReader(durable.complete_lines(path)):
                if row["study"] == str(study):
                    read_cell, read_outcome = cell(**_typed(row, self._cell)), outcome(**_typed(row, self._outcome))
                    self._take(read_cell, int(row["seed"]), read_outcome, (row["podium"], row["numpy"]))

    def known(self, cell: CellType, boards: int, seed: int) -> OutcomeType | None:
        """The outcome of a cell, if it is done."""
        return self.outcomes.get((cell, boards, seed))

    def simulate(self, cell: CellType, boards: int, seed: int) -> OutcomeType:
        """The outcome of a cell, from the file or simulated and written to it."""
        stored = self.known(cell, boards, seed)
        if stored is not None:
            return stored
        outcome: OutcomeType = self._simulate(cell, boards, seed)
        self._take(cell, seed, outcome, (__version__, np.__version__))
        if self.path is not None:
            if not self.path.exists() or not durable.complete_lines(self.path):
                columns = ("study", "podium", "numpy", "seed", *self._cell, *self._outcome)
                durable.append_line(self.path, _line(columns))
            line = [self._study, __version__, np.__version__, seed, *astuple(cell), *astuple(outcome)]
            durable.append_line(self.path, _line(line))
        return outcome

    def _take(self, cell: CellType, seed: int, outcome: OutcomeType, versions: tuple[str, str]) -> None:
        self.outcomes[cell, outcome.boards, seed] = outcome
        self.versions[cell, outcome.boards, seed] = versions


def kept_grid(path: Path | None) -> KeptCells[Cell, Outcome]:
    """Return the store of cells with symmetric differences."""
    return KeptCells(path, Cell, Outcome, coverage.simulate, coverage.STUDY)


def kept_hard_cells(path: Path | None) -> KeptCells[HardCell, HardOutcome]:
    """Return the store of cells with skewed values, unequal failures, clusters and repeated looks.

    It is a file next to that of the other cells.
    """
    beside = None if path is None else path.with_name(f"{path.stem}-skewed{path.suffix}")
    return KeptCells(beside, HardCell, HardOutcome, worlds.simulate_hard, worlds.STUDY)


def kept_real_cells(path: Path | None, values: Path) -> KeptCells[RealCell, RealOutcome]:
    """Return the store of cells with centred pairs of real algorithms, whose values are read from a file.

    It is a file next to that of the other cells.
    """
    beside = None if path is None else path.with_name(f"{path.stem}-real{path.suffix}")
    return KeptCells(beside, RealCell, RealOutcome, partial(real_pairs.simulate_real, values), real_pairs.STUDY)


def _line(values: Sequence[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(values)
    return text.getvalue()


def _typed(row: dict[str, str], columns: dict[str, Any]) -> dict[str, Any]:
    return {name: _KINDS[kind](row[name]) for name, kind in columns.items()}
