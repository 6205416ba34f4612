"""Acts of talking: announcements, threads, posts, subscriptions."""

from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from audit.services import record
from challenges.models import Announcement, Challenge, Organizer, Post, Subscription, Thread
from challenges.queries.people import organizers_of, participants_of
from notifications.services import notify
from web.templatetags.text import plain

EVERY_ROLE = tuple(Organizer.Role.values)
POSTS_AN_HOUR = 30
EXCERPT = 2000


@transaction.atomic
def announce(*, actor: User, challenge: Challenge, title: str, text: str) -> Announcement:
    """Tell everybody who takes part or organizes, in the page and by e-mail as each of them prefers."""
    told = {person.pk: person for person in [*participants_of(challenge), *organizers_of(challenge, roles=EVERY_ROLE)]}
    announcement = Announcement.objects.create(
        challenge=challenge, title=title, text=text, author=actor, told=len(told)
    )
    record(
        actor=actor,
        act="announcement_published",
        subject=announcement,
        scope=challenge.slug,
        facts={"title": title, "told": len(told)},
    )
    notify(
        people=told.values(),
        kind="announcement",
        subject=f"{challenge.title}: {title}",
        text=plain(text),
        address=reverse("challenges:news", args=[challenge.slug]),
        scope=challenge.slug,
        key=f"announcement {announcement.pk}",
    )
    return announcement


@transaction.atomic
def start_thread(*, actor: User, challenge: Challenge, title: str, text: str) -> Thread:
    """Ask something; who asks follows the thread, organizers and subscribers are told.

    Raises
    ------
    ValidationError
        For a person who has written too much within the hour.
    """
    _check_rate(actor)
    thread = Thread.objects.create(challenge=challenge, title=title, author=actor)
    Post.objects.create(thread=thread, author=actor, text=text)
    follow(user=actor, thread=thread)
    record(actor=actor, act="thread_started", subject=thread, scope=challenge.slug, facts={"title": title})
    subscribers = Subscription.objects.filter(challenge=challenge, thread=None).select_related("user")
    people = [*organizers_of(challenge, roles=EVERY_ROLE), *(row.user for row in subscribers)]
    _tell(people, actor, thread, f"{challenge.title}: {title}", text)
    return thread


@transaction.atomic
def reply(*, actor: User, thread: Thread, text: str) -> Post:
    """Write in a thread; who follows it is told, and who writes follows.

    Raises
    ------
    ValidationError
        In a closed thread, and for a person who has written too much within the hour.
    """
    _check_rate(actor)
    thread = Thread.objects.select_for_update(of=("self",)).select_related("challenge").get(pk=thread.pk)
    if thread.is_closed:
        raise ValidationError("This thread is closed.")
    post = Post.objects.create(thread=thread, author=actor, text=text)
    thread.last_post_at = post.created_at
    thread.save(update_fields=["last_post_at"])
    follow(user=actor, thread=thread)
    record(actor=actor, act="post_written", subject=post, scope=thread.challenge.slug, facts={"thread": thread.pk})
    followers = Subscription.objects.filter(thread=thread).select_related("user")
    _tell([row.user for row in followers], actor, thread, f"Re: {thread.title}", text)
    return post


@transaction.atomic
def mark_answer(*, actor: User, post: Post, is_answer: bool = True) -> None:
    """Mark a post as the answer of its thread, or take the mark away; a thread has one answer."""
    thread = Thread.objects.select_for_update(of=("self",)).select_related("challenge").get(pk=post.thread_id)
    Post.objects.filter(thread=thread, is_answer=True).update(is_answer=False)
    if is_answer:
        Post.objects.filter(pk=post.pk).update(is_answer=True)
    record(
        actor=actor,
        act="answer_marked" if is_answer else "answer_unmarked",
        subject=post,
        scope=thread.challenge.slug,
        facts={"thread": thread.pk},
    )


@transaction.atomic
def hide(*, actor: User, post: Post) -> None:
    """Take a post off the pages; it stays in the database."""
    if Post.objects.filter(pk=post.pk, hidden_at=None).update(
        hidden_at=timezone.now(), hidden_by=actor, is_answer=False
    ):
        record(actor=actor, act="post_hidden", subject=post, scope=post.thread.challenge.slug)


@transaction.atomic
def close_thread(*, actor: User, thread: Thread, closed: bool) -> None:
    """Close a thread, or open it again."""
    if Thread.objects.filter(pk=thread.pk, is_closed=not closed).update(is_closed=closed):
        record(
            actor=actor,
            act="thread_closed" if closed else "thread_opened",
            subject=thread,
            scope=thread.challenge.slug,
        )


def follow(*, user: Any, thread: Thread | None = None, challenge: Challenge | None = None) -> None:
    """Be told of answers in a thread, or of new threads of a challenge."""
    Subscription.objects.get_or_create(challenge=thread.challenge if thread else challenge, thread=thread, user=user)


def unfollow(*, user: Any, thread: Thread | None = None, challenge: Challenge | None = None) -> None:
    """No longer be told."""
    rows = Subscription.objects.filter(user=user, thread=thread)
    (rows if thread else rows.filter(challenge=challenge)).delete()


def _tell(people: list[User], actor: User, thread: Thread, subject: str, text: str) -> None:
    notify(
        people=[person for person in people if person.pk != actor.pk],
        kind="discussion",
        subject=subject,
        text=f"{actor.display_name}: {plain(text)[:EXCERPT]}",
        address=thread.get_absolute_url(),
        scope=thread.challenge.slug,
    )


def _check_rate(actor: User) -> None:
    hour_ago = timezone.now() - timedelta(hours=1)
    if Post.objects.filter(author=actor, created_at__gt=hour_ago).count() >= POSTS_AN_HOUR:
        raise ValidationError("You have written a lot within the last hour. Please go on later.")
