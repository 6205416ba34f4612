"""Celery wrappers: take ids, call a service, nothing else; every one of them may run any number of times."""

from celery import shared_task
from structlog.contextvars import bound_contextvars

from executions.services import assembling, checking, collecting, running

LONGEST = 14 * 24 * 3600
"""Seconds that a start of a container may take at most; a worker that died is noticed by its lease, not by this."""


@shared_task
def check_archive(archive_id: str) -> None:
    """Check an image, or weights."""
    with bound_contextvars(archive=archive_id):
        checking.check(archive_id=archive_id)


@shared_task(time_limit=LONGEST, soft_time_limit=LONGEST - 60)
def run_batches() -> None:
    """Run the batches of cases whose turn it is."""
    running.run_next_batches()


@shared_task
def assemble(execution_id: str) -> None:
    """Put the predictions of an execution together."""
    with bound_contextvars(execution=execution_id):
        assembling.assemble(execution_id=execution_id)


@shared_task
def sweep() -> None:
    """Resume interrupted uploads, and remove archives and blobs that are no longer used."""
    collecting.sweep()
