"""What this app adds to the pages of organizers."""

from typing import Any

from challenges import hooks
from challenges.models import Challenge
from judging.queries.scorers import has_scorers


def register() -> None:
    """Add the page of scoring images, where a phase has metrics for one."""
    hooks.register_organizer_page("Scoring image", "judging:scorers", visible=brings_scorers, order=27)


def brings_scorers(user: Any, challenge: Challenge) -> bool:
    """Whether a person brings scoring images, and the challenge has a phase that is registered with one."""
    return bool(user.has_perm("judging.bring_scorers", challenge) and has_scorers(challenge))
