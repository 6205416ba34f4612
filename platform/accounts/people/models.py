"""Invitations by e-mail: one table for everything into which people are invited."""

from typing import Any

from django.conf import settings
from django.contrib.contenttypes.fields import GenericForeignKey
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone


class Invitation(models.Model):
    """An invitation to a role in a target, for example a design, call or team.

    Only the letter contains the token. The database stores its digest, so people with database access cannot use
    it. The policy of the target's model (`accounts.people.hooks.InvitationPolicy`) defines the roles and the effect of
    accepting.
    """

    class State(models.TextChoices):
        """State of an invitation; an open one also ends at its expiry date."""

        OPEN = "open", "open"
        ACCEPTED = "accepted", "accepted"
        DECLINED = "declined", "declined"
        WITHDRAWN = "withdrawn", "withdrawn"

    content_type = models.ForeignKey(ContentType, on_delete=models.PROTECT, related_name="+")
    object_id = models.PositiveBigIntegerField()
    target = GenericForeignKey("content_type", "object_id")
    email = models.EmailField("e-mail address")
    role = models.CharField(max_length=20, help_text="a role that the target's policy names")
    token_digest = models.CharField(max_length=64, unique=True, editable=False)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    is_mailed = models.BooleanField(default=True, help_text="no letter goes out to an address that unsubscribed")
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="who accepted, declined or withdrew it; none for somebody without an account",
    )
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                "content_type",
                "object_id",
                Lower("email"),
                condition=Q(state="open"),
                name="people_one_open_invitation",
            ),
            models.CheckConstraint(
                condition=Q(state="open", closed_at__isnull=True) | ~Q(state="open") & Q(closed_at__isnull=False),
                name="people_invitation_closed_exactly_when_dated",
            ),
        ]
        indexes = [models.Index(fields=["content_type", "object_id"], name="people_invitation_target")]

    def __str__(self) -> str:
        return f"{self.email} to {self.target}"

    @property
    def is_open(self) -> bool:
        """True if the invitation can still be accepted."""
        return self.state == self.State.OPEN and timezone.now() < self.expires_at

    def close(self, *, state: str, by: Any) -> None:
        """Store what became of it."""
        self.state, self.closed_by, self.closed_at = state, by, timezone.now()
        self.save(update_fields=["state", "closed_by", "closed_at"])
