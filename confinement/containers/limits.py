"""Bounds on an image, on weights, and on one start of a container."""

from dataclasses import dataclass

from confinement.limits import GIB, MIB, PROGRAMS, Packing


@dataclass(frozen=True)
class ImageLimits:
    """Bounds on an image archive (see `confinement.containers.images`)."""

    archive_bytes: int = 10 * GIB
    unpacked_bytes: int = 30 * GIB
    layers: int = 128
    entries: int = 500_000
    """Files, folders and links of all layers."""
    packing: Packing = PROGRAMS
    """Of all layers together over the archive as it was uploaded."""


@dataclass(frozen=True)
class WeightsLimits:
    """Bounds on an archive of weights (see `confinement.containers.weights`)."""

    archive_bytes: int = 20 * GIB
    unpacked_bytes: int = 30 * GIB
    entries: int = 100_000
    packing: Packing = PROGRAMS


@dataclass(frozen=True)
class RunLimits:
    """Bounds on one start of a container; what is registered, in the units of `interface.json`."""

    case_seconds: float = 300.0
    start_seconds: float = 120.0
    memory_bytes: int = 8 * GIB
    """Of all processes, files in memory included; there is no swap."""
    cpus: float = 2.0
    gpus: int = 0
    gpu_memory_bytes: int | None = None
    pids: int = 512
    """Threads count."""
    output_bytes: int = GIB
    output_files: int | None = None
    """Maximum number of files of a batch, by default 64 plus 64 per case."""
    scratch_bytes: int = GIB
    shm_bytes: int = 256 * MIB
    log_bytes: int = 64 * MIB

    def seconds(self, cases: int) -> float:
        """Return the wall time of a start with `cases` cases, in seconds."""
        return self.start_seconds + self.case_seconds * cases

    def files(self, cases: int) -> int:
        """Return the number of files and folders that a start with `cases` cases may leave."""
        return self.output_files if self.output_files is not None else 64 + 64 * cases

    def described(self) -> dict[str, float | int | None]:
        """Return the limits in the form of `limits` in `interface.json`."""
        return {
            "case_seconds": self.case_seconds,
            "start_seconds": self.start_seconds,
            "memory_bytes": self.memory_bytes,
            "cpus": self.cpus,
            "gpus": self.gpus,
            "gpu_memory_bytes": self.gpu_memory_bytes,
            "output_bytes": self.output_bytes,
            "scratch_bytes": self.scratch_bytes,
            "pids": self.pids,
        }
