"""All workers of one machine, forked from one process that has loaded the platform once.

``python -m operations.services.workers '{"worker": ["worker", "--queues", …], "beat": ["beat", …]}'`` starts a
process of each name with the arguments of the `celery` program, and restarts processes that end. The code loaded
before the fork is in memory once. Each worker or pool process that loads it separately needs 100 to 200 MB more.
"""

import ctypes
import json
import os
import signal
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.util import register_after_fork
from pathlib import Path

import django
from celery import current_app

from core.work.memory import set_apart
from operations.services.supervisor import STOPS, Adopted, Process, Supervisor, die_with_parent

_PR_SET_NAME = 15
_LOADED_LATE = (
    *("celery.beat", "celery.bin.celery", "celery.concurrency.prefork", "celery.worker", "kombu.transport.redis"),
    *(
        "pyarrow.dataset",
        "pyarrow.parquet",
        "pykdtree.kdtree",
        "scipy.cluster.hierarchy",
        "statsmodels.regression.mixed_linear_model",
    ),
)
"""Modules that one of the processes loads only when it comes to need them: each of them would have its own."""

_OWN_KIB = 96 * 1024
"""Memory of a pool process in addition to the shared memory, in KiB.

A process that exceeded it is replaced after its task.
"""


def worker_commands(concurrency: int, *, level: str, runs_containers: bool) -> dict[str, list[str]]:
    """Return the arguments of the `celery` program for each process of one machine, by its name.

    Mail and validation have a slot each that takes nothing else. Figures have one of their own and take no other, so two
    long computations keep neither a letter nor an upload waiting. Checks of test sets have their own slot, so that reports
    do not wait for them. A slot that is idle costs memory only.

    Parameters
    ----------
    concurrency
        Processes that score and rank, and validate as well while they are free.
    level
        From which level on records appear.
    runs_containers
        Whether this machine runs algorithms and scoring images.
    """
    quietly = ("--loglevel", level, "--without-gossip", "--without-mingle")
    pools = {
        # Works itself: letters and sweeps are short, and a pool would weigh another process.
        "mail": ("mail,sweep", "--pool", "solo"),
        "validate": ("validate,sweep", "--concurrency", "1"),
        "worker": ("validate,ingest,score,rank", "--concurrency", str(concurrency)),
        "figures": ("figures", "--concurrency", "1"),
        "quality": ("quality", "--concurrency", "1"),
    }
    if runs_containers:
        # A run may take hours; the process finds out itself whether what has to hold does.
        pools["runner"] = ("run,judge", "--concurrency", str(min(concurrency, 2)))
    commands = {
        name: ["--quiet", "worker", "--queues", queues, *slots, "--hostname", f"{name}@%h", *quietly]
        for name, (queues, *slots) in pools.items()
    }
    # Not inside a worker, where its death would go unnoticed: without it nothing is swept.
    commands["beat"] = ["--quiet", "beat", "--pidfile", "", "--loglevel", level]
    return commands


class Forked(BaseException):
    """Raised in a new process, so that it leaves what its parent was doing."""

    def __init__(self, name: str, words: list[str]) -> None:
        self.name, self.words = name, words


@dataclass
class Fork(Process):
    """A child that is a copy of this process and goes on as a program of Celery."""

    def start(self) -> None:
        """Fork; the child leaves by `Forked`."""
        # Told to stop in between, the child would take it for its parent's.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
        parent = os.getpid()
        try:
            pid = os.fork()
            if pid == 0:
                os.setsid()
                die_with_parent(parent)
                for number in STOPS:
                    signal.signal(number, signal.SIG_DFL)
                raise Forked(self.name, list(self.command))
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        self.popen = Adopted(pid)
        self.started = time.monotonic()


def load() -> None:
    """Load what any of the processes needs, without a connection or a thread that a fork would leave behind."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    current_app.loader.import_default_modules()
    current_app.finalize()
    from django.db import connections
    from django.urls import reverse

    from executions.scoring.services import scorer

    scorer.preload()
    for module in _LOADED_LATE:
        import_module(module)
    reverse("operations:healthz")  # Messages and reports have addresses, for which all views are loaded.
    connections.close_all()


def _resident_kib() -> int:
    """Return the memory that is loaded, without pages of files, in KiB.

    Pool processes start with it.
    """
    resident, shared = map(int, Path("/proc/self/statm").read_text().split()[1:3])
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE") // 1024


def main(commands: dict[str, list[str]]) -> int:
    """Fork a process for each command, watch until a stop signal and return the exit code."""
    supervisor = Supervisor()
    try:
        with supervisor.interruptible():
            load()
            set_apart()
        bound = ["--max-memory-per-child", str(_resident_kib() + _OWN_KIB)]
        for name, words in commands.items():
            supervisor.add(Fork(name, [*words, *bound] if "--concurrency" in words else words))
        code = supervisor.watch()
    except Forked as fork:
        return run(fork)
    except KeyboardInterrupt:
        code = 0
    supervisor.shut_down()
    return code


class Worker:
    """Worker whose pool processes end with it, also those that it forked a moment before.

    Celery lets a pool process end with its worker only after some steps of the new process. A process whose worker was
    killed before these steps would never end: the pipes to it stay open in the other pool processes.
    """

    def __init__(self) -> None:
        self._pid = os.getpid()
        register_after_fork(self, Worker._bind)

    def _bind(self) -> None:
        """Bind a new pool process to the worker, and leave its own children alone."""
        parent, self._pid = self._pid, 0
        if parent:
            die_with_parent(parent, signal.SIGKILL)


def run(fork: Forked) -> int:
    """Go on as what was forked."""
    _worker = Worker()
    # What the kernel calls it, in `ps` and `top`: the command line is that of the parent.
    ctypes.CDLL(None).prctl(_PR_SET_NAME, f"podium-{fork.name}".encode(), 0, 0, 0)
    return int(current_app.start(fork.words) or 0)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
