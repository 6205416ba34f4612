"""A row that one worker holds for a while: renewed as long as the work goes on, free again once the worker is dead."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import connection

from leaderboards.models import Analysis, RankingRequest, Report
from web.clock import shared_now


@contextmanager
def kept(claim: RankingRequest | Analysis | Report, lease: timedelta) -> Iterator[None]:
    """Renew the lease while the computation runs, from a thread: no single step of it has to be short."""
    done = threading.Event()
    rows = type(claim).objects.filter(pk=claim.pk, lease=claim.lease)

    def renew() -> None:
        while not done.wait(lease.total_seconds() / 4):
            rows.update(lease_until=shared_now() + lease)
            connection.close()

    thread = threading.Thread(target=renew, name="ranking-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
