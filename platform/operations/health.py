"""The state of database, broker and worker, each checked in bounded time."""

from dataclasses import dataclass
from datetime import timedelta

from celery import current_app
from django.db import DatabaseError, connection
from django.utils import timezone
from kombu.exceptions import OperationalError

from operations.models import Heartbeat

WORKER_SILENCE = timedelta(seconds=60)


@dataclass(frozen=True)
class State:
    """One part of the installation: whether it works, and what was seen."""

    ok: bool
    detail: str


def database() -> State:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return State(ok=False, detail="does not answer")
    return State(ok=True, detail=connection.vendor)


def broker() -> State:
    try:
        with current_app.connection_for_write(connect_timeout=2) as link:
            link.ensure_connection(max_retries=1, interval_start=0, timeout=2)
    except (OperationalError, ConnectionError, TimeoutError):
        return State(ok=False, detail="does not answer")
    return State(ok=True, detail="answers")


def worker() -> State:
    try:
        newest = Heartbeat.objects.order_by("-seen_at").first()
    except DatabaseError:
        return State(ok=False, detail="unknown")
    if newest is None:
        return State(ok=False, detail="has not reported yet")
    silent = timezone.now() - newest.seen_at
    return State(ok=silent < WORKER_SILENCE, detail=f"last seen {max(0, int(silent.total_seconds()))} s ago")


def health() -> dict[str, State]:
    """Check all parts."""
    return {"database": database(), "broker": broker(), "worker": worker()}
