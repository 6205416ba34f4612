"""Handling of submissions when a user closes their account."""

from contextlib import suppress

from django.core.exceptions import ValidationError

from accounts import hooks
from accounts.models import User
from challenges.models import Member
from submissions.models import Submission
from submissions.services.states import withdraw


def register() -> None:
    """Have held submissions looked at when an account is closed, after its person has left their teams."""
    hooks.leavings.register(leave)


def leave(user: User) -> None:
    """Withdraw submissions whose pending decision can no longer be made by any team member.

    Submissions that were scored remain with their team.
    """
    held = Submission.objects.filter(user=user, state=Submission.State.HELD)
    for submission in held.exclude(team__in=Member.objects.values("team")).order_by("pk"):
        # After the close, the next sweep decides.
        with suppress(ValidationError):
            withdraw(submission=submission, actor=user)
