"""The state of database, broker and worker, each checked in bounded time."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone
from kombu.exceptions import OperationalError

from confinement.guarantees import NAMES, sentence
from core.work.queries import busy
from executions.queries.availability import summary
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
    """A worker is well when a task came through lately, or when it keeps the lease of what it works on alive."""
    try:
        newest = Heartbeat.objects.order_by("-seen_at").first()
        silent = None if newest is None else timezone.now() - newest.seen_at
        if silent is not None and silent < WORKER_SILENCE:
            return State(ok=True, detail=_seen(silent))
        under_way = busy()
    except DatabaseError:
        return State(ok=False, detail="unknown")
    if under_way is not None:
        return State(ok=True, detail=str(under_way))
    return State(ok=False, detail="has not reported yet" if silent is None else _seen(silent))


def confinement() -> State:
    """Return the confinement guarantees that apply on all machines with workers.

    They concern the child processes that read participants' files.
    """
    try:
        holds = held_everywhere(Heartbeat.objects.all())
    except DatabaseError:
        return State(ok=False, detail="unknown")
    if not holds:
        return State(ok=True, detail="no worker has reported yet")
    return State(ok=all(holds.values()) or settings.PODIUM_CONFINEMENT != "require", detail=sentence(holds))


def runs() -> State:
    """Return which machines run algorithms, and why others do not.

    An installation without an engine is healthy.
    """
    try:
        ok, detail = summary()
    except DatabaseError:
        return State(ok=False, detail="unknown")
    return State(ok=ok, detail=detail)


def held_everywhere(beats: Iterable[Heartbeat]) -> dict[str, bool]:
    """Return whether each guarantee applies on every machine that reported its guarantees.

    The result is empty if no machine reported any.
    """
    confinements = [beat.confinement for beat in beats if beat.confinement]
    return (
        {name: all(guarantees.get(name, False) for guarantees in confinements) for name in NAMES}
        if confinements
        else {}
    )


def health() -> dict[str, State]:
    """Check all parts."""
    return {
        "database": database(),
        "broker": broker(),
        "worker": worker(),
        "confinement": confinement(),
        "runs": runs(),
    }


def _seen(silent: timedelta) -> str:
    return f"last seen {max(0, int(silent.total_seconds()))} s ago"
