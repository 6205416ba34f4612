"""Validating a submission: found again after any interruption, decided exactly once."""

import traceback
import uuid
from datetime import timedelta
from pathlib import Path

import structlog
from django.utils import timezone

from core.work.services import Lease, LeaseLostError, claim, task_budget
from datastore.test_sets.queries.test_sets import active_test_set, expectation
from datastore.uploads.storage import free_bytes, has_room, is_out_of_room, local_path, sha256_of
from evaluation.admission import Expectation
from executions.scoring.domain.report import Report
from executions.scoring.services import inspecting
from submissions.models import Submission
from submissions.queries.work import VALIDATION
from submissions.services import algorithms, states

log = structlog.get_logger(__name__)

FULL_PAUSE = timedelta(seconds=20)


def validate(*, submission_id: str | uuid.UUID) -> None:
    """Validate a submission, unless that is done already or another worker is validating it.

    When the time limit of one task is reached, the findings are stored, and the next task continues.
    """
    if not has_room():
        log.warning("no_room", free=free_bytes())
        return
    lease = claim(
        VALIDATION,
        submission_id,
        give_up=lambda lost: states.fail(lease=lost, log="The job failed repeatedly."),
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
    if submission.is_algorithm:
        wanted = wanted.found_empty()
    report = Report.of(submission.report)
    if not report.inspected:
        report = _inspect(submission, wanted, lease)
    if not report.problem:
        _check_cases(submission, wanted, report, lease)
    if lease.is_lost:
        raise LeaseLostError
    if submission.is_algorithm:
        algorithms.say_causes(submission, report)
    return report


def _inspect(submission: Submission, wanted: Expectation, lease: Lease) -> Report:
    # Copying and reading a large archive takes longer than a lease. No more is copied than was taken.
    path = local_path(submission.archive_file, limit=submission.archive_size, beat=lease.beat)
    submission.archive_sha256 = sha256_of(path, lease.beat)
    beside = f"{Path(submission.archive_file).parent}/predictions.zip"
    inspected = inspecting.inspect(path, wanted, repacked_name=beside, beat=lease.beat)
    submission.predictions_file = inspected.repacked or submission.archive_file
    submission.log += inspected.log
    return inspected.report


def _check_cases(submission: Submission, wanted: Expectation, report: Report, lease: Lease) -> None:
    path = local_path(submission.predictions_file)
    for checked in inspecting.check_cases(path, wanted, report, beat=lease.beat, seconds=task_budget()):
        report.findings[checked.case] = checked.finding
        if checked.features:
            report.features[checked.case] = checked.features
        submission.log += checked.details
        lease.beat()
    report.findings = {name: report.findings[name] for name in wanted.names if name in report.findings}
