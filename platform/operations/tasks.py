"""Celery wrappers and the heartbeats of workers."""

import time
from typing import Any

from celery import shared_task
from celery.signals import task_prerun, worker_ready
from django.db import DatabaseError

from datastore.uploads.storage import remove_leftovers
from operations.services import heartbeats

TELL_EVERY = 5.0
"""Seconds between two notes of a process that works without a pause."""
_told: dict[str, float] = {}


@shared_task(expires=9)
def heartbeat() -> None:
    """Show that scheduler, broker, worker and database work together."""
    heartbeats.beat(queue="sweep")


@shared_task
def tidy() -> int:
    """Delete what writers that were killed left in the storage on disk; returns how many files."""
    return remove_leftovers()


@worker_ready.connect
def first_heartbeat(**_: object) -> None:
    """A worker that has just started shows it at once, not only when the clock asks the next time."""
    heartbeat.apply_async()


@task_prerun.connect
def tell(task: Any = None, **_: object) -> None:
    """Record a heartbeat for any task that a worker accepts.

    Behind a full queue, the scheduled heartbeat would arrive too late.
    """
    request = getattr(task, "request", None)
    if request is None or request.is_eager:
        return
    queue = (request.delivery_info or {}).get("routing_key") or "ingest"
    if time.monotonic() - _told.get(queue, -TELL_EVERY) < TELL_EVERY:
        return
    _told[queue] = time.monotonic()
    try:
        heartbeats.beat(queue=queue)
    except DatabaseError:
        _told.pop(queue)  # the task itself will tell
