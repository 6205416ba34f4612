"""Cleanup after a killed worker: containers and folders whose lease has ended."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from confinement.containers.engine import Engine
from confinement.containers.removing import remove_tree
from confinement.containers.space import release


@dataclass(frozen=True)
class Swept:
    """Removed containers and folders."""

    containers: list[str]
    folders: list[str]


def sweep(engine: Engine, folder: Path, living: Collection[str]) -> Swept:
    """End containers and remove folders whose lease is not living.

    Parameters
    ----------
    engine
        Whose containers are looked through: those with a label of ours, no others.
    folder
        Where each lease has a folder named by its token.
    living
        Tokens of the leases that are.
    """
    containers = [container.name for container in engine.containers() if container.lease not in living]
    for name in containers:
        engine.remove(name)
    folders = sorted(path.name for path in folder.iterdir() if path.name not in living) if folder.is_dir() else []
    for name in folders:
        release(folder / name)
        remove_tree(folder / name)
    return Swept(containers, folders)
