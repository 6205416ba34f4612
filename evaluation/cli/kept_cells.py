"""Cells of the coverage study that are done, kept in a file, so that hours of simulation need not be one piece."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from evaluation import __version__
from evaluation.ranking.coverage import Cell, Outcome, simulate

if TYPE_CHECKING:
    from pathlib import Path


class KeptCells:
    """Outcomes by cell, boards and seed, one line of JSON each, of one version of Podium and NumPy.

    A simulated cell is the same whatever else is simulated, so a line may stand for it. Lines of another version are not
    used: they may come from other code.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.outcomes: dict[tuple[Cell, int, int], Outcome] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                kept = json.loads(line)
                if kept["versions"] == _versions():
                    outcome = Outcome(**kept["outcome"])
                    self.outcomes[Cell(**kept["cell"]), outcome.boards, kept["seed"]] = outcome

    def simulate(self, cell: Cell, boards: int, seed: int) -> Outcome:
        """The outcome of a cell, from the file or simulated and written to it."""
        known = self.outcomes.get((cell, boards, seed))
        if known is not None:
            return known
        outcome = simulate(cell, boards, seed)
        if self.path is not None:
            line = {"cell": asdict(cell), "seed": seed, "outcome": asdict(outcome), "versions": _versions()}
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        return outcome


def _versions() -> list[str]:
    return [__version__, np.__version__]
