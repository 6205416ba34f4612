"""What a backup says of itself: its manifest, as it is written and read."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

FORMAT = 1
"""Raised when a backup of an older form can no longer be restored."""
MANIFEST = "manifest.json"
_MOST_BYTES = 512 * 1024**2


class BackupError(Exception):
    """A backup that cannot be made, read or restored; says what is wrong and what to do."""


@dataclass(frozen=True)
class BackupFile:
    """A stored file in a backup.

    Attributes
    ----------
    name
        In the private storage of the installation.
    sha256, size
        Of its bytes as they are there.
    seen
        When it was last written, as the storage says; with the size it tells the next backup that the file is the same.
    kept_sha256, kept_size
        Of its bytes as the backup keeps them, which differ where the backup is encrypted. Empty and 0 in manifests
        from before these fields.
    """

    name: str
    sha256: str
    size: int
    seen: str
    kept_sha256: str = ""
    kept_size: int = 0


@dataclass(frozen=True)
class Manifest:
    """One backup.

    Attributes
    ----------
    made_at
        ISO time, UTC: when the database was read.
    version
        Of Podium.
    vendor
        ``sqlite`` or ``postgresql``.
    database, database_sha256
        The file with the database inside the backup, and the digest of its bytes there.
    encrypted
        Whether database and files are encrypted, for whoever holds the age identity.
    head
        Sequence number and digest of the last entry of the audit chain. Note it elsewhere too: a chain that lost its last
        entries is intact in itself.
    key
        Public part of the age identity that references are sealed with; the identity is in no backup.
    layout
        Layout of the installation: the first migrations that its database began with.
    files
        All stored files.
    kept_sha256
        Digest of the file with the database as the backup keeps it; empty in manifests from before this field.
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
    form: int = FORMAT

    def written(self) -> bytes:
        """As JSON."""
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
