"""People."""

import uuid
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.dispatch import Signal
from django.utils import timezone

from accounts.domain.orcid import validate_orcid

# Sent with `user`, in the transaction that stores a new password of an existing account, whoever sets it and wherever.
password_replaced = Signal()


CLOSED = "closed-"
"""Prefix of the user name of a closed account, which no user can choose."""


class User(AbstractUser):
    """A person with an account; everything that they may do follows from their part in a challenge or call."""

    email = models.EmailField("e-mail address")
    affiliation = models.CharField(max_length=200, blank=True)
    orcid = models.CharField(
        "ORCID iD", max_length=19, blank=True, validators=[validate_orcid], help_text="for example 0000-0002-1825-0097"
    )

    orcid_verified_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="when the person signed in at ORCID with this iD"
    )

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(Lower("email"), name="accounts_user_email_unique", condition=~models.Q(email="")),
        ]

    def save(self, *args: Any, **kwargs: Any) -> None:
        # Set by `set_password`, and not by Django's renewal of the hash of a password that stays the same.
        is_replaced = self._password is not None and not self._state.adding  # type: ignore[attr-defined]  # Django declares it nowhere
        with transaction.atomic():
            super().save(*args, **kwargs)
            if is_replaced:
                password_replaced.send(sender=User, user=self)

    @property
    def display_name(self) -> str:
        """Full name where given, else the user name; a closed account has neither."""
        if not self.is_active and self.username.startswith(CLOSED):
            return "a closed account"
        return self.get_full_name() or self.username


class AccessToken(models.Model):
    """A key with which a program acts for a person.

    Only its digest is stored, and the key cannot be read back. The secret has 256 random bits: guessing is
    hopeless, and a plain digest can be looked up.
    """

    class Scope(models.TextChoices):
        READ = "read", "read: challenges, own submissions and results"
        SUBMIT = "submit", "submit: upload predictions, decide about held submissions"
        DESIGN = "design", "design: write designs"
        ANALYSE = "analyse", "analyse: bring tables of finished challenges"
        MEASURE = "measure", "measure: bring values measured outside into challenges that you organize"
        ORGANIZE = "organize", "organize: act for you in designs, calls and challenges that you organize or chair"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="access_tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=12, editable=False, help_text="the beginning, to tell tokens apart")
    scopes = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")), name="accounts_token_expires_after_it_was_made"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"

    @property
    def is_valid(self) -> bool:
        """True if the token still grants access."""
        return self.revoked_at is None and timezone.now() < self.expires_at
