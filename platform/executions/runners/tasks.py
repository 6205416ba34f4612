"""Celery wrappers: take ids, call a service, nothing else; every one of them may run any number of times."""

from celery import shared_task
from structlog.contextvars import bound_contextvars

from executions.runners.services import concluding, stuck


@shared_task
def conclude(batch_id: int) -> None:
    """Read what a runner returned."""
    with bound_contextvars(batch=batch_id):
        concluding.conclude(batch_id=batch_id)


@shared_task
def sweep() -> None:
    """Note lost runs, remove outputs that no run needs, and report queues without a runner."""
    concluding.sweep()
    stuck.report_stuck()
