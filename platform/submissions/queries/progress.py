"""State of a submission as text: current step, its start, the next step, and the usual duration."""

from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median

from django.db.models import Sum
from django.utils import timezone

from challenges.models import Phase
from challenges.queries.timetable import timetable_of
from evaluation.claims.missing_cases import cost_of_a_missing_case
from executions.queries.progress import standing
from executions.scoring.domain.report import Report
from submissions.models import Run, Submission
from submissions.queries.waiting import line_of_run, line_of_validation

RECENT = 20
# What is under way is called slow after this many seconds, and this many times its usual duration.
SLOW_SECONDS, SLOW_TIMES = 120, 5
State = Submission.State


@dataclass(frozen=True)
class Progress:
    """The state of a submission for a page.

    Attributes
    ----------
    title, text, next
        Name of the state, its meaning, and the next step; empty if there is nothing to report.
    choice
        Consequences of each choice, if the team must decide.
    kind
        Kind of badge and notice: ``info``, ``ok``, ``warn`` or ``bad``.
    since
        Start of the state.
    done, total
        Number of scored cases and of all cases, while scoring.
    usual_seconds
        Median duration of the current step, from the phase's last submissions.
    is_moving
        True if the state will change automatically.
    """

    title: str
    kind: str
    since: datetime
    text: str = ""
    next: str = ""
    choice: str = ""
    done: int | None = None
    total: int | None = None
    usual_seconds: float | None = None
    is_moving: bool = False


def progress(submission: Submission) -> Progress:
    """Return the state of `submission`; five small queries at most."""
    latest = submission.runs.order_by("-number").first()
    if latest is not None and not latest.is_finished:
        return _scoring(submission, latest)
    builder = {
        State.RUNNING: _running,
        State.RECEIVED: _received,
        State.VALIDATING: _validating,
        State.HELD: _held,
        State.REFUSED: _refused,
        State.WITHDRAWN: _withdrawn,
        State.ACCEPTED: _accepted,
        State.SCORED: _scored,
        State.FAILED: _failed,
    }[State(submission.state)]
    current_progress = builder(submission)
    if submission.state == State.SCORED and latest is not None and latest.state == Run.State.FAILED:
        return replace(
            current_progress,
            text=f"{current_progress.text} A later run failed on our side; the result of the earlier one stands.",
        )
    return current_progress


def slowness(since: datetime, usual: float | None) -> str:
    """Return a notice on a step that takes much longer than usual; empty before that."""
    waited = (timezone.now() - since).total_seconds()
    if waited < max(SLOW_SECONDS, SLOW_TIMES * (usual or 0)):
        return ""
    return " This takes longer than usual: workers are busy, or wait for room on a disk. Nothing is lost, and no action is needed."


def _running(submission: Submission) -> Progress:
    run_standing = standing(submission.pk)
    if run_standing is None:
        return Progress(
            "Waiting to be run",
            "info",
            submission.state_since,
            f"Your algorithm waits for its turn.{slowness(submission.state_since, None)}",
            "Its predictions are validated and scored like any others.",
            is_moving=True,
        )
    return Progress(
        run_standing.title,
        "info",
        run_standing.since,
        run_standing.text,
        run_standing.next,
        done=run_standing.done,
        total=run_standing.total,
        is_moving=True,
    )


def _received(submission: Submission) -> Progress:
    usual, line = usual_validation(submission), line_of_validation(submission)
    return Progress(
        "Waiting for validation",
        "info",
        submission.state_since,
        f"The archive has arrived whole and waits for a worker.{line.words}"
        f"{slowness(submission.state_since, line.seconds or usual)}",
        "Every expected case is looked for and read; then it is scored.",
        usual_seconds=None if line.ahead else usual,
        is_moving=True,
    )


def _validating(submission: Submission) -> Progress:
    report = Report.of(submission.report)
    usual = usual_validation(submission)
    again = f" An earlier worker was lost; this is try {submission.attempts}." if submission.attempts > 1 else ""
    return Progress(
        "Validating",
        "info",
        submission.state_since,
        "A worker reads the archive and compares every case with what is expected."
        f"{again}{slowness(submission.state_since, usual)}",
        "Valid cases are scored against the references.",
        done=len(report.findings) or None,
        total=len(report.findings) + len(report.members) if report.findings else None,
        usual_seconds=usual,
        is_moving=True,
    )


def _held(submission: Submission) -> Progress:
    report = Report.of(submission.report)
    gaps = report.missing + report.invalid
    asked = [question.sentence for question in report.asked]
    if report.asked and not gaps:
        return Progress(
            "Waiting for your decision",
            "warn",
            submission.state_since,
            " ".join(asked),
            _next_of_held(submission.phase),
            choice=""
            if submission.phase.is_closed
            else "If the predictions are right, submit them as they are. You can also withdraw them, which does not use up "
            "your quota, and upload a corrected archive.",
        )
    return Progress(
        "Waiting for your decision",
        "warn",
        submission.state_since,
        " ".join(
            [
                f"{gaps} of {gaps + report.valid} cases {'is' if gaps == 1 else 'are'} missing or cannot be scored.",
                *asked,
            ]
        ),
        _next_of_held(submission.phase, is_scored=report.valid > 0),
        choice=""
        if submission.phase.is_closed
        else f"If you submit it as it is, {'it' if gaps == 1 else 'each of them'} "
        f"{cost_of_a_missing_case(submission.phase.assessment)}. You can also withdraw it, which does not use up your quota, and "
        "upload a corrected archive.",
    )


