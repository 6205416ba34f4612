"""Contributions of this app to the pages of organizers."""

from typing import Any

from challenges import hooks
from challenges.models import Challenge
from executions.judging.queries.scorers import has_scorers


def register() -> None:
    """Add the page of scoring images, where a phase has metrics for one."""
    hooks.register_organizer_page("Scoring image", "judging:scorers", visible=brings_scorers, order=27)


def brings_scorers(user: Any, challenge: Challenge) -> bool:
    """Return whether a person can provide scoring images and the challenge requires them.

    A challenge requires them if one of its phases is registered with a scoring image.
    """
    return bool(user.has_perm("judging.bring_scorers", challenge) and has_scorers(challenge))
