"""Files of forms: upload before the form, submission with it, and deletion of files that are not submitted."""

import io
import uuid
from collections.abc import Mapping
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from accounts.models import User
from datastore.uploads.models import FormFile
from datastore.uploads.services import refusals, uploads
from datastore.uploads.storage import scratch, upload_limits
from evaluation.importing import SheetLimits

MOST = 6
"""Files that one person may have sent without handing them in."""
ENDING = "_sent"
"""In the name of a field: it holds the id of a file that was sent before, in place of the file."""
State = FormFile.State


def most_bytes() -> int:
    """Most bytes of one file: those of the largest table that is read."""
    return SheetLimits().file_bytes


def begin(*, user: User, file_name: str, size: int) -> FormFile:
    """Begin to receive a file.

    Raises
    ------
    UploadError
        For an empty or too large file, too many files that were not submitted, and lack of room.
    """
    name = file_name.replace("\\", "/").rpartition("/")[2].strip()[:255] or "table.csv"
    if size < 1:
        raise refusals.UploadError(f"{name} is empty.")
    if size > most_bytes():
        raise refusals.TooLargeError(f"{name} has {size:,} bytes; at most {most_bytes():,} are read.")
    with transaction.atomic():
        # The lock makes two requests at once count each other.
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if held_by(user).count() >= MOST:
            message = f"You have sent {MOST} files that wait for a form. Hand one of them in, or cancel it, first."
            raise refusals.QuotaExceededError(message)
        uploads.check_room(size)
        expires_at = timezone.now() + upload_limits().lifetime
        held = FormFile.objects.create(user=user, file_name=name, size=size, expires_at=expires_at)
    scratch("uploads")
    held.path.touch(mode=0o600)
    return held


def held_by(user: User) -> Any:
    """Return the files of a person that were uploaded, or are being uploaded, and were not submitted."""
    return FormFile.objects.filter(
        user=user, state__in=(State.RECEIVING, State.COMPLETE), expires_at__gt=timezone.now()
    )


def finish(*, upload: FormFile) -> FormFile:
    """Note that a file is whole; called again, it changes nothing.

    Raises
    ------
    UploadError
        `OffsetError` while bytes are missing, `GoneError` when it has ended.
    """
    upload.refresh_from_db()
    if upload.state == State.COMPLETE:
        return upload
    uploads.check_receiving(upload)
    if not upload.is_whole:
        raise refusals.OffsetError(f"{upload.size - upload.offset:,} bytes have not arrived yet.")
    FormFile.objects.filter(pk=upload.pk, state=State.RECEIVING).update(state=State.COMPLETE)
    upload.state = State.COMPLETE
    return upload


def cancel(*, upload: FormFile) -> None:
    """Delete a file that was not submitted."""
    _delete(upload)


def leave(user: User) -> None:
    """Throw away what a person sent and did not hand in, when their account is closed."""
    for upload in FormFile.objects.filter(user=user):
        _delete(upload)


def expire() -> int:
    """Delete files that were not submitted in time; return the number deleted."""
    late = FormFile.objects.filter(state__in=(State.RECEIVING, State.COMPLETE), expires_at__lt=timezone.now())
    return sum(_delete(upload) for upload in late)


def with_sent(files: Mapping[str, Any], data: Mapping[str, Any], user: User) -> MultiValueDict[str, Any]:
    """Return the files of a form, with those that were uploaded before it and that it references by id.

    A field ``file_sent`` references the file of the field ``file``. A file that no longer exists, or belongs
    to another person, is omitted, so that the form requests it.
    """
    all_files: MultiValueDict[str, Any] = MultiValueDict({name: [file] for name, file in files.items()})
    for field, held in _named(data, user).items():
        if field not in all_files and held.path.exists():
            # In memory, as small as they are: nobody closes what stands in a form.
            content = io.BytesIO(held.path.read_bytes())
            all_files[field] = UploadedFile(content, held.file_name, "text/csv", held.size)
    return all_files


def waiting(data: Mapping[str, Any], user: User) -> list[FormFile]:
    """Files that a form named and that wait for it to be sent again, each with the name of its field as ``field``."""
    waiting_files = []
    for field, held in _named(data, user).items():
        held.field = f"{field}{ENDING}"  # type: ignore[attr-defined]  # for the page alone
        waiting_files.append(held)
    return waiting_files


def handed_in(data: Mapping[str, Any], user: User) -> None:
    """Let go of the files that a form has named and that were taken."""
    for held in _named(data, user).values():
        _delete(held)


def _named(data: Mapping[str, Any], user: User) -> dict[str, FormFile]:
    """Return the complete files that fields reference, by the field that each replaces."""
    wanted = {}
    for name in data:
        if name.endswith(ENDING) and (key := _key(data.get(name))) is not None:
            wanted[name.removesuffix(ENDING)] = key
    if not wanted:
        return {}
    rows = {row.pk: row for row in held_by(user).filter(pk__in=wanted.values(), state=State.COMPLETE)}
    return {field: rows[key] for field, key in wanted.items() if key in rows}


def _key(value: object) -> uuid.UUID | None:
    try:
        return uuid.UUID(str(value))
    except ValueError:
        return None


def _delete(upload: FormFile) -> int:
    """End a file and delete its bytes; the row goes with them, since nothing refers to it."""
    deleted, _ = FormFile.objects.filter(pk=upload.pk).delete()
    if deleted:
        transaction.on_commit(lambda: upload.path.unlink(missing_ok=True))
    return deleted
