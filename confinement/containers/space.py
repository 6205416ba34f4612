"""Output space of a container, bounded in bytes and in files.

The kernel enforces the bound where a separate file system can be created.
"""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from confinement.containers.removing import remove_tree
from confinement.limits import MIB

_BLOCK_BYTES = 512
_SPARE_BYTES, _SPARE_FILES = 16 * MIB, 128
_SECONDS = 60.0
_PATH_BYTES = 3_000
_MOST_ANCHORS = 200
_IMAGE = "output.img"


@dataclass(frozen=True)
class Written:
    """Content of a space: bytes and number of files."""

    bytes: int
    files: int


class Space(Protocol):
    """A folder for outputs."""

    folder: Path
    bounded: str
    """By what it is bounded, for the provenance of a result and for operators."""

    def written(self) -> Written:
        """Return the content of the space, in bytes as allocated on the disk."""

    def close(self) -> None:
        """Leave nothing of it."""


def open_space(folder: Path, *, tries_file_system: bool, owner: int, size: int, files: int) -> Space:
    """Create an empty folder `output` in a folder, with bounds.

    Parameters
    ----------
    folder
        Parent folder.
    tries_file_system
        Whether to try a separate file system first.
    owner
        Owner with write permission.
    size, files
        Bounds. The file system is slightly larger, which makes it visible when they are exceeded.
    """
    if tries_file_system:
        try:
            return _FileSystem(folder, owner=owner, size=size, files=files)
        except (OSError, subprocess.SubprocessError):
            release(folder)
    return _Folder(folder, owner=owner, files=files)


class _FileSystem:
    """ext4 file system in a single file.

    Outputs use no more of the host's disk than the file, and removal is quick.
    """

    bounded = "a file system of its own"

    def __init__(self, folder: Path, *, owner: int, size: int, files: int) -> None:
        self.folder = folder / "output"
        self._image = folder / _IMAGE
        self.folder.mkdir()
        with self._image.open("wb") as stream:
            stream.truncate(size + size // 32 + _SPARE_BYTES + 512 * (files + _SPARE_FILES))
        options = ["-q", "-F", "-t", "ext4", "-b", "4096", "-I", "256", "-m", "0", "-N", str(files + _SPARE_FILES)]
        options += ["-O", "^has_journal", "-E", f"lazy_itable_init=1,nodiscard,root_owner={owner}:{owner}"]
        _call("mke2fs", *options, str(self._image))
        _call("mount", "-o", "loop,nosuid,nodev,noexec,noatime", str(self._image), str(self.folder))
        (self.folder / "lost+found").rmdir()
        self.folder.chmod(0o700)
        self._empty = self._used()

    def written(self) -> Written:
        """Return what the file system has in use."""
        now = self._used()
        return Written(now.bytes - self._empty.bytes, now.files - self._empty.files)

    def close(self) -> None:
        """Unmount and remove it."""
        release(self.folder.parent)
        self._image.unlink(missing_ok=True)
        remove_tree(self.folder)

    def _used(self) -> Written:
        file_system = os.statvfs(self.folder)
        return Written(
            (file_system.f_blocks - file_system.f_bfree) * file_system.f_frsize,
            file_system.f_files - file_system.f_ffree,
        )


class _Folder:
    """A folder of the host that is looked through."""

    bounded = "looking through the folder"

    def __init__(self, folder: Path, *, owner: int, files: int) -> None:
        self.folder = folder / "output"
        self._most = files
        self.folder.mkdir(mode=0o700)
        if owner != os.geteuid():
            os.chown(self.folder, owner, owner)

    def written(self) -> Written:
        """Return the content of the folder, counting at most one file more than the bound."""
        return look_through(self.folder, most=self._most)

    def close(self) -> None:
        """Remove it."""
        remove_tree(self.folder)


def look_through(folder: Path, *, most: int) -> Written:
    """Count files, folders and links at any depth in a folder, and their size on the disk.

    Parameters
    ----------
    folder
        Folder whose own size is not counted.
    most
        Maximum number; counting ends at one more.
    """
    size = files = 0
    # Paths longer than the kernel takes are reached from a folder further down that is kept open.
    anchors = [os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)]
    waiting: list[tuple[int, str]] = [(anchors[0], ".")]
    try:
        while waiting and files <= most:
            anchor, path = waiting.pop()
            try:
                descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=anchor)
            except OSError:
                continue
            is_kept = False
            try:
                if len(path) > _PATH_BYTES and len(anchors) < _MOST_ANCHORS:
                    anchors.append(descriptor)
                    anchor, path, is_kept = descriptor, ".", True
                with os.scandir(descriptor) as entries:
                    for entry in entries:
                        files += 1
                        try:
                            status = entry.stat(follow_symlinks=False)
                        except OSError:
                            continue
                        size += status.st_blocks * _BLOCK_BYTES
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append((anchor, f"{path}/{entry.name}"))
                        if files > most:
                            break
            finally:
                if not is_kept:
                    os.close(descriptor)
    finally:
        for descriptor in anchors:
            os.close(descriptor)
    return Written(size, files)


def release(folder: Path) -> None:
    """Unmount what is mounted in a folder, of a killed worker too."""
    prefix = f"{folder.resolve()}/"
    if not Path("/proc/self/mountinfo").exists():
        return
    mounted = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    for path in sorted(
        (mount_point for mount_point in mounted if mount_point.startswith(prefix)), key=len, reverse=True
    ):
        subprocess.run(["umount", "--lazy", path], check=False, capture_output=True, timeout=_SECONDS)  # noqa: S603, S607


def _call(*command: str) -> None:
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
    subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS, env=environment)  # noqa: S603
