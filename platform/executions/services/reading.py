"""Reading what a container wrote, in a confined child, as scoring will read it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from confinement.containers.batches import BatchReport, Taken
from confinement.sandbox import Failure, answers
from datastore.test_sets.models import TestCase
from datastore.uploads.storage import child_limits
from evaluation.assessment import Assessment
from evaluation.problems.case_tables import CaseTable
from evaluation.problems.files import file_problem
from evaluation.readers import Limits, ReadError
from evaluation.running.outcomes import Files
from executions.domain.plans import Sockets

Judged = dict[str, tuple[Files, str]]
Written = dict[str, dict[str, Path]]
"""Case → file of each of its outputs, by the name of its submission.

The name is that of the table, otherwise empty.
"""
FILE = ""
_FAILURES = {
    Failure.TIME: "reading it took longer than is allowed",
    Failure.MEMORY: "reading it needs more memory than is allowed",
    Failure.SPACE: "reading it wrote more to the disk than any file of a case needs",
    Failure.CRASH: "the reader broke off at it",
}


def judged(
    assessment: Assessment,
    sockets: Sockets,
    cases: Sequence[TestCase],
    names: Mapping[str, str],
    report: BatchReport,
    beat: Callable[[], None],
) -> tuple[Written, Judged]:
    """Return the files of each case that has them, and the verdict on them with its reason.

    Parameters
    ----------
    names
        Names under which the container saw the cases.
    """
    places = _places(sockets)
    written: Written = {}
    verdicts: Judged = {}
    for case in cases:
        files, verdict = _taken(sockets, report, names[case.name], places)
        if verdict is None:
            written[case.name] = files
        else:
            verdicts[case.name] = verdict
    facts = {case.name: case.geometry or {} for case in cases}
    verdicts |= _read(assessment, sockets, written, names, facts, beat)
    return written, {case.name: verdicts[case.name] for case in cases}


def _places(sockets: Sockets) -> dict[str, str]:
    """Return the name under which each output is submitted, by the name of its file."""
    table = "" if sockets.table is None else sockets.table.file
    if sockets.beside is None:
        return {sockets.prediction.file: table}
    return {sockets.prediction.file: FILE, sockets.beside.file: table}


def _taken(
    sockets: Sockets, report: BatchReport, name: str, places: Mapping[str, str]
) -> tuple[dict[str, Path], tuple[Files, str] | None]:
    """Files of a case that are there; or why it has none that can be read."""
    files: dict[str, Path] = {}
    absent = False
    for socket in sockets.outputs:
        collected = report.files.get(name, {}).get(socket.file)
        if collected is None or collected.taken is Taken.ABSENT:
            absent |= socket.required
        elif collected.taken is Taken.REFUSED or collected.path is None:
            return {}, (Files.BAD, collected.reason)
        else:
            files[places[socket.file]] = collected.path
    return ({}, (Files.NONE, "")) if absent else (files, None)


def _read(
    assessment: Assessment,
    sockets: Sockets,
    written: Written,
    names: Mapping[str, str],
    facts: Mapping[str, Mapping[str, Any]],
    beat: Callable[[], None],
) -> Judged:
    if not written:
        return {}
    is_rows = sockets.table is not None and sockets.beside is None
    check = _table_check(sockets.table) if is_rows else _file_check(assessment, sockets.table)

    def work(name: str, folder: Path) -> str:
        # By the name that the container saw: what it is told of a file may be shown to whoever wrote it.
        return check(names[name], written[name], facts[name], folder)

    verdicts: Judged = {}
    folders = sorted({path.parent for files in written.values() for path in files.values()})
    for answer in answers(list(written), work, limits=child_limits(), reads=folders, beat=beat):
        first = next(iter(written[answer.item].values()))
        if answer.failure is not None or not isinstance(answer.value, str):
            words = _FAILURES.get(answer.failure or Failure.CRASH, "it cannot be read")
            verdicts[answer.item] = (Files.BAD, f"{first.name}: {words}")
        elif answer.value:
            verdicts[answer.item] = (Files.BAD, answer.value[:500])
        else:
            verdicts[answer.item] = (Files.VALID, "")
    return verdicts


Check = Callable[[str, Mapping[str, Path], Mapping[str, Any], Path], str]
"""Function that returns why the files of a case are not acceptable, or an empty text if they are."""


def _file_check(assessment: Assessment, table: CaseTable | None) -> Check:
    problem = file_problem(assessment.problem)
    expected = problem.expected(assessment)

    def check(name: str, files: Mapping[str, Path], facts: Mapping[str, Any], folder: Path) -> str:
        limit = problem.byte_limit(facts)
        path = files[FILE]
        if path.stat().st_size > limit:
            return f"{path.name}: the file is larger than any prediction of this case"
        try:
            problem.read_prediction(path, facts, expected, limits=Limits(decoded_bytes=limit))
        except ReadError as error:
            return error.message
        if table is None or table.file not in files:
            return ""
        return table.judge(name, files[table.file], folder)

    return check


def _table_check(table: CaseTable | None) -> Check:
    if table is None:
        raise ValueError("no table of predictions")

    def check(name: str, files: Mapping[str, Path], _facts: Mapping[str, Any], folder: Path) -> str:
        [path] = files.values()
        return table.judge(name, path, folder)

    return check
