"""Receivers of the signals that a worker sends when it starts."""

from pathlib import Path

from celery.signals import worker_init, worker_ready
from django.conf import settings

from core.work.services import send


def look_for_lost_work(**_: object) -> None:
    """Find what a worker that died before has left, without waiting for the next regular sweep."""
    send("submissions.tasks.sweep", [])


def get_ready(**_: object) -> None:
    """Load what scoring needs before the pool is forked, so that the first submission does not wait for it.

    And find out how children are confined here: a worker that must not work without that ends now.
    """
    # Here, so that web processes and commands start without it.
    from confinement import guarantees
    from executions.scoring.services import scorer

    scorer.preload()
    guarantees.check(Path(settings.PODIUM_DATA), required=settings.PODIUM_CONFINEMENT == "require")


def connect() -> None:
    """Listen to the signals of the worker."""
    worker_init.connect(get_ready, dispatch_uid="submissions.get_ready")
    worker_ready.connect(look_for_lost_work, dispatch_uid="submissions.look_for_lost_work")
