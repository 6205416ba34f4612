"""A document as PDF, set by Typst."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import typst

from evaluation.documents.figures import file_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evaluation.documents.blocks import Block
    from evaluation.figures.publication import Printed

TEMPLATE: Final = Path(__file__).with_name("document.typ")


def as_pdf(blocks: Iterable[Block], *, title: str, figures: Mapping[str, Printed] | None = None) -> bytes:
    """Typeset a document as PDF.

    The blocks are passed as JSON next to a fixed template: text written by people is never read as markup, and the
    template reads no file but the figures of this document.

    Parameters
    ----------
    figures
        Figures by the names that the blocks use.
    """
    data = json.dumps([block.as_json() for block in blocks], ensure_ascii=False)
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "document.typ").write_bytes(TEMPLATE.read_bytes())
        (root / "blocks.json").write_text(data, encoding="utf-8")
        for name, figure in (figures or {}).items():
            (root / file_of(name)).write_bytes(figure.svg or figure.png)
        inputs = {"title": title}
        return bytes(typst.compile(root / "document.typ", root=root, format="pdf", sys_inputs=inputs))
