"""Template context shared by all pages of a registration."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from registry import hooks
from registry.models import Registration


def record_context(request: HttpRequest, registration: Registration, current: str) -> dict[str, Any]:
    """Tabs, breadcrumbs, and what the person may do. `current` is the URL name of the page."""
    user = request.user
    return {
        "registration": registration,
        "listing": registration.listing,
        "tabs": list(_tabs(user, registration, current)),
        "trail": [("Registry", reverse("registry:list"))],
        "may_end": not registration.is_ended and user.has_perm("registry.end_registration", registration),
        "may_publish": registration.is_embargoed and user.has_perm("registry.end_whole_embargo", registration),
        "may_open": user.has_perm("registry.open_embargo", registration),
        "may_answer": user.has_perm("registry.answer_comment", registration),
        "may_moderate": user.has_perm("registry.moderate_comments", registration),
    }


def _tabs(user: Any, registration: Registration, current: str) -> Iterator[dict[str, Any]]:
    """Yield the pages of the registration.

    Pages that are not served are excluded, as in the menus of the site.
    """
    for tab in hooks.tabs_for(user, registration):
        try:
            url = reverse(tab.url_name, args=[registration.identifier])
        except NoReverseMatch:
            continue
        yield {"label": tab.label, "url": url, "current": tab.url_name == current}
