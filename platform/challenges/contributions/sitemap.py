"""Public pages of challenges for the sitemap."""

from collections.abc import Iterator

from django.urls import reverse

from challenges.queries import public_challenges
from web.sitemap import Entry, entries


def public_pages() -> Iterator[Entry]:
    """The list of challenges and the page of each that is public."""
    yield Entry(reverse("challenges:list"))
    for slug in public_challenges().values_list("slug", flat=True):
        yield Entry(reverse("challenges:detail", args=[slug]))


def register() -> None:
    """Enter them."""
    entries.register(public_pages)
