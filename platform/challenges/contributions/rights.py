"""Challenges and closed accounts: obstacles to closing, and removal of a person's data."""

from collections.abc import Iterator

from django.utils import timezone

from accounts import hooks
from accounts.models import User
from challenges.models import Challenge, Member, Organizer, Participation


def register() -> None:
    """Register the checks and removals of challenges for closing an account."""
    hooks.obstacles.register(obstacles)
    hooks.leavings.register(leave)


def obstacles(user: User) -> Iterator[str]:
    """Yield an obstacle for each challenge that would lose its only owner."""
    owned = Challenge.objects.filter(organizer__user=user, organizer__role=Organizer.Role.OWNER).distinct()
    for challenge in owned.order_by("title"):
        others = Organizer.objects.filter(challenge=challenge, role=Organizer.Role.OWNER).exclude(user=user)
        if not others.filter(user__is_active=True).exists():
            yield f"You are the only owner of the challenge “{challenge.title}”. Make another person an owner first."


def leave(user: User) -> None:
    """Remove the person from teams and from the lists of organizers.

    The submissions of a team remain with the team.
    """
    Organizer.objects.filter(user=user).delete()
    Member.everybody.filter(user=user, left_at=None).update(left_at=timezone.now())
    Participation.objects.filter(user=user).update(affiliation="", orcid="", message="")
