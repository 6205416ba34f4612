"""Data sets and their versions: made, filled, released, withdrawn."""

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from accounts.models import User
from challenges.models import Challenge
from core.audit.services import record
from datastore.datasets.models import Dataset, DatasetFile, DatasetUpload, DatasetVersion
from datastore.datasets.services.hosting import end
from datastore.uploads.storage import delete
from evaluation.canonical import sha256


@transaction.atomic
def offer_dataset(*, actor: User | None, challenge: Challenge, name: str, split: str, **fields: Any) -> Dataset:
    """Make a data set: one that is hosted begins with an empty draft of version 1, a link needs no version.

    Raises
    ------
    ValidationError
        For an address that is not https, and for a name that the challenge has already.
    """
    if fields.get("url") and not str(fields["url"]).startswith("https://"):
        raise ValidationError({"url": "An address begins with https://."})
    slug = slugify(name)[:80] or "data"
    try:
        with transaction.atomic():
            dataset = Dataset.objects.create(
                challenge=challenge, slug=slug, name=name, split=split, created_by=actor, **fields
            )
    except IntegrityError as error:
        raise ValidationError({"name": f"There is already a data set “{name}” in this challenge."}) from error
    if not dataset.is_link:
        DatasetVersion.objects.create(dataset=dataset, number=1)
    record(
        actor=actor,
        act="dataset_offered",
        subject=dataset,
        scope=challenge.slug,
        facts={"name": name, "split": split, "access": dataset.access, "url": dataset.url, "licence": dataset.licence},
    )
    return dataset


@transaction.atomic
def begin_version(*, actor: User, dataset: Dataset) -> DatasetVersion:
    """Begin the next version, empty; a draft that is there already is returned."""
    Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
    last = dataset.versions.order_by("number").last()
    if last is not None and last.released_at is None:
        return last
    version = DatasetVersion.objects.create(dataset=dataset, number=last.number + 1 if last else 1)
    record(
        actor=actor,
        act="dataset_version_begun",
        subject=dataset,
        scope=dataset.challenge.slug,
        facts={"version": version.number},
    )
    return version


@transaction.atomic
def release_version(
    *, actor: User | None, version: DatasetVersion, note: str = "", available_from: datetime | None = None
) -> DatasetVersion:
    """Release a draft: from now on it never changes. Its digest covers names, sizes and SHA-256 of all files.

    Raises
    ------
    ValidationError
        Without a file, while a file arrives or waits for its checksum, or when it has been released already.
    """
    version = DatasetVersion.objects.select_for_update(no_key=True).get(pk=version.pk)
    if version.released_at is not None:
        raise ValidationError("This version has been released already.")
    if version.uploads.filter(state=DatasetUpload.State.RECEIVING).exists():
        raise ValidationError("A file is still being uploaded. Finish or cancel that first.")
    files = list(version.files.order_by("name"))
    if not files:
        raise ValidationError("A version needs at least one file.")
    if unready := next((file for file in files if file.state != DatasetFile.State.READY), None):
        raise ValidationError(f"{unready.name}: {unready.get_state_display()}.")
    version.digest = manifest_digest(version)
    version.released_at, version.note, version.available_from = timezone.now(), note.strip()[:500], available_from
    version.save()
    record(
        actor=actor,
        act="dataset_released",
        subject=version.dataset,
        scope=version.dataset.challenge.slug,
        facts={
            "version": version.number,
            "digest": version.digest,
            "files": len(files),
            "bytes": sum(file.size for file in files),
            "available_from": available_from.isoformat() if available_from else None,
        },
    )
    return version


def manifest_digest(version: DatasetVersion) -> str:
    """Digest of what a version holds: data set, number, and each file's name, size and SHA-256."""
    files = version.files.order_by("name").values_list("name", "size", "sha256")
    return sha256(
        {
            "dataset": version.dataset.slug,
            "version": version.number,
            "files": [{"name": name, "size": size, "sha256": digest} for name, size, digest in sorted(files)],
        }
    )


@transaction.atomic
def withdraw_version(*, actor: User, version: DatasetVersion, reason: str) -> None:
    """Withdraw a released version, which can no longer be downloaded.

    The version, its list of files and the reason remain visible.

    Raises
    ------
    ValidationError
        Without a reason, for a draft, and for a version that was already withdrawn.
    """
    if not reason.strip():
        raise ValidationError("Enter the reason. Everyone who has the data can read it.")
    changed = DatasetVersion.objects.filter(pk=version.pk, released_at__isnull=False, withdrawn_at=None)
    if not changed.update(withdrawn_at=timezone.now(), withdrawal=reason.strip()[:500]):
        raise ValidationError("Only a released version is withdrawn, and once.")
    record(
        actor=actor,
        act="dataset_withdrawn",
        subject=version.dataset,
        scope=version.dataset.challenge.slug,
        facts={"version": version.number, "reason": reason.strip()[:500]},
    )


def remove_file(*, actor: User, file: DatasetFile) -> None:
    """Remove a file from a draft.

    Raises
    ------
    ValidationError
        When the version has been released.
    """
    with transaction.atomic():
        version = DatasetVersion.objects.select_for_update(no_key=True).get(pk=file.version_id)
        if version.released_at is not None:
            raise ValidationError("A released version never changes. Begin a new one, and withdraw this one.")
        name = file.stored
        record(
            actor=actor,
            act="dataset_file_removed",
            subject=version.dataset,
            scope=version.dataset.challenge.slug,
            facts={"version": version.number, "file": file.name},
        )
        file.delete()
        transaction.on_commit(lambda: delete(name))


def cancel_upload(*, upload: DatasetUpload) -> None:
    """Throw away what has arrived of an upload."""
    end(upload, DatasetUpload.State.CANCELLED)
