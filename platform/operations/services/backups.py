"""Make a backup, and look through one.

The database is read first and the files after it: a file is written before the row that names it and never changed, so a copy
made later has all that the database names. Files are kept by their digest, once for all backups of a target, so that a
second backup copies only what is new.
"""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime

import pyrage
from django.conf import settings
from django.core.files.storage import Storage
from django.db import connection

from operations.domain.backups import MANIFEST, BackupError, BackupFile, Manifest, read
from operations.services import databases, layout
from operations.services.backup_targets import fetched, names, passing, put, put_bytes, stored_copy
from test_sets.vault import recipient_of_references
from uploads.services.proving import PASSING, stored_names
from uploads.storage import private, sha256_of

BACKUPS, FILES = "backups", "files"
Tell = Callable[[str], None]


def back_up(storage: Storage, *, recipient: str = "", tell: Tell = print) -> str:
    """Make a backup; returns its name.

    Parameters
    ----------
    storage
        Where it is kept.
    recipient
        Public part of an age identity; with it, database and files are encrypted.
    tell
        Called with a line about each step.

    Raises
    ------
    BackupError
        For a recipient that is none, or when the database cannot be read.
    """
    if recipient:
        try:
            pyrage.x25519.Recipient.from_str(recipient)
        except pyrage.RecipientError as error:
            raise BackupError(f"{recipient!r} is no recipient of age: it begins with age1.") from error
    made_at = datetime.now(UTC)
    name = f"{made_at:%Y%m%dT%H%M%SZ}"
    previous_files = {
        (entry.name, entry.size, entry.seen): entry for entry in _last_files(storage, encrypted=bool(recipient))
    }
    with passing() as path:
        head = databases.dump(path)
        database = databases.NAMES[connection.vendor] + (".age" if recipient else "")
        digest = sha256_of(path)
        put(storage, f"{BACKUPS}/{name}/{database}", path, recipient)
    tell(f"Database: {connection.vendor}, SHA-256 {digest}.")
    files, copied = [], 0
    for stored in sorted(stored_names()):
        if stored.startswith(PASSING):
            continue
        entry, is_new = _keep(storage, stored, previous_files, recipient)
        if entry is not None:
            files.append(entry)
            copied += is_new
    tell(f"Files: {len(files)}, of which {copied} were copied; the others were kept by an earlier backup.")
    manifest = Manifest(
        made_at=made_at.isoformat(timespec="seconds"),
        version=settings.VERSION,
        vendor=connection.vendor,
        database=database,
        database_sha256=digest,
        encrypted=bool(recipient),
        head=head,
        key=recipient_of_references(),
        layout=layout.current(),
        files=tuple(files),
    )
    # Last: a backup without a manifest was broken off, and is none.
    put_bytes(storage, f"{BACKUPS}/{name}/{MANIFEST}", manifest.written())
    return name


def _keep(
    storage: Storage, stored: str, previous_files: dict[tuple[str, int, str], BackupFile], recipient: str
) -> tuple[BackupFile | None, bool]:
    """Copy a stored file unless an earlier backup has it; None when it went away meanwhile."""
    try:
        size, seen = private().size(stored), private().get_modified_time(stored).astimezone(UTC).isoformat()
        if (entry := previous_files.get((stored, size, seen))) is not None:
            return entry, False
        with stored_copy(private(), stored) as (path, digest, size):
            target = place_of(digest, encrypted=bool(recipient))
            is_new = not storage.exists(target)
            if is_new:
                put(storage, target, path, recipient)
        return BackupFile(stored, digest, size, seen), is_new
    except FileNotFoundError:
        return None, False


def place_of(digest: str, *, encrypted: bool) -> str:
    """Where a target keeps a file."""
    return f"{FILES}/{digest[:2]}/{digest}{'.age' if encrypted else ''}"


def _last_files(storage: Storage, *, encrypted: bool) -> tuple[BackupFile, ...]:
    for name in reversed(complete(storage)):
        manifest = manifest_of(storage, name)
        if manifest.encrypted == encrypted:
            return manifest.files
    return ()


def complete(storage: Storage) -> list[str]:
    """Names of the backups that came to their end, oldest first."""
    folders, _ = names(storage, BACKUPS)
    return [name for name in sorted(folders) if storage.exists(f"{BACKUPS}/{name}/{MANIFEST}")]


def manifest_of(storage: Storage, name: str = "") -> Manifest:
    """Read the manifest of a backup, by default the last one.

    Raises
    ------
    BackupError
        When there is none, or it cannot be read.
    """
    complete_backups = complete(storage)
    if not complete_backups or (name and name not in complete_backups):
        raise BackupError(
            f"There is no backup {name or 'here'}; complete ones: {', '.join(complete_backups) or 'none'}."
        )
    with storage.open(f"{BACKUPS}/{name or complete_backups[-1]}/{MANIFEST}") as source:
        return read(source.read())


def problems_of(storage: Storage, name: str = "", *, identity: str = "", tell: Tell = print) -> list[str]:
    """Read every file of a backup and say what is missing, changed or does not open.

    Without the identity of an encrypted backup only the presence of its files can be looked for, and that is said.
    """
    name = name or (complete(storage) or [""])[-1]
    manifest = manifest_of(storage, name)
    problems = []
    if manifest.encrypted and not identity:
        tell("The backup is encrypted, and no identity was given: files are looked for and not read.")
        places = [place_of(entry.sha256, encrypted=True) for entry in manifest.files]
        places.append(f"{BACKUPS}/{name}/{manifest.database}")
        return [f"{stored_path} is missing." for stored_path in places if not storage.exists(stored_path)]
    key = identity if manifest.encrypted else ""
    try:
        with fetched(storage, f"{BACKUPS}/{name}/{manifest.database}", key) as path:
            if (digest := sha256_of(path)) != manifest.database_sha256:
                problems.append(f"{manifest.database}: its SHA-256 is {digest} and was {manifest.database_sha256}.")
            elif problem := databases.problem(path, manifest.vendor):
                problems.append(f"{manifest.database}: {problem}")
    except BackupError as error:
        problems.append(str(error))
    for entry in manifest.files:
        try:
            with fetched(storage, place_of(entry.sha256, encrypted=manifest.encrypted), key) as path:
                if (digest := sha256_of(path)) != entry.sha256:
                    problems.append(f"{entry.name}: its SHA-256 is {digest} and was {entry.sha256}.")
        except BackupError as error:
            problems.append(f"{entry.name}: {error}")
    tell(f"{len(manifest.files)} files and the database of {manifest.made_at} were read.")
    return problems


def fingerprint(manifest: Manifest) -> str:
    """Return the SHA-256 of a manifest, to be noted elsewhere with the head of the chain."""
    return hashlib.sha256(manifest.written()).hexdigest()
