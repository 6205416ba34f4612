"""A report as PDF, set by Typst, with the pages of all items in the checklist."""

import json
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import typst

from reports.content import file_of
from reports.exports.outline import Content, blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.figures.publication import Printed

TEMPLATE: Final = Path(__file__).with_name("report.typ")


def as_pdf(content: Content, figures: "Mapping[str, Printed]") -> bytes:
    """Set the report.

    The blocks travel as JSON beside a fixed template: nothing that people wrote is ever read as markup, and the
    template reads no file but the figures of this report.
    """
    data = json.dumps([asdict(block) for block in blocks(content)], ensure_ascii=False)
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "report.typ").write_bytes(TEMPLATE.read_bytes())
        (root / "blocks.json").write_text(data, encoding="utf-8")
        for name, figure in figures.items():
            (root / file_of(name)).write_bytes(figure.svg or figure.png)
        inputs = {"title": str(content["title"])}
        pdf: bytes = typst.compile(root / "report.typ", root=root, format="pdf", sys_inputs=inputs)
    return pdf
