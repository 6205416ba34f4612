"""Uploading straight to the object store: parts go to addresses that the platform signs, several at once.

The token never goes there: the addresses alone let the store take exactly the parts that they were made for.
"""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests

from podium_client.connection import LOOPBACK, TIMEOUT, Connection, ConnectionLostError, keep
from podium_client.errors import ClientError

AT_ONCE = 3
_NOT_OFFERED = (404, 501)


def is_direct(address: str) -> bool:
    """Return whether an unfinished upload goes to the object store."""
    return "/direct-uploads/" in address


def begin(
    connection: Connection, challenge: str, wanted: Mapping[str, Any], token: Mapping[str, str]
) -> str | tuple[str, bool] | None:
    """Begin an upload; returns its address, or the submission of the same file, or None if bytes go to the platform."""
    answer = connection.request(
        "POST", f"challenges/{challenge}/direct-uploads/", json=dict(wanted), headers=token, refused=_NOT_OFFERED
    )
    if answer.status_code in _NOT_OFFERED:
        return None
    begun = answer.json()
    return _submission(begun) if begun["address"] is None else str(begun["address"])


def send(connection: Connection, address: str, path: Path, size: int, progress: Any) -> tuple[str, bool]:
    """Send the parts that have not arrived, then end the upload.

    Returns the address of the submission, and whether it existed before.
    """
    state = connection.get(address)
    if state["state"] == "complete":
        return _submission(state)
    arrived = {part["number"]: part["sha256"] for part in state["arrived"]}
    digests, sent, waiting = [], 0, []
    with requests.Session() as store, ThreadPoolExecutor(AT_ONCE) as lanes:
        # An auth of our own keeps the machine's .netrc from adding a password.
        store.auth = keep
        for number, piece in _pieces(path, state["part_bytes"]):
            digest = base64.b64encode(hashlib.sha256(piece).digest()).decode()
            digests.append(digest)
            if state["is_ending"] or (number in arrived and arrived[number] in (None, digest)):
                sent += len(piece)
            else:
                waiting.append((number, digest, piece))
            if len(waiting) == AT_ONCE:
                sent += _send(connection, address, store, lanes, waiting)
                waiting = []
            progress(sent, size)
        if waiting:
            sent += _send(connection, address, store, lanes, waiting)
    progress(sent, size)
    return _submission(connection.request("POST", f"{address}end/", json={"sha256": digests}).json())


def _submission(state: Mapping[str, Any]) -> tuple[str, bool]:
    # Servers without `is_repeated` create a submission of every upload.
    return str(state["submission"]), bool(state.get("is_repeated", False))


def _pieces(path: Path, size: int) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as stream:
        number = 0
        while piece := stream.read(size):
            number += 1
            yield number, piece


def _send(connection: Connection, address: str, store: Any, lanes: Any, parts: list[tuple[int, str, bytes]]) -> int:
    wanted = [{"number": number, "sha256": digest} for number, digest, _ in parts]
    given = connection.request("POST", f"{address}parts/", json={"parts": wanted}).json()["parts"]
    by_number = {entry["number"]: entry for entry in given}
    work = [lanes.submit(_put, store, by_number[number], piece) for number, _, piece in parts]
    for each in work:
        each.result()
    return sum(len(piece) for _, _, piece in parts)


def _put(store: Any, given: dict[str, Any], piece: bytes) -> None:
    parts = urlsplit(given["url"])
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        raise ClientError("The platform named a storage that is not reached over https://.")
    try:
        answer = store.put(given["url"], data=piece, headers=given["headers"], timeout=TIMEOUT, allow_redirects=False)
    except requests.RequestException as error:
        raise ConnectionLostError(f"{parts.netloc} does not answer ({type(error).__name__}).") from error
    if answer.status_code != 200:
        raise ConnectionLostError(f"{parts.netloc} did not take a part (status {answer.status_code}).")
