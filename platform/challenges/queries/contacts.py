"""Private conversations of people with the organizers of a challenge."""

from typing import Any, NamedTuple

from django.contrib.contenttypes.models import ContentType
from django.db.models import Case, CharField, F, OuterRef, Q, QuerySet, Subquery, Value, When

from accounts.conversations.models import Post, Thread
from challenges.models import Challenge, Contact, Organizer

OPEN, ANSWERED, CLOSED = "open", "answered", "closed"


def contacts_of(challenge: Challenge) -> QuerySet[Contact]:
    """Return the conversations of a challenge with `title`, `last_post_at` and `state`, the last written first.

    The state is ``open`` while the last post is the sender's, ``answered`` after a post of an organizer, or ``closed``.
    """
    return _with_state(Contact.objects.filter(challenge=challenge))


def own_contacts(user: Any, challenge: Challenge) -> QuerySet[Contact]:
    """Return the conversations that a person began in a challenge."""
    return contacts_of(challenge).filter(sender=user)


class OpenContact(NamedTuple):
    """An open conversation, for lists of pending actions."""

    pk: int
    title: str
    slug: str
    challenge: str


def open_contacts(user: Any, limit: int = 6) -> list[OpenContact]:
    """Return the latest open conversations in all challenges that a person organizes; one query."""
    organized = Organizer.objects.filter(user=user, role__in=Organizer.TRUSTED).values("challenge")
    rows = _with_state(Contact.objects.filter(challenge__in=organized)).filter(Q(state=OPEN))
    columns = ("pk", "title", "challenge__slug", "challenge__title")
    return [OpenContact(*row) for row in rows.values_list(*columns)[:limit]]


def thread_of(contact: Contact) -> Thread:
    """Return the thread with the posts of a conversation."""
    return contact.threads.select_related("author", "closed_by").get()


def _with_state(rows: QuerySet[Contact]) -> QuerySet[Contact]:
    threads = Thread.objects.filter(
        content_type=ContentType.objects.get_for_model(Contact), object_id=OuterRef("pk")
    ).order_by()
    posts = Post.objects.filter(
        thread__content_type=ContentType.objects.get_for_model(Contact), thread__object_id=OuterRef("pk")
    ).order_by("-created_at", "-pk")
    return (
        rows.select_related("sender", "challenge")
        .annotate(
            title=Subquery(threads.values("title")[:1]),
            last_post_at=Subquery(threads.values("last_post_at")[:1]),
            closed_at=Subquery(threads.values("closed_at")[:1]),
            last_author=Subquery(posts.values("author")[:1]),
        )
        .annotate(
            state=Case(
                When(Q(closed_at__isnull=False), then=Value(CLOSED)),
                When(Q(last_author=F("sender")), then=Value(OPEN)),
                default=Value(ANSWERED),
                output_field=CharField(),
            )
        )
        .order_by("-last_post_at", "-pk")
    )
