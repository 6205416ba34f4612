"""The markup of schema.org, for search engines."""

from typing import Any

from django.conf import settings

from registry.models import Listing, RegistrationVersion
from registry.queries.citing import Reference


def creative_work(version: RegistrationVersion, listing: Listing, reference: Reference) -> dict[str, Any]:
    """A registered design as JSON-LD."""
    authors = [
        {"@type": "Organization", "name": author.name}
        if author.is_group
        else {
            "@type": "Person",
            "name": author.name,
            **({"affiliation": {"@type": "Organization", "name": author.affiliation}} if author.affiliation else {}),
        }
        for author in reference.authors
    ]
    data: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "Report",
        "name": reference.title,
        "url": reference.address,
        "identifier": [reference.identifier, *([f"https://doi.org/{reference.doi}"] if reference.doi else [])],
        "version": reference.version,
        "datePublished": reference.published.isoformat(),
        "author": authors,
        "publisher": {"@type": "Organization", "name": reference.publisher},
        "license": f"https://spdx.org/licenses/{settings.PODIUM_REGISTRY_LICENSE}",
        "keywords": sorted({facet.label for facet in listing.registration.facets.all()}),
        "encoding": {
            "@type": "MediaObject",
            "encodingFormat": "application/json",
            "contentUrl": f"{reference.address.rstrip('/')}.json",
            "sha256": version.digest,
        },
    }
    if reference.abstract:
        data["abstract"] = reference.abstract
    return data
