"""One batch: the cases of one start of a container, and what is reported of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from confinement.containers.limits import RunLimits

LEAST_PEAK_BYTES: Final = 16 * 1024**2
"""Below it the memory of a container is not told: what belongs to the engine is as much."""


@dataclass(frozen=True)
class CaseInput:
    """A case as the container sees it."""

    name: str
    """The name of its folder: opaque unless the case is public."""
    files: Mapping[str, Path]
    """Where each file lies on this machine, by its name below the folder of the case."""
    folders: Sequence[str] = ()
    """Folders that are there even when they hold no file."""


@dataclass(frozen=True)
class Expected:
    """A file that a case is expected to have."""

    file: str
    """Its name below the folder of the case; collected under it, with the ending that it has where several are taken."""
    required: bool = True
    most_bytes: int | None = None
    """The bound on all output if not said."""
    only_of: str = ""
    """A folder below the folder of the case (Grand Challenge's `images/<name>`) whose only file is taken, whatever its name."""
    suffixes: tuple[str, ...] = ()
    """Endings that count in that folder."""
    source: str = ""
    """Where it lies below the folder of the case, if elsewhere than its name says."""


@dataclass(frozen=True)
class Batch:
    """What one start of a container works on."""

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
    """Files of its only case lie in /input and /output themselves, as Grand Challenge's do."""
    model_targets: Sequence[str] = ("/model",)
    environment: Mapping[str, str] = field(default_factory=dict)
    """What an adapter adds to the variables of the interface."""
    tells_interface: bool = True
    """Whether the interface is written as /input/interface.json; other conventions have nothing of ours among their files."""

    @property
    def container(self) -> str:
        """Name of its container."""
        return f"podium-{self.batch}-{self.attempt}"


class Taken(StrEnum):
    """What became of an expected file."""

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
    """Why it is refused: one sentence for the team."""


@dataclass(frozen=True)
class Log:
    """What a container printed: the first and the last of it, and how much it was."""

    first: bytes = b""
    last: bytes = b""
    size: int = 0
    lines: int = 0

    def text(self) -> str:
        """As text that may be shown: no control characters but line ends and tabs."""
        from confinement.containers.logs import shown

        return shown(self)


@dataclass(frozen=True)
class BatchReport:
    """What was observed of one start."""

    fault: str = ""
    """What failed on our side; then the batch is to be repeated and nothing else counts."""
    cancelled: bool = False
    exit_code: int | None = None
    signal: int | None = None
    timed: bool = False
    """We ended it at its time limit."""
    out_of_memory: bool = False
    output_bound: str = ""
    """We ended it because it wrote too much: the sentence that says so."""
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
    energy_joule: float | None = None
    output_bytes: int = 0
    output_files: int = 0
    log: Log = field(default_factory=Log)
    files: Mapping[str, Mapping[str, Collected]] = field(default_factory=dict)
    """Of each case, by the name of the expected file."""
    versions: Mapping[str, str] = field(default_factory=dict)
    exclusive: bool = False
    """Nothing else of ours ran on this machine meanwhile."""
