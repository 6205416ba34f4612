"""Predictions that are one table for all cases: found in the archive, read and judged case by case, in confined children.

A row that cannot be taken costs its case only, and everything is told at once. Whether a score that a metric needs is there
is a matter of the whole table: without it the archive is not taken.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from confinement import archive
from confinement.archive import Member
from confinement.limits import ArchiveLimits, TableLimits
from evaluation.readers import ReadError
from evaluation.readers.limits import Limits
from evaluation.readers.object_tables import ObjectTable, read_objects
from evaluation.readers.tables import PredictedLabels, read_predicted_labels
from submissions.domain.matching import EXTRAS_SHOWN, guess, is_nested_archive
from submissions.domain.report import Extra, Finding, Report, Status
from test_sets.queries.expectation import Expectation, ExpectedTable

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
        if table.problem == "image_classification":
            report = _judge_labels(read_labels(target, wanted), wanted, member.path)
        else:
            report = _judge_objects(read_object_table(target, wanted), wanted, member.path)
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


def read_labels(path: Path, wanted: Expectation) -> PredictedLabels:
    """Read a table of labels for the expected cases, ascending.

    Raises
    ------
    ReadError
        When the table cannot be taken as a whole.
    """
    table = _table(wanted)
    answers = read_predicted_labels(
        path,
        sorted(wanted.names),
        table.classes,
        named=len(wanted.names),
        limits=_limits(rows=2 * len(wanted.names) + 1000),
    )
    if answers.scores is None and table.need_scores:
        raise ReadError("table", path.name, f"no columns p_<class>, which {', '.join(table.need_scores)} need")
    return answers


def read_object_table(path: Path, wanted: Expectation) -> ObjectTable:
    """Read a table of objects.

    Raises
    ------
    ReadError
        When the table cannot be taken as a whole.
    """
    table = _table(wanted)
    found = read_objects(path, scored=True, by_case=True, limits=_limits(rows=TableLimits().rows))
    if not found.objects and not found.invalid:
        raise ReadError("table", path.name, "no object in any case", "at least one row")
    if found.kind != table.kind:
        given, known = (f"{name} with {axes} axes" for name, axes in (found.kind, table.kind))
        raise ReadError("table", path.name, given, known)
    if table.need_scores and any(objects.scores is None for objects in found.objects.values()):
        raise ReadError("table", path.name, f"objects without a score, which {', '.join(table.need_scores)} need")
    named = {str(name) for objects in found.objects.values() for name in set(objects.classes.tolist())}
    strange = sorted(named - set(table.classes))
    if strange:
        raise ReadError("table", path.name, f"the class {strange[0][:40]!r}, which the task does not know")
    return found


def too_many(found: ObjectTable, case: str) -> int:
    """How many objects a case has if they are more than are taken, else 0."""
    number = found.objects[case].size if case in found.objects else 0
    return number if number > TableLimits().objects_of_case else 0


def _table(wanted: Expectation) -> ExpectedTable:
    if wanted.table is None:
        raise ValueError("This phase expects label images.")
    return wanted.table


def _limits(*, rows: int) -> Limits:
    return Limits(table_rows=min(rows, TableLimits().rows), table_bytes=TableLimits().bytes)


def _the_table(files: Sequence[Member], table: ExpectedTable) -> tuple[Member, list[Member]]:
    """The one file that is the table, and the others.

    Raises
    ------
    ArchiveError
        When there is none, or several.
    """
    found = [member for member in files if member.name.lower() in table.files]
    if len(found) > 1:
        names = ", ".join(member.path for member in found[:_NAMES_SHOWN])
        raise archive.ArchiveError(f"The archive has {len(found)} tables: {names}. Keep one.")
    if found:
        return found[0], [member for member in files if member is not found[0]]
    endings = tuple(PurePosixPath(name).suffix for name in table.files)
    meant = next((member.path for member in files if member.name.lower().endswith(endings)), None)
    remedy = f"Rename {meant} to it." if meant else "Pack it into the archive."
    raise archive.ArchiveError(f"There is no {' or '.join(table.files)} in the archive. {remedy}")


def _judge_labels(answers: PredictedLabels, wanted: Expectation, file: str) -> Report:
    name = PurePosixPath(file).name
    report = Report(inspected=True)
    missing = set(answers.absent)
    meant = guess(
        {row: row for row in answers.unexpected[:EXTRAS_SHOWN]}, [case for case in wanted.names if case in missing]
    )
    for case in wanted.names:
        if case in answers.invalid:
            issue = answers.invalid[case]
            report.findings[case] = Finding(
                case, Status.INVALID, "table", file, issue.message, _remedy_of_label(issue.message, wanted)
            )
        elif case in missing:
            report.findings[case] = _missing_row(case, meant.get(case), name)
        else:
            report.findings[case] = Finding(case, Status.VALID, file=file)
            report.members[case] = file
    intended = {row: case for case, row in meant.items()}
    report.extra = [_extra_row(row, name, intended) for row in answers.unexpected[:EXTRAS_SHOWN]]
    report.extra_total = len(answers.unexpected)
    return report


def _judge_objects(found: ObjectTable, wanted: Expectation, file: str) -> Report:
    name = PurePosixPath(file).name
    report = Report(inspected=True)
    known, named = set(wanted.names), set(found.cases)
    strange = [case for case in found.cases if case not in known]
    meant = guess({case: case for case in strange[:EXTRAS_SHOWN]}, [case for case in wanted.names if case not in named])
    for case in wanted.names:
        if case in found.invalid:
            issue = found.invalid[case]
            report.findings[case] = Finding(
                case, Status.INVALID, "table", file, issue.message, "Correct the row and upload the table again."
            )
        elif number := too_many(found, case):
            report.findings[case] = Finding(
                case,
                Status.INVALID,
                "too_many",
                file,
                f"{name}: case {case}: {number:,} objects; at most {TableLimits().objects_of_case:,} are taken",
                "Keep those with the highest scores.",
            )
        elif case in meant:
            report.findings[case] = _missing_row(case, meant[case], name)
        else:
            # No row is an answer: that nothing was found.
            nothing = "" if case in found.objects else "no object predicted"
            report.findings[case] = Finding(case, Status.VALID, file=file, message=nothing)
            report.members[case] = file
    intended = {row: case for case, row in meant.items()}
    report.extra = [_extra_row(row, name, intended) for row in strange[:EXTRAS_SHOWN]]
    report.extra_total = len(strange)
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
    shown = f"{name}: case {case[:80]}"
    return Extra(shown, f"meant for {intended[case]}?" if case in intended else "no case of this name; ignored")


def _remedy_of_label(message: str, wanted: Expectation) -> str:
    if "more than one row" in message:
        return "Keep one row for each case."
    if "the label" in message:
        return f"Use one of the classes {_classes(_table(wanted))}."
    if "sum to 1" in message:
        return "Give probabilities of all classes that sum to 1."
    return "Give a number from 0 to 1 for every class."


def _whole(error: ReadError, table: ExpectedTable) -> str:
    """What is wrong with a table as a whole, with the classes of the task where those may help."""
    told = f"{error.message}. "
    if "class" in error.message or "score" in error.message:
        return f"{told}The classes are {_classes(table)}; the columns are {', '.join(table.columns[:_CLASSES_SHOWN])}."
    return f"{told}{error.remedy}"


def _classes(table: ExpectedTable) -> str:
    more = ", …" if len(table.classes) > _CLASSES_SHOWN else ""
    return ", ".join(table.classes[:_CLASSES_SHOWN]) + more


def _hint(member: Member, table: ExpectedTable) -> str:
    if is_nested_archive(member.name):
        return "an archive inside the archive is not opened; pack its files directly"
    return f"only {' or '.join(table.files)} is read; ignored"


@dataclass
class OpenTable:
    """The table of a submission as a child has read it: the first case that is asked for reads it, the others find it."""

    path: Path
    member: str
    wanted: Expectation
    labels: PredictedLabels | None = None
    objects: ObjectTable | None = None

    def read(self, folder: Path) -> "OpenTable":
        """Read it unless that has been done in this process."""
        table = _table(self.wanted)
        if self.labels is None and self.objects is None:
            target = extract(self.path, self.member, table, folder)
            if table.problem == "image_classification":
                self.labels = read_labels(target, self.wanted)
            else:
                self.objects = read_object_table(target, self.wanted)
            target.unlink(missing_ok=True)
        return self
