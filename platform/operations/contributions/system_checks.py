"""System checks that `check --deploy` runs on an installation before any migration."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.db import DatabaseError, connection


@checks.register(checks.Tags.security, deploy=True)
def address_is_public(**_: Any) -> list[checks.CheckMessage]:
    """Report an error if the address of the site is local and TLS is enabled.

    The address appears in mails and, permanently, in citations.
    """
    host = urlsplit(settings.PODIUM_ADDRESS).hostname or ""
    if not settings.PODIUM_TLS or host not in ("localhost", "127.0.0.1", "::1", ""):
        return []
    return [
        checks.Error(
            f"PODIUM_ADDRESS is {settings.PODIUM_ADDRESS!r}: mails and citations would lead nowhere.",
            hint="Set it to the https:// address of the site.",
            id="operations.E001",
        )
    ]


@checks.register(checks.Tags.security, deploy=True)
def database_takes_every_letter(**_: Any) -> list[checks.CheckMessage]:
    """A cluster made with the locale C takes everything until the first ranking is stored."""
    if connection.vendor != "postgresql":
        return []
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_encoding")
            encoding = cursor.fetchone()[0]
    except DatabaseError:
        return []  # whoever needs the database says so
    if encoding == "UTF8":
        return []
    return [
        checks.Error(
            f"The encoding of the database is {encoding}.",
            hint="Make a database with ENCODING 'UTF8' and restore a dump into it.",
            id="operations.E002",
        )
    ]
