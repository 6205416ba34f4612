"""Requests of the server to addresses that people typed, without reaching the installation's own network.

Every host is resolved first, each of its addresses must be public, and the connection goes to exactly the address that was
checked, so a name that resolves differently later changes nothing. Redirects follow the same rules. One absolute deadline
covers the whole conversation.
"""

import contextlib
import http.client
import ipaddress
import queue
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self
from urllib.parse import SplitResult, urljoin, urlsplit

SECONDS: Final = 20.0
"""For a whole conversation, redirects included."""
REDIRECTS: Final = 4
_PIECE: Final = 64 * 1024
_AGENT: Final = "Podium link check"
_TOO_SLOW: Final = "too slow"
_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
_SPECIAL: Final = tuple(
    ipaddress.ip_network(text)
    for text in (
        *("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15"),
        *("198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
    )
)
"""Networks of the IANA registries of special-purpose addresses that some versions of Python call global."""


@dataclass(frozen=True)
class Answer:
    """Result of a request to an address: whether it works, its status, and a message if it does not."""

    works: bool
    status: int | None
    words: str = ""


@dataclass(frozen=True)
class Page:
    """Content of an address, with its media type."""

    content: bytes
    kind: str


@dataclass(frozen=True)
class Reply:
    """Status and content of an answer, whatever its status."""

    status: int
    content: bytes


class RefusedError(ValueError):
    """An address that the server must not ask."""


class Deadline:
    """An absolute end of a conversation: name, connection, TLS, headers and body together, however slowly they come.

    A time-out of a socket starts again with every byte, so a timer shuts the connection down.
    """

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(seconds, self._expire)
        self._timer.daemon = True
        self.is_over = False

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    @property
    def seconds(self) -> float:
        """Seconds that are left.

        Raises
        ------
        RefusedError
            When none are left.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise RefusedError(_TOO_SLOW)
        return left

    def guard(self, connected: socket.socket) -> None:
        """Shut this connection down at the end; the one before is not needed any more."""
        with self._lock:
            self._socket = connected
            if self.is_over:
                self._shut()

    def _expire(self) -> None:
        with self._lock:
            self.is_over = True
            self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):
                # Not the method of a TLS socket, which would pull its state from under the thread that reads.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


def ask(url: str, *, seconds: float = SECONDS, allow_private: bool = False) -> Answer:
    """Ask an address with HEAD, then with GET where HEAD is not answered.

    Parameters
    ----------
    allow_private
        Ask hosts of the own network too; for tests against a local server.
    """
    try:
        with Deadline(seconds) as deadline:
            status = _follow("HEAD", url, deadline, allow_private=allow_private)
            if status in (403, 404, 405, 501):
                status = _follow("GET", url, deadline, allow_private=allow_private)
    except RefusedError as error:
        return Answer(works=False, status=None, words=str(error))
    except (OSError, http.client.HTTPException, ValueError) as error:
        return Answer(works=False, status=None, words=_no_answer(error, deadline))
    return Answer(works=status < 400, status=status, words="" if status < 400 else f"status {status}")


def read(url: str, *, most_bytes: int, seconds: float = SECONDS, allow_private: bool = False) -> Page:
    """Fetch a page by the same rules: public hosts only, each redirect checked again, bounded in size and time.

    Raises
    ------
    RefusedError
        For an address that must not be requested, a page that is too large or too slow, and a response that
        is no page.
    """
    with Deadline(seconds) as deadline:
        for _ in range(REDIRECTS + 1):
            parts = urlsplit(url)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise RefusedError("not an address of the web")
            try:
                answer = _read_once(parts, most_bytes, deadline, allow_private=allow_private)
            except RefusedError:
                raise
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise RefusedError(_no_answer(error, deadline)) from error
            if deadline.is_over:
                # A body without a length looks complete when its connection ends.
                raise RefusedError(_TOO_SLOW)
            if isinstance(answer, Page):
                return answer
            url = urljoin(url, answer)
    raise RefusedError("too many redirects")


def post(
    url: str, content: bytes, *, kind: str, most_bytes: int, seconds: float = SECONDS, allow_private: bool = False
) -> bytes:
    """Send content to an address by the same rules, without following redirects, and return the response.

    Parameters
    ----------
    kind
        Media type of the content.

    Raises
    ------
    RefusedError
        For an address that must not be requested, and a response that is missing, too large, too slow or
        unsuccessful.
    """
    reply = exchange(
        "POST",
        url,
        content,
        headers={"User-Agent": "Podium", "Content-Type": kind},
        most_bytes=most_bytes,
        seconds=seconds,
        allow_private=allow_private,
    )
    if reply.status != 200:
        raise RefusedError(f"status {reply.status}")
    return reply.content


def exchange(
    method: str,
    url: str,
    content: bytes | None = None,
    *,
    headers: Mapping[str, str],
    most_bytes: int,
    seconds: float = SECONDS,
    allow_private: bool = False,
) -> Reply:
    """Send one request by the same rules, without following redirects, and return the answer with its status.

    Parameters
    ----------
    most_bytes
        Largest answer that is read.

    Raises
    ------
    RefusedError
        For an address that must not be requested, and an answer that is missing, too large or too slow.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise RefusedError("not an address of the web")
    with Deadline(seconds) as deadline:
        try:
            reply = _exchange_once(method, parts, content, headers, most_bytes, deadline, allow_private=allow_private)
        except RefusedError:
            raise
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise RefusedError(_no_answer(error, deadline)) from error
        if deadline.is_over:
            raise RefusedError(_TOO_SLOW)
        return reply


def _exchange_once(
    method: str,
    parts: SplitResult,
    content: bytes | None,
    headers: Mapping[str, str],
    most_bytes: int,
    deadline: Deadline,
    *,
    allow_private: bool,
) -> Reply:
    host = str(parts.hostname)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = _public_address(host, port, deadline, allow_private=allow_private)
    connection = _Pinned(host, port, address, deadline, secure=parts.scheme == "https")
    try:
        target = parts.path or "/"
        connection.request(method, f"{target}?{parts.query}" if parts.query else target, content, dict(headers))
        answer = connection.getresponse()
        return Reply(answer.status, _bounded(answer, most_bytes))
    finally:
        connection.close()


def _bounded(answer: http.client.HTTPResponse, most_bytes: int) -> bytes:
    """Read a body of limited size."""
    content = bytearray()
    while piece := answer.read1(_PIECE):
        content += piece
        if len(content) > most_bytes:
            raise RefusedError(f"more than {most_bytes:,} bytes")
    return bytes(content)


def _read_once(parts: SplitResult, most_bytes: int, deadline: Deadline, *, allow_private: bool) -> Page | str:
    """A page, or the place that it is redirected to."""
    host = str(parts.hostname)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = _public_address(host, port, deadline, allow_private=allow_private)
    connection = _Pinned(host, port, address, deadline, secure=parts.scheme == "https")
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
        content = _bounded(answer, most_bytes)
        return Page(content, (answer.getheader("Content-Type") or "").partition(";")[0].strip().lower())
    finally:
        connection.close()


def _no_answer(error: Exception, deadline: Deadline) -> str:
    if deadline.is_over or isinstance(error, TimeoutError):
        return _TOO_SLOW
    if isinstance(error, socket.gaierror):
        return "host name not found"
    return f"no answer ({type(error).__name__})"


def _follow(method: str, url: str, deadline: Deadline, *, allow_private: bool) -> int:
    for _ in range(REDIRECTS + 1):
        status, location = _once(method, url, deadline, allow_private=allow_private)
        if deadline.is_over:
            # Headers that were cut off look complete.
            raise RefusedError(_TOO_SLOW)
        if not 300 <= status < 400 or not location:
            return status
        url = urljoin(url, location)
    raise RefusedError("too many redirects")


def _once(method: str, url: str, deadline: Deadline, *, allow_private: bool) -> tuple[int, str]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise RefusedError("not an address of the web")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = _public_address(parts.hostname, port, deadline, allow_private=allow_private)
    connection = _Pinned(parts.hostname, port, address, deadline, secure=parts.scheme == "https")
    try:
        target = parts.path or "/"
        connection.request(method, f"{target}?{parts.query}" if parts.query else target, headers={"User-Agent": _AGENT})
        answer = connection.getresponse()
        return answer.status, answer.getheader("Location") or ""
    finally:
        connection.close()


def is_public(address: str) -> bool:
    """Return whether an address is one host of the public internet.

    An IPv6 address that embeds an IPv4 address (mapped, 6to4, NAT64 with the well-known prefix) counts as
    that one. All other transition mechanisms are refused, because they reach hosts that the address does not
    show.
    """
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        translated = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF) if parsed in _TRANSLATED else None
        embedded = parsed.ipv4_mapped or parsed.sixtofour or translated
        if embedded is not None:
            return is_public(str(embedded))
        if parsed not in _UNICAST:
            return False
    return parsed.is_global and not parsed.is_multicast and not any(parsed in network for network in _SPECIAL)


