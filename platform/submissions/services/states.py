"""State transitions of a submission and the runs that they start.

Each transition is decided in one transaction by the holder of the lease.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone

from accounts.models import User
from challenges.models import Team
from challenges.queries.timetable import timetable_of
from confinement.archive import is_nested_archive
from core.audit.services import record
from core.work.queries import shared_now
from core.work.services import Lease, LeaseLostError, ask, enqueue
from datastore.test_sets.queries.test_sets import active_test_set, expectation
from evaluation.admission import ExpectedCase
from evaluation.checking import Severity
from evaluation.checking.sentences import finding
from evaluation.problems import kind_of
from evaluation.readers import Issue
from executions.judging.services import judging
from executions.scoring.domain.report import Report, Status, fingerprint_of
from submissions.models import Chunk, Run, Submission
from submissions.queries.quotas import quota
from submissions.queries.repeats import key_of_sha256, repeated_predictions, same_predictions
from submissions.queries.results import measured_outside
from submissions.queries.work import SCORING, VALIDATION
from submissions.services import algorithms
from submissions.services.messages import TOLD, tell_team
from submissions.services.submitting import lock

# A chunk should take about a third of a second: long against its overhead, short against everything that can go wrong.
CHUNK_CASES = 20
CHUNK_VOXELS = 2_000_000
# Every chunk of a table reads the table: so few chunks, however many cases there are.
TABLE_CHUNKS = 16
TABLE_CHUNK_CASES = 50

State = Submission.State
FAILED_MESSAGE = (
    "Something went wrong on our side. The organizers have been shown the details; this submission does not count "
    "towards your quota, and you may submit again."
)

NOTHING_TO_SCORE: Final = "The phase closed before your team decided, and no case can be scored."
LIMITS_USED: Final = "The phase closed before your team decided, and its limits were used up."
CHARGED_MESSAGE = "This counts as one of your submissions."


def start_run(*, submission: Submission, trigger: str, actor: User | None = None) -> Run:
    """Split the valid cases of a submission into chunks and request a worker for each.

    Call this function in the transaction that makes the decision. The database refuses a second unfinished
    run of a submission.
    """
    phase = submission.phase
    test_set = active_test_set(phase)
    wanted = expectation(test_set, phase.assessment)
    findings = Report.of(submission.report).findings
    valid = [case for case in wanted.cases if case.name in findings and findings[case.name].status == Status.VALID]
    run = Run.objects.create(
        submission=submission,
        number=(submission.runs.aggregate(last=Max("number"))["last"] or 0) + 1,
        trigger=trigger,
        triggered_by=actor,
        test_set=test_set,
        assessment_digest=phase.assessment_digest,
        cases_total=len(wanted.cases),
        case_notes={name: finding.message for name, finding in findings.items() if finding.status != Status.VALID},
    )
    now = shared_now()
    chunks = [
        Chunk(run=run, index=index, cases=names, cases_total=len(names), asked_at=now)
        for index, names in enumerate(cut(valid))
    ]
    Chunk.objects.bulk_create(chunks)
    for _ in chunks:
        enqueue(SCORING.task)
    if phase.assessment.scorer:
        _ask_scorer(run, submission, valid)
    if not chunks:
        # An algorithm that answered no case: nothing is to be scored, and every case is missing.
        enqueue("submissions.tasks.finish", str(run.pk))
    return run


def _ask_scorer(run: Run, submission: Submission, valid: Sequence[ExpectedCase]) -> None:
    """Request values from the organizers' scoring image for the same cases; decoys have no reference to show."""
    decoys = set(run.test_set.cases.filter(is_decoy=True).values_list("name", flat=True))
    report = Report.of(submission.report)
    judging.ask(
        run=run.pk,
        phase=submission.phase,
        team=submission.team,
        test_set=run.test_set,
        predictions_file=submission.predictions_file,
        members=report.members,
        beside=report.table,
        groups=cut([case for case in valid if case.name not in decoys]),
    )


def cut(cases: Sequence[ExpectedCase]) -> list[list[str]]:
    """Cut cases into chunks of at most `CHUNK_CASES` cases and about `CHUNK_VOXELS` voxels; cases of a table by their number.

    Examples
    --------
    >>> small, large = 40 * 50 * 30, 512 * 512 * 300
    >>> cut([ExpectedCase(name, byte_limit=1, cost=cost) for name, cost in (("a", small), ("b", small), ("c", large))])
    [['a', 'b'], ['c']]
    >>> [len(chunk) for chunk in cut([ExpectedCase(str(number)) for number in range(120)])]
    [50, 50, 20]
    """
    if cases and not cases[0].byte_limit:
        size = max(TABLE_CHUNK_CASES, math.ceil(len(cases) / TABLE_CHUNKS))
        names = [case.name for case in cases]
        return [names[start : start + size] for start in range(0, len(names), size)]
    chunks: list[list[str]] = []
    voxels = 0
    for case in cases:
        if not chunks or len(chunks[-1]) >= CHUNK_CASES or voxels + case.cost > CHUNK_VOXELS:
            chunks.append([])
            voxels = 0
        chunks[-1].append(case.name)
        voxels += case.cost
    return chunks


