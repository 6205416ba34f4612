"""Celery wrappers: take ids, call a service, nothing else; every one of them may run any number of times."""

import uuid

from celery import shared_task
from structlog.contextvars import bound_contextvars

from submissions.services import repeating, scoring, starter_kits, sweeping, validation


@shared_task
def validate(submission_id: str) -> None:
    """Validate a submission; every log line written during the task contains the submission's id."""
    with bound_contextvars(submission=submission_id):
        validation.validate(submission_id=submission_id)


@shared_task
def score_chunk() -> None:
    """Score the chunk of cases whose turn it is."""
    scoring.score_next_chunk()


@shared_task
def finish(run_id: str) -> None:
    """Put a result together that waits for nothing any more."""
    with bound_contextvars(run=run_id):
        scoring.finish_run(run_id=uuid.UUID(run_id))


@shared_task
def repeat(rescoring_id: str) -> None:
    """Validate or score a submission again, as an organizer requested."""
    repeating.repeat_asked(rescoring_id=rescoring_id)


@shared_task
def make_starter_kit(pk: int) -> None:
    """Generate the starter kit of a phase."""
    starter_kits.make(pk=pk)


@shared_task
def sweep() -> None:
    """Hand out again what got lost."""
    sweeping.sweep()
