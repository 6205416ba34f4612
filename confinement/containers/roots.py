"""An image as one folder, for back ends that start programs in a folder: Charliecloud and Apptainer.

The layers were checked when the image was accepted (`confinement.containers.layers`): no device, no name that leaves
the image. Owners are not kept, and no file is set-user-ID: the folder belongs to the user who unpacks it.
"""

import json
import os
import posixpath
import shutil
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from confinement.archive import BLOCK
from confinement.containers.engine import EngineError
from confinement.containers.removing import remove_tree

MOUNT_POINTS = ("dev", "proc", "sys", "tmp", "etc", "input", "output", "model")
"""Folders that each root has, since a read-only root cannot get them at the start."""
_EMPTY_FILES = ("etc/passwd", "etc/group", "etc/hosts", "etc/resolv.conf")
_WHITEOUT, _OPAQUE = ".wh.", ".wh..wh..opq"
_MOST_LINKS = 40
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Program:
    """First process of an image, from the image's configuration."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str
    """Working folder; `/` unless the image has an absolute one outside /proc, /dev and /sys."""

    @classmethod
    def of(cls, config: bytes) -> "Program":
        """Read it from the bytes of a configuration."""
        inner: dict[str, Any] = json.loads(config).get("config") or {}
        arguments = [*(inner.get("Entrypoint") or ()), *(inner.get("Cmd") or ())]
        pairs = (str(line).partition("=") for line in inner.get("Env") or ())
        environment = {"PATH": _PATH} | {name: value for name, equals, value in pairs if name and equals}
        folder = str(inner.get("WorkingDir") or "/")
        is_usable = folder.startswith("/") and ".." not in folder.split("/")
        is_usable &= folder.split("/")[1] not in ("proc", "dev", "sys")
        return cls(tuple(map(str, arguments)), environment, folder if is_usable else "/")


def unpack(layers: Sequence[Path], root: Path) -> None:
    """Unpack layers into a new folder, from the lowest up, with the files that upper layers remove.

    Parameters
    ----------
    layers
        Stored layers: archives compressed with zstd.
    root
        The new folder. Nothing of it remains if a layer cannot be unpacked.

    Raises
    ------
    EngineError
        For an entry that lies behind a link, and for a device.
    """
    root.mkdir(parents=True)
    try:
        with _opened(root, os.O_RDONLY | os.O_DIRECTORY) as top:
            for layer in layers:
                with (
                    pa.input_stream(str(layer), compression="zstd", buffer_size=BLOCK) as plain,
                    tarfile.open(fileobj=plain, mode="r|") as archive,
                ):
                    written: set[str] = set()
                    for entry in archive:
                        _take(archive, entry, root, top, written)
        for name in MOUNT_POINTS:
            (root / name).mkdir(exist_ok=True)
        for name in _EMPTY_FILES:
            if not os.path.lexists(root / name):
                (root / name).touch()
    except (OSError, tarfile.TarError, EngineError) as error:
        remove_tree(root)
        raise EngineError(f"the image cannot be unpacked: {error}") from error


def lies_in(root: Path, program: str, environment: Mapping[str, str]) -> bool:
    """Return whether a program exists in a root; a name without a folder is looked for in the image's `PATH`."""
    folders = [""] if "/" in program else environment.get("PATH", _PATH).split(":")
    return any(_resolved(root, posixpath.join(folder, program)) for folder in folders)


def _resolved(root: Path, path: str) -> bool:
    waiting, done = [part for part in path.split("/") if part], ""
    links = 0
    while waiting:
        part = waiting.pop(0)
        if part in (".", ".."):
            done = posixpath.dirname(done) if part == ".." else done
            continue
        here = root / done / part
        if here.is_symlink():
            links += 1
            if links > _MOST_LINKS:
                return False
            target = str(here.readlink())
            done = "" if target.startswith("/") else done
            waiting = [step for step in target.split("/") if step] + waiting
        elif not here.exists():
            return False
        else:
            done = posixpath.join(done, part)
    return (root / done).is_file()


def _take(archive: tarfile.TarFile, entry: tarfile.TarInfo, root: Path, top: int, written: set[str]) -> None:
    """Take one entry; each folder above it is opened without following links."""
    parts = _parts(entry.name)
    if not parts:
        return
    *above, name = parts
    # A marker removes what lower layers have, and nothing of its own layer.
    written.update("/".join(parts[: count + 1]) for count in range(len(parts)))
    with _folder(top, above, entry.name) as folder:
        if name == _OPAQUE:
            for inner in os.scandir(folder):
                if "/".join([*above, inner.name]) not in written:
                    _remove(folder, inner.name, root.joinpath(*above))
            return
        if name.startswith(_WHITEOUT):
            _remove(folder, name.removeprefix(_WHITEOUT), root.joinpath(*above))
            return
        if entry.isdir():
            _make_folder(folder, name, root.joinpath(*above))
            os.chmod(name, (entry.mode & 0o777) | 0o700, dir_fd=folder)
            return
        _remove(folder, name, root.joinpath(*above))
        if entry.issym():
            os.symlink(entry.linkname, name, dir_fd=folder)
        elif entry.islnk():
            *target_above, target = _parts(entry.linkname) or ("",)
            with _folder(top, target_above, entry.name) as other:
                os.link(target, name, src_dir_fd=other, dst_dir_fd=folder, follow_symlinks=False)
        elif entry.isreg():
            content = archive.extractfile(entry)
            descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
            with os.fdopen(descriptor, "wb") as stream:
                if content is not None:
                    shutil.copyfileobj(content, stream, BLOCK)
                os.fchmod(stream.fileno(), (entry.mode & 0o777) | 0o400)
        elif not entry.isfifo():
            raise EngineError(f"{entry.name[:200]} is a device")


def _parts(name: str) -> list[str]:
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise EngineError(f"{name[:200]} leaves the image")
    return parts


@contextmanager
def _opened(name: Path | str, flags: int, folder: int | None = None) -> Iterator[int]:
    descriptor = os.open(name, flags, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _folder(top: int, parts: Sequence[str], entry: str) -> Iterator[int]:
    """Open a folder below the top, made where it is missing."""
    current = os.dup(top)
    try:
        for part in parts:
            try:
                inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=current)
            except FileNotFoundError:
                os.mkdir(part, 0o755, dir_fd=current)
                inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=current)
            except NotADirectoryError as error:
                raise EngineError(f"{entry[:200]} lies behind a link or a file") from error
            os.close(current)
            current = inner
        yield current
    finally:
        os.close(current)


def _make_folder(folder: int, name: str, above: Path) -> None:
    try:
        os.mkdir(name, 0o755, dir_fd=folder)
    except FileExistsError:
        if not (above / name).is_dir() or (above / name).is_symlink():
            _remove(folder, name, above)
            os.mkdir(name, 0o755, dir_fd=folder)


def _remove(folder: int, name: str, above: Path) -> None:
    if name in ("", ".", ".."):
        return
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):
        remove_tree(above / name)
