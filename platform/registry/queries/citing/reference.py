"""What a citation says of a registered version."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings

from registry.models import Deposit, RegistrationVersion


@dataclass(frozen=True)
class Author:
    """A person of the organizing team, or all of them under one name where the design does not name them."""

    name: str
    affiliation: str = ""
    is_group: bool = False

    @property
    def parts(self) -> tuple[str, str]:
        """Family and given names; the last word is taken for the family name where no comma says otherwise.

        Examples
        --------
        >>> Author("Ada King Lovelace").parts, Author("Lovelace, Ada").parts
        (('Lovelace', 'Ada King'), ('Lovelace', 'Ada'))
        """
        if "," in self.name:
            family, _, given = self.name.partition(",")
            return family.strip(), given.strip()
        given, _, family = self.name.rpartition(" ")
        return family, given

    @property
    def inverted(self) -> str:
        """“Family, Given”; a group as it is called."""
        family, given = self.parts
        return self.name if self.is_group or not given else f"{family}, {given}"


@dataclass(frozen=True)
class Reference:
    """A version as something to be cited."""

    identifier: str
    version: str
    title: str
    authors: tuple[Author, ...]
    published: date
    publisher: str
    address: str
    digest: str
    doi: str = ""
    concept_doi: str = ""
    abstract: str = ""

    @property
    def key(self) -> str:
        """A key for bibliographies: letters, digits and hyphens."""
        return f"{self.identifier}-v{self.version.replace('.', '-')}"


def reference_of(version: RegistrationVersion, data: Mapping[str, Any] | None = None) -> Reference:
    """Read the reference from the version itself, never from a later one.

    Parameters
    ----------
    data
        Its document, if it is at hand already.
    """
    challenge = (version.document if data is None else data)["challenge"]
    name = _line(challenge.get("challenge_name")) or version.registration.design.title
    team = challenge.get("organizing_team")
    authors = [
        Author(_line(row["name"]), _line(row.get("affiliation")))
        for row in (team if isinstance(team, list) else [])
        if _line(row.get("name"))
    ]
    deposit = Deposit.objects.filter(version=version, state=Deposit.State.PUBLISHED).first()
    return Reference(
        identifier=version.registration.identifier,
        version=version.number,
        title=f"{name}: registered challenge design",
        authors=tuple(authors) or (Author(f"Organizers of {name}", is_group=True),),
        published=version.registered_at.date(),
        publisher=settings.PODIUM_PUBLISHER,
        address=settings.PODIUM_ADDRESS.rstrip("/") + version.get_absolute_url(),
        digest=version.digest,
        doi=deposit.doi if deposit else "",
        concept_doi=deposit.concept_doi if deposit else "",
        abstract=_line(challenge.get("challenge_abstract")),
    )


def _line(value: Any) -> str:
    return " ".join(str(value).split()) if isinstance(value, (str, int, float)) else ""
