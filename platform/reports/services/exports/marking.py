"""The mark of outdated reports in files that are downloaded; the stored files stay as they were made."""

import io
from collections.abc import Sequence
from html import escape
from typing import Final

from reports.queries.outdated import Outdated

SIZE: Final = 8
"""Font size of the header line in points."""
MARGIN: Final = 20
"""Distance of the header line from the edges of the page in points."""
LONGEST: Final = 160
"""Characters that fit in one line of a page."""


def marked(data: bytes, name: str, outdated: Sequence[Outdated]) -> bytes:
    """Return a file of a report with a notice that it is outdated: PDF pages in a header line, HTML at the top.

    Parameters
    ----------
    name
        The format, a key of `FORMATS`; other formats are returned as they are.
    outdated
        Ranking versions of the report that are not current; without any, the file is returned as it is.
    """
    if not outdated:
        return data
    text = "Outdated. " + " ".join(entry.text for entry in outdated)
    if name == "pdf":
        return _pdf(data, text)
    if name.endswith("html"):
        notice = f'<p role="note" style="border:2px solid;padding:.5em"><strong>{escape(text)}</strong></p>'
        start = data.index(b">", data.index(b"<body")) + 1
        return data[:start] + notice.encode() + data[start:]
    return data


def _pdf(data: bytes, text: str) -> bytes:
    from pypdf import PageObject, PdfReader, PdfWriter  # loaded only where a file is marked
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    line = text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
    escaped = line.encode("cp1252", "replace").replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica-Bold"),
            NameObject("/Encoding"): NameObject("/WinAnsiEncoding"),
        }
    )
    for page in writer.pages:
        header = PageObject.create_blank_page(width=page.mediabox.width, height=page.mediabox.height)
        header[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/Mark"): font})}
        )
        stream = DecodedStreamObject()
        top = float(page.mediabox.top) - MARGIN
        # An artifact: screen readers skip it on every page, as they do page numbers.
        stream.set_data(b"/Artifact BMC BT /Mark %d Tf %d %.2f Td (%s) Tj ET EMC" % (SIZE, MARGIN, top, escaped))
        header[NameObject("/Contents")] = stream
        page.merge_page(header)
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()
