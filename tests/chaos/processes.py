"""Processes that can be killed and started again."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Process:
    """A process group that can be killed and started again."""

    def __init__(self, command: list[str], log: Path, *, user: str | None = None) -> None:
        self.command, self.log, self.user = command, log, user
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.popen = subprocess.Popen(
                self.command,
                cwd="/" if self.user else ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
                user=self.user,
            )

    def kill(self) -> None:
        """Kill the whole group, as a power cut would."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()

    def restart(self) -> None:
        self.kill()
        self.start()

    def pool(self) -> list[int]:
        """The processes of the pool that live now."""
        with contextlib.suppress(FileNotFoundError):
            return [
                int(pid) for pid in Path(f"/proc/{self.popen.pid}/task/{self.popen.pid}/children").read_text().split()
            ]
        return []


CELERY = (sys.executable, "-m", "celery", "--quiet", "-A", "config", "--workdir", str(ROOT / "platform"))


def clock(folder: Path, *, counter: Path | None = None) -> Process:
    """The process that asks for a sweep every few seconds; with a `counter`, it sends everything twice."""
    return Process(
        [*_celery(0.0, counter), "beat", "--schedule", str(folder / "beat"), "--pidfile", "", "--loglevel", "ERROR"],
        folder / "beat.log",
    )


def worker(
    number: int,
    folder: Path,
    *,
    ahead: float = 0,
    counter: Path | None = None,
    pool: int = 2,
    queues: str = "mail,sweep,validate,ingest,score",
) -> Process:
    """Start a worker with a pool of processes, on a machine whose clock is `ahead` by this number of seconds.

    With a `counter`, it sends every message twice, and counts them there.
    """
    command = [
        *(*_celery(ahead, counter), "worker", "--concurrency", str(pool)),
        *("--queues", queues, "--hostname", f"soak{number}@%h", "--loglevel", "ERROR"),
        *("--without-gossip", "--without-mingle"),
    ]
    return Process(command, folder / f"worker-{number}.log")


def _celery(ahead: float, counter: Path | None) -> tuple[str, ...]:
    if counter is None:
        return CELERY
    return (sys.executable, "-m", "tests.chaos.faulty", str(ahead), str(counter), *CELERY[3:])
