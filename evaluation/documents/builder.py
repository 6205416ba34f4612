"""Building a document section by section."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from evaluation.documents.blocks import Block, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class DocumentBuilder:
    """Collects blocks; headings get anchors, figures are numbered as they come."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._anchors = count(1)
        self._figures = count(1)

    def heading(self, level: int, text: str) -> None:
        """Add a heading."""
        self.blocks.append(Block("heading", text, level, anchor=f"s{next(self._anchors)}"))

    def text(self, sentences: Iterable[str], *, kind: Kind = "text") -> None:
        """Add a paragraph of sentences; nothing if there are none."""
        if joined := " ".join(sentence for sentence in sentences if sentence):
            self.blocks.append(Block(kind, joined))

    def points(self, sentences: Iterable[str]) -> None:
        """Add a list of sentences; nothing if there are none."""
        if items := tuple(sentences):
            self.blocks.append(Block("list", items=items))

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = "") -> None:
        """Add a table; what is not there is a dash."""
        cells = tuple(tuple(_text(cell) for cell in row) for row in rows)
        self.blocks.append(Block("table", caption, columns=tuple(columns), rows=cells))

    def figure(self, figure: Mapping[str, Any], caption: str) -> None:
        """Add a figure with its caption."""
        number = next(self._figures)
        self.blocks.append(
            Block(
                "figure", f"Figure {number}. {caption}", name=f"figure-{number:02d}", anchor=f"f{number}", figure=figure
            )
        )


def _text(cell: object) -> str:
    if isinstance(cell, str):
        return cell
    return "–" if cell is None else str(cell)
