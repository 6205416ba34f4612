"""Colours that can be distinguished with any colour vision, on light and on dark pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from evaluation.ranking.reading import main_entry, names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

QUALITATIVE: Final = ("#0048a8", "#ca7e0e", "#04a281", "#850e00", "#48004a", "#4479af", "#394450", "#7a6601")
"""Qualitative colours after Okabe and Ito, "Color universal design", 2008.

The colours were shifted until all can be distinguished under three colour-vision deficiencies. They are also the series
of the web pages, which exchange them for lighter colours on a dark page.
"""

DASHES: Final = ("solid", "dash", "dot", "longdash", "dashdot", "longdashdot", "12px,3px,2px,3px,2px,3px")
"""Dash patterns of lines: the second eight teams have the second pattern, and so on."""

SYMBOLS: Final = ("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down")
"""The same for points."""

SEQUENTIAL: Final = ("#30426E", "#3E6A8E", "#3F8F98", "#5DAF88", "#98C870", "#E0D86A")
"""From dark to light with even steps of lightness, readable in grey."""

BETTER: Final = "#ca7e0e"
NOT_BETTER: Final = "#4479af"
QUIET: Final = "#dfdad0"
"""For what a figure does not claim: a pair without a difference is no finding."""
NEUTRAL: Final = "#4c575b"


class Mark(NamedTuple):
    """Colour, dash and symbol of an algorithm; distinct for up to 56 algorithms of a document.

    No two of them share both the colour and the pair of dash and symbol.
    """

    colour: str
    dash: str
    symbol: str


def marks(document: Mapping[str, Any]) -> dict[str, Mark]:
    """Return the mark of each algorithm, in the order of the main ranking.

    The marks are the same in every figure of a document.

    Examples
    --------
    >>> marks({"rankings": [{"algorithms": [{"name": "a"}]}], "overall": None})
    {'a': Mark(colour='#0048a8', dash='solid', symbol='circle')}
    """
    ordered = list(names(main_entry(document)))
    for entry in document["rankings"]:
        ordered += [name for name in names(entry) if name not in ordered]
    return dict(zip(ordered, sequence(len(ordered)), strict=True))


def colours(document: Mapping[str, Any]) -> dict[str, str]:
    """Return only the colour of each algorithm, for figures whose rows, columns or panels are labelled.

    Examples
    --------
    >>> colours({"rankings": [{"algorithms": [{"name": "a"}, {"name": "b"}]}], "overall": None})
    {'a': '#0048a8', 'b': '#ca7e0e'}
    """
    return {name: mark.colour for name, mark in marks(document).items()}


def sequence(number: int) -> list[Mark]:
    """Return `number` marks: eight distinguishable colours, repeated with other dashes and symbols.

    A finer scale of hues would not be distinguishable: of 13 hues of one lightness, two are 0.006 apart (OKLab) under
    deuteranopia, while eight colours keep 0.08.
    """
    turns = (divmod(index, len(QUALITATIVE)) for index in range(number))
    return [Mark(QUALITATIVE[at], DASHES[turn % len(DASHES)], SYMBOLS[turn % len(SYMBOLS)]) for turn, at in turns]


def scale(stops: Sequence[str] = SEQUENTIAL) -> list[list[float | str]]:
    """A Plotly colour scale, dark for the greatest values."""
    return [[index / (len(stops) - 1), colour] for index, colour in enumerate(reversed(stops))]
