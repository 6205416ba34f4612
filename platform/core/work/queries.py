"""Queries on open and lost work and its progress, and the clock that all machines share: the database's.

Leases compare moments that different machines wrote. With each machine's own clock, a clock that is an
hour ahead would take over all other workers' work. Its own lost work would be found an hour late.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from celery import current_app
from django.db import connection
from django.db.models import Count, F, Min, Q, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError

from core.work.domain.messages import Queued, queued_on
from core.work.kinds import Kind, registered

LONGEST_PATIENCE = timedelta(minutes=1)
"""A message that was not taken for so long is sent again where it is not queued, however often it was sent before."""


def shared_now() -> datetime:
    """Return the present moment by the database's clock, also within a transaction; SQLite has its machine's.

    Returns
    -------
    datetime
        With time zone.
    """
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]


def overdue(field: str, patience: timedelta) -> Q:
    """Return a condition for rows whose moment in `field` is more than `patience` away from the shared present.

    The difference counts in both directions. A message with a sending time in the future comes from a machine
    with a wrong clock. Waiting until then would lose the work for that time.

    Parameters
    ----------
    field
        Name of a field with the moment of a request.
    patience
        Time that the request may take to arrive.

    Returns
    -------
    Q
        A condition; rows without a moment do not match.
    """
    now = shared_now()
    return Q(**{f"{field}__lt": now - patience}) | Q(**{f"{field}__gt": now + patience})


def free(now: datetime) -> Q:
    """Return a condition for due rows without a holder, or with a holder that fell silent."""
    return (Q(lease_until=None) | Q(lease_until__lt=now)) & _due(now)


def held(now: datetime) -> Q:
    """Rows that a living worker holds."""
    return Q(lease_until__gte=now, lease_token__isnull=False)


def living_leases(rows: QuerySet[Any]) -> set[str]:
    """The names of the leases by which some of these rows are held."""
    # Without an order, which would read further tables for nothing.
    return {str(token) for token in rows.filter(held(shared_now())).order_by().values_list("lease_token", flat=True)}


def _due(now: datetime) -> Q:
    return Q(due_at=None) | Q(due_at__lte=now)


def waiting(kind: Kind) -> QuerySet[Any]:
    """Rows that a worker could begin now."""
    return kind.open_rows.filter(free(shared_now()))


def lost(kind: Kind) -> QuerySet[Any]:
    """Rows that a worker could begin now, and whose message should have arrived or was never sent."""
    return waiting(kind).filter(Q(asked_at=None) | overdue("asked_at", kind.patience)).order_by(*kind.order)


def patience(kind: Kind, asked_at: datetime, moments: Iterable[datetime | None]) -> timedelta:
    """Return how long to wait for the message of a row before another message is sent.

    The time grows with each message without effect, from the kind's patience to a minute. If workers receive
    messages and cannot begin, for instance on a full disk, more messages do not help.

    Parameters
    ----------
    asked_at
        Time of the last request for a worker.
    moments
        Times since which the row is open, until which it had a holder, and at which it became due; None where
        not applicable.

    Examples
    --------
    >>> from datetime import UTC
    >>> from types import SimpleNamespace
    >>> kind, noon = SimpleNamespace(patience=timedelta(seconds=5)), datetime(2026, 3, 1, 12, tzinfo=UTC)
    >>> [patience(kind, noon + timedelta(seconds=after), [noon, None]).seconds for after in (0, 6, 13, 27, 600)]
    [5, 6, 13, 27, 60]
    """
    waits_since = max((moment for moment in moments if moment is not None), default=asked_at)
    return min(max(asked_at - waits_since, kind.patience), max(LONGEST_PATIENCE, kind.patience))


def queued_messages(queue: str) -> Queued | None:
    """Return what is queued at the broker and was not taken yet; None where the broker does not answer."""
    if current_app.conf.task_always_eager:
        return Queued()
    try:
        with current_app.connection_for_read(connect_timeout=2) as link:
            link.ensure_connection(max_retries=1, interval_start=0, timeout=2)
            return queued_on(link.default_channel, queue)
    except (BrokerError, ConnectionError, TimeoutError):
        return None


def next_rows(kind: Kind, limit: int = 8, *, only: Q | None = None) -> list[Any]:
    """Return the keys of the rows whose turn is next; several, because another worker may be faster with the first.

    If workers are shared between owners, the rows of owners with the least in progress come first.
    Otherwise, the order of the kind applies.

    Parameters
    ----------
    only
        Condition of the rows that the worker may claim; what other workers process counts for the order all the same.
    """
    rows = waiting(kind).order_by(*kind.order)
    if only is not None:
        rows = rows.filter(only)
    whose = kind.fair_between
    if not whose:
        return list(rows.values_list("pk", flat=True)[:limit])
    under_way = kind.open_rows.filter(held(shared_now())).order_by()
    busy = dict(under_way.values_list(whose).annotate(number=Count("pk")).values_list(whose, "number"))
    if not busy:
        return list(rows.values_list("pk", flat=True)[:limit])
    idle = list(rows.exclude(**{f"{whose}__in": busy}).values_list("pk", flat=True)[:limit])
    if len(idle) == limit:
        return idle
    others = rows.filter(**{f"{whose}__in": busy}).values_list("pk", whose)[: 4 * limit]
    return idle + [pk for pk, owner in sorted(others, key=lambda row: busy[row[1]])][: limit - len(idle)]


@dataclass(frozen=True)
class Figures:
    """State of the work of one kind.

    Attributes
    ----------
    length
        Number of items that are waiting or in progress; a run with one part waiting and another in progress
        counts once.
    waiting
        Number of items that wait for a worker and could begin now.
    running
        Number of items that a living worker is processing.
    put_off
        Number of items that are tried again later.
    repeated
        Number of open items that were begun before without being completed.
    oldest
        Time since which the oldest item that is waiting or in progress has been open.
    running_since
        Time since which the oldest item in progress has been open.
    """

    kind: Kind
    length: int
    waiting: int
    running: int
    put_off: int
    repeated: int
    oldest: datetime | None
    running_since: datetime | None

    @property
    def is_nothing(self) -> bool:
        """True if no work remains."""
        return not self.length and not self.put_off

    def __str__(self) -> str:
        return f"busy since {self.running_since:%H:%M:%S} UTC: {self.kind.doing}" if self.running_since else "idle"


def _numbers(kind: Kind, now: datetime) -> dict[str, Any]:
    """Return the aggregates over open rows that make up `Figures`."""
    is_due, is_held = _due(now), held(now)
    return {
        "length": Count(kind.counted, filter=is_due | is_held, distinct=True),
        "waiting": Count(kind.counted, filter=free(now), distinct=True),
        "running": Count(kind.counted, filter=is_held, distinct=True),
        "put_off": Count(kind.counted, filter=~is_due & ~is_held, distinct=True),
        "repeated": Count(kind.counted, filter=Q(attempts__gt=1) | Q(attempts=1) & ~is_held, distinct=True),
        "oldest": Min(F(kind.since), filter=is_due | is_held),
        "running_since": Min(F(kind.since), filter=is_held),
    }


def figures_of(kind: Kind, *, now: datetime | None = None) -> Figures:
    """Return the state of the work of a kind; one query."""
    rows = kind.open_rows.order_by()
    return Figures(kind=kind, **rows.aggregate(**_numbers(kind, now or shared_now())))


def figures() -> list[Figures]:
    """Return the state of the work of every kind; one query per kind."""
    now = shared_now()
    return [figures_of(kind, now=now) for kind in registered()]


@dataclass(frozen=True)
class Backlog:
    """Open work of the whole installation, and the part of it that belongs to one challenge.

    Attributes
    ----------
    rows
        For each kind with open work: figures of the installation, as the metrics report them, and the number
        that belongs to the challenge. None for kinds that belong to no challenge.
    """

    rows: list[tuple[Figures, int | None]]

    @property
    def length(self) -> int:
        """Number of items that are waiting or in progress."""
        return sum(entry.length for entry, _ in self.rows)

    @property
    def oldest(self) -> datetime | None:
        """Since when the oldest of it does."""
        return min((entry.oldest for entry, _ in self.rows if entry.oldest), default=None)


def backlog_of(challenge: object) -> Backlog:
    """Return the backlog as an organizer of a challenge sees it; one query per kind."""
    now, rows = shared_now(), []
    for kind in registered():
        numbers = _numbers(kind, now)
        if kind.challenge:
            numbers["of_challenge"] = Count(kind.counted, filter=Q(**{kind.challenge: challenge}), distinct=True)
        values = kind.open_rows.order_by().aggregate(**numbers)
        of_challenge = values.pop("of_challenge", None)
        entry = Figures(kind=kind, **values)
        if not entry.is_nothing:
            rows.append((entry, of_challenge))
    return Backlog(rows)


def busy() -> Figures | None:
    """Return the kind of work that has been under way the longest; None when no lease is alive."""
    running = [entry for entry in figures() if entry.running and entry.running_since]
    return min(running, key=lambda entry: entry.running_since or shared_now(), default=None)
