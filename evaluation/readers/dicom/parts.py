"""Files of a DICOM image: a single one, a folder, or the archive in which a platform keeps a folder."""

from __future__ import annotations

import struct
import zipfile
from dataclasses import dataclass
from io import SEEK_CUR, BytesIO
from typing import TYPE_CHECKING, BinaryIO, Final
from zlib import crc32

from evaluation.readers.errors import ReadError
from evaluation.readers.inflating import open_checked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from evaluation.readers.limits import Limits

ENDINGS: Final = (".dcm", ".dicom", ".ima")
"""Usual endings of DICOM files; many programs write names without one."""
HEAD_BYTES: Final = 132
"""Bytes from the beginning by which a DICOM file is recognised."""
MOST_PARTS: Final = 20_000
_MOMENT: Final = (1980, 1, 1, 0, 0, 0)
_PIECE: Final = 1 << 20
_LOCAL_START: Final = b"PK\x03\x04"
_LOCAL_HEADER: Final = struct.Struct("<26sHH")
"""The header before each file of an archive; it ends with the lengths of a name and of further fields, which follow."""


@dataclass(frozen=True)
class Part:
    """One file of an image: its name for messages, its size, and how to open it."""

    name: str
    size: int
    open: Callable[[], BinaryIO]


def is_dicom(head: bytes) -> bool:
    """Return whether a file with these first `HEAD_BYTES` bytes is a DICOM file."""
    return head[128:HEAD_BYTES] == b"DICM"


def parts_of(path: Path, limits: Limits) -> list[Part]:
    """Return the DICOM files of an image, by name.

    Raises
    ------
    ReadError
        If there is none, there are too many, or they are too large.
    """
    if path.is_dir():
        parts = _of_folder(path, limits)
    else:
        with open_checked(path, limits) as file:
            start = file.read(HEAD_BYTES)
        if is_dicom(start):
            return [Part(path.name, path.stat().st_size, lambda: path.open("rb"))]
        if not start.startswith(_LOCAL_START):
            raise ReadError("magic", path.name, "no DICOM header")
        parts = _of_archive(path)
    if sum(part.size for part in parts) > limits.file_bytes:
        raise ReadError("too_large", path.name, "more bytes than are taken", f"at most {limits.file_bytes:,}")
    if not parts:
        raise ReadError("not_found", path.name, "no DICOM files")
    return parts


def _of_folder(folder: Path, limits: Limits) -> list[Part]:
    files = []
    for path in sorted(folder.rglob("*")):
        is_hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if is_hidden or path.is_symlink() or not path.is_file():
            continue
        files.append(path)
        if len(files) > MOST_PARTS:
            raise ReadError("too_large", folder.name, f"more than {MOST_PARTS:,} files")
    parts = []
    for path in files:
        size = path.stat().st_size
        with path.open("rb") as file:
            if not is_dicom(file.read(HEAD_BYTES)):
                continue
        if size > limits.file_bytes:
            raise ReadError("too_large", path.name, f"{size:,} bytes", f"at most {limits.file_bytes:,}")
        name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
        parts.append(Part(name, size, lambda path=path: path.open("rb")))  # type: ignore[misc]
    return parts


def _of_archive(path: Path) -> list[Part]:
    """The files of an archive that `pack` wrote; nothing in it may be compressed, so that it cannot expand."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, LookupError, NotImplementedError) as error:
        reason = f"no archive of DICOM files ({type(error).__name__})"
        raise ReadError("magic", path.name, reason) from None
    if len(entries) > MOST_PARTS:
        raise ReadError("too_large", path.name, f"more than {MOST_PARTS:,} files")
    parts = []
    for entry in entries:
        is_plain = entry.compress_type == zipfile.ZIP_STORED and not entry.flag_bits & 1
        if not is_plain or entry.file_size != entry.compress_size or entry.file_size > path.stat().st_size:
            raise ReadError("header", path.name, "an archive with compressed files", "DICOM files in a folder")
        name = f"{path.name.removesuffix('.dcm')}/{entry.filename}"
        parts.append(Part(name, entry.file_size, lambda entry=entry: _entry(path, entry)))  # type: ignore[misc]
    return sorted(parts, key=lambda part: part.name)


def _entry(path: Path, entry: zipfile.ZipInfo) -> BinaryIO:
    """A file of the archive as it is stored, without reading the archive's directory again, which lists up to `MOST_PARTS`."""
    with path.open("rb") as file:
        file.seek(entry.header_offset)
        local = file.read(_LOCAL_HEADER.size)
        if len(local) == _LOCAL_HEADER.size and local.startswith(_LOCAL_START):
            _, name_bytes, extra_bytes = _LOCAL_HEADER.unpack(local)
            file.seek(name_bytes + extra_bytes, SEEK_CUR)
            content = file.read(entry.file_size)
            if len(content) == entry.file_size and crc32(content) == entry.CRC:
                return BytesIO(content)
    raise ReadError("header", path.name, "a damaged file inside", "DICOM files in a folder")


def pack(files: Iterable[tuple[str, Callable[[], BinaryIO]]], target: Path) -> Path:
    """Write the DICOM files of an image into one file, which is read like their folder.

    Parameters
    ----------
    files
        Name and opener of each file. The same files give the same bytes.
    target
        The file to write, ``<case>.dcm``.
    """
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, opened in sorted(files, key=lambda file: file[0]):
            entry = zipfile.ZipInfo(name, _MOMENT)
            with archive.open(entry, "w", force_zip64=True) as inside, opened() as content:
                while piece := content.read(_PIECE):
                    inside.write(piece)
    return target
