"""Prediction tables for all cases, extracted from the archive and checked in confined child processes.

Each case is checked separately. An invalid row invalidates only its case, and all problems are reported together.
Scores that a metric needs are a requirement for the whole table: without them, the archive is rejected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from confinement import archive
from confinement.archive import Member, is_nested_archive
from confinement.limits import ArchiveLimits, TableLimits
from datastore.test_sets.queries.test_sets import Expectation
from evaluation.problems.tables import ExpectedTable, PredictionTable, some_classes, table_problem
from evaluation.readers import ReadError
from evaluation.readers.limits import Limits
from executions.scoring.domain.matching import EXTRAS_SHOWN, guess
from executions.scoring.domain.report import Extra, Finding, Report, Status

_TOO_LARGE = "more than a table of these cases needs. Pack the table only."
_CLASSES_SHOWN = 12
_NAMES_SHOWN = 5


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
    except ReadError as error:
        return Report(problem=_whole(error, table), inspected=True).document()
    finally:
        target.unlink(missing_ok=True)
    report.extra = ([Extra(other.path, _hint(other, table)) for other in others] + report.extra)[:EXTRAS_SHOWN]
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
    named = folder / PurePosixPath(member).name.lower()
    archive.extract(path, member, target, limit=TableLimits().bytes, remedy=_TOO_LARGE)
    return target.rename(named if named.name in table.files else target)


def read(path: Path, wanted: Expectation) -> PredictionTable:
    """Read a table for the expected cases.

    Raises
    ------
    ReadError
        When the table cannot be taken as a whole.
    """
    table, limits = _table(wanted), TableLimits()
    problem = table_problem(table.problem)
    predictions = problem.read_predictions(
        path,
        wanted.names,
        table.reading,
        every_reason=True,
        most_of_case=limits.objects_of_case,
        limits=Limits(
            table_rows=min(problem.most_rows(len(wanted.names), limits.rows), limits.rows), table_bytes=limits.bytes
        ),
    )
    problem.check_predictions(predictions, path, table)
    return predictions


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
    tables = [member for member in files if member.name.lower() in table.files]
    if len(tables) > 1:
        names = ", ".join(member.path for member in tables[:_NAMES_SHOWN])
        raise archive.ArchiveError(f"The archive has {len(tables)} tables: {names}. Keep one.")
    if tables:
        return tables[0], [member for member in files if member is not tables[0]]
    endings = tuple(PurePosixPath(name).suffix for name in table.files)
    meant = next((member.path for member in files if member.name.lower().endswith(endings)), None)
    remedy = f"Rename {meant} to it." if meant else "Pack it into the archive."
    raise archive.ArchiveError(f"There is no {' or '.join(table.files)} in the archive. {remedy}")


def _judge(predictions: PredictionTable, wanted: Expectation, file: str) -> Report:
    name = PurePosixPath(file).name
    report = Report(inspected=True)
    strange = list(predictions.strange[:EXTRAS_SHOWN])
    meant = guess({row: row for row in strange}, [case for case in wanted.names if case in predictions.absent])
    for case in wanted.names:
        if (issue := predictions.issue(case)) is not None:
            report.findings[case] = Finding(case, Status.INVALID, issue.kind, file, issue.message, issue.remedy)
        elif case in predictions.absent and (case in meant or not predictions.without_row):
            report.findings[case] = _missing_row(case, meant.get(case), name)
        else:
            report.findings[case] = Finding(case, Status.VALID, file=file, message=predictions.remark(case))
            report.members[case] = file
    intended = {row: case for case, row in meant.items()}
    report.extra = [_extra_row(row, name, intended) for row in strange]
    report.extra_total = len(predictions.strange)
    return report


def _missing_row(case: str, meant: str | None, name: str) -> Finding:
    if meant:
        return Finding(
            case,
            Status.MISSING,
            kind="misnamed",
            file=name,
            message=f"{name} has no row for {case}; its case {meant} looks as if it were meant",
            remedy=f"Rename {meant} to {case} in the table.",
        )
    return Finding(
        case,
        Status.MISSING,
        kind="not_found",
        file=name,
        message=f"{name} has no row for {case}",
        remedy=f"Add a row for {case}.",
    )


def _extra_row(case: str, name: str, intended: Mapping[str, str]) -> Extra:
    row_label = f"{name}: case {case[:80]}"
    return Extra(row_label, f"meant for {intended[case]}?" if case in intended else "no case of this name; ignored")


def _whole(error: ReadError, table: ExpectedTable) -> str:
    """Return the problem with a table as a whole.

    The text lists the classes of the task if they can help.
    """
    sentence = f"{error.message}. "
    if "class" in error.message or "score" in error.message:
        return f"{sentence}The classes are {some_classes(table.classes)}; the columns are {', '.join(table.columns[:_CLASSES_SHOWN])}."
    return f"{sentence}{error.remedy}"


def _hint(member: Member, table: ExpectedTable) -> str:
    if is_nested_archive(member.name):
        return "an archive inside the archive is not opened; pack its files directly"
    return f"only {' or '.join(table.files)} is read; ignored"


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
