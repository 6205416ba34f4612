"""Reading and checking an archive of predictions against a test set: what confined children do with it, and what comes of it."""

import errno
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from django.conf import settings

from confinement import archive
from confinement.limits import MIB, ArchiveLimits, ChildLimits
from confinement.sandbox import Answer, Failure, answers
from datastore.test_sets.queries.test_sets import needed_bytes
from datastore.uploads.storage import child_limits, free_bytes, store_file, working_folder
from evaluation.admission import Expectation, ExpectedCase, read_case
from evaluation.checking.naming import bare_name
from evaluation.problems.files import FILE_PATTERN, file_problem
from evaluation.readers import ReadError
from executions.scoring.domain import joint_tables, prediction_tables, several_files, tables_beside
from executions.scoring.domain.matching import EXTRAS_SHOWN, match
from executions.scoring.domain.report import Extra, Finding, Report, Status
from executions.scoring.domain.tables_beside import OpenTableBeside

ORDINARY_RATIO = 4
"""Usual ratio of unpacked to packed size of archives of label images."""


def judge(
    path: Path,
    expectation: Expectation,
    limits: ArchiveLimits,
    folder: Path,
    *,
    extra: Sequence[Extra] = (),
) -> dict[str, Any]:
    """Judge the archive as a whole and assign its files to the expected cases; returns a report document.

    A table of predictions is judged to the end at once, in `folder`. `extra` lists content that was ignored before.
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
    problem = file_problem(expectation.problem)
    report = match(
        files,
        expectation.names,
        expectation.suffixes,
        words=problem.texts.file_noun,
        pattern=str(expectation.expected.get(FILE_PATTERN, "")),
        ending=problem.usual_ending([case.facts for case in expectation.cases]),
    )
    report.table = table
    if rows is not None:
        tables_beside.judge(rows, report, bare_name(table))
    report.extra = [*extra, *report.extra][:EXTRAS_SHOWN]
    report.extra_total += len(extra)
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
    target = folder / bare_name(member)
    try:
        archive.extract(path, member, target, limit=case.byte_limit)
    except archive.ArchiveError as error:
        message, _, remedy = str(error).partition(". ")
        return asdict(Finding(case.name, Status.INVALID, "damaged", member, message, remedy))
    try:
        problem = file_problem(wanted.problem)
        content = read_case(target, case, wanted)
    except ReadError as error:
        return asdict(Finding(case.name, Status.INVALID, error.kind, member, error.message, error.remedy))
    finally:
        target.unlink(missing_ok=True)
    opened = beside or OpenTableBeside(path, "", None)
    finding, unused = opened.finding(problem, content, case.name, member, folder)
    return asdict(finding) | {"features": problem.plausibility.features(content) | unused}


def finding_of(answer: Answer, member: str) -> Finding:
    """Turn a child's answer into a finding, also when the child died on the file."""
    if answer.failure is None and isinstance(answer.value, dict):
        try:
            fields = {name: value for name, value in answer.value.items() if name != "features"}
            finding = Finding(**{**fields, "status": Status(fields["status"])})
        except (TypeError, ValueError, KeyError):
            finding = None
        if finding is not None and finding.case == answer.item:
            return finding
    message, remedy = explain(answer.failure or Failure.CRASH, bare_name(member))
    return Finding(answer.item, Status.INVALID, str(answer.failure or Failure.CRASH), member, message, remedy)


def explain(failure: Failure, file: str) -> tuple[str, str]:
    """Return the message and the remedy for the participant whose file made its reader fail."""
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


@dataclass(frozen=True)
class Inspected:
    """Result of reading a whole archive.

    Attributes
    ----------
    repacked
        The name under which a zip archive of the same members was stored, if another kind of archive was
        submitted.
    log
        For organizers: what failed.
    """

    report: Report
    repacked: str = ""
    log: str = ""


@dataclass(frozen=True)
class Checked:
    """Result of checking one case; `details` are for organizers, `features` for questions about all cases."""

    case: str
    finding: Finding
    details: str = ""
    features: dict[str, Any] = field(default_factory=dict)


