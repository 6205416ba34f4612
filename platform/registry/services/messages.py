"""Telling people what happened to a registration."""

from typing import Any

from accounts.conversations.models import Post, Thread
from accounts.notifications import kinds
from accounts.notifications.domain import letters_of_records
from accounts.notifications.domain.acts import Letter
from accounts.notifications.services import notify
from designs.models import Collaborator
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
    kinds.register(REGISTERED, "Your design is registered", order=36, role="organizer")
    kinds.register(COMMENTED, "Your registered design has a new comment", order=37, role="organizer")
    kinds.register(ANSWERED, "Your comment on a registered design is answered", order=38)
    kinds.register(ENDED, "A registered challenge is withdrawn or abandoned", order=39)


def tell_registered(registration: Registration, actor: Any) -> None:
    """Notify all people who work on the design, except the actor."""
    letter = letters_of_records.REGISTERED.letter(_of(registration))
    _tell(registration, REGISTERED, letter, people=_team(registration, but=actor), key=f"registered-{registration.pk}")


def tell_commented(registration: Registration, thread: Thread, post: Post) -> None:
    """Notify all people who work on the design, except the author of the comment."""
    letter = letters_of_records.COMMENTED.letter(_of(registration, words=post.text[:EXCERPT]))
    people = _team(registration, but=post.author)
    _tell(registration, COMMENTED, letter, people=people, key=f"comment-{thread.pk}", page="comments/")


def tell_answered(registration: Registration, thread: Thread, answer: Post) -> None:
    """Notify the author of the comment."""
    letter = letters_of_records.COMMENT_ANSWERED.letter(_of(registration, words=answer.text[:EXCERPT]))
    people = [thread.author] if thread.author_id != answer.author_id else []
    _tell(registration, ANSWERED, letter, people=people, page="comments/")


def tell_ended(registration: Registration, actor: Any) -> None:
    """Notify all people who work on the design, except the actor."""
    of = _of(registration, state=registration.get_state_display(), words=registration.reason[:EXCERPT])
    _tell(registration, ENDED, letters_of_records.ENDED.letter(of), people=_team(registration, but=actor))


def _of(registration: Registration, **facts: Any) -> letters_of_records.OfRecord:
    """A registration as letters know it."""
    return letters_of_records.OfRecord(registration.design.title, registration.identifier, **facts)


def _team(registration: Registration, *, but: Any) -> list[Any]:
    parts = Collaborator.objects.filter(design=registration.design_id).select_related("user")
    return [part.user for part in parts if but is None or part.user_id != but.pk]


def _tell(
    registration: Registration, kind: str, letter: Letter, *, people: list[Any], key: str = "", page: str = ""
) -> None:
    notify(
        people=people,
        kind=kind,
        subject=letter.subject,
        text=letter.text,
        address=registration.get_absolute_url() + page,
        scope=registration.identifier,
        key=key,
    )
