"""Receiving an archive of references in pieces, each encrypted as soon as it is there, and handing it on exactly once."""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import PurePosixPath

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase
from confinement.limits import MIB
from datastore.test_sets import vault
from datastore.test_sets.models import TestSetArchive, TestSetUpload
from datastore.test_sets.services import received_archives
from datastore.test_sets.services.received_archives import check, hand_on
from datastore.test_sets.services.replacing import TestSetError
from datastore.uploads.services import refusals, uploads
from datastore.uploads.services.refusals import Checksum, UploadError
from datastore.uploads.storage import delete, scratch, upload_limits

UNDER_WAY = 3
"""Unfinished uploads that a phase may have at once."""
PIECE_BYTES = 64 * MIB
"""Largest number of bytes of a piece accepted at once.

This much is unencrypted on the disk, and in memory, while it is encrypted.
"""
QUIET = timedelta(seconds=30)


def begin(
    *, user: User, phase: Phase, file_name: str, size: int, reason: str = "", merge_rule: str = ""
) -> TestSetUpload:
    """Begin an upload after every bound that can be checked before a byte has arrived.

    Raises
    ------
    UploadError
        For an empty or too large archive, a replacement without a reason, too many unfinished ones, and lack of room.
    """
    limits = upload_limits()
    if size < 1:
        raise UploadError("The file is empty. Pack the references into a .zip, .tar.gz or .tar.zst file.")
    if size > limits.max_bytes:
        raise refusals.TooLargeError(f"The file has {size:,} bytes; at most {limits.max_bytes:,} are accepted.")
    try:
        check(phase, reason)
    except TestSetError as error:
        raise UploadError(str(error)) from error
    with transaction.atomic():
        Phase.objects.select_for_update(no_key=True).get(pk=phase.pk)
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        now = timezone.now()
        receiving = TestSetUpload.objects.filter(state=TestSetUpload.State.RECEIVING, expires_at__gt=now)
        if receiving.filter(phase=phase).count() >= UNDER_WAY:
            raise refusals.QuotaExceededError(
                f"{phase.name} has {UNDER_WAY} unfinished uploads of references. Finish or cancel one of them first."
            )
        challenge_uploads = TestSetUpload.objects.filter(phase__task__challenge=phase.challenge)
        uploads.check_announced(size, user=user, whose="This challenge has", rows=challenge_uploads)
        uploads.check_room(size)
        upload = TestSetUpload.objects.create(
            phase=phase,
            user=user,
            file_name=PurePosixPath(file_name.replace("\\", "/")).name[:255] or "references.zip",
            size=size,
            reason=reason.strip(),
            merge_rule=merge_rule,
            expires_at=now + limits.lifetime,
        )
    scratch("uploads")
    upload.path.touch(mode=0o600)
    return upload


def go_on(
    *, upload: TestSetUpload, offset: int, read: Callable[[int], bytes], checksum: Checksum | None = None
) -> TestSetUpload:
    """Add a piece; see `uploads.append`.

    Raises
    ------
    UploadError
        As there, and for a piece that is larger than is taken at once.
    """
    taken = 0

    def bounded(most: int) -> bytes:
        nonlocal taken
        block = read(most)
        taken += len(block)
        if taken > PIECE_BYTES:
            raise refusals.TooLargeError(f"A piece may have {PIECE_BYTES:,} bytes. Send the file in smaller ones.")
        return block

    def keep(handle: int, received: int) -> dict[str, object]:
        name = f"test-sets/{upload.pk}/{upload.offset:016d}{vault.SUFFIX}"
        vault.keep_bytes(name, os.pread(handle, received, upload.offset))
        os.ftruncate(handle, 0)
        upload.pieces = [*upload.pieces, name]
        return {"pieces": upload.pieces}

    return uploads.append(upload=upload, offset=offset, read=bounded, checksum=checksum, keep=keep)


def finish(*, upload: TestSetUpload) -> TestSetArchive:
    """Request the check of a complete upload; a repeated call returns the same archive.

    Raises
    ------
    UploadError
        `BusyError` while another archive of the phase is being checked. The upload then remains and is passed
        on later. For other errors, the upload is refused and its bytes are deleted.
    """
    try:
        with transaction.atomic():
            rows = TestSetUpload.objects.select_for_update(of=("self",), no_key=True).select_related(
                "phase", "user", "archive"
            )
            upload = rows.get(pk=upload.pk)
            if upload.archive is not None:
                return upload.archive
            uploads.check_receiving(upload)
            if not upload.is_whole:
                raise refusals.OffsetError(f"{upload.size - upload.offset:,} bytes have not arrived yet.")
            archive = hand_on(
                user=upload.user,
                phase=upload.phase,
                file_name=upload.file_name,
                size=upload.size,
                reason=upload.reason,
                merge_rule=upload.merge_rule,
                pieces=upload.pieces,
            )
            TestSetUpload.objects.filter(pk=upload.pk).update(state=TestSetUpload.State.COMPLETE, archive=archive)
    except TestSetError as error:
        _end(upload, TestSetUpload.State.REFUSED, refusal=str(error)[:500])
        raise UploadError(str(error)) from error
    upload.path.unlink(missing_ok=True)
    return archive


def cancel(*, upload: TestSetUpload) -> None:
    """Throw away what has arrived; a complete upload stays."""
    _end(upload, TestSetUpload.State.CANCELLED)


def expire() -> int:
    """Delete uploads without progress and archives without a decision; return the number deleted."""
    late = TestSetUpload.objects.filter(state=TestSetUpload.State.RECEIVING, expires_at__lt=timezone.now())
    return received_archives.expire() + sum(_end(upload, TestSetUpload.State.EXPIRED) for upload in late)


def finish_whole() -> int:
    """Hand on uploads that are whole but whose end was interrupted, or had to wait; returns how many were found."""
    quiet = timezone.now() - QUIET
    rows = TestSetUpload.objects.filter(state=TestSetUpload.State.RECEIVING, offset=F("size"), updated_at__lt=quiet)
    count = 0
    for upload in rows:
        count += 1
        try:
            finish(upload=upload)
        except UploadError:
            continue
    return count


def unfinished(phase: Phase, user: User) -> list[TestSetUpload]:
    """Uploads of references that a person began and may go on with."""
    rows = TestSetUpload.objects.filter(phase=phase, user=user, state=TestSetUpload.State.RECEIVING)
    return list(rows.order_by("-updated_at")[:UNDER_WAY])


def _end(upload: TestSetUpload, state: str, *, refusal: str = "") -> int:
    rows = TestSetUpload.objects.filter(pk=upload.pk, state=TestSetUpload.State.RECEIVING)
    changed = rows.update(state=state, refusal=refusal)
    if changed:
        for name in TestSetUpload.objects.values_list("pieces", flat=True).get(pk=upload.pk):
            delete(name)
        upload.path.unlink(missing_ok=True)
    return changed
