"""Uploading in pieces with check sums, going on where it stopped, also after a restart of the machine.

Straight to the object store where the installation offers that (`direct`), else through the platform by tus 1.0. Tables go the
second way, each before the form that names it.
"""

import base64
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from podium_client import direct, settings
from podium_client.connection import Connection, ConnectionLostError, RefusedError
from podium_client.errors import ClientError

PIECE = 8 * 1024 * 1024
TUS = {"Tus-Resumable": "1.0.0"}
# Pauses after lost connections, in seconds; afterwards the command ends and can be started again.
PAUSES = (1, 2, 5, 15, 30, 60, 60, 60)
_GONE = (404, 410)
_AGAIN = (409, 423, 460, 502, 503, 504)

Progress = Callable[[int, int], None]


def upload(
    connection: Connection,
    *,
    challenge: str,
    phase: int,
    path: Path,
    name: str,
    accept_incomplete: bool,
    progress: Progress,
    sleep: Callable[[float], None] = time.sleep,
) -> str:
    """Upload a file and return the address of the submission.

    Parameters
    ----------
    connection
        The installation.
    challenge, phase
        Destination of the submission.
    path, name
        The file, and its name on the platform.
    accept_incomplete
        Score without asking when cases are missing.
    progress
        Called with the number of bytes sent and the total number of bytes.
    sleep
        Waits between attempts.
    """
    size = path.stat().st_size

    def send(address: str) -> str:
        way = direct.send if direct.is_direct(address) else _send
        return way(connection, address, path, size, progress)

    return _kept_up(
        key=f"{connection.origin} {challenge} {phase} {accept_incomplete} {size} {sha256(path)}",
        begin=lambda: _begin(connection, challenge, phase, name, size, accept_incomplete=accept_incomplete),
        send=send,
        sleep=sleep,
    )


@contextmanager
def files_of_form(
    connection: Connection, files: Mapping[str, Path], *, sleep: Callable[[float], None] = time.sleep
) -> Iterator[dict[str, str]]:
    """Send files that a form will name; gives the id of each by the field that names it.

    They are thrown away where the platform refuses the form.

    Raises
    ------
    ClientError
        For a file that is not there, and what the platform refuses.
    """
    for path in files.values():
        if not path.is_file():
            raise ClientError(f"{path} is no file.")
    ids = {field: _send_file(connection, path, sleep) for field, path in files.items()}
    try:
        yield ids
    except RefusedError:
        for sent in ids.values():
            connection.request("DELETE", f"files/{sent}/", headers=TUS, refused=_GONE)
        raise


def _send_file(connection: Connection, path: Path, sleep: Callable[[float], None]) -> str:
    size = path.stat().st_size
    return _kept_up(
        key=f"{connection.origin} file {path.name} {size} {sha256(path)}",
        begin=lambda: _begun(connection, "files/", size, {"filename": path.name}),
        send=lambda address: _send(connection, address, path, size, _silent, whole="Podium-File"),
        sleep=sleep,
    )


def _silent(_sent: int, _size: int) -> None:
    """Ignore progress reports."""


def _kept_up(*, key: str, begin: Callable[[], str], send: Callable[[str], str], sleep: Callable[[float], None]) -> str:
    """Send the upload stored under a key, resuming an interrupted one.

    Returns the result of `send` when all data have arrived.
    """
    address = settings.load().get("uploads", {}).get(key)
    tries = 0
    while True:
        try:
            if address is None:
                address = begin()
                settings.remember_upload(key, address)
            receipt = send(address)
        except RefusedError as error:
            if error.status in _GONE and tries == 0:
                address, tries = None, 1  # it expired: begin anew, once
                continue
            if error.status not in _AGAIN or tries >= len(PAUSES):
                if error.status not in _AGAIN:
                    settings.remember_upload(key, None)
                raise
        except ConnectionLostError as error:
            if tries >= len(PAUSES):
                raise ClientError(f"{error} What has arrived is kept: start the same command again later.") from error
        else:
            settings.remember_upload(key, None)
            return receipt
        sleep(PAUSES[tries])
        tries += 1


def sha256(path: Path) -> str:
    """Digest of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _begin(connection: Connection, challenge: str, phase: int, name: str, size: int, *, accept_incomplete: bool) -> str:
    address = direct.begin(connection, challenge, phase, name, size, accept_incomplete=accept_incomplete)
    if address is not None:
        return address
    metadata = {"filename": name, "phase": str(phase), "accept_incomplete": "true" if accept_incomplete else "false"}
    return _begun(connection, f"challenges/{challenge}/uploads/", size, metadata)


def _begun(connection: Connection, endpoint: str, size: int, metadata: Mapping[str, str]) -> str:
    """Begin an upload by tus; returns its address."""
    pairs = ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in metadata.items())
    answer = connection.request(
        "POST",
        endpoint,
        headers={**TUS, "Upload-Length": str(size), "Upload-Metadata": pairs},
    )
    return answer.headers["Location"]


def _send(
    connection: Connection,
    address: str,
    path: Path,
    size: int,
    progress: Progress,
    *,
    whole: str = "Podium-Submission",
) -> str:
    """Send by tus the data that have not arrived.

    Returns the value of the header `whole` in the last response.
    """
    answer = connection.request("HEAD", address, headers=TUS)
    offset = int(answer.headers["Upload-Offset"])
    with path.open("rb") as stream:
        while offset < size:
            progress(offset, size)
            stream.seek(offset)
            piece = stream.read(PIECE)
            digest = base64.b64encode(hashlib.sha256(piece).digest()).decode()
            answer = connection.request(
                "PATCH",
                address,
                data=piece,
                headers={
                    **TUS,
                    "Content-Type": "application/offset+octet-stream",
                    "Upload-Offset": str(offset),
                    "Upload-Checksum": f"sha256 {digest}",
                },
            )
            offset = int(answer.headers["Upload-Offset"])
    progress(size, size)
    if whole not in answer.headers:
        raise ClientError("The upload arrived, but the platform does not say what became of it. See its page there.")
    return answer.headers[whole]
