"""Writing what lists and search read of a registration."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from django.db import transaction

from evaluation.designs.catalogue import shipped
from registry.domain.public_documents import parsed
from registry.models import Facet, Listing, Registration, RegistrationVersion
from registry.queries import current_version
from registry.queries.document_figures import figures_of, text_of, words_of

LISTED = ("name", "acronym", "edition", "venue", "venue_label", "abstract", "authors", "tasks", "figures", "text")


@transaction.atomic
def list_registration(*, registration: Registration) -> Listing:
    """Project the current version; running it again changes nothing."""
    version = current_version(registration)
    listing, _ = Listing.everything.update_or_create(
        registration=registration, defaults={"version": version, **listed(registration, version)}
    )
    Facet.everything.filter(registration=registration).delete()
    Facet.everything.bulk_create(
        Facet(registration=registration, kind=word.kind, value=word.value, label=word.label)
        for word in words_of(parsed(version.document))
    )
    return listing


def listed(registration: Registration, version: RegistrationVersion) -> dict[str, Any]:
    """Return the fields of `LISTED` as the version's document gives them."""
    data = version.document
    document = parsed(data)
    values = document.values()
    venue = values.get("challenge_venue")
    label = shipped()["challenge_venue"].label_of(venue) if venue else ""
    year = values.get("challenge_year")
    return {
        "name": (values.text("challenge_name") or registration.design.title)[:300],
        "acronym": values.text("challenge_acronym")[:80],
        "edition": year if isinstance(year, int) else None,
        "venue": (venue if isinstance(venue, str) else label)[:120] if venue else "",
        "venue_label": label[:300],
        "abstract": values.text("challenge_abstract"),
        "authors": [
            {"name": str(row["name"]), "affiliation": str(row.get("affiliation", ""))}
            for row in values.rows("organizing_team")
            if row.get("name")
        ],
        "tasks": [task.name for task in document.each_task()],
        "figures": figures_of(document),
        # Facets in words too, so that “MRI” finds what says mri by its choice.
        "text": "\n".join(
            [registration.identifier, text_of(data), label, *(word.label for word in words_of(document))]
        ),
    }


def list_all() -> None:
    """Project the current version of every registration again."""
    for registration in Registration.objects.select_related("design").order_by("pk").iterator():
        list_registration(registration=registration)


def rebuilt_listings() -> Iterator[tuple[str, Mapping[str, Any], Callable[[], Mapping[str, Any]]]]:
    """Yield each listing's key, its stored fields, and a function that returns them as its version gives them."""
    rows = Listing.everything.select_related("registration__design").order_by("pk")
    for row in rows.iterator(100):
        stored = {name: getattr(row, name) for name in (*LISTED, "version_id")}
        yield str(row.pk), stored, partial(_rebuilt_listing, row.registration)


def rebuilt_facets() -> Iterator[tuple[str, Mapping[str, Any], Callable[[], Mapping[str, Any]]]]:
    """Yield each registration's key, its stored facets, and a function that returns them as its version gives them."""
    rows = Listing.everything.select_related("registration").order_by("pk")
    for row in rows.iterator(100):
        stored = sorted(
            [facet.kind, facet.value, facet.label]
            for facet in Facet.everything.filter(registration=row.registration_id)
        )
        yield str(row.registration_id), {"facets": stored}, partial(_facets, row.registration)


def _rebuilt_listing(registration: Registration) -> dict[str, Any]:
    version = current_version(registration)
    return {**listed(registration, version), "version_id": version.pk}


def _facets(registration: Registration) -> dict[str, Any]:
    document = parsed(current_version(registration).document)
    return {"facets": sorted([word.kind, word.value, word.label] for word in words_of(document))}
