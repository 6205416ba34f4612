"""Connection of a runner with the platform: repeated after interruptions, with refusals as exceptions."""

import hashlib
import random
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from podium_client.base import __version__
from podium_client.connection import LOOPBACK, keep
from podium_client.errors import ClientError

TIMEOUT = (10, 60)
PAUSES = (0.5, 1, 2, 5, 10, 20, 30)
"""Seconds between attempts; the last one repeats."""
BLOCK = 1024**2
_AGAIN = (408, 425, 429, 500, 502, 503, 504)
_UNAUTHORIZED, _CONFLICT, _PARTIAL, _NO_CONTENT = 401, 409, 206, 204


class EndedError(Exception):
    """The run is no longer leased to this runner, or the runner is stopping."""


class TokenError(ClientError):
    """The platform does not accept the token."""


class RefusedError(ClientError):
    """The platform refused a request; the message contains its reason."""

    def __init__(self, message: str, code: str, status: int) -> None:
        super().__init__(message)
        self.code, self.status = code, status


class Link:
    """The runner interface of one installation.

    Parameters
    ----------
    url
        Address of the installation.
    token
        Token of the runner.
    stopping
        Set when the runner stops; waiting requests then end.
    tell
        Reports interruptions to people.
    """

    def __init__(self, url: str, token: str, stopping: threading.Event, tell: Callable[[str], None]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("https", "http") or not parts.hostname:
            raise ClientError(f"{url} is not an address. It begins with https://.")
        if parts.scheme == "http" and parts.hostname not in LOOPBACK:
            raise ClientError("The token is sent over https:// only.")
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self._api = f"{self.origin}/api/v1/runner/"
        self._headers = {"Authorization": f"Bearer {token}", "User-Agent": f"podium-runner/{__version__}"}
        self._stopping, self._tell = stopping, tell
        self._local = threading.local()

    # --- Requests -----------------------------------------------------------------------------------------------------
    def report(self, state: dict[str, Any]) -> dict[str, Any]:
        """Report the state of the runner; returns what the platform knows of it."""
        return dict(self._asked("PUT", "", json=state).json())

    def claim(self) -> dict[str, Any] | None:
        """Claim a run; None if none is waiting."""
        answer = self._asked("POST", "runs/", json={"key": str(uuid.uuid4())})
        return None if answer.status_code == _NO_CONTENT else dict(answer.json())

    def beat(self, run: str, step: str, *, until: float) -> float:
        """Renew the lease of a run; returns the seconds until the next sign of life."""
        answer = self._asked("POST", f"runs/{run}/heartbeat/", json={"step": step}, until=until, is_ending=True)
        return float(answer.json()["next_seconds"])

    def run(self, run: str) -> dict[str, Any]:
        """Return a run again, with new addresses of its inputs."""
        return dict(self._asked("GET", f"runs/{run}/").json())

    def received(self, run: str) -> int:
        """Return the number of bytes of the outputs that have arrived."""
        return int(self._asked("GET", f"runs/{run}/outputs/").json()["received"])

    def send(self, run: str, offset: int, piece: bytes) -> int:
        """Send a piece of the outputs; returns the number of bytes that have arrived."""
        headers = {
            "Content-Type": "application/offset+octet-stream",
            "Upload-Offset": str(offset),
            "Content-SHA256": hashlib.sha256(piece).hexdigest(),
        }
        try:
            answer = self._asked("PATCH", f"runs/{run}/outputs/", data=piece, headers=headers)
        except RefusedError as error:
            if error.code == "offset":
                # The answer to an earlier attempt was lost.
                return self.received(run)
            raise
        return int(answer.json()["received"])

    def measure(self, run: str, document: dict[str, Any]) -> None:
        """Send the measurements of a run."""
        self._asked("PUT", f"runs/{run}/measurements/", json=document)

    def finish(self, run: str, manifest: list[dict[str, Any]]) -> None:
        """End a run whose outputs were sent."""
        self._asked("POST", f"runs/{run}/finish/", json={"manifest": manifest})

    def release(self, run: str, reason: str) -> None:
        """Give a run back that was not executed."""
        until = time.monotonic() + 10
        self._asked("POST", f"runs/{run}/release/", json={"reason": reason[:500]}, until=until, is_ending=True)

    def download(self, address: str, size: int, target: Path, beat: Callable[[], None]) -> None:
        """Download a file; an earlier part of it is continued.

        Raises
        ------
        RefusedError
            If the address has ended.
        """
        tries = 0
        while (present := target.stat().st_size if target.exists() else 0) < size:
            beat()
            headers = {"Range": f"bytes={present}-"} if present else {}
            try:
                answer = self._session().get(
                    urljoin(self.origin, address), headers=headers, stream=True, timeout=TIMEOUT, allow_redirects=False
                )
                with answer:
                    if not answer.ok or answer.is_redirect:
                        if answer.status_code not in _AGAIN:
                            raise _refusal(answer)
                        raise requests.ConnectionError(f"status {answer.status_code}")
                    with target.open("ab" if answer.status_code == _PARTIAL else "wb") as file:
                        for block in answer.iter_content(BLOCK):
                            file.write(block)
                            beat()
                            tries = 0
            except requests.RequestException as error:
                self._wait(tries, error)
                tries += 1
        if not target.exists():
            target.touch()
        if target.stat().st_size != size:
            target.unlink()
            raise RefusedError(f"{address[:80]} has other bytes than the run says.", "size", 0)

    # --- Sending ------------------------------------------------------------------------------------------------------
    def _asked(
        self,
        method: str,
        path: str,
        *,
        until: float | None = None,
        is_ending: bool = False,
        headers: dict[str, str] | None = None,
        **content: Any,
    ) -> requests.Response:
        """Send a request until it is answered.

        Parameters
        ----------
        until
            Moment after which an interruption is an error; by default never.
        is_ending
            Whether the request is also sent while the runner stops.

        Raises
        ------
        EndedError
            If the run is no longer leased, and if the runner stops.
        TokenError, RefusedError
            If the platform refuses the request.
        """
        tries = 0
        while True:
            try:
                answer = self._session().request(
                    method,
                    self._api + path,
                    headers={**self._headers, **(headers or {})},
                    timeout=TIMEOUT,
                    allow_redirects=False,
                    **content,
                )
                if answer.ok and not answer.is_redirect:
                    return answer
                if answer.status_code not in _AGAIN:
                    raise _refusal(answer)
                problem = f"status {answer.status_code}"
                pause = _retry_after(answer)
            except requests.RequestException as error:
                problem, pause = type(error).__name__, 0.0
            if until is not None and time.monotonic() >= until:
                raise EndedError(problem)
            if self._stopping.is_set() and not is_ending:
                raise EndedError("the runner stops")
            self._wait(tries, problem, at_least=pause)
            tries += 1

    def _wait(self, tries: int, problem: object, *, at_least: float = 0.0) -> None:
        pause = max(at_least, PAUSES[min(tries, len(PAUSES) - 1)] * random.uniform(0.8, 1.2))  # noqa: S311 (spreads load)
        if tries == 2:
            self._tell(f"{self.origin} does not answer ({problem}). The runner tries again.")
        self._stopping.wait(pause)
        if self._stopping.is_set() and tries > 2:
            raise EndedError("the runner stops")

    def _session(self) -> requests.Session:
        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = requests.Session()
            # An auth of our own keeps the machine's .netrc from replacing the token.
            session.auth = keep
        return session


def _refusal(answer: requests.Response) -> Exception:
    try:
        problem = answer.json()
    except ValueError:
        problem = {}
    detail = str(problem.get("detail") or f"The platform answered {answer.status_code} {answer.reason}.")
    if errors := problem.get("errors"):
        detail = f"{detail} {errors}"
    if answer.is_redirect:
        where = answer.headers.get("Location", "")[:100]
        return RefusedError(f"The address redirects to {where}. Start the runner with that address.", "", 0)
    if answer.status_code == _UNAUTHORIZED:
        return TokenError(detail)
    if problem.get("code") == "lease_ended":
        return EndedError(detail)
    return RefusedError(detail, str(problem.get("code", "")), answer.status_code)


def _retry_after(answer: requests.Response) -> float:
    value = answer.headers.get("Retry-After", "")
    return min(float(value), 60.0) if value.isascii() and value.isdigit() else 0.0
