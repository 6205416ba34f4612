"""Text of Word documents: paragraphs and table rows in order, with pages where the file names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import docx
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml import parse_xml
from docx.oxml.ns import qn

from evaluation.designs.imports.lines import DesignFileError, Line, Pages
from evaluation.documents.word import RECORD_FOLDER, RECORD_TAG

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evaluation.designs.imports.bounds import DocumentLimits

_NOT_SHOWN: Final = frozenset(qn(f"w:{name}") for name in ("del", "moveFrom", "instrText", "delText", "txbxContent"))
_FALLBACK: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_HEADINGS: Final = ("Heading", "Title")


def read_word(path: Path, name: str, limits: DocumentLimits) -> Pages:
    """Read the text of a Word document that `evaluation.designs.imports.bounds.kind_of` accepted.

    Tracked insertions are read and deletions are not. Text boxes, footnotes and comments are not read.

    Raises
    ------
    DesignFileError
        For a damaged or too long document.
    """
    try:
        document = docx.Document(str(path))
    except (PackageNotFoundError, KeyError, ValueError, SyntaxError) as error:
        raise DesignFileError(
            name, "The Word file is damaged.", "Open it in Word and save it again as .docx."
        ) from error
    reader = _Reader({style.style_id: style.name or "" for style in document.styles})
    lines = tuple(reader.read(document.element.body))
    if sum(len(line.text) for line in lines) > limits.characters:
        raise DesignFileError(
            name,
            f"The document has more than {limits.characters:,} characters.",
            "Remove appendices that do not describe the design.",
        )
    if not reader.has_pages:
        lines = tuple(Line(line.text, None, line.is_heading, line.cells, line.table, True) for line in lines)
    notes = ("Text boxes of the document are not read.",) if reader.has_boxes else ()
    return Pages(name, lines, reader.page, record=_record(document), notes=notes)


class _Reader:
    def __init__(self, styles: dict[str, str]) -> None:
        self.styles = styles
        self.page = 1
        self.tables = 0
        self.has_pages = False
        self.has_boxes = False
        self._has_turned = False

    def read(self, parent: Any) -> Iterator[Line]:
        for element in parent:
            if element.tag == qn("w:p"):
                page = self.page
                is_heading = self._is_heading(element)
                for text in self._text(element).split("\n"):
                    if text.strip():
                        yield Line(" ".join(text.split()), page, is_heading, is_paragraph=True)
            elif element.tag == qn("w:tbl"):
                self.tables += 1
                yield from self._table(element)
            elif element.tag in (qn("w:sdt"), qn("w:sdtContent"), qn("w:ins"), qn("w:customXml")):
                yield from self.read(element)

    def _table(self, table: Any) -> Iterator[Line]:
        number = self.tables
        for row in table.iter(qn("w:tr")):
            page = self.page
            cells = [
                "\n".join(filter(None, (" ".join(self._text(paragraph).split()) for paragraph in cell.iter(qn("w:p")))))
                for cell in row.iter(qn("w:tc"))
            ]
            if any(cells):
                text = " | ".join(cells).strip(" |")
                yield Line(text, page, cells=tuple(cells), table=number, is_paragraph=True)

    def _is_heading(self, paragraph: Any) -> bool:
        style = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
        name = "" if style is None else self.styles.get(style.get(qn("w:val")), "")
        return name.startswith(_HEADINGS)

    def _text(self, paragraph: Any) -> str:
        pieces: list[str] = []
        waiting = [iter(paragraph)]
        while waiting:
            element = next(waiting[-1], None)
            if element is None:
                waiting.pop()
                continue
            tag = element.tag
            if tag in _NOT_SHOWN or tag == _FALLBACK:
                self.has_boxes = self.has_boxes or tag == qn("w:txbxContent")
                continue
            if tag == qn("w:t"):
                pieces.append(element.text or "")
                self._has_turned = self._has_turned and not (element.text or "").strip()
            elif tag == qn("w:tab"):
                pieces.append(" ")
            elif tag == qn("w:noBreakHyphen"):
                pieces.append("-")
            elif tag in (qn("w:br"), qn("w:cr")):
                pieces.append("\n")
                if element.get(qn("w:type")) == "page":
                    self.page += 1
                    self._has_turned = True
            elif tag == qn("w:lastRenderedPageBreak"):
                self.has_pages = True
                # Word writes both marks at a manual break.
                self.page += 0 if self._has_turned else 1
                self._has_turned = False
            waiting.append(iter(element))
        return "".join(pieces)


def _record(document: Any) -> str:
    for relation in document.part.rels.values():
        if relation.is_external or not str(relation.target_part.partname).startswith(RECORD_FOLDER):
            continue
        try:
            root = parse_xml(relation.target_part.blob)
        except SyntaxError:
            continue
        # Word numbers the parts of this folder again.
        if root.tag == RECORD_TAG:
            return str(root.text or "")
    return ""
