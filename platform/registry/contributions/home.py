"""What the home page shows of the registry."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from registry.queries import newest_listings

SHOWN = 3


def newest(request: HttpRequest) -> str | None:
    """Return the newest registrations as HTML; nothing while there is none."""
    listings = newest_listings(SHOWN)
    if not listings:
        return None
    return render_to_string("registry/home_section.html", {"listings": listings}, request)
