"""Short leases on work: claimed by one worker, renewed while it is alive, free again when it falls silent."""

import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, Q

from web.clock import shared_now
from web.leased import Leased


def lease_time() -> timedelta:
    """How long a worker may be silent before its work is given to another."""
    return timedelta(seconds=settings.PODIUM_LEASE_SECONDS)


def task_budget() -> float:
    """Seconds after which a task hands the rest of its cases back, well before the broker would give up on it."""
    return settings.PODIUM_TASK_SECONDS / 2


def free() -> Q:
    """Rows that nobody holds, or whose holder has fallen silent."""
    return Q(lease_until__isnull=True) | Q(lease_until__lt=shared_now())


def claim(model: type[Leased], pk: object, *, states: tuple[str, ...], **changes: Any) -> uuid.UUID | None:
    """Take the lease of a row in one of `states`; one conditional update, so that only one worker can get it.

    Returns the token that proves the lease, or None when another worker holds it or there is nothing to do any more.
    """
    token = uuid.uuid4()
    rows = model._default_manager.filter(free(), Q(state__in=states), pk=pk)  # noqa: SLF001 (Django's documented name, which every model has)
    taken = rows.update(lease_token=token, lease_until=shared_now() + lease_time(), attempt=F("attempt") + 1, **changes)
    return token if taken else None


class Heart:
    """Renews a lease while its holder works; call `beat` often, it writes only when a third of the lease is over."""

    def __init__(self, model: type[Leased], pk: object, token: uuid.UUID) -> None:
        self._rows = model._default_manager.filter(pk=pk, lease_token=token)  # noqa: SLF001 (Django's documented name, which every model has)
        self._due = time.monotonic() + self._pause
        self.is_lost = False

    @property
    def _pause(self) -> float:
        return lease_time().total_seconds() / 3

    def beat(self, changes: Callable[[], dict[str, Any]] = dict) -> None:
        """Renew the lease if it is due, storing `changes()` with it."""
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + self._pause
        renewed = self._rows.update(lease_until=shared_now() + lease_time(), **changes())
        self.is_lost = not renewed


class LeaseLostError(Exception):
    """Another worker has taken over; what was found is thrown away."""
