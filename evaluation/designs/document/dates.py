"""Dates in the forms that people write, read as one: year-month-day."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

MONTHS: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_SHORTEST: Final = 3
_LAST_MONTH: Final = 12
_NUMBERS = re.compile(r"^(\d{1,2})\s*([./-])\s*(\d{1,2})\s*\2\s*(\d{4})$", re.ASCII)
_YEAR_FIRST = re.compile(r"^(\d{4})\s*[./-]\s*(\d{1,2})(?:\s*[./-]\s*(\d{1,2}))?$", re.ASCII)
_WORDS = re.compile(
    r"^(?:(\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?)?([a-z]+)\.?(?:\s+(\d{1,2})(?:st|nd|rd|th)?)?,?\s+(\d{4})$"
)


def read_date(text: str) -> str:
    """Return a date as ``2026-03-31``, or ``2026-03`` and ``2026`` if the text contains no more.

    Accepted are ``2026-03-31`` and ``2026/3/31``, ``31.03.2026``, ``31 March 2026``, ``Mar 31, 2026``, ``March 2026``
    and ``31/03/2026``. If day and month are ambiguous, as in ``03/04/2026``, the function does not guess.

    Raises
    ------
    ValueError
        For a text that is no unambiguous date; the message states what to write instead.

    Examples
    --------
    >>> [read_date(text) for text in ("31.3.2026", "31 March 2026", "Mar 31st, 2026", "March 2026", "31/03/2026")]
    ['2026-03-31', '2026-03-31', '2026-03-31', '2026-03', '2026-03-31']
    >>> read_date("03/04/2026")
    Traceback (most recent call last):
    ValueError: This may be 3 April 2026 or 4 March 2026: write which.
    """
    plain = " ".join(text.split())
    if re.fullmatch(r"[0-9]{4}", plain) and int(plain):
        return plain
    if match := _YEAR_FIRST.match(plain):
        return _written(int(match[1]), int(match[2]), int(match[3]) if match[3] else None)
    if match := _NUMBERS.match(plain):
        return _from_numbers(int(match[1]), match[2], int(match[3]), int(match[4]))
    if match := _WORDS.match(plain.lower()):
        month = next(_months_called(match[2]), 0)
        if month and not (match[1] and match[3]):
            day = match[1] or match[3]
            return _written(int(match[4]), month, int(day) if day else None)
    raise ValueError("A date is written as 31 March 2026, March 2026 or 2026-03-31.")


def _from_numbers(first: int, mark: str, second: int, year: int) -> str:
    """Return the date of three numbers, day first if they are separated by dots.

    With another separator, the date must have only one possible reading.
    """
    if mark != "." and first != second and min(first, second) > 0 and max(first, second) <= _LAST_MONTH:
        raise ValueError(
            f"This may be {first} {MONTHS[second - 1].title()} {year} or {second} {MONTHS[first - 1].title()} {year}: write which."
        )
    day, month = (second, first) if mark != "." and second > _LAST_MONTH else (first, second)
    return _written(year, month, day)


def _months_called(word: str) -> Iterator[int]:
    """The month that a word is, or begins."""
    if len(word) >= _SHORTEST:
        yield from (number for number, name in enumerate(MONTHS, start=1) if name.startswith(word))


def _written(year: int, month: int, day: int | None) -> str:
    try:
        whole = date(year, month, 1 if day is None else day)
    except ValueError as error:
        raise ValueError("There is no such day.") from error
    return whole.isoformat()[:7] if day is None else whole.isoformat()
