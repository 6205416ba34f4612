"""Work on participants' files in child processes that may die without harm.

A child is forked from the worker, so that prepared references are there without copying, and then confined: bounded
address space, processor time, files (the size of each, their number, and all of them together) and open files; no inherited connection, no network, no privileges, no other
process; of the file system it sees libraries and what it is given, and writes in its own folder only
(`confinement.restrictions`). It works through its items one by one and reports each over a pipe as JSON (never as a pickle:
what comes from a child is not trusted). When it dies on an item, that item gets the reason and a fresh child goes on with
the rest.
"""

import contextlib
import gc
import json
import os
import select
import signal
import stat
import struct
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from confinement import restrictions
from confinement.limits import ChildLimits

_BLOCK_BYTES = 512
_COUNTED_FILES = 1_000_000
_HEADER = struct.Struct(">I")
_POLL_SECONDS = 0.1


class Failure(StrEnum):
    """Reason why a child has no answer for an item."""

    TIME = "time"
    MEMORY = "memory"
    SPACE = "space"
    CRASH = "crash"
    ERROR = "error"


@dataclass(frozen=True)
class Answer:
    """Result of one item: a JSON value, or a failure with details for organizers."""

    item: str
    value: Any = None
    failure: Failure | None = None
    details: str = ""


Work = Callable[[str, Path], Any]


guards: list[Callable[[], None]] = []
"""Called before a child is started; each raises where none may be started."""


class ChildError(Exception):
    """A child raised an error of ours: a fault of the platform, never to be held against a participant's file."""


def answers(
    items: Sequence[str],
    work: Work,
    *,
    limits: ChildLimits,
    reads: Sequence[Path] = (),
    beat: Callable[[], None] = lambda: None,
    seconds: float = float("inf"),
    hands_over: Path | None = None,
) -> Iterator[Answer]:
    """Yield an answer for each item, in order, from confined children.

    Parameters
    ----------
    items
        Names to process.
    work
        Called in the child with an item and an empty private folder, which is the current directory; returns a
        JSON value.
    limits
        Bounds on each child.
    reads
        Files and folders that the child can read, in addition to libraries and its own folder; it sees no others.
    beat
        Called at least every second in the parent while a child works.
    seconds
        Time after which no further item is started. The caller then gets fewer answers than items and returns the
        others.

    hands_over
        A folder of the caller in which the children may write, in addition to their own; no other folder is
        writable.

    Raises
    ------
    ChildError
        If `work` raises: it must catch errors caused by a file itself. If the child exceeds its time or memory,
        or dies, the answer for that item contains the failure instead.
    """
    for check in guards:
        check()
    waiting = deque(items)
    end = time.monotonic() + seconds
    while waiting and time.monotonic() < end:
        with (
            TemporaryDirectory(dir=limits.scratch, ignore_cleanup_errors=True) as folder,
            _Child(list(waiting), work, limits, reads, Path(folder), hands_over) as child,
        ):
            for answer in child.answers(beat, end):
                if answer.failure == Failure.ERROR:
                    raise ChildError(f"{answer.item}: {answer.details}")
                waiting.popleft()
                yield answer


