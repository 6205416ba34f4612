"""Announcements of organizers, and private messages to them; their posts are in `conversations`."""

from django.conf import settings
from django.contrib.contenttypes.fields import GenericRelation
from django.db import models
from django.utils import timezone

from accounts.conversations.models import Thread
from challenges.models.challenges import Challenge


class Announcement(models.Model):
    """Announcement of the organizers to all participants; the page keeps it, and it is mailed once."""

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


class Contact(models.Model):
    """A private conversation of one person with the organizers of a challenge; its posts are in its only thread."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="contacts")
    sender = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    threads = GenericRelation(Thread)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.sender} to the organizers of {self.challenge}"
