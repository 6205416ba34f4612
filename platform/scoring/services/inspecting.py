"""Reading and checking an archive of predictions against a test set, in confined children."""

import errno
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings

from confinement import archive
from confinement.limits import MIB, ArchiveLimits, ChildLimits, archive_limits
from confinement.sandbox import Failure, answers
from scoring.domain import checks
from scoring.domain.report import Finding, Report
from scoring.domain.tables_beside import OpenTableBeside
from test_sets.queries.expectation import Expectation
from uploads.limits import child_limits
from uploads.storage import free_bytes, store_file, working_folder

ORDINARY_RATIO = 4
"""What archives of label images unpack to, over their own size, where nothing is unusual about them."""


@dataclass(frozen=True)
class Inspected:
    """What reading a whole archive gave.

    Attributes
    ----------
    repacked
        The name under which a zip archive of the same members was stored, where another kind of archive was handed in.
    log
        For organizers: what failed.
    """

    report: Report
    repacked: str = ""
    log: str = ""


@dataclass(frozen=True)
class Checked:
    """What checking one case gave; `details` are for organizers."""

    case: str
    finding: Finding
    details: str = ""


def inspect(path: Path, wanted: Expectation, *, repacked_name: str, beat: Callable[[], None]) -> Inspected:
    """Find the expected files in an archive; one that is no zip archive is packed anew under `repacked_name`.

    Raises
    ------
    OSError
        When there is hardly room to unpack an ordinary archive of this size.
    """
    size = path.stat().st_size
    limits = archive_limits(cases=len(wanted.cases), needed_bytes=wanted.needed_bytes)
    whole = limits if archive.is_zip(path) else replace(limits, room_bytes=_room(size, limits))
    with working_folder() as folder:
        repacked = folder / "predictions.zip"

        def work(_item: str, own: Path) -> object:
            if not archive.is_tar(path):
                return checks.inspect(path, wanted, limits, own)
            try:
                archive.repack_tar(path, repacked, whole)
            except archive.ArchiveError as error:
                return Report(problem=str(error), inspected=True, is_charged=error.is_charged).document()
            return checks.inspect(repacked, wanted, limits, own)

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
        return checks.check(path, report.members[name], cases[name], wanted, folder, beside=beside)

    for answer in answers(waiting, work, limits=child_limits(), reads=[path], beat=beat, seconds=seconds):
        details = f"{answer.item}: {answer.failure}\n{answer.details}\n" if answer.details else ""
        yield Checked(answer.item, checks.finding_of(answer, report.members[answer.item]), details)


def _room(size: int, limits: ArchiveLimits) -> int:
    """How much an archive may unpack to here; one that is likely to fit later waits, and nothing of it is written.

    Raises
    ------
    OSError
        When there is hardly room for an ordinary archive of this size.
    """
    room = free_bytes() - settings.PODIUM_WORK_RESERVE_BYTES
    if room < min(limits.total_bytes, ORDINARY_RATIO * size):
        raise OSError(errno.ENOSPC, f"{room:,} bytes of room for an archive of {size:,}")
    return room


def _for_archives(size: int, limits: ArchiveLimits) -> ChildLimits:
    """Bounds for reading a whole archive: more time for a greater one, room for a repacked copy."""
    usual = child_limits()
    return ChildLimits(
        memory_bytes=usual.memory_bytes,
        file_bytes=limits.total_bytes + 64 * MIB,
        # The repacked copy, and the table or one label image that is read from it.
        folder_bytes=limits.total_bytes + 64 * MIB + usual.folder_bytes,
        item_seconds=usual.item_seconds + size / 20e6,
        message_bytes=32 * 1024**2,
    )
