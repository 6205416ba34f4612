"""Reading bytes, compressed or not, never more than were declared."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np

from evaluation.readers.errors import ReadError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.readers.limits import Limits

_GZIP: Final = 31
_ZLIB: Final = 15
_CHUNK: Final = 1 << 20
DEFLATE_RATIO: Final = 1032
"""No deflate stream expands further than this."""


def open_checked(path: Path, limits: Limits) -> BinaryIO:
    """Open a regular file that is neither empty nor too large.

    Raises
    ------
    ReadError
        With kind ``not_found``, ``empty_file`` or ``too_large``.
    """
    try:
        size = path.stat().st_size if path.is_file() else None
    except OSError:
        size = None
    if size is None:
        raise ReadError("not_found", path.name, "there is no such file")
    if size == 0:
        raise ReadError("empty_file", path.name, "the file is empty")
    if size > limits.file_bytes:
        raise ReadError("too_large", path.name, f"{size:,} bytes", f"at most {limits.file_bytes:,}")
    return path.open("rb")


class Inflater:
    """The inflated content of a gzip or zlib stream, read from front to back."""

    def __init__(self, file: BinaryIO, name: str, *, zlib_stream: bool = False) -> None:
        self.name = name
        self._file = file
        self._wbits = _ZLIB if zlib_stream else _GZIP
        self._decoder = zlib.decompressobj(self._wbits)

    def read(self, size: int) -> bytes:
        """Return exactly ``size`` bytes.

        Raises
        ------
        ReadError
            With kind ``truncated`` or ``checksum``.
        """
        target = np.empty(size, dtype=np.uint8)
        self.read_into(target)
        return target.tobytes()

    def read_into(self, target: NDArray[np.uint8]) -> None:
        """Fill an array of bytes; its memory is touched only as far as the stream really goes."""
        filled = 0
        while filled < target.size:
            piece = self._next(min(target.size - filled, 4 * _CHUNK))
            if not piece:
                raise ReadError(
                    "truncated", self.name, f"the data ends after {filled:,} bytes", f"{target.size:,} bytes"
                )
            target[filled : filled + len(piece)] = np.frombuffer(piece, dtype=np.uint8)
            filled += len(piece)

    def finish(self) -> None:
        """Make sure that the stream ends here and that its checksum holds."""
        if self._next(1):
            raise ReadError("trailing_data", self.name, "more data than the header declares")

    def skip_rest(self, most: int) -> None:
        """Read the rest of the stream, which has at most so many bytes, and make sure that its checksum holds.

        Raises
        ------
        ReadError
            With kind ``trailing_data`` if there is more.
        """
        skipped = 0
        while piece := self._next(_CHUNK):
            skipped += len(piece)
            if skipped > most:
                raise ReadError("trailing_data", self.name, "more data than the header declares")

    def _next(self, size: int) -> bytes:
        while True:
            data = self._decoder.unconsumed_tail
            if self._decoder.eof:
                data = self._decoder.unused_data or self._file.read(_CHUNK)
                if not data:
                    return b""
                if self._wbits == _ZLIB or not data.startswith(b"\x1f\x8b"[: len(data)]):
                    raise ReadError("trailing_data", self.name, "bytes follow after the compressed data")
                self._decoder = zlib.decompressobj(self._wbits)
            data = data or self._file.read(_CHUNK)
            try:
                piece = self._decoder.decompress(data, size)
            except zlib.error as error:
                raise ReadError("checksum", self.name, f"the compressed data is damaged ({error})") from None
            if piece:
                return piece
            if not data and not self._decoder.eof:
                raise ReadError("truncated", self.name, "the compressed data breaks off")


def read_plain(file: BinaryIO, name: str, target: NDArray[np.uint8]) -> None:
    """Fill an array of bytes from an uncompressed file that must end with it.

    Raises
    ------
    ReadError
        With kind ``truncated`` or ``trailing_data``.
    """
    filled = file.readinto(target)  # type: ignore[attr-defined]
    if filled < target.size:
        raise ReadError("truncated", name, f"the data ends after {filled:,} bytes", f"{target.size:,} bytes")
    if file.read(1):
        raise ReadError("trailing_data", name, "more data than the header declares")
