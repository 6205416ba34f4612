"""Designs of published challenges below `examples/designs`, as templates for a design."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from django.conf import settings
from django.db import transaction

from accounts.models import User
from designs.models import Design
from designs.services.designs import import_design

OWN: Final = (
    "challenge_name",
    "challenge_acronym",
    "challenge_year",
    "challenge_website",
    "website_status",
    "challenge_schedule",
    "organizing_team",
    "contact_person",
)
"""Parameters that a template leaves blank: name, people and dates are those of the new challenge."""


@dataclass(frozen=True)
class Published:
    """A published challenge that the start form offers."""

    name: str
    title: str
    about: str


@cache
def published() -> tuple[Published, ...]:
    """Return all of them, by title; empty where the examples are not installed."""
    challenges = []
    for path in (settings.ROOT / "examples/designs").glob("*.json"):
        meta = json.loads(path.read_text(encoding="utf-8"))["meta"]
        challenges.append(Published(path.stem, meta["title"], meta["about"]))
    return tuple(sorted(challenges, key=lambda each: each.title.casefold()))


def template_of(name: str) -> dict[str, Any]:
    """Return the document of a published challenge without what belongs to that challenge alone.

    Raises
    ------
    LookupError
        If there is no published challenge of that name.
    """
    if name not in {each.name for each in published()}:
        message = f"no published challenge {name!r}; choose from {', '.join(each.name for each in published())}"
        raise LookupError(message)
    text = (settings.ROOT / "examples/designs" / f"{name}.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    document["challenge"] = {key: value for key, value in document["challenge"].items() if key not in OWN}
    return document


@transaction.atomic
def start_from_published(*, actor: User, title: str, name: str) -> Design:
    """Start a design with the values of a published challenge.

    Raises
    ------
    LookupError
        If there is no published challenge of that name.
    """
    design, _ = import_design(actor=actor, title=title, data=template_of(name))
    return design
