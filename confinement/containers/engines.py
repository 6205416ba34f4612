"""Back ends by the names used in settings: engines of this machine, and clusters."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from confinement.containers.client import is_there
from confinement.containers.docker import Docker
from confinement.containers.engine import Engine
from confinement.containers.podman import Podman

if TYPE_CHECKING:
    from confinement.containers.kubernetes_objects import ClusterSettings
    from confinement.containers.slurm_jobs import Site

NAMES = ("podman", "docker", "none")
CLUSTERS = ("slurm", "kubernetes")
_Settings = TypeVar("_Settings", "Site", "ClusterSettings")


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


def cluster_named(name: str, folder: Path, options: Mapping[str, Any]) -> Engine:
    """Return the back end of a cluster.

    Parameters
    ----------
    name
        slurm or kubernetes.
    folder
        Folder that this machine shares with all nodes under the same path; on Kubernetes, the mounted volume.
    options
        Properties of the cluster: the fields of `confinement.containers.slurm_jobs.Site` or of
        `confinement.containers.kubernetes_objects.ClusterSettings`.

    Raises
    ------
    ValueError
        For another name, an option that does not exist, and an option of another type.
    EngineError
        On Kubernetes, outside a Pod.
    """
    if name == "slurm":
        from confinement.containers.slurm import Slurm
        from confinement.containers.slurm_jobs import Site

        return Slurm(folder, _settings(Site, name, options))
    if name == "kubernetes":
        from confinement.containers.kubernetes import Api, Kubernetes
        from confinement.containers.kubernetes_objects import ClusterSettings

        settings = _settings(ClusterSettings, name, {key: value for key, value in options.items() if key != "folder"})
        return Kubernetes(Api.of_pod(), dataclasses.replace(settings, folder=folder))
    raise ValueError(f"{name[:40]!r} is no cluster; known are {', '.join(CLUSTERS)}")


def _settings(kind: type[_Settings], name: str, options: Mapping[str, Any]) -> _Settings:
    defaults = {field.name: getattr(kind(), field.name) for field in dataclasses.fields(kind)}
    for key, value in options.items():
        if key not in defaults:
            raise ValueError(f"{name} has no option {str(key)[:40]!r}; known are {', '.join(sorted(defaults))}")
        expected = next(
            group for group in (bool, str, Path, (list, tuple), Mapping) if isinstance(defaults[key], group)
        )
        if not isinstance(value, expected):
            raise ValueError(f"{name}: {key} is {type(value).__name__}, which it cannot be")  # noqa: TRY004 (settings of a file)
    return kind(**options)