def _public_address(host: str, port: int, deadline: Deadline, *, allow_private: bool) -> str:
    addresses = _resolved(host, port, deadline)
    if not allow_private and not all(map(is_public, addresses)):
        raise RefusedError("an address of a private network")
    return min(addresses)


def _resolved(host: str, port: int, deadline: Deadline) -> set[str]:
    """Resolve a name, in a separate thread, because nothing can interrupt a resolver that hangs."""
    answers: queue.SimpleQueue[list[Any] | OSError | ValueError] = queue.SimpleQueue()

    def resolve() -> None:
        try:
            answers.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, ValueError) as error:
            answers.put(error)

    threading.Thread(target=resolve, name="outbound-resolve", daemon=True).start()
    try:
        resolution = answers.get(timeout=deadline.seconds)
    except queue.Empty as error:
        raise RefusedError(_TOO_SLOW) from error
    if isinstance(resolution, Exception):
        raise resolution
    return {str(entry[4][0]) for entry in resolution}


class _Pinned(http.client.HTTPConnection):
    """A connection to the address that was checked, even if the name resolves to another address by now."""

    def __init__(self, host: str, port: int, address: str, deadline: Deadline, *, secure: bool) -> None:
        super().__init__(host, port)
        self._address, self._deadline, self._secure = address, deadline, secure

    def connect(self) -> None:
        """Connect, with TLS if the address requires it, within the deadline."""
        self.sock = socket.create_connection((self._address, self.port), self._deadline.seconds)
        if self._secure:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
        self._deadline.guard(self.sock)
        if isinstance(self.sock, ssl.SSLSocket):
            self.sock.do_handshake()
