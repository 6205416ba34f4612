"""Cells of the coverage study that are done, kept in a file, so that hours of simulation need not be one piece."""

from __future__ import annotations

import csv
import io
from dataclasses import astuple, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation import __version__, durable
from evaluation.ranking.coverage import STUDY, Cell, Outcome, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Key = tuple[Cell, int, int]
_CELL = {field.name: field.type for field in fields(Cell)}
_OUTCOME = {field.name: field.type for field in fields(Outcome)}
_COLUMNS = ("study", "podium", "numpy", "seed", *_CELL, *_OUTCOME)
_KINDS: dict[Any, Any] = {"int": int, "float": float, "str": str}


class KeptCells:
    """Outcomes by cell, boards and seed, one line of a CSV file each.

    A simulated cell does not depend on the other simulated cells, so a stored line can replace its simulation.
    Lines of another study, by other rules or of other boards, are not used. The versions of Podium and NumPy are
    recorded next to each line.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.outcomes: dict[Key, Outcome] = {}
        self.versions: dict[Key, tuple[str, str]] = {}
        if path is not None and path.exists():
            for row in csv.DictReader(durable.complete_lines(path)):
                if row["study"] == str(STUDY):
                    cell, outcome = Cell(**_typed(row, _CELL)), Outcome(**_typed(row, _OUTCOME))
                    self._take(cell, int(row["seed"]), outcome, (row["podium"], row["numpy"]))

    def known(self, cell: Cell, boards: int, seed: int) -> Outcome | None:
        """The outcome of a cell, if it is done."""
        return self.outcomes.get((cell, boards, seed))

    def simulate(self, cell: Cell, boards: int, seed: int) -> Outcome:
        """The outcome of a cell, from the file or simulated and written to it."""
        stored = self.known(cell, boards, seed)
        if stored is not None:
            return stored
        outcome = simulate(cell, boards, seed)
        self._take(cell, seed, outcome, (__version__, np.__version__))
        if self.path is not None:
            if not self.path.exists() or not durable.complete_lines(self.path):
                durable.append_line(self.path, _line(_COLUMNS))
            durable.append_line(
                self.path, _line([STUDY, __version__, np.__version__, seed, *astuple(cell), *astuple(outcome)])
            )
        return outcome

    def _take(self, cell: Cell, seed: int, outcome: Outcome, versions: tuple[str, str]) -> None:
        self.outcomes[cell, outcome.boards, seed] = outcome
        self.versions[cell, outcome.boards, seed] = versions


def _line(values: Sequence[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(values)
    return text.getvalue()


def _typed(row: dict[str, str], columns: dict[str, Any]) -> dict[str, Any]:
    return {name: _KINDS[kind](row[name]) for name, kind in columns.items()}
