"""Cache on this machine for runs: images in its engine and unpacked weights.

Its size is bounded, and the least recently used entries are removed first.
Each entry has a file that contains its size. The file's time is the time of the last use.
A lock on the file shows that the entry is in use.
Removed entries are loaded from the storage when they are needed again.
"""

import errno
import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import structlog
from django.conf import settings

from confinement.containers.engine import Engine
from confinement.containers.removing import remove_tree
from evaluation import durable
from executions.services import hosts

log = structlog.get_logger(__name__)

IMAGE, MODEL = "image", "model"
LOADING = 3
"""Times its unpacked size that an image takes while it is loaded: its layers, what the engine unpacks of them, and both at once."""
DAY = 24 * 3600.0


@dataclass(frozen=True)
class CachedFile:
    """An image or weights on this machine."""

    path: Path
    size: int
    used_at: float

    @property
    def kind(self) -> str:
        return self.path.name.partition("-")[0]

    @property
    def digest(self) -> str:
        return f"sha256:{self.path.name.partition('-')[2]}"


@contextmanager
def in_use(kind: str, digest: str, *, size: int) -> Iterator[str]:
    """Prevent the removal of an image or weights during the context.

    Yields
    ------
    str
        Text that stays the same unless the entry was removed in between.
    """
    path = _folder() / f"{kind}-{digest.removeprefix('sha256:')}"
    with _locked(path) as file:
        with hosts.alone_with(path.name):
            if not os.fstat(file).st_size:
                os.pwrite(file, _noted(size).encode(), 0)
        os.utime(file)
        yield path.read_text()


def make_room(engine: Engine, size: int) -> None:
    """Remove the least recently used entries until the cache fits its bound and the disk has enough space.

    The required space depends on `size`. The entry for which room is made must already be recorded as in use.

    Raises
    ------
    OSError
        When the disk still has too little space.
    """
    with hosts.alone_with("room"):
        for entry in _oldest_first():
            total = sum(cached_file.size for cached_file in kept())
            if total <= settings.PODIUM_RUN_CACHE_BYTES and _free() >= LOADING * size:
                break
            _give_up(engine, entry)
    if _free() < LOADING * size:
        raise OSError(errno.ENOSPC, f"{_free():,} bytes of room for an image that takes {LOADING * size:,} to load")


def collect(engine: Engine | None = None) -> int:
    """Give up what was not used for the days that blobs are kept; returns how many there were."""
    engine = engine or hosts.here().engine
    if engine is None:
        return 0
    until = time.time() - settings.PODIUM_BLOB_DAYS * DAY
    return sum(_give_up(engine, entry) for entry in _oldest_first() if entry.used_at < until)


def take_stock(engine: Engine) -> None:
    """Have images looked after that are in the engine and of which nothing is noted; of the start of a worker."""
    for digest in engine.images():
        path = _folder() / f"{IMAGE}-{digest.removeprefix('sha256:')}"
        if not path.exists():
            durable.write_first(path, _noted(0).encode(), mode=0o600)


def kept() -> list[CachedFile]:
    """Return the images and weights cached on this machine."""
    cached_files = []
    for path in _folder().iterdir():
        if durable.is_temporary(path.name):
            continue
        with suppress(OSError, ValueError):
            size, _, _ = path.read_text().partition(" ")
            cached_files.append(CachedFile(path, int(size or 0), path.stat().st_mtime))
    return cached_files


def _noted(size: int) -> str:
    """Return the content of an entry's file: the size, and a text that is unique to this file."""
    return f"{size} {secrets.token_hex(8)}"


def _oldest_first() -> list[CachedFile]:
    return sorted(kept(), key=lambda entry: entry.used_at)


def _give_up(engine: Engine, entry: CachedFile) -> bool:
    """Give up an image or weights unless they are in use; returns whether that was done."""
    ways: dict[str, Callable[[], None]] = {
        IMAGE: lambda: engine.remove_image(entry.digest),
        MODEL: lambda: remove_tree(hosts.folder() / "models" / entry.digest.removeprefix("sha256:")),
    }
    with suppress(OSError), entry.path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if entry.kind in ways:
            ways[entry.kind]()
        entry.path.unlink(missing_ok=True)
        log.info("given_up", kind=entry.kind, digest=entry.digest, size=entry.size)
        return True
    return False


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Acquire a shared lock on a file, and create the file again if it was removed during the wait."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_SH)
            if path.exists() and path.stat().st_ino == os.fstat(file).st_ino:
                yield file
                return
        finally:
            os.close(file)


def _folder() -> Path:
    path = hosts.folder() / "cache"
    path.mkdir(exist_ok=True, mode=0o700)
    return path


def _free() -> int:
    return shutil.disk_usage(hosts.folder()).free
