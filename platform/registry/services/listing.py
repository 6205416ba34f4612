"""Writing what lists and search read of a registration."""

from django.db import transaction

from evaluation.designs.catalogue import shipped
from registry.domain.public_documents import parsed
from registry.models import Facet, Listing, Registration
from registry.queries import current_version
from registry.queries.document_figures import figures_of, text_of, words_of


@transaction.atomic
def list_registration(*, registration: Registration) -> Listing:
    """Project the current version; running it again changes nothing."""
    version = current_version(registration)
    data = version.document
    document = parsed(data)
    values = document.values()
    venue = values.get("challenge_venue")
    label = shipped()["challenge_venue"].label_of(venue) if venue else ""
    year = values.get("challenge_year")
    words = words_of(document)
    listing, _ = Listing.objects.update_or_create(
        registration=registration,
        defaults={
            "version": version,
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
            "text": "\n".join([registration.identifier, text_of(data), label, *(word.label for word in words)]),
        },
    )
    Facet.objects.filter(registration=registration).delete()
    Facet.objects.bulk_create(
        Facet(registration=registration, kind=word.kind, value=word.value, label=word.label) for word in words
    )
    return listing
