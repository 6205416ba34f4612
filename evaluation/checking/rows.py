"""Judgement of the one table of all cases: which file it is, and what each case and each row is worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, Protocol

from evaluation.checking.naming import NESTED, bare_name, guess, is_table_name
from evaluation.checking.sentences import finding, of_issue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.checking.findings import Finding
    from evaluation.readers import Issue

_NAMES_SHOWN: Final = 5
_CASE_SHOWN: Final = 80


@dataclass
class JudgedRows:
    """Findings about the cases and rows of a table.

    Attributes
    ----------
    findings
        Reason why a case has no valid row, by case.
    remarks
        Remark on an accepted case, by case; only those that have one.
    extra
        Note on each case of the table that is not expected, by name.
    """

    findings: dict[str, Finding] = field(default_factory=dict)
    remarks: dict[str, str] = field(default_factory=dict)
    extra: dict[str, Finding] = field(default_factory=dict)


class Rows(Protocol):
    """Table of predictions, as far as it is judged; see `evaluation.problems.tables.PredictionTable`."""

    @property
    def absent(self) -> frozenset[str]:
        """Expected cases without a row."""

    @property
    def strange(self) -> Sequence[str]:
        """Unexpected cases of the table."""

    @property
    def without_row(self) -> str:
        """Remark on a case without a row, where a missing row is an answer; otherwise empty."""

    def issue(self, case: str) -> Issue | None:
        """Return the reason why the rows of a case are invalid."""

    def remark(self, case: str) -> str:
        """Return the remark on an accepted case."""


def judge_rows(predictions: Rows, cases: Sequence[str], file: str) -> JudgedRows:
    """Judge every expected case of a table, and the cases that are not expected.

    Parameters
    ----------
    predictions
        The table as its kind of problem reads it.
    cases
        The expected cases.
    file
        Name of the table, for messages.
    """
    name = bare_name(file)
    judged = JudgedRows()
    strange = list(predictions.strange)
    meant = guess({row: row for row in strange}, [case for case in cases if case in predictions.absent])
    for case in cases:
        if (issue := predictions.issue(case)) is not None:
            judged.findings[case] = of_issue(issue, case=case, file=file)
        elif case in predictions.absent and (case in meant or not predictions.without_row):
            found_id = "row_misnamed" if case in meant else "row_missing"
            judged.findings[case] = finding(found_id, file=name, case=case, value=meant.get(case, ""))
        elif remark := predictions.remark(case):
            judged.remarks[case] = remark
    intended = {row: case for case, row in meant.items()}
    for row in strange:
        if row in intended:
            judged.extra[row] = finding("row_intended", case=intended[row], value=row)
        else:
            judged.extra[row] = finding("row_of_no_case", value=row)
    return judged


def row_label(file: str, case: str) -> str:
    """Name of a row of a table in a list of files.

    Examples
    --------
    >>> row_label("out/labels.csv", "p1")
    'labels.csv: case p1'
    """
    return f"{bare_name(file)}: case {case[:_CASE_SHOWN]}"


def the_table(paths: Sequence[str], file_names: Sequence[str]) -> str | Finding:
    """Return the path of the one table among files, or the reason why there is none.

    Parameters
    ----------
    paths
        Files of a folder or archive.
    file_names
        Permitted names of the table.
    """
    tables = [path for path in paths if is_table_name(path, file_names)]
    if len(tables) > 1:
        return finding("table_duplicate", count=len(tables), files=", ".join(tables[:_NAMES_SHOWN]))
    if tables:
        return tables[0]
    endings = tuple({PurePosixPath(name).suffix for name in file_names} | {".xlsx"})
    meant = next((path for path in paths if path.lower().endswith(endings)), "")
    files = " or ".join(file_names)
    if meant:
        return finding("table_misnamed", files=files, file=bare_name(meant))
    return finding("table_missing", files=files)


def note_beside_table(path: str, file_names: Sequence[str]) -> Finding:
    """Return the note on a file that is not the table."""
    if bare_name(path).lower().endswith(NESTED):
        return finding("file_nested", file=path)
    return finding("table_not_read", files=" or ".join(file_names), file=path)
