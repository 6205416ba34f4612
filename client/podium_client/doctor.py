"""Checks of an installation of the client: settings, connection, versions, and programs for further commands."""

import platform
import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import requests

from podium_client import settings
from podium_client.base import __version__
from podium_client.connection import TIMEOUT, Connection
from podium_client.errors import ClientError

OLDEST_PYTHON = (3, 11)


@dataclass(frozen=True)
class Check:
    """Result of one check.

    Attributes
    ----------
    name
        Subject of the check.
    state
        ``ok``, ``note`` (something optional is missing) or ``problem``.
    text
        What was found.
    remedy
        What to do; empty for ``ok``.
    """

    name: str
    state: str
    text: str
    remedy: str = ""


def checks() -> list[Check]:
    """Return all checks; one that fails leaves the others to be made."""
    results: list[Check] = []
    for check in (_python, _settings, _connection, _science, _engine):
        try:
            results += check()
        except ClientError as error:
            results.append(Check(check.__name__.strip("_"), "problem", str(error), "Correct the settings."))
    return results


def _python() -> Iterator[Check]:
    text = f"Python {platform.python_version()}, podium-client {__version__}"
    if sys.version_info < OLDEST_PYTHON:
        yield Check("python", "problem", text, f"Use Python {OLDEST_PYTHON[0]}.{OLDEST_PYTHON[1]} or newer.")
    else:
        yield Check("python", "ok", text)


def _settings() -> Iterator[Check]:
    path = settings.path()
    content = settings.load()
    if not path.exists():
        yield Check("settings", "note", f"{path} does not exist", "Sign in with podium login https://…")
    elif hasattr(path, "stat") and stat.S_IMODE(path.stat().st_mode) & 0o077 and platform.system() != "Windows":
        yield Check("settings", "problem", f"Other people can read {path}", f"Run chmod 600 {path}")
    else:
        uploads = len(content.get("uploads", {}))
        yield Check("settings", "ok", f"{path}; {uploads} unfinished uploads")


def _connection() -> Iterator[Check]:
    try:
        connection = Connection.remembered()
    except ClientError as error:
        yield Check("connection", "note", str(error), "Sign in with podium login https://…")
        return
    try:
        person = connection.get("me/")
    except ClientError as error:
        yield Check("connection", "problem", str(error), "Check the address and the token.")
        return
    yield Check("connection", "ok", f"{connection.origin}, signed in as {person['username']}")
    yield _version(connection)


def _version(connection: Connection) -> Check:
    """Compare the version of the client with the one that the installation offers."""
    offered = offered_client(connection.origin)
    if offered is None:
        return Check("version", "note", "The installation offers no client", "Ask its operators for an update.")
    if offered["version"] == __version__:
        return Check("version", "ok", f"The installation offers the same version, {__version__}")
    text = f"This is version {__version__}, and the installation offers {offered['version']}"
    return Check("version", "problem", text, f"Run pip install {offered['url']}")


def offered_client(origin: str) -> dict[str, Any] | None:
    """Return version and address of the client that an installation offers; ``None`` if it offers none.

    No token is sent.
    """
    try:
        answer = requests.get(f"{origin}/client/version.json", timeout=TIMEOUT, allow_redirects=False)
        content = answer.json() if answer.ok else None
    except (requests.RequestException, ValueError):
        return None
    if not isinstance(content, dict) or not {"version", "url"} <= set(content):
        return None
    return content


def _science() -> Iterator[Check]:
    if find_spec("evaluation") is None:
        remedy = "Install podium-evaluation for podium validate, try, verify and site."
        yield Check("evaluation", "note", "podium-evaluation is not installed", remedy)
    else:
        yield Check("evaluation", "ok", "podium-evaluation is installed")


def _engine() -> Iterator[Check]:
    engine = next((name for name in ("podman", "docker") if shutil.which(name)), None)
    if engine is None:
        yield Check("engine", "note", "Neither podman nor docker was found", "Install one of them for podium try.")
    else:
        yield Check("engine", "ok", f"{engine} was found")
