"""The REST interface of Zenodo and its kin, as far as a deposit needs it.

Every step can be repeated: a draft is found again by its number, a published record answers with its DOI.
"""

import ipaddress
import json
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlsplit

from web.outbound import RefusedError, exchange

SECONDS: Final = 120.0
"""For one request with its answer, however slowly they come; a worker renews its claim meanwhile."""
MOST_BYTES: Final = 1024 * 1024
_EXCERPT: Final = 200


class DepositError(Exception):
    """The repository did not fulfil a request.

    The message contains at most an excerpt of the answer, and never the token.
    """


@dataclass(frozen=True)
class Record:
    """A draft or published record of the repository."""

    external_id: str
    is_published: bool
    doi: str
    concept_doi: str
    address: str
    bucket: str
    files: tuple[str, ...]


class Repository:
    """Client of the repository at one address.

    The token is never sent to another address, regardless of the content of an answer.

    Raises
    ------
    DepositError
        For an address that would send the token in clear text over a network.
    """

    def __init__(self, url: str, token: str) -> None:
        self._base = url.rstrip("/")
        self._origin = _origin(url)
        if urlsplit(url).scheme != "https" and not _is_loopback(urlsplit(url).hostname or ""):
            raise DepositError("The address of the repository has to begin with https://.")
        self._headers = {"User-Agent": "Podium", "Authorization": f"Bearer {token}"}

    def create(self) -> Record:
        """Create a new record."""
        return _record(self._call("POST", self._path("/api/deposit/depositions"), {}))

    def new_version(self, external_id: str) -> Record:
        """Start the next version of a published record; its files are those of the version before, until replaced."""
        answer = self._call("POST", self._path(f"/api/deposit/depositions/{quote(external_id)}/actions/newversion"))
        latest = _record(answer).external_id
        draft = str(answer.get("links", {}).get("latest_draft", "")).rstrip("/").rpartition("/")[2]
        return self.read(draft or latest)

    def read(self, external_id: str) -> Record:
        """Return the current state of a record."""
        return _record(self._call("GET", self._path(f"/api/deposit/depositions/{quote(external_id)}")))

    def describe(self, external_id: str, metadata: dict[str, Any]) -> None:
        """Write the metadata of a draft."""
        self._call("PUT", self._path(f"/api/deposit/depositions/{quote(external_id)}"), {"metadata": metadata})

    def replace_files(self, record: Record, files: dict[str, bytes]) -> None:
        """Make the files of a draft these and no others."""
        for file_id in record.files:
            self._call(
                "DELETE", self._path(f"/api/deposit/depositions/{quote(record.external_id)}/files/{quote(file_id)}")
            )
        for name, content in files.items():
            self._call("PUT", f"{record.bucket.rstrip('/')}/{quote(name)}", content)

    def publish(self, external_id: str) -> Record:
        """Publish a draft; its DOI is minted now."""
        answer = self._call("POST", self._path(f"/api/deposit/depositions/{quote(external_id)}/actions/publish"))
        record = _record(answer)
        if not record.doi:
            raise DepositError("The repository published the record without a DOI.")
        return record

    def _path(self, path: str) -> str:
        return f"{self._base}{path}"

    def _call(self, method: str, url: str, content: dict[str, Any] | bytes | None = None) -> dict[str, Any]:
        if _origin(url) != self._origin:
            raise DepositError("The repository named an address outside of itself.")
        headers = dict(self._headers)
        if isinstance(content, dict):
            content = json.dumps(content).encode()
            headers["Content-Type"] = "application/json"
        elif content is not None:
            headers["Content-Type"] = "application/octet-stream"
        try:
            # The address is that of the settings, which can be in the own network.
            reply = exchange(
                method, url, content, headers=headers, most_bytes=MOST_BYTES, seconds=SECONDS, allow_private=True
            )
        except RefusedError as error:
            raise DepositError(f"No answer ({error}).") from error
        if not 200 <= reply.status < 300:
            excerpt = reply.content.decode(errors="replace")[:_EXCERPT]
            raise DepositError(f"{method} was answered with {reply.status}: {excerpt}")
        if not reply.content:
            return {}
        try:
            data = json.loads(reply.content)
        except ValueError as error:
            raise DepositError("The answer is no JSON.") from error
        return data if isinstance(data, dict) else {}


def _record(answer: dict[str, Any]) -> Record:
    links = answer.get("links") or {}
    if not answer.get("id"):
        raise DepositError("The answer names no record.")
    return Record(
        external_id=str(answer["id"]),
        is_published=bool(answer.get("submitted")) and answer.get("state") == "done",
        doi=str(answer.get("doi") or ""),
        concept_doi=str(answer.get("conceptdoi") or ""),
        address=str(links.get("record_html") or links.get("html") or ""),
        bucket=str(links.get("bucket") or ""),
        files=tuple(str(file["id"]) for file in answer.get("files") or () if file.get("id")),
    )


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
