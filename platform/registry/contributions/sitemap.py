"""Public records for the sitemap."""

from collections.abc import Iterator

from django.urls import reverse

from registry.models import Listing
from web.sitemap import Entry, entries


def public_pages() -> Iterator[Entry]:
    """The registry and every record in its lists."""
    yield Entry(reverse("registry:list"))
    rows = Listing.objects.order_by("-registration__registered_at", "-pk")
    for identifier, changed in rows.values_list("registration__identifier", "version__registered_at"):
        yield Entry(reverse("registry:detail", args=[identifier]), changed)


def register() -> None:
    """Enter them."""
    entries.register(public_pages)
