"""Where a submission stands, in words: what is happening, since when, what comes next, how long it usually takes."""

from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.db.models import Sum

from submissions.models import Run, Submission
from submissions.report import Report

RECENT = 20
State = Submission.State


@dataclass(frozen=True)
class Progress:
    """The state of a submission for a page.

    Attributes
    ----------
    title, text, next
        What it is, what that means, and what comes next; empty where there is nothing to say.
    kind
        Of badge and notice: ``info``, ``ok``, ``warn`` or ``bad``.
    since
        Since when.
    done, total
        Cases scored of all, while scoring.
    usual_seconds
        Median duration of what is happening now, from the phase's last submissions.
    is_moving
        Whether it will change by itself.
    """

    title: str
    kind: str
    since: datetime
    text: str = ""
    next: str = ""
    done: int | None = None
    total: int | None = None
    usual_seconds: float | None = None
    is_moving: bool = False


def progress(submission: Submission) -> Progress:
    """Return where `submission` stands; three small queries at most."""
    latest = submission.runs.order_by("-number").first()
    if latest is not None and not latest.is_finished:
        return _scoring(submission, latest)
    builder = {
        State.RECEIVED: _received,
        State.VALIDATING: _validating,
        State.HELD: _held,
        State.REFUSED: _refused,
        State.WITHDRAWN: _withdrawn,
        State.ACCEPTED: _accepted,
        State.SCORED: _scored,
        State.FAILED: _failed,
    }[State(submission.state)]
    return builder(submission)


def _received(submission: Submission) -> Progress:
    return Progress(
        "Waiting for validation",
        "info",
        submission.state_since,
        "The archive has arrived whole and waits for a worker.",
        "Every expected case is looked for and read; then it is scored.",
        usual_seconds=usual_validation(submission),
        is_moving=True,
    )


def _validating(submission: Submission) -> Progress:
    report = Report.of(submission.report)
    return Progress(
        "Validating",
        "info",
        submission.state_since,
        "A worker reads the archive and compares every case with what is expected.",
        "Valid cases are scored against the references.",
        done=len(report.findings) or None,
        total=len(report.findings) + len(report.members) if report.findings else None,
        usual_seconds=usual_validation(submission),
        is_moving=True,
    )


def _held(submission: Submission) -> Progress:
    report = Report.of(submission.report)
    gaps = report.missing + report.invalid
    return Progress(
        "Waiting for your decision",
        "warn",
        submission.state_since,
        f"{gaps} of {gaps + report.valid} cases are missing or cannot be scored. If you submit it as it is, "
        f"{_gap_counts_as(submission)}. You can also withdraw it, which does not use up your quota, and "
        "upload a corrected archive.",
        "Nothing happens until you decide; when the phase closes, it is scored as it is.",
    )


def _gap_counts_as(submission: Submission) -> str:
    """What becomes of a case without a valid prediction, by the kind of problem."""
    problem = submission.phase.assessment.problem
    if problem == "image_classification":
        return "each of them counts as a wrong decision with the worst score"
    if problem == "object_detection":
        return "each of them is missing, and with them every value of the whole data set; both count as the worst value"
    return "each of them counts as the worst value of every metric"


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
        "Withdrawn", "muted", submission.state_since, "Your team took it back. It does not use up your quota."
    )


def _accepted(submission: Submission) -> Progress:
    return Progress("Accepted", "info", submission.state_since, "Scoring begins in a moment.", is_moving=True)


def _scoring(submission: Submission, run: Run) -> Progress:
    cut = run.chunks.aggregate(done=Sum("cases_done"), total=Sum("cases_total"))
    done = (cut["done"] or 0) + run.cases_total - (cut["total"] or 0)
    repeated = submission.state == State.SCORED
    if run.state == Run.State.QUEUED:
        title, text = "Waiting to be scored", "It has been validated and waits for a worker."
    else:
        title, text = "Scoring", "Workers compare the predictions with the references, case by case."
    if repeated:
        text += " The result of the earlier run stands until this one is done."
    return Progress(
        "Scoring again" if repeated else title,
        "info",
        run.started_at or run.queued_at,
        text,
        "The result is stored and the ranking is computed again.",
        done=done if run.state == Run.State.SCORING else None,
        total=run.cases_total,
        usual_seconds=usual_scoring(submission),
        is_moving=True,
    )


def _scored(submission: Submission) -> Progress:
    return Progress("Scored", "ok", submission.state_since, "The result is stored.", _after_scoring(submission))


def _after_scoring(submission: Submission) -> str:
    """What is left to happen: the end of the phase, and the release of what it hides until then."""
    phase = submission.phase
    if phase.is_revealed or submission.is_late:
        return ""
    when = f"{phase.revealed_from:%-d %B %Y, %H:%M} UTC"
    if phase.is_sealed:
        return f"The ranking opens on {when}."
    return f"The phase closes on {when}; its ranking stands then."


def _failed(submission: Submission) -> Progress:
    return Progress("Failed", "bad", submission.state_since, submission.reason)


def usual_validation(submission: Submission) -> float | None:
    """Median seconds from arrival to the end of validation, over the phase's last submissions."""
    rows = (
        Submission.objects.filter(phase=submission.phase_id, validated_at__isnull=False)
        .order_by("-created_at")
        .values_list("created_at", "validated_at")[:RECENT]
    )
    durations = [(end - start).total_seconds() for start, end in rows]
    return median(durations) if durations else None


def usual_scoring(submission: Submission) -> float | None:
    """Median seconds from queueing to the result, over the phase's last runs."""
    rows = (
        Run.objects.filter(submission__phase=submission.phase_id, state__in=(Run.State.SCORED, Run.State.SUPERSEDED))
        .order_by("-queued_at")
        .values_list("queued_at", "finished_at")[:RECENT]
    )
    durations = [(end - start).total_seconds() for start, end in rows]
    return median(durations) if durations else None
