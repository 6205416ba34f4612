"""Uploads of every kind: pieces received in order by one writer at a time, thrown away when cancelled or forgotten."""

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.utils import timezone

from uploads.limits import upload_limits
from uploads.models import Incoming, Multipart, Upload
from uploads.services import multiparts
from uploads.services.refusals import (
    BusyError,
    Checksum,
    ChecksumError,
    GoneError,
    NoRoomError,
    OffsetError,
    TooLargeError,
    UploadError,
)

AnyUpload = TypeVar("AnyUpload", bound=Incoming)


def append(
    *,
    upload: AnyUpload,
    offset: int,
    read: Callable[[int], bytes],
    checksum: Checksum | None = None,
    keep: Callable[[int, int], dict[str, object]] | None = None,
) -> AnyUpload:
    """Add what `read` gives until it ends, beginning at `offset`; whatever arrived whole stays, also on a broken line.

    Parameters
    ----------
    upload
        The upload.
    offset
        Where the sender thinks that the piece begins.
    read
        Returns at most as many bytes as asked for, and none at the end; may raise `OSError` when the line breaks.
    checksum
        Digest of the piece; with one, an incomplete or damaged piece is thrown away whole.
    keep
        Called with the open file and the number of bytes that have arrived behind the offset, to keep them elsewhere;
        returns fields that are stored together with the new offset.

    Raises
    ------
    UploadError
        `OffsetError`, `BusyError`, `ChecksumError`, `TooLargeError` or `GoneError`; `NoRoomError` when the disk gets full
        meanwhile.
    """
    with locked(upload) as handle:
        upload.refresh_from_db()
        check_receiving(upload)
        if offset != upload.offset:
            raise OffsetError(f"The upload stands at byte {upload.offset}, not {offset}.")
        os.ftruncate(handle, upload.offset)
        received, broken = receive(
            handle, upload, read, hashlib.new(checksum.algorithm) if checksum else None, checksum
        )
        more = keep(handle, received) if keep and received else {}
        upload.offset += received
        upload.updated_at = timezone.now()
        upload.expires_at = upload.updated_at + upload_limits().lifetime
        type(upload)._default_manager.filter(pk=upload.pk).update(  # noqa: SLF001 (Django's public name)
            offset=upload.offset, updated_at=upload.updated_at, expires_at=upload.expires_at, **more
        )
    if broken is not None:
        raise broken
    return upload


def cancel(*, upload: Upload) -> None:
    """Throw away what has arrived; a complete upload stays."""
    changed = Upload.objects.filter(pk=upload.pk, state=Upload.State.RECEIVING).update(state=Upload.State.CANCELLED)
    if changed:
        _throw_away(upload)


def expire() -> int:
    """Throw away uploads without progress; returns how many."""
    late = Upload.objects.filter(state=Upload.State.RECEIVING, expires_at__lt=timezone.now())
    count = 0
    for upload in late:
        if Upload.objects.filter(pk=upload.pk, state=Upload.State.RECEIVING).update(state=Upload.State.EXPIRED):
            _throw_away(upload)
            count += 1
    return count


def _throw_away(upload: Upload) -> None:
    multipart = Multipart.objects.filter(upload=upload).first()
    if multipart is not None:
        multiparts.throw_away(multipart=multipart)
    else:
        upload.path.unlink(missing_ok=True)


def check_receiving(upload: Incoming) -> None:
    """Refuse to go on with an upload that has ended.

    Raises
    ------
    GoneError
        With the reason, where it was refused.
    """
    if upload.state == Incoming.State.REFUSED:
        raise GoneError(upload.refusal)
    if upload.state != Incoming.State.RECEIVING:
        raise GoneError("This upload has ended. Begin a new one.")


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
