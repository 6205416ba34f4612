"""Asking whether a web address answers, without being turned against the own network.

Organizers type the addresses, and the server asks: so every host is resolved first, each of its addresses has to be a
public one, and the connection goes to exactly the address that was looked at. Redirects are followed by the same rules.
"""

import http.client
import ipaddress
import socket
import ssl
import time
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urljoin, urlsplit

SECONDS: Final = 8
REDIRECTS: Final = 4
_PIECE: Final = 64 * 1024
_AGENT: Final = "Podium link check"
_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")


@dataclass(frozen=True)
class Answer:
    """What an address answered: whether it works, its status, and words when it does not."""

    works: bool
    status: int | None
    words: str = ""


@dataclass(frozen=True)
class Page:
    """What an address holds."""

    content: bytes
    kind: str


class RefusedError(ValueError):
    """An address that the server must not ask."""


def ask(url: str, *, allow_private: bool = False) -> Answer:
    """Ask an address with HEAD, then with GET where HEAD is not answered.

    Parameters
    ----------
    allow_private
        Ask hosts of the own network too; for tests against a local server.
    """
    try:
        status = _follow("HEAD", url, allow_private=allow_private)
        if status in (403, 404, 405, 501):
            status = _follow("GET", url, allow_private=allow_private)
    except RefusedError as error:
        return Answer(works=False, status=None, words=str(error))
    except (OSError, http.client.HTTPException, ValueError) as error:
        return Answer(works=False, status=None, words=f"no answer ({type(error).__name__})")
    return Answer(works=status < 400, status=status, words="" if status < 400 else f"status {status}")


def read(url: str, *, most_bytes: int, seconds: float = 20, allow_private: bool = False) -> Page:
    """Fetch a page by the same rules: public hosts only, each redirect looked at anew, bounded in size and time.

    Raises
    ------
    RefusedError
        For an address that must not be asked, a page that is too large or too slow, and one that answers no page.
    """
    deadline = time.monotonic() + seconds
    for _ in range(REDIRECTS + 1):
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise RefusedError("not an address of the web")
        try:
            answer = _read_once(parts, most_bytes, deadline, allow_private=allow_private)
        except (OSError, http.client.HTTPException, ValueError) as error:
            if isinstance(error, RefusedError):
                raise
            raise RefusedError(f"no answer ({type(error).__name__})") from error
        if isinstance(answer, Page):
            return answer
        url = urljoin(url, answer)
    raise RefusedError("too many redirects")


def _read_once(parts: SplitResult, most_bytes: int, deadline: float, *, allow_private: bool) -> Page | str:
    """A page, or the place that it is redirected to."""
    host = str(parts.hostname)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = _public_address(host, port, allow_private=allow_private)
    connection = _Pinned(host, port, address, secure=parts.scheme == "https")
    try:
        target = parts.path or "/"
        headers = {"User-Agent": _AGENT, "Accept": "text/html, text/plain, application/pdf"}
        connection.request("GET", f"{target}?{parts.query}" if parts.query else target, headers=headers)
        answer = connection.getresponse()
        location = answer.getheader("Location")
        if 300 <= answer.status < 400 and location:
            return location
        if answer.status >= 400:
            raise RefusedError(f"status {answer.status}")
        content = bytearray()
        while piece := answer.read1(_PIECE):
            content += piece
            if len(content) > most_bytes:
                raise RefusedError(f"more than {most_bytes:,} bytes")
            if time.monotonic() > deadline:
                raise RefusedError("too slow")
        return Page(bytes(content), (answer.getheader("Content-Type") or "").partition(";")[0].strip().lower())
    finally:
        connection.close()


def _follow(method: str, url: str, *, allow_private: bool) -> int:
    for _ in range(REDIRECTS + 1):
        status, location = _once(method, url, allow_private=allow_private)
        if not 300 <= status < 400 or not location:
            return status
        url = urljoin(url, location)
    raise RefusedError("too many redirects")


def _once(method: str, url: str, *, allow_private: bool) -> tuple[int, str]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise RefusedError("not an address of the web")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = _public_address(parts.hostname, port, allow_private=allow_private)
    connection = _Pinned(parts.hostname, port, address, secure=parts.scheme == "https")
    try:
        target = parts.path or "/"
        connection.request(method, f"{target}?{parts.query}" if parts.query else target, headers={"User-Agent": _AGENT})
        answer = connection.getresponse()
        return answer.status, answer.getheader("Location") or ""
    finally:
        connection.close()


def _public_address(host: str, port: int, *, allow_private: bool) -> str:
    addresses = {str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    if not allow_private and not all(map(_is_public, addresses)):
        raise RefusedError("an address of a private network")
    return min(addresses)


def _is_public(address: str) -> bool:
    parsed_address = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed_address, ipaddress.IPv6Address):
        # An IPv4 address in the dress of IPv6 reaches the same host: mapped, by 6to4, or by the translator of a network.
        translated = ipaddress.IPv4Address(int(parsed_address) & 0xFFFFFFFF) if parsed_address in _TRANSLATED else None
        parsed_address = parsed_address.ipv4_mapped or parsed_address.sixtofour or translated or parsed_address
    return parsed_address.is_global and not parsed_address.is_multicast


class _Pinned(http.client.HTTPConnection):
    """A connection to the address that was looked at, whatever the name resolves to by now."""

    def __init__(self, host: str, port: int, address: str, *, secure: bool) -> None:
        super().__init__(host, port, timeout=SECONDS)
        self._address, self._secure = address, secure

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), SECONDS)
        if self._secure:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)
