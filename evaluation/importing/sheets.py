"""Reading of an unknown table as rows of text.

Its size is limited before parsing. A refusal is one line with the location and the remedy.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from evaluation.characters import refused_character
from evaluation.readers.dialects import text_of
from evaluation.readers.errors import ReadError
from evaluation.readers.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SPREADSHEETS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class SheetLimits:
    """Bounds of a table.

    Attributes
    ----------
    file_bytes
        Size of the file.
    fewest_columns
        With less, the cells were separated otherwise than a table's are; a list of names has one.
    rows, columns
        Size of the table, the header not counted.
    cell_characters
        Length of one cell.
    values, algorithms, cases, boards
        What is ranked: values in all, and how many algorithms, cases, and combinations of task, metric and region.
    """

    file_bytes: int = 32 << 20
    rows: int = 500_000
    columns: int = 2_000
    cell_characters: int = 300
    values: int = 500_000
    algorithms: int = 100
    cases: int = 20_000
    boards: int = 30
    fewest_columns: int = 2


DEFAULT: Final = SheetLimits()


class TableError(ValueError):
    """A table that cannot be analysed; one line that names file, row, value and remedy."""

    def __init__(self, file: str, found: str, remedy: str) -> None:
        self.file, self.found, self.remedy = file, found, remedy
        super().__init__(f"{file}: {found}. {remedy}")

    def __reduce__(self) -> tuple[type[TableError], tuple[str, str, str]]:
        return TableError, (self.file, self.found, self.remedy)


@dataclass(frozen=True)
class Sheet:
    """The cells of a file.

    Attributes
    ----------
    file
        Name of the file, for messages.
    sha256
        Digest of its bytes.
    delimiter
        Separator between two cells.
    columns
        Names in the header, each once.
    rows
        As many cells each as there are columns, without space around them.
    lines
        Line number of every row; the header is row 1.
    roles
        Role of each column, if the format of the file defines them; empty for a table whose columns are unknown.
    directions
        Better direction by metric (``higher`` or ``lower``), as far as the file states it.
    notes
        Sentences on how the file was read that a reader must know.
    question
        What a person must decide before the file becomes a table of results, and how: two sentences. Empty if nothing
        is open. The question is open as long as no column has the role ``algorithm``.
    is_summary
        True if each value is of the whole data set and no case is named, as on a leaderboard.
    """

    file: str
    sha256: str
    delimiter: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    roles: Mapping[str, str] = field(default_factory=dict)
    directions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    question: tuple[str, str] | None = None
    is_summary: bool = False

    @property
    def has_decimal_commas(self) -> bool:
        """True if numbers may have a decimal comma, because commas do not separate cells."""
        return self.delimiter != ","

    def column(self, index: int) -> list[str]:
        """The cells of a column."""
        return [row[index] for row in self.rows]


def read_sheet(path: Path, *, name: str = "", limits: SheetLimits = DEFAULT) -> Sheet:
    """Read a CSV file with a header, its cells separated by commas, semicolons or tabs.

    Parameters
    ----------
    name
        What the file is called in messages; that of `path` if not given.

    Raises
    ------
    TableError
        For a file that is too large, no text, empty, without a header, or whose rows do not fit together.
    OSError
        If it cannot be opened.
    """
    name = name or path.name
    size = path.stat().st_size
    if size > limits.file_bytes:
        raise TableError(
            name, f"the file has {size:,} bytes, and at most {limits.file_bytes:,} are read", "Send fewer columns."
        )
    return sheet_of(name, path.read_bytes(), limits=limits)


def sheet_of(name: str, content: bytes, *, limits: SheetLimits = DEFAULT) -> Sheet:
    """Read the bytes of a CSV file with a header, as `read_sheet` does.

    Raises
    ------
    TableError
        As `read_sheet`.
    """
    try:
        plain, delimiter = text_of(content, name, _limits_of_readers(limits))
    except ReadError as error:
        raise TableError(name, error.found, "Save the table as CSV (UTF-8).") from None
    text = decoded(name, plain)
    try:
        columns, rows, lines = _parsed(name, text, delimiter, limits)
    except csv.Error as error:
        problem = f"the cells cannot be separated ({error})"
        raise TableError(name, problem, "Check that every quotation mark is closed.") from None
    if not rows:
        raise TableError(name, "there is a header and no row below it", "Send one row a value or one row a case.")
    return Sheet(name, hashlib.sha256(content).hexdigest(), delimiter, columns, rows, lines)


def shown(text: str) -> str:
    """Return a cell as messages quote it: short, and without invisible characters.

    Examples
    --------
    >>> shown("0.9x")
    "'0.9x'"
    """
    cut = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return repr(cut)


def decoded(name: str, content: bytes) -> str:
    """Return the text of a file in UTF-8.

    Raises
    ------
    TableError
        If it is no text, not in UTF-8, or empty.
    """
    if content.startswith(_SPREADSHEETS):
        raise TableError(name, "this is a spreadsheet or an archive and no text", "Save the table as CSV (UTF-8).")
    if b"\0" in content:
        raise TableError(name, "there are bytes in it that are no text", "Save the table as CSV (UTF-8).")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = content[: error.start].count(b"\n") + 1
        raise TableError(name, f"row {row} is not in UTF-8", "Save the table as CSV (UTF-8).") from None
    if not text.strip():
        raise TableError(name, "the file is empty", "Send a table with a header and one row a value or a case.")
    return text


def _limits_of_readers(limits: SheetLimits) -> Limits:
    return Limits(table_bytes=limits.file_bytes, table_rows=limits.rows, table_columns=limits.columns)


def _parsed(
    name: str, text: str, delimiter: str, limits: SheetLimits
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...], tuple[int, ...]]:
    # A text is counted here, before its cells are made: a file of separators alone has millions of them.
    if text.count(delimiter) > limits.rows * 40:
        raise TableError(name, "there are too many cells", f"Send at most {limits.rows:,} rows.")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    row_number = 0
    for cells in reader:
        row_number += 1
        if not any(cell.strip() for cell in cells):
            continue
        stripped = tuple(cell.strip() for cell in cells)
        if not columns:
            columns = _header(name, stripped, limits)
            row_number = 1
            continue
        _check_row(name, stripped, row_number, columns, limits)
        rows.append(stripped)
        lines.append(row_number)
        if len(rows) > limits.rows:
            raise TableError(name, f"there are more than {limits.rows:,} rows", "Send fewer cases or metrics.")
    return columns, tuple(rows), tuple(lines)


def _header(name: str, cells: tuple[str, ...], limits: SheetLimits) -> tuple[str, ...]:
    if len(cells) > limits.columns:
        problem = f"there are {len(cells):,} columns, and at most {limits.columns:,} are read"
        raise TableError(name, problem, "Send the results only.")
    if len(cells) < limits.fewest_columns:
        problem = f"the header has one column, {shown(cells[0])}"
        raise TableError(name, problem, "Separate the columns by commas, semicolons or tabs.")
    # An index that a program wrote has no name.
    columns = tuple(cell or ("row" if index == 0 else f"column {index + 1}") for index, cell in enumerate(cells))
    check_cells(name, columns, 1, limits)
    twice = [column for column, count in Counter(columns).items() if count > 1]
    if twice:
        raise TableError(
            name, f"the header names the column {shown(twice[0])} twice", "Give every column its own name."
        )
    return columns


def _check_row(name: str, cells: tuple[str, ...], row: int, columns: tuple[str, ...], limits: SheetLimits) -> None:
    if len(cells) != len(columns):
        problem = f"row {row} has {len(cells)} cells, and the header has {len(columns)}"
        raise TableError(
            name, problem, "Give every row one cell a column; put quotation marks around text with separators."
        )
    check_cells(name, cells, row, limits)


def check_cells(name: str, cells: tuple[str, ...], row: int, limits: SheetLimits) -> None:
    """Check the length and the characters of cells.

    Raises
    ------
    TableError
        For the first cell that is too long or cannot be shown.
    """
    for cell in cells:
        if len(cell) > limits.cell_characters:
            problem = f"a cell of row {row} has {len(cell):,} characters, and at most {limits.cell_characters} are read"
            raise TableError(name, problem, "Shorten it.")
        if not cell.isascii() or not cell.isprintable():
            refused = "a line break" if "\n" in cell else refused_character(cell)
            if refused:
                raise TableError(
                    name, f"row {row} has a cell that cannot be shown: {refused.rstrip('.')}", "Take it out."
                )
