"""What waits for a worker, what got lost, and how the work stands; and the one clock that all machines share: the database's.

Leases compare moments that different machines wrote. With each machine's own clock, one that is an hour ahead would take
everybody's work away, and its own would wait an hour for it to be found lost.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, F, Min, Q, QuerySet
from django.utils import timezone

from work.kinds import Kind, registered


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
    """Rows whose moment in `field` is further from the shared present than `patience`, on either side.

    A message that was sent in the future was sent by a machine whose clock was wrong: to wait until then would be to lose
    the work for as long.

    Parameters
    ----------
    field
        Name of a field with the moment at which something was asked for.
    patience
        How long that may take to arrive.

    Returns
    -------
    Q
        A condition; rows without a moment do not match.
    """
    now = shared_now()
    return Q(**{f"{field}__lt": now - patience}) | Q(**{f"{field}__gt": now + patience})


def free(now: datetime) -> Q:
    """Rows that nobody holds, or whose holder fell silent, and whose time has come."""
    return (Q(lease_until=None) | Q(lease_until__lt=now)) & _due(now)


def held(now: datetime) -> Q:
    """Rows that a living worker holds."""
    return Q(lease_until__gte=now, lease_token__isnull=False)


def living_leases(rows: QuerySet[Any]) -> set[str]:
    """The names of the leases by which some of these rows are held."""
    return {str(token) for token in rows.filter(held(shared_now())).values_list("lease_token", flat=True)}


def _due(now: datetime) -> Q:
    return Q(due_at=None) | Q(due_at__lte=now)


def waiting(kind: Kind) -> QuerySet[Any]:
    """Rows that a worker could begin now."""
    return kind.open_rows.filter(free(shared_now()))


def lost(kind: Kind) -> QuerySet[Any]:
    """Rows that a worker could begin now, and whose message should have arrived or was never sent."""
    return waiting(kind).filter(Q(asked_at=None) | overdue("asked_at", kind.patience)).order_by(*kind.order)


def next_rows(kind: Kind, limit: int = 8) -> list[Any]:
    """Return the keys of the rows whose turn is next; several, because another worker may be faster with the first.

    Where workers are shared between somebodies, those with the least under way come first; then the kind's order holds.
    """
    rows = waiting(kind).order_by(*kind.order)
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
    """How the work of one kind stands.

    Attributes
    ----------
    length
        What waits or is worked on; a run of which one part waits while another is worked on counts once.
    waiting
        What waits for a worker and could be begun now.
    running
        What a living worker holds.
    put_off
        What is tried again later.
    repeated
        What is open and was begun before without coming to an end.
    oldest
        Since when the oldest that waits or is worked on does.
    running_since
        The same of what is worked on.
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
        """Whether nothing is left to do."""
        return not self.length and not self.put_off

    def __str__(self) -> str:
        return f"busy since {self.running_since:%H:%M:%S} UTC: {self.kind.doing}" if self.running_since else "idle"


def figures_of(kind: Kind, *, challenge: object = None, now: datetime | None = None) -> Figures:
    """Return how the work of a kind stands, on the whole installation or of one challenge; one query."""
    now = now or shared_now()
    rows = kind.open_rows.order_by()
    if challenge is not None:
        rows = rows.filter(**{kind.challenge: challenge})
    is_due, is_held = _due(now), held(now)
    numbers = rows.aggregate(
        length=Count(kind.counted, filter=is_due | is_held, distinct=True),
        waiting=Count(kind.counted, filter=free(now), distinct=True),
        running=Count(kind.counted, filter=is_held, distinct=True),
        put_off=Count(kind.counted, filter=~is_due & ~is_held, distinct=True),
        repeated=Count(kind.counted, filter=Q(attempts__gt=1) | Q(attempts=1) & ~is_held, distinct=True),
        oldest=Min(F(kind.since), filter=is_due | is_held),
        running_since=Min(F(kind.since), filter=is_held),
    )
    return Figures(kind=kind, **numbers)


def figures(*, challenge: object = None) -> list[Figures]:
    """Return how the work of every kind stands; one query a kind.

    Parameters
    ----------
    challenge
        Only what belongs to this challenge; kinds that belong to none are left out then.
    """
    now = shared_now()
    kinds = [kind for kind in registered() if challenge is None or kind.challenge]
    return [figures_of(kind, challenge=challenge, now=now) for kind in kinds]


def busy() -> Figures | None:
    """Return the kind of work that has been under way the longest; None when no lease is alive."""
    running = [entry for entry in figures() if entry.running and entry.running_since]
    return min(running, key=lambda entry: entry.running_since or shared_now(), default=None)
