"""Acts: start a thread, write in it, close it, mark its answer, hide a post, follow."""

from collections.abc import Iterable
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from accounts.conversations.hooks import ConversationPolicy, policy_of
from accounts.conversations.models import Post, Subscription, Thread
from accounts.conversations.queries import about
from accounts.models import User
from accounts.notifications.domain.letters_of_people import OfPost
from accounts.notifications.services import notify
from core.audit.services import record
from web.templatetags.text import plain

EXCERPT = 2000


@transaction.atomic
def start_thread(*, actor: User, target: Model, text: str, title: str = "", topic: str = "", part: str = "") -> Thread:
    """Start a conversation; if the policy sends notifications, the author follows it.

    Parameters
    ----------
    target
        Object of the conversation; its app registered a policy for it (`accounts.conversations.hooks.policies`).
    topic, part
        Part of the target that the conversation is about, as the policy knows it.

    Raises
    ------
    PermissionDenied
        For a person without permission to write.
    ValidationError
        Without text, about an unknown topic, and for a person who has written too much within the hour.
    """
    policy = policy_of(target)
    _allow(policy.may_write(actor, target))
    # Held, so that nobody gets beyond a limit or a period by asking twice at the same moment.
    target = policy.model._default_manager.select_for_update(no_key=True).get(pk=target.pk)  # noqa: SLF001 (Django's name for it)
    policy.check_topic(target, topic=topic, part=part)
    _check_rate(policy, actor, target)
    thread = Thread.objects.create(target=target, topic=topic, part=part, title=title, author=actor)
    post = _write(policy, thread, actor, text)
    _record(actor, policy.acts.started, thread, policy, target)
    policy.was_started(post, thread=thread, target=target)
    if policy.mail_kind:
        subscribers = Subscription.objects.filter(**about(target), thread=None).select_related("user")
        people = [*policy.told_of_threads(target), *(row.user for row in subscribers)]
        _tell(policy, people, actor, thread, target, text, is_first=True)
    return thread


@transaction.atomic
def reply(*, actor: User, thread: Thread, text: str) -> Post:
    """Write in a thread and notify its followers.

    Raises
    ------
    PermissionDenied
        For a person without permission to write.
    ValidationError
        Without text, in a closed thread unless writing opens it, and for a person who has written too much
        within the hour.
    """
    policy, target, thread = _held(thread)
    _allow(policy.may_reply(actor, target))
    if thread.is_closed and not policy.reopens:
        raise ValidationError("This thread is closed.")
    _check_rate(policy, actor, target)
    post = _write(policy, thread, actor, text)
    if thread.is_closed:
        _set_closed(thread, None)
    _record(actor, policy.acts.written, thread, policy, target, subject=post)
    if policy.mail_kind:
        followers = Subscription.objects.filter(thread=thread).select_related("user")
        people = [*policy.told_of_replies(target), *(row.user for row in followers)]
        _tell(policy, people, actor, thread, target, text, is_first=False)
    return post


@transaction.atomic
def close_thread(*, actor: User, thread: Thread, closed: bool = True) -> None:
    """Close a thread, or open it again; a repeated call changes nothing.

    Raises
    ------
    PermissionDenied
        For a person without permission to do so.
    """
    policy, target, thread = _held(thread)
    _allow(policy.may_close(actor, target))
    if thread.is_closed != closed:
        _set_closed(thread, actor if closed else None)
        _record(actor, policy.acts.closed if closed else policy.acts.reopened, thread, policy, target)


@transaction.atomic
def answer(*, actor: User, thread: Thread, text: str) -> Post:
    """Answer a thread for the side that does so; a later answer takes the place of the earlier one, which is kept unseen.

    Raises
    ------
    PermissionDenied
        For anybody else.
    ValidationError
        Without text.
    """
    policy, target, thread = _held(thread)
    _allow(policy.may_answer(actor, target))
    Post.objects.filter(thread=thread, is_answer=True).update(
        is_answer=False, hidden_at=timezone.now(), hidden_by=actor, hidden_reason="another answer took its place"
    )
    post = _write(policy, thread, actor, text, is_answer=True)
    _record(actor, policy.acts.answered, thread, policy, target, subject=post)
    policy.was_answered(post, thread=thread, target=target)
    return post


@transaction.atomic
def mark_answer(*, actor: User, post: Post, is_answer: bool = True) -> None:
    """Mark a post as the answer of its thread, or remove the mark; a thread has one answer.

    Raises
    ------
    PermissionDenied
        For a person who is neither the author of the thread nor a moderator, and if the policy has no answers.
    ValidationError
        For a hidden post.
    """
    policy, target, thread = _held(post.thread)
    _allow(policy.may_mark(actor, thread, target))
    if is_answer and not Post.objects.filter(pk=post.pk, hidden_at=None).exists():
        raise ValidationError("This post has been taken off the page.")
    Post.objects.filter(thread=thread, is_answer=True).update(is_answer=False)
    if is_answer:
        Post.objects.filter(pk=post.pk).update(is_answer=True)
    act = policy.acts.answer_marked if is_answer else policy.acts.answer_unmarked
    _record(actor, act, thread, policy, target, subject=post)


