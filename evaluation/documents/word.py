"""A document as a Word file: real styles, captions that count themselves, and references that follow them."""

from __future__ import annotations

import io
import re
from itertools import count
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape

import docx
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

from evaluation.documents.blocks import Block, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from docx.document import Document as WordDocument
    from docx.text.paragraph import Paragraph

PAGE: Final = (Mm(210), Mm(297))
MARGIN: Final = Mm(20)
TEXT_WIDTH: Final = PAGE[0] - 2 * MARGIN
PICTURE_WIDTH: Final = Mm(140)
TEXT_FONT: Final = "Times New Roman"
# Sizes of headings in points, from the title on.
HEADINGS: Final = (18, 14, 12, 11)
NUMBER: Final = "Item Number"
MARKED: Final = "Marked Passage"
TABLE_TEXT: Final = "Table Text"
INK: Final = RGBColor(0x1C, 0x24, 0x27)
# Characters of a cell beyond which it takes a further line.
LONGEST: Final = 48
# What a cell has on its sides, and the mean width of a character in it.
CELL_PADDING, CHARACTER = Mm(4.2), Mm(1.75)
RECORD_FOLDER: Final = "/customXml/"
"""Folder of the data of a record. Word keeps its parts when it saves the file."""
RECORD_TAG: Final = "{urn:podium:record}record"
_RECORD_TYPE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/customXml"
# Characters that XML cannot hold.
_FORBIDDEN: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f￾￿]")


def as_docx(blocks: Iterable[Block], *, pictures: Mapping[str, bytes] | None = None) -> bytes:
    """Write blocks as .docx; headings make the document's outline.

    Numbers in front of sentences have the character style `NUMBER`, so that all of them are hidden by changing it once;
    what was changed or has to be written has the style `MARKED`.

    Parameters
    ----------
    pictures
        PNG files of the figures, by name.
    """
    word = docx.Document()
    _page(word)
    _styles(word)
    writer = _Writer(word)
    sequence = list(blocks)
    writer.labels = {block.anchor: block.label for block in sequence if block.label}
    for block in sequence:
        if block.kind == "figure":
            picture = word.add_picture(io.BytesIO((pictures or {})[block.name]), width=PICTURE_WIDTH)
            # What is read to those who do not see it.
            picture._inline.docPr.set("descr", _clean(block.text))  # noqa: SLF001 (python-docx has no other way)
            standing = word.paragraphs[-1]
            standing.alignment, standing.paragraph_format.keep_with_next = WD_ALIGN_PARAGRAPH.CENTER, True
            writer.caption(block)
        else:
            writer.write(block)
    stream = io.BytesIO()
    word.save(stream)
    return stream.getvalue()


def _page(word: WordDocument) -> None:
    """A4 with the number of the page below."""
    section = word.sections[0]
    section.page_width, section.page_height = PAGE
    section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = MARGIN
    below = section.footer.paragraphs[0]
    below.alignment = WD_ALIGN_PARAGRAPH.CENTER
    _field(below, " PAGE ", "1")
    word.core_properties.author, word.core_properties.comments = "", ""


def _styles(word: WordDocument) -> None:
    for name in ("Normal", "Title", *(f"Heading {level}" for level in range(1, 10)), "Caption"):
        _of_one_font(word.styles[name])
    text = word.styles["Normal"]
    text.font.size, text.paragraph_format.space_after = Pt(10.5), Pt(6)
    for name, size in zip(("Title", "Heading 1", "Heading 2", "Heading 3"), HEADINGS, strict=True):
        style = word.styles[name]
        style.font.size, style.font.bold, style.font.color.rgb = Pt(size), True, INK
        style.paragraph_format.space_before, style.paragraph_format.space_after = Pt(size * 0.7), Pt(4)
    # The rule below the template's title.
    for rule in word.styles["Title"].element.xpath("./w:pPr/w:pBdr"):
        rule.getparent().remove(rule)
    caption = word.styles["Caption"]
    caption.font.size, caption.font.bold, caption.font.color.rgb = Pt(9), False, INK
    caption.paragraph_format.space_before, caption.paragraph_format.space_after = Pt(4), Pt(8)
    number = word.styles.add_style(NUMBER, WD_STYLE_TYPE.CHARACTER)
    number.font.superscript, number.font.color.rgb = True, RGBColor(0x5B, 0x66, 0x75)
    marked = word.styles.add_style(MARKED, WD_STYLE_TYPE.PARAGRAPH)
    marked.base_style = word.styles["Normal"]
    marked.font.italic, marked.font.color.rgb = True, RGBColor(0xA3, 0x5C, 0x00)
    cells = word.styles.add_style(TABLE_TEXT, WD_STYLE_TYPE.PARAGRAPH)
    cells.base_style = word.styles["Normal"]
    cells.font.size, cells.paragraph_format.space_after = Pt(8), Pt(0)


