"""Building blocks of a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Kind = Literal[
    "heading",
    "lead",
    "text",
    "prose",
    "remark",
    "mark",
    "list",
    "table",
    "code",
    "digest",
    "figure",
    "checklist",
    "break",
    "record",
]

RECORD_NAME: Final = "podium-design.json"
"""Name of the data that a document carries for programs."""


class Drawing(str):
    """A small drawing in a table cell: its text, and the SVG that is shown if the format supports it.

    Attributes
    ----------
    svg
        SVG created by this package; it is not escaped again.

    Examples
    --------
    >>> cell = Drawing("ranks 1 to 3", svg="<svg></svg>")
    >>> cell, cell.svg
    ('ranks 1 to 3', '<svg></svg>')
    """

    __slots__ = ("svg",)
    svg: str

    def __new__(cls, words: str, *, svg: str) -> Self:
        """Store the drawing together with its text."""
        drawing = super().__new__(cls, words)
        drawing.svg = svg
        return drawing


@dataclass(frozen=True)
class Block:
    """Part of a document that no format divides.

    Attributes
    ----------
    kind
        ``lead`` is the opening sentence of a document, ``remark`` is less prominent text, ``mark`` describes a change
        or text that is still to be written. ``digest`` is a digest with its name in `items`. ``checklist`` is a table
        whose last column names anchors, with their names in `items`. ``prose`` is a paragraph whose `rows` are
        sentences (see `Sentence`). ``break`` starts a new page in formats with pages. ``record`` contains data for
        programs, which Word and PDF files carry without showing them.
    text
        Text of a heading, paragraph, code or mark; the beginning of a paragraph of prose; the caption of a figure or
        table.
    level
        Level of a heading, from 1.
    name
        File name of a figure without its ending, or of a picture with it.
    anchor
        Target for references.
    label
        Name of a figure or table in sentences that refer to it: "Figure 1".
    figure
        Plotly's description of a figure; without it the figure is a file of that name.
    """

    kind: Kind
    text: str = ""
    level: int = 0
    items: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    name: str = ""
    anchor: str = ""
    label: str = ""
    figure: Mapping[str, Any] | None = None

    @classmethod
    def of_json(cls, values: Mapping[str, Any]) -> Self:
        """The block that `as_json` wrote down.

        Examples
        --------
        >>> block = Block("table", text="Ranks", columns=("team", "rank"), rows=(("A", "1"),))
        >>> Block.of_json(block.as_json()) == block
        True
        """
        rows = tuple(tuple(row) for row in values["rows"])
        return cls(**{**values, "items": tuple(values["items"]), "columns": tuple(values["columns"]), "rows": rows})

    def as_json(self) -> dict[str, Any]:
        """The block as JSON values, without the description of its figure."""
        return {
            "kind": self.kind,
            "text": self.text,
            "level": self.level,
            "items": list(self.items),
            "columns": list(self.columns),
            "rows": [[str(cell) for cell in row] for row in self.rows],
            "name": self.name,
            "anchor": self.anchor,
            "label": self.label,
        }


class Sentence(NamedTuple):
    """Sentence of a paragraph of prose, with its margin notes and references.

    Attributes
    ----------
    words
        Text of the sentence without its closing full stop.
    end
        The full stop, which follows the references.
    notes
        Margin notes as "anchor note" with a space between, one per line.
    references
        Anchors of the figures and tables that support the sentence, separated by spaces.
    anchors
        Names under which other parts refer to the sentence, separated by spaces.
    """

    words: str
    end: str = ""
    notes: str = ""
    references: str = ""
    anchors: str = ""

    @property
    def noted(self) -> list[tuple[str, str]]:
        r"""Return the anchors and texts of the margin notes.

        Examples
        --------
        >>> Sentence("Unet leads", ".", notes="row-2 2\nrow-35a 35a").noted
        [('row-2', '2'), ('row-35a', '35a')]
        """
        return [(anchor, words) for anchor, _, words in (line.partition(" ") for line in self.notes.splitlines())]


def labels_of(blocks: Iterable[Block]) -> dict[str, str]:
    """Return the labels of figures and tables by their anchors."""
    return {block.anchor: block.label for block in blocks if block.label}
