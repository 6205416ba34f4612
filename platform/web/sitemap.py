"""Which pages of the site search engines are told of: public ones, entered by the apps that have them."""

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
"""Public pages; what not everybody may see must not be named."""


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
