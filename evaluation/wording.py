"""Lists and plurals as sentences write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def joined(words: Sequence[str], last: str = "and") -> str:
    """Join text as in a sentence.

    Examples
    --------
    >>> joined(["DSC", "NSD", "HD95"])
    'DSC, NSD and HD95'
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def plural(noun: str) -> str:
    """Write the name of a level or column for several of them.

    Examples
    --------
    >>> plural("case"), plural("modality"), plural("biopsy"), plural("day"), plural("class")
    ('cases', 'modalities', 'biopsies', 'days', 'classes')
    """
    if noun.endswith("s"):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "case"), counted(1200, "biopsy")
    ('1 case', '1,200 biopsies')
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"
