"""Tables as CSV text that spreadsheets open without harm."""

import csv
import io
from collections.abc import Iterable, Sequence


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Write a table.

    Examples
    --------
    >>> csv_text(["case", "site"], [["a", "=1+1"], ["b", None]])
    "case,site\na,'=1+1\nb,\n"
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return text.getvalue()


def _cell(value: object) -> str:
    """A value that no spreadsheet takes for a formula."""
    if value is None:
        return ""
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return f"'{text}" if isinstance(value, str) and text[:1] in "=+-@\t\r" and text else text