def settle(*, submission: Submission, lease: Lease, report: Report) -> None:
    """Store what validation found and decide: refuse, ask the team, or accept and score.

    An unfinished report is stored and the rest is left to the next task.
    """
    results: dict[str, Any] = {
        "report": report.document(),
        "log": submission.log,
        "archive_sha256": submission.archive_sha256,
        "predictions_file": submission.predictions_file,
    }
    total = active_test_set(submission.phase).cases.count()
    if not report.problem and len(report.findings) >= total:
        _question(submission, report)
        results["report"] = report.document()
    if not report.problem and len(report.findings) < total:
        lease.hand_back(timedelta(0), **results, attempts=1)
        return
    with suppress(LeaseLostError), lease.completing() as current:
        for name, value in results.items():
            setattr(current, name, value)
        is_stated = current.content_key.startswith("sha256:")
        if is_stated and current.content_key != key_of_sha256(current.archive_sha256):
            current.content_key = ""  # its sender stated another digest
        current.failure = ""
        current.validated_at = timezone.now()
        reason = report.problem
        if not current.is_algorithm:
            # What an algorithm does not answer is missing by the registered policy, also where that is every case.
            reason = reason or _refusal(report, total, incomplete_allowed=current.phase.incomplete_allowed)
        if reason:
            current.is_charged = report.is_charged
            _move(current, State.REFUSED, reason=f"{reason[:400]} {CHARGED_MESSAGE}" if report.is_charged else reason)
            _record(current, "submission_refused", reason=reason[:200])
        elif (report.valid < total and not current.accept_incomplete) or report.asked:
            _move(current, State.HELD)
            _record(current, "submission_held", missing=report.missing, invalid=report.invalid)
        else:
            accept(current)


def _question(submission: Submission, report: Report) -> None:
    """Add questions about all predictions together to a complete report.

    An algorithm cannot be asked: its questions become notes.
    """
    plausibility = kind_of(submission.phase.assessment).plausibility
    reasons = {
        finding.case: Issue(finding.kind, finding.message, finding.remedy)
        for finding in report.troubled
        if finding.status == Status.INVALID
    }
    questions = [*report.questions, *plausibility.questions(report.features, reasons)]
    report.fingerprint = report.fingerprint or fingerprint_of(report.features, report.valid)
    if repeated := same_predictions(submission, report.fingerprint):
        questions.append(repeated_predictions(repeated, report.valid))
    report.questions = [
        replace(question, severity=Severity.NOTE) if submission.is_algorithm else question for question in questions
    ]
    report.shifts = {case: each["shift"] for case, each in report.features.items() if each.get("shift", [0])[0] > 0}
    report.features = {}


def accept(submission: Submission, *, actor: User | None = None) -> Run:
    """Accept within the caller's transaction, and start scoring."""
    _move(submission, State.ACCEPTED)
    report = Report.of(submission.report)
    _record(submission, "submission_accepted", actor=actor, valid=report.valid, missing=report.missing)
    return start_run(submission=submission, trigger=Run.Trigger.SUBMISSION)


@transaction.atomic
def score_as_it_is(*, submission: Submission, actor: User | None) -> None:
    """Take a held submission with its gaps; answering twice changes nothing.

    From then on it counts towards the quota of the day on which it was submitted.

    Raises
    ------
    ValidationError
        If the limits of that day or of the phase are used up. For a person, also after the close and if the team is
        disqualified.
    """
    team, _ = lock(submission.team_id, submission.user_id)
    current = _locked(submission)
    if current.state != State.HELD:
        return
    if actor is not None:
        _check_open(current)
        if team.standing == Team.Standing.DISQUALIFIED:
            raise ValidationError(
                f"The organizers have disqualified your team: {team.standing_reason} This submission can only be withdrawn."
            )
    if reason := quota(current.phase, current.team, current.user, day=current.created_at).used_up:
        raise ValidationError(f"{reason} This submission can only be withdrawn.")
    accept(current, actor=actor)


