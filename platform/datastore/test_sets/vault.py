"""References at rest: encrypted with a key that is neither in the database nor in the storage.

The format is age (https://age-encryption.org), so that an operator who has the key can open a backup
without Podium. Decrypted files are in a folder in memory, if the machine has one, for as long as they are
read.
"""

import hmac
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path, PurePosixPath

import pyrage
from django.conf import settings

from datastore.uploads.storage import local_path, scratch, store_file
from web import storing
from web.secret import kept_secret
from web.storing import passing_folder

SUFFIX = ".age"
_KIND = "open"


class VaultError(Exception):
    """Error for a stored file that cannot be opened; it reveals nothing of the content."""


def keep_file(name: str, path: Path) -> None:
    """Store the content of a file of this machine encrypted under `name`, which ends in ``.age``."""
    handle, sealed = tempfile.mkstemp(dir=scratch("incoming"))
    os.close(handle)
    pyrage.encrypt_file(str(path), sealed, [_identity(_key()).to_public()])
    store_file(name, Path(sealed))


def keep_bytes(name: str, content: bytes) -> None:
    """Store `content` encrypted under `name`, which ends in ``.age``."""
    handle, sealed = tempfile.mkstemp(dir=scratch("incoming"))
    with os.fdopen(handle, "wb") as target:
        target.write(pyrage.encrypt(content, [_identity(_key()).to_public()]))
    store_file(name, Path(sealed))


@contextmanager
def opened(name: str) -> Iterator[Path]:
    """Give a path with the plain content of a stored file, named as it was without ``.age``; gone afterwards.

    Raises
    ------
    VaultError
        When the file was changed, or sealed with another key.
    """
    if not name.endswith(SUFFIX):
        yield local_path(name)
        return
    sealed = local_path(name)
    with passing_folder(_KIND, _place_for(sealed.stat().st_size)) as folder:
        plain = folder / PurePosixPath(name).stem
        _decrypt(sealed, plain)
        yield plain


@contextmanager
def open_folder(size: int) -> Iterator[Path]:
    """Yield an empty folder for `size` bytes of decrypted data, in memory if there is room; deleted afterwards."""
    with passing_folder(_KIND, _place_for(size)) as folder:
        yield folder


@contextmanager
def joined(names: Sequence[str], *, total: int) -> Iterator[Path]:
    """Give a path with the plain content of stored pieces, one behind the other; gone afterwards.

    Raises
    ------
    VaultError
        When a piece was changed, or sealed with another key.
    """
    with passing_folder(_KIND, _place_for(total)) as folder:
        whole = folder / "archive"
        with whole.open("wb") as target:
            for name in names:
                with opened(name) as piece, piece.open("rb") as source:
                    shutil.copyfileobj(source, target)
        yield whole


def read_bytes(name: str) -> bytes:
    """Return the plain content of a stored file."""
    with opened(name) as path:
        return path.read_bytes()


def _decrypt(sealed: Path, plain: Path) -> None:
    try:
        pyrage.decrypt_file(str(sealed), str(plain), [_identity(_key())])
    except (pyrage.DecryptError, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        raise VaultError("A stored reference was changed, or was encrypted with another key.") from error


def _place_for(size: int) -> Path:
    if os.access(storing.MEMORY, os.W_OK) and shutil.disk_usage(storing.MEMORY).free > 2 * size:
        return storing.MEMORY
    return scratch("open")


def derived_secret(purpose: str) -> bytes:
    """Return 32 bytes that follow from the key of the references and from a purpose: the same on all machines."""
    return hmac.digest(_key().encode(), purpose.encode(), "sha256")


def recipient_of_references() -> str:
    """Return the public part of the key that references are sealed with; empty as long as none was sealed."""
    if not settings.PODIUM_REFERENCE_KEY and not _key_file().exists():
        return ""
    return str(_identity(_key()).to_public())


def _key_file() -> Path:
    return Path(settings.PODIUM_DATA) / "references.key"


def _key() -> str:
    return settings.PODIUM_REFERENCE_KEY or kept_secret(_key_file(), lambda: str(pyrage.x25519.Identity.generate()))


@lru_cache(maxsize=2)
def _identity(key: str) -> pyrage.x25519.Identity:
    return pyrage.x25519.Identity.from_str(key)
