"""What happens when a worker comes up that serves the queue of runs."""

from typing import Any

from celery.signals import worker_init, worker_ready
from django.db import connections


def get_ready(sender: Any = None, **_: object) -> None:
    """Find out what this machine can run before the pool is forked, so that every process knows it."""
    if not serves_runs(sender):
        return
    # Here, so that other processes start without it.
    from executions.services import hosts

    hosts.open_up()
    connections.close_all()


def keep_telling(sender: Any = None, **_: object) -> None:
    """Tell that this machine is alive, and look for work that was lost."""
    if not serves_runs(getattr(sender, "controller", sender)):
        return
    from executions.services import hosts
    from work.jobs import send

    hosts.keep_telling()
    send("executions.tasks.run_batches", [])


def serves_runs(worker: Any) -> bool:
    """Whether a worker takes turns of the queue `run`."""
    app = getattr(worker, "app", None)
    return app is not None and "run" in app.amqp.queues.consume_from


def connect() -> None:
    """Listen to the signals of the worker."""
    worker_init.connect(get_ready, dispatch_uid="executions.get_ready")
    worker_ready.connect(keep_telling, dispatch_uid="executions.keep_telling")
