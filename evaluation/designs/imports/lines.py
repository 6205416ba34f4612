"""Lines of a document, and text reduced to its letters."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

_LETTER: Final = re.compile(r"[^\W_]")


class DesignFileError(ValueError):
    """Error for a file that cannot become a design.

    The message names the file, what is wrong, and how to fix it.
    """

    def __init__(self, file: str, problem: str, remedy: str) -> None:
        self.file, self.problem, self.remedy = file, problem, remedy
        super().__init__(f"{file}: {problem} {remedy}")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a document.

    Attributes
    ----------
    text
        Text without leading and trailing spaces. The cells of a table row are separated by `` | ``.
    page
        Page number from 1; None for a Word file that was never laid out.
    is_heading
        True if the document marks it as a heading.
    cells
        Cells of a table row; empty for other lines.
    table
        Number of the table in the document, from 1; 0 for other lines.
    is_paragraph
        True if the line is a complete paragraph, as in Word. Lines of a PDF end at the margin.
    """

    text: str
    page: int | None = None
    is_heading: bool = False
    cells: tuple[str, ...] = ()
    table: int = 0
    is_paragraph: bool = False


@dataclass(frozen=True)
class Pages:
    """Text of a document.

    Attributes
    ----------
    record
        JSON text that an export of this platform carries; empty if there is none.
    notes
        Sentences about content that was not read.
    """

    file: str
    lines: tuple[Line, ...]
    pages: int
    record: str = ""
    notes: tuple[str, ...] = ()


def letters(text: str) -> str:
    r"""Return the letters and digits of a text in lower case.

    Line breaks, hyphens, ligatures and punctuation make no difference.

    Examples
    --------
    >>> letters("Field(s) of appli-\ncation"), letters("eﬃcient")
    ('fieldsofapplication', 'efficient')
    """
    return "".join(_LETTER.findall(unicodedata.normalize("NFKC", text).casefold()))


def letter_places(text: str) -> tuple[str, list[int]]:
    """Return the letters of a text as `letters` does, and the position of each in the text."""
    matches_found: list[str] = []
    places: list[int] = []
    for location, character in enumerate(text):
        reduced = letters(character)
        matches_found.append(reduced)
        places.extend([location] * len(reduced))
    return "".join(matches_found), places
