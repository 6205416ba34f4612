"""Engines by their names, as a setting says them."""

from pathlib import Path

from confinement.containers.client import is_there
from confinement.containers.docker import Docker
from confinement.containers.engine import Engine
from confinement.containers.podman import Podman

NAMES = ("podman", "docker", "none")


def engine_named(name: str, folder: Path, *, runtime: str = "") -> Engine | None:
    """Return an engine, or None for `none` and where its program is not installed.

    Parameters
    ----------
    name
        podman, docker or none.
    folder
        In which it keeps what it has to keep; nobody else's.
    runtime
        That it starts containers by; podman takes `runc` if not said.

    Raises
    ------
    ValueError
        For another name.
    """
    if name not in NAMES:
        raise ValueError(f"{name[:40]!r} is no engine; known are {', '.join(NAMES)}")
    if name == "none" or not is_there(name):
        return None
    return Podman(folder, runtime=runtime or "runc") if name == "podman" else Docker(folder, runtime=runtime)
