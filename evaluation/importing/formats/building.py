"""From entries that a format names to the cells of a sheet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from evaluation.importing.formats.parts import cell, is_plain
from evaluation.importing.numbers import as_number, is_blank
from evaluation.importing.sheets import Sheet, SheetLimits, TableError, check_cells, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ONE_METHOD: Final = (
    "the file holds the results of one method, and a ranking needs two or more",
    "Put the file of each method into a folder with the name of the method, and send the folders as one ZIP archive.",
)


@dataclass
class Table:
    """Entries of a file, as rows in the making.

    Attributes
    ----------
    roles
        Role by column; a column without one is a column of values if it holds numbers, and not used otherwise.
    """

    roles: dict[str, str] = field(default_factory=dict)
    directions: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    question: tuple[str, str] | None = None
    is_summary: bool = False
    entries: list[Mapping[str, Any]] = field(default_factory=list)

    def add(self, entry: Mapping[str, Any]) -> None:
        """Add a row."""
        self.entries.append(entry)

    def sheet(self, name: str, sha256: str, limits: SheetLimits) -> Sheet:
        """Return the rows as a sheet.

        Raises
        ------
        TableError
            If there is no row, or more rows, columns or characters than are read.
        """
        if not self.entries:
            raise TableError(name, "the file holds no result", "Send a file with results.")
        if len(self.entries) > limits.rows:
            raise TableError(name, f"there are more than {limits.rows:,} rows", "Send fewer cases or metrics.")
        columns = tuple(dict.fromkeys(key for entry in self.entries for key in entry))
        if len(columns) > limits.columns:
            problem = f"there are {len(columns):,} columns, and at most {limits.columns:,} are read"
            raise TableError(name, problem, "Send the results only.")
        check_cells(name, columns, 1, limits)
        rows = tuple(tuple(cell(entry.get(column)) for column in columns) for entry in self.entries)
        for number, row in enumerate(rows, start=2):
            check_cells(name, row, number, limits)
        roles = {
            column: self.roles.get(column) or ("value" if _is_numeric(row[index] for row in rows) else "ignore")
            for index, column in enumerate(columns)
        }
        return Sheet(
            file=name,
            sha256=sha256,
            delimiter=",",
            columns=columns,
            rows=rows,
            lines=tuple(range(2, len(rows) + 2)),
            roles=roles,
            directions=dict(self.directions),
            notes=tuple(self.notes),
            question=self.question,
            is_summary=self.is_summary,
        )


def flattened(name: str, where: str, entry: Mapping[str, Any], *, prefix: str = "") -> dict[str, Any]:
    """Return the values of nested objects under names joined by dots.

    Raises
    ------
    TableError
        For a list, which no cell can hold.

    Examples
    --------
    >>> flattened("a.json", "entry 1", {"case": "p1", "metrics": {"dice": 0.9}})
    {'case': 'p1', 'metrics.dice': 0.9}
    """
    flat: dict[str, Any] = {}
    for key, value in entry.items():
        column = f"{prefix}{key}"
        if isinstance(value, dict):
            flat |= flattened(name, where, value, prefix=f"{column}.")
        elif is_plain(value):
            flat[column] = value
        else:
            problem = f"{where} holds a list under {shown(column)}, where one value is read"
            raise TableError(name, problem, "Send one value per metric.")
    return flat


def _is_numeric(cells: Any) -> bool:
    written = [text for text in cells if not is_blank(text)]
    return bool(written) and all(as_number(text) is not None or _is_infinite(text) for text in written)


def _is_infinite(text: str) -> bool:
    # A value that `arrange` refuses by its row, so that the column is not left out in silence.
    return text.casefold().lstrip("+-") in ("inf", "infinity")


def repeated(names: Sequence[str]) -> str:
    """Return the first name that appears more than once; empty if there is none."""
    visited: set[str] = set()
    for name in names:
        if name in visited:
            return name
        visited.add(name)
    return ""
