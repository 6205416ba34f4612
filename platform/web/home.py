"""Sections of the home page that other apps provide."""

from collections.abc import Callable

from django.http import HttpRequest
from django.utils.safestring import SafeString

Section = Callable[[HttpRequest], SafeString | None]
_sections: dict[Section, int] = {}


def register_section(section: Section, *, order: int = 50) -> Section:
    """Show what `section` returns on the home page.

    Parameters
    ----------
    section
        Takes the request and returns rendered HTML (``render_to_string`` of a template whose outermost element is a
        ``<section>`` with a heading of level 2), or none to be left out on this request. Called on every view of the
        home page, so it must not cost more than a query or two.
    order
        Place on the page, small numbers first.
    """
    _sections[section] = order
    return section


def sections(request: HttpRequest) -> list[SafeString]:
    """Everything that there is to show on the home page for this request, in order."""
    ordered = sorted(_sections, key=lambda section: _sections[section])
    return [html for section in ordered if (html := section(request))]
