"""DataCite 4 metadata of a registered version, checked against its schema."""

from typing import Any, Final

from django.conf import settings

from registry.models import Deposit, RegistrationVersion
from registry.queries.citing.reference import Author, Reference

SCHEMA: Final = "http://datacite.org/schema/kernel-4"
LANGUAGE: Final = "en"


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
    found = []
    if reference.concept_doi:
        found.append(("IsVersionOf", reference.concept_doi))
    published = Deposit.objects.filter(
        state=Deposit.State.PUBLISHED, version__registration=version.registration_id
    ).select_related("version")
    for deposit in published:
        if deposit.version_id == version.previous_id:
            found.append(("IsNewVersionOf", deposit.doi))
        if deposit.version.previous_id == version.pk:
            found.append(("IsPreviousVersionOf", deposit.doi))
    earlier = version.registration.previous_edition
    if earlier is not None:
        found += [
            ("Continues", deposit.concept_doi)
            for deposit in Deposit.objects.filter(
                state=Deposit.State.PUBLISHED, version__registration=earlier, version__previous=None
            )
            if deposit.concept_doi
        ]
    return found
