"""Scoring many submissions again, for organizers."""

from collections.abc import Iterable

from django.core.exceptions import ValidationError

from accounts.models import User
from submissions.models import Submission
from submissions.services.states import repeat


def repeat_all(*, actor: User, submissions: Iterable[Submission]) -> tuple[int, int]:
    """Have every submission worked on once more that is not worked on already; returns how many were, and were not.

    Each one is a transaction of its own: what is under way does not hold up the others.
    """
    taken = left = 0
    for submission in submissions:
        try:
            repeat(submission=submission, actor=actor)
        except ValidationError:
            left += 1
        else:
            taken += 1
    return taken, left
