"""Reads: what a person sees of the conversations about something."""

from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db.models import Count, Exists, Model, OuterRef, Q, QuerySet

from accounts.conversations.hooks import policy_of
from accounts.conversations.models import Post, Subscription, Thread


def about(target: Model) -> dict[str, Any]:
    """The columns by which threads and subscriptions name their target."""
    return {"content_type": ContentType.objects.get_for_model(target), "object_id": target.pk}


def threads_about(target: Model, *, reader: Any) -> QuerySet[Thread]:
    """Threads about an object that a person may read; none without the permission."""
    if not policy_of(target).may_read(reader, target):
        return Thread.objects.none()
    return Thread.objects.filter(**about(target)).select_related("author", "closed_by")


def newest_threads(target: Model, *, reader: Any, words: str = "") -> QuerySet[Thread]:
    """Threads with their number of posts, the last written first; one query for any number."""
    rows = (
        threads_about(target, reader=reader)
        .annotate(
            answers=Count("posts", filter=Q(posts__hidden_at=None)),
            is_answered=Exists(Post.objects.filter(thread=OuterRef("pk"), is_answer=True)),
        )
        .order_by("-last_post_at", "-pk")
    )
    if words:
        posts = Post.objects.filter(thread=OuterRef("pk"), hidden_at=None, text__icontains=words)
        rows = rows.filter(Q(title__icontains=words) | Exists(posts))
    return rows


def posts_of(thread: Thread) -> QuerySet[Post]:
    """All posts of a thread with their writers, including hidden ones: the page marks them as hidden."""
    return thread.posts.select_related("author", "hidden_by")


def follows(user: Any, *, thread: Thread | None = None, target: Model | None = None) -> bool:
    """Return whether a person follows a thread, or new threads about an object."""
    if not user.is_authenticated:
        return False
    rows = Subscription.objects.filter(user=user, thread=thread)
    return (rows if target is None else rows.filter(**about(target))).exists()
