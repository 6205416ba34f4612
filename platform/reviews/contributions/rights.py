"""Obstacles to closing the account of a person in a call, and the texts that they wrote there."""

from collections.abc import Iterator
from typing import Any

from accounts import hooks
from accounts.hooks import OwnText
from accounts.models import User
from accounts.notifications.hooks import HeldRole, roles
from reviews.models import RUNNING, Assignment, Chair, Filing, Review, Reviewer


def register() -> None:
    """Register the check of calls before an account is closed, and the copy of reviews."""
    hooks.obstacles.register(obstacles)
    hooks.own_texts.register(own_texts)


def obstacles(user: User) -> Iterator[str]:
    """A call with open filings needs a chair, and a filing that is under review its reviewers."""
    for chair in Chair.objects.filter(user=user).select_related("call").order_by("call"):
        others = Chair.objects.filter(call=chair.call, user__is_active=True).exclude(user=user)
        if not others.exists() and Filing.objects.filter(call=chair.call, state__in=RUNNING).exists():
            yield f"You are the only chair of the call “{chair.call.title}”, which has open filings. Add another chair first."
    open_ones = Assignment.objects.filter(reviewer__user=user, removed_at=None, filing__state__in=RUNNING)
    if number := open_ones.count():
        yield f"You have {number} open {'review' if number == 1 else 'reviews'}. Decline them, or ask the chair to remove you."


def own_texts(user: User) -> Iterator[OwnText]:
    """Reviews, with what only the chairs read."""
    for review in Review.objects.filter(assignment__reviewer__user=user).order_by("started_at"):
        text = "\n\n".join(part for part in (review.summary, review.confidential) if part)
        if text:
            yield OwnText("review", review.changed_at, text)


def register_roles() -> None:
    """Register reviewers and chairs as roles of the page on e-mails."""
    roles.register(HeldRole("reviewer", "As a reviewer", is_held=_is_reviewer), order=30)
    roles.register(HeldRole("chair", "As a chair", is_held=_is_chair), order=40)


def _is_reviewer(user: Any) -> bool:
    return Reviewer.objects.filter(user=user).exists()


def _is_chair(user: Any) -> bool:
    return Chair.objects.filter(user=user).exists()
