"""Tar archives of strangers, as images and weights come in: opened by content, walked once, read by offset.

Runs in confined children only (`confinement.sandbox`).
"""

import contextlib
import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

import pyarrow as pa

from confinement.archive import BLOCK, BROKEN, OUR_FAULT
from confinement.limits import MIB, PROGRAMS, Packing

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_OTHERS = {b"\xfd7zXZ\x00": "xz", b"BZh": "bzip2", b"PK": "ZIP", b"7z\xbc\xaf": "7z", b"Rar!": "RAR"}
_MOST_MEMBERS = 4_096
_ZSTD_LEVEL = 3
_ZSTD_BLOCK = 8 * MIB


class TakingError(ValueError):
    """Error for rejected content, with a message to the team that states the remedy."""


@contextmanager
def refusing(message: str) -> Iterator[None]:
    """Convert errors of libraries over damaged data into a rejection.

    `message` has a placeholder for the library's message.
    """
    try:
        yield
    except TakingError:
        raise
    except BROKEN as error:
        if isinstance(error, OSError) and error.errno in OUR_FAULT:
            raise
        words = " ".join(str(error).split())[:120] or type(error).__name__
        raise TakingError(message.replace("{}", words)) from error


class Window(io.RawIOBase):
    """A part of a file, read once from its beginning to its end, with the digest of what was read."""

    def __init__(self, source: IO[bytes], offset: int, size: int) -> None:
        self._source, self._at, self._left = source, offset, size
        self._hash = hashlib.sha256()

    def readable(self) -> bool:
        """Return True: the stream can always be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read the next bytes."""
        self._source.seek(self._at)
        piece = self._source.read(min(len(buffer), self._left))
        buffer[: len(piece)] = piece
        self._hash.update(piece)
        self._at += len(piece)
        self._left -= len(piece)
        return len(piece)

    def digest(self) -> str:
        """Digest of the whole part; what was not read yet is read for it."""
        while self.read(BLOCK):
            pass
        return f"sha256:{self._hash.hexdigest()}"


@contextmanager
def decompressed(source: io.RawIOBase, start: bytes) -> Iterator[IO[bytes]]:
    """Open what is packed by gzip, zstd or not at all, by what it starts with."""
    if start.startswith(_GZIP):
        with gzip.GzipFile(fileobj=io.BufferedReader(source, BLOCK)) as plain:
            yield plain  # type: ignore[misc]
    elif start.startswith(_ZSTD):
        with pa.CompressedInputStream(pa.PythonFile(source, mode="r"), "zstd") as plain:
            yield plain
    else:
        yield io.BufferedReader(source, BLOCK)


class Bound:
    """Counter of the bytes that one upload unpacks to.

    Parameters
    ----------
    most
        Maximum number of bytes, regardless of the size of the upload.
    packed
        Bytes of the upload; without it, only `most` applies.
    packing
        Limits on how far its kind of content may unpack.
    """

    def __init__(self, *, most: int, packed: int | None = None, packing: Packing = PROGRAMS) -> None:
        self._most, self._packed, self._ratio = most, packed, packing.ratio
        self._ordinary = most if packed is None else packing.most(packed)
        self.total = 0

    def add(self, size: int, name: str) -> None:
        """Count further bytes.

        Raises
        ------
        TakingError
            Beyond a bound; the message begins with `name`.
        """
        self.total += size
        if self.total > self._most:
            raise TakingError(
                f"{name}: with it, the upload unpacks to more than {self._most:,} bytes, beyond the limit. Make it smaller."
            )
        if self.total > self._ordinary:
            raise TakingError(
                f"{name}: with it, the upload of {self._packed:,} bytes unpacks to more than {self._ordinary:,} bytes, over "
                f"{self._ratio} times its own size. Remove files that are filled with one value (empty disk images, "
                "preallocated files), then build and upload it again."
            )


class Unpacked:
    """A stream that counts and hashes what is read of it, and ends with a refusal where it is too much.

    Parameters
    ----------
    source
        The plain content.
    bound
        Shared by all streams that come from one upload, so that their sum is bounded.
    name
        What it is, as the refusal begins.

    """

    def __init__(self, source: IO[bytes], bound: "Bound", name: str) -> None:
        self._source, self._name, self._bound = source, name, bound
        self._hash = hashlib.sha256()
        self._copy: ZstdFile | None = None
        self.size = 0

    def copy_to(self, copy: "ZstdFile") -> None:
        """Write all that is read from now on to a file of ours too."""
        self._copy = copy

    def read(self, size: int = BLOCK) -> bytes:
        """Read the next bytes.

        Raises
        ------
        TakingError
            Beyond a bound.
        """
        piece = self._source.read(size)
        self.size += len(piece)
        self._bound.add(len(piece), self._name)
        self._hash.update(piece)
        if self._copy is not None:
            self._copy.write(piece)
        return piece

    def drain(self) -> None:
        """Read to the end."""
        while self.read(BLOCK):
            pass

    @property
    def digest(self) -> str:
        """Digest of what was read."""
        return f"sha256:{self._hash.hexdigest()}"


class ZstdFile:
    """A file compressed by us, always in the same way: frames of eight MiB, so that memory is bounded."""

    def __init__(self, path: Path) -> None:
        self._stream = path.open("wb")
        self._codec = pa.Codec("zstd", compression_level=_ZSTD_LEVEL)
        self._waiting = bytearray()
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, piece: bytes) -> None:
        """Take the next bytes."""
        self._waiting += piece
        while len(self._waiting) >= _ZSTD_BLOCK:
            self._frame(bytes(self._waiting[:_ZSTD_BLOCK]))
            del self._waiting[:_ZSTD_BLOCK]

    def close(self) -> None:
        """Write what is left."""
        if self._waiting or not self.size:
            self._frame(bytes(self._waiting))
            self._waiting.clear()
        self._stream.close()

    @property
    def digest(self) -> str:
        """Digest of the compressed file."""
        return f"sha256:{self._hash.hexdigest()}"

    def _frame(self, block: bytes) -> None:
        packed = self._codec.compress(block, asbytes=True)
        self._stream.write(packed)
        self._hash.update(packed)
        self.size += len(packed)


