"""Reading archives that may be hostile; runs in confined children only (`confinement.sandbox`).

Nothing is ever unpacked by the paths that an archive names: its directory is judged first, and single entries are then
written to a file of the reader's own name, cut off at the size that was expected.
"""

import contextlib
import errno
import stat
import struct
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pyarrow as pa

from confinement.limits import ArchiveLimits

BLOCK = 256 * 1024
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_ZSTD = b"\x28\xb5\x2f\xfd"
# What the libraries raise over damaged archives, found by fuzzing: more than they document.
BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    struct.error,
    EOFError,
    ArithmeticError,
    LookupError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)
OUR_FAULT = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENOENT, errno.EACCES)
_IGNORED_FOLDERS = ("__MACOSX",)
_IGNORED_NAMES = ("Thumbs.db", "desktop.ini")
_UNREADABLE = "The file is not a readable ZIP or TAR archive ({}). Pack the predictions into a .zip or .tar.gz file."
NESTED = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.zst", ".rar", ".7z", ".bz2", ".xz")


class ArchiveError(ValueError):
    """Error for a rejected archive, with a message to the participant that states the remedy."""

    is_charged = False
    """True if the failed upload counts against the sender's submission limit."""


class BombError(ArchiveError):
    """An archive that would unpack to what no ordinary one does."""

    is_charged = True


@contextmanager
def _refusing(message: str) -> Iterator[None]:
    """Convert errors of libraries over damaged data into a rejection.

    `message` has a placeholder for the library's message.
    """
    try:
        yield
    except ArchiveError:
        raise
    except BROKEN as error:
        if isinstance(error, OSError) and error.errno in OUR_FAULT:
            raise
        words = " ".join(str(error).split())[:120] or type(error).__name__
        raise ArchiveError(message.format(words)) from error


@dataclass(frozen=True)
class Member:
    """A file in an archive."""

    path: str
    size: int

    @property
    def name(self) -> str:
        """The name without folders, which Windows PowerShell 5.1 separates by backslashes."""
        return PurePosixPath(_with_slashes(self.path)).name


def members(path: Path, limits: ArchiveLimits) -> list[Member]:
    """Judge the directory of a ZIP archive and return its files, without those that operating systems add.

    Raises
    ------
    ArchiveError
        For an archive that is not taken as a whole: unreadable, encrypted, with paths or links that lead out of it, or
        beyond a limit.
    """
    with _refusing(_UNREADABLE), zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        if len(entries) > limits.entries:
            raise BombError(
                f"The archive has {len(entries):,} entries; at most {limits.entries:,} are taken. Pack only the predictions."
            )
        _check_directory(entries, path.stat().st_size, limits)
        check_room(sum(entry.file_size for entry in entries), limits)
        return [
            Member(entry.filename, entry.file_size)
            for entry in entries
            if not _is_folder(entry) and not _is_ignored(entry.filename)
        ]


GRID_REMEDY = "far more than a case of this geometry needs. Save it again with an integer data type."


@dataclass(frozen=True)
class OpenArchive:
    """A ZIP archive whose directory has been read, which takes a time that grows with the number of its files."""

    _zip: zipfile.ZipFile

    def extract(self, member: str, target: Path, *, limit: int, remedy: str = GRID_REMEDY) -> None:
        """Write one file to `target`.

        `remedy` ends the sentence about a file that is too large.

        Raises
        ------
        ArchiveError
            If the data are damaged or exceed `limit` bytes, regardless of the size in the archive's directory.
        """
        with _refusing(_damaged(member)), self._zip.open(member) as source, target.open("wb") as sink:
            written = 0
            while block := source.read(min(BLOCK, limit + 1 - written)):
                written += len(block)
                if written > limit:
                    raise ArchiveError(f"{member} unpacks to more than {limit:,} bytes, {remedy}")
                sink.write(block)

    def head(self, member: str, size: int) -> bytes:
        """Return the first bytes of a file; nothing for damaged data, which `extract` reports.

        Parameters
        ----------
        size
            Largest number of bytes to return.
        """
        try:
            with self._zip.open(member) as source:
                return source.read(size)
        except BROKEN:
            return b""


