"""Make a backup, and look through one.

The database is read first and the files after it: a file is written before the row that names it and never changed, so a copy
made later has all that the database names. Files are kept by their digest, once for all backups of a target, so that a
second backup copies only what is new. A backup is verified while it is made: every file of it is read in the target and has
its digest, or is copied again. What an interrupted backup left is therefore no danger to the next one.
"""

import hashlib
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pyrage
from django.conf import settings
from django.core.files.storage import Storage
from django.db import connection

from datastore.test_sets.vault import recipient_of_references
from datastore.uploads.services.proving import PASSING, stored_names
from datastore.uploads.storage import private, sha256_of
from operations.domain.backups import MANIFEST, BackupError, BackupFile, Manifest, read
from operations.services import databases, layout
from operations.services.backup_targets import Kept, fetched, kept_bytes, names, passing, put, put_bytes, stored_copy
from registry.queries.timestamps import stored_timestamps
from web.storing import DurableStorage

BACKUPS, FILES = "backups", "files"
Tell = Callable[[str], None]


def back_up(storage: Storage, *, recipient: str = "", tell: Tell = print) -> str:
    """Create a backup in which every file was read back and its digest verified, and return its name.

    Parameters
    ----------
    storage
        The target of the backup.
    recipient
        Public part of an age identity. If present, database and files are encrypted with it.
    tell
        Called with a line about each step.

    Raises
    ------
    BackupError
        For an invalid recipient, if the database cannot be read, or if a file does not read back as it was
        written.
    OSError
        If the disk is full or fails. The written files are not a backup, and the next backup does not rely on
        them.
    """
    if recipient:
        try:
            pyrage.x25519.Recipient.from_str(recipient)
        except pyrage.RecipientError as error:
            raise BackupError(f"{recipient!r} is no recipient of age: it begins with age1.") from error
    made_at = datetime.now(UTC)
    name = _free_name(storage, f"{made_at:%Y%m%dT%H%M%SZ}")
    if isinstance(storage, DurableStorage):
        storage.remove_leftovers()
    keeper = _Keeper(storage, recipient, _last_files(storage, encrypted=bool(recipient)))
    timestamps = stored_timestamps().count
    with passing() as path:
        head = databases.dump(path)
        if problem := databases.problem(path, connection.vendor):
            raise BackupError(f"The copy of the database does not read well: {problem}")
        database = databases.NAMES[connection.vendor] + (".age" if recipient else "")
        digest = sha256_of(path)
        kept_database = put(storage, f"{BACKUPS}/{name}/{database}", path, recipient)
    tell(f"Database: {connection.vendor}, SHA-256 {digest}.")
    entries = [keeper.keep(stored) for stored in sorted(stored_names()) if not stored.startswith(PASSING)]
    files = tuple(entry for entry in entries if entry is not None)
    tell(
        f"Files: {len(files)}, of which {keeper.copied} were copied; the others were kept by an earlier backup. All were "
        "read in the backup and have their digests."
    )
    if keeper.replaced:
        tell(f"{keeper.replaced} of the copied files were there already, incomplete or damaged, and were replaced.")
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
        files=files,
        kept_sha256=kept_database.sha256,
        timestamps=timestamps,
    )
    # Last: a backup without a manifest was broken off, and is none.
    put_bytes(storage, f"{BACKUPS}/{name}/{MANIFEST}", manifest.written())
    return name


def _free_name(storage: Storage, name: str) -> str:
    """Return a name that no backup has, not even one that was broken off: the files of a backup are never written twice."""
    taken, _ = names(storage, BACKUPS)
    numbered = (f"{name}-{number:02d}" for number in count(2))
    return name if name not in taken else next(candidate for candidate in numbered if candidate not in taken)


