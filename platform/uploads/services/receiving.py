"""Writing what arrives of an upload to the scratch space: one writer at a time, whole pieces where a digest says so."""

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from uploads.limits import upload_limits
from uploads.models.incoming import Incoming
from uploads.services.refusals import (
    BusyError,
    Checksum,
    ChecksumError,
    GoneError,
    NoRoomError,
    TooLargeError,
    UploadError,
)

if TYPE_CHECKING:
    import hashlib

BLOCK = 1024**2


def receive(
    handle: int,
    upload: Incoming,
    read: Callable[[int], bytes],
    digest: "hashlib._Hash | None",
    checksum: Checksum | None,
) -> tuple[int, UploadError | OSError | None]:
    """Write what `read` gives behind the offset; returns how much is kept, and what broke it off."""
    received, room = 0, upload.size - upload.offset
    broken: UploadError | OSError | None = None
    os.lseek(handle, upload.offset, os.SEEK_SET)
    try:
        while block := read(BLOCK):
            if len(block) > room - received:
                broken = TooLargeError(f"More bytes arrived than the {upload.size:,} that were declared.")
                break
            if not _has_room(handle, len(block)):
                broken = NoRoomError("There is no room for more at the moment. What has arrived is kept; go on later.")
                break
            _write(handle, block)
            received += len(block)
            if digest is not None:
                digest.update(block)
    except OSError as error:
        broken = error
    if checksum is not None and digest is not None and (broken or digest.digest() != checksum.digest):
        received = 0
        broken = broken or ChecksumError("The piece arrived damaged; send it again.")
    if isinstance(broken, TooLargeError):
        received = 0
    os.ftruncate(handle, upload.offset + received)
    os.fsync(handle)
    return received, broken


def _has_room(handle: int, size: int) -> bool:
    """Whether the disk stays as free as uploads have to leave it; what was announced does not keep room for itself."""
    disk = os.fstatvfs(handle)
    return disk.f_bavail * disk.f_frsize - size >= upload_limits().reserve_bytes


def _write(handle: int, block: bytes) -> None:
    view = memoryview(block)
    while view:
        view = view[os.write(handle, view) :]


@contextmanager
def locked(upload: Incoming) -> Iterator[int]:
    """Open the file of an upload for one writer; others are told that it is busy."""
    try:
        handle = os.open(upload.path, os.O_RDWR)
    except FileNotFoundError:
        raise GoneError("This upload has ended. Begin a new one.") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError("Another request is sending to this upload.") from None
        yield handle
    finally:
        with contextlib.suppress(OSError):
            os.close(handle)