@transaction.atomic
def hide_post(*, actor: User, post: Post, reason: str = "") -> None:
    """Take a post off the pages; it stays in the database. Twice changes nothing.

    Raises
    ------
    PermissionDenied
        For anybody but moderators.
    ValidationError
        Without a reason, where one is needed.
    """
    policy, target, thread = _held(post.thread)
    _allow(policy.may_moderate(actor, target))
    reason = " ".join(reason.replace("\x00", "").split())[:300]
    if policy.asks_for_reason and not reason:
        raise ValidationError({"reason": policy.asks_for_reason})
    if Post.objects.filter(pk=post.pk, hidden_at=None).update(
        hidden_at=timezone.now(), hidden_by=actor, hidden_reason=reason, is_answer=False
    ):
        _record(actor, policy.acts.hidden, thread, policy, target, subject=post, reason=reason)


def follow(*, user: User, thread: Thread | None = None, target: Model | None = None) -> None:
    """Follow answers in a thread, or new threads about an object.

    Raises
    ------
    PermissionDenied
        For a person who may not read the conversations.
    """
    if thread is not None:
        target = thread.target
    assert target is not None, "a thread or a target"
    _allow(policy_of(target).may_read(user, target))
    Subscription.objects.get_or_create(**about(target), thread=thread, user=user)


def unfollow(*, user: User, thread: Thread | None = None, target: Model | None = None) -> None:
    """No longer hear of a thread, or of new threads about something."""
    rows = Subscription.objects.filter(user=user, thread=thread)
    (rows if target is None else rows.filter(**about(target))).delete()


def _allow(allowed: bool) -> None:
    if not allowed:
        raise PermissionDenied("You may not do this in this conversation.")


def _held(thread: Thread) -> tuple[ConversationPolicy[Any], Any, Thread]:
    """Policy, target and thread as stored now, the thread held until the transaction ends."""
    thread = Thread.objects.select_for_update(of=("self",), no_key=True).get(pk=thread.pk)
    model = ContentType.objects.get_for_id(thread.content_type_id).model_class()
    assert model is not None, "the content type protects its model"
    return policy_of(model), thread.target, thread


def _write(policy: ConversationPolicy[Any], thread: Thread, actor: User, text: str, *, is_answer: bool = False) -> Post:
    text = text.replace("\r\n", "\n").replace("\x00", "").strip()
    if not text:
        raise ValidationError("Write something first.")
    if len(text) > policy.text_length:
        raise ValidationError(f"At most {policy.text_length:,} characters.")
    post = Post.objects.create(thread=thread, author=actor, text=text, is_answer=is_answer)
    thread.last_post_at = post.created_at
    thread.save(update_fields=["last_post_at"])
    if policy.mail_kind:
        follow(user=actor, thread=thread)
    return post


def _set_closed(thread: Thread, by: User | None) -> None:
    thread.closed_at, thread.closed_by = (timezone.now(), by) if by else (None, None)
    thread.save(update_fields=["closed_at", "closed_by"])


def _check_rate(policy: ConversationPolicy[Any], actor: User, target: Model) -> None:
    """Refuse what is beyond the rate of the policy; nothing is counted where there is none."""
    rate = policy.rate
    if rate is None:
        return
    since = timezone.now() - rate.period
    threads = Thread.objects.filter(content_type=ContentType.objects.get_for_model(policy.model))
    if rate.each_target:
        threads = threads.filter(object_id=target.pk)
    for most, written in (
        (rate.threads, threads.filter(author=actor, created_at__gt=since)),
        (rate.posts, Post.objects.filter(thread__in=threads, author=actor, created_at__gt=since)),
    ):
        if most is not None and written.count() >= most:
            raise ValidationError(rate.message)


def _tell(
    policy: ConversationPolicy[Any],
    people: Iterable[Any],
    actor: User,
    thread: Thread,
    target: Any,
    text: str,
    *,
    is_first: bool,
) -> None:
    """Notify followers of a post, limited to people who may still read it.

    Permission at the time of following does not count.
    """
    of = OfPost(policy.about(target), thread.title, plain(text)[:EXCERPT], actor.display_name, is_first=is_first)
    letter = policy.letter.letter(of)
    notify(
        people=[person for person in people if person.pk != actor.pk and policy.may_read(person, target)],
        kind=policy.mail_kind,
        subject=letter.subject,
        text=letter.text,
        address=policy.path(thread, target),
        scope=policy.scope(target),
    )


def _record(
    actor: User,
    act: str,
    thread: Thread,
    policy: ConversationPolicy[Any],
    target: Any,
    *,
    subject: Model | None = None,
    reason: str = "",
) -> None:
    facts = policy.facts(thread) | ({"reason": reason} if reason else {})
    record(actor=actor, act=act, subject=subject or thread, scope=policy.scope(target), facts=facts)
