"""The one way from an act to a background job: by name, after the commit.

A service enqueues what has to happen after it with `enqueue`; the job leaves for the broker only once the transaction
is durable. A broker that cannot be reached never fails the act: the sweeps (`*.tasks.sweep`) look for work that is due
in the database and hand it out again.
"""

from collections.abc import Sequence

import structlog
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

log = structlog.get_logger(__name__)


def enqueue(task: str, *args: str | int, countdown: float | None = None) -> None:
    """Hand `task` (its full dotted name) to the broker when the current transaction commits.

    Parameters
    ----------
    task
        Name of a registered Celery task, for example ``"submissions.tasks.validate"``.
    args
        Identifiers only; a task loads what it needs.
    countdown
        Seconds to wait before the task may start.
    """
    transaction.on_commit(lambda: send(task, args, countdown=countdown))


def send(task: str, args: Sequence[str | int], *, countdown: float | None = None) -> bool:
    """Send now; returns whether the broker took it."""
    if current_app.conf.task_always_eager:
        if task not in current_app.tasks:
            # Each time, it would run the system checks as well.
            current_app.loader.import_default_modules()
        current_app.tasks[task].apply(args=list(args), throw=current_app.conf.task_eager_propagates)
        return True
    try:
        # By name: the web process never loads what tasks need, the scoring libraries among them.
        current_app.send_task(
            task,
            args=list(args),
            countdown=countdown,
            retry=True,
            retry_policy={"max_retries": 1, "interval_start": 0.1},
        )
    except (OperationalError, ConnectionError, TimeoutError):
        log.warning("job_not_sent", task=task, args=list(args))
        return False
    return True
