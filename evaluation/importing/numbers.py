"""Cells of results tables: numbers, and cells that state that there is no value."""

from __future__ import annotations

from typing import Final

from evaluation.readers.number_cells import as_number

__all__ = ["as_number", "is_blank"]

_BLANK: Final = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "–", "missing", "#n/a"})


def is_blank(cell: str) -> bool:
    """Return whether a cell states that there is no value.

    Examples
    --------
    >>> is_blank("NaN"), is_blank(""), is_blank("0")
    (True, True, False)
    """
    return cell.casefold() in _BLANK
