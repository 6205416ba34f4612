"""Submissions of algorithms, whose predictions are made here and then processed like all predictions."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase, Seat, Team
from challenges.queries.entry import refusal_of_entry
from challenges.queries.timetable import timetable_of
from core.audit.services import record
from core.work.services import ask
from datastore.uploads.services.refusals import NotAllowedError, PhaseNotOpenError, QuotaExceededError
from datastore.uploads.storage import local_path, private
from evaluation.assessment import MetricUse
from evaluation.assessment.costs import CostError, metric_named
from evaluation.running.efficiency import Costs
from evaluation.running.efficiency import costs_of as costs_of_runs
from evaluation.running.table import read_runs
from executions.models import AlgorithmArchive, CaseOutcome, Execution
from executions.scoring.domain.report import Report, Status
from executions.services import executing
from submissions.models import Run, Submission
from submissions.queries.quotas import quota
from submissions.queries.work import VALIDATION
from submissions.services.messages import tell_team
from submissions.services.submitting import at_sites

State = Submission.State
_ENDS: Mapping[str, str] = {
    Execution.State.FAILED: State.FAILED,
    Execution.State.REFUSED: State.REFUSED,
    Execution.State.CANCELLED: State.WITHDRAWN,
}


def hand_in(
    *, user: User, phase: Phase, team: Team, image: AlgorithmArchive, model: AlgorithmArchive | None = None
) -> Submission:
    """Hand in an algorithm; the quota is taken in the same transaction, under locks on team and person.

    Raises
    ------
    UploadError
        One of its kinds, with a message for the participant.
    """
    if not phase.algorithms:
        raise NotAllowedError(f"{phase.name} takes predictions, not algorithms.")
    if team.standing == Team.Standing.DISQUALIFIED:
        raise NotAllowedError(f"The organizers have disqualified your team: {team.standing_reason}")
    if not phase.is_open:
        raise PhaseNotOpenError(f"{phase.name} {timetable_of(phase).refusal_words}.")
    if words := at_sites(phase):
        raise NotAllowedError(words)
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=team.pk)
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if not Seat.objects.filter(task=phase.task_id, user=user, member__team=team, member__left_at=None).exists():
            raise NotAllowedError("You do not take part in this task with this team.")
        if reason := refusal_of_entry(phase, team):
            raise NotAllowedError(reason)
        if reason := quota(phase, team, user).exhausted:
            raise QuotaExceededError(reason)
        # Locked: their check may end at this moment, and has to find what waits for it.
        locked_archives = {row.pk: row for row in _locked_archives(image, model)}
        mine = Submission.objects.filter(phase=phase, team=team)
        submission = Submission.objects.create(
            phase=phase,
            team=team,
            user=user,
            number=(mine.aggregate(last=Max("number"))["last"] or 0) + 1,
            archive_name=image.file_name,
            archive_size=image.size,
            # What an algorithm does not answer is missing by the registered policy: nobody is asked whether that is meant.
            accept_incomplete=True,
            state=State.RUNNING,
        )
        record(
            actor=user,
            act="submission_received",
            subject=submission,
            scope=phase.challenge.slug,
            facts={
                "phase": phase.name,
                "team": team.name,
                "number": submission.number,
                "image": image.digest,
                "late": False,
            },
        )
        executing.ask(
            subject=submission.pk,
            user=user,
            phase=phase,
            team=team,
            image=locked_archives[image.pk],
            model=locked_archives[model.pk] if model else None,
        )
    return submission


def _locked_archives(*archives: AlgorithmArchive | None) -> list[AlgorithmArchive]:
    keys = [archive.pk for archive in archives if archive is not None]
    return list(AlgorithmArchive.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk"))


def run_again(submission: Submission, *, actor: User | None) -> None:
    """Have an algorithm run once more that never came to predictions; in the caller's transaction."""
    before = execution_of(submission.pk)
    if before is None:
        return
    _move(submission, State.RUNNING)
    executing.ask(
        subject=submission.pk,
        user=actor or submission.user,
        phase=submission.phase,
        team=submission.team,
        image=before.image,
        model=before.model,
    )


def take_up(execution: Execution) -> None:
    """Have the predictions of an execution validated, or end the submission with the reason why there are none.

    Called in the transaction that ends the execution.
    """
    rows = Submission.objects.select_for_update(of=("self",), no_key=True).select_related(
        "phase__task__challenge", "team"
    )
    submission = rows.filter(pk=execution.subject, state=State.RUNNING).first()
    if submission is None:
        return
    if execution.state in _ENDS:
        _move(submission, _ENDS[execution.state], reason=execution.reason)
        return
    submission.archive_file = execution.predictions_file
    submission.archive_size = private().size(execution.predictions_file)
    submission.attempts = 0
    _move(submission, State.RECEIVED)
    ask(VALIDATION, submission)


def say_causes(submission: Submission, report: Report) -> None:
    """Add the cause to each case without a prediction; the notes of the run include it.

    In a table, a case without rows means that nothing was detected in it. Only the run shows whether the
    algorithm reported that.
    """
    execution = execution_of(submission.pk)
    if execution is None:
        return
    causes = CaseOutcome.objects.filter(execution=execution).exclude(outcome="ok")
    for case, outcome, message in causes.values_list("case", "outcome", "message"):
        finding = report.findings.get(case)
        if finding is not None:
            status = Status.MISSING if finding.status == Status.VALID else finding.status
            report.findings[case] = replace(finding, status=status, kind=outcome, message=message, remedy="")
            report.members.pop(case, None)


def describe(run: Run) -> None:
    """Put into a result what its predictions were made with, and how many cases have none and why."""
    execution = execution_of(run.submission_id)
    if execution is not None:
        digests = {"predictions": execution.predictions_digest, "runs": execution.runs_digest}
        run.provenance = run.provenance | {"execution": execution.provenance | digests}
        run.summary = run.summary | {"outcomes": execution.counts}


def costs_of(submission_id: uuid.UUID, uses: Sequence[MetricUse]) -> Costs:
    """Return the costs of running the algorithm, by case and metric; empty if it never ran.

    The costs were measured when the algorithm's predictions were made.

    Raises
    ------
    CostError
        If a cost that is registered now was not measured then, or if a time was measured next to other runs.
    """
    done = Execution.objects.filter(subject=submission_id, state=Execution.State.DONE).order_by("-created_at").first()
    if done is None:
        return {}
    shared = [use for use in uses if metric_named(use.options["id"]).is_time and not done.plan.get("exclusive")]
    if shared:
        message = f"{shared[0].title} was taken where other algorithms could run beside it, and is not comparable"
        raise CostError(message)
    return costs_of_runs([read_runs(local_path(done.runs_file))], uses)


def execution_of(submission_id: uuid.UUID) -> Execution | None:
    """The last execution of a submission."""
    rows = Execution.objects.filter(subject=submission_id).select_related("image", "model", "phase__task__challenge")
    return rows.order_by("-created_at").first()


def _move(submission: Submission, state: str, *, reason: str = "") -> None:
    submission.state, submission.reason, submission.state_since = state, reason[:500], timezone.now()
    submission.save()
    tell_team(submission, state, reason=submission.reason)
