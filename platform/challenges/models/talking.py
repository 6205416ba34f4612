"""What organizers announce, and what people ask."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from challenges.models.challenges import Challenge


class Announcement(models.Model):
    """Something that the organizers tell everybody; the page keeps it, and it is mailed once."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="announcements")
    title = models.CharField(max_length=150)
    text = models.TextField(max_length=20_000, help_text="Markdown")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField(default=timezone.now, editable=False)
    told = models.PositiveIntegerField(default=0, help_text="people it was sent to")

    class Meta:
        ordering = ["-published_at"]

    def __str__(self) -> str:
        return self.title


class Thread(models.Model):
    """A question or topic."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="threads")
    title = models.CharField(max_length=150)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_post_at = models.DateTimeField(default=timezone.now)
    is_closed = models.BooleanField(default=False)

    class Meta:
        ordering = ["-last_post_at", "-pk"]
        indexes = [models.Index(fields=["challenge", "-last_post_at"])]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("challenges:thread", args=[self.challenge.slug, self.pk])


class Post(models.Model):
    """What a person wrote; hidden posts stay in the database and out of the pages."""

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="posts")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField(max_length=20_000, help_text="Markdown")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    hidden_at = models.DateTimeField(null=True, blank=True)
    hidden_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    is_answer = models.BooleanField(default=False)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["thread"], condition=Q(is_answer=True), name="challenges_one_answer"),
        ]

    def __str__(self) -> str:
        return f"{self.author} in {self.thread}"


class Subscription(models.Model):
    """Who wants to hear of a thread, or (without one) of every new thread of a challenge."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="subscriptions")
    thread = models.ForeignKey(Thread, null=True, blank=True, on_delete=models.CASCADE, related_name="subscriptions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["thread", "user"],
                condition=Q(thread__isnull=False),
                name="challenges_one_subscription_a_thread",
            ),
            models.UniqueConstraint(
                fields=["challenge", "user"],
                condition=Q(thread__isnull=True),
                name="challenges_one_subscription_a_challenge",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.thread or self.challenge}"
