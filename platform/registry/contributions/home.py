"""Contributions of the registry to site pages.

The home page lists the newest records. The sitemap lists all of them.
"""

from collections.abc import Iterator

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from registry.models import Listing
from registry.queries import newest_listings
from web.sitemap import Entry, entries

SHOWN = 3


def newest(request: HttpRequest) -> str | None:
    """Return the newest registrations as HTML; nothing while there is none."""
    listings = newest_listings(SHOWN)
    if not listings:
        return None
    return render_to_string("registry/home_section.html", {"listings": listings}, request)


def public_pages() -> Iterator[Entry]:
    """The registry and every record in its lists."""
    yield Entry(reverse("registry:list"))
    rows = Listing.objects.order_by("-registration__registered_at", "-pk")
    for identifier, changed in rows.values_list("registration__identifier", "version__registered_at"):
        yield Entry(reverse("registry:detail", args=[identifier]), changed)


def register() -> None:
    """Enter them."""
    entries.register(public_pages)
