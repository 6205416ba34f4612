"""Content of a table of measured values, and the problems found while it was read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

MOST_PROBLEMS: Final = 50
"""Maximum number of listed problems; the number of others is reported."""
DIAGONAL: Final = "image_diagonal"
Cell = float | str | None
"""A value, the outcome that left it undefined, or nothing where it is missing."""


@dataclass
class Measured:
    """Content of a table of measured values.

    Attributes
    ----------
    values
        Team → value of every entry of `Fitting.keys`; ``None`` is a missing value, a text the outcome that left it
        undefined. Empty as long as there are problems.
    errors
        Team → standard error of every entry of `Fitting.whole`; ``None`` if there is none.
    replicates
        Team → replicates of every entry of `Fitting.whole`, in the order of `numbers`; ``None`` if there are none.
    numbers
        Names that distinguish the replicates, identical for all teams and metrics.
    diagonals
        Case → diagonal of its image, if the kind of problem has images and the table contains it.
    worst
        Case, region and metric → the worst value, if a missing value counts as that.
    new_teams
        Names of teams that do not exist yet, with the first row that names them.
    problems
        Reasons why the table does not count, one line each: file, row, column, value and remedy.
    more
        Number of problems in addition to those listed.
    notes
        Sentences on how the table was read that a reader must know.
    """

    values: dict[str, list[Cell]] = field(default_factory=dict)
    errors: dict[str, list[float | None]] = field(default_factory=dict)
    replicates: dict[str, list[list[float] | None]] = field(default_factory=dict)
    numbers: tuple[str, ...] = ()
    diagonals: dict[str, float] = field(default_factory=dict)
    worst: dict[tuple[str, str, str], float] = field(default_factory=dict)
    new_teams: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    more: int = 0
    notes: list[str] = field(default_factory=list)

    def refuse(self, file: str, where: str, what: str, remedy: str) -> None:
        """Note a problem."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(f"{file}: {where}{what}. {remedy}")
        else:
            self.more += 1

    @property
    def document(self) -> dict[str, Any]:
        """Return the content of the table as JSON values."""
        return {
            "teams": self.values,
            "errors": self.errors,
            "replicates": self.replicates,
            "numbers": list(self.numbers),
            "diagonals": self.diagonals,
            "worst": [[*key, value] for key, value in sorted(self.worst.items())],
        }
