"""Citations of a registered version for people and programs.

The module defines the content of a citation, its formats and the record for DataCite.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.conf import settings

from registry.models import Deposit, RegistrationVersion

_TEX: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_TABLE = str.maketrans(_TEX)

SCHEMA: Final = "http://datacite.org/schema/kernel-4"
LANGUAGE: Final = "en"


@dataclass(frozen=True)
class Author:
    """A person of the organizing team, or all of them under one name where the design does not name them."""

    name: str
    affiliation: str = ""
    is_group: bool = False

    @property
    def parts(self) -> tuple[str, str]:
        """Family and given names; without a comma, the last word is the family name.

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
        Its document, if it is already available.
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


def tex(text: str) -> str:
    r"""A text inside the braces of a BibTeX field: braces always balance, nothing is a command.

    Examples
    --------
    >>> tex("50% of {A_1}")
    '50\\% of \\textbraceleft{}A\\_1\\textbraceright{}'
    """
    return _plain(text).translate(_TABLE)


def bibtex(reference: Reference) -> str:
    """BibTeX, as ``@misc``."""
    fields = {
        "author": " and ".join(_bibtex_name(author) for author in reference.authors),
        # Double braces keep the capitals of names and abbreviations.
        "title": f"{{{tex(reference.title)}}}",
        "year": str(reference.published.year),
        "month": str(reference.published.month),
        "version": tex(reference.version),
        "howpublished": tex(f"{reference.publisher}, {reference.identifier}, version {reference.version}"),
        "publisher": tex(reference.publisher),
        "doi": tex(reference.doi),
        "url": _plain(reference.address),
        "note": tex(f"SHA-256 {reference.digest}"),
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{reference.key},\n" + ",\n".join(lines) + "\n}\n"


def ris(reference: Reference) -> str:
    """RIS: one field a line."""
    lines = [("TY", "GEN")]
    lines += [("AU", author.inverted) for author in reference.authors]
    lines += [
        ("TI", reference.title),
        ("PY", str(reference.published.year)),
        ("DA", f"{reference.published:%Y/%m/%d}"),
        ("ET", reference.version),
        ("PB", reference.publisher),
        ("ID", reference.identifier),
        ("DO", reference.doi),
        ("UR", reference.address),
        ("N1", f"SHA-256 {reference.digest}"),
        ("AB", reference.abstract),
    ]
    return "".join(f"{tag}  - {_plain(value)}\r\n" for tag, value in lines if value) + "ER  - \r\n"


def cff(reference: Reference) -> str:
    """Citation File Format 1.2, as a data set with the design as its content."""
    identifiers = [("other", reference.identifier), ("other", f"sha256:{reference.digest}")]
    if reference.concept_doi:
        identifiers.append(("doi", reference.concept_doi))
    lines = [
        "cff-version: 1.2.0",
        f"message: {_yaml('Please cite the registered design by its version.')}",
        "type: dataset",
        f"title: {_yaml(reference.title)}",
        f"version: {_yaml(reference.version)}",
        f"date-released: {_yaml(reference.published.isoformat())}",
        f"url: {_yaml(reference.address)}",
    ]
    if reference.doi:
        lines.append(f"doi: {_yaml(reference.doi)}")
    if reference.abstract:
        lines.append(f"abstract: {_yaml(reference.abstract)}")
    lines.append("authors:")
    for author in reference.authors:
        lines += _cff_author(author)
    lines.append("identifiers:")
    for kind, value in identifiers:
        lines += [f"  - type: {kind}", f"    value: {_yaml(value)}"]
    return "\n".join(lines) + "\n"


def sentence(reference: Reference) -> str:
    """The citation as people read it."""
    names = "; ".join(author.inverted for author in reference.authors)
    where = f"https://doi.org/{reference.doi}" if reference.doi else reference.address
    return (
        f"{names} ({reference.published.year}). {reference.title} (version {reference.version}). "
        f"{reference.publisher}, {reference.identifier}. {where}"
    )


FORMATS: Final[dict[str, tuple[Callable[[Reference], str], str]]] = {
    "bib": (bibtex, "application/x-bibtex"),
    "ris": (ris, "application/x-research-info-systems"),
    "cff": (cff, "application/yaml"),
}


def _bibtex_name(author: Author) -> str:
    """Return a name in a form that BibTeX reads as one person.

    Braces protect groups and words at which BibTeX would split the name.
    """
    text = tex(author.name)
    if author.is_group or re.search(r"\band\b|\bothers\b", text, re.IGNORECASE):
        return f"{{{text}}}"
    family, given = author.parts
    if "," in given:
        return f"{{{text}}}"
    return f"{tex(family)}, {tex(given)}" if given else f"{{{text}}}"


