"""Private files: their location, their copies on the machine of a worker, and all bounds on user input.

Most bounds come from the settings.
"""

import contextlib
import errno
import gzip
import hashlib
import json
import os
import posixpath
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage, storages

from confinement.limits import ChildLimits
from evaluation import durable
from web.storing import DurableStorage

BLOCK = 1024**2
COMPRESSION = 3
"""Digits compress little; more effort costs seconds on a large document and saves a few per cent."""
COPY_SECONDS, IN_USE_SECONDS = 24 * 3600, 1800
"""Seconds for which an unused copy of a stored file is kept, and for which an untouched one may be open.

A worker may have a copy open without touching it.
"""


def private() -> Storage:
    """Return the storage of references, archives and results; nothing in it has an address."""
    return storages["private"]


def scratch(kind: str) -> Path:
    """Return a folder of this machine for `kind` of passing files."""
    folder = Path(settings.PODIUM_SCRATCH) / kind
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def free_bytes() -> int:
    """Return the free space where uploads arrive."""
    return shutil.disk_usage(scratch("uploads")).free


def has_room() -> bool:
    """Return whether workers may begin work.

    Uploads stop earlier, so that everything that has arrived can be processed completely.
    """
    return free_bytes() >= settings.PODIUM_WORK_RESERVE_BYTES


def is_out_of_room(error: BaseException) -> bool:
    """Return whether work failed because a disk is full.

    The work item is then not at fault; it is queued and repeated.
    """
    return not has_room() or (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT))


def _make_room(folder: Path, size: int) -> None:
    """Delete copies that were unused for a day and, if room is short, those that were unused the longest.

    Each machine cleans its own copies, because sweeps run on another machine. A child may have a recently
    used copy open.
    """
    used = []
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # another process was faster
            used.append((path.stat().st_mtime, path))
    for since, path in sorted(used):
        age = time.time() - since
        wanted = free_bytes() < settings.PODIUM_WORK_RESERVE_BYTES + size
        if age > COPY_SECONDS or (wanted and age > IN_USE_SECONDS):
            path.unlink(missing_ok=True)


def _nothing() -> None:
    """Do nothing between two blocks."""


def local_path(name: str, *, limit: int | None = None, beat: Callable[[], None] = _nothing) -> Path:
    """Return a path of this machine with the content of a stored file; never write to it.

    Files in object storage are copied once a machine; stored files never change, so a copy never gets stale.

    Parameters
    ----------
    name
        The stored file.
    limit
        Most bytes that are copied.
    beat
        Called after every block that is copied; what it raises ends the copy.

    Raises
    ------
    ValueError
        When there is more than `limit`.
    """
    storage = private()
    try:
        return Path(storage.path(name))
    except NotImplementedError:
        pass
    copy = scratch("copies") / hashlib.sha256(name.encode()).hexdigest()
    if not copy.exists():
        _make_room(copy.parent, storage.size(name))
        with durable.replacing(copy, mode=0o600) as target, contextlib.closing(open_stored(name)) as source:
            _copy(source, target, limit, beat)
    os.utime(copy)
    return copy


def _copy(source: BinaryIO, target: IO[bytes], limit: int | None, beat: Callable[[], None]) -> None:
    while block := source.read(BLOCK):
        target.write(block)
        if limit is not None and target.tell() > limit:
            raise ValueError(f"There are more than {limit} bytes.")
        beat()


def open_stored(name: str) -> BinaryIO:
    """Open a stored file to be read once from its beginning; of object storage nothing is kept in memory or on disk.

    The reader of the storage itself takes the whole file into memory first.
    """
    return open_in(private(), name)


def open_in(storage: Any, name: str) -> BinaryIO:
    """Open a file of any storage to be read once from its beginning.

    Raises
    ------
    FileNotFoundError
        Where there is none.
    """
    if not hasattr(storage, "bucket"):
        return cast("BinaryIO", storage.open(name))
    from botocore.exceptions import ClientError

    try:
        return cast("BinaryIO", storage.bucket.Object(posixpath.join(storage.location, name)).get()["Body"])
    except ClientError as error:
        if error.response.get("ResponseMetadata", {}).get("HTTPStatusCode") == 404:
            raise FileNotFoundError(errno.ENOENT, "There is no such object", name) from error
        raise


def open_part(name: str, start: int, stop: int) -> BinaryIO:
    """Open a stored file to be read once from byte `start`; of object storage nothing behind `stop` is fetched."""
    storage: Any = private()
    if not hasattr(storage, "bucket"):
        stream = cast("BinaryIO", storage.open(name))
        stream.seek(start)
        return stream
    key = posixpath.join(storage.location, name)
    return cast("BinaryIO", storage.bucket.Object(key).get(Range=f"bytes={start}-{stop - 1}")["Body"])


def store_bytes(name: str, content: bytes) -> None:
    """Store `content` under exactly `name`, whole or not at all; storing the same again is harmless."""
    handle, temporary = tempfile.mkstemp(dir=scratch("incoming"))
    with os.fdopen(handle, "wb") as target:
        target.write(content)
    store_file(name, Path(temporary))


def store_json(name: str, text: str) -> str:
    """Keep a JSON document, compressed; the same name is written over, so a second attempt leaves no litter."""
    return private().save(name, ContentFile(gzip.compress(text.encode(), compresslevel=COMPRESSION, mtime=0)))


def load_json(name: str) -> Any:
    """Read a stored JSON document."""
    with private().open(name) as file:
        return json.loads(gzip.decompress(file.read()))


def store_file(name: str, path: Path) -> None:
    """Move a file of this machine into the storage under exactly `name`."""
    with path.open("rb") as stream:
        private().save(name, _Movable(stream, path))
    path.unlink(missing_ok=True)


def remove_leftovers() -> int:
    """Delete what writers that were killed left in the storage and in the data folder; returns how many files.

    A bucket has none: an object appears when it is complete.
    """
    storage = private()
    count = storage.remove_leftovers() if isinstance(storage, DurableStorage) else 0
    return count + durable.remove_leftovers(Path(settings.PODIUM_DATA))


def sha256_of(path: Path, beat: Callable[[], None] = _nothing) -> str:
    """Return the SHA-256 of a file as hexadecimal digits, calling `beat` after every block."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
            beat()
    return digest.hexdigest()


def delete(name: str) -> None:
    """Delete a stored file if it is there."""
    if name:
        private().delete(name)


@contextmanager
def working_folder() -> Iterator[Path]:
    """Give a folder for one piece of work; it is gone afterwards."""
    folder = Path(tempfile.mkdtemp(dir=scratch("work")))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Movable(File):
    """A file that the file-system storage may rename into place instead of copying it."""

    def __init__(self, stream: BinaryIO, path: Path) -> None:
        super().__init__(stream, name=path.name)
        self._path = path

    def temporary_file_path(self) -> str:
        return str(self._path)


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
