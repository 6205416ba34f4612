"""Backups as witnesses: what the last one knew must still be in the database."""

from collections.abc import Iterator

from core.audit.hooks import witnesses
from core.audit.models import Entry
from operations.domain.backups import BackupError
from operations.services.backup_targets import target
from operations.services.backups import manifest_of
from registry.queries.timestamps import stored_timestamps


def register() -> None:
    """Compare the records with the last backup when an operator names its target."""
    witnesses.register(differences_from_backup)


def differences_from_backup(address: str) -> Iterator[str]:
    """Yield what the last backup at an address knew and the database lacks; the manifest is enough for this."""
    try:
        manifest = manifest_of(target(address))
    except (BackupError, OSError) as error:
        yield f"The records were compared with no backup: {error}"
        return
    stored = stored_timestamps()
    if manifest.timestamps is not None and stored.count < manifest.timestamps:
        yield (
            f"The backup of {manifest.made_at} has {manifest.timestamps} timestamps of a third party, and the database has "
            f"{stored.count}."
        )
    sequence, digest = manifest.head
    present = Entry.objects.filter(sequence=sequence).values_list("digest", flat=True).first()
    if sequence and present != digest:
        yield (
            f"The audit log was rewritten after the backup of {manifest.made_at}: entry {sequence} had the digest {digest} "
            f"then, and {'has ' + present if present else 'is missing'} now."
        )
