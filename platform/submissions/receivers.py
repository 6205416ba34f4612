"""What happens when a worker comes up."""

from celery.signals import worker_init, worker_ready

from web.jobs import send


def look_for_lost_work(**_: object) -> None:
    """Find what a worker that died before has left, without waiting for the next regular sweep."""
    send("submissions.tasks.sweep", [])


def load_libraries(**_: object) -> None:
    """Load what scoring needs before the pool is forked, so that the first submission does not wait for it."""
    # Here, so that web processes and commands start without it.
    from submissions import scorer

    scorer.preload()


def connect() -> None:
    """Listen to the signals of the worker."""
    worker_init.connect(load_libraries, dispatch_uid="submissions.load_libraries")
    worker_ready.connect(look_for_lost_work, dispatch_uid="submissions.look_for_lost_work")
