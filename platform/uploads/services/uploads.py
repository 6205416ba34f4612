"""Uploads of every kind: pieces received in order, thrown away when cancelled or forgotten."""

import hashlib
import os
from collections.abc import Callable
from typing import TypeVar

from django.utils import timezone

from uploads.limits import upload_limits
from uploads.models import Incoming, Multipart, Upload
from uploads.services import multiparts
from uploads.services.receiving import locked, receive
from uploads.services.refusals import Checksum, GoneError, OffsetError

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
