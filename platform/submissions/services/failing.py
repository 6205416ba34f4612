"""Giving up a run: what everybody is told, and who does not wait for it."""

import uuid
from typing import Any

from django.db import transaction
from django.utils import timezone

from audit.services import record
from judging.services import judging
from submissions import hooks
from submissions.models import Chunk, Run, Submission
from submissions.services.states import FAILED_MESSAGE
from submissions.services.telling import tell_of_failed_repeat, tell_organizers, tell_team

EMPTIED: dict[str, Any] = dict.fromkeys(("rows", "pieces", "annotator_rows", "decoys", "disentangled"))
"""What chunks hold until their run is assembled."""


@transaction.atomic
def fail_run(*, run_id: uuid.UUID, cause: str, log: str) -> None:
    """End a run that the platform could not score, after all tries; team and organizers are told.

    An earlier result of the submission stays, and others do not wait for it: a new ranking is asked for, which leaves the
    team out and says why where this run was against a new version of the test set.

    Parameters
    ----------
    cause
        For everybody: what went wrong, in words of ours.
    log
        For organizers.
    """
    run = Run.objects.select_related("submission__phase__task__challenge", "submission__team", "test_set").get(
        pk=run_id
    )
    submission = locked_submission(run)
    current = Run.objects.select_for_update(no_key=True).get(pk=run_id)
    if current.is_finished:
        return
    before = submission.runs.filter(counts=True).select_related("test_set").first()
    message = FAILED_MESSAGE if before is None else _again_failed(run, before, cause)
    current.state, current.finished_at = Run.State.FAILED, timezone.now()
    current.message, current.log = message[:500], log
    current.save()
    judging.withdraw_run(current.pk)
    Chunk.objects.filter(run=current).exclude(state=Chunk.State.DONE).delete()
    Chunk.objects.filter(run=current).update(**EMPTIED)
    if before is None:
        Submission.objects.filter(pk=submission.pk).update(
            state=Submission.State.FAILED, state_since=current.finished_at, reason=FAILED_MESSAGE[:500]
        )
        tell_team(submission, Submission.State.FAILED, reason=FAILED_MESSAGE)
    else:
        tell_of_failed_repeat(submission, run=current)
    tell_organizers(submission, run=current, cause=cause)
    record(
        actor=None,
        act="run_failed",
        subject=current,
        scope=submission.challenge.slug,
        facts={
            "submission": str(submission.pk),
            "team": submission.team.name,
            "run": current.number,
            "cause": cause,
            "test_set": run.test_set.version,
        },
    )
    if before is not None:
        for callback in hooks.run_scored:
            callback(submission.phase_id)


def _again_failed(run: Run, before: Run, cause: str) -> str:
    """Say what an earlier result is worth after scoring again failed."""
    if run.test_set_id == before.test_set_id:
        return f"Scoring it again failed: {cause}. The earlier result stands."
    return (
        f"Scoring it against version {run.test_set.version} of the test set failed: {cause}. Its result against version "
        f"{before.test_set.version} stays readable; it is not ranked by version {run.test_set.version} until the organizers "
        "have had it scored."
    )


def locked_submission(run: Run) -> Submission:
    """Return the submission of a run, locked until the transaction ends."""
    rows = Submission.objects.select_for_update(of=("self",), no_key=True).select_related(
        "phase__task__challenge", "team"
    )
    return rows.get(pk=run.submission_id)
