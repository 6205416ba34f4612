"""Contributions of this app to the apps above it, connected when the app is ready."""

from datetime import datetime

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from accounts import hooks as accounts_hooks
from accounts.models import User
from accounts.notifications.models import Email, Mute, Notification, Preference, Unsubscribed
from accounts.notifications.queries import UNREAD_SHOWN, unread_count
from accounts.queries import addresses_of


def register() -> None:
    """Connect the contributions of this app."""
    accounts_hooks.leavings.register(leave)
    accounts_hooks.forgettings.register(forget)


# --- The bell in the head of every page -------------------------------------------------------------------------------
def render(request: HttpRequest) -> SafeString | None:
    """Return a link to the messages with the number of unread ones, for people who are signed in; one query."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return None
    unread = unread_count(user)
    count_text = f"{UNREAD_SHOWN}+" if unread > UNREAD_SHOWN else str(unread)
    return render_to_string("notifications/bell.html", {"unread": unread, "shown": count_text}, request)


# --- Deletion of messages when an account is closed, and after their retention time -----------------------------------
def leave(user: User) -> None:
    """Delete all messages of a person, and what there is about their addresses."""
    Notification.objects.filter(user=user).delete()
    Preference.objects.filter(user=user).delete()
    Mute.objects.filter(user=user).delete()
    Email.objects.filter(user=user).delete()
    for address in addresses_of(user):
        Email.objects.filter(to__iexact=address).delete()
        Unsubscribed.objects.filter(address__iexact=address).delete()


def forget(before: datetime) -> int:
    """Delete mails that were sent or given up, and messages that were read, before a moment."""
    ended = Email.objects.filter(state__in=(Email.State.SENT, Email.State.FAILED), created_at__lt=before)
    read = Notification.objects.filter(read_at__lt=before)
    return ended.delete()[0] + read.delete()[0]