def _refused(submission: Submission) -> Progress:
    return Progress(
        "Refused",
        "bad",
        submission.state_since,
        submission.reason,
        "It does not use up your quota. Correct the archive and upload it again.",
    )


def _withdrawn(submission: Submission) -> Progress:
    return Progress(
        "Withdrawn",
        "muted",
        submission.state_since,
        f"{submission.reason or 'Your team took it back.'} It does not use up your quota.",
        "You may upload a corrected archive." if submission.phase.is_open else "",
    )


def _accepted(submission: Submission) -> Progress:
    usual = usual_scoring(submission)
    return Progress(
        "Accepted",
        "info",
        submission.state_since,
        f"Scoring begins in a moment.{slowness(submission.state_since, usual)}",
        "Workers compare the predictions with the references, case by case.",
        usual_seconds=usual,
        is_moving=True,
    )


def _scoring(submission: Submission, run: Run) -> Progress:
    cut = run.chunks.aggregate(done=Sum("cases_done"), total=Sum("cases_total"))
    done = (cut["done"] or 0) + run.cases_total - (cut["total"] or 0)
    repeated = submission.state == State.SCORED
    if run.state == Run.State.QUEUED:
        title, text = "Waiting to be scored", "It has been validated and waits for a worker."
    else:
        title, text = "Scoring", "Workers compare the predictions with the references, case by case."
    usual, since = usual_scoring(submission), run.started_at or run.queued_at
    if run.state == Run.State.QUEUED:
        line = line_of_run(run)
        text += line.words + slowness(since, line.seconds or usual)
    else:
        text += slowness(since, usual)
    if repeated:
        text += " The result of the earlier run applies until this one is done."
    return Progress(
        "Scoring again" if repeated else title,
        "info",
        since,
        text,
        "The result is stored and the ranking is computed again.",
        done=done if run.state == Run.State.SCORING else None,
        total=run.cases_total,
        usual_seconds=usual,
        is_moving=True,
    )


def _next_of_held(phase: Phase, *, is_scored: bool = True) -> str:
    """Return what happens to a submission without a decision, now and at the close if the phase has a deadline."""
    timetable = timetable_of(phase)
    outcome = "scored as it is" if is_scored else "withdrawn"
    if phase.is_closed:
        return f"The phase closed on {timetable.closing_words}. The submission will be {outcome}."
    waiting = "Nothing happens until you decide."
    if timetable.closes is None:
        return waiting
    return f"{waiting} When the phase closes on {timetable.closing_words}, the submission is {outcome}."


def _scored(submission: Submission) -> Progress:
    return Progress("Scored", "ok", submission.state_since, "", _after_scoring(submission))


def _after_scoring(submission: Submission) -> str:
    """Return the remaining events: the end of the phase, and the release of what it hides until then."""
    phase = submission.phase
    if phase.is_revealed or submission.is_late:
        return ""
    timetable = timetable_of(phase)
    if timetable.published is None:
        return ""
    when = timetable.publishing_words
    if phase.is_sealed:
        return f"The ranking opens on {when}."
    return f"The phase closes on {when}. The final ranking follows."


def _failed(submission: Submission) -> Progress:
    again = "Upload it once more; if that fails, too, " if submission.phase.is_open else "If it matters to you, "
    return Progress(
        "Failed",
        "bad",
        submission.state_since,
        submission.reason,
        f"The organizers can have it scored again. {again}write to them: they have the log.",
    )


def usual_validation(submission: Submission) -> float | None:
    """Median seconds from arrival to the end of validation, over the phase's last submissions."""
    rows = (
        Submission.objects.filter(phase=submission.phase_id, validated_at__isnull=False)
        .order_by("-created_at")
        .values_list("created_at", "validated_at")[:RECENT]
    )
    durations = [(end - start).total_seconds() for start, end in rows if end is not None]
    return median(durations) if durations else None


def usual_scoring(submission: Submission) -> float | None:
    """Median seconds from the first worker to the result, over the phase's last runs; waiting is not in it."""
    rows = (
        Run.objects.filter(submission__phase=submission.phase_id, state__in=(Run.State.SCORED, Run.State.SUPERSEDED))
        .order_by("-queued_at")
        .values_list("queued_at", "started_at", "finished_at")[:RECENT]
    )
    durations = [(end - (begun or queued)).total_seconds() for queued, begun, end in rows if end is not None]
    return median(durations) if durations else None
