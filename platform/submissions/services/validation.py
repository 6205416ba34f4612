"""Validating a submission: found again after any interruption, decided exactly once."""

import errno
import traceback
import uuid
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import structlog
from django.conf import settings
from django.utils import timezone

from confinement import archive
from confinement.limits import MIB, ArchiveLimits, ChildLimits, archive_limits
from confinement.sandbox import Failure, answers
from submissions.domain import checks
from submissions.domain.instance_tables import OpenInstances
from submissions.domain.report import Report
from submissions.models import Submission
from submissions.queries.work import VALIDATION
from submissions.services import states
from test_sets.queries.expectation import Expectation, expectation
from test_sets.queries.test_sets import active_test_set
from uploads.limits import child_limits
from uploads.storage import free_bytes, has_room, is_out_of_room, local_path, sha256_of, store_file, working_folder
from work.leases import Lease, LeaseLostError, claim, task_budget

log = structlog.get_logger(__name__)

FULL_PAUSE = timedelta(seconds=20)
ORDINARY_RATIO = 4
"""What archives of label images unpack to, over their own size, where nothing is unusual about them."""


def validate(*, submission_id: str | uuid.UUID) -> None:
    """Validate a submission if that is still to be done and nobody else is at it.

    What has been found is stored when the time of one task is over, and the rest is done by the next.
    """
    if not has_room():
        log.warning("no_room", free=free_bytes())
        return
    lease = claim(
        VALIDATION,
        submission_id,
        give_up=lambda lost: states.fail(lease=lost, log="Workers were lost at it too often."),
    )
    if lease is None:
        return
    submission = Submission.objects.select_related("phase__task__challenge", "team").get(pk=submission_id)
    if lease.attempts == 1:
        Submission.objects.filter(pk=submission.pk).update(state_since=timezone.now())
    try:
        report = _examine(submission, lease)
    except LeaseLostError:
        return
    except Exception as error:
        log.exception("validation_error", submission=str(submission.pk), attempt=lease.attempts)
        if is_out_of_room(error):
            lease.hand_back(FULL_PAUSE, failure=str(error), is_counted=False)
        elif lease.may_try_again:
            lease.hand_back(failure=traceback.format_exc())
        else:
            states.fail(lease=lease, log=traceback.format_exc())
        return
    states.settle(submission=submission, lease=lease, report=report)


def _examine(submission: Submission, lease: Lease) -> Report:
    phase = submission.phase
    wanted = expectation(active_test_set(phase), phase.assessment)
    report = Report.of(submission.report)
    if not report.inspected:
        report = _inspect(submission, wanted, lease)
    if not report.problem:
        _check_cases(submission, wanted, report, lease)
    if lease.is_lost:
        raise LeaseLostError
    return report


def _inspect(submission: Submission, wanted: Expectation, lease: Lease) -> Report:
    # Copying and reading a large archive takes longer than a lease. No more is copied than was taken.
    path = local_path(submission.archive_file, limit=submission.archive_size, beat=lease.beat)
    submission.archive_sha256 = sha256_of(path, lease.beat)
    submission.predictions_file = submission.archive_file
    limits = archive_limits(cases=len(wanted.cases), needed_bytes=wanted.needed_bytes)
    whole = limits if archive.is_zip(path) else replace(limits, room_bytes=_room(submission, limits))
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
            ["archive"],
            work,
            limits=_for_archives(submission, limits),
            reads=[path],
            beat=lease.beat,
            hands_over=folder,
        )
        if answer.failure is not None or not isinstance(answer.value, dict):
            submission.log += f"Reading the archive failed: {answer.failure}\n{answer.details}\n"
            return Report(
                problem="The archive could not be read within the limits of time, memory and disk space. "
                "Pack only the predictions, with an ordinary program.",
                inspected=True,
                is_charged=answer.failure == Failure.SPACE,
            )
        if repacked.exists():
            submission.predictions_file = f"{Path(submission.archive_file).parent}/predictions.zip"
            store_file(submission.predictions_file, repacked)
    return Report.of(answer.value)


def _room(submission: Submission, limits: ArchiveLimits) -> int:
    """How much an archive may unpack to here; one that is likely to fit later waits, and nothing of it is written.

    Raises
    ------
    OSError
        When there is hardly room for an ordinary archive of this size.
    """
    room = free_bytes() - settings.PODIUM_WORK_RESERVE_BYTES
    if room < min(limits.total_bytes, ORDINARY_RATIO * submission.archive_size):
        raise OSError(errno.ENOSPC, f"{room:,} bytes of room for an archive of {submission.archive_size:,}")
    return room


def _for_archives(submission: Submission, limits: ArchiveLimits) -> ChildLimits:
    """Bounds for reading a whole archive: more time for a greater one, room for a repacked copy."""
    usual = child_limits()
    return ChildLimits(
        memory_bytes=usual.memory_bytes,
        file_bytes=limits.total_bytes + 64 * MIB,
        # The repacked copy, and the table or one label image that is read from it.
        folder_bytes=limits.total_bytes + 64 * MIB + usual.folder_bytes,
        item_seconds=usual.item_seconds + submission.archive_size / 20e6,
        message_bytes=32 * 1024**2,
    )


def _check_cases(submission: Submission, wanted: Expectation, report: Report, lease: Lease) -> None:
    cases = {case.name: case for case in wanted.cases}
    path = local_path(submission.predictions_file)
    waiting = [name for name in report.members if name not in report.findings]
    instances = OpenInstances(path, report.table, wanted.instances)

    def work(name: str, folder: Path) -> object:
        return checks.check(path, report.members[name], cases[name], wanted, folder, instances=instances)

    for answer in answers(waiting, work, limits=child_limits(), reads=[path], beat=lease.beat, seconds=task_budget()):
        report.findings[answer.item] = checks.finding_of(answer, report.members[answer.item])
        if answer.details:
            submission.log += f"{answer.item}: {answer.failure}\n{answer.details}\n"
        lease.beat()
    report.findings = {name: report.findings[name] for name in wanted.names if name in report.findings}
