"""Telling people what happened to a registration."""

from typing import Any

from conversations.models import Post, Thread
from designs.models import Collaborator
from notifications import kinds
from notifications.services import notify
from registry.models import Registration

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
        f"{registration.design.title}: registered as {registration.identifier}",
        f"The design “{registration.design.title}” is registered as {registration.identifier} and public now, as version 1.0. "
        "Later changes go through change requests; the record leads on to what can be done next.",
        people=_team(registration, but=actor),
        key=f"registered-{registration.pk}",
    )


def tell_commented(registration: Registration, thread: Thread, post: Post) -> None:
    """Tell everybody who works on the design, but for who commented."""
    _tell(
        registration,
        COMMENTED,
        f"{registration.design.title}: a comment on {registration.identifier}",
        f"Somebody comments on your registered design “{registration.design.title}” ({registration.identifier}). Answer on "
        f"the page of comments, where everybody reads it.\n\n{post.text[:EXCERPT]}",
        people=_team(registration, but=post.author),
        key=f"comment-{thread.pk}",
        page="comments/",
    )


def tell_answered(registration: Registration, thread: Thread, answer: Post) -> None:
    """Tell the author of the comment."""
    _tell(
        registration,
        ANSWERED,
        f"{registration.design.title}: your comment on {registration.identifier} is answered",
        f"Your comment on the registered design “{registration.design.title}” ({registration.identifier}) is answered."
        f"\n\n{answer.text[:EXCERPT]}",
        people=[thread.author] if thread.author_id != answer.author_id else [],
        page="comments/",
    )


def tell_ended(registration: Registration, actor: Any) -> None:
    """Tell everybody who works on the design, but for who did it."""
    _tell(
        registration,
        ENDED,
        f"{registration.design.title}: {registration.identifier} is {registration.get_state_display()}",
        f"The registered challenge “{registration.design.title}” ({registration.identifier}) is "
        f"{registration.get_state_display()}. Its record stays public and says so.\n\nThe reason: {registration.reason[:EXCERPT]}",
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
