"""Receiving a file in pieces, and making exactly one hosted file of it."""

from datetime import timedelta
from pathlib import Path

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge
from core.audit.services import record
from core.work.services import ask
from datastore.datasets.domain.names import file_name, is_file_name
from datastore.datasets.models import DatasetFile, DatasetUpload, DatasetVersion
from datastore.datasets.queries.datasets import hosted_bytes
from datastore.datasets.queries.work import DIGESTING
from datastore.uploads.services import refusals, uploads
from datastore.uploads.services.refusals import UploadError
from datastore.uploads.storage import data_limits, private, scratch, store_file, upload_limits
from evaluation import durable

UNDER_WAY = 5
"""Unfinished uploads that a version may have at once."""
QUIET = timedelta(seconds=30)


def begin(*, user: User, version: DatasetVersion, name: str, size: int) -> DatasetUpload:
    """Begin an upload after every bound that can be checked before a byte has arrived.

    Raises
    ------
    UploadError
        For a name that cannot be a file's or is there already, an empty or too large file, a challenge whose files would
        take more than they may, a version that has been released, too many unfinished uploads, and lack of room.
    """
    limits, name = data_limits(), file_name(name)
    if not is_file_name(name):
        raise UploadError(
            f"“{name}” cannot be the name of a file on every system. Use letters, digits, dots, dashes and underscores."
        )
    if size < 1:
        raise UploadError(f"{name} is empty.")
    if size > limits.file_bytes:
        raise refusals.TooLargeError(f"{name} has {size:,} bytes; a file may have {limits.file_bytes:,}.")
    challenge = version.dataset.challenge
    with transaction.atomic():
        Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
        version = (
            DatasetVersion.objects.select_for_update(no_key=True)
            .select_related("dataset__challenge")
            .get(pk=version.pk)
        )
        if version.released_at is not None:
            raise refusals.NotAllowedError("A released version never changes. Begin a new version first.")
        now = timezone.now()
        receiving = version.uploads.filter(state=DatasetUpload.State.RECEIVING, expires_at__gt=now)
        if receiving.count() >= UNDER_WAY:
            raise refusals.QuotaExceededError(
                f"This version has {UNDER_WAY} unfinished uploads. Finish or cancel one of them first."
            )
        if version.files.filter(name=name).exists() or receiving.filter(file_name=name).exists():
            raise UploadError(f"This version has a file {name} already. Remove that first, or choose another name.")
        if (taken := hosted_bytes(challenge)) + size > limits.challenge_bytes:
            raise refusals.QuotaExceededError(
                f"The files of this challenge take {taken:,} bytes. With the {size:,} of {name} there would be more than "
                f"the {limits.challenge_bytes:,} that a challenge may have."
            )
        uploads.check_room(size)
        upload = DatasetUpload.objects.create(
            version=version, user=user, file_name=name, size=size, expires_at=now + upload_limits().lifetime
        )
    scratch("uploads")
    upload.path.touch(mode=0o600)
    return upload


def finish(*, upload: DatasetUpload) -> DatasetFile:
    """Make the one file of a whole upload and have its checksum computed; called again, it returns the same file.

    Raises
    ------
    UploadError
        `OffsetError` while bytes are missing, `GoneError` when the upload has ended.
    """
    upload.refresh_from_db()
    if upload.file is not None:
        return upload.file
    uploads.check_receiving(upload)
    if not upload.is_whole:
        raise refusals.OffsetError(f"{upload.size - upload.offset:,} bytes have not arrived yet.")
    stored = f"datasets/{upload.version.dataset.challenge_id}/{upload.pk}"
    if upload.path.exists():
        # Rewriting an earlier attempt's copy is harmless; without the file, that attempt has already moved it.
        store_file(stored, upload.path)
    elif not private().exists(stored):
        raise refusals.GoneError("The received bytes are no longer there. Upload the file again.")
    with transaction.atomic():
        version = DatasetVersion.objects.select_for_update(no_key=True).get(pk=upload.version_id)
        row = DatasetUpload.objects.select_for_update(of=("self",), no_key=True).get(pk=upload.pk)
        if row.file_id is not None:
            return DatasetFile.objects.get(pk=row.file_id)
        if version.released_at is not None:
            raise refusals.GoneError("The version was released meanwhile. Begin a new one.")
        file = keep(actor=upload.user, version=version, name=upload.file_name, size=upload.size, stored=stored)
        DatasetUpload.objects.filter(pk=upload.pk).update(state=DatasetUpload.State.COMPLETE, file=file)
    return file


def keep(*, actor: User | None, version: DatasetVersion, name: str, size: int, stored: str) -> DatasetFile:
    """Record a file in the private storage and queue the computation of its checksum."""
    file = DatasetFile.objects.create(version=version, name=name, size=size, stored=stored)
    record(
        actor=actor,
        act="dataset_file_added",
        subject=version.dataset,
        scope=version.dataset.challenge.slug,
        facts={"version": version.number, "file": name, "bytes": size},
    )
    ask(DIGESTING, file)
    return file


def host_file(*, actor: User | None, version: DatasetVersion, path: Path, name: str = "") -> DatasetFile:
    """Move a file of this machine into a draft, by the bounds of uploads.

    Raises
    ------
    UploadError
        As `begin`.
    """
    size = path.stat().st_size
    upload = begin(user=actor or _somebody(version), version=version, name=name or path.name, size=size)
    durable.move(path, upload.path)
    DatasetUpload.objects.filter(pk=upload.pk).update(offset=size)
    return finish(upload=upload)


def _somebody(version: DatasetVersion) -> User:
    """In whose name the command line acts: the first organizer."""
    return version.dataset.challenge.organizers.order_by("pk")[:1].get()


def expire() -> int:
    """Throw away uploads without progress; returns how many."""
    late = DatasetUpload.objects.filter(state=DatasetUpload.State.RECEIVING, expires_at__lt=timezone.now())
    return sum(end(upload, DatasetUpload.State.EXPIRED) for upload in late)


def finish_whole() -> int:
    """Make files of uploads that are whole but whose end was interrupted; returns how many were found."""
    quiet = timezone.now() - QUIET
    rows = DatasetUpload.objects.filter(state=DatasetUpload.State.RECEIVING, offset=F("size"), updated_at__lt=quiet)
    count = 0
    for upload in rows.select_related("version__dataset", "user"):
        count += 1
        try:
            finish(upload=upload)
        except UploadError as error:
            end(upload, DatasetUpload.State.REFUSED, refusal=str(error)[:500])
        except IntegrityError:
            end(upload, DatasetUpload.State.REFUSED, refusal="The version has a file of this name already.")
    return count


def end(upload: DatasetUpload, state: str, *, refusal: str = "") -> int:
    """End an upload that is under way and delete its bytes; returns whether it was under way."""
    rows = DatasetUpload.objects.filter(pk=upload.pk, state=DatasetUpload.State.RECEIVING)
    changed = rows.update(state=state, refusal=refusal)
    if changed:
        upload.path.unlink(missing_ok=True)
    return changed
