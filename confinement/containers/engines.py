"""Engines by the names used in settings."""

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
        Folder for the engine's own data; no other program may use it.
    runtime
        Runtime that starts containers; podman uses `runc` by default.

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
