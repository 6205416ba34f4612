"""Starter kits: download the archive of a phase, check its entries, and write its files to a new folder."""

import io
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import urlsplit

import requests

from podium_client.base import durable
from podium_client.connection import LOOPBACK, TIMEOUT, Connection
from podium_client.errors import ClientError

_TRIES: Final = 30
_MOST_BYTES: Final = 200 * 1024 * 1024
"""Bytes of all files of a kit together."""


@dataclass(frozen=True)
class Kit:
    """A starter kit that was written to a folder.

    Attributes
    ----------
    folder
        The new folder.
    files
        Paths of its files, relative to the folder.
    """

    folder: Path
    files: list[str]


def get_kit(
    source: str,
    phase: str,
    folder: Path | None,
    connect: Callable[[], Connection],
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> Kit:
    """Download the starter kit of a phase into a new folder.

    Parameters
    ----------
    source
        Short name of a challenge, which needs `podium login`, or its public address, which needs no token.
    phase
        Number or short name of the phase; the first phase if empty.
    folder
        The new folder; by default ``SHORTNAME-starter-kit`` in the current folder.

    Raises
    ------
    ClientError
        If the challenge or phase is not found, the folder exists with files, or the archive is not usable.
    """
    slug, get = _reader(source, connect)
    target = folder or Path(f"{slug}-starter-kit")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ClientError(f"{target} exists and is not empty. Name a new folder with --to.")
    number = _phase(get(f"challenges/{slug}/").json(), phase)
    for _ in range(_TRIES):
        answer = get(f"challenges/{slug}/phases/{number}/starter-kit/")
        if answer.status_code == 200:
            return Kit(target, _unpack(answer.content, target))
        sleep(2)
    raise ClientError("The starter kit is still being generated. Start the same command again later.")


def _reader(source: str, connect: Callable[[], Connection]) -> tuple[str, Callable[[str], requests.Response]]:
    """Return the short name of a challenge, and a function that reads addresses of the interface."""
    if "://" not in source:
        connection = connect()
        return source, lambda address: connection.request("GET", address)
    parts = urlsplit(source)
    names = [name for name in parts.path.split("/") if name]
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        raise ClientError(f"{source} is not an address that begins with https://.")
    if len(names) < 2 or names[0] != "challenges":
        raise ClientError(
            f"{source} is not the address of a challenge, such as https://podium.example.org/challenges/NAME/."
        )
    origin = f"{parts.scheme}://{parts.netloc}"

    def read(address: str) -> requests.Response:
        try:
            answer = requests.get(f"{origin}/api/v1/{address}", timeout=TIMEOUT, allow_redirects=False)
        except requests.RequestException as error:
            raise ClientError(f"{origin} does not answer ({type(error).__name__}).") from error
        if answer.status_code not in (200, 202):
            raise ClientError(f"{source} cannot be read (status {answer.status_code}).")
        return answer

    return names[1], read


def _phase(challenge: dict[str, Any], phase: str) -> int:
    rows = challenge["phases"]
    chosen = [row for row in rows if phase in ("", str(row["id"]), row["slug"], f"{row['task']}/{row['slug']}")]
    if not chosen:
        phases = ", ".join(f"{row['task']}/{row['slug']}" for row in rows) or "none"
        raise ClientError(f"Phase {phase or '(any)'} not found. The phases are {phases}.")
    return int(chosen[0]["id"])


def _unpack(content: bytes, target: Path) -> list[str]:
    """Write the files of an archive below a folder; entries that would lie elsewhere are refused."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except zipfile.BadZipFile as error:
        raise ClientError("The starter kit is not a ZIP archive. Start the same command again.") from error
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if sum(entry.file_size for entry in entries) > _MOST_BYTES:
        raise ClientError(f"The starter kit is larger than {_MOST_BYTES // 1024**2} MiB.")
    names = []
    for entry in entries:
        parts = PurePosixPath(entry.filename).parts
        if len(parts) < 2 or "\\" in entry.filename or any(part in ("..", "/") or ":" in part for part in parts):
            raise ClientError(f"The starter kit contains the invalid path {entry.filename!r}. No file of it was used.")
        names.append("/".join(parts[1:]))
    for entry, name in zip(entries, names, strict=True):
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        durable.write_bytes(path, archive.read(entry))
    return names
