"""Bounds on what a file from a stranger, and the child process that reads it, may take."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

MIB = 1024**2
GIB = 1024**3


@dataclass(frozen=True)
class Packing:
    """Limit on the unpacked size of untrusted content, relative to its packed size.

    The same rule applies to every kind of archive.
    """

    ratio: int
    """Unpacked over packed size that nothing ordinary of this kind passes."""
    harmless_bytes: int = 64 * MIB
    """Unpacked size in bytes that is always allowed, regardless of the compression ratio."""

    def most(self, packed_bytes: int) -> int:
        """Return the most bytes that something of this packed size may unpack to."""
        return max(self.harmless_bytes, self.ratio * packed_bytes)


PROGRAMS: Final = Packing(ratio=100)
"""Images and weights of algorithms. Programs pack to a third, weights hardly at all."""
LABELS: Final = Packing(ratio=1_100)
"""Predictions and references. A label image that is almost empty packs to a thousandth, which is the most that DEFLATE
reaches (1,032); what a test set needs, or the disk, bounds them further."""


@dataclass(frozen=True)
class ArchiveLimits:
    """Bounds on what an archive may hold (see `confinement.archive`)."""

    entries: int = 100_000
    total_bytes: int = 200 * GIB
    entry_bytes: int = 4 * GIB
    packing: Packing = LABELS
    room_bytes: int | None = None
    """Free space of the disk on which it is unpacked as a whole; None where it is not."""
    depth: int = 6
    name_length: int = 255


@dataclass(frozen=True)
class ChildLimits:
    """Bounds on a child process that touches a participant's file (see `confinement.sandbox`)."""

    memory_bytes: int
    """Address space above what the worker itself uses."""
    file_bytes: int
    """Largest file the child may write."""
    item_seconds: float
    """Wall time for one case."""
    folder_bytes: int = 8 * GIB
    """Maximum disk use in bytes of all files that the child has written.

    Files that are open and no longer have a name are included.
    """
    folder_files: int = 1_000
    """Maximum number of the child's files and folders that exist at the same time."""
    open_files: int = 64
    message_bytes: int = 4 * MIB
    scratch: Path | None = None
    """Folder in which each child gets an empty folder, by default the machine's temporary folder."""


@dataclass(frozen=True)
class TableLimits:
    """Bounds on a table of predictions."""

    objects_of_case: int = 5_000
    """Most objects that a case may have: what matching them costs grows with their number."""
    rows: int = 5_000_000
    bytes: int = 512 * MIB
    bytes_of_case: int = 64 * MIB
    """Of a table of a single case, as an algorithm writes it."""
    message_bytes: int = 32 * MIB
    """Largest answer of a child about one case."""
