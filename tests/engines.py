"""Locks between test processes that start containers on the same machine."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def engine_in_use(*, alone: bool, folder: Path | None = None) -> Iterator[None]:
    """Wait until this process may start containers.

    Measured costs count only if no other container runs on the machine.
    A test of them therefore excludes the tests of all other processes, such as those of parallel legs.

    Parameters
    ----------
    alone
        Whether other test processes must not run containers in the meantime.
    folder
        Folder of the lock files, by default the folder for temporary files.

    Notes
    -----
    A second lock, the gate, lets a process that waits to be alone go before those that come after it.
    """
    folder = folder or Path(tempfile.gettempdir())
    kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
    with (
        _opened(folder / f"podium-tests-{os.geteuid()}-gate.lock") as gate,
        _opened(folder / f"podium-tests-{os.geteuid()}-engine.lock") as engine,
    ):
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(engine, kind)
        fcntl.flock(gate, fcntl.LOCK_UN)
        try:
            yield
        finally:
            # Closing does not suffice: a forked process that outlives the test has the descriptor as well.
            fcntl.flock(engine, fcntl.LOCK_UN)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """Open a lock file; the lock of a process that is killed is released."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
