"""Models for notifications on the site and by e-mail."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from core.work.models import Work

SUBJECT_LENGTH = 200
# Kind of letters about accounts themselves, in which secrets can stand.
ACCOUNT = "account"


class How(models.TextChoices):
    """Mailing option for one kind of message."""

    AT_ONCE = "at_once", "at once"
    DAILY = "daily", "in one mail a day"
    NEVER = "never", "not by e-mail"


class Email(Work):
    """An e-mail to one address, with its delivery state.

    The state changes from waiting to sending, and then to sent or failed.

    The Message-ID is the same for all attempts. If a mail server accepts a message but fails to confirm it, the
    server can recognize the second attempt by this Message-ID.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        SENDING = "sending", "sending"
        SENT = "sent", "sent"
        FAILED = "failed", "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Nothing else in this app names a person by an address; the row of a person with an account says whose it is.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    inviter = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="who invites by it",
    )
    to = models.EmailField()
    kind = models.CharField(max_length=60)
    key = models.CharField(max_length=150, blank=True, help_text="the same key is mailed to an address once")
    subject = models.CharField(max_length=SUBJECT_LENGTH)
    text = models.TextField()
    html = models.TextField(blank=True)
    unsubscribe = models.CharField(max_length=1000, blank=True, help_text="address of the page that ends such mails")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    sent_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="sent", sent_at__isnull=False) | ~Q(state="sent") & Q(sent_at__isnull=True),
                name="notifications_sent_exactly_when_dated",
            ),
            models.UniqueConstraint(
                Lower("to"), "kind", "key", condition=~Q(key=""), name="notifications_email_key_once"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "due_at"]),
            models.Index(
                Lower("to"), "created_at", condition=Q(inviter__isnull=False), name="notifications_invitations_to"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.to}"


class Notification(models.Model):
    """A message to one person, shown on the site."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notifications")
    kind = models.CharField(max_length=60)
    key = models.CharField(max_length=150, blank=True, help_text="a person is told the same key once")
    subject = models.CharField(max_length=SUBJECT_LENGTH)
    text = models.TextField(blank=True)
    address = models.CharField(max_length=500, blank=True, help_text="path on this site")
    scope = models.CharField(max_length=100, blank=True, help_text="the challenge or call it belongs to")
    how = models.CharField(max_length=10, choices=How, help_text="how it is mailed, as chosen when it was written")
    email = models.ForeignKey(
        Email,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="notifications",
        help_text="the mail or digest that carries it",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "kind", "key"], condition=~Q(key=""), name="notifications_key_once_a_person"
            ),
        ]
        indexes = [
            models.Index(fields=["user", "-created_at"]),
            models.Index(fields=["user"], condition=Q(read_at__isnull=True), name="notifications_unread"),
            models.Index(
                fields=["created_at"], condition=Q(how="daily", email__isnull=True), name="notifications_undigested"
            ),
        ]

    def __str__(self) -> str:
        return self.subject


class Preference(models.Model):
    """The mailing option that a person chose for one kind of message.

    Without a row, the default of the kind applies.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notification_preferences"
    )
    kind = models.CharField(max_length=60)
    how = models.CharField(max_length=10, choices=How)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind"], name="notifications_one_preference_a_kind")]

    def __str__(self) -> str:
        return f"{self.user}: {self.kind} {self.how}"


class Mute(models.Model):
    """E-mails that a person does not want: about one challenge, or none at all while they are paused.

    `path` and `scope` name the challenge as notifications do (`hooks.Places`). Both are empty for a pause of all
    e-mails. Notifications still appear on the site.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    path = models.CharField(max_length=60, blank=True)
    scope = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "path", "scope"], name="notifications_one_mute_a_scope")]

    def __str__(self) -> str:
        return f"{self.user}: {self.path}{self.scope or 'all'}"


class Unsubscribed(models.Model):
    """An address without an account that unsubscribed from one kind of message."""

    address = models.EmailField()
    kind = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name_plural = "unsubscribed addresses"
        constraints = [
            models.UniqueConstraint(Lower("address"), "kind", name="notifications_unsubscribed_once"),
        ]

    def __str__(self) -> str:
        return f"{self.address}: {self.kind}"
