"""Algorithms: images and weights sent in pieces, submission, runs, logs and cancellation."""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

from podium_client import uploading
from podium_client.connection import Connection
from podium_client.errors import ClientError

POLL_SECONDS = 3.0
ENDED = ("done", "failed", "cancelled", "refused")
BAD = ("failed", "refused")

Progress = Callable[[int, int], None]


def send(connection: Connection, *, challenge: str, phase: int, path: Path, kind: str, progress: Progress) -> str:
    """Send an image or weights; an interrupted upload continues. Returns the id of the archive.

    Raises
    ------
    ClientError
        For a file that does not exist, and if the platform refuses it.
    """
    if not path.is_file():
        raise ClientError(f"{path} is not a file. Write the image with podman save or docker save.")
    return uploading.send_archive(connection, challenge=challenge, phase=phase, path=path, kind=kind, progress=progress)


def submit(
    connection: Connection,
    *,
    challenge: str,
    phase: int,
    image: Path,
    weights: Path | None,
    progress: Progress,
) -> dict[str, Any]:
    """Send an image, with or without weights, and submit it; returns the ids of submission and run."""
    common: dict[str, Any] = {"challenge": challenge, "phase": phase, "progress": progress}
    content = {"image": send(connection, path=image, kind="image", **common)}
    if weights is not None:
        content["weights"] = send(connection, path=weights, kind="model", **common)
    address = f"challenges/{challenge}/phases/{phase}/algorithms/"
    return dict(connection.request("POST", address, json=content).json())


def runs(connection: Connection, challenge: str | None) -> list[dict[str, Any]]:
    """Return the runs of the own teams, newest first."""
    return list(connection.get("runs/", params={"challenge": challenge} if challenge else {}))


def run(connection: Connection, pk: str) -> dict[str, Any]:
    """Return one run."""
    return dict(connection.get(f"runs/{run_id(pk)}/"))


def logs(connection: Connection, pk: str) -> list[dict[str, Any]]:
    """Return the logs of a run that the team may read."""
    return list(connection.get(f"runs/{run_id(pk)}/logs/"))


def cancel(connection: Connection, pk: str) -> dict[str, Any]:
    """Cancel a run; returns it."""
    return dict(connection.request("POST", f"runs/{run_id(pk)}/cancel/").json())


def follow(connection: Connection, pk: str, tell: Callable[[str], None]) -> dict[str, Any]:
    """Wait for the end of a run, and report each change."""
    last = ""
    while True:
        state = run(connection, pk)
        if (line := words(state)) != last:
            tell(line)
            last = line
        if state["state"] in ENDED:
            return state
        time.sleep(POLL_SECONDS)


def words(state: dict[str, Any]) -> str:
    """Describe a run in one line."""
    reason = state["reason"] or state["text"]
    return f"{state['status']}. {reason}".strip() if reason else str(state["status"])


def run_id(text: str) -> str:
    """Return the id of a run.

    Raises
    ------
    ClientError
        For any other text.
    """
    try:
        return str(UUID(text))
    except ValueError:
        raise ClientError(f"{text} is not the id of a run. podium runs lists them.") from None


def configure(commands: Any, add_submit_options: argparse.ArgumentParser, handlers: dict[str, Any]) -> None:
    """Declare `runs`, `logs` and `cancel`, and the options of `submit` for algorithms."""
    add_submit_options.add_argument("--image", type=Path, help="container image to submit instead of predictions")
    add_submit_options.add_argument("--weights", type=Path, help="archive of weights for the image")
    for name, text in (
        ("runs", "list runs of your algorithms, with their place in the queue"),
        ("logs", "print what an algorithm printed, as far as your team may read it"),
        ("cancel", "cancel a run"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=handlers[name])
        if name == "runs":
            command.add_argument("challenge", nargs="?")
        else:
            command.add_argument("run_id", metavar="RUN", help="id of a run; podium runs lists them")
