"""RO-Crate 1.2 description of the files of an archive.

Specification: https://www.researchobject.org/ro-crate/specification/1.2/.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from evaluation.metadata.facts import licence_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evaluation.metadata.facts import DataFile, Person

CRATE: Final = "ro-crate-metadata.json"
CONTEXT: Final = "https://w3id.org/ro/crate/1.2/context"
CONFORMS: Final = "https://w3id.org/ro/crate/1.2"


def crate_of_files(
    name: str,
    description: str,
    files: Iterable[DataFile],
    *,
    published: str,
    licence: str,
    publisher: str,
    publisher_address: str = "",
    people: Sequence[Person] = (),
    address: str = "",
    digest: str = "",
    software: str = "",
) -> dict[str, Any]:
    """Return the metadata document of an archive.

    Parameters
    ----------
    published
        Day of publication, ``YYYY-MM-DD``.
    licence
        Licence in words or as an address.
    address
        Page that shows the content.
    digest
        SHA-256 of the ranking document inside.
    software
        Name and version of the program that computed the content.
    """
    listed = list(files)
    licence_id = licence_address(licence)
    licence_entity = {"@id": licence_id if licence_id.startswith("https://") else "#licence", "name": licence}
    licence_entity |= {"@type": "CreativeWork", "description": f"Licence: {licence}"}
    publisher_id = publisher_address or "#publisher"
    persons = [(entry.orcid_address or f"#person-{number}", entry) for number, entry in enumerate(people, start=1)]
    root: dict[str, Any] = {
        "@id": "./",
        "@type": "Dataset",
        "name": name,
        "description": description,
        "datePublished": published,
        "license": {"@id": licence_entity["@id"]},
        "publisher": {"@id": publisher_id},
        "hasPart": [{"@id": quote(file.name)} for file in listed],
    }
    root |= {"identifier": f"sha256:{digest}"} if digest else {}
    root |= {"author": [{"@id": identity} for identity, _ in persons]} if persons else {}
    root |= {"url": address} if address else {}
    graph: list[dict[str, Any]] = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "conformsTo": {"@id": CONFORMS},
            "about": {"@id": "./"},
        },
        root,
        {"@id": publisher_id, "@type": "Organization", "name": publisher},
        licence_entity,
        *(_file(file) for file in listed),
    ]
    for identity, entry in persons:
        graph += _person(identity, entry)
    if software:
        graph += _action(listed, software)
    entities: dict[str, dict[str, Any]] = {}
    for entity in graph:
        entities.setdefault(entity["@id"], entity)
    return {"@context": CONTEXT, "@graph": list(entities.values())}


def _file(file: DataFile) -> dict[str, Any]:
    entity = {
        "@id": quote(file.name),
        "@type": "File",
        "name": file.name,
        "description": file.description or file.name,
        "contentSize": str(file.size),
        "encodingFormat": file.media_type,
        "sha256": file.sha256,
    }
    return {key: value for key, value in entity.items() if value}


def _person(identity: str, entry: Person) -> list[dict[str, Any]]:
    person: dict[str, Any] = {"@id": identity, "@type": "Person", "name": entry.name}
    if not entry.institution:
        return [person]
    institution = entry.ror or f"{identity}-institution" if identity.startswith("#") else entry.ror
    institution = institution or f"#institution-{entry.institution.casefold().replace(' ', '-')}"
    person["affiliation"] = {"@id": quote(institution, safe=":/#")}
    return [person, {"@id": quote(institution, safe=":/#"), "@type": "Organization", "name": entry.institution}]


def _action(files: Sequence[DataFile], software: str) -> list[dict[str, Any]]:
    """The computation that made the files, and the program."""
    return [
        {
            "@id": "#computation",
            "@type": "CreateAction",
            "name": "Computation of the ranking",
            "instrument": {"@id": "#software"},
            "result": [{"@id": quote(file.name)} for file in files],
        },
        # Not a SoftwareApplication, which must have an address: an installation states name and version alone.
        {"@id": "#software", "@type": "CreativeWork", "name": software},
    ]
