"""Separator of a table of text, and tables in other forms brought into the one of a CSV file."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from evaluation.readers.spreadsheets import SIGNATURE, rows_of

if TYPE_CHECKING:
    from evaluation.readers.limits import Limits

DELIMITERS: Final = {",": "commas", ";": "semicolons", "\t": "tabs"}
"""Separators of cells, the usual one first, with their names."""
_MARK: Final = b"\xef\xbb\xbf"
_SEPARATOR_LINE: Final = re.compile(rb'"?sep=([,;\t])"?[,;\t]*\r?\n', re.IGNORECASE)


class Text(NamedTuple):
    """Text of a table in UTF-8, without the mark of the encoding and without Excel's line ``sep=``; its delimiter."""

    content: bytes
    delimiter: str


def text_of(content: bytes, name: str, limits: Limits) -> Text:
    r"""Return the text of a table and the separator of its cells; an Excel workbook is converted.

    Parameters
    ----------
    content
        Bytes of the file.
    name, limits
        Name of the file for messages, and bounds, for workbooks.

    Raises
    ------
    ReadError
        For a workbook that cannot be read.

    Examples
    --------
    >>> from evaluation.readers.limits import DEFAULT
    >>> text_of(b"sep=;\r\ncase;score\r\n", "a.csv", DEFAULT)
    Text(content=b'case;score\r\n', delimiter=';')
    """
    if content.startswith(SIGNATURE):
        target = io.StringIO(newline="")
        csv.writer(target, lineterminator="\n").writerows(rows_of(content, name, limits))
        return Text(target.getvalue().encode(), ",")
    content = content.removeprefix(_MARK)
    if match := _SEPARATOR_LINE.match(content):
        return Text(content[match.end() :].removeprefix(_MARK), match[1].decode())
    return Text(content, delimiter_of(content.lstrip().partition(b"\n")[0]))


def delimiter_of(header: bytes) -> str:
    """Return the separator of the cells of a header; quoted text does not count.

    Examples
    --------
    >>> delimiter_of(b'case;"a,b";c'), delimiter_of(b"case")
    (';', ',')
    """
    bare = b"".join(header.split(b'"')[::2])
    return max(DELIMITERS, key=lambda delimiter: bare.count(delimiter.encode()))
