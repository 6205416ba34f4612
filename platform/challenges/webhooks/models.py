"""Webhook → delivery: an address of another program, and each message to it."""

import uuid
from urllib.parse import urlsplit

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from challenges.models import Challenge
from core.work.models import Work
from reviews.models import Call


def _no_events() -> list[str]:
    return []


class Webhook(models.Model):
    """An address that gets messages about events of one challenge or one call."""

    class Format(models.TextChoices):
        """Form of the messages."""

        STANDARD = "standard", "Standard Webhooks, for programs"
        CHAT = "chat", "Chat message, for Slack, Mattermost and compatible programs"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    challenge = models.ForeignKey(
        Challenge, null=True, blank=True, on_delete=models.CASCADE, related_name="webhooks", editable=False
    )
    call = models.ForeignKey(
        Call, null=True, blank=True, on_delete=models.CASCADE, related_name="webhooks", editable=False
    )
    name = models.CharField(max_length=80)
    address = models.URLField(max_length=500)
    body_format = models.CharField(max_length=10, choices=Format, default=Format.STANDARD)
    events = models.JSONField(default=_no_events, help_text="types of the reported events")
    generation = models.PositiveIntegerField(default=1, editable=False, help_text="number of the current secret")
    is_active = models.BooleanField(default=True)
    problem = models.CharField(max_length=200, blank=True, help_text="why Podium switched it off")
    sequence = models.PositiveBigIntegerField(editable=False, help_text="last entry of the audit log that was read")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["name", "created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(challenge=None, call__isnull=False) | Q(challenge__isnull=False, call=None),
                name="webhooks_one_scope",
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def host(self) -> str:
        """Host of the address. The rest of it is often a secret of the receiver, and is not shown."""
        return urlsplit(self.address).hostname or ""

    @property
    def owner(self) -> Challenge | Call:
        """The challenge or call that it reports on."""
        owner = self.challenge or self.call
        if owner is None:
            raise ValueError("A webhook belongs to a challenge or a call.")
        return owner


class Delivery(Work):
    """One message to a webhook, with its last outcome."""

    class State(models.TextChoices):
        """Progress of a message."""

        QUEUED = "queued", "queued"
        SENDING = "sending", "sending"
        DELIVERED = "delivered", "delivered"
        FAILED = "failed", "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=40)
    sequence = models.PositiveBigIntegerField(
        null=True, help_text="entry of the audit log that it reports; empty for tests"
    )
    body = models.TextField()
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    status = models.PositiveSmallIntegerField(null=True, help_text="HTTP status of the last response")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    ended_at = models.DateTimeField(null=True, help_text="when it was delivered or failed")

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name_plural = "deliveries"
        constraints = [models.UniqueConstraint(fields=["webhook", "sequence"], name="webhooks_each_entry_once")]
        indexes = [models.Index(fields=["webhook", "-created_at"])]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook}"

    @property
    def message_id(self) -> str:
        """Value of the header ``webhook-id``. It is the same for each attempt, so receivers can ignore repetitions."""
        return f"msg_{self.pk.hex}"
