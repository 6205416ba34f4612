"""A row that one worker holds for a while: renewed as long as the work goes on, free again once the worker is dead."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import structlog
from django.db import OperationalError, connection
from django.db.models import Model

from web.clock import shared_now

log = structlog.get_logger(__name__)


@contextmanager
def kept(claim: Model, lease: timedelta) -> Iterator[None]:
    """Renew the lease while the computation runs, from a thread: no single step of it has to be short."""
    done = threading.Event()
    rows = type(claim).objects.filter(pk=claim.pk, lease=claim.lease)

    def renew() -> None:
        while not done.wait(lease.total_seconds() / 4):
            try:
                rows.update(lease_until=shared_now() + lease)
            except OperationalError:
                # A database that is busy now will answer before the lease has run out; the work goes on meanwhile.
                log.warning("lease_not_renewed", model=rows.model.__name__, row=claim.pk)
            finally:
                connection.close()

    thread = threading.Thread(target=renew, name="ranking-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
