"""Every bound on what a participant can make the platform do, in one place; most come from the settings."""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings

from confinement.limits import ChildLimits
from uploads.storage import scratch


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


@dataclass(frozen=True)
class DataLimits:
    """Bounds on files that organizers host for participants.

    Parameters
    ----------
    file_bytes, challenge_bytes
        Largest file, and most bytes of all files of a challenge.
    address_seconds
        How long an address of a file is good for; a download that has begun by then may end later.
    """

    file_bytes: int
    challenge_bytes: int
    address_seconds: int


def data_limits() -> DataLimits:
    """Bounds on hosted files, from the settings."""
    return DataLimits(
        file_bytes=settings.PODIUM_DATA_FILE_BYTES,
        challenge_bytes=settings.PODIUM_DATA_CHALLENGE_BYTES,
        address_seconds=settings.PODIUM_DATA_ADDRESS_SECONDS,
    )


def child_limits() -> ChildLimits:
    """Bounds on child processes, from the settings."""
    return ChildLimits(
        memory_bytes=settings.PODIUM_CASE_MEMORY_BYTES,
        file_bytes=settings.PODIUM_CASE_FILE_BYTES,
        folder_bytes=settings.PODIUM_CASE_FOLDER_BYTES,
        item_seconds=settings.PODIUM_CASE_SECONDS,
        scratch=scratch("work"),
    )
