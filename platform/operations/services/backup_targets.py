"""Targets of backups: a folder, or a bucket of an object store.

The object store can differ from that of the installation.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import pyrage
from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage

from datastore.uploads.storage import BLOCK, open_in, scratch, sha256_of
from operations.domain.backups import BackupError
from web.storing import DurableStorage


def target(address: str) -> Storage:
    """Return the storage at ``s3://bucket/prefix``, or in a folder.

    The keys to a bucket are PODIUM_BACKUP_S3_ENDPOINT, PODIUM_BACKUP_S3_ACCESS_KEY and PODIUM_BACKUP_S3_SECRET_KEY, and
    those of the installation where these are not set.

    Raises
    ------
    BackupError
        For an address that names no bucket, or a folder inside the data of the installation.
    """
    if not address.startswith("s3://"):
        folder = Path(address).resolve()
        if folder.is_relative_to(Path(settings.PODIUM_DATA).resolve()):
            raise BackupError(
                f"{folder} lies in the data folder that it would be a backup of. Name a folder elsewhere."
            )
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return DurableStorage(
            location=folder, allow_overwrite=True, file_permissions_mode=0o600, directory_permissions_mode=0o700
        )
    from storages.backends.s3 import S3Storage

    parts = urlsplit(address)
    if not parts.netloc:
        raise BackupError(f"{address} names no bucket: s3://bucket/prefix.")
    options: dict[str, Any] = {"bucket_name": parts.netloc, "location": parts.path.strip("/"), "file_overwrite": True}
    return S3Storage(**options, default_acl="private", **settings.PODIUM_BACKUP_S3)


def names(storage: Storage, folder: str) -> tuple[list[str], list[str]]:
    """Return folders and files directly below `folder`; nothing where there is none."""
    try:
        return storage.listdir(folder)
    except FileNotFoundError:
        return [], []


@dataclass(frozen=True)
class Kept:
    """Bytes of a file as a backup keeps them."""

    sha256: str
    size: int


def put(storage: Storage, name: str, path: Path, recipient: str) -> Kept:
    """Copy a file of this machine into a backup and read it back; encrypted for `recipient` where one is named.

    Raises
    ------
    BackupError
        When what is read back are other bytes.
    """
    if not recipient:
        return _put_verified(storage, name, path)
    with passing() as sealed:
        pyrage.encrypt_file(str(path), str(sealed), [pyrage.x25519.Recipient.from_str(recipient)])
        return _put_verified(storage, name, sealed)


def _put_verified(storage: Storage, name: str, path: Path) -> Kept:
    written = Kept(sha256_of(path), path.stat().st_size)
    with path.open("rb") as stream:
        storage.save(name, File(stream, name=PurePosixPath(name).name))
    if (read_back := kept_bytes(storage, name)) != written:
        raise BackupError(
            f"{name} was written with {written.size:,} bytes and the SHA-256 {written.sha256}, and reads back as "
            f"{'nothing' if read_back is None else f'{read_back.size:,} bytes with the SHA-256 {read_back.sha256}'}. Check the disk or "
            "bucket of the backups."
        )
    return written


def kept_bytes(storage: Storage, name: str) -> Kept | None:
    """Read a file of a backup to its end and return digest and size; None where there is none."""
    digest, size = hashlib.sha256(), 0
    try:
        with closing(open_in(storage, name)) as source:
            while block := source.read(BLOCK):
                digest.update(block)
                size += len(block)
    except FileNotFoundError:
        return None
    return Kept(digest.hexdigest(), size)


def put_bytes(storage: Storage, name: str, content: bytes) -> None:
    """Write small content into a backup and read it back.

    Raises
    ------
    BackupError
        When what is read back are other bytes.
    """
    storage.save(name, ContentFile(content))
    with storage.open(name) as source:
        if source.read() != content:
            raise BackupError(f"{name} does not read back as it was written. Check the disk or bucket of the backups.")


@contextmanager
def fetched(storage: Storage, name: str, identity: str) -> Iterator[Path]:
    """Give a path of this machine with the plain content of a file of a backup; gone afterwards.

    Raises
    ------
    BackupError
        When it is missing, or does not open with this identity.
    """
    with passing() as copy:
        try:
            with storage.open(name) as source, copy.open("wb") as into:
                shutil.copyfileobj(source, into, BLOCK)
        except FileNotFoundError as error:
            raise BackupError(f"{name} is missing in the backup.") from error
        if not identity:
            yield copy
            return
        with passing() as plain:
            try:
                pyrage.decrypt_file(str(copy), str(plain), [pyrage.x25519.Identity.from_str(identity)])
            except (pyrage.DecryptError, pyrage.IdentityError, OSError) as error:
                # A file that ends too early is an OSError without a number.
                if getattr(error, "errno", None) is not None:
                    raise
                raise BackupError(
                    f"{name} does not open: it is incomplete, was changed, or is encrypted for another identity."
                ) from error
            yield plain


@contextmanager
def passing() -> Iterator[Path]:
    handle, name = tempfile.mkstemp(dir=scratch("backup"))
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


@contextmanager
def stored_copy(storage: Storage, name: str) -> Iterator[tuple[Path, str, int]]:
    """Give a file of the installation as it is in its storage: a path, the SHA-256 and the size of its bytes."""
    with passing() as copy:
        digest = hashlib.sha256()
        with storage.open(name) as source, copy.open("wb") as into:
            while block := source.read(BLOCK):
                digest.update(block)
                into.write(block)
        yield copy, digest.hexdigest(), copy.stat().st_size
