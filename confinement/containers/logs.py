"""Output printed by a container.

It is read continuously. Its beginning and end are kept and shown without control characters.
"""

from dataclasses import dataclass

KEPT_BYTES = 256 * 1024


@dataclass(frozen=True)
class Log:
    """Output that a container printed: its beginning, its end and its total size."""

    first: bytes = b""
    last: bytes = b""
    size: int = 0
    lines: int = 0

    def text(self) -> str:
        """Return the log as displayable text.

        It contains no control characters except line ends and tabs. A line marks omitted bytes.
        """
        left_out = self.size - len(self.first) - len(self.last)
        gap = f"\n… {left_out:,} bytes are left out …\n" if left_out > 0 else ""
        text = self.first.decode(errors="replace") + gap + self.last.decode(errors="replace")
        return "".join(mark for mark in text if mark in "\n\t" or (mark.isprintable() or mark == " "))


class LogReader:
    """Takes what is printed, piece by piece, in bounded memory."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept = kept_bytes
        self._first = bytearray()
        self._last = bytearray()
        self.size = 0
        self.lines = 0

    def take(self, piece: bytes) -> None:
        """Take what was printed next."""
        self.size += len(piece)
        self.lines += piece.count(b"\n")
        room = self._kept - len(self._first)
        self._first += piece[:room]
        self._last += piece[room:]
        if len(self._last) > 2 * self._kept:
            del self._last[: -self._kept]

    def log(self) -> Log:
        """Return what there is so far."""
        return Log(bytes(self._first), bytes(self._last[-self._kept :]), self.size, self.lines)
