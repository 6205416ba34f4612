"""Output shaped: badges, and structured data for search engines."""

from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings

from registry.models import Deposit, Listing, Registration, RegistrationVersion
from registry.queries.citing import Reference

State = Registration.State
# Dark enough for white words on them (at least 4.5 : 1).
COLOURS: Final = {
    State.REGISTERED: "#1d6b3a",
    State.COMMENT_PERIOD: "#1f5fa8",
    State.WITHDRAWN: "#a02626",
    State.ABANDONED: "#a02626",
}
DEVIATES: Final = "#8a5200"
LABEL: Final = "registered design"
# Width of a letter of 11 px, and the space at both sides; `textLength` makes the words fit whatever font there is.
LETTER, PADDING = 6.4, 8


@dataclass(frozen=True)
class Half:
    """Half of the badge: its text, the start of the text and its width."""

    text: str
    x: float
    left: float
    width: float
    length: float


@dataclass(frozen=True)
class Badge:
    """Content of the badge, as the template draws it."""

    label: Half
    words: Half
    colour: str
    title: str

    @property
    def width(self) -> float:
        """The whole width in pixels."""
        return self.label.width + self.words.width


def badge_of(registration: Registration, version: RegistrationVersion) -> Badge:
    """State, version and DOI of a registration; before there is a DOI, its identifier."""
    deposit = Deposit.objects.filter(version=version).first()
    parts = [f"v{version.number}", (deposit.doi if deposit else "") or registration.identifier]
    if registration.state != State.REGISTERED:
        parts.insert(0, registration.get_state_display())
    deviates = registration.versions.filter(is_deviation=True).exists()
    if deviates:
        parts.append("deviation")
    colour = DEVIATES if deviates and not registration.is_ended else COLOURS[State(registration.state)]
    label = _half(LABEL, 0)
    words = _half(" · ".join(parts), label.width)
    return Badge(label, words, colour, f"{LABEL}: {words.text}")


def _half(text: str, left: float) -> Half:
    length = round(len(text) * LETTER, 1)
    return Half(text, left + PADDING, left, length + 2 * PADDING, length)


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
