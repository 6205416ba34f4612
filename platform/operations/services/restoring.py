"""Bring an installation back from a backup, into an empty database and an empty storage."""

from django.conf import settings
from django.core.files.storage import Storage
from django.core.management import call_command
from django.db import connection, transaction

from accounts.notifications.services.delivery import withhold_waiting
from core.audit.models import Head
from core.audit.services import broken_links, record
from datastore.test_sets.vault import recipient_of_references
from datastore.uploads.services.proving import prove, stored_names
from datastore.uploads.storage import sha256_of, store_file
from operations.domain.backups import BackupError, Manifest
from operations.services import databases, layout
from operations.services.backup_targets import fetched
from operations.services.backups import BACKUPS, Tell, complete, manifest_of, place_of


def restore(
    storage: Storage, name: str = "", *, identity: str = "", other_key: bool = False, tell: Tell = print
) -> list[str]:
    """Restore a backup, by default the last one, and return the problems that remain.

    Nothing is written unless all requirements are met: an empty database of the same kind, an empty storage, the
    key of the references, and a backup whose files match their digests. Queued mails are withheld, because they
    could have been sent after the backup was made.

    Parameters
    ----------
    storage, name
        The backup.
    identity
        Age identity that opens an encrypted backup.
    other_key
        Continue without the key that the references were sealed with. They cannot be read then.
    tell
        Called with a line about each step.

    Raises
    ------
    BackupError
        If a requirement is not met. The message states it.
    """
    name = name or (complete(storage) or [""])[-1]
    manifest = manifest_of(storage, name)
    _check(manifest, identity, other_key=other_key)
    key = identity if manifest.encrypted else ""
    with fetched(storage, f"{BACKUPS}/{name}/{manifest.database}", key) as path:
        if sha256_of(path) != manifest.database_sha256:
            raise BackupError(f"{manifest.database} was changed since the backup was made. Take another backup.")
        _bring_files(storage, manifest, key, tell)
        databases.load(path)
    tell(f"Database: as it was at {manifest.made_at}.")
    layout.mark(settings.PODIUM_DATA)
    call_command("migrate", verbosity=0)
    return _afterwards(manifest, name, tell)


def _check(manifest: Manifest, identity: str, *, other_key: bool) -> None:
    if manifest.vendor != connection.vendor:
        raise BackupError(f"The backup is of {manifest.vendor}, and DATABASE_URL names {connection.vendor}.")
    if manifest.encrypted and not identity:
        raise BackupError("The backup is encrypted: give the file with its age identity by --identity.")
    changed = sorted(manifest.layout.get("migrations", {}).items() - layout.current()["migrations"].items())
    if changed:
        apps = ", ".join(app for app, _ in changed)
        raise BackupError(f"This version has other first migrations of {apps}: restore with Podium {manifest.version}.")
    own_key = recipient_of_references()
    if manifest.key and own_key != manifest.key and not other_key:
        raise BackupError(
            f"References were sealed for {manifest.key}, and this installation has {'the key of ' + own_key if own_key else 'no key'}. "
            "Set PODIUM_REFERENCE_KEY to the key that was kept apart. Without it no reference can be read, and nothing can be "
            "scored again; --without-key restores everything else."
        )
    if next(stored_names(), None) is not None:
        raise BackupError("The storage is not empty: restore into an empty bucket or data folder.")
    if connection.introspection.table_names():
        raise BackupError("The database is not empty: restore into an empty one, before anything has migrated it.")


def _bring_files(storage: Storage, manifest: Manifest, key: str, tell: Tell) -> None:
    for entry in manifest.files:
        with fetched(storage, place_of(entry.sha256, encrypted=manifest.encrypted), key) as path:
            if sha256_of(path) != entry.sha256:
                raise BackupError(f"{entry.name} was changed since the backup was made. Take another backup.")
            store_file(entry.name, path)
    tell(f"Files: {len(manifest.files)}.")


def _afterwards(manifest: Manifest, name: str, tell: Tell) -> list[str]:
    """Look whether everything holds, and note the restore in the chain, behind the head of the backup."""
    wrong = []
    head = Head.objects.filter(pk=1).first()
    chain_end = (head.sequence, head.digest) if head else databases.NO_HEAD
    if chain_end != manifest.head:
        wrong.append(f"The audit chain ends at {chain_end}, and the backup says {manifest.head}.")
    if broken := broken_links():
        wrong.append(f"The audit chain does not hold at entries {', '.join(map(str, broken))}.")
    proof = prove()
    wrong += [*proof.missing, *proof.changed]
    with transaction.atomic():
        withheld = withhold_waiting(
            reason=f"withheld: restored from the backup of {manifest.made_at}, may have been sent"
        )
        if head is not None:
            facts = {"backup": name, "made_at": manifest.made_at, "mails_withheld": withheld}
            record(actor=None, act="installation_restored", subject=head, facts=facts)
    tell(
        f"{withheld} mails that waited are withheld. {proof.named} stored files are named, {proof.read} were compared."
    )
    return wrong
