"""The REST interface of Zenodo and its kin, as far as a deposit needs it.

Every step can be repeated: a draft is found again by its number, a published record answers with its DOI.
"""

import ipaddress
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlsplit

import requests

SECONDS: Final = (10, 60)
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
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.headers["Authorization"] = f"Bearer {token}"

    def create(self) -> Record:
        """Create a new record."""
        return _record(self._call("POST", self._path("/api/deposit/depositions"), json={}))

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
        self._call("PUT", self._path(f"/api/deposit/depositions/{quote(external_id)}"), json={"metadata": metadata})

    def replace_files(self, record: Record, files: dict[str, bytes]) -> None:
        """Make the files of a draft these and no others."""
        for file_id in record.files:
            self._call(
                "DELETE", self._path(f"/api/deposit/depositions/{quote(record.external_id)}/files/{quote(file_id)}")
            )
        for name, content in files.items():
            self._call("PUT", f"{record.bucket.rstrip('/')}/{quote(name)}", data=content)

    def publish(self, external_id: str) -> Record:
        """Publish a draft; its DOI is minted now."""
        answer = self._call("POST", self._path(f"/api/deposit/depositions/{quote(external_id)}/actions/publish"))
        record = _record(answer)
        if not record.doi:
            raise DepositError("The repository published the record without a DOI.")
        return record

    def _path(self, path: str) -> str:
        return f"{self._base}{path}"

    def _call(self, method: str, url: str, **content: Any) -> dict[str, Any]:
        if _origin(url) != self._origin:
            raise DepositError("The repository named an address outside of itself.")
        try:
            answer = self._session.request(method, url, timeout=SECONDS, allow_redirects=False, **content)
        except requests.RequestException as error:
            raise DepositError(f"No answer ({type(error).__name__}).") from error
        if not answer.ok or answer.is_redirect:
            raise DepositError(f"{method} was answered with {answer.status_code}: {answer.text[:_EXCERPT]}")
        if not answer.content:
            return {}
        try:
            data = answer.json()
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
