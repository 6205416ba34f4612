"""Every bound on what a participant can make the platform do, in one place; most come from the settings."""

from dataclasses import dataclass, replace
from datetime import timedelta

from django.conf import settings

MIB = 1024**2
GIB = 1024**3


@dataclass(frozen=True)
class UploadLimits:
    """Bounds on receiving files.

    Parameters
    ----------
    max_bytes
        Largest archive taken, declared before anything is stored.
    under_way
        Uploads that a team may have under way at once in a phase.
    announced_bytes
        Bytes that are announced and have not arrived, of a team and of a person, over all challenges; one upload is always
        possible.
    lifetime
        An upload without progress is thrown away after this time.
    grace
        An upload begun before a phase closes may end this much later; it is marked late and not ranked.
    reserve_bytes
        Disk space that uploads never use up: new ones wait while less than this would be left.
    unsuccessful_per_day
        Refused, withdrawn and failed submissions a team may have in a day; they do not count towards its quota.
    """

    max_bytes: int
    under_way: int
    announced_bytes: int
    lifetime: timedelta
    grace: timedelta
    reserve_bytes: int
    unsuccessful_per_day: int


@dataclass(frozen=True)
class ArchiveLimits:
    """Bounds on what an archive may hold (see `submissions.archive`)."""

    entries: int = 100_000
    total_bytes: int = 200 * GIB
    entry_bytes: int = 4 * GIB
    ratio: int = 1_100
    """Uncompressed over compressed size; DEFLATE itself cannot exceed 1032."""
    room_bytes: int | None = None
    """Free space of the disk on which it is unpacked as a whole; None where it is not."""
    depth: int = 6
    name_length: int = 255


def archive_limits(*, cases: int, needed_bytes: int) -> ArchiveLimits:
    """Bounds on an archive of predictions, by what a test set needs.

    Parameters
    ----------
    cases
        How many cases it has.
    needed_bytes
        Most bytes that the files of all cases sensibly unpack to.

    Returns
    -------
    ArchiveLimits
        With room for files that nobody asked for, such as probability maps beside label images.
    """
    usual = ArchiveLimits()
    total = min(usual.total_bytes, 4 * needed_bytes + 256 * MIB)
    entries = min(usual.entries, 10 * cases + 1_000)
    return replace(usual, entries=entries, total_bytes=total, entry_bytes=min(usual.entry_bytes, total))


@dataclass(frozen=True)
class ChildLimits:
    """Bounds on a child process that touches a participant's file (see `submissions.sandbox`)."""

    memory_bytes: int
    """Address space above what the worker itself uses."""
    file_bytes: int
    """Largest file the child may write."""
    item_seconds: float
    """Wall time for one case."""
    folder_bytes: int = 8 * GIB
    """What all files that it has written take up on disk, those included that it has open and no longer have a name."""
    folder_files: int = 1_000
    """How many files and folders there may be of it at once."""
    open_files: int = 64
    message_bytes: int = 4 * MIB


@dataclass(frozen=True)
class TableLimits:
    """Bounds on a table of predictions."""

    objects_of_case: int = 5_000
    """Most objects that a case may have: what matching them costs grows with their number."""
    rows: int = 5_000_000
    bytes: int = 512 * MIB
    message_bytes: int = 32 * MIB
    """Largest answer of a child about one case."""


def upload_limits() -> UploadLimits:
    """Bounds on receiving files, from the settings."""
    return UploadLimits(
        max_bytes=settings.PODIUM_UPLOAD_MAX_BYTES,
        under_way=settings.PODIUM_UPLOADS_UNDER_WAY,
        announced_bytes=settings.PODIUM_UPLOAD_ANNOUNCED_BYTES,
        lifetime=timedelta(hours=settings.PODIUM_UPLOAD_HOURS),
        grace=timedelta(minutes=settings.PODIUM_UPLOAD_GRACE_MINUTES),
        reserve_bytes=settings.PODIUM_DISK_RESERVE_BYTES,
        unsuccessful_per_day=settings.PODIUM_UNSUCCESSFUL_PER_DAY,
    )


def child_limits() -> ChildLimits:
    """Bounds on child processes, from the settings."""
    return ChildLimits(
        memory_bytes=settings.PODIUM_CASE_MEMORY_BYTES,
        file_bytes=settings.PODIUM_CASE_FILE_BYTES,
        folder_bytes=settings.PODIUM_CASE_FOLDER_BYTES,
        item_seconds=settings.PODIUM_CASE_SECONDS,
    )


def lease_time() -> timedelta:
    """How long a worker may be silent before its work is given to another."""
    return timedelta(seconds=settings.PODIUM_LEASE_SECONDS)


def task_budget() -> float:
    """Seconds after which a task hands the rest of its cases back, well before the broker would give up on it."""
    return settings.PODIUM_TASK_SECONDS / 2
