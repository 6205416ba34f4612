"""Deletion of messages when an account is closed, and after their retention time."""

from datetime import datetime

from accounts import hooks
from accounts.models import User
from accounts.notifications.models import Email, Notification, Preference, Unsubscribed
from accounts.queries import addresses_of


def register() -> None:
    """Have messages forgotten."""
    hooks.leavings.register(leave)
    hooks.forgettings.register(forget)


def leave(user: User) -> None:
    """Delete all messages of a person, and what there is about their addresses."""
    Notification.objects.filter(user=user).delete()
    Preference.objects.filter(user=user).delete()
    Email.objects.filter(user=user).delete()
    for address in addresses_of(user):
        Email.objects.filter(to__iexact=address).delete()
        Unsubscribed.objects.filter(address__iexact=address).delete()


def forget(before: datetime) -> int:
    """Delete mails that were sent or given up, and messages that were read, before a moment."""
    ended = Email.objects.filter(state__in=(Email.State.SENT, Email.State.FAILED), created_at__lt=before)
    read = Notification.objects.filter(read_at__lt=before)
    return ended.delete()[0] + read.delete()[0]
