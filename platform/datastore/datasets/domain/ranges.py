"""The part of a file that a request asks for (RFC 9110, section 14): one range, as clients that resume send it."""

import re
from dataclasses import dataclass

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


class RangeNotSatisfiableError(ValueError):
    """The range begins behind the end of the file."""


@dataclass(frozen=True)
class Part:
    """Bytes from `start` up to but without `stop`."""

    start: int
    stop: int
    total: int

    @property
    def length(self) -> int:
        return self.stop - self.start

    @property
    def is_whole(self) -> bool:
        """True if the part is the whole file."""
        return self.length == self.total

    @property
    def header(self) -> str:
        """Value of the header Content-Range."""
        return f"bytes {self.start}-{self.stop - 1}/{self.total}"


def requested_part(header: str | None, total: int) -> Part:
    """Read the header Range.

    An invalid header, or one with several ranges, is ignored as the standard allows: the whole file is sent.

    Raises
    ------
    RangeNotSatisfiableError
        If the range contains no byte of the file.

    Examples
    --------
    >>> requested_part("bytes=10-", 100)
    Part(start=10, stop=100, total=100)
    >>> requested_part("bytes=-10", 100).start, requested_part("bytes=0-0,5-6", 100).is_whole
    (90, True)
    """
    whole = Part(0, total, total)
    match = _RANGE.fullmatch((header or "").strip())
    if match is None or match.group(1) == match.group(2) == "":
        return whole
    first, last = match.groups()
    if not first:
        if int(last) == 0:
            raise RangeNotSatisfiableError
        return Part(max(0, total - int(last)), total, total)
    start = int(first)
    stop = min(int(last) + 1, total) if last else total
    if last and int(last) < start:
        return whole
    if start >= total:
        raise RangeNotSatisfiableError
    return Part(start, stop, total)
