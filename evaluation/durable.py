"""Durable files that appear completely or not at all, even if the process or the machine stops.

A file is written under a temporary name in its own folder, flushed to the disk, and renamed. The folder is flushed
after that. An error removes the temporary file. A killed process leaves a temporary file behind, which
`remove_leftovers` deletes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import time
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PREFIX: Final = ".writing-"
"""Start of the name of each temporary file. Readers of folders ignore such names."""
LEFT_SECONDS: Final = 24 * 3600
"""Time without a write after which a temporary file belongs to no living process."""
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def is_temporary(name: str) -> bool:
    """Return whether a file name is that of a file that is still being written, or was never completed."""
    return name.rpartition("/")[2].startswith(PREFIX)


@contextmanager
def replacing(path: Path, *, mode: int = 0o666, parts: Path | None = None) -> Iterator[IO[bytes]]:
    """Open a stream whose content becomes the file at `path` when the block ends without an error.

    Parameters
    ----------
    path
        The file. A link is followed. A device or pipe is written directly.
    mode
        Permissions of the new file, before the umask of the process.
    parts
        Folder of the temporary file, on the file system of `path`; by default the folder of `path`.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    with replacing_path(path, mode=mode, parts=parts) as part, part.open("r+b") as stream:
        yield stream


@contextmanager
def replacing_path(path: Path, *, mode: int = 0o666, parts: Path | None = None) -> Iterator[Path]:
    """Give the path of an empty temporary file that becomes the file at `path`, for libraries that write by path."""
    path = path.resolve()
    part = _part(parts or path.parent)
    os.close(os.open(part, _NEW, mode))
    try:
        yield part
        settle(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_bytes(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write a file."""
    with replacing(path, mode=mode) as stream:
        stream.write(content)


def write_text(path: Path, text: str, *, mode: int = 0o666) -> None:
    """Write a file as UTF-8, with the line ends of `text`."""
    write_bytes(path, text.encode(), mode=mode)


def write_first(path: Path, content: bytes, *, mode: int = 0o666) -> bool:
    """Write a file unless there is one; returns whether it was written. Of two processes, one writes."""
    part = _part(path.parent)
    try:
        with os.fdopen(os.open(part, _NEW, mode), "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        path.hardlink_to(part)
        flush_folder(path.parent)
    except FileExistsError:
        return False
    finally:
        part.unlink(missing_ok=True)
    return True


def copy(source: Path, target: Path, *, mode: int = 0o666) -> None:
    """Copy the content of a file."""
    with source.open("rb") as content, replacing(target, mode=mode) as stream:
        shutil.copyfileobj(content, stream, 1024**2)


def move(source: Path, target: Path, *, mode: int | None = None, parts: Path | None = None) -> None:
    """Move a file: by its name on one file system, as a copy between two.

    Parameters
    ----------
    mode
        Permissions of the moved file; by default those it has.
    """
    permissions = stat.S_IMODE(source.stat().st_mode) if mode is None else mode
    source.chmod(permissions)
    try:
        settle(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with source.open("rb") as content, replacing(target, mode=permissions, parts=parts) as stream:
            shutil.copyfileobj(content, stream, 1024**2)
        source.unlink()


def settle(part: Path, path: Path) -> None:
    """Flush a complete file to the disk and give it its name."""
    handle = os.open(part, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    part.replace(path)
    flush_folder(path.parent)


def settle_folder(working: Path, folder: Path) -> None:
    """Flush a complete folder to the disk with everything in it, and give it its name.

    Raises
    ------
    OSError
        Among others, where there is a folder of that name that is not empty.
    """
    for parent, _, names in os.walk(working):
        for name in names:
            handle = os.open(os.path.join(parent, name), os.O_RDONLY)  # noqa: PTH118 (a text from `os.walk`)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        flush_folder(parent)
    working.rename(folder)
    flush_folder(folder.parent)


def make_folder(folder: Path, *, mode: int = 0o777) -> None:
    """Make a folder with those above it, each with these permissions, and flush their names to the disk."""
    if folder.is_dir():
        return
    make_folder(folder.parent, mode=mode)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=mode)
    flush_folder(folder.parent)


def flush_folder(folder: Path | str) -> None:
    """Flush the names in a folder to the disk, where the system offers that."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)


def append_line(path: Path, line: str, *, mode: int = 0o666) -> None:
    """Add a line to a file, after removing an incomplete last line that an interrupted call left."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), mode)
    with os.fdopen(handle, "r+b") as stream, _locked(stream):
        content = stream.read()
        end = content.rfind(b"\n") + 1
        stream.truncate(end)
        stream.seek(end)
        stream.write(f"{line}\n".encode())
        stream.flush()
        os.fsync(stream.fileno())


def complete_lines(path: Path) -> list[str]:
    """Read the lines of a file, without an incomplete last one."""
    text = path.read_bytes().decode()
    return text[: text.rfind("\n") + 1].splitlines()


def remove_leftovers(folder: Path, *, older_than: float = LEFT_SECONDS) -> int:
    """Delete temporary files in a folder that are at least `older_than` seconds old; return their number.

    The age is the time since the last change. Subfolders are not searched.
    """
    count = 0
    for path in folder.glob(f"{PREFIX}*"):
        # Another process may be completing or deleting it.
        with contextlib.suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime >= older_than:
                path.unlink()
                count += 1
    return count


def _part(folder: Path) -> Path:
    return folder / f"{PREFIX}{secrets.token_hex(8)}"


@contextmanager
def _locked(stream: IO[bytes]) -> Iterator[None]:
    """Keep other processes from appending at the same time; without effect where there are no such locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    fcntl.flock(stream, fcntl.LOCK_EX)
    yield