def _of_one_font(style: Any) -> None:
    """Have a style use the font of the text: the template's headings name those of a theme, which would win."""
    style.font.name = TEXT_FONT
    fonts = style.element.rPr.rFonts
    for script in ("ascii", "hAnsi", "eastAsia", "cs"):
        fonts.attrib.pop(qn(f"w:{script}Theme"), None)


class _Writer:
    """Writes blocks one after another; anchors become bookmarks, which have numbers of their own."""

    def __init__(self, word: WordDocument) -> None:
        self.word = word
        self.labels: dict[str, str] = {}
        self._numbers = count(1)

    def write(self, block: Block) -> None:
        word = self.word
        match block.kind:
            case "heading":
                self._heading(block)
            case "prose":
                self._prose(block)
            case "mark":
                run = word.add_paragraph(style=MARKED).add_run(_clean(block.text))
                if block.anchor:
                    self._bookmark(run.element, run.element, block.anchor)
            case "remark":
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
                if block.text or block.label:
                    self.caption(block).paragraph_format.keep_with_next = True
                self._table(block)
            case "break":
                word.add_page_break()  # type: ignore[no-untyped-call]
            case "record":
                _attach(word, block.text)
            case _:
                word.add_paragraph(_clean(block.text))

    def caption(self, block: Block) -> Paragraph:
        """Add the caption of a figure or table.

        Its number is a counting field under a bookmark that references point to.
        """
        paragraph = self.word.add_paragraph(style="Caption")
        name, _, number = block.label.rpartition(" ")
        if name and number.isdigit():
            with_name = paragraph.add_run(f"{name} ")
            field = _field(paragraph, f" SEQ {name} \\* ARABIC ", number)
            self._bookmark(with_name.element, field, block.anchor)
            paragraph.add_run(f". {_clean(block.text)}")
        else:
            paragraph.add_run(_clean(block.text))
        return paragraph

    def _heading(self, block: Block) -> None:
        level = 0 if block.level == 1 else min(block.level - 1, 9)
        heading = self.word.add_heading(_clean(block.text), level=level)
        if block.anchor and heading.runs:
            self._bookmark(heading.runs[0].element, heading.runs[-1].element, block.anchor)

    def _prose(self, block: Block) -> None:
        paragraph = self.word.add_paragraph()
        if block.text:
            paragraph.add_run(f"{_clean(block.text)}. ").bold = True
        for index, row in enumerate(block.rows):
            sentence = Sentence(*row)
            if index:
                paragraph.add_run(" ")
            if sentence.notes:
                paragraph.add_run(f"{', '.join(words for _, words in sentence.noted)} ", style=NUMBER)
            words = paragraph.add_run(_clean(sentence.words))
            for anchor in sentence.anchors.split():
                self._bookmark(words.element, words.element, anchor)
            for at, anchor in enumerate(sentence.references.split()):
                paragraph.add_run(", " if at else " (")
                _field(paragraph, f" REF {_bookmark_name(anchor)} \\h ", self.labels[anchor])
            paragraph.add_run((")" if sentence.references else "") + sentence.end)

    def _table(self, block: Block) -> None:
        if not block.columns:
            return
        rows = [row[1:] for row in block.rows] if block.kind == "checklist" else block.rows
        # All rows at once: adding them one by one takes a second for a few hundred.
        table = self.word.add_table(rows=1 + len(rows), cols=len(block.columns), style="Table Grid")
        _ruled(table)
        widths = _widths([block.columns, *rows])
        for column, width in zip(table.columns, widths, strict=True):
            column.width = width
        head, *lines = table.rows
        _repeated(head)
        for line in table.rows:
            _whole(line)
        for cell, text, width in zip(head.cells, block.columns, widths, strict=True):
            cell.width = width
            cell.paragraphs[0].style = TABLE_TEXT
            cell.paragraphs[0].add_run(_clean(text)).bold = True
        for at, (line, row) in enumerate(zip(lines, rows, strict=True)):
            for index, (cell, text) in enumerate(zip(line.cells, row, strict=True)):
                cell.width = widths[index]
                paragraph = cell.paragraphs[0]
                paragraph.style = TABLE_TEXT
                if block.kind == "checklist" and index == len(row) - 1:
                    if text:
                        field = _field(paragraph, f" PAGEREF {_bookmark_name(text)} \\h ", block.items[at])
                        # The page is another one than in the PDF: Word looks it up when it opens the file.
                        field.set(qn("w:dirty"), "true")
                    else:
                        paragraph.add_run("–")
                else:
                    paragraph.add_run(_clean(text))
        self.word.add_paragraph().paragraph_format.space_after = Pt(0)

    def _bookmark(self, first: Any, last: Any, anchor: str) -> None:
        number = str(next(self._numbers))
        start, end = OxmlElement("w:bookmarkStart"), OxmlElement("w:bookmarkEnd")
        start.set(qn("w:id"), number)
        start.set(qn("w:name"), _bookmark_name(anchor))
        end.set(qn("w:id"), number)
        first.addprevious(start)
        last.addnext(end)


