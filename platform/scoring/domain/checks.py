"""What a confined child does with a participant's archive during validation; returns plain JSON values."""

from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Any

from confinement import archive
from confinement.limits import ArchiveLimits
from confinement.sandbox import Answer, Failure
from evaluation.problems.files import file_problem
from evaluation.readers import Limits, ReadError
from scoring.domain import prediction_tables, tables_beside
from scoring.domain.matching import match
from scoring.domain.report import Finding, Report, Status
from scoring.domain.tables_beside import OpenTableBeside
from test_sets.queries.expectation import Expectation, ExpectedCase


def inspect(path: Path, expectation: Expectation, limits: ArchiveLimits, folder: Path) -> dict[str, Any]:
    """Judge the archive as a whole and assign its files to the expected cases; returns a report document.

    A table of predictions is judged to the end at once, in `folder`.
    """
    if expectation.table is not None:
        return prediction_tables.inspect(path, expectation, limits, folder)
    rules = expectation.beside
    try:
        files = archive.members(path, limits)
        table, files = ("", files) if rules is None else tables_beside.set_apart(files, rules)
        rows = tables_beside.extract(path, table, rules, folder) if rules is not None and table else None
    except archive.ArchiveError as error:
        return Report(problem=str(error), inspected=True, is_charged=error.is_charged).document()
    except ReadError as error:
        return Report(problem=f"{error.message}. {error.remedy}", inspected=True).document()
    report = match(files, expectation.names, expectation.suffixes, words=file_problem(expectation.problem).file_words)
    report.table = table
    if rows is not None:
        tables_beside.judge(rows, report, PurePosixPath(table).name)
    return report.document()


def check(
    path: Path,
    member: str,
    case: ExpectedCase,
    wanted: Expectation,
    folder: Path,
    *,
    beside: OpenTableBeside | None = None,
) -> dict[str, Any]:
    """Read one prediction as scoring will read it; returns a finding as JSON."""
    target = folder / PurePosixPath(member).name
    try:
        archive.extract(path, member, target, limit=case.byte_limit)
    except archive.ArchiveError as error:
        message, _, remedy = str(error).partition(". ")
        return asdict(Finding(case.name, Status.INVALID, "damaged", member, message, remedy))
    try:
        limits = Limits(decoded_bytes=case.byte_limit)
        problem = file_problem(wanted.problem)
        content = problem.read_prediction(target, case.facts, wanted.expected, limits=limits)
    except ReadError as error:
        return asdict(Finding(case.name, Status.INVALID, error.kind, member, error.message, error.remedy))
    finally:
        target.unlink(missing_ok=True)
    if beside is None:
        return asdict(Finding(case.name, Status.VALID, file=member))
    return asdict(beside.finding(problem, content, case.name, member, folder))


def finding_of(answer: Answer, member: str) -> Finding:
    """Turn a child's answer into a finding, also when the child died on the file."""
    if answer.failure is None and isinstance(answer.value, dict):
        try:
            finding = Finding(**{**answer.value, "status": Status(answer.value["status"])})
        except (TypeError, ValueError, KeyError):
            finding = None
        if finding is not None and finding.case == answer.item:
            return finding
    message, remedy = explain(answer.failure or Failure.CRASH, PurePosixPath(member).name)
    return Finding(answer.item, Status.INVALID, str(answer.failure or Failure.CRASH), member, message, remedy)


def explain(failure: Failure, file: str) -> tuple[str, str]:
    """Return what to tell a participant about a file that its reader did not survive: message and remedy."""
    messages = {
        Failure.TIME: (f"{file}: reading it took longer than is allowed", "Save it uncompressed or more simply."),
        Failure.MEMORY: (f"{file}: reading it needs more memory than is allowed", "Save it with a smaller data type."),
        Failure.SPACE: (
            f"{file}: reading it wrote more to the disk than any file of a case needs",
            "Write the file again with a common library.",
        ),
        Failure.CRASH: (f"{file}: the reader broke off at it", "Write the file again with a common library."),
    }
    return messages[failure]
