"""Output printed by a container.

It is read continuously. Its beginning and end are kept and shown without control characters.
"""

from confinement.containers.batches import Log

KEPT_BYTES = 256 * 1024


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


def shown(log: Log) -> str:
    """Return a log as displayable text.

    It contains no control characters except line ends and tabs. A line marks omitted bytes.
    """
    left_out = log.size - len(log.first) - len(log.last)
    gap = f"\n… {left_out:,} bytes are left out …\n" if left_out > 0 else ""
    text = log.first.decode(errors="replace") + gap + log.last.decode(errors="replace")
    return "".join(mark for mark in text if mark in "\n\t" or (mark.isprintable() or mark == " "))
