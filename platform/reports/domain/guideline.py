"""The 79 items of the BIAS guideline: their order in a report, and which of them the platform fills, drafts or leaves open."""

from typing import Final

from evaluation.designs.catalogue import shipped
from reports.domain.content import Fill

DRAFTED: Final = frozenset({"1", "2", "16", "32c", "36", "37", "38a", "38b", "39a", "39b", "39c", "40", "41"})
LEFT_TO_THE_AUTHORS: Final = frozenset({"42"})

CHAPTERS: Final = (
    ("summary", "Summary", ("1", "2", "3")),
    ("introduction", "Introduction", ("4a", "4b", "4c")),
    (
        "organization",
        "Methods: challenge organization",
        (
            *("5a", "5b", "6", "7", "8a", "8b", "8c", "9a", "9b", "9c", "9d", "9e", "9f", "10a", "10b"),
            *("11", "12", "13", "14a", "14b", "15", "16"),
        ),
    ),
    (
        "mission",
        "Methods: mission of the challenge",
        ("17", "18", "19a", "19b", "20", "21a", "21b", "21c", "22a", "22b", "23"),
    ),
    (
        "data",
        "Methods: challenge data sets",
        (
            *("24a", "24b", "24c", "24d", "25a", "25b", "25c", "25d", "26a", "26b", "26c", "26d"),
            *("27", "28a", "28b"),
        ),
    ),
    ("assessment", "Methods: assessment method", ("29a", "29b", "30a", "30b", "30c", "31a", "31b")),
    ("results", "Results: challenge outcome", ("32a", "32b", "32c", "33a", "33b", "34", "35a", "35b", "36")),
    ("discussion", "Discussion", ("37", "38a", "38b", "39a", "39b", "39c", "40", "41", "42")),
)
"""Structure of a paper; every item of the guideline is in exactly one chapter."""


def fill_of(number: str) -> Fill:
    """Return the extent to which the platform can fill an item."""
    if number in DRAFTED:
        return Fill.DRAFT
    return Fill.AUTHORS if number in LEFT_TO_THE_AUTHORS else Fill.FULL


def title_of(number: str) -> str:
    """Return the title of an item."""
    return next(entry.title for entry in shipped().index_bias if entry.number == number)


def parameters_of(number: str) -> tuple[str, ...]:
    """The parameters of the catalogue that report an item."""
    return next(entry.parameters for entry in shipped().index_bias if entry.number == number)


def chapter_of(number: str) -> str:
    """Return the key of the chapter that contains an item."""
    return next(key for key, _, numbers in CHAPTERS if number in numbers)