def entries(stream: Unpacked) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """Headers of a tar stream, one after the other, in bounded memory; the stream is read to its end."""
    with tarfile.open(fileobj=stream, mode="r|", bufsize=BLOCK) as tar:  # type: ignore[call-overload]
        while (entry := tar.next()) is not None:
            tar.members.clear()
            yield tar, entry
    stream.drain()


def kind_of(path: Path) -> str:
    """Return the type of a file by its content: `gzip`, `zstd`, `tar`.

    Raises
    ------
    TakingError
        For any other type.
    """
    with path.open("rb") as stream:
        start = stream.read(512)
    if start.startswith(_GZIP):
        return "gzip"
    if start.startswith(_ZSTD):
        return "zstd"
    with contextlib.suppress(tarfile.TarError):
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
        return "tar"
    other = next((name for magic, name in _OTHERS.items() if start.startswith(magic)), "")
    what = f"is packed with {other}" if other else "is no tar archive"
    raise TakingError(f"The file {what}. Upload a .tar, .tar.gz or .tar.zst file.")


@dataclass(frozen=True)
class Member:
    """A regular file of an archive, by its offset."""

    name: str
    offset: int
    size: int


class Members:
    """The files of an archive that holds an image; nothing is unpacked by name."""

    def __init__(self, path: Path, scratch: Path, bound: Bound) -> None:
        self._path = _plain(path, scratch, bound)
        self._stream = self._path.open("rb")
        self._members: dict[str, Member] = {}
        self._links: dict[str, str] = {}
        with refusing("The archive cannot be read to its end ({}). Save the image again and upload it again."):
            self._walk()

    def __contains__(self, name: str) -> bool:
        return name in self._members or name in self._links

    def get(self, name: str) -> Member:
        """Return a member; a link to another one of the same archive is followed once.

        Raises
        ------
        TakingError
            When there is none.
        """
        member = self._members.get(self._links.get(name, name))
        if member is None:
            raise TakingError(f"The archive lacks {name[:120]}. Save the image again and upload it again.")
        return member

    def content(self, name: str, most: int) -> bytes:
        """Return a small member as a whole.

        Raises
        ------
        TakingError
            When it is not there or larger than `most` bytes.
        """
        member = self.get(name)
        if member.size > most:
            raise TakingError(
                f"{name[:120]} has {member.size:,} bytes; at most {most:,} are read. Save the image again."
            )
        self._stream.seek(member.offset)
        return self._stream.read(member.size)

    def window(self, name: str) -> tuple[Window, bytes]:
        """Return a member as a stream, and what it starts with."""
        member = self.get(name)
        self._stream.seek(member.offset)
        return Window(self._stream, member.offset, member.size), self._stream.read(min(16, member.size))

    def close(self) -> None:
        """Close the archive."""
        self._stream.close()

    def _walk(self) -> None:
        names = set()
        with tarfile.open(fileobj=self._stream, mode="r:") as tar:
            while (entry := tar.next()) is not None:
                tar.members.clear()  # type: ignore[attr-defined]
                name = normalised(entry.name)
                if entry.isdir():
                    continue
                if name in names:
                    raise TakingError(f"The archive holds {name[:120]} twice. Save the image again.")
                names.add(name)
                if len(names) > _MOST_MEMBERS:
                    raise TakingError(f"The archive has more than {_MOST_MEMBERS:,} files, which no image has.")
                if entry.issym() or entry.islnk():
                    self._links[name] = _target(name, entry)
                elif entry.isreg() and not entry.issparse():
                    self._members[name] = Member(name, entry.offset_data, entry.size)
                else:
                    raise TakingError(f"{name[:120]} in the archive is no regular file. Save the image again.")
        if not names:
            raise TakingError("The archive is empty. Save the image with `docker save` or `podman save`.")


def normalised(name: str) -> str:
    """Return a name of an archive without `./`.

    Raises
    ------
    TakingError
        For one that points outside.
    """
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts or (name.startswith("/") and parts):
        raise TakingError(f"{name[:120]} points outside of the archive. Save the image again.")
    return "/".join(parts)


def _target(name: str, entry: tarfile.TarInfo) -> str:
    if entry.islnk():
        return normalised(entry.linkname)
    parts = list(PurePosixPath(name).parent.parts)
    for part in entry.linkname.split("/"):
        if part == "..":
            if not parts:
                raise TakingError(f"The link {name[:120]} points outside of the archive. Save the image again.")
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if entry.linkname.startswith("/"):
        raise TakingError(f"The link {name[:120]} points outside of the archive. Save the image again.")
    return "/".join(parts)


def _plain(path: Path, scratch: Path, bound: Bound) -> Path:
    """Return the archive without its compression: itself, or a copy in `scratch`."""
    if kind_of(path) == "tar":
        return path
    size = path.stat().st_size
    target = scratch / "archive.tar"
    with path.open("rb") as packed, target.open("wb") as sink:
        start = packed.read(16)
        with (
            refusing("The archive cannot be unpacked ({}). Save the image again and upload it again."),
            decompressed(Window(packed, 0, size), start) as source,
        ):
            plain = Unpacked(source, bound, "The archive")
            while piece := plain.read(BLOCK):
                sink.write(piece)
    return target
