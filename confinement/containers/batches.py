"""One batch: the cases of one start of a container, and what is reported of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from confinement.containers.limits import RunLimits
from confinement.containers.logs import Log

LEAST_PEAK_BYTES: Final = 16 * 1024**2
"""Smallest peak memory in bytes that is reported for a container.

Below it, the share of the engine is equally large.
"""


@dataclass(frozen=True)
class CaseInput:
    """A case as the container sees it."""

    name: str
    """The name of its folder: opaque unless the case is public."""
    files: Mapping[str, Path]
    """Path of each file on this machine, by its name below the folder of the case."""
    folders: Sequence[str] = ()
    """Folders that are there even when they hold no file."""


@dataclass(frozen=True)
class Expected:
    """A file that a case is expected to have."""

    file: str
    """Its name below the folder of the case; collected under it, with the ending that it has where several are taken."""
    required: bool = True
    most_bytes: int | None = None
    """Maximum number of bytes, by default the bound on all output."""
    only_of: str = ""
    """Folder below the folder of the case whose only file is accepted under any name.

    For example, Grand Challenge's `images/<name>`.
    """
    suffixes: tuple[str, ...] = ()
    """Endings that count in that folder."""
    source: str = ""
    """Path below the folder of the case, if it differs from the name."""


@dataclass(frozen=True)
class Batch:
    """Work of one container start."""

    batch: str
    """Identifier of the batch: letters, digits and hyphens."""
    attempt: int
    lease: str
    """Token of the lease under which it runs: letters, digits and hyphens."""
    image_id: str
    cases: Sequence[CaseInput]
    outputs: Sequence[Expected]
    interface: Mapping[str, Any]
    """`interface.json` (`evaluation.running.interface.interface_document`)."""
    limits: RunLimits
    model: Path | None = None
    """Folder of unpacked weights."""
    gpus: Sequence[str] = ()
    common: Sequence[Expected] = ()
    """Files of all cases together, in /output itself; collected under the case ``""``."""
    flat: bool = False
    """True if files of the only case are directly in /input and /output, as on Grand Challenge."""
    model_targets: Sequence[str] = ("/model",)
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that an adapter adds to those of the interface."""
    tells_interface: bool = True
    """True if the interface is written as /input/interface.json.

    Under other conventions, no file of the platform is added to the input.
    """

    @property
    def container(self) -> str:
        """Name of its container."""
        return f"podium-{self.batch}-{self.attempt}"


class Taken(StrEnum):
    """State of an expected file after the run."""

    TAKEN = "taken"
    ABSENT = "absent"
    REFUSED = "refused"


@dataclass(frozen=True)
class Collected:
    """An expected file after the end."""

    taken: Taken
    path: Path | None = None
    """A copy of ours, below the batch's folder."""
    size: int = 0
    reason: str = ""
    """Reason for rejecting it: one sentence for the team."""


@dataclass(frozen=True)
class BatchReport:
    """Observations of one start."""

    fault: str = ""
    """Failure on the platform's side.

    The batch must then be repeated, and nothing else counts.
    """
    cancelled: bool = False
    exit_code: int | None = None
    signal: int | None = None
    timed: bool = False
    """We ended it at its time limit."""
    out_of_memory: bool = False
    output_bound: str = ""
    """Sentence about excess output, if the container was ended because of it."""
    log_bound: bool = False
    """We ended it because it printed too much."""
    not_started: bool = False
    started_at: datetime | None = None
    wall_seconds: float = 0.0
    cpu_seconds: float | None = None
    peak_memory_bytes: int | None = None
    """None below `LEAST_PEAK_BYTES`."""
    high_water_bytes: int | None = None
    gpu_seconds: float | None = None
    gpu_peak_memory_bytes: int | None = None
    gpu_memory_time: float | None = None
    """MiB·s."""
    gpu_utilization: float | None = None
    """Mean share of time in which its devices computed, from 0 to 1."""
    energy_joule: float | None = None
    """Of whole devices; None unless it ran alone."""
    output_bytes: int = 0
    output_files: int = 0
    log: Log = field(default_factory=Log)
    files: Mapping[str, Mapping[str, Collected]] = field(default_factory=dict)
    """Of each case, by the name of the expected file."""
    versions: Mapping[str, str] = field(default_factory=dict)
    exclusive: bool = False
    """True if no other container of the platform ran on this machine at the same time."""
