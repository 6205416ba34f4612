"""What a document consists of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

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
]


class Drawing(str):
    """A small drawing in the cell of a table: its words, and the SVG that is shown where a format can show it.

    Attributes
    ----------
    svg
        Made by this package; it is not escaped again.

    Examples
    --------
    >>> cell = Drawing("ranks 1 to 3", svg="<svg></svg>")
    >>> cell, cell.svg
    ('ranks 1 to 3', '<svg></svg>')
    """

    __slots__ = ("svg",)
    svg: str

    def __new__(cls, words: str, *, svg: str) -> Self:
        """Keep the drawing beside its words."""
        drawing = super().__new__(cls, words)
        drawing.svg = svg
        return drawing


@dataclass(frozen=True)
class Block:
    """A part of a document that no format divides.

    Attributes
    ----------
    kind
        ``lead`` is the sentence that a document begins with, ``remark`` stands back, ``mark`` says what was changed or has
        to be written, ``digest`` is a digest with its name in `items`, ``checklist`` a table whose last column names
        anchors, with their names in `items`. ``prose`` is a paragraph whose `rows` are sentences (see `Sentence`), and
        ``break`` begins a new page where a format has some.
    text
        Words of a heading, paragraph, code or mark; what a paragraph of prose begins with; the caption of a figure or table.
    level
        Of a heading, from 1.
    name
        File of a figure without its ending, or with it for a picture.
    anchor
        A place that others point to.
    label
        What a figure or table is called where sentences point to it: "Figure 1".
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
    """A sentence of a paragraph of prose, with what stands in the margin and what it points to.

    Attributes
    ----------
    words
        Without what ends it.
    end
        Its full stop, which comes behind the references.
    notes
        What stands in the margin, as "anchor note" with a space between, one below the other by new lines.
    references
        Anchors of the figures and tables that show what it says, with spaces between.
    anchors
        Names under which others point to it, with spaces between.
    """

    words: str
    end: str = ""
    notes: str = ""
    references: str = ""
    anchors: str = ""

    @property
    def noted(self) -> list[tuple[str, str]]:
        r"""Anchors and words of what stands in the margin.

        Examples
        --------
        >>> Sentence("Unet leads", ".", notes="row-2 2\nrow-35a 35a").noted
        [('row-2', '2'), ('row-35a', '35a')]
        """
        return [(anchor, words) for anchor, _, words in (line.partition(" ") for line in self.notes.splitlines())]


def labels_of(blocks: Iterable[Block]) -> dict[str, str]:
    """What figures and tables are called, by their anchors."""
    return {block.anchor: block.label for block in blocks if block.label}
