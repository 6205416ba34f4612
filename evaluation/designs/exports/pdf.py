"""A design as PDF, set by Typst."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import typst

from evaluation.designs.exports.outline import Block

_TEMPLATE = Path(__file__).with_name("design.typ")


def as_pdf(blocks: Iterable[Block], *, title: str) -> bytes:
    """Set the blocks of a design.

    The blocks travel as JSON beside a fixed template: nothing that people wrote is ever read as markup, and the
    template reads no other file.
    """
    data = json.dumps([asdict(block) for block in blocks], ensure_ascii=False)
    return typst.compile(_TEMPLATE.read_bytes(), format="pdf", sys_inputs={"blocks": data, "title": title})
