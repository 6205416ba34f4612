"""Contributions of other apps to the home page: sections, next steps of a person, and a picture of a result."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest
from django.utils.safestring import SafeString

from web.hooks import Hook

# Called with a request of somebody who is signed in where only such people see it.
Section = Callable[[Any], SafeString | str | None]
Audience = Literal["all", "visitors", "people"]


@dataclass(frozen=True)
class Next:
    """Something that waits for a person.

    Attributes
    ----------
    text
        What to do, beginning with a verb or naming what is due.
    place
        In which challenge, call or design.
    address
        Where it is done.
    at
        Until when; None where there is no date.
    """

    text: str
    place: str
    address: str
    at: datetime | None = None


NextProvider = Callable[[Any], Iterable[Next]]

_sections: Hook[Section] = Hook()
_audiences: dict[Section, Audience] = {}
next_steps: Hook[NextProvider] = Hook()
"""Pending actions of the person who views their home page; a constant number of queries on every view."""
pictures: Hook[Section] = Hook()
"""A real result as a figure for visitors; the first that is there is shown."""


def register_section(section: Section, *, order: int = 50, audience: Audience = "all") -> Section:
    """Show the output of `section` on the home page.

    Parameters
    ----------
    section
        Takes the request and returns rendered HTML (``render_to_string`` of a template whose outermost
        element is a ``<section>`` with a heading of level 2). An empty result omits the section on this
        request. The function is called on every view of the home page, so it must cost only a few queries.
    order
        Position on the page, small numbers first.
    audience
        ``people`` are signed in, ``visitors`` are not.
    """
    _audiences[section] = audience
    return _sections.register(section, order=order)


def sections(request: HttpRequest) -> list[SafeString | str]:
    """Everything that there is to show on the home page for this request, in order."""
    audience = "people" if request.user.is_authenticated else "visitors"
    return [html for section in _sections if _audiences[section] in ("all", audience) and (html := section(request))]


def steps(request: HttpRequest) -> list[Next]:
    """Return the pending actions of the person who views the page: those with a date first, by date."""
    all_steps = [step for provider in next_steps for step in provider(request)]
    dated = [(step.at, index, step) for index, step in enumerate(all_steps) if step.at is not None]
    return [*(step for _, _, step in sorted(dated)), *(step for step in all_steps if step.at is None)]


def picture(request: HttpRequest) -> SafeString | str | None:
    """The figure of the first app that has one."""
    return next((html for provider in pictures if (html := provider(request))), None)
