"""Uploads of every kind: announced within bounds, received in order by one writer at a time, thrown away when cancelled or forgotten.

Announcing costs nothing, so it earns next to nothing: of the disk, an upload keeps a small head start free for itself, and as
much more as has arrived of it. What turns out not to fit stops where it is and goes on when there is room again.
"""

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db.models import BigIntegerField, F, QuerySet, Sum, Value
from django.db.models.functions import Greatest, Least
from django.utils import timezone

from accounts.models import User
from confinement.limits import MIB
from datastore.uploads.models import Incoming, Multipart, Upload
from datastore.uploads.services import multiparts
from datastore.uploads.services.refusals import (
    BusyError,
    Checksum,
    ChecksumError,
    GoneError,
    NoRoomError,
    OffsetError,
    QuotaExceededError,
    TooLargeError,
    UploadError,
)
from datastore.uploads.storage import free_bytes, upload_limits

HEAD_START = 16 * MIB
"""Bytes for which room is kept before the first of them has arrived."""

AnyUpload = TypeVar("AnyUpload", bound=Incoming)


def check_room(size: int, *, passes_here: bool = True) -> None:
    """Refuse an upload for which there is no room.

    Parameters
    ----------
    size
        Size in bytes.
    passes_here
        True if the bytes arrive on this machine's disk. Uploads sent to the object store come here once, to
        be read.

    Raises
    ------
    NoRoomError
        If the whole upload would not fit, or if not even its beginning fits next to those in progress.
    """
    room = free_bytes() - upload_limits().reserve_bytes
    others = sum(_kept_free(kind.arriving_here()) for kind in _kinds()) if passes_here else 0
    if size > room or min(size, HEAD_START) > room - others:
        raise NoRoomError("There is no room for this upload at the moment. Nothing is lost; try again later.")


def check_announced(size: int, *, user: User, whose: str, rows: "QuerySet[Any]") -> None:
    """Refuse an upload of a person who has announced many bytes that have not arrived.

    The caller must hold locks on the person and on the owner of the uploads.

    Parameters
    ----------
    size
        Bytes of the upload.
    user
        The person who announces the upload.
    whose, rows
        Text for the owner of the uploads, with its verb, and all uploads of that owner.

    Raises
    ------
    QuotaExceededError
        This bound never refuses a single upload.
    """
    kinds: list[Any] = list(_kinds())  # each names its sender `user`
    by_person = sum(_outstanding(kind._default_manager.filter(user=user)) for kind in kinds)  # noqa: SLF001 (Django's)
    most = upload_limits().announced_bytes
    for announcer, before in ((whose, _outstanding(rows)), ("You yourself have", by_person)):
        if before and before + size > most:
            raise QuotaExceededError(
                f"{announcer} unfinished uploads of which {before:,} bytes have not arrived. With the {size:,} bytes of this "
                f"one there would be more than the {most:,} that may be outstanding. Finish or cancel one of them first."
            )


def _kinds() -> list[type[Incoming]]:
    """Return every kind of upload that there is, of this app and of those above it."""
    return Incoming.__subclasses__()


def _under_way(rows: "QuerySet[Any]") -> "QuerySet[Any]":
    return rows.filter(state=Incoming.State.RECEIVING, expires_at__gt=timezone.now())


def _outstanding(rows: "QuerySet[Any]") -> int:
    return _under_way(rows).aggregate(bytes=Sum(F("size") - F("offset")))["bytes"] or 0


def _kept_free(rows: "QuerySet[Any]") -> int:
    """Bytes that uploads under way still need, as far as they have earned them."""
    whole = BigIntegerField()
    earned = Greatest(F("offset"), Value(HEAD_START), output_field=whole)
    needed = Least(F("size") - F("offset"), earned, output_field=whole)
    return _under_way(rows).aggregate(bytes=Sum(needed))["bytes"] or 0


def append(
    *,
    upload: AnyUpload,
    offset: int,
    read: Callable[[int], bytes],
    checksum: Checksum | None = None,
    keep: Callable[[int, int], dict[str, object]] | None = None,
) -> AnyUpload:
    """Append the data that `read` returns until it ends, starting at `offset`.

    All complete data is kept, even if the connection breaks.

    Parameters
    ----------
    upload
        The upload.
    offset
        Position at which the sender expects the piece to start.
    read
        Returns at most as many bytes as requested, and none at the end; raises `OSError` if the connection
        breaks.
    checksum
        Digest of the piece; with a digest, an incomplete or damaged piece is discarded completely.
    keep
        Called with the open file and the number of bytes that have arrived after the offset, to store them
        elsewhere. It returns fields that are stored together with the new offset.

    Raises
    ------
    UploadError
        `OffsetError`, `BusyError`, `ChecksumError`, `TooLargeError` or `GoneError`; `NoRoomError` if the disk
        becomes full while data arrives.
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
    """Return whether the disk keeps the free space that uploads must leave.

    Announced uploads do not reserve space here.
    """
    disk = os.fstatvfs(handle)
    return disk.f_bavail * disk.f_frsize - size >= upload_limits().reserve_bytes


def _write(handle: int, block: bytes) -> None:
    view = memoryview(block)
    while view:
        view = view[os.write(handle, view) :]


@contextmanager
def locked(upload: Incoming) -> Iterator[int]:
    """Open the file of an upload for one writer; `BusyError` for others."""
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
