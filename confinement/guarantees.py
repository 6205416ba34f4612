"""Guarantees about child processes on this machine, tested by a child that tries everything.

The test runs once per worker. The kernel's own statements are not used; a child either got through or it did not.
"""

import os
import socket
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import structlog

from confinement.limits import MIB, ChildLimits
from confinement.sandbox import answers

log = structlog.get_logger(__name__)

NAMES = {
    "network": "no network",
    "writes": "writes only in its own folder",
    "reads": "reads no stored data",
    "programs": "starts no process",
    "signals": "signals no other process",
}
"""Descriptions of the guarantees for operators."""
_LIMITS = ChildLimits(memory_bytes=256 * MIB, file_bytes=MIB, item_seconds=10.0)


class ConfinementError(SystemExit):
    """The machine lacks a guarantee that this installation requires; ends the worker with a message."""


_known: dict[str, bool] = {}


def known() -> Mapping[str, bool]:
    """Return what was found out when the worker started; empty in a process that is none."""
    return _known


def found(folder: Path) -> Mapping[str, bool]:
    """Find out for each guarantee whether it holds here; `folder` is one with stored data, which children may not see."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.NamedTemporaryFile(dir=folder, prefix="podium-try-") as stored,
        socket.create_server(("127.0.0.1", 0)) as line,
    ):
        tries = _tries(Path(stored.name), line.getsockname()[1])

        def work(name: str, _: Path) -> bool:
            try:
                tries[name]()
            except OSError:
                return True
            return False

        outcomes = {answer.item: answer.value is True for answer in answers(list(tries), work, limits=_LIMITS)}
    holds = dict.fromkeys(NAMES, True)
    for name, kept_off in outcomes.items():
        holds[name.partition(": ")[0]] &= kept_off
    return holds


def _tries(stored: Path, port: int) -> dict[str, Callable[[], object]]:
    worker = os.getpid()

    def append() -> None:
        with stored.open("ab") as stream:
            stream.write(b"x")

    def connect() -> None:
        with socket.socket() as attempt:
            attempt.settimeout(1)
            attempt.connect(("127.0.0.1", port))

    def fork() -> None:
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)

    return {
        "network: connect": connect,
        "writes: stored data": append,
        "writes: beside it": lambda: stored.with_name(f"{stored.name}-new").touch(),
        "writes: rights": lambda: stored.chmod(0o600),
        "reads: stored data": stored.read_bytes,
        "reads: names": lambda: list(stored.parent.iterdir()),
        "reads: worker": Path(f"/proc/{worker}/environ").read_bytes,
        "programs: program": lambda: subprocess.run(["/bin/true"], check=False),
        "programs: copy": fork,
        "signals: worker": lambda: os.kill(worker, 0),
    }


def sentence(holds: Mapping[str, bool]) -> str:
    """Return a sentence that lists the guarantees and whether they are met.

    Examples
    --------
    >>> sentence({"network": True, "signals": False})
    'no network: yes, signals no other process: no'
    """
    return ", ".join(f"{NAMES[name]}: {'yes' if held else 'no'}" for name, held in holds.items() if name in NAMES)


def check(folder: Path, *, required: bool) -> None:
    """Log the guarantees once, and refuse to work where a required one is not met.

    Parameters
    ----------
    folder
        A folder with stored data.
    required
        Whether every guarantee is required.

    Raises
    ------
    ConfinementError
        If every guarantee is required and one is missing.
    """
    holds = found(folder)
    _known.update(holds)
    summary = sentence(holds)
    if all(holds.values()):
        log.info("confinement", children=summary)
        return
    log.warning("confinement_incomplete", children=summary)
    if required:
        raise ConfinementError(
            f"This worker does not start: files of participants are to be read in confined children only "
            f"(PODIUM_CONFINEMENT=require), and here they are not fully confined ({summary}). Run it on Linux 5.13 or later with "
            f"Landlock switched on, on x86-64 or ARM64; see docs/operators/deployment.md."
        )
