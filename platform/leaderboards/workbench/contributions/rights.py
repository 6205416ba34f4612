"""Handling of uploaded tables when they expire, or when their owner leaves."""

from datetime import datetime

from accounts import hooks
from accounts.models import User
from leaderboards.workbench.models import BroughtTable
from leaderboards.workbench.services.tables import delete_expired, delete_table


def register() -> None:
    """Answer the hooks of accounts."""
    hooks.leavings.register(leave)
    hooks.forgettings.register(forget)


def leave(user: User) -> None:
    """Delete the tables that a person uploaded; they belong to no other person."""
    for table in BroughtTable.objects.filter(owner=user):
        delete_table(actor=user, table=table)


def forget(moment: datetime) -> int:  # noqa: ARG001 (each table says itself until when it is kept)
    """Delete the tables whose own time is over."""
    return delete_expired()
