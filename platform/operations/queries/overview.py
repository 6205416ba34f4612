"""State of the installation for the page of administrators."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Group
from django.db.models import Count, QuerySet

from accounts.models import User
from accounts.notifications.models import Email
from core.work.queries import Figures, figures
from datastore.uploads.storage import free_bytes
from reviews.rules import CHAIRS

FAILED_MAILS_SHOWN = 20


@dataclass(frozen=True)
class Overview:
    """Numbers of the installation.

    Attributes
    ----------
    backlog
        Work of each kind that is waiting or in progress; kinds without work are absent.
    mails
        Number of e-mails by state.
    failed_mails
        The latest e-mails that could not be sent.
    free
        Free bytes where uploads arrive.
    """

    administrators: list[User]
    chairs: list[User]
    accounts: int
    backlog: list[Figures]
    mails: dict[str, int]
    failed_mails: list[Email]
    free: int


def overview() -> Overview:
    """Return the numbers; a fixed number of queries plus one per kind of work."""
    states = dict(Email.objects.order_by().values_list("state").annotate(number=Count("pk")))
    return Overview(
        administrators=list(User.objects.filter(is_superuser=True, is_active=True).order_by("username")),
        chairs=list(chairs()),
        accounts=User.objects.filter(is_active=True).count(),
        backlog=[entry for entry in figures() if not entry.is_nothing],
        mails={label: states.get(value, 0) for value, label in Email.State.choices},
        failed_mails=list(Email.objects.filter(state=Email.State.FAILED).order_by("-created_at")[:FAILED_MAILS_SHOWN]),
        free=free_bytes(),
    )


def chairs() -> QuerySet[User]:
    """Return the people who can create and run calls."""
    return User.objects.filter(groups__in=Group.objects.filter(name=CHAIRS), is_active=True).order_by("username")


def is_operator(user: Any) -> bool:
    """Return whether a person administers the installation."""
    return bool(user.is_authenticated and user.is_superuser)
