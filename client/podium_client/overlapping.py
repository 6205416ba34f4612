"""Asking how many of your own training images match test images of a phase."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from podium_client.base import durable
from podium_client.connection import Connection
from podium_client.errors import ClientError

_SECONDS = 2.0
Tell = Callable[[str], None]


def sketches_of(folder: Path, *, jobs: int, tell: Tell) -> tuple[bytes, int]:
    """Return the file of sketches of the images in a folder, and the number of its distinct images.

    Parameters
    ----------
    tell
        Receives lines about images that cannot be compared.

    Raises
    ------
    ClientError
        If the folder has no image that can be compared, or images with two and with three axes.
    """
    # Imports evaluation, which the small distribution lacks.
    from evaluation.readers import ReadError
    from evaluation.test_set_quality.folders import image_files
    from evaluation.test_set_quality.sketches import dump_sketches, is_comparable, load_sketches, read_sketches

    try:
        files = image_files(folder)
    except ReadError as error:
        raise ClientError(f"{folder} cannot be used: {error}") from error
    sketches = read_sketches(files, jobs=jobs)
    unread = [name for name, item in sketches.items() if item is None]
    plain = [name for name, item in sketches.items() if item is not None and not is_comparable(item)]
    usable = [item for item in sketches.values() if item is not None and is_comparable(item)]
    for names, reason in ((unread, "cannot be read"), (plain, "have too little structure to be compared")):
        if names:
            tell(f"{len(names)} of {len(files)} images {reason}, for example {names[0]}.")
    if not usable:
        raise ClientError(f"{folder} has no image that can be compared.")
    content = dump_sketches(usable)
    try:
        distinct = load_sketches(content)
    except ValueError as error:
        raise ClientError(str(error)) from error
    return dump_sketches(distinct), len(distinct)


def ask(
    connection: Connection,
    content: bytes,
    images: int,
    *,
    challenge: str,
    phase: int,
    sends: bool,
    tell: Tell,
) -> dict[str, Any]:
    """Show the rule of a phase, and send the question if wanted.

    Parameters
    ----------
    content
        File of sketches.
    images
        Number of images in it.
    sends
        Whether the question is sent, which uses one of the team's questions.

    Returns
    -------
    dict
        ``images``, ``left``, ``per_team``, ``error`` and ``answer``, which is ``None`` without an answer.

    Raises
    ------
    ClientError
        If the phase does not permit the question.
    """
    address = f"challenges/{challenge}/phases/{phase}/overlap-questions/"
    rule = connection.get(address)
    if rule["per_team"] is None:
        raise ClientError("The rules of this phase do not permit questions about overlap.")
    if not rule["fewest_images"] <= images <= rule["most_images"]:
        raise ClientError(
            f"A question needs {rule['fewest_images']} to {rule['most_images']:,} distinct images; the folder has {images}."
        )
    state: dict[str, Any] = {"state": "", "answer": None}
    left = rule["left"]
    if sends:
        files = {"sketches": ("sketches.bin", content, "application/octet-stream")}
        state = connection.request("POST", address, files=files).json()
        left -= 1
        tell("Sent. The platform compares the images.")
        while state["state"] in ("waiting", "running"):
            time.sleep(_SECONDS)
            state = connection.get(f"{address}{state['id']}/")
        if state["state"] == "failed":
            raise ClientError("The comparison failed. The question does not count; ask again later.")
    return {
        "images": images,
        "answer": state["answer"],
        "error": rule["error"],
        "left": left,
        "per_team": rule["per_team"],
    }


def lines_of(result: dict[str, Any]) -> list[str]:
    """Return the result as text."""
    left = f"Your team has {result['left']} of {result['per_team']} questions left in this phase."
    if result["answer"] is None:
        return [
            f"{result['images']} distinct images can be compared.",
            left,
            "Nothing was sent. Start the same command with --send to ask.",
            "The organizers and the exposure report show the answer.",
        ]
    return [
        f"About {result['answer']} of {result['images']} images match test images.",
        f"The number contains noise: 95 % of the answers are at most {result['error']} above or below the count.",
        left,
    ]


def keep(content: bytes, path: Path) -> None:
    """Write a file of sketches."""
    durable.write_bytes(path, content)
