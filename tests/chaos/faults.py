"""Faults of a soak in the installation, at moments that its seed determines."""

import contextlib
import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from tests.chaos.processes import Process

FULL_SECONDS = (1.5, 3.0)


class Disk:
    """A small separate disk for everything that an installation stores, which can be filled to the last byte."""

    def __init__(self, folder: Path) -> None:
        self.ballast = folder / "ballast"

    def fill(self) -> None:
        """Use all free space, so that every write fails."""
        with self.ballast.open("wb", buffering=0) as stream:
            with contextlib.suppress(OSError):
                os.posix_fallocate(stream.fileno(), 0, self._free())
            with contextlib.suppress(OSError):
                while True:
                    stream.write(bytes(4096))

    def clear(self) -> None:
        """Give it back."""
        self.ballast.unlink(missing_ok=True)

    def _free(self) -> int:
        found = os.statvfs(self.ballast.parent)
        return found.f_bavail * found.f_frsize


@contextlib.contextmanager
def small_disk(folder: Path, size: str = "1g") -> Iterator[Disk | None]:
    """Mount a small disk in memory at a folder; None where this process may not mount anything."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "podium-soak", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    try:
        yield Disk(folder) if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], capture_output=True, check=False)


class Chaos:
    """Strikes at random; what nothing brings back by itself is started again, as a supervisor would."""

    def __init__(
        self,
        workers: list[Process],
        beat: Process,
        servers: dict[str, Process],
        disk: Disk | None,
        chance: random.Random,
    ) -> None:
        self.workers, self.servers, self.disk, self.chance = workers, {"clock": beat, **servers}, disk, chance
        self.kinds = (
            {"pool process": 6, "worker": 2} | dict.fromkeys(self.servers, 1) | ({"full disk": 1} if disk else {})
        )
        self.first = [kind for kind in self.kinds if kind not in ("pool process", "clock")]
        chance.shuffle(self.first)
        self.relief: threading.Timer | None = None

    def strike(self) -> str:
        """Do one thing; each kind once before any is left to chance, so that a short soak has all of them."""
        kind = self.first.pop() if self.first else self.chance.choices(list(self.kinds), list(self.kinds.values()))[0]
        pool = [pid for process in self.workers for pid in process.pool()]
        if kind == "pool process" and pool:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.chance.choice(pool), signal.SIGKILL)
            return kind
        if kind in self.servers:
            self.servers[kind].restart()
            return kind
        if kind == "full disk" and self.disk:
            self.disk.fill()
            # Meanwhile teams go on uploading.
            self.relief = threading.Timer(self.chance.uniform(*FULL_SECONDS), self.disk.clear)
            self.relief.start()
            return kind
        self.chance.choice(self.workers).restart()
        return "worker"

    def end(self) -> None:
        """Take back what would go on by itself."""
        if self.relief is not None:
            self.relief.join()

    def until_up(self, patience: float = 60) -> None:
        """Wait until every worker has its pool, so that kills hit work and not only starts."""
        end = time.monotonic() + patience
        while time.monotonic() < end and not all(process.pool() for process in self.workers):
            self.revive()
            time.sleep(0.1)

    def revive(self) -> None:
        """Start what ended by itself, as a supervisor does."""
        for process in (*self.workers, self.servers["clock"]):
            if process.popen.poll() is not None:
                process.start()
