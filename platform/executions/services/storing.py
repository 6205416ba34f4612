"""Blobs: each content stored once, however many archives hold it, and given up when none has for a while."""

from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Sum
from django.utils import timezone

from datastore.uploads.storage import delete, private, store_file
from executions.models import AlgorithmArchive, ArchiveBlob, Blob

FOLDER = "algorithms/blobs"


def name_of(digest: str) -> str:
    """Return the path of a blob in the private storage."""
    return f"{FOLDER}/{digest[:2]}/{digest}"


def keep(digest: str, path: Path, *, size: int) -> Blob:
    """Store a content under its digest, and return its row; one that is there stays, also if it was to be deleted.

    Parameters
    ----------
    digest
        64 hexadecimal digits: SHA-256 of the content before it was packed.
    path
        The packed file, which is moved away.
    size
        Bytes of the content.
    """
    blob = Blob.objects.filter(pk=digest).first()
    if blob is None or not private().exists(blob.file):
        stored_bytes = path.stat().st_size
        store_file(name_of(digest), path)
        blob, _ = Blob.objects.update_or_create(
            pk=digest, defaults={"file": name_of(digest), "size": size, "stored_bytes": stored_bytes}
        )
    # From now on it is waited with: the archive that names it follows in a moment.
    Blob.objects.filter(pk=digest).exclude(unused_since=None).update(unused_since=timezone.now())
    return blob


def name(archive: AlgorithmArchive, blobs: list[Blob]) -> None:
    """Note which blobs an archive needs, in its transaction; what was to be deleted stays."""
    ArchiveBlob.objects.bulk_create(
        [ArchiveBlob(archive=archive, blob=blob, position=position) for position, blob in enumerate(blobs)]
    )
    Blob.objects.filter(pk__in=[blob.pk for blob in blobs]).update(unused_since=None)


@transaction.atomic
def give_up(archive: AlgorithmArchive) -> None:
    """Let go of the blobs of an archive that is not needed any more; its digest stays."""
    ArchiveBlob.objects.filter(archive=archive).delete()
    AlgorithmArchive.objects.filter(pk=archive.pk).update(removed_at=timezone.now())


def collect() -> int:
    """Delete blobs that no archive has named for the days of grace; returns how many."""
    named = Exists(ArchiveBlob.objects.filter(blob=OuterRef("pk")))
    now = timezone.now()
    Blob.objects.filter(~named, unused_since=None).update(unused_since=now)
    until = now - timedelta(days=settings.PODIUM_BLOB_DAYS)
    old = list(Blob.objects.filter(~named, unused_since__lt=until).values_list("pk", "file"))
    count = 0
    for digest, file in old:
        # Asked again in the statement that deletes: an upload may have named it meanwhile.
        if Blob.objects.filter(~named, pk=digest, unused_since__lt=until).delete()[0]:
            delete(file)
            count += 1
    return count


def stored_bytes() -> int:
    """Bytes of all blobs."""
    return Blob.objects.aggregate(bytes=Sum("stored_bytes"))["bytes"] or 0
