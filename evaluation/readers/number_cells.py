"""Cells of tables as numbers, in the notations of spreadsheet programs in English, German and French locales."""

from __future__ import annotations

import math
import re
from typing import Final

_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_SPACES: Final = re.compile("(?<=\\d)[\u00a0\u202f\u2009 '’](?=\\d{3}(?!\\d))")
_THOUSANDS: Final = {mark: re.compile(rf"[+-]?[1-9]\d{{0,2}}(\{mark}\d{{3}})+") for mark in ",."}


def as_number(cell: str, *, comma: bool = False) -> float | None:
    """Return the finite number that a cell contains; ``None`` for anything else.

    A per cent sign divides by 100. Spaces and apostrophes may separate thousands. A comma is read as a decimal sign or as
    a separator of thousands where it can be only one of the two.

    Parameters
    ----------
    comma
        True if commas do not separate the cells of the table, so that a comma is a decimal sign.

    Examples
    --------
    >>> as_number("0.5"), as_number("0,5"), as_number("0,5", comma=True), as_number("1e-3"), as_number("93.5 %")
    (0.5, 0.5, 0.5, 0.001, 0.935)
    >>> as_number("1,234.5"), as_number("1.234,5", comma=True), as_number("1 234,5", comma=True), as_number("1'234.5")
    (1234.5, 1234.5, 1234.5, 1234.5)

    Without other cells nobody can know whether this is one or a thousand:

    >>> as_number("1,000"), as_number("1_000"), as_number("1e999")
    (None, None, None)
    """
    text = cell.strip()
    share = text.endswith("%")
    if share:
        text = text[:-1].rstrip()
    if not _NUMBER.fullmatch(text):
        text = _plain(_SPACES.sub("", text), comma=comma)
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text) / (100 if share else 1)
    return value if math.isfinite(value) else None


def _plain(text: str, *, comma: bool) -> str:
    """A number with a point as its only sign; another text where the notation is not clear."""
    decimal, thousands = (",", ".") if comma or text.rfind(",") > text.rfind(".") >= 0 else (".", ",")
    whole, sign, fraction = text.partition(decimal)
    if _THOUSANDS[thousands].fullmatch(whole) and (sign or whole.count(thousands) > 1):
        return f"{whole.replace(thousands, '')}{'.' if sign else ''}{fraction}"
    if comma:
        return text.replace(",", ".", 1)
    # A group of thousands begins with no zero and has three digits; any other comma is a decimal sign.
    if text.count(",") == 1 and "." not in text and not _THOUSANDS[","].fullmatch(text):
        return text.replace(",", ".")
    return text
