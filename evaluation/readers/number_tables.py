"""Tables of numbers with one row per case: the value of each cell, or the reason why it is invalid."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from evaluation.readers.cells import read_table
from evaluation.readers.errors import ReadError
from evaluation.readers.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

CASE: Final = "case"
_SHOWN: Final = 40


@dataclass(frozen=True)
class NumberTable:
    """The numbers of a table with one row per case.

    Attributes
    ----------
    name
        Name of the file, for messages.
    columns
        Columns of numbers in the file, in its order.
    numbers
        Numbers by case and column, without cells that are empty or not a number.
    wrong
        Reason why a cell is not a number, by case and column.
    empty
        Empty cells, as case and column.
    twice
        Reason why the rows of a case that occurs more than once cannot be used, by case.
    cases
        Every case that is named, in the order of the file.
    rows
        Row of each case in the file, the header being row 1.
    """

    name: str
    columns: tuple[str, ...]
    numbers: Mapping[str, Mapping[str, float]]
    wrong: Mapping[tuple[str, str], ReadError]
    empty: frozenset[tuple[str, str]]
    twice: Mapping[str, ReadError]
    cases: tuple[str, ...]
    rows: Mapping[str, int] = field(default_factory=dict)

    def refuse(self) -> None:
        """Refuse the table for the first row or cell that cannot be taken, as references have to be taken whole.

        Raises
        ------
        ReadError
            With the cell.
        """
        for error in (*self.twice.values(), *self.wrong.values()):
            raise error


def read_number_table(
    path: Path,
    required: Sequence[str] = (),
    optional: Sequence[str] | None = (),
    *,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    limits: Limits = DEFAULT,
) -> NumberTable:
    """Read a table of numbers.

    A cell or row that is invalid is reported and does not affect the others.

    Parameters
    ----------
    required
        Columns that the table must have in addition to ``case``.
    optional
        Further columns that are read if the table has them; ``None`` for all other columns.
    bounds
        Smallest and largest number of a column.

    Raises
    ------
    ReadError
        If the file is not a table or lacks a column, or if a row names no case.
    """
    table = read_table(path, (CASE, *required), limits=limits)
    names = table.text(CASE)
    others = [column for column in table.columns if column not in (CASE, *required)]
    wanted = (*required, *(column for column in others if optional is None or column in optional))
    rows: dict[str, int] = {}
    twice: dict[str, ReadError] = {}
    for row, case in enumerate(names, start=2):
        if case in rows and case not in twice:
            message = f"a second row for the case {case[:_SHOWN]} (rows {rows[case]} and {row})"
            twice[case] = ReadError("table", table.name, message, "one row a case")
        rows.setdefault(case, row)
    numbers: dict[str, dict[str, float]] = {case: {} for case in rows}
    wrong: dict[tuple[str, str], ReadError] = {}
    empty: set[tuple[str, str]] = set()
    for column in wanted:
        low, high = (bounds or {}).get(column, (-math.inf, math.inf))
        cells = table.columns[column]
        values, errors = table.numbers_or_errors(column, low=low, high=high)
        for index, case in enumerate(names):
            if case in twice:
                continue
            if not cells[index]:
                empty.add((case, column))
            elif index in errors:
                wrong[case, column] = errors[index]
            else:
                numbers[case][column] = values[index]
    return NumberTable(table.name, wanted, numbers, wrong, frozenset(empty), twice, tuple(rows), rows)
