"""Facts that descriptions consist of."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.designs.document import Values

_ROR: Final = re.compile(r"https://ror\.org/0[a-hj-km-np-tv-z0-9]{6}[0-9]{2}")
_ORCID: Final = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
_CREATIVE_COMMONS: Final = re.compile(
    r"\bCC[ -]?(BY(?:[ -](?:NC|ND|SA)){0,2})[ ,-]*(?:version )?(\d\.\d)\b", re.IGNORECASE
)
_ZERO: Final = re.compile(r"\bCC ?-?0\b", re.IGNORECASE)


@dataclass(frozen=True)
class Person:
    """A person of the organizing team.

    Attributes
    ----------
    name
        Name as it is published.
    affiliation
        Name of the institution; may contain its ROR address, which is separated from the name.
    orcid
        ORCID iD without its address, or empty.
    """

    name: str
    affiliation: str = ""
    orcid: str = ""

    @property
    def institution(self) -> str:
        """Name of the institution without its ROR address."""
        return " ".join(_ROR.sub("", self.affiliation).replace("()", "").split()).strip(" ,;")

    @property
    def ror(self) -> str:
        """ROR address of the institution, if the affiliation states it; empty otherwise.

        Examples
        --------
        >>> Person("Ada", "Vanderbilt University (https://ror.org/02vm5rt34)").ror
        'https://ror.org/02vm5rt34'
        """
        match = _ROR.search(self.affiliation)
        return match[0] if match else ""

    @property
    def orcid_address(self) -> str:
        """Address of the ORCID iD; empty if it has another form."""
        match = _ORCID.search(self.orcid)
        return f"https://orcid.org/{match[0]}" if match else ""


@dataclass(frozen=True)
class DataFile:
    """A file of a data set or of a bundle.

    Attributes
    ----------
    name
        Path of the file.
    size
        Bytes.
    sha256
        Digest of its bytes, hexadecimal.
    url
        Address at which it can be downloaded; empty inside an archive.
    """

    name: str
    size: int
    sha256: str
    url: str = ""
    description: str = ""

    @property
    def media_type(self) -> str:
        """Media type by the name."""
        suffix = self.name.casefold().rpartition(".")[2]
        return _MEDIA_TYPES.get(suffix, "application/octet-stream")


_MEDIA_TYPES: Final = {
    "zip": "application/zip",
    "csv": "text/csv",
    "json": "application/json",
    "md": "text/markdown",
    "txt": "text/plain",
    "parquet": "application/vnd.apache.parquet",
    "gz": "application/gzip",
    "tar": "application/x-tar",
    "png": "image/png",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "pdf": "application/pdf",
}


@dataclass(frozen=True)
class DataSet:
    """A published version of a data set.

    Attributes
    ----------
    address
        Page of the data set.
    version
        Version, as it is published.
    released
        Day of publication, ``YYYY-MM-DD``.
    licence
        Licence in words; `licence_address` recognizes Creative Commons.
    files
        Files that anyone who reads the description may know of.
    design
        Values of the task that the data belong to, without anything that is not public; ``None`` if not known.
    """

    name: str
    description: str
    address: str
    version: str
    released: str
    licence: str
    publisher: str
    people: tuple[Person, ...] = ()
    files: tuple[DataFile, ...] = ()
    keywords: tuple[str, ...] = ()
    citation: str = ""
    is_free: bool = False
    design: Values | None = None

    @property
    def licence_address(self) -> str:
        """Address of the licence, or its words if it has none."""
        return licence_address(self.licence)


@dataclass(frozen=True)
class ChallengeFacts:
    """A challenge as an event.

    Attributes
    ----------
    starts, ends
        Days, ``YYYY-MM-DD``; empty if not known.
    doi
        DOI of the registered design, or empty.
    """

    name: str
    description: str
    address: str
    starts: str
    ends: str
    publisher: str
    publisher_address: str
    people: tuple[Person, ...] = ()
    keywords: tuple[str, ...] = ()
    doi: str = ""


@dataclass(frozen=True)
class ResultFacts:
    """A published ranking.

    Attributes
    ----------
    document
        Ranking document; names are those that its reader may see.
    address
        Page of the ranking.
    digest
        Digest of the document.
    published
        Time of publication in seconds since 1970.
    version
        Version of the program that computed the ranking.
    ranges
        Smallest and largest possible value by metric; ``None`` where there is no bound.
    """

    challenge: str
    task: str
    data_name: str
    document: Mapping[str, Any]
    address: str
    data_address: str
    digest: str
    published: int
    publisher: str
    publisher_address: str = ""
    version: str = ""
    ranges: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)


def licence_address(licence: str) -> str:
    """Return the address of a Creative Commons licence with a version; other licences are returned as they are.

    Examples
    --------
    >>> licence_address("CC BY-SA 4.0"), licence_address("CC0"), licence_address("Own agreement")
    ('https://creativecommons.org/licenses/by-sa/4.0/', 'https://creativecommons.org/publicdomain/zero/1.0/', 'Own agreement')
    """
    if match := _CREATIVE_COMMONS.search(licence):
        parts = match[1].lower().replace(" ", "-")
        return f"https://creativecommons.org/licenses/{parts}/{match[2]}/"
    return "https://creativecommons.org/publicdomain/zero/1.0/" if _ZERO.search(licence) else licence


def people_of(values: Values) -> tuple[Person, ...]:
    """Return the organizing team of a design, without what only reviewers see."""
    return tuple(
        Person(str(row["name"]), str(row.get("affiliation", "")), str(row.get("orcid", "")))
        for row in values.rows("organizing_team")
        if row.get("name")
    )
