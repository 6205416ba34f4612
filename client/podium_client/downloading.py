"""Downloading data: goes on where it stopped, also after a restart of the machine, and checks every file's SHA-256.

A file arrives under its name with `.part` behind it and gets its name once its digest is right. The token never goes to the
address of a file: that is signed for this account and this file, and for a short while.
"""

import hashlib
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from podium_client.base import durable
from podium_client.connection import LOOPBACK, TIMEOUT, Connection, ConnectionLostError, keep
from podium_client.errors import ClientError

PAUSES = (1, 2, 5, 15, 30, 60, 60, 60)
"""Pauses in seconds after lost connections.

Received data count as progress and restart the sequence.
"""
BLOCK = 1024 * 1024
_NAME = re.compile(r"[\w][\w .+()=,@-]*", re.ASCII)
_SLUG = re.compile(r"[\w-]+", re.ASCII)

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Got:
    """A file that is there and whole."""

    path: Path
    size: int
    sha256: str


def get_data(
    connection: Connection,
    *,
    challenge: str,
    wanted: Sequence[str],
    folder: Path,
    progress: Progress,
    sleep: Callable[[float], None] = time.sleep,
) -> list[Got]:
    """Download the files of data sets into a folder each.

    Raises
    ------
    ClientError
        For a data set that is not there or that this account does not get, and when a file stays damaged.
    """
    content = connection.get(f"challenges/{challenge}/data/")
    hosted = {entry["slug"]: entry for entry in content["datasets"] if entry["files"]}
    unknown = [name for name in wanted if name not in hosted]
    if unknown:
        raise ClientError(f"{challenge} hosts no data set {unknown[0]}; there are {', '.join(hosted) or 'none'}.")
    chosen = [hosted[name] for name in wanted] or list(hosted.values())
    if not chosen:
        links = [entry["url"] for entry in (*content["datasets"], *content["locations"]) if entry["url"]]
        elsewhere = f" Data lie at {', '.join(links)}." if links else ""
        raise ClientError(f"{challenge} hosts no files.{elsewhere}")
    if withheld := next((entry for entry in chosen if not entry["may_have"]), None):
        where = urljoin(connection.origin, content["agree_at"]) if content["agree_at"] else ""
        raise ClientError(f"{withheld['name']}: {content['missing']} {where}".strip())
    return [
        _get(connection, challenge, file, _folder(folder, entry), progress, sleep)
        for entry in chosen
        for file in entry["files"]
    ]


def _folder(folder: Path, entry: dict[str, Any]) -> Path:
    """Return the folder of a data set, created if necessary.

    The names come from the server. None of them may lead outside the requested folder.
    """
    if not _SLUG.fullmatch(str(entry["slug"])):
        raise ClientError("The platform named a data set that cannot be a folder.")
    target = folder / str(entry["slug"])
    target.mkdir(parents=True, exist_ok=True)
    return target


def _get(
    connection: Connection,
    challenge: str,
    file: dict[str, Any],
    folder: Path,
    progress: Progress,
    sleep: Callable[[float], None],
) -> Got:
    name, size = str(file["name"]), int(file["size"])
    if not _NAME.fullmatch(name):
        raise ClientError("The platform named a file that cannot be one here.")
    path, part = folder / name, folder / f"{name}.part"
    if path.exists() and path.stat().st_size == size and _sha256(path) == file["sha256"]:
        return Got(path, size, file["sha256"])
    tries, address = 0, None
    while not part.exists() or part.stat().st_size < size:
        before = part.stat().st_size if part.exists() else 0
        try:
            if address is None:
                answer = connection.request("POST", f"challenges/{challenge}/data/files/{file['id']}/address/")
                address = urljoin(connection.origin, answer.json()["url"])
            _receive(address, part, size, lambda arrived: progress(name, arrived, size))
        except _AddressEndedError:
            address = None
            if tries >= len(PAUSES):
                raise
        except ConnectionLostError as error:
            if tries >= len(PAUSES):
                raise ClientError(f"{error} What has arrived is kept: start the same command again later.") from error
        arrived = part.stat().st_size if part.exists() else 0
        if arrived >= size:
            break
        tries = 0 if arrived > before else tries + 1
        sleep(PAUSES[min(tries, len(PAUSES) - 1)])
    if _sha256(part) != file["sha256"]:
        part.unlink()
        raise ClientError(
            f"{name} arrived damaged: its SHA-256 is not the published one. Start the same command again."
        )
    durable.settle(part, path)
    return Got(path, size, file["sha256"])


class _AddressEndedError(ClientError):
    """The address is not good any more; a new one goes on."""


def _receive(address: str, part: Path, size: int, progress: Callable[[int], None]) -> None:
    """Add to a part what is missing, as far as the line holds."""
    start = part.stat().st_size if part.exists() else 0
    where = urlsplit(address)
    if where.scheme != "https" and where.hostname not in LOOPBACK:
        raise ClientError("The platform named an address that is not reached over https://.")
    with requests.Session() as session:
        # An auth of our own keeps the machine's .netrc from adding a password.
        session.auth = keep
        headers = {"Range": f"bytes={start}-"} if start else {}
        try:
            with session.get(address, headers=headers, stream=True, timeout=TIMEOUT) as answer:
                reached = urlsplit(answer.url)
                if reached.scheme != "https" and reached.hostname not in LOOPBACK:
                    raise ClientError("The platform named a storage that is not reached over https://.")
                if answer.status_code == 403:
                    raise _AddressEndedError(answer.text.strip()[:500] or "The address is not good any more.")
                if answer.status_code == 416:
                    part.unlink(missing_ok=True)
                    return
                if answer.status_code not in (200, 206):
                    raise ConnectionLostError(f"{where.netloc} answered {answer.status_code}.")
                resumed = answer.status_code == 206
                with part.open("ab" if resumed else "wb") as target:
                    arrived = start if resumed else 0
                    for block in answer.iter_content(BLOCK):
                        if arrived + len(block) > size:
                            raise ClientError("More bytes arrived than the file has. Start the same command again.")
                        target.write(block)
                        arrived += len(block)
                        progress(arrived)
        except requests.RequestException as error:
            raise ConnectionLostError(f"{where.netloc} does not answer ({type(error).__name__}).") from error


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
