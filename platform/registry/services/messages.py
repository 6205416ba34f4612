"""Telling people what happened to a registration."""

from typing import Any

from designs.models import Collaborator
from notifications import kinds
from notifications.services import notify
from registry.models import Comment, Registration

REGISTERED, COMMENTED, ANSWERED, ENDED = (
    "design_registered",
    "registration_commented",
    "registration_comment_answered",
    "registration_ended",
)
EXCERPT = 300


def register_kinds() -> None:
    """Let people choose how they get these messages."""
    kinds.register(REGISTERED, "Your design is registered", order=36)
    kinds.register(COMMENTED, "Somebody comments on your registered design", order=37)
    kinds.register(ANSWERED, "Your comment on a registered design is answered", order=38)
    kinds.register(ENDED, "A registered challenge is withdrawn or abandoned", order=39)


def tell_registered(registration: Registration, actor: Any) -> None:
    """Tell everybody who works on the design, but for who did it."""
    _tell(
        registration,
        REGISTERED,
        f"Registered as {registration.identifier}",
        f"The design “{registration.design.title}” is public now, as version 1.0. Later changes go through change requests.",
        people=_team(registration, but=actor),
        key=f"registered-{registration.pk}",
    )


def tell_commented(comment: Comment) -> None:
    """Tell everybody who works on the design."""
    _tell(
        comment.registration,
        COMMENTED,
        f"Comment on {comment.registration.identifier}",
        comment.text[:EXCERPT],
        people=_team(comment.registration, but=comment.author),
        key=f"comment-{comment.pk}",
        page="comments/",
    )


def tell_answered(comment: Comment) -> None:
    """Tell the author of the comment."""
    _tell(
        comment.registration,
        ANSWERED,
        f"Answer to your comment on {comment.registration.identifier}",
        comment.answer[:EXCERPT],
        people=[comment.author] if comment.author_id != comment.answered_by_id else [],
        page="comments/",
    )


def tell_ended(registration: Registration, actor: Any) -> None:
    """Tell everybody who works on the design, but for who did it."""
    _tell(
        registration,
        ENDED,
        f"{registration.identifier} is {registration.get_state_display()}",
        registration.reason[:EXCERPT],
        people=_team(registration, but=actor),
    )


def _team(registration: Registration, *, but: Any) -> list[Any]:
    parts = Collaborator.objects.filter(design=registration.design_id).select_related("user")
    return [part.user for part in parts if but is None or part.user_id != but.pk]


def _tell(
    registration: Registration, kind: str, subject: str, text: str, *, people: list[Any], key: str = "", page: str = ""
) -> None:
    notify(
        people=people,
        kind=kind,
        subject=subject,
        text=text,
        address=registration.get_absolute_url() + page,
        scope=registration.identifier,
        key=key,
    )
