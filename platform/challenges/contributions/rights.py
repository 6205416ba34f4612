"""What keeps a person in a challenge, and what goes of their part when they close their account."""

from collections.abc import Iterator

from django.utils import timezone

from accounts import hooks
from accounts.models import User
from challenges.models import Challenge, Member, Organizer, Participation


def register() -> None:
    """Have challenges asked before an account is closed."""
    hooks.obstacles.register(obstacles)
    hooks.leavings.register(leave)


def obstacles(user: User) -> Iterator[str]:
    """A challenge must not be left without somebody who may do everything in it."""
    owned = Challenge.objects.filter(organizer__user=user, organizer__role=Organizer.Role.OWNER).distinct()
    for challenge in owned.order_by("title"):
        others = Organizer.objects.filter(challenge=challenge, role=Organizer.Role.OWNER).exclude(user=user)
        if not others.filter(user__is_active=True).exists():
            yield f"You are the only owner of the challenge “{challenge.title}”. Make somebody else an owner first."


def leave(user: User) -> None:
    """Take the person out of teams and off the lists of organizers; what a team handed in stays the team's."""
    Organizer.objects.filter(user=user).delete()
    Member.everybody.filter(user=user, left_at=None).update(left_at=timezone.now())
    Participation.objects.filter(user=user).update(affiliation="", orcid="", message="")
