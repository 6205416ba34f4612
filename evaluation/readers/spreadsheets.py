"""Rows of text from the first sheet of an Excel workbook (.xlsx), read within limits."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from evaluation.readers.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluation.readers.limits import Limits

SIGNATURE: Final = b"PK\x03\x04"
_MAIN: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_ENCODING: Final = re.compile(rb"""encoding=["']([^"']+)["']""")
_PLACE: Final = re.compile(r"([A-Z]{1,3})(\d{1,7})")


def rows_of(content: bytes, name: str, limits: Limits) -> list[list[str]]:
    """Return the cells of the first sheet, row by row, as text.

    Formulas give the values that the program stored. Empty rows are omitted.

    Parameters
    ----------
    content
        Bytes of the workbook.
    name
        Name of the file, for messages.
    limits
        Bounds on bytes, rows, columns and characters.

    Raises
    ------
    ReadError
        With kind ``table`` or ``too_large``.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            shared = _shared_strings(archive, name, limits)
            return list(_rows(_part(archive, _first_sheet(archive, name, limits), name, limits), shared, name, limits))
    except (
        zipfile.BadZipFile,
        zlib.error,
        ET.ParseError,
        KeyError,
        ValueError,
        EOFError,
        RuntimeError,
    ) as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError("table", name, "an archive that is no Excel workbook", "CSV in UTF-8, or .xlsx") from None


def _part(archive: zipfile.ZipFile, part: str, name: str, limits: Limits) -> bytes:
    """Content of a part of the workbook; never more than a table may have, whatever its directory says."""
    most = limits.table_bytes
    with archive.open(part) as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise ReadError("too_large", name, f"more than {most:,} bytes of cells", f"at most {most:,}")
    # Entities are what makes XML of strangers dangerous; another encoding could hide them from this check.
    encoding = _ENCODING.search(content[:200])
    if (encoding is not None and encoding[1].lower() != b"utf-8") or b"\0" in content:
        raise ReadError("table", name, "a workbook that is not in UTF-8", "one as spreadsheet programs write it")
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise ReadError("table", name, "a workbook that defines entities", "one as spreadsheet programs write it")
    return content


def _parsed(content: bytes) -> ET.Element:
    return ET.fromstring(content)  # noqa: S314  (`_part` refuses entities)


def _first_sheet(archive: zipfile.ZipFile, name: str, limits: Limits) -> str:
    workbook = _parsed(_part(archive, "xl/workbook.xml", name, limits))
    sheet = workbook.find(f"{_MAIN}sheets/{_MAIN}sheet")
    if sheet is None:
        raise ReadError("table", name, "a workbook without a sheet", "a table on the first sheet")
    relations = _parsed(_part(archive, "xl/_rels/workbook.xml.rels", name, limits))
    target = next(each.attrib["Target"] for each in relations if each.attrib["Id"] == sheet.attrib[_RELATION])
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _shared_strings(archive: zipfile.ZipFile, name: str, limits: Limits) -> list[str]:
    part = "xl/sharedStrings.xml"
    if part not in archive.namelist():
        return []
    root = _parsed(_part(archive, part, name, limits))
    return ["".join(text.text or "" for text in item.iter(f"{_MAIN}t")) for item in root.iter(f"{_MAIN}si")]


def _rows(content: bytes, shared: list[str], name: str, limits: Limits) -> Iterator[list[str]]:
    count = width = 0
    for _, element in ET.iterparse(io.BytesIO(content)):  # noqa: S314  (`_part` refuses entities)
        if element.tag != f"{_MAIN}row":
            continue
        cells: list[str] = []
        for position, cell in enumerate(element.iter(f"{_MAIN}c")):
            match = _PLACE.fullmatch(cell.attrib.get("r", ""))
            column = _column(match[1]) if match else position
            if column >= limits.table_columns:
                raise ReadError("too_large", name, "too many columns", f"at most {limits.table_columns:,}")
            cells += [""] * (column + 1 - len(cells))
            cells[column] = _text(cell, shared)
        element.clear()
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        count += 1
        if count > limits.table_rows + 1:
            raise ReadError(
                "too_large", name, f"more than {limits.table_rows:,} rows", f"at most {limits.table_rows:,}"
            )
        width = width or len(cells)
        yield cells + [""] * (width - len(cells))


def _column(letters: str) -> int:
    """Position of a column from 0.

    Examples
    --------
    >>> _column("A"), _column("Z"), _column("AA")
    (0, 25, 26)
    """
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _text(cell: ET.Element, shared: list[str]) -> str:
    kind = cell.attrib.get("t", "n")
    if kind == "inlineStr":
        return "".join(text.text or "" for text in cell.iter(f"{_MAIN}t")).strip()
    value = cell.findtext(f"{_MAIN}v") or ""
    if kind == "s":
        return shared[int(value)].strip()
    return value.strip()
