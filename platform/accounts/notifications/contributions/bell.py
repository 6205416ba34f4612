"""The bell in the head of every page."""

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from accounts.notifications.queries import UNREAD_SHOWN, unread_count


def render(request: HttpRequest) -> SafeString | None:
    """Return a link to the messages with the number of unread ones, for people who are signed in; one query."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return None
    unread = unread_count(user)
    count_text = f"{UNREAD_SHOWN}+" if unread > UNREAD_SHOWN else str(unread)
    return render_to_string("notifications/bell.html", {"unread": unread, "shown": count_text}, request)
