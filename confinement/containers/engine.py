"""Required operations of a container engine, and the data it reports about a container."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from confinement.containers.limits import RunLimits

LABEL_BATCH = "org.podium.batch"
LABEL_LEASE = "org.podium.lease"
LABEL_FOLDER = "org.podium.folder"
"""Digest of the folder of the engine: other installations may use the same daemon."""


class EngineError(Exception):
    """Engine failure: a fault on the platform's side that never counts against an image.

    The message contains the engine's own message.
    """


@dataclass(frozen=True)
class Mount:
    """A folder of the host that a container sees read-only."""

    source: Path
    target: str


@dataclass(frozen=True)
class Start:
    """One start of a container."""

    name: str
    batch: str
    lease: str
    image_id: str
    output: Path
    """Writable as /output; owned by `Engine.owner`."""
    limits: RunLimits
    seconds: float
    """Wall time after which the runner ends it; the engine's own clock is a back-stop behind that."""
    folder: Path
    """An empty folder for the engine itself."""
    mounts: Sequence[Mount] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    gpus: Sequence[str] = ()
    """Devices, each by its id."""


@dataclass(frozen=True)
class Sample:
    """Memory use of the processes of a container at one moment."""

    seconds: float
    memory_bytes: int
    gpu_memory_bytes: int | None = None
    gpu_utilization: float | None = None
    """Share of time in which its devices compute, from 0 to 1."""


@dataclass(frozen=True)
class Ending:
    """End of a container, as far as the engine knows."""

    exit_code: int | None
    """Exit code of the first process, 128 + signal if it was killed, or None if unknown."""
    started: datetime | None
    finished: datetime | None
    out_of_memory: bool = False
    """The kernel killed one of its processes for memory."""
    not_started: bool = False
    """Its entry point could not be started at all."""
    cpu_seconds: float | None = None
    peak_memory_bytes: int | None = None
    """Peak memory of its processes in bytes, where more is known than samples show."""
    high_water_bytes: int | None = None
    energy_joule: float | None = None
    """Energy of its whole devices in joules."""
    fault: str = ""
    """Failure on the platform's side.

    Nothing else counts then.
    """


@dataclass(frozen=True)
class Remains:
    """A container that is on this machine."""

    name: str
    batch: str
    lease: str
    running: bool


class Container(Protocol):
    """A container that was started."""

    def started(self) -> bool:
        """Return whether its first process has started."""

    def running(self) -> bool:
        """Return whether its first process has not ended, or has not started yet."""

    def wait(self, seconds: float) -> None:
        """Wait so long, or until its first process has ended."""

    def log(self, seconds: float) -> bytes | None:
        """Return the next printed output, at most 1 MiB.

        The result is empty after `seconds` without output, and None at the end.
        """

    def sample(self) -> Sample | None:
        """Return the current memory use, or None if it cannot be inspected."""

    def kill(self) -> None:
        """End all of its processes at once."""

    def ending(self) -> Ending:
        """Return how the container ended, after waiting a bounded time for the engine's report."""

    def remove(self) -> None:
        """Leave nothing of it on this machine."""


class Engine(Protocol):
    """Interface of all back ends: podman, docker, Slurm, Kubernetes, and the test double."""

    name: str
    owner: int
    """Number of the user and group of this machine that a container's user is."""
    separates_output: bool
    """True if /output should be a separate file system, bounded by the kernel, where possible."""
    starting_seconds: float
    """Time in seconds after which a container that has not started is a fault; infinite where jobs are queued."""

    def versions(self) -> dict[str, str]:
        """Return `engine`, `runtime` and `kernel`, for the provenance of a result."""

    def images(self) -> list[str]:
        """Ids of the images that it holds, ``sha256:…``."""

    def load(self, layout: Path, image_id: str) -> None:
        """Load an image from a layout that we wrote (`confinement.containers.layout`), and compare its id.

        Raises
        ------
        EngineError
            When it fails or what it loaded is another image.
        """

    def remove_image(self, image_id: str) -> None:
        """Forget an image; nothing happens when it is not there or in use."""

    def start(self, start: Start) -> Container:
        """Start a container.

        Raises
        ------
        EngineError
            When the engine cannot be called at all.
        """

    def containers(self) -> list[Remains]:
        """All containers of ours on this machine, running or not."""

    def is_alone(self, name: str) -> bool:
        """Return whether no other container of the platform runs on this machine."""

    def remove(self, name: str) -> None:
        """End and remove a container by its name; nothing happens when there is none."""
