"""Obstacles to closing an account because of designs, and removal of the person from all designs."""

from collections.abc import Iterator

from accounts import hooks
from accounts.models import User
from designs.models import Collaborator


def register() -> None:
    """Register the checks and removals of designs that run before an account is closed."""
    hooks.obstacles.register(obstacles)
    hooks.leavings.register(leave)


def obstacles(user: User) -> Iterator[str]:
    """A design on which others work must not be left without an owner."""
    owner = Collaborator.Role.OWNER
    for ownership in Collaborator.objects.filter(user=user, role=owner).select_related("design").order_by("design"):
        others = Collaborator.objects.filter(design=ownership.design).exclude(user=user)
        if others.exists() and not others.filter(role=owner).exists():
            yield f"You are the only owner of the design “{ownership.design.title}”. Make another person its owner first."


def leave(user: User) -> None:
    """Take the person off all designs."""
    Collaborator.objects.filter(user=user).delete()
