"""The ways of a submission through its states: each decided in one transaction by whoever holds the lease."""

import uuid
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from audit.services import record
from confinement.archive import is_nested_archive
from submissions.domain.report import Report
from submissions.models import Run, Submission
from submissions.services.runs import start_run
from submissions.services.telling import tell_team
from test_sets.queries.test_sets import active_test_set
from work.clock import shared_now
from work.jobs import enqueue

State = Submission.State
FAILED_MESSAGE = (
    "Something went wrong on our side. The organizers have been shown the details; this submission does not count "
    "towards your quota, and you may submit again."
)

CHARGED_MESSAGE = "This counts as one of your submissions."


def settle(*, submission: Submission, token: uuid.UUID, report: Report) -> None:
    """Store what validation found and decide: refuse, ask the team, or accept and score.

    An unfinished report is stored and the rest is left to the next task.
    """
    with transaction.atomic():
        current = _held(submission, token)
        if current is None:
            return
        current.report = report.document()
        current.log = submission.log
        current.archive_sha256 = submission.archive_sha256
        current.predictions_file = submission.predictions_file
        current.lease_until = current.lease_token = None
        total = active_test_set(current.phase).cases.count()
        if not report.problem and len(report.findings) < total:
            current.sent_at = shared_now()
            current.attempt = 1
            current.save()
            enqueue("submissions.tasks.validate", str(current.pk))
            return
        current.validated_at = timezone.now()
        reason = report.problem or _refusal(report, total, incomplete_allowed=current.phase.incomplete_allowed)
        if reason:
            current.is_charged = report.is_charged
            _move(current, State.REFUSED, reason=f"{reason[:400]} {CHARGED_MESSAGE}" if report.is_charged else reason)
            _record(current, "submission_refused", reason=reason[:200])
        elif report.valid < total and not current.accept_incomplete:
            _move(current, State.HELD)
            _record(current, "submission_held", missing=report.missing, invalid=report.invalid)
        else:
            accept(current)


def accept(submission: Submission, *, actor: User | None = None) -> Run:
    """Accept within the caller's transaction, and start scoring."""
    _move(submission, State.ACCEPTED)
    report = Report.of(submission.report)
    _record(submission, "submission_accepted", actor=actor, valid=report.valid, missing=report.missing)
    return start_run(submission=submission, trigger=Run.Trigger.SUBMISSION)


@transaction.atomic
def score_as_it_is(*, submission: Submission, actor: User | None) -> None:
    """Take a held submission with its gaps; answering twice changes nothing."""
    current = _locked(submission)
    if current.state == State.HELD:
        accept(current, actor=actor)


@transaction.atomic
def withdraw(*, submission: Submission, actor: User) -> None:
    """Take a held submission back; it does not count towards the quota.

    Raises
    ------
    ValidationError
        When it is being scored already.
    """
    current = _locked(submission)
    if current.state == State.WITHDRAWN:
        return
    if current.state != State.HELD:
        raise ValidationError("This submission has been decided already and can no longer be withdrawn.")
    _move(current, State.WITHDRAWN)
    _record(current, "submission_withdrawn", actor=actor)


@transaction.atomic
def repeat(*, submission: Submission, actor: User) -> None:
    """Score a submission once more, or validate it once more when it never got that far (organizers).

    The result of the earlier run stands until the new one has its own.

    Raises
    ------
    ValidationError
        While it is still being worked on.
    """
    current = _locked(submission)
    working = (State.RECEIVED, State.VALIDATING, State.ACCEPTED)
    if current.state in working or current.runs.filter(state__in=Run.UNFINISHED).exists():
        raise ValidationError("This submission is still being worked on.")
    report = Report.of(current.report)
    if current.state in (State.SCORED, State.FAILED) and report.valid:
        if current.state == State.FAILED:
            _move(current, State.ACCEPTED)
        start_run(submission=current, trigger=Run.Trigger.RERUN, actor=actor)
        _record(current, "submission_rerun", actor=actor)
        return
    current.report = {}
    current.is_charged = False
    current.validated_at = None
    current.attempt = 0
    current.sent_at = shared_now()
    _move(current, State.RECEIVED)
    _record(current, "submission_revalidated", actor=actor)
    enqueue("submissions.tasks.validate", str(current.pk))


def held_in_closed_phases() -> list[Submission]:
    """Submissions that still wait for a decision of their team although the phase has closed."""
    held = Submission.objects.filter(state=State.HELD).select_related("phase")
    return [submission for submission in held if submission.phase.is_closed]


def fail(*, submission: Submission, token: uuid.UUID, log: str) -> None:
    """End a submission that the platform could not validate."""
    with transaction.atomic():
        current = _held(submission, token)
        if current is None:
            return
        current.log += log
        current.lease_until = current.lease_token = None
        _move(current, State.FAILED, reason=FAILED_MESSAGE)
        _record(current, "submission_failed")


def hand_back(*, submission: Submission, token: uuid.UUID, seconds: int, **changes: int) -> None:
    """Give the work up for another try after `seconds`."""
    with transaction.atomic():
        now = shared_now()
        kept = Submission.objects.filter(pk=submission.pk, lease_token=token).update(
            lease_until=now + timedelta(seconds=seconds), lease_token=None, sent_at=now, **changes
        )
        if kept:
            enqueue("submissions.tasks.validate", str(submission.pk), countdown=seconds + 0.1)


def _locked(submission: Submission) -> Submission:
    rows = Submission.objects.select_for_update(of=("self",)).select_related("phase__task__challenge", "team")
    return rows.get(pk=submission.pk)


def _held(submission: Submission, token: uuid.UUID) -> Submission | None:
    """Lock the submission if the lease is still ours."""
    current = _locked(submission)
    return current if current.lease_token == token and current.state == State.VALIDATING else None


def _move(submission: Submission, state: str, *, reason: str = "") -> None:
    submission.state, submission.reason, submission.state_since = state, reason[:500], timezone.now()
    submission.save()
    tell_team(submission, state, reason=submission.reason)


def _record(submission: Submission, act: str, *, actor: User | None = None, **facts: object) -> None:
    record(
        actor=actor,
        act=act,
        subject=submission,
        scope=submission.challenge.slug,
        facts={"team": submission.team.name, "number": submission.number, "phase": submission.phase.name, **facts},
    )


def _refusal(report: Report, total: int, *, incomplete_allowed: bool) -> str:
    if not report.valid:
        if report.extra and report.missing == total:
            packed = next((extra.file for extra in report.extra if is_nested_archive(extra.file)), "")
            if packed:
                return (
                    f"None of the {total} expected cases was found. {packed} is an archive inside the archive, which is not "
                    "opened. Pack its files directly."
                )
            return (
                f"None of the {total} expected cases was found. The archive has other files, such as "
                f"{report.extra[0].file}. See below which names are expected."
            )
        return f"None of the {total} expected cases can be scored. See below what is wrong with each."
    if report.valid < total and not incomplete_allowed:
        gaps = total - report.valid
        return (
            f"{gaps} of {total} cases {'is' if gaps == 1 else 'are'} missing or cannot be scored, and this phase takes "
            "complete submissions only. See below what is wrong with each."
        )
    return ""
