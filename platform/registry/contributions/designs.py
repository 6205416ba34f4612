"""Facts about registrations that the registry provides to the apps above it."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q

from designs.hooks import RegisteredDocument, RegisteredName, Standing
from designs.models import Design
from registry.models import Listing, Registration
from registry.queries import standing_of


def names() -> Iterator[RegisteredName]:
    """Names, acronyms and years of everything registered, for the checks of uniqueness."""
    rows = Listing.objects.values_list("registration__design_id", "name", "acronym", "edition")
    for design, name, acronym, edition in rows.iterator():
        yield RegisteredName(design_id=design, name=name, acronym=acronym, year=edition)


def registered_at(design: Design) -> datetime | None:
    """Return the registration time of a design; ``None`` while it is not registered."""
    return Registration.objects.filter(design=design).values_list("registered_at", flat=True).first()


def standings(user: Any, designs: Sequence[Design]) -> dict[int, Standing]:  # noqa: ARG001 (records are public)
    """Return the status of the records of designs, in one query."""
    return {row.design_id: standing_of(row) for row in Registration.objects.filter(design__in=designs)}


def registered_document(name: str) -> RegisteredDocument | None:
    """The newest public document of a registration by its identifier or readable name, for the next edition."""
    registration = Registration.objects.filter(Q(identifier=name) | Q(slug=name), is_embargoed=False).first()
    version = registration.versions.order_by("-major", "-minor").first() if registration else None
    if registration is None or version is None:
        return None
    document = version.document
    title = document["challenge"].get("challenge_name") or registration.identifier
    return RegisteredDocument(registration.identifier, f"{title} (next edition)"[:200], document)
