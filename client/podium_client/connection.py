"""Speaking with the platform: JSON over HTTPS with a token, problems as one sentence."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from podium_client import settings
from podium_client.base import __version__
from podium_client.errors import ClientError

TIMEOUT = (10, 120)
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Connection:
    """The interface of one installation, as one person."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("https", "http") or not parts.hostname:
            raise ClientError(f"{url} is no address. It begins with https://.")
        if parts.scheme == "http" and parts.hostname not in LOOPBACK:
            raise ClientError("A token is only sent over https://.")
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.api = f"{self.origin}/api/v1/"
        self._session = requests.Session()
        self._session.headers.update({"Authorization": f"Bearer {token}", "User-Agent": f"podium-client/{__version__}"})
        # An auth of our own keeps the machine's .netrc from replacing the token.
        self._session.auth = keep

    @classmethod
    def remembered(cls) -> "Connection":
        """Return the connection that `podium login` stored, or that the environment names."""
        content = settings.load()
        url = settings.variable("PODIUM_URL") or content.get("url")
        token = settings.variable("PODIUM_TOKEN") or content.get("token")
        if not url or not token:
            raise ClientError("Sign in first: podium login https://… (with a token of your account page).")
        return cls(url, token)

    def request(self, method: str, address: str, *, refused: tuple[int, ...] = (), **more: Any) -> requests.Response:
        """Send a request and return the response.

        Error responses raise `ClientError`, except for the status codes in `refused`.

        Redirects are not followed. The token is therefore never sent to another host.
        """
        target = urljoin(self.api, address)
        if not target.startswith(f"{self.origin}/"):
            raise ClientError("The platform answered with an address of another host.")
        try:
            answer = self._session.request(method, target, timeout=TIMEOUT, allow_redirects=False, **more)
        except requests.RequestException as error:
            raise ConnectionLostError(f"{self.origin} does not answer ({type(error).__name__}).") from error
        if (answer.ok and not answer.is_redirect) or answer.status_code in refused:
            return answer
        raise RefusedError(_reason(answer), answer.status_code)

    def get(self, address: str, **more: Any) -> Any:
        """Return the JSON at an address."""
        return self.request("GET", address, **more).json()

    def pages(self, address: str, **parameters: str) -> Iterator[dict[str, Any]]:
        """Return the entries of a list, however many pages it has."""
        page = self.get(address, params=parameters)
        while True:
            yield from page["results"]
            if not page["next"]:
                return
            page = self.get(page["next"])


class ConnectionLostError(ClientError):
    """No answer; worth trying again."""


class RefusedError(ClientError):
    """Error for a request that the platform refused."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def keep(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Leave the request as it is: an explicit auth keeps `requests` from reading passwords of the machine's .netrc."""
    return request


def _reason(answer: requests.Response) -> str:
    if answer.status_code == 401:
        return "The token is not valid. Make a new one on your account page and sign in again."
    if answer.status_code == 404:
        return f"There is nothing at {urlsplit(answer.url).path} that you may see."
    kind = answer.headers.get("Content-Type", "")
    if "json" in kind:
        try:
            problem = answer.json()
        except ValueError:
            problem = {}
        errors = problem.get("errors")
        if isinstance(errors, dict):
            return "; ".join(f"{name}: {' '.join(map(str, messages))}" for name, messages in errors.items())
        if problem.get("detail"):
            return str(problem["detail"])
    if "text/plain" in kind and answer.text.strip():
        return answer.text.strip()[:500]
    return f"The platform answered {answer.status_code} {answer.reason}."
