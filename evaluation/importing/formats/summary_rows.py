"""Rows at the end of a table that summarize the rows above them, and are no cases."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from evaluation.importing.numbers import as_number, is_blank
from evaluation.importing.sheets import Sheet, TableError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TOLERANCE: Final = 0.006
"""Largest difference from the exact summary, in units of the range: tables are rounded to two digits or more."""
_SUMMARIES: Final[dict[str, tuple[str, ...]]] = {
    "mean": ("mean", "average", "avg", "overall", "total", "macro", "macroavg"),
    "median": ("median",),
    "std": ("std", "sd", "stdev", "standarddeviation"),
    "min": ("min", "minimum"),
    "max": ("max", "maximum"),
}
_FEWEST_ROWS: Final = 3


def without_summary_rows(sheet: Sheet) -> Sheet:
    """Return a table without the rows at its end that are the mean or another summary of all rows above.

    A row is excluded only if its name says so and its values agree. The exclusion is noted.

    Raises
    ------
    TableError
        If a last row is named as a summary and its values are not that of the rows above: a person must decide.
    """
    last = len(sheet.rows)
    while last > _FEWEST_ROWS and _kind(sheet.rows[last - 1]):
        last -= 1
    if last == len(sheet.rows):
        return sheet
    cases, summaries = sheet.rows[:last], sheet.rows[last:]
    for line, row in zip(sheet.lines[last:], summaries, strict=True):
        kind = _kind(row)
        if kind in _COMPUTED and not _agrees(sheet, cases, row, _COMPUTED[kind]):
            what = f"row {line} is named {shown(_name(row))}, and its values are not the {kind} of the rows above"
            raise TableError(sheet.file, what, "Remove the row if it is a summary, or give the case another name.")
    names = ", ".join(dict.fromkeys(_name(row) for row in summaries))
    note = f"Not used as cases: the last rows, which summarize the others ({names})."
    return replace(sheet, rows=cases, lines=sheet.lines[:last], notes=(*sheet.notes, note))


def _name(row: Sequence[str]) -> str:
    """The only cell that is text; empty if there are none or several."""
    texts = [
        text for text in row if not is_blank(text) and as_number(text) is None and as_number(text, comma=True) is None
    ]
    return texts[0] if len(texts) == 1 else ""


def _kind(row: Sequence[str]) -> str:
    bare = re.sub(r"[^a-z]", "", _name(row).casefold())
    return next((kind for kind, words in _SUMMARIES.items() if bare in words), "")


def _agrees(
    sheet: Sheet, cases: Sequence[Sequence[str]], row: Sequence[str], summary: Callable[[Sequence[float]], float]
) -> bool:
    comma = sheet.has_decimal_commas
    compared = 0
    for index, text in enumerate(row):
        stated = as_number(text, comma=comma)
        if stated is None:
            continue
        numbers = [as_number(case[index], comma=comma) for case in cases]
        values = [number for number in numbers if number is not None]
        if len(values) < 2:
            continue
        span = max(values) - min(values) or 1.0
        if not math.isclose(summary(values), stated, abs_tol=_TOLERANCE * max(span, 1e-12), rel_tol=_TOLERANCE):
            return False
        compared += 1
    return compared > 0


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


_COMPUTED: Final[dict[str, Callable[[Sequence[float]], float]]] = {
    "mean": _mean,
    "median": _median,
    "min": min,
    "max": max,
}
