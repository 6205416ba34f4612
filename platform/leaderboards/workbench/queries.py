"""Reads of brought tables."""

from datetime import timedelta
from typing import Any

import rules
from django.conf import settings
from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils import timezone

from accounts.models import User
from core.work.kinds import Kind
from leaderboards.workbench.models import BroughtTable

# --- Reads of brought tables ------------------------------------------------------------------------------------------
_LARGE = ("outcome", "files", "figures", "reading", "choices", "roles")


def tables_of(user: User) -> QuerySet[BroughtTable]:
    """The tables that a person brought, the newest first."""
    return BroughtTable.objects.filter(owner=user).defer(*_LARGE)


def readable_or_404(user: Any, key: str, *, changing: bool = False) -> BroughtTable:
    """Return the table at an address.

    Raises
    ------
    Http404
        When there is none, or the person may not read (or change) it; the error does not reveal which of the
        two applies.
    """
    table = BroughtTable.objects.filter(key=key).first()
    if table is None or not rules.test_rule("workbench.change" if changing else "workbench.read", user, table):
        raise Http404("There is no analysis at this address, or it is not shared.")
    return table


def refusal_to(user: User) -> str:
    """Return the reason why a person may not upload another table now; empty if they may."""
    held = tables_of(user)
    if held.count() >= settings.PODIUM_ANALYSES_MOST:
        return f"You have {settings.PODIUM_ANALYSES_MOST} analyses, and that is as many as are kept for one person. Delete one first."
    if held.filter(created_at__gt=timezone.now() - timedelta(days=1)).count() >= settings.PODIUM_ANALYSES_PER_DAY:
        return f"You have brought {settings.PODIUM_ANALYSES_PER_DAY} tables today. Try again tomorrow."
    return ""


def expired() -> QuerySet[BroughtTable]:
    """Return the tables that have expired and are not kept."""
    return BroughtTable.objects.filter(is_kept=False, expires_at__lt=timezone.now())


# --- Durable work on uploaded tables that is queued for workers -------------------------------------------------------
BROUGHT_TABLES = Kind(
    name="brought_tables",
    doing="analysing a table that somebody brought",
    model=BroughtTable,
    is_open=Q(state__in=BroughtTable.OPEN),
    task="workbench.tasks.analyse_table",
    lease=timedelta(seconds=60),
    fair_between="owner",
)
