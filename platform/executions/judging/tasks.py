"""Celery wrappers: take ids, call a service, nothing else; every one of them may run any number of times."""

from celery import shared_task
from structlog.contextvars import bound_contextvars

from executions.judging.services import judging, trying

LONGEST = 2 * 24 * 3600
"""Seconds that a start may take at most; a worker that died is noticed by its lease, not by this."""


@shared_task(time_limit=LONGEST, soft_time_limit=LONGEST - 60)
def judge_trial(trial_id: int) -> None:
    """Try a scoring image."""
    with bound_contextvars(trial=trial_id):
        trying.try_scorer(trial_id=trial_id)


@shared_task(time_limit=LONGEST, soft_time_limit=LONGEST - 60)
def judge_next() -> None:
    """Ask a scoring image for the cases whose turn it is."""
    judging.judge_next()