@contextmanager
def opened(path: Path) -> Iterator[OpenArchive]:
    """Open a ZIP archive once for many of its files.

    Raises
    ------
    ArchiveError
        If the archive is damaged.
    """
    with _refusing(_UNREADABLE):
        archive = zipfile.ZipFile(path)
    with archive:
        yield OpenArchive(archive)


def extract(path: Path, member: str, target: Path, *, limit: int, remedy: str = GRID_REMEDY) -> None:
    """Write one file of a ZIP archive to `target`; `opened` is for many files.

    `remedy` ends the sentence about a file that is too large.

    Raises
    ------
    ArchiveError
        If the data are damaged or exceed `limit` bytes, regardless of the size in the archive's directory.
    """
    with _refusing(_damaged(member)), zipfile.ZipFile(path) as archive:
        OpenArchive(archive).extract(member, target, limit=limit, remedy=remedy)


def head(path: Path, member: str, size: int) -> bytes:
    """Return the first bytes of a file of a ZIP archive; nothing for damaged data, which `extract` reports.

    Parameters
    ----------
    size
        Largest number of bytes to return.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return OpenArchive(archive).head(member, size)
    except BROKEN:
        return b""


def _damaged(member: str) -> str:
    return member.replace("{", "{{").replace("}", "}}") + (
        " is damaged inside the archive ({}). Pack the archive again and upload it again."
    )


def is_zip(path: Path) -> bool:
    """Return whether the file begins as a ZIP archive does.

    Nothing else is checked.
    """
    with path.open("rb") as stream:
        return stream.read(2) == b"PK"


def is_tar(path: Path) -> bool:
    """Return whether the file is a tar archive, compressed (gzip, zstd) or not."""
    if is_zip(path):
        return False
    with path.open("rb") as stream:
        start = stream.read(4)
    if start == _ZSTD:
        return True  # nothing else that is taken is packed so; what is wrong inside is said when it is read
    with contextlib.suppress(*BROKEN):
        return tarfile.is_tarfile(path)
    return False


def repack_tar(path: Path, target: Path, limits: ArchiveLimits) -> None:
    """Copy the regular files of a tar archive into an uncompressed ZIP archive, so that everything after reads one format.

    Raises
    ------
    ArchiveError
        When the archive is damaged, or beyond a limit.
    """
    total = count = 0
    most = limits.packing.most(path.stat().st_size)
    with (
        _refusing("The archive cannot be read to its end ({}). Pack it again and upload it again."),
        _opened(path) as source,
        zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as sink,
    ):
        for entry in source:
            count += 1
            if count > limits.entries:
                raise BombError(f"The archive has more than {limits.entries:,} entries. Pack only the predictions.")
            _check_name(entry.name, limits)
            if entry.issym() or entry.islnk():
                raise ArchiveError(_link(entry.name))
            if not entry.isfile():
                continue
            # Before a byte of it is written, and whether it is a file that is kept or not: it has to be unpacked.
            total += entry.size
            _check_sizes(entry.name, entry.size, total, limits)
            if total > most:
                raise BombError(_ratio(total, path.stat().st_size))
            if entry.issparse():
                raise ArchiveError(
                    f"{entry.name[:80]} is stored without its empty parts (“sparse”). Pack it again without the option -S."
                )
            check_room(total, limits)
            if _is_ignored(entry.name):
                continue
            with sink.open(zipfile.ZipInfo(entry.name), "w", force_zip64=True) as written:
                content = source.extractfile(entry)
                while content is not None and (block := content.read(BLOCK)):
                    written.write(block)


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    """Open a tar archive as a stream, which is read once from its beginning to its end."""
    with path.open("rb") as stream:
        packed = stream.read(4) == _ZSTD
    if not packed:
        with tarfile.open(path, mode="r|*") as source:
            yield source
        return
    with pa.input_stream(str(path), compression="zstd") as plain, tarfile.open(fileobj=plain, mode="r|") as source:
        yield source


def is_nested_archive(name: str) -> bool:
    """Return whether a file name is that of an archive."""
    return name.lower().endswith(NESTED)


def _check_directory(entries: list[zipfile.ZipInfo], archive_bytes: int, limits: ArchiveLimits) -> None:
    total = 0
    for entry in entries:
        _check_name(entry.filename, limits)
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise ArchiveError(_link(entry.filename))
        if entry.flag_bits & _ENCRYPTED:
            raise ArchiveError(f"{entry.filename} is encrypted. Pack the archive without a password.")
        if entry.compress_type not in _COMPRESSIONS:
            raise ArchiveError(
                f"{entry.filename} is packed with an unusual method. Pack the archive with the ordinary one (deflate)."
            )
        total += entry.file_size
        _check_sizes(entry.filename, entry.file_size, total, limits)
    # Stricter than for a stream: a directory that claims more than DEFLATE can pack is not an honest one.
    if total > limits.packing.ratio * max(archive_bytes, 1):
        raise BombError(_ratio(total, archive_bytes))
    for name, times in Counter(entry.filename for entry in entries).items():
        if times > 1:
            raise ArchiveError(f"{name} is in the archive {times} times. Pack the archive again, each file once.")
    _check_overlap(entries)


def _check_overlap(entries: Iterable[zipfile.ZipInfo]) -> None:
    """Refuse entries that share data: the trick by which a small archive unpacks to an enormous one."""
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end:
            raise BombError(f"{entry.filename} overlaps another entry of the archive. Pack the predictions again.")
        end = entry.header_offset + entry.compress_size


def _check_name(name: str, limits: ArchiveLimits) -> None:
    short_name = name[:80]
    if not name:
        raise ArchiveError("A file in the archive has no name. Pack the predictions again.")
    if len(name) > limits.name_length:
        raise ArchiveError(f"The file name {short_name}… is longer than {limits.name_length} characters. Shorten it.")
    if any(ord(character) < 32 for character in name):
        raise ArchiveError("A file name in the archive contains control characters. Rename the file and pack again.")
    parts = PurePosixPath(_with_slashes(name)).parts
    if name.startswith(("/", "\\")) or ".." in parts or (parts and parts[0].endswith(":")):
        raise ArchiveError(f"{short_name} points outside of the archive. Pack the files with plain relative names.")
    if len(parts) > limits.depth:
        raise ArchiveError(f"{short_name} lies more than {limits.depth} folders deep. Pack the files into one folder.")


def _check_sizes(name: str, size: int, total: int, limits: ArchiveLimits) -> None:
    if size > limits.entry_bytes:
        raise BombError(
            f"{name[:80]} unpacks to {size:,} bytes; at most {limits.entry_bytes:,} are taken for one file. Pack only the "
            "predictions."
        )
    if total > limits.total_bytes:
        raise BombError(
            f"The archive unpacks to more than {limits.total_bytes:,} bytes, far more than this test set needs; that was "
            f"passed at {name[:80]}. Pack only the predictions."
        )


def check_room(total: int, limits: ArchiveLimits) -> None:
    """Refuse content that is larger than the free space.

    Raises
    ------
    ArchiveError
        If the limits state a free space and it is smaller.
    """
    if limits.room_bytes is not None and total > limits.room_bytes:
        raise ArchiveError(
            f"The archive unpacks to {total:,} bytes and more, but the machine that reads it has {limits.room_bytes:,} free. "
            "Compress the single files (.nii.gz instead of .nii), or try again later."
        )


def _ratio(total: int, archive_bytes: int) -> str:
    return (
        f"The archive claims to unpack to {total:,} bytes, {total // max(archive_bytes, 1):,} times its own size, "
        "which no ordinary archive does. Pack the predictions again."
    )


def _link(name: str) -> str:
    return f"{name[:80]} is a link. Pack the files themselves."


def _is_folder(entry: zipfile.ZipInfo) -> bool:
    return entry.is_dir() or entry.filename.endswith("\\")


def _with_slashes(name: str) -> str:
    return name.replace("\\", "/")


def _is_ignored(name: str) -> bool:
    parts = PurePosixPath(_with_slashes(name)).parts
    return any(part in _IGNORED_FOLDERS or part.startswith(".") for part in parts) or (
        bool(parts) and parts[-1] in _IGNORED_NAMES
    )
