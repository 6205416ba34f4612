"""The complete list of the cases of a phase whose values are measured outside, with what is known of each case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.assessment.columns import grouping_columns
from evaluation.importing.content import Measured
from evaluation.importing.numbers import as_number, is_blank
from evaluation.importing.sheets import DEFAULT, Sheet, SheetLimits, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.assessment.model import Assessment

_LONGEST_NAME: Final = 100


def read_case_list(
    sheet: Sheet, assessment: Assessment, *, limits: SheetLimits = DEFAULT
) -> tuple[list[dict[str, Any]], list[str]]:
    """Read the complete list of cases with what is known of them.

    Returns
    -------
    tuple
        One entry a case with ``case`` and its characteristics, empty if there are problems; and the problems, one line each.
    """
    measured = Measured()
    if "case" not in sheet.columns:
        measured.refuse(sheet.file, "row 1: ", "no column is called “case”", "Name the column of the cases so.")
        return [], measured.problems
    if len(sheet.rows) > limits.cases:
        what = f"there are {len(sheet.rows):,} cases, and at most {limits.cases:,} are taken"
        measured.refuse(sheet.file, "", what, "Send fewer.")
        return [], measured.problems
    needed = grouping_columns(assessment)
    for column in needed:
        if column not in sheet.columns:
            what = f"no column is called {shown(column)}"
            measured.refuse(sheet.file, "row 1: ", what, "The registered ranking groups cases by it: add it.")
    lines: dict[str, int] = {}
    entries = []
    for row, line in zip(sheet.rows, sheet.lines, strict=True):
        entry: dict[str, Any] = dict(zip(sheet.columns, row, strict=True))
        _check_case(sheet.file, entry["case"], line, lines, measured)
        for column in needed:
            if column in entry and is_blank(entry[column]):
                remedy = "The registered ranking groups cases by it: say it of every case."
                measured.refuse(sheet.file, f"row {line}, column {column}: ", "the cell is empty", remedy)
        entries.append(entry)
    if measured.more:
        measured.problems.append(f"{sheet.file}: {measured.more:,} more problems of these kinds.")
    if measured.problems:
        return [], measured.problems
    numbers = [column for column in sheet.columns if _holds_numbers(sheet, column, assessment, needed)]
    for entry in entries:
        entry |= {column: None if is_blank(entry[column]) else as_number(entry[column]) for column in numbers}
    return entries, []


def _holds_numbers(sheet: Sheet, column: str, assessment: Assessment, grouping: Sequence[str]) -> bool:
    """Return whether a characteristic is a number.

    Names of cases and columns by which the ranking groups are not, even if they look like numbers.
    """
    if column == "case" or column in grouping or assessment.columns.get(column, "number") != "number":
        return False
    cells = [cell for cell in sheet.column(sheet.columns.index(column)) if not is_blank(cell)]
    return bool(cells) and all(as_number(cell) is not None for cell in cells)


def _check_case(file: str, name: str, line: int, lines: dict[str, int], measured: Measured) -> None:
    where = f"row {line}, column case: "
    if not name:
        measured.refuse(file, where, "the cell is empty", "Name the case.")
    elif len(name) > _LONGEST_NAME:
        measured.refuse(file, where, f"a name of {len(name)} characters", f"Use at most {_LONGEST_NAME}.")
    elif name.startswith(("=", "+", "-", "@")):
        what = f"{shown(name)}, which a spreadsheet takes for a formula"
        measured.refuse(file, where, what, "Begin names with a letter or a digit.")
    elif name in lines:
        measured.refuse(file, where, f"{shown(name)} a second time", f"It stands in row {lines[name]} already.")
    lines.setdefault(name, line)
