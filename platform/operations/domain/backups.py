"""The manifest of a backup, with functions that write and read it."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

FORMAT = 1
"""Raised when a backup of an older form can no longer be restored."""
MANIFEST = "manifest.json"
_MOST_BYTES = 512 * 1024**2


class BackupError(Exception):
    """A backup cannot be created, read or restored.

    The message states the problem and the remedy.
    """


@dataclass(frozen=True)
class BackupFile:
    """A stored file in a backup.

    Attributes
    ----------
    name
        Name in the private storage of the installation.
    sha256, size
        Digest and size of its bytes in that storage.
    seen
        Time of the last write, as reported by the storage. The next backup compares it and the size to detect an
        unchanged file.
    kept_sha256, kept_size
        Digest and size of its bytes in the backup, which differ if the backup is encrypted. Empty and 0 in
        manifests that are older than these fields.
    """

    name: str
    sha256: str
    size: int
    seen: str
    kept_sha256: str = ""
    kept_size: int = 0


@dataclass(frozen=True)
class Manifest:
    """Manifest of a backup.

    Attributes
    ----------
    made_at
        Time at which the database was read, in ISO format and UTC.
    version
        Version of Podium.
    vendor
        ``sqlite`` or ``postgresql``.
    database, database_sha256
        Database file inside the backup, and the digest of its bytes.
    encrypted
        Whether database and files are encrypted. The age identity is required to read them.
    head
        Sequence number and digest of the last entry of the audit chain. Store it outside the backup too: a chain
        that lost its last entries is still consistent.
    key
        Public part of the age identity that references are sealed with. No backup contains the identity.
    layout
        Layout of the installation: the first migrations that its database was created with.
    files
        All stored files.
    kept_sha256
        Digest of the database file as stored in the backup. Empty in manifests that are older than this field.
    timestamps
        Number of timestamps of a third party, read before the database. None in manifests that are older than this
        field.
    """

    made_at: str
    version: str
    vendor: str
    database: str
    database_sha256: str
    encrypted: bool
    head: tuple[int, str]
    key: str
    layout: dict[str, Any]
    files: tuple[BackupFile, ...] = field(default=())
    kept_sha256: str = ""
    timestamps: int | None = None
    form: int = FORMAT

    def written(self) -> bytes:
        """Return the manifest as JSON."""
        return json.dumps(asdict(self), indent=1, sort_keys=True).encode()


def read(content: bytes) -> Manifest:
    """Read a manifest.

    Raises
    ------
    BackupError
        For what is no manifest, or one of another form.
    """
    if len(content) > _MOST_BYTES:
        raise BackupError(f"{MANIFEST} has {len(content)} bytes; at most {_MOST_BYTES} are read.")
    try:
        raw = json.loads(content)
        form = raw["form"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BackupError(f"{MANIFEST} is no manifest of a backup.") from error
    if form != FORMAT:
        raise BackupError(
            f"{MANIFEST} has the form {form!r}, and this version reads {FORMAT}: restore with the version that made it."
        )
    try:
        files = tuple(BackupFile(**entry) for entry in raw.pop("files"))
        sequence, digest = raw.pop("head")
        return Manifest(**raw, head=(int(sequence), str(digest)), files=files)
    except (KeyError, TypeError, ValueError) as error:
        raise BackupError(f"{MANIFEST} lacks what a manifest has to say, or says more.") from error
