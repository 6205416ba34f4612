"""Cells of a table as names or numbers, with an error that names column and row."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evaluation.readers.errors import ReadError
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.readers.tables import lacking_words, read_columns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Table:
    """The cells of a CSV file as text.

    Attributes
    ----------
    name
        Name of the file, for messages.
    columns
        Cells of each column, by its name.
    """

    def __init__(self, name: str, columns: dict[str, list[str]]) -> None:
        self.name = name
        self.columns = columns

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __contains__(self, column: str) -> bool:
        return column in self.columns

    def text(self, column: str) -> list[str]:
        """Cells of a column that must not be empty.

        Raises
        ------
        ReadError
            With kind ``table`` for an empty cell.
        """
        for row, cell in enumerate(self.columns[column], start=2):
            if not cell:
                raise ReadError("table", self.name, f"nothing as {column} in row {row}", row=row)
        return self.columns[column]

    def numbers(self, column: str, *, low: float = -math.inf, high: float = math.inf) -> list[float]:
        """Cells of a column as finite numbers.

        Raises
        ------
        ReadError
            With kind ``table`` for anything else, or a number outside the bounds.
        """
        values, wrong = self.numbers_or_errors(column, low=low, high=high)
        for error in wrong.values():
            raise error
        return values

    def numbers_or_errors(
        self, column: str, *, low: float = -math.inf, high: float = math.inf
    ) -> tuple[list[float], dict[int, ReadError]]:
        """Cells of a column as numbers, 0 for what is none, with what is wrong by the place of the row from 0."""
        values = []
        wrong = {}
        for row, cell in enumerate(self.columns[column]):
            try:
                value = float(cell) if "_" not in cell else math.nan
            except ValueError:
                value = math.nan
            if not math.isfinite(value) or not low <= value <= high:
                bounds = "" if math.isinf(low) else f" from {low:g}" + ("" if math.isinf(high) else f" to {high:g}")
                message = f"{cell[:40]!r} as {column} in row {row + 2}"
                wrong[row] = ReadError("table", self.name, message, f"a number{bounds}", row=row + 2, cell=cell)
                value = 0.0
            values.append(value)
        return values, wrong


def read_table(path: Path, required: Sequence[str] = (), *, limits: Limits = DEFAULT) -> Table:
    """Read a CSV file whose cells fit in memory as text.

    Raises
    ------
    ReadError
        With kind ``not_found``, ``too_large`` or ``table``, also if a required column lacks.
    """
    columns = read_columns(path, limits=limits, expected=required or ("case",))
    for column in [column for column in required if column not in columns]:
        same = [name for name in columns if name.lower() == column.lower()]
        if len(same) == 1:
            columns = {column if name == same[0] else name: cells for name, cells in columns.items()}
    lacking = [column for column in required if column not in columns]
    if lacking:
        raise ReadError("table", path.name, lacking_words(lacking, list(columns)), "the columns " + ", ".join(required))
    return Table(path.name, {name: [str(cell) for cell in cells.to_pylist()] for name, cells in columns.items()})
