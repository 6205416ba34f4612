"""Croissant 1.1 description of a data set (MLCommons), with its Responsible AI vocabulary.

Specification: https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.metadata.responsible import responsible_entries
from evaluation.metadata.schema_org import organization, person

if TYPE_CHECKING:
    from evaluation.metadata.facts import DataFile, DataSet

CONFORMS: Final = "http://mlcommons.org/croissant/1.1"
CONFORMS_RAI: Final = "http://mlcommons.org/croissant/RAI/1.0"
_TERMS: Final = (
    *("arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract", "field", "fileProperty"),
    *(
        "fileObject",
        "fileSet",
        "format",
        "includes",
        "isArray",
        "isLiveDataset",
        "jsonPath",
        "key",
        "md5",
        "parentField",
    ),
    *("path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator", "source"),
    *("subField", "transform"),
)
CONTEXT: Final[dict[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "name": {"@container": "@language"},
    **{term: f"cr:{term}" for term in _TERMS},
}


def croissant(data: DataSet) -> dict[str, Any]:
    """Return the description of a data set: what it is, its files with digests, and how the data came into being."""
    document: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [CONFORMS, CONFORMS_RAI] if data.design is not None else CONFORMS,
        "name": data.name,
        "description": data.description or data.name,
        "url": data.address,
        "version": data.version,
        "datePublished": data.released,
        "license": data.licence_address,
        "publisher": organization(data.publisher),
        "creator": [person(entry) for entry in data.people] or organization(data.publisher),
        "keywords": list(data.keywords),
        "citeAs": data.citation,
        "isLiveDataset": False,
        "distribution": [_file(data, file, number) for number, file in enumerate(data.files, start=1)],
    }
    if data.design is not None:
        document |= responsible_entries(data.design)
    return {key: value for key, value in document.items() if value not in ("", [], None)}


def _file(data: DataSet, file: DataFile, number: int) -> dict[str, Any]:
    entry = {
        "@type": "cr:FileObject",
        # Not the name: readers of Croissant accept no spaces in an identifier, and names of files have them.
        "@id": f"file-{number}",
        "name": file.name,
        "description": file.description,
        "contentSize": f"{file.size} B",
        # A file that needs an agreement has no address of its own: the page explains how to get it.
        "contentUrl": file.url or data.address,
        "encodingFormat": file.media_type,
        "sha256": file.sha256,
    }
    return {key: value for key, value in entry.items() if value != ""}
