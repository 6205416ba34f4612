"""Folders of references and predictions: which file is which case, and what is known of the cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.readers import ReadError, case_name
from evaluation.readers.cells import read_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CASES_FILE = "cases.csv"


def find_cases(folder: Path) -> dict[str, Path]:
    """Find the label images of a folder, by case, sorted.

    Raises
    ------
    ReadError
        If the folder is not there, or two files claim one case.
    """
    if not folder.is_dir():
        raise ReadError("not_found", folder.name or str(folder), "there is no such folder")
    cases: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        known = case_name(path)
        if known is None or path.name.startswith(".") or not path.is_file():
            continue
        if known[0] in cases:
            raise ReadError("table", path.name, f"a second file for the case {known[0]}", "one file a case")
        cases[known[0]] = path
    return cases


def patients_of(references: Path, cases: Sequence[str]) -> dict[str, str] | None:
    """Patient of each case, if ``cases.csv`` beside the references tells."""
    path = references / CASES_FILE
    if not path.is_file():
        return None
    table = read_table(path, ("case",))
    if "patient" not in table:
        return None
    known = dict(zip(table.text("case"), table.columns["patient"], strict=True))
    return {case: known.get(case, case) for case in cases}