class _Keeper:
    """Keeps stored files in a target, each of them read there to its end in this backup.

    Parameters
    ----------
    storage, recipient
        The target, and for whom files are encrypted.
    last_files
        Files of the last complete backup of the same kind.
    """

    def __init__(self, storage: Storage, recipient: str, last_files: Iterable[BackupFile]) -> None:
        self._storage, self._recipient = storage, recipient
        self._entries = {(entry.name, entry.size, entry.seen): entry for entry in last_files}
        self._recorded = {
            entry.sha256: Kept(entry.kept_sha256, entry.kept_size)
            for entry in self._entries.values()
            if entry.kept_sha256
        }
        self._verified: dict[str, Kept] = {}
        self.copied = 0
        self.replaced = 0
        """Of those copied, how many were in the target already, incomplete or damaged."""

    def keep(self, stored: str) -> BackupFile | None:
        """Copy a stored file unless the target has it intact; None when it was deleted in the meantime."""
        with ExitStack() as stack:
            try:
                size = private().size(stored)
                seen = private().get_modified_time(stored).astimezone(UTC).isoformat()
                entry = self._entries.get((stored, size, seen))
                if entry is not None and (intact := self._intact(entry.sha256)) is not None:
                    return replace(entry, kept_sha256=intact.sha256, kept_size=intact.size)
                path, digest, size = stack.enter_context(stored_copy(private(), stored))
            except FileNotFoundError:
                return None
            intact = self._intact(digest) or self._copy(digest, path)
        return BackupFile(stored, digest, size, seen, intact.sha256, intact.size)

    def _intact(self, digest: str) -> Kept | None:
        """Return the bytes that the target has of a file, if they are the right ones."""
        if digest in self._verified:
            return self._verified[digest]
        expected = self._recorded.get(digest)
        target = place_of(digest, encrypted=bool(self._recipient))
        if expected is None and self._recipient:
            return None  # what encrypted bytes have to be is known from a manifest alone
        if expected is not None and (not self._storage.exists(target) or self._storage.size(target) != expected.size):
            return None
        intact = kept_bytes(self._storage, target)
        if intact is None or (intact.sha256 != digest if expected is None else intact != expected):
            return None
        self._verified[digest] = intact
        return intact

    def _copy(self, digest: str, path: Path) -> Kept:
        target = place_of(digest, encrypted=bool(self._recipient))
        self.replaced += self._storage.exists(target)
        self._verified[digest] = put(self._storage, target, path, self._recipient)
        self.copied += 1
        return self._verified[digest]


def place_of(digest: str, *, encrypted: bool) -> str:
    """Return the path of a file in a backup target."""
    return f"{FILES}/{digest[:2]}/{digest}{'.age' if encrypted else ''}"


def _last_files(storage: Storage, *, encrypted: bool) -> tuple[BackupFile, ...]:
    for name in reversed(complete(storage)):
        manifest = manifest_of(storage, name)
        if manifest.encrypted == encrypted:
            return manifest.files
    return ()


def complete(storage: Storage) -> list[str]:
    """Names of the backups that were completed, oldest first."""
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
    """Read every file of a backup and list what is missing, changed or does not open.

    Without the identity of an encrypted backup, the encrypted bytes are compared with the digests that the manifest
    records of them. Manifests from before these digests allow a look for the presence of files alone, which is reported.
    """
    name = name or (complete(storage) or [""])[-1]
    manifest = manifest_of(storage, name)
    if manifest.encrypted and not identity:
        return _problems_as_kept(storage, name, manifest, tell)
    problems = []
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


def _problems_as_kept(storage: Storage, name: str, manifest: Manifest, tell: Tell) -> list[str]:
    """Compare the encrypted bytes of a backup with what its manifest records of them."""
    places = {place_of(entry.sha256, encrypted=True): entry.kept_sha256 for entry in manifest.files}
    places[f"{BACKUPS}/{name}/{manifest.database}"] = manifest.kept_sha256
    problems, later = [], None
    for stored_path, digest in sorted(places.items()):
        present = kept_bytes(storage, stored_path)
        if present is None:
            problems.append(f"{stored_path} is missing.")
            continue
        if not digest or present.sha256 == digest:
            continue
        # A damaged file is encrypted again by the next backup, to other bytes with the same content.
        later = _kept_later(storage, name) if later is None else later
        if present.sha256 not in later.get(stored_path, ()):
            problems.append(f"{stored_path}: the SHA-256 of its encrypted bytes is {present.sha256} and was {digest}.")
    unrecorded = sum(not digest for digest in places.values())
    tell(
        f"No identity was given: the encrypted bytes of {len(places) - unrecorded} files were read and compared, and "
        f"{unrecorded} files were only looked for."
    )
    return problems


def _kept_later(storage: Storage, name: str) -> dict[str, set[str]]:
    """Return the digests that later encrypted backups record of the bytes at each place."""
    recorded: dict[str, set[str]] = {}
    for later_name in complete(storage):
        if later_name > name and (manifest := manifest_of(storage, later_name)).encrypted:
            for entry in manifest.files:
                recorded.setdefault(place_of(entry.sha256, encrypted=True), set()).add(entry.kept_sha256)
    return recorded


def fingerprint(manifest: Manifest) -> str:
    """Return the SHA-256 of a manifest, to be noted elsewhere with the head of the chain."""
    return hashlib.sha256(manifest.written()).hexdigest()
