"""Prediction tables for all cases, extracted from the archive and checked in confined child processes.

Each case is checked separately. An invalid row invalidates only its case, and all problems are reported together.
Scores that a metric needs are a requirement for the whole table: without them, the archive is rejected.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from confinement import archive
from confinement.archive import Member
from confinement.limits import ArchiveLimits, TableLimits
from evaluation.admission import Expectation, read_table
from evaluation.admission.predictions import RowLimits
from evaluation.checking.naming import bare_name
from evaluation.checking.rows import judge_rows, note_beside_table, row_label, the_table
from evaluation.problems.tables import ExpectedTable, PredictionTable, table_issue
from evaluation.readers import ReadError
from executions.scoring.domain.matching import EXTRAS_SHOWN, reported
from executions.scoring.domain.report import Extra, Finding, Report, Status

_TOO_LARGE = "more than a table of these cases needs. Pack the table only."


def inspect(path: Path, wanted: Expectation, limits: ArchiveLimits, folder: Path) -> dict[str, Any]:
    """Judge an archive that holds a table: find it, read it as scoring will, and judge every case; a report document."""
    table = wanted.table
    if table is None:
        raise ValueError("This phase expects label images.")
    try:
        files = archive.members(path, limits)
        member, others = _the_table(files, table)
        target = extract(path, member.path, table, folder)
    except archive.ArchiveError as error:
        return Report(problem=str(error), inspected=True, is_charged=error.is_charged).document()
    try:
        report = _judge(read(target, wanted), wanted, member.path)
        report.fingerprint = hashlib.sha256(target.read_bytes()).hexdigest()
    except ReadError as error:
        issue = table_issue(error, table)
        return Report(problem=f"{issue.message}. {issue.remedy}", inspected=True).document()
    finally:
        target.unlink(missing_ok=True)
    report.extra = (
        [Extra(other.path, note_beside_table(other.path, table.files).reason) for other in others] + report.extra
    )[:EXTRAS_SHOWN]
    report.extra_total += len(others)
    return report.document()


def extract(path: Path, member: str, table: ExpectedTable, folder: Path) -> Path:
    """Write the table of an archive to a folder.

    Raises
    ------
    ArchiveError
        When it is damaged or larger than any table may be.
    """
    # Of the two names that are taken, the ending decides how the file is read.
    target = folder / f"table{PurePosixPath(member).suffix.lower()}"
    named = folder / bare_name(member).lower()
    archive.extract(path, member, target, limit=TableLimits().bytes, remedy=_TOO_LARGE)
    return target.rename(named if named.name in table.files else target)


def read(path: Path, wanted: Expectation) -> PredictionTable:
    """Read a table for the expected cases.

    Raises
    ------
    ReadError
        When the table cannot be taken as a whole.
    """
    limits = TableLimits()
    return read_table(path, wanted, RowLimits(limits.rows, limits.objects_of_case, limits.bytes))


def _table(wanted: Expectation) -> ExpectedTable:
    if wanted.table is None:
        raise ValueError("This phase expects label images.")
    return wanted.table


def _the_table(files: Sequence[Member], table: ExpectedTable) -> tuple[Member, list[Member]]:
    """The one file that is the table, and the others.

    Raises
    ------
    ArchiveError
        When there is none, or several.
    """
    path = the_table([member.path for member in files], table.files)
    if not isinstance(path, str):
        raise archive.ArchiveError(path.sentence)
    [member] = [member for member in files if member.path == path]
    return member, [other for other in files if other is not member]


def _judge(predictions: PredictionTable, wanted: Expectation, file: str) -> Report:
    judged = judge_rows(predictions, wanted.names, file)
    report = Report(inspected=True)
    for case in wanted.names:
        if case in judged.findings:
            report.findings[case] = reported(judged.findings[case])
        else:
            report.findings[case] = Finding(case, Status.VALID, file=file, message=judged.remarks.get(case, ""))
            report.members[case] = file
    report.extra = [Extra(row_label(file, row), note.reason) for row, note in list(judged.extra.items())[:EXTRAS_SHOWN]]
    report.extra_total = len(judged.extra)
    report.questions = list(predictions.findings(bare_name(file)))
    return report


@dataclass
class OpenTable:
    """The table of a submission as read in a child process.

    The table is read for the first requested case and reused for the others.
    """

    path: Path
    member: str
    wanted: Expectation
    rows: PredictionTable | None = None

    def read(self, folder: Path) -> PredictionTable:
        """Read it unless that has been done in this process."""
        if self.rows is None:
            target = extract(self.path, self.member, _table(self.wanted), folder)
            # That a table without rows is meant was decided when it was taken.
            self.rows = read(target, self.wanted.found_empty())
            target.unlink(missing_ok=True)
        return self.rows
