"""The two network requests of a site: deliver a message and fetch a file.

No connection is ever opened to a site.

Proxies are those of the environment (`HTTPS_PROXY`, `NO_PROXY`), certificates those of `REQUESTS_CA_BUNDLE`, as
everywhere in `requests`.
"""

from pathlib import Path
from urllib.parse import urlsplit

import requests

from evaluation import __version__, durable
from evaluation.canonical import canonical_json
from evaluation.federation.envelope import sign
from podium_client.connection import LOOPBACK, TIMEOUT, ConnectionLostError, RefusedError, keep
from podium_client.errors import ClientError
from podium_client.site.folder import SiteFolder, now_text, sha256_of

_BLOCK = 1 << 16
_MOST_ANSWER = 32 * 2**20


def origin_of(address: str) -> str:
    """The installation of an address; only HTTPS leaves the machine."""
    parts = urlsplit(address)
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise ClientError(f"{address} is no address. It begins with https://.")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise ClientError("Invitations and messages only go over https://.")
    return f"{parts.scheme}://{parts.netloc}"


def get(address: str) -> bytes:
    """Return the content at an address."""
    origin_of(address)
    return _asked("GET", address).content


def post(site: SiteFolder, content: bytes) -> bytes:
    """Send an envelope; returns the receipt."""
    address = f"{origin_of(site.facts['address'])}/api/v1/sites/{site.facts['federation']}/messages/"
    return _asked("POST", address, data=content, headers={"Content-Type": "application/json"}).content


def package(site: SiteFolder) -> bytes:
    """Return the current package."""
    return _asked("POST", _wanted(site), data=_request(site, "package")).content


def download(site: SiteFolder, sha256: str, size: int, target: Path) -> None:
    """Get a file of the package; the same call goes on where a broken line stopped."""
    part = target.with_name(f".{target.name}.part")
    have = part.stat().st_size if part.exists() else 0
    if have < size:
        headers = {"Range": f"bytes={have}-"} if have else {}
        answer = _asked("POST", _wanted(site), data=_request(site, sha256), headers=headers, stream=True)
        mode = "ab" if answer.status_code == requests.codes.partial_content else "wb"
        try:
            with part.open(mode) as stream:
                for block in answer.iter_content(_BLOCK):
                    stream.write(block)
                    if stream.tell() > size:
                        break
        except requests.RequestException as error:
            raise ConnectionLostError("The line broke; the same command goes on where it stopped.") from error
    if part.stat().st_size != size or sha256_of(part) != sha256:
        part.unlink()
        raise ClientError("The file has another SHA-256 than the signed package says; it was deleted. Fetch it again.")
    durable.settle(part, target)


def _wanted(site: SiteFolder) -> str:
    return f"{origin_of(site.facts['address'])}/api/v1/sites/{site.facts['federation']}/files/"


def _request(site: SiteFolder, wanted: str) -> bytes:
    document = {
        "schema": "podium.site-request/1",
        "site": site.name,
        "federation": site.facts["federation"],
        "sent_at": now_text(),
        "wanted": wanted,
    }
    return canonical_json(sign(document, site.key)).encode()


def _asked(
    method: str, address: str, *, data: bytes | None = None, headers: dict[str, str] | None = None, stream: bool = False
) -> requests.Response:
    session = requests.Session()
    session.headers.update({"User-Agent": f"podium-site/{__version__}", "Accept": "application/json"})
    session.auth = keep
    try:
        answer = session.request(
            method, address, data=data, headers=headers, timeout=TIMEOUT, allow_redirects=False, stream=stream
        )
    except requests.RequestException as error:
        raise ConnectionLostError(f"{origin_of(address)} does not answer ({type(error).__name__}).") from error
    if answer.ok and not answer.is_redirect:
        if int(answer.headers.get("Content-Length") or 0) > _MOST_ANSWER and not stream:
            raise ClientError("The answer of the platform is too large.")
        return answer
    raise RefusedError(_reason(answer), answer.status_code)


def _reason(answer: requests.Response) -> str:
    try:
        problem = answer.json()
    except ValueError:
        problem = {}
    detail = str(problem.get("detail") or f"The platform answered {answer.status_code} {answer.reason}.")
    return f"{detail} ({problem['code']})" if problem.get("code") else detail