def _cff_author(author: Author) -> list[str]:
    family, given = author.parts
    if author.is_group or not given or not family:
        lines = [f"  - name: {_yaml(author.name)}"]
    else:
        lines = [f"  - family-names: {_yaml(family)}", f"    given-names: {_yaml(given)}"]
        if author.affiliation:
            lines.append(f"    affiliation: {_yaml(author.affiliation)}")
    return lines


def _yaml(text: str) -> str:
    """A text as a double-quoted YAML scalar; JSON is one."""
    return json.dumps(_plain(text), ensure_ascii=False)


def _plain(text: str) -> str:
    """One line without control characters, which no citation file can hold."""
    plain_text = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in text)
    plain_text = "".join(c for c in plain_text if unicodedata.category(c) not in ("Cs", "Cn", "Co") and c != "\ufeff")
    return " ".join(plain_text.split())


def metadata(version: RegistrationVersion, reference: Reference) -> dict[str, Any]:
    """The metadata as JSON in the form of DataCite 4.5.

    Raises
    ------
    ValueError
        When it does not satisfy the schema; that would be a fault of this function.
    """
    listing = version.registration
    related = [
        {"relatedIdentifier": doi, "relatedIdentifierType": "DOI", "relationType": relation}
        for relation, doi in _related(version, reference)
    ]
    data: dict[str, Any] = {
        "schemaVersion": SCHEMA,
        "types": {"resourceTypeGeneral": "StudyRegistration", "resourceType": "Registered challenge design"},
        "creators": [_creator(author) for author in reference.authors],
        "titles": [{"title": reference.title}],
        "publisher": {"name": reference.publisher},
        "publicationYear": str(reference.published.year),
        "version": reference.version,
        "language": LANGUAGE,
        "url": reference.address,
        "dates": [{"date": reference.published.isoformat(), "dateType": "Issued"}],
        "subjects": [
            {"subject": label} for label in dict.fromkeys(listing.facets.values_list("label", flat=True)) if label
        ],
        "alternateIdentifiers": [
            {"alternateIdentifier": reference.identifier, "alternateIdentifierType": "Registration"},
            {"alternateIdentifier": reference.digest, "alternateIdentifierType": "SHA-256"},
        ],
        "relatedIdentifiers": related,
        "formats": ["application/json", "application/pdf"],
        "rightsList": [
            {
                "rightsIdentifier": settings.PODIUM_REGISTRY_LICENSE,
                "rightsIdentifierScheme": "SPDX",
                "schemeUri": "https://spdx.org/licenses/",
            }
        ],
    }
    if reference.doi:
        prefix, _, suffix = reference.doi.partition("/")
        data |= {"doi": reference.doi, "prefix": prefix, "suffix": suffix}
    if reference.abstract:
        data["descriptions"] = [{"description": reference.abstract, "descriptionType": "Abstract"}]
    _check(data)
    return data


def as_xml(data: dict[str, Any]) -> str:
    """The metadata as the XML of DataCite."""
    # Loaded when the first one asks: the library brings an XML parser and a validator.
    from datacite import schema45

    text: str = schema45.tostring(data)
    return text


def _check(data: dict[str, Any]) -> None:
    from datacite import schema45

    problems = [error.message for error in schema45.validator.iter_errors(data)]
    if problems:
        raise ValueError(f"Not DataCite 4.5: {'; '.join(problems)}")


def _creator(author: Author) -> dict[str, Any]:
    family, given = author.parts
    if author.is_group:
        return {"name": author.name, "nameType": "Organizational"}
    creator: dict[str, Any] = {"name": author.inverted, "nameType": "Personal"}
    if given and family:
        creator |= {"givenName": given, "familyName": family}
    if author.affiliation:
        creator["affiliation"] = [{"name": author.affiliation}]
    return creator


def _related(version: RegistrationVersion, reference: Reference) -> list[tuple[str, str]]:
    relations = []
    if reference.concept_doi:
        relations.append(("IsVersionOf", reference.concept_doi))
    published = Deposit.objects.filter(
        state=Deposit.State.PUBLISHED, version__registration=version.registration_id
    ).select_related("version")
    for deposit in published:
        if deposit.version_id == version.previous_id:
            relations.append(("IsNewVersionOf", deposit.doi))
        if deposit.version.previous_id == version.pk:
            relations.append(("IsPreviousVersionOf", deposit.doi))
    earlier = version.registration.previous_edition
    if earlier is not None:
        relations += [
            ("Continues", deposit.concept_doi)
            for deposit in Deposit.objects.filter(
                state=Deposit.State.PUBLISHED, version__registration=earlier, version__previous=None
            )
            if deposit.concept_doi
        ]
    return relations
