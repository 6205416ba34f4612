"""The one clock that all machines of an installation share: the database's.

Leases compare moments that different machines wrote. With each machine's own clock, one that is an hour ahead would take
everybody's work away, and its own would wait an hour for it to be found lost.
"""

from datetime import datetime

from django.db import connection
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
