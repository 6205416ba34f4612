"""Tables as CSV that spreadsheets open without harm."""

import csv
import io
from collections.abc import Iterable, Sequence

from django.http import HttpResponse

FORMULA = ("=", "+", "-", "@", "\t", "\r")


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
        writer.writerow([harmless(value) for value in row])
    return text.getvalue()


def csv_file(name: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> HttpResponse:
    """Answer with a table as a file of that name."""
    response = HttpResponse(csv_text(head, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def harmless(value: object) -> str:
    """Write a value so that no spreadsheet takes it for a formula; numbers keep their sign.

    Examples
    --------
    >>> harmless("-1+2"), harmless(-1.5), harmless(None), harmless(["a", "b"])
    ("'-1+2", '-1.5', '', 'a; b')
    """
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        value = "; ".join(map(str, value))
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    defused = f"'{text}" if isinstance(value, str) and text.startswith(FORMULA) else text
    # A bare carriage return is not quoted by the writer, and would begin a row of its own.
    return defused.replace("\r\n", "\n").replace("\r", "\n")
