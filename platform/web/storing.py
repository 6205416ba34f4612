"""Files on disk that are complete or absent, and folders of one task that are removed however it ends."""

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from django.core.files.storage import FileSystemStorage
from django.utils.crypto import salted_hmac

from evaluation import durable

MEMORY: Final = Path("/dev/shm")  # noqa: S108 (folders in it are private, and named by the installation)
ABANDONED_SECONDS: Final = 3600
"""Age before which no folder is taken for abandoned: its owner may not have locked it yet."""


def own_prefix(kind: str = "") -> str:
    """Return how names of folders of this installation begin, where others use the same place."""
    return f"podium-{salted_hmac('podium.installation', '').hexdigest()[:12]}-{kind}"


@contextmanager
def passing_folder(kind: str, parent: Path) -> Iterator[Path]:
    """Give a private folder below `parent`; removed afterwards. A lock shows others that it is in use."""
    folder = Path(tempfile.mkdtemp(prefix=own_prefix(f"{kind}-"), dir=parent))
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


def remove_abandoned(parent: Path, *, older_than: float = ABANDONED_SECONDS) -> int:
    """Remove folders of this installation whose processes were killed; returns how many.

    Folders of another installation, of another user, or in use are left. What another process removes in the meantime is
    ignored.
    """
    count = 0
    for folder in parent.glob(f"{own_prefix()}*"):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError, BlockingIOError):
            facts = folder.stat(follow_symlinks=False)
            if facts.st_uid != os.getuid() or time.time() - facts.st_mtime <= older_than:
                continue
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
                count += 1
            finally:
                os.close(handle)
    return count


def remove_old(folder: Path, *, older_than: float) -> int:
    """Remove files and folders below `folder` that were unchanged for `older_than` seconds; return the number.

    Files that another process removes at the same time are ignored.
    """
    count = 0
    for path in _entries(folder):
        with contextlib.suppress(FileNotFoundError):
            facts = path.stat(follow_symlinks=False)
            if time.time() - facts.st_mtime < older_than:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
            count += 1
    return count


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []


class DurableStorage(FileSystemStorage):
    """Django's storage on disk, with each file written by `evaluation.durable`.

    A file that is being written, or whose writer was killed, is not listed. Django writes to the final name instead, so an
    interrupted writer leaves a file that looks complete. Callers that overwrite replace the file as a whole; a name that
    another process took since it was found free is replaced too.
    """

    def _save(self, name: str, content: Any) -> str:
        path = Path(self.path(name))
        self._make(path.parent)
        mode = 0o666 if self.file_permissions_mode is None else self.file_permissions_mode
        if hasattr(content, "temporary_file_path"):
            durable.move(Path(content.temporary_file_path()), path, mode=self.file_permissions_mode)
        else:
            with durable.replacing(path, mode=mode) as stream:
                for chunk in content.chunks():
                    stream.write(chunk.encode() if isinstance(chunk, str) else chunk)
        if self.file_permissions_mode is not None:
            path.chmod(self.file_permissions_mode)
        return path.relative_to(self.location).as_posix()

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Return folders and complete files."""
        folders, files = super().listdir(path)
        return folders, [name for name in files if not durable.is_temporary(name)]

    def remove_leftovers(self, *, older_than: float = durable.LEFT_SECONDS) -> int:
        """Delete what killed writers left, in all folders; returns how many files."""
        return sum(
            durable.remove_leftovers(Path(folder), older_than=older_than) for folder, _, _ in os.walk(self.location)
        )

    def _make(self, folder: Path) -> None:
        durable.make_folder(
            folder, mode=0o777 if self.directory_permissions_mode is None else self.directory_permissions_mode
        )
