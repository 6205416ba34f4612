"""Texts that a person wrote in conversations, for the copy of their stored data."""

from collections.abc import Iterator

from accounts import hooks
from accounts.conversations.models import Post, Subscription
from accounts.hooks import OwnText
from accounts.models import User


def register() -> None:
    """Have posts copied, and subscriptions end with the account."""
    hooks.own_texts.register(own_texts)
    hooks.leavings.register(leave)


def own_texts(user: User) -> Iterator[OwnText]:
    """Posts, hidden ones included."""
    for post in Post.objects.filter(author=user).order_by("created_at"):
        yield OwnText("post in a conversation", post.created_at, post.text)


def leave(user: User) -> None:
    """End what the person follows."""
    Subscription.objects.filter(user=user).delete()
