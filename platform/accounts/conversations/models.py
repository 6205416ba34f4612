"""Threads and their posts, about anything that people talk about."""

from django.conf import settings
from django.contrib.contenttypes.fields import GenericForeignKey
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.db.models import Q
from django.utils import timezone

TEXT_LENGTH = 20_000


class Thread(models.Model):
    """A conversation about an object, for example a whole challenge, or one parameter of a design.

    The policy of the target's model defines readers, writers, notifications and the meaning of closing
    (`accounts.conversations.hooks.ConversationPolicy`).
    """

    content_type = models.ForeignKey(ContentType, on_delete=models.PROTECT, related_name="+")
    object_id = models.PositiveBigIntegerField()
    target = GenericForeignKey("content_type", "object_id")
    topic = models.CharField(
        max_length=80, blank=True, help_text="what of the target it is about, a parameter for example"
    )
    part = models.CharField(
        max_length=60, blank=True, help_text="in which part of the target, a task's key for example"
    )
    title = models.CharField(max_length=150, blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_post_at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True, closed_by__isnull=True)
                | Q(closed_at__isnull=False, closed_by__isnull=False),
                name="conversations_closed_by_somebody",
            ),
        ]
        indexes = [
            models.Index(fields=["content_type", "object_id", "-last_post_at"], name="conversations_newest_first"),
        ]

    def __str__(self) -> str:
        return self.title or f"on {self.topic}"

    @property
    def is_closed(self) -> bool:
        """True if the thread is resolved, or closed by a moderator."""
        return self.closed_at is not None


class Post(models.Model):
    """Text that a person wrote; a hidden post remains in the database and keeps its position."""

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="posts")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField(max_length=TEXT_LENGTH)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    hidden_at = models.DateTimeField(null=True, blank=True)
    hidden_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    hidden_reason = models.CharField(max_length=300, blank=True)
    is_answer = models.BooleanField(default=False)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["thread"], condition=Q(is_answer=True), name="conversations_one_answer"),
            models.CheckConstraint(
                condition=Q(hidden_at__isnull=False) | Q(hidden_by__isnull=True, hidden_reason=""),
                name="conversations_hidden_is_dated",
            ),
            models.CheckConstraint(
                condition=Q(is_answer=False) | Q(hidden_at__isnull=True), name="conversations_answer_is_seen"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.author} in {self.thread}"


class Subscription(models.Model):
    """Subscription of a person to a thread, or (without a thread) to every new thread about an object."""

    content_type = models.ForeignKey(ContentType, on_delete=models.PROTECT, related_name="+")
    object_id = models.PositiveBigIntegerField()
    target = GenericForeignKey("content_type", "object_id")
    thread = models.ForeignKey(Thread, null=True, blank=True, on_delete=models.CASCADE, related_name="subscriptions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["thread", "user"],
                condition=Q(thread__isnull=False),
                name="conversations_one_subscription_a_thread",
            ),
            models.UniqueConstraint(
                fields=["content_type", "object_id", "user"],
                condition=Q(thread__isnull=True),
                name="conversations_one_subscription_a_target",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.thread or self.target}"
