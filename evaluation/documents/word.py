"""A document as a Word file."""

import io
import re
from collections.abc import Iterable, Mapping

import docx
from docx.document import Document as WordDocument
from docx.shared import Mm, Pt

from evaluation.documents.blocks import Block

# Characters that XML cannot hold.
PICTURE_WIDTH = Mm(150)
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f￾￿]")


def as_docx(blocks: Iterable[Block], *, pictures: Mapping[str, bytes] | None = None) -> bytes:
    """Write blocks as .docx; headings make the document's outline.

    Parameters
    ----------
    pictures
        PNG files of the figures, by name.
    """
    word = docx.Document()
    for block in blocks:
        if block.kind == "figure":
            word.add_picture(io.BytesIO((pictures or {})[block.name]), width=PICTURE_WIDTH)
            word.add_paragraph(_clean(block.text), style="Caption")
        else:
            _write(word, block)
    stream = io.BytesIO()
    word.save(stream)
    return stream.getvalue()


def _write(word: WordDocument, block: Block) -> None:
    match block.kind:
        case "heading":
            word.add_heading(_clean(block.text), level=0 if block.level == 1 else min(block.level - 1, 9))
        case "remark" | "mark":
            word.add_paragraph().add_run(_clean(block.text)).italic = True
        case "lead":
            word.add_paragraph().add_run(_clean(block.text)).font.size = Pt(13)
        case "list":
            for item in block.items:
                word.add_paragraph(_clean(item), style="List Bullet")
        case "code":
            run = word.add_paragraph().add_run(_clean(block.text))
            run.font.name, run.font.size = "Courier New", Pt(9)
        case "digest":
            word.add_paragraph(f"{block.items[0]}: {block.text}")
        case "table" | "checklist":
            if block.text:
                word.add_paragraph(_clean(block.text), style="Caption")
            _table(word, block)
        case _:
            word.add_paragraph(_clean(block.text))


def _table(word: WordDocument, block: Block) -> None:
    if not block.columns:
        return
    # All rows at once: adding them one by one takes a second for a few hundred.
    table = word.add_table(rows=1 + len(block.rows), cols=len(block.columns), style="Table Grid")
    head, *rows = table.rows
    for cell, text in zip(head.cells, block.columns, strict=True):
        cell.paragraphs[0].add_run(_clean(text)).bold = True
    for line, row in zip(rows, block.rows, strict=True):
        for cell, text in zip(line.cells, row, strict=True):
            cell.text = _clean(text)


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("", text)
