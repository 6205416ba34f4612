"""Table with the rows of all cases, submitted in place of one table per case."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Final

from evaluation.readers.cells import read_table
from evaluation.readers.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

CASE: Final = "case"


def split_table(
    path: Path, cases: Collection[str], folder: Path, *, limits: Limits = DEFAULT
) -> tuple[dict[str, Path], list[str]]:
    """Write the rows of each expected case into a table of its own, without the column of the case.

    Cells are copied as they are, so that the reader of a case reports them.

    Returns
    -------
    tuple
        The tables by case, and the names of cases that are not expected, in the order of the table.

    Raises
    ------
    ReadError
        If the table cannot be read.
    """
    table = read_table(path, (CASE,), limits=limits)
    columns = [name for name in table.columns if name != CASE]
    expected, unexpected = set(cases), dict[str, None]()
    rows: dict[str, list[tuple[str, ...]]] = {}
    for case, *cells in zip(table.text(CASE), *(table.columns[name] for name in columns), strict=True):
        if case in expected:
            rows.setdefault(case, []).append(tuple(cells))
        else:
            unexpected[case] = None
    files = {}
    for case, of_case in rows.items():
        files[case] = folder / f"{case}.csv"
        with files[case].open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([columns, *of_case])
    return files, list(unexpected)
