"""Start, watch and stop the processes of one machine."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

_PR_SET_PDEATHSIG = 1
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that stop an installation."""


def die_with_parent(parent: int, number: int = signal.SIGTERM) -> None:
    """Ask the kernel to signal this new child when its parent ends, however that happens (Linux).

    The child exits immediately if the parent has ended already: no signal would arrive.

    Parameters
    ----------
    parent
        Number of the process that forked this child.
    number
        Signal that the child receives.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
        if os.getppid() != parent:
            os._exit(1)


class Adopted:
    """A child that this process started before it became another program; as much of `Popen` as is needed."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Exit code, or None while it runs."""
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def terminate(self) -> None:
        """Ask it to end."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended.

        Raises
        ------
        subprocess.TimeoutExpired
            When that takes longer.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if end is not None and time.monotonic() >= end:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            time.sleep(0.05)
        return code


@dataclass
class Process:
    """One child: how it is started, and for how long it may take its time to stop."""

    name: str
    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None
    patience: float = 15.0
    popen: "subprocess.Popen[bytes] | Adopted | None" = None
    started: float = 0.0
    failures: int = 0

    def start(self) -> None:
        """Start the process in a separate session.

        Ctrl-C then reaches only the supervisor, which stops all processes in order.
        """
        self.popen = subprocess.Popen(  # noqa: S603 (the commands are ours)
            list(self.command),
            env={**os.environ, **self.env},
            cwd=self.cwd,
            start_new_session=True,
            preexec_fn=partial(die_with_parent, os.getpid()),  # noqa: PLW1509 (no threads run here)
        )
        self.started = time.monotonic()

    def stop(self) -> None:
        """Ask to end, wait, then end the whole group."""
        if self.popen is None:
            return
        if self.popen.poll() is None:
            self.popen.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.popen.wait(self.patience)
        with suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()


class Supervisor:
    """Keeps a list of processes running until it receives a stop signal.

    A process that ends by itself is restarted after a growing pause. If a process fails to run for two seconds
    five times in a row, the supervisor ends.
    """

    LIMIT = 5

    def __init__(self) -> None:
        self.processes: list[Process] = []
        self.stopping = False
        self._interruptible = False
        for number in STOPS:
            signal.signal(number, self._stop)

    def _stop(self, number: int, frame: object) -> None:  # noqa: ARG002 (signature of a signal handler)
        self.stopping = True
        if self._interruptible:
            raise KeyboardInterrupt

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Interrupt the body of the context immediately on a stop signal.

        If the signal arrived earlier, the body does not run.
        """
        try:
            self._interruptible = True
            if self.stopping:
                raise KeyboardInterrupt
            yield
        finally:
            self._interruptible = False

    def add(self, process: Process) -> None:
        """Start a process and keep it running."""
        process.start()
        self.processes.append(process)

    def watch(self, interval: float = 0.3) -> int:
        """Block until stopped; returns the exit code."""
        while not self.stopping:
            time.sleep(interval)
            for process in self.processes:
                if process.popen is None or process.popen.poll() is None:
                    continue
                lived = time.monotonic() - process.started
                process.failures = process.failures + 1 if lived < 2 else 1
                if process.failures > self.LIMIT:
                    sys.stderr.write(f"{process.name} does not stay up; see its messages above.\n")
                    return 1
                sys.stderr.write(f"{process.name} ended with {process.popen.returncode}; starting it again.\n")
                time.sleep(0.2 * process.failures)
                if not self.stopping:
                    process.start()
        return 0

    def shut_down(self) -> None:
        """Stop all, the last started first."""
        for process in reversed(self.processes):
            process.stop()
