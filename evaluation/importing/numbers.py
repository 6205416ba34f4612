"""Cells as numbers: a point as decimal sign, a comma where it separates no cells, and nothing that only looks like a number."""

from __future__ import annotations

import math
import re
from typing import Final

_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_BLANK: Final = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "–", "missing", "#n/a"})


def is_blank(cell: str) -> bool:
    """Return whether a cell states that there is no value.

    Examples
    --------
    >>> is_blank("NaN"), is_blank(""), is_blank("0")
    (True, True, False)
    """
    return cell.casefold() in _BLANK


def as_number(cell: str, *, comma: bool = False) -> float | None:
    """The finite number that a cell holds; ``None`` for anything else.

    Parameters
    ----------
    comma
        Whether a comma is a decimal sign. Where commas separate cells it is not: ``"1,000"`` may be a thousand.

    Examples
    --------
    >>> as_number("0.5"), as_number("0,5"), as_number("0,5", comma=True), as_number("1e-3"), as_number("1_000"), as_number("1e999")
    (0.5, None, 0.5, 0.001, None, None)
    """
    if comma:
        cell = cell.replace(",", ".", 1)
    if not _NUMBER.fullmatch(cell):
        return None
    value = float(cell)
    return value if math.isfinite(value) else None