def inspect(path: Path, wanted: Expectation, *, repacked_name: str, beat: Callable[[], None]) -> Inspected:
    """Find the expected files in an archive; repack a tar archive as zip under `repacked_name`.

    Raises
    ------
    OSError
        When there is hardly room to unpack an ordinary archive of this size.
    """
    size = path.stat().st_size
    takes_folders = wanted.table is None and file_problem(wanted.problem).takes_folders
    limits = archive_limits(cases=len(wanted.cases), needed_bytes=needed_bytes(wanted), takes_folders=takes_folders)
    whole = limits if archive.is_zip(path) else replace(limits, room_bytes=_room(size, limits))
    room_bytes = free_bytes() - settings.PODIUM_WORK_RESERVE_BYTES
    with working_folder() as folder:
        repacked = folder / "predictions.zip"

        def work(_item: str, own_folder: Path) -> object:
            source, separated = path, folder / "separated.zip"
            try:
                if archive.is_tar(path):
                    archive.repack_tar(path, repacked, whole)
                    source = repacked
                extra = joint_tables.repack(source, wanted, limits, own_folder, separated)
                is_joined = extra is None and several_files.repack(
                    source, wanted, limits, own_folder, separated, room_bytes=room_bytes - _size(repacked)
                )
            except archive.ArchiveError as error:
                return Report(problem=str(error), inspected=True, is_charged=error.is_charged).document()
            except ReadError as error:
                return Report(problem=f"{error.message}. {error.remedy}", inspected=True).document()
            if extra is None and not is_joined:
                return judge(source, wanted, limits, own_folder)
            separated.replace(repacked)
            return judge(repacked, wanted, limits, own_folder, extra=extra or ())

        [answer] = answers(
            ["archive"], work, limits=_for_archives(size, limits), reads=[path], beat=beat, hands_over=folder
        )
        if answer.failure is not None or not isinstance(answer.value, dict):
            problem = (
                "The archive could not be read within the limits of time, memory and disk space. "
                "Pack only the predictions, with an ordinary program."
            )
            return Inspected(
                Report(problem=problem, inspected=True, is_charged=answer.failure == Failure.SPACE),
                log=f"Reading the archive failed: {answer.failure}\n{answer.details}\n",
            )
        if not repacked.exists():
            return Inspected(Report.of(answer.value))
        store_file(repacked_name, repacked)
    return Inspected(Report.of(answer.value), repacked=repacked_name)


def check_cases(
    path: Path, wanted: Expectation, report: Report, *, beat: Callable[[], None], seconds: float
) -> Iterator[Checked]:
    """Check the files of the cases that `report` has no finding for; fewer come back when `seconds` are over."""
    cases = {case.name: case for case in wanted.cases}
    waiting = [name for name in report.members if name not in report.findings]
    beside = OpenTableBeside(path, report.table, wanted.beside)

    def work(name: str, folder: Path) -> object:
        return check(path, report.members[name], cases[name], wanted, folder, beside=beside)

    for answer in answers(waiting, work, limits=child_limits(), reads=[path], beat=beat, seconds=seconds):
        details = f"{answer.item}: {answer.failure}\n{answer.details}\n" if answer.details else ""
        finding = finding_of(answer, report.members[answer.item])
        yield Checked(answer.item, finding, details, _features_of(answer, finding, wanted.problem))


def _features_of(answer: Answer, finding: Finding, problem: str) -> dict[str, Any]:
    """Features of a valid file from a child that read it, if they have the right form."""
    if finding.status != Status.VALID or not isinstance(answer.value, dict):
        return {}
    features = answer.value.get("features")
    plausibility = file_problem(problem).plausibility
    return features if isinstance(features, dict) and plausibility.are_features(features) else {}


def archive_limits(*, cases: int, needed_bytes: int, takes_folders: bool = False) -> ArchiveLimits:
    """Return the bounds on an archive of predictions for a test set.

    Parameters
    ----------
    cases
        Number of cases of the test set.
    needed_bytes
        Largest sensible number of bytes that the files of all cases unpack to.
    takes_folders
        Whether a case can be a folder of DICOM files.

    Returns
    -------
    ArchiveLimits
        With room for files that were not requested, such as probability maps next to label images.
    """
    usual = ArchiveLimits()
    total = min(usual.total_bytes, 4 * needed_bytes + 256 * MIB)
    entries = min(usual.entries, (1_000 if takes_folders else 10) * cases + 1_000)
    return replace(usual, entries=entries, total_bytes=total, entry_bytes=min(usual.entry_bytes, total))


def _room(size: int, limits: ArchiveLimits) -> int:
    """Return the number of bytes that an archive can unpack to here.

    An archive that is likely to fit later is queued, and nothing of it is written.

    Raises
    ------
    OSError
        When there is hardly room for an ordinary archive of this size.
    """
    room = free_bytes() - settings.PODIUM_WORK_RESERVE_BYTES
    if room < min(limits.total_bytes, ORDINARY_RATIO * size):
        raise OSError(errno.ENOSPC, f"{room:,} bytes of room for an archive of {size:,}")
    return room


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _for_archives(size: int, limits: ArchiveLimits) -> ChildLimits:
    """Bounds for reading a whole archive: more time for a greater one, room for a repacked copy."""
    usual = child_limits()
    return ChildLimits(
        memory_bytes=usual.memory_bytes,
        file_bytes=limits.total_bytes + 64 * MIB,
        # The repacked copy, that with one file for each image, and the table or one label image that is read from it.
        folder_bytes=2 * limits.total_bytes + 64 * MIB + usual.folder_bytes,
        # Every file of an image before they become one.
        folder_files=limits.entries + 100,
        item_seconds=usual.item_seconds + size / 20e6,
        message_bytes=32 * 1024**2,
    )
