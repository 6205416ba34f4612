"""Announcements and threads."""

from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from challenges.models import Challenge, Post, Subscription, Thread


def threads_of(challenge: Challenge, *, words: str = "") -> QuerySet[Thread]:
    """Threads with their number of posts, the last written first; one query whatever their number."""
    rows = (
        Thread.objects.filter(challenge=challenge)
        .select_related("author", "challenge")
        .annotate(
            answers=Count("posts", filter=Q(posts__hidden_at=None)),
            is_answered=Exists(Post.objects.filter(thread=OuterRef("pk"), is_answer=True)),
        )
        .order_by("-last_post_at", "-pk")
    )
    if words:
        rows = rows.filter(
            Q(title__icontains=words)
            | Exists(Post.objects.filter(thread=OuterRef("pk"), hidden_at=None, text__icontains=words))
        )
    return rows


def posts_of(thread: Thread) -> QuerySet[Post]:
    """All posts of a thread with their writers, hidden ones included (the page shows that they are hidden)."""
    return thread.posts.select_related("author", "hidden_by")


def follows(user: Any, *, thread: Thread | None = None, challenge: Challenge | None = None) -> bool:
    """Whether a person is told of a thread, or of new threads of a challenge."""
    if not user.is_authenticated:
        return False
    rows = Subscription.objects.filter(user=user, thread=thread)
    return (rows if thread else rows.filter(challenge=challenge)).exists()
