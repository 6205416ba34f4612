"""The one clock that all machines of an installation share: the database's.

Leases compare moments that different machines wrote. With each machine's own clock, one that is an hour ahead would take
everybody's work away, and its own would wait an hour for it to be found lost.
"""

from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Q
from django.utils import timezone


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