def _attach(word: WordDocument, text: str) -> None:
    content = f'<?xml version="1.0" encoding="UTF-8"?><record xmlns="urn:podium:record">{escape(text)}</record>'
    part = Part(PackURI(f"{RECORD_FOLDER}item7.xml"), "application/xml", content.encode("utf-8"), word.part.package)
    word.part.relate_to(part, _RECORD_TYPE)


def _bookmark_name(anchor: str) -> str:
    """Word takes letters, digits and underscores, up to forty."""
    return f"at_{re.sub(r'[^0-9A-Za-z]', '_', anchor)}"[:40]


def _field(paragraph: Paragraph, instruction: str, text: str) -> Any:
    """A field with what it showed when it was last brought up to date."""
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), instruction)
    run = paragraph.add_run(text)
    run.element.addprevious(field)
    field.append(run.element)
    return field


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """Widths of columns: no word is broken where there is room, and what is left goes to the long cells."""
    columns = list(zip(*rows, strict=True))
    words = [min(LONGEST // 2, max(map(_longest_word, column))) for column in columns]
    wished = [max(word, min(LONGEST, max(map(len, column)))) for word, column in zip(words, columns, strict=True)]
    least, most = ([CELL_PADDING + CHARACTER * length for length in lengths] for lengths in (words, wished))
    if sum(least) >= TEXT_WIDTH:
        return [round(TEXT_WIDTH * width / sum(least)) for width in least]
    share = (TEXT_WIDTH - sum(least)) / max(1, sum(most) - sum(least))
    return [round(low + share * (high - low)) for low, high in zip(least, most, strict=True)]


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)


def _ruled(table: Any) -> None:
    """Lines between the rows alone, in a quiet grey."""
    properties = table._tbl.tblPr  # noqa: SLF001 (the library has no other way to it)
    borders = OxmlElement("w:tblBorders")
    for side in ("top", "left", "bottom", "right", "insideH", "insideV"):
        line = OxmlElement(f"w:{side}")
        line.set(qn("w:val"), "nil" if side in ("left", "right", "insideV") else "single")
        line.set(qn("w:sz"), "4")
        line.set(qn("w:color"), "857F74")
        borders.append(line)
    # Word insists on the order of what a table has.
    after = properties.xpath("./w:shd | ./w:tblLayout | ./w:tblCellMar | ./w:tblLook")
    after[0].addprevious(borders) if after else properties.append(borders)


def _whole(row: Any) -> None:
    """A row is not divided between two pages."""
    row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))  # noqa: SLF001 (the library has no other way to it)


def _repeated(row: Any) -> None:
    """Repeat the head of a table on each page that the table spans."""
    properties = row._tr.get_or_add_trPr()  # noqa: SLF001 (the library has no other way to it)
    properties.append(OxmlElement("w:tblHeader"))


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("", text)