def settle_at_close(*, submission: Submission) -> None:
    """Score a held submission of a closed phase as it is, or withdraw it if no case is valid or the limits are used up.

    Does nothing if the submission has been decided in the meantime.
    """
    reason = NOTHING_TO_SCORE
    if Report.of(submission.report).valid:
        try:
            score_as_it_is(submission=submission, actor=None)
        except ValidationError:
            reason = LIMITS_USED
        else:
            return
    with suppress(ValidationError):
        withdraw(submission=submission, actor=None, reason=reason)


@transaction.atomic
def withdraw(*, submission: Submission, actor: User | None, reason: str = "") -> None:
    """Take a held submission back; it does not count towards the quota.

    `reason` is for the team, if it did not withdraw the submission itself.

    Raises
    ------
    ValidationError
        When it is being scored already. For a person, also after the close.
    """
    current = _locked(submission)
    if current.state == State.WITHDRAWN:
        return
    if current.state != State.HELD:
        raise ValidationError("This submission has been decided already and can no longer be withdrawn.")
    if actor is not None:
        _check_open(current)
    _move(current, State.WITHDRAWN, reason=reason)
    _record(current, "submission_withdrawn", actor=actor)


def _check_open(submission: Submission) -> None:
    """Refuse decisions of a team after the close, when it may know the results of others."""
    phase = submission.phase
    if phase.is_closed:
        raise ValidationError(
            f"{phase.name} closed on {timetable_of(phase).closing_words}. Held submissions are now scored or withdrawn "
            "automatically."
        )


@transaction.atomic
def repeat(*, submission: Submission, actor: User | None) -> None:
    """Score a submission again, or validate it again if it never passed validation (organizers).

    The result of the earlier run remains until the new run has a result.

    Raises
    ------
    ValidationError
        While the submission is still being processed.
    """
    current = _locked(submission)
    if current.state in Submission.UNDER_WAY or current.runs.filter(state__in=Run.UNFINISHED).exists():
        raise ValidationError("This submission is still being worked on.")
    if Submission.objects.filter(measured_outside(), pk=current.pk).exists():
        raise ValidationError("Its values were measured outside Podium. Bring a new table of them instead.")
    report = Report.of(current.report)
    if current.state in (State.SCORED, State.FAILED) and report.valid:
        if current.state == State.FAILED:
            _move(current, State.ACCEPTED)
        start_run(submission=current, trigger=Run.Trigger.RERUN, actor=actor)
        _record(current, "submission_rerun", actor=actor)
        return
    if current.is_algorithm and not current.archive_file:
        algorithms.run_again(current, actor=actor)
        return
    current.report = {}
    current.is_charged = False
    current.validated_at = None
    current.attempts = 0
    _move(current, State.RECEIVED)
    _record(current, "submission_revalidated", actor=actor)
    ask(VALIDATION, current)


def held_in_closed_phases() -> list[Submission]:
    """Submissions that still wait for a decision of their team although the phase has closed."""
    now = timezone.now()
    has_closed = Q(phase__closes_at__lte=now) | Q(phase__closed_at__lte=now)
    return list(Submission.objects.filter(has_closed, state=State.HELD).order_by("created_at", "number"))


def fail(*, lease: Lease, log: str) -> None:
    """End a submission that the platform could not validate."""
    with suppress(LeaseLostError), lease.completing() as current:
        current.log += log
        _move(current, State.FAILED, reason=FAILED_MESSAGE)
        _record(current, "submission_failed")


def _locked(submission: Submission) -> Submission:
    rows = Submission.objects.select_for_update(of=("self",), no_key=True).select_related(
        "phase__task__challenge", "team"
    )
    return rows.get(pk=submission.pk)


def _move(submission: Submission, state: str, *, reason: str = "") -> None:
    submission.state, submission.reason, submission.state_since = state, reason[:500], timezone.now()
    if state in (State.WITHDRAWN, State.FAILED):
        submission.content_key = ""  # the same content may come again
    submission.save()
    if state in TOLD:
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
    if not report.valid and not (incomplete_allowed and report.asks_of_every_case):
        nothing = finding("nothing_found", count=total).sentence
        if report.extra and report.missing == total:
            packed = next((extra.file for extra in report.extra if is_nested_archive(extra.file)), "")
            if packed:
                return f"{nothing} {packed}: {finding('file_nested').reason}."
            return f"{nothing} The archive has other files, such as {report.extra[0].file}."
        return f"{nothing} The table below shows what is wrong with each."
    if report.valid < total and not incomplete_allowed:
        gaps = total - report.valid
        return (
            f"{gaps} of {total} cases {'is' if gaps == 1 else 'are'} missing or cannot be scored, and this phase takes "
            "complete submissions only. See below what is wrong with each."
        )
    return ""
