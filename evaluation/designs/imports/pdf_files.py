"""Text of PDF documents: lines in reading order, without page headers, footers and page numbers."""

from __future__ import annotations

import logging
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from pypdf import PdfReader

from evaluation.designs.imports.lines import DesignFileError, Line, Pages
from evaluation.documents.blocks import RECORD_NAME

if TYPE_CHECKING:
    from pathlib import Path

    from evaluation.designs.imports.bounds import DocumentLimits

# A line at the edge of so large a share of the pages is a header or footer.
_SHARE: Final = 0.6
_EDGE: Final = 5
_FEWEST_PAGES: Final = 3
_PAGE_NUMBER: Final = re.compile(r"^(page\s*)?\d{1,4}(\s*(/|of)\s*\d{1,4})?$", re.IGNORECASE)
_CREATED: Final = re.compile(r"^Created at \d{4}-\d\d-\d\dT")
_FEWEST_CHARACTERS: Final = 40
_DAMAGED: Final = ("The PDF is damaged.", "Export it again, or save the document as .docx.")


def read_pdf(path: Path, name: str, limits: DocumentLimits) -> Pages:
    """Read the text of a PDF.

    Raises
    ------
    DesignFileError
        For a damaged, encrypted, scanned or too long document.
    """
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        count, pages, record = _read(path, name, limits)
    except DesignFileError:
        raise
    except Exception as error:  # the library raises what its decoders raise
        raise DesignFileError(name, *_DAMAGED) from error
    characters = sum(len(line) for lines in pages for line in lines)
    if characters < _FEWEST_CHARACTERS:
        raise DesignFileError(
            name,
            "The PDF contains no text, only pictures of pages.",
            "Export it from the original document, or apply text recognition first.",
        )
    return Pages(name, tuple(_without_edges(pages)), count, record=record)


def _read(path: Path, name: str, limits: DocumentLimits) -> tuple[int, list[list[str]], str]:
    """Return the number of pages, their lines, and the record of an export."""
    reader = PdfReader(path)
    if reader.is_encrypted and not reader.decrypt(""):
        raise DesignFileError(name, "The PDF has a password.", "Save it without a password.")
    count = len(reader.pages)
    if count > limits.pages:
        raise DesignFileError(
            name,
            f"The PDF has {count:,} pages; at most {limits.pages} are read.",
            "Keep the pages that describe the design.",
        )
    pages: list[list[str]] = []
    characters = 0
    for page in reader.pages:
        text = page.extract_text()
        characters += len(text)
        if characters > limits.characters:
            raise DesignFileError(
                name,
                f"The document has more than {limits.characters:,} characters.",
                "Remove appendices that do not describe the design.",
            )
        pages.append([clean for line in text.split("\n") if (clean := " ".join(line.split()))])
    return count, pages, _record(reader)


def _without_edges(pages: list[list[str]]) -> list[Line]:
    """Return the lines without those at the edges of pages that repeat from page to page."""
    edges = Counter(
        pattern for lines in pages for pattern in {_pattern(line) for line in [*lines[:_EDGE], *lines[-_EDGE:]]}
    )
    repeated = (
        {pattern for pattern, times in edges.items() if times >= max(_FEWEST_PAGES, _SHARE * len(pages))}
        if len(pages) >= _FEWEST_PAGES
        else frozenset()
    )
    kept_items: list[Line] = []
    for number, lines in enumerate(pages, start=1):
        for at, line in enumerate(lines):
            is_edge = at < _EDGE or at >= len(lines) - _EDGE
            is_margin = _pattern(line) in repeated or _CREATED.match(line)
            is_number = (at == 0 or at == len(lines) - 1) and _PAGE_NUMBER.match(line)
            if not (is_edge and (is_margin or is_number)):
                kept_items.append(Line(line, number))
    return kept_items


def _pattern(line: str) -> str:
    return re.sub(r"\d+", "#", line)


def _record(reader: PdfReader) -> str:
    contents = reader.attachments.get(RECORD_NAME) if RECORD_NAME in reader.attachments else None
    if not contents:
        return ""
    try:
        return bytes(contents[0]).decode("utf-8")
    except UnicodeDecodeError:
        return ""
