"""Actions at the start of a worker that needs an engine."""

from typing import Any

from celery.signals import worker_init, worker_ready
from django.db import connections


def get_ready(sender: Any = None, **_: object) -> None:
    """Find out what this machine can run before the pool is forked, so that every process knows it."""
    queues = served(sender)
    if not queues:
        return
    # Here, so that other processes start without it.
    from executions.services import caching, hosts

    host = hosts.open_up(queues)
    if host.is_ready and host.engine is not None:
        caching.take_stock(host.engine)
    connections.close_all()


def keep_telling(sender: Any = None, **_: object) -> None:
    """Report regularly that this machine is alive, and look for lost work."""
    queues = served(getattr(sender, "controller", sender))
    if not queues:
        return
    from core.work.services import send
    from executions.services import caching, hosts

    hosts.keep_telling(also=caching.collect)
    if "run" in queues:
        send("executions.tasks.run_batches", [])


def served(worker: Any) -> frozenset[str]:
    """Those queues of which a worker takes turns that need an engine."""
    app = getattr(worker, "app", None)
    return frozenset() if app is None else frozenset({"run", "judge"} & set(app.amqp.queues.consume_from))


def connect() -> None:
    """Listen to the signals of the worker."""
    worker_init.connect(get_ready, dispatch_uid="executions.get_ready")
    worker_ready.connect(keep_telling, dispatch_uid="executions.keep_telling")
