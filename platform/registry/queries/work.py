"""Pending work of the registry for workers."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Q

from core.work.kinds import Kind, doubling
from registry.models import Deposit


def deposits_are_on() -> bool:
    """Return whether deposits are configured for this installation."""
    return bool(settings.PODIUM_DEPOSIT_URL and settings.PODIUM_DEPOSIT_TOKEN)


DEPOSITS = Kind(
    name="deposits",
    doing="depositing a version",
    model=Deposit,
    is_open=Q(state=Deposit.State.QUEUED),
    task="registry.tasks.deposit",
    lease=timedelta(minutes=2),
    # With these pauses the last attempt comes about ten days after the first.
    attempts=18,
    errors=18,
    pause=doubling(timedelta(minutes=2), timedelta(days=1)),
    is_enabled=deposits_are_on,
)
