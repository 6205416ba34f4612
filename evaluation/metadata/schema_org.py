"""schema.org in JSON-LD: a data set and a challenge as search engines read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from evaluation.metadata.facts import ChallengeFacts, DataSet, Person

CONTEXT: Final = "https://schema.org/"
_LONGEST: Final = 5_000
"""Longest description that search engines accept, in characters."""


def dataset(data: DataSet) -> dict[str, Any]:
    """Return a data set as ``Dataset``."""
    document: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "Dataset",
        "@id": data.address,
        "name": data.name,
        "description": (data.description or data.name)[:_LONGEST],
        "url": data.address,
        "version": data.version,
        "datePublished": data.released,
        "license": data.licence_address,
        "isAccessibleForFree": data.is_free,
        "keywords": list(data.keywords),
        "citation": data.citation,
        "creator": [person(entry) for entry in data.people],
        "publisher": organization(data.publisher),
        "distribution": [
            {
                "@type": "DataDownload",
                "name": file.name,
                "contentUrl": file.url or data.address,
                "contentSize": f"{file.size} B",
                "encodingFormat": file.media_type,
                "sha256": file.sha256,
            }
            for file in data.files
        ],
    }
    return _filled(document)


def event(challenge: ChallengeFacts) -> dict[str, Any]:
    """Return a challenge as ``Event`` that takes place online."""
    document: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "Event",
        "@id": challenge.address,
        "name": challenge.name,
        "description": challenge.description[:_LONGEST],
        "url": challenge.address,
        "startDate": challenge.starts,
        "endDate": challenge.ends,
        "eventAttendanceMode": "https://schema.org/OnlineEventAttendanceMode",
        "eventStatus": "https://schema.org/EventScheduled",
        "location": {"@type": "VirtualLocation", "url": challenge.address},
        "organizer": [person(entry) for entry in challenge.people]
        or organization(challenge.publisher, challenge.publisher_address),
        "keywords": list(challenge.keywords),
        "sameAs": f"https://doi.org/{challenge.doi}" if challenge.doi else "",
    }
    return _filled(document)


def person(entry: Person) -> dict[str, Any]:
    """Return a person with ORCID iD and institution, as far as they are known."""
    document: dict[str, Any] = {"@type": "Person", "@id": entry.orcid_address, "name": entry.name}
    if entry.institution or entry.ror:
        document["affiliation"] = organization(entry.institution or entry.ror, entry.ror)
    return _filled(document)


def organization(name: str, address: str = "") -> dict[str, Any]:
    """Return an institution; its ROR address identifies it."""
    return _filled({"@type": "Organization", "@id": address, "name": name})


def _filled(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if value not in ("", [], None)}
