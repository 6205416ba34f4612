"""Removing what a stranger's program wrote: without recursion, without following links, by descriptors.

A tree may be thousands of folders deep, its paths longer than the kernel takes, and its folders without rights.
"""

import contextlib
import os
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_AT_ONCE = 1_000


def remove_tree(path: Path) -> None:
    """Remove a folder with all its content, or a file.

    Nothing happens if the path does not exist. Keeps one folder open at a time and returns to the parent by `..`.
    Neither the number of open files nor the length of paths therefore grows with the depth.

    Raises
    ------
    OSError
        If it cannot be removed, or another process moves its folders during the removal.
    """
    if not path.is_dir() or path.is_symlink():
        path.unlink(missing_ok=True)
        return
    try:
        above = os.open(path.parent, _FOLDER)
    except FileNotFoundError:
        return
    try:
        with contextlib.suppress(FileNotFoundError):
            _empty(above, path.name)
            os.rmdir(path.name, dir_fd=above)
    finally:
        os.close(above)


def _empty(above: int, name: str) -> None:
    current = _opened(above, name)
    way: list[tuple[str, tuple[int, int], list[str]]] = []
    folders: list[str] = []
    try:
        while True:
            if not folders and not (folders := _without_files(current)):
                if not way:
                    return
                name, identity, folders = way.pop()
                upper = os.open("..", _FOLDER, dir_fd=current)
                os.close(current)
                current = upper
                if _identity(current) != identity:
                    raise OSError(f"The folder above {name[:80]} was moved while it was removed")
                os.rmdir(name, dir_fd=current)
                continue
            name = folders.pop()
            inner = _opened(current, name)
            way.append((name, _identity(current), folders))
            os.close(current)
            current, folders = inner, []
    finally:
        os.close(current)


def _without_files(folder: int) -> list[str]:
    """Remove the files of a folder and return names of folders in it, some of them where there are many."""
    while True:
        with os.scandir(folder) as entries:
            some = []
            for entry in entries:
                some.append((entry.name, entry.is_dir(follow_symlinks=False)))
                if len(some) == _AT_ONCE:
                    break
        folders = [name for name, is_folder in some if is_folder]
        for name, is_folder in some:
            if not is_folder:
                os.unlink(name, dir_fd=folder)
        if folders or not some:
            return folders


def _opened(above: int, name: str) -> int:
    # A folder may be without rights; only root gets in all the same, and may remove what is in it.
    if os.stat(name, dir_fd=above, follow_symlinks=False).st_mode & 0o700 != 0o700:
        os.chmod(name, 0o700, dir_fd=above)
    return os.open(name, _FOLDER, dir_fd=above)


def _identity(folder: int) -> tuple[int, int]:
    status = os.fstat(folder)
    return status.st_dev, status.st_ino
