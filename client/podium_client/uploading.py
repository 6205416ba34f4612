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
from typing import Any, NamedTuple
from uuid import uuid4

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


class Receipt(NamedTuple):
    """Result of an upload.

    Attributes
    ----------
    address
        Address of the submission, or identifier of a file.
    is_repeated
        True if the same file was submitted before, so that no new submission was created.
    """

    address: str
    is_repeated: bool = False


def upload(
    connection: Connection,
    *,
    challenge: str,
    phase: int,
    path: Path,
    name: str,
    accept_incomplete: bool,
    progress: Progress,
    again: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> Receipt:
    """Upload a file and return the address of the submission.

    A file that was submitted before is not uploaded. The address is then that of its submission.

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
    again
        Submit the file also if it was submitted before.
    sleep
        Waits between attempts.
    """
    size, digest = path.stat().st_size, sha256(path)
    wanted = {
        "filename": name,
        "phase": phase,
        "accept_incomplete": accept_incomplete,
        "sha256": digest,
        "again": again,
    }
    # The same key until an upload begins: a request whose answer was lost is repeated and not made twice.
    token = {"Idempotency-Key": f'"{uuid4()}"'}

    def send(address: str) -> Receipt:
        if direct.is_direct(address):
            return Receipt(*direct.send(connection, address, path, size, progress))
        return _send(connection, address, path, size, progress)

    return _kept_up(
        key=f"{connection.origin} {challenge} {phase} {accept_incomplete} {size} {digest}{' again' * again}",
        begin=lambda: _begin(connection, challenge, size, wanted, token),
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
        begin=lambda: _begun(connection, "files/", size, {"filename": path.name}, {}),
        send=lambda address: _send(connection, address, path, size, _silent, whole="Podium-File"),
        sleep=sleep,
    ).address


def send_archive(
    connection: Connection,
    *,
    challenge: str,
    phase: int,
    path: Path,
    kind: str,
    progress: Progress,
    sleep: Callable[[float], None] = time.sleep,
) -> str:
    """Send an image or weights of an algorithm by tus; returns the id of the archive."""
    size = path.stat().st_size
    return _kept_up(
        key=f"{connection.origin} {challenge} {phase} {kind} {size} {sha256(path)}",
        begin=lambda: _begun(
            connection,
            f"challenges/{challenge}/phases/{phase}/algorithm-uploads/",
            size,
            {"filename": path.name, "kind": kind},
            {},
        ),
        send=lambda address: _send(connection, address, path, size, progress, whole="Podium-Archive"),
        sleep=sleep,
    ).address


def _silent(_sent: int, _size: int) -> None:
    """Ignore progress reports."""


def _kept_up(
    *,
    key: str,
    begin: Callable[[], str | Receipt],
    send: Callable[[str], Receipt],
    sleep: Callable[[float], None],
) -> Receipt:
    """Send the upload stored under a key, resuming an interrupted one.

    Returns the result of `send` when all data have arrived, or what `begin` returns if nothing has to be sent.
    """
    address = settings.load().get("uploads", {}).get(key)
    tries = 0
    while True:
        try:
            if address is None:
                begun = begin()
                if isinstance(begun, Receipt):
                    return begun
                address = begun
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


def _begin(
    connection: Connection, challenge: str, size: int, wanted: Mapping[str, Any], token: Mapping[str, str]
) -> str | Receipt:
    begun = direct.begin(connection, challenge, {**wanted, "size": size}, token)
    if begun is not None:
        return Receipt(*begun) if isinstance(begun, tuple) else begun
    metadata = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in wanted.items()}
    return _begun(connection, f"challenges/{challenge}/uploads/", size, metadata, token)


def _begun(
    connection: Connection, endpoint: str, size: int, metadata: Mapping[str, str], token: Mapping[str, str]
) -> str | Receipt:
    """Begin an upload by tus; returns its address, or the submission of the same file."""
    pairs = ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in metadata.items())
    answer = connection.request(
        "POST",
        endpoint,
        headers={**TUS, **token, "Upload-Length": str(size), "Upload-Metadata": pairs},
    )
    if "Podium-Submission" in answer.headers:
        return _receipt(answer, "Podium-Submission")
    return str(answer.headers["Location"])


def _receipt(answer: Any, name: str) -> Receipt:
    return Receipt(answer.headers[name], is_repeated=answer.headers.get("Podium-Repeated") == "true")


def _send(
    connection: Connection,
    address: str,
    path: Path,
    size: int,
    progress: Progress,
    *,
    whole: str = "Podium-Submission",
) -> Receipt:
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
    return _receipt(answer, whole)
