"""Sitemap of the public pages for search engines; the apps register their pages."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from xml.sax.saxutils import escape

from web.addresses import absolute
from web.hooks import Hook

MOST = 50_000
"""More addresses a sitemap may not hold."""


@dataclass(frozen=True)
class Entry:
    """A public page: its path, and when it last changed."""

    path: str
    changed: datetime | None = None


entries: Hook[Callable[[], Iterable[Entry]]] = Hook()
"""Providers of public pages; they must not list pages that are not public."""


def document() -> Iterator[str]:
    """The sitemap, in the form of sitemaps.org."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    number = 0
    for provider in entries:
        for entry in provider():
            number += 1
            if number > MOST:
                break
            changed = f"<lastmod>{entry.changed:%Y-%m-%d}</lastmod>" if entry.changed else ""
            yield f"<url><loc>{escape(absolute(entry.path))}</loc>{changed}</url>\n"
    yield "</urlset>\n"
