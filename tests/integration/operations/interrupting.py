"""Backups that are interrupted: ``python -m tests.integration.operations.interrupting FOLDER SEED``.

One process prepares a small installation and forks a child for each interruption, since starting takes the longest. A child
is killed by SIGKILL, or meets a full disk, at one moment of a backup: while it opens, writes or renames a file of the target.
At a write, half of the bytes have reached the file. After each interruption, the next backup has to be complete.
"""

import errno
import io
import os
import random
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import django

from tests.integration.operations.drill import said

KILLS, FULL_DISKS = 20, 10
NEW_FILES = 2
FILE_BYTES = 150_000


class Moments:
    """Counts the moments at which a process changes files below a folder, and acts at one of them."""

    def __init__(self, folder: Path, at: int, act: Callable[[], None]) -> None:
        self._folder, self._at, self._act = str(folder), at, act
        self.seen = 0

    def passed(self) -> bool:
        """Count a moment; returns whether it is the one."""
        self.seen += 1
        return self.seen == self._at

    def on(self, path: Any) -> bool:
        return isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(self._folder)

    def write(self, plain: Callable[[Any], int], data: Any) -> int:
        if not self.passed():
            return plain(data)
        plain(data[: len(data) // 2])
        return -1

    def strike(self) -> None:
        self._act()


@contextmanager
def watched(moments: Moments) -> Iterator[None]:
    """Count what `io`, `os` and `pathlib` write below the folder."""
    open_, fdopen, replace, os_open = io.open, os.fdopen, os.replace, os.open
    names: dict[int, bool] = {}

    def wrapped(stream: Any) -> Any:
        plain = stream.write

        class Struck:
            def __getattr__(self, name: str) -> Any:
                return getattr(stream, name)

            def __enter__(self) -> Any:
                return self

            def __exit__(self, *_: object) -> None:
                stream.close()

            def write(self, data: Any) -> int:
                done = moments.write(plain, data)
                if done < 0:
                    stream.flush()
                    moments.strike()
                return done

        return Struck()

    def opened(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        writes = moments.on(file) and set(mode) & set("wax+")
        if writes and moments.passed():
            moments.strike()
        stream = open_(file, mode, *args, **options)
        return wrapped(stream) if writes else stream

    def opened_low(path: Any, flags: int, *args: Any, **options: Any) -> int:
        writes = moments.on(path) and bool(flags & (os.O_WRONLY | os.O_RDWR))
        if writes and moments.passed():
            moments.strike()
        handle = os_open(path, flags, *args, **options)
        names[handle] = writes
        return handle

    def fdopened(handle: int, *args: Any, **options: Any) -> Any:
        stream = fdopen(handle, *args, **options)
        return wrapped(stream) if names.get(handle) else stream

    def replaced(source: Any, target: Any, **options: Any) -> None:
        if moments.on(target) and moments.passed():
            moments.strike()
        replace(source, target, **options)

    io.open, os.fdopen, os.replace, os.open = opened, fdopened, replaced, opened_low
    try:
        yield
    finally:
        io.open, os.fdopen, os.replace, os.open = open_, fdopen, replace, os_open


def _killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _full() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def in_child(target: Path, at: int, act: Callable[[], None], words: list[str]) -> tuple[int, str, int]:
    """Back up in a child process; returns how it ended, what it reported, and how many moments it counted."""
    from django.conf import settings
    from django.db import connections

    connections.close_all()
    report = Path(settings.PODIUM_DATA) / "report"
    report.write_text("")
    child = os.fork()
    if not child:
        moments = Moments(target, at, act)
        with watched(moments):
            answer = said("backup", str(target), *words)
        report.write_text(f"{moments.seen}\n{answer}")
        os._exit(0)
    _, status = os.waitpid(child, 0)
    seen, _, answer = report.read_text().partition("\n")
    return status, answer, int(seen or 0)


def check_complete(target: Path, words: list[str], identity: list[str]) -> None:
    """Back up to the end, and compare all of it with the installation."""
    from datastore.uploads.services.proving import stored_names
    from datastore.uploads.storage import local_path, sha256_of
    from operations.services.backup_targets import target as storage_at
    from operations.services.backups import manifest_of

    told = said("backup", str(target), *words)
    assert ", verified." in told, told
    verified = said("verify_backup", str(target), *identity)
    assert "is complete" in verified, verified
    manifest = manifest_of(storage_at(str(target)))
    assert {entry.name: entry.sha256 for entry in manifest.files} == {
        name: sha256_of(local_path(name)) for name in stored_names()
    }


def main(folder: Path, seed: int) -> None:
    """Interrupt backups, and look after each interruption whether the next one is complete."""
    import pyrage
    from django.core.management import call_command

    from datastore.uploads.storage import store_bytes
    from operations.services.backup_targets import target as storage_at
    from operations.services.backups import complete

    call_command("migrate", verbosity=0)
    draw = random.Random(seed)
    identity = pyrage.x25519.Identity.generate()
    (folder / "own").write_text(f"{identity}\n")
    kinds = {
        "plain": ([], []),
        "sealed": (["--recipient", str(identity.to_public())], ["--identity", str(folder / "own")]),
    }
    stored = 0
    interrupted = []
    counted: dict[tuple[str, bool], int] = {}
    for number in range(KILLS + FULL_DISKS):
        kind = ("plain", "sealed")[number % 2]
        act = _killed if number < KILLS else _full
        words, key = kinds[kind]
        target = folder / kind
        for _ in range(NEW_FILES):
            store_bytes(f"results/{stored}.bin", draw.randbytes(FILE_BYTES))
            stored += 1
        before = complete(storage_at(str(target)))
        # The first backup of a target has nothing to read first; all others have as many moments as the second.
        if (kind, bool(before)) not in counted:
            copy = folder / "counted" / kind
            if target.exists():
                shutil.copytree(target, copy)
            status, told, moments = in_child(copy, 0, act, words)
            assert status == 0, told
            assert ", verified." in told, told
            shutil.rmtree(copy)
            counted[kind, bool(before)] = moments
        moments = counted[kind, bool(before)]
        at = draw.randint(1, moments)
        status, told, _ = in_child(target, at, act, words)
        if act is _killed:
            assert os.WIFSIGNALED(status), f"moment {at} of {moments}: {told}"
            assert os.WTERMSIG(status) == signal.SIGKILL
        else:
            assert status == 0
            assert "FAILED: No backup was made: [Errno 28]" in told, told
            assert ", verified." not in told
        # What counts as a backup is one: the manifest comes last, so a process killed behind it was as good as done.
        after = complete(storage_at(str(target)))
        assert after[: len(before)] == before
        for name in after[len(before) :]:
            answer = said("verify_backup", str(target), "--backup", name, *key)
            assert "is complete" in answer, answer
        interrupted.append((kind, act.__name__, at, moments))
        check_complete(target, words, key)
    for kind, (_, key) in kinds.items():
        for name in complete(storage_at(str(folder / kind))):
            answer = said("verify_backup", str(folder / kind), "--backup", name, *key)
            assert "is complete" in answer, answer
    print(*interrupted, sep="\n")


if __name__ == "__main__":
    django.setup()
    main(Path(sys.argv[1]), int(sys.argv[2]))