class _Child:
    def __init__(
        self,
        items: list[str],
        work: Work,
        limits: ChildLimits,
        reads: Sequence[Path],
        folder: Path,
        hands_over: Path | None,
    ) -> None:
        self.items, self.limits = items, limits
        self.places = [folder, hands_over] if hands_over else [folder]
        self.before = usage(self.places, most=_COUNTED_FILES)
        sys.stdout.flush()
        sys.stderr.flush()
        self.pipe, writer = os.pipe()
        self.output = os.memfd_create("podium-child", 0)
        parent = os.getpid()
        restrictions.prepare()
        # A collection in the child would copy every page of the prepared references: there is none before the child sets apart
        # what it has got. Set apart here, what this process has to throw away would never be collected again.
        collects = gc.isenabled()
        gc.disable()
        self.pid = os.fork()
        if self.pid == 0:
            gc.freeze()
            gc.enable()
            _run(items, work, limits, writer, self.output, parent, reads, self.places)
        if collects:
            gc.enable()
        os.close(writer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        os.close(self.pipe)
        os.close(self.output)

    def answers(self, beat: Callable[[], None], end: float) -> Iterator[Answer]:
        """Yield answers until the items are done, the child has died (its item's failure comes last) or time is up."""
        buffer = bytearray()
        for item in self.items:
            if time.monotonic() >= end:
                return
            began = time.monotonic()
            while (frame := _take(buffer, self.limits.message_bytes)) is None:
                beat()
                if time.monotonic() - began > self.limits.item_seconds:
                    self._end()
                    yield Answer(item, failure=Failure.TIME, details=self._printed())
                    return
                if excess := self._excess():
                    yield self._stopped(item, excess)
                    return
                ready, _, _ = select.select([self.pipe], [], [], _POLL_SECONDS)
                if ready:
                    piece = os.read(self.pipe, 65536)
                    if not piece:
                        yield self._died(item)
                        return
                    buffer += piece
            # Also of one that is done: the next item would have to answer for it.
            if excess := self._excess():
                yield self._stopped(item, excess)
                return
            yield self._answer(item, frame)

    def _stopped(self, item: str, excess: str) -> Answer:
        self._end()
        return Answer(item, failure=Failure.SPACE, details=f"{excess}\n{self._printed()}")

    def _excess(self) -> str:
        """Return a description of the bound that the child's files exceed, or an empty string."""
        now = usage(self.places, most=self.before.files + self.limits.folder_files, process=self.pid)
        files, size = now.files - self.before.files, now.bytes - self.before.bytes
        if files > self.limits.folder_files:
            return f"The child had more than {self.limits.folder_files:,} files."
        if size > self.limits.folder_bytes:
            return f"The child had files of {size:,} bytes; at most {self.limits.folder_bytes:,} are allowed."
        return ""

    def _answer(self, item: str, frame: bytes) -> Answer:
        try:
            message = json.loads(frame)
            failure = message.get("failure")
            return Answer(
                item,
                value=message.get("value"),
                failure=Failure(failure) if failure else None,
                details=str(message.get("details", "")),
            )
        except (ValueError, AttributeError):
            return Answer(item, failure=Failure.CRASH, details="The child sent something unreadable.")

    def _died(self, item: str) -> Answer:
        # The pipe closes a moment before the child can be collected with what it died of.
        status = self._end(patience=2.0)
        ending = os.waitstatus_to_exitcode(status) if status is not None else 0
        if ending == -signal.SIGXCPU:
            return Answer(item, failure=Failure.TIME, details=self._printed())
        name = signal.Signals(-ending).name if ending < 0 else f"exit status {ending}"
        return Answer(item, failure=Failure.CRASH, details=f"The child ended with {name}.\n{self._printed()}")

    def _end(self, patience: float = 0.0) -> int | None:
        """Collect the child, killing it when it is still there after `patience` seconds; None when collected before."""
        if not self.pid:
            return None
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        until = time.monotonic() + patience
        while pid == 0 and time.monotonic() < until:
            time.sleep(0.005)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            os.kill(self.pid, signal.SIGKILL)
            _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return status

    def _printed(self) -> str:
        size = os.fstat(self.output).st_size
        return os.pread(self.output, 4000, max(0, size - 4000)).decode(errors="replace")


@dataclass(frozen=True)
class Usage:
    """Disk use of files: their number, and their bytes on disk."""

    files: int
    bytes: int


def usage(places: Sequence[Path], *, most: int, process: int = 0) -> Usage:
    """Measure the content of folders, and open files of a process that no longer have a name.

    Parameters
    ----------
    places
        The folders; links in them are counted and not followed.
    most
        Maximum number of files; counting ends at one more.
    process
        Process whose open files are inspected; 0 for none. Where the kernel does not allow this, these files are
        not counted. Only the size of each (`ChildLimits.file_bytes`) and their number (`ChildLimits.open_files`)
        are then bounded.

    Returns
    -------
    Usage
        Bytes as allocated: for a file with holes, the space that it really takes.
    """
    files = size = 0
    waiting = [str(folder) for folder in places]
    while waiting and files <= most:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):
                    status = entry.stat(follow_symlinks=False)
                    files += 1
                    size += status.st_blocks * _BLOCK_BYTES
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append(entry.path)
                if files > most:
                    break
    return Usage(files, size + _nameless(process))


def _nameless(process: int) -> int:
    """Bytes of the regular files that a process has open and that have no name any more."""
    size = 0
    files: list[Path] = []
    with contextlib.suppress(OSError):
        files = list(Path(f"/proc/{process}/fd").iterdir()) if process else []
    for file in files:
        with contextlib.suppress(OSError):
            status = file.stat()
            if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                size += status.st_blocks * _BLOCK_BYTES
    return size


def _take(buffer: bytearray, limit: int) -> bytes | None:
    if len(buffer) < _HEADER.size:
        return None
    (length,) = _HEADER.unpack_from(buffer)
    if length > limit:
        return b"too long"
    if len(buffer) < _HEADER.size + length:
        return None
    frame = bytes(buffer[_HEADER.size : _HEADER.size + length])
    del buffer[: _HEADER.size + length]
    return frame


def _run(
    items: list[str],
    work: Work,
    limits: ChildLimits,
    writer: int,
    output: int,
    parent: int,
    reads: Sequence[Path],
    places: Sequence[Path],
) -> None:
    """Live and die in the child: never returns."""
    folder = places[0]
    try:
        os.chdir(folder)
        restrictions.enter(
            limits, items=len(items), keeps={writer}, output=output, parent=parent, reads=reads, writes=places
        )
        for item in items:
            _send(writer, _message(item, work, folder, limits))
    except BaseException:  # noqa: BLE001 (whatever happens, the child must not go on as a second worker)
        with contextlib.suppress(BaseException):
            os.write(2, traceback.format_exc().encode())
        os._exit(1)
    os._exit(0)


def _message(item: str, work: Work, folder: Path, limits: ChildLimits) -> bytes:
    try:
        message = json.dumps({"value": work(item, folder)}, allow_nan=False).encode()
    except MemoryError:
        return json.dumps({"failure": Failure.MEMORY}).encode()
    except Exception:  # noqa: BLE001 (any error belongs to the item that caused it)
        return json.dumps({"failure": Failure.ERROR, "details": traceback.format_exc()[-4000:]}).encode()
    if len(message) > limits.message_bytes:
        return json.dumps({"failure": Failure.ERROR, "details": "The answer is too long."}).encode()
    return message


def _send(writer: int, message: bytes) -> None:
    data = memoryview(_HEADER.pack(len(message)) + message)
    while data:
        data = data[os.write(writer, data) :]
