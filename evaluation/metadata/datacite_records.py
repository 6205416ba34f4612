"""DataCite 4.5 record of a data set, with ROR and ORCID identifiers where they are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from evaluation.metadata.facts import DataSet, Person

SCHEMA: Final = "http://datacite.org/schema/kernel-4"


def datacite_record(data: DataSet, *, doi: str = "") -> dict[str, Any]:
    """Return the record of a data set.

    Parameters
    ----------
    doi
        DOI of the data set, if it has one.
    """
    record: dict[str, Any] = {
        "schemaVersion": SCHEMA,
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Challenge data"},
        "creators": [_creator(entry) for entry in data.people]
        or [{"name": data.publisher, "nameType": "Organizational"}],
        "titles": [{"title": data.name}],
        "publisher": {"name": data.publisher},
        "publicationYear": data.released[:4],
        "dates": [{"date": data.released, "dateType": "Issued"}],
        "version": data.version,
        "language": "en",
        "subjects": [{"subject": keyword} for keyword in data.keywords],
        "descriptions": [{"description": data.description or data.name, "descriptionType": "Abstract"}],
        "sizes": [f"{sum(file.size for file in data.files)} bytes"] if data.files else [],
        "formats": sorted({file.media_type for file in data.files}),
        "rightsList": [_rights(data)],
        "alternateIdentifiers": [{"alternateIdentifier": data.address, "alternateIdentifierType": "URL"}],
    }
    if doi:
        record["doi"] = doi
    return {key: value for key, value in record.items() if value not in ("", [])}


def _rights(data: DataSet) -> dict[str, str]:
    address = data.licence_address
    return {"rights": data.licence} | ({"rightsUri": address} if address.startswith("https://") else {})


def _creator(entry: Person) -> dict[str, Any]:
    creator: dict[str, Any] = {"name": entry.name, "nameType": "Personal"}
    if entry.institution:
        affiliation = {"name": entry.institution}
        if entry.ror:
            affiliation |= {
                "affiliationIdentifier": entry.ror,
                "affiliationIdentifierScheme": "ROR",
                "schemeUri": "https://ror.org",
            }
        creator["affiliation"] = [affiliation]
    if entry.orcid_address:
        creator["nameIdentifiers"] = [
            {"nameIdentifier": entry.orcid_address, "nameIdentifierScheme": "ORCID", "schemeUri": "https://orcid.org"}
        ]
    return creator
