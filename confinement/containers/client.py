"""Common base of engines called by their command line: a call, and a container with a local client."""

import contextlib
import fcntl
import json
import os
import re
import select
import shutil
import subprocess
import time
from abc import ABC, abstractmethod
from datetime import datetime
from pathlib import Path
from typing import Any

from confinement.containers import cgroups
from confinement.containers.engine import Ending, EngineError, Sample, Start
from confinement.containers.gpus import Gpus
from confinement.limits import MIB

USER = 65_534
"""User and group of every container."""
BACKSTOP_SECONDS = 30
STARTING_SECONDS = 180.0
CALL_SECONDS, LOAD_SECONDS = 120.0, 3_600.0
GROUPS = "podium"
"""Control group in which those of all containers of ours are."""
SYSTEM_CALLS = Path(__file__).with_name("seccomp.json")
"""System calls that a program may use.

They are those of podman's list without namespaces, mounts, keys, tracing and io_uring. Sockets of uncommon families,
which network namespaces do not cover, are excluded as well.
"""
_ENDING_SECONDS = 10.0
_CANNOT_START, _NOT_THERE = 126, 127
_ZERO_TIME = "0001-01-01"
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)")


class CommandLine(ABC):
    """Engine called by its command line, with a separate environment and folder."""

    name = ""
    starting_seconds = STARTING_SECONDS

    def __init__(self, folder: Path, program: str) -> None:
        self._folder, self.program = folder.resolve(), program
        self.is_root = os.geteuid() == 0

    def base(self) -> list[str]:
        """Return how each call begins."""
        return [self.program]

    def environment(self) -> dict[str, str]:
        """Return the environment of a call: nothing of the caller's but where programs are."""
        return {
            "PATH": os.environ.get("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
            "HOME": str(self.folder("home")),
            "TMPDIR": str(self.folder("temporary")),
            "LC_ALL": "C.UTF-8",
        }

    @abstractmethod
    def command(self, start: Start) -> list[str]:
        """Return the call that starts a container."""

    @abstractmethod
    def group(self, name: str) -> cgroups.Group | None:
        """Return the control group around a container; None where it cannot be seen."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """End and remove a container by its name, and its control group."""

    def folder(self, name: str) -> Path:
        """Return a folder of the engine's own."""
        path = self._folder / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def call(
        self, *arguments: str, check: bool = True, seconds: float = CALL_SECONDS, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Call the engine and return the completed process with its output.

        Raises
        ------
        EngineError
            If the program is not installed, takes too long, or fails while `check` is set.
        """
        try:
            done = subprocess.run(  # noqa: S603
                [*self.base(), *arguments],
                env=self.environment(),
                cwd=cwd,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=seconds,
                check=False,
                text=True,
                errors="replace",
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EngineError(f"{self.name} {arguments[0]}: {error}") from error
        if check and done.returncode:
            raise EngineError(f"{self.name} {arguments[0]}: {done.stderr.strip()[-600:]}")
        return done

    def start(self, start: Start) -> "ClientContainer":
        """Start a container.

        Raises
        ------
        EngineError
            When the engine cannot be called.
        """
        return ClientContainer(self, start)


class ClientContainer:
    """A container that the client of an engine started; the client is a process of ours and ends with it."""

    def __init__(self, engine: CommandLine, start: Start) -> None:
        self._engine, self._start = engine, start
        self._group = engine.group(start.name)
        self._gpus = Gpus.opened(start.gpus) if start.gpus else None
        reader, writer = os.pipe()
        # A pipe of a MiB lets a program print a while before anyone reads.
        with contextlib.suppress(OSError):
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, MIB)
        try:
            self._client = subprocess.Popen(  # noqa: S603
                [*engine.base(), *engine.command(start)],
                env=engine.environment(),
                cwd=start.folder,
                stdin=subprocess.DEVNULL,
                stdout=writer,
                stderr=writer,
            )
        except OSError as error:
            os.close(reader)
            raise EngineError(f"{engine.name} cannot be called: {error}") from error
        finally:
            os.close(writer)
        self._log: int | None = reader
        self._began = time.monotonic()
        self._tail = b""
        self._was_removed = False
        self._sizes = (start.limits.scratch_bytes, start.limits.shm_bytes)
        self._peak = None if self._group is None else cgroups.Peak(self._group)

    def started(self) -> bool:
        """Return whether the group of the container has a process.

        If groups cannot be inspected, the container counts as started at once.
        """
        return self._group is None or bool(self._group.processes())

    def running(self) -> bool:
        """Return whether the client, which ends with the container, is still running."""
        return self._client.poll() is None

    def wait(self, seconds: float) -> None:
        """Wait for the client, so long at most."""
        if self._client.poll() is None:
            ended = os.pidfd_open(self._client.pid)
            try:
                select.select([ended], [], [], seconds)
            finally:
                os.close(ended)

    def log(self, seconds: float) -> bytes | None:
        """Return the next printed output.

        The result is empty after `seconds` without output, and None at the end.
        """
        if self._log is None:
            return None
        ready, _, _ = select.select([self._log], [], [], seconds)
        if not ready:
            return b""
        piece = os.read(self._log, MIB)
        if not piece:
            os.close(self._log)
            self._log = None
            return None
        self._tail = (self._tail + piece)[-2_000:]
        return piece

    def sample(self) -> Sample | None:
        """Return the current memory use.

        Returns None before the first process starts, and where memory cannot be inspected.
        """
        if self._group is None or self._peak is None:
            return None
        pids = self._group.processes()
        if not pids:
            return None
        seconds, memory = time.monotonic() - self._began, self._peak.look(pids, self._sizes)
        if self._gpus is None:
            return Sample(seconds, memory)
        return Sample(seconds, memory, self._gpus.memory_bytes(pids), self._gpus.utilization())

    def kill(self) -> None:
        """End all of its processes at once."""
        done = self._engine.call("kill", "--signal", "KILL", self._start.name, check=False)
        if done.returncode:
            # It may be ending by itself at this moment, and then tells how when it is left alone.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._client.wait(_ENDING_SECONDS)
                return
            self._was_removed = True
            self._engine.remove(self._start.name)

    def ending(self) -> Ending:
        """Return how the container ended."""
        try:
            code = self._client.wait(BACKSTOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._client.kill()
            code = self._client.wait()
        inspected = self._inspected()
        # Whether conmon saw a kill for memory stands in the folder in which podman was called; elsewhere it is not told.
        out_of_memory = (self._start.folder / "oom").exists() or bool(self._group and self._group.memory_kills())
        if inspected is None:
            if self._was_removed:
                return Ending(None, None, None, out_of_memory=out_of_memory)
            return Ending(None, None, None, fault=f"{self._engine.name} knows no container any more ({self._said()})")
        state: dict[str, Any] = inspected["State"]
        started, finished = moment(state.get("StartedAt")), moment(state.get("FinishedAt"))
        out_of_memory |= bool(state.get("OOMKilled"))
        if started is None:
            is_its_own = code in (_CANNOT_START, _NOT_THERE)
            return Ending(
                code,
                None,
                None,
                not_started=is_its_own,
                fault="" if is_its_own else f"{self._engine.name} did not start the container ({self._said()})",
            )
        exit_code = int(state["ExitCode"]) if isinstance(state.get("ExitCode"), int) else None
        return Ending(
            exit_code if exit_code is not None and exit_code >= 0 else None,
            started,
            finished,
            out_of_memory=out_of_memory,
            cpu_seconds=self._group.cpu_seconds() if self._group else None,
            peak_memory_bytes=self._peak.end() if self._peak else None,
            high_water_bytes=self._group.high_water_bytes() if self._group else None,
            energy_joule=self._gpus.energy_joule() if self._gpus else None,
        )

    def remove(self) -> None:
        """Leave nothing of it."""
        self._engine.remove(self._start.name)
        if self._client.poll() is None:
            self._client.kill()
            self._client.wait()
        if self._log is not None:
            os.close(self._log)
            self._log = None

    def _inspected(self) -> dict[str, Any] | None:
        for _ in range(30):
            done = self._engine.call("inspect", "--type", "container", self._start.name, check=False)
            if done.returncode:
                return None
            inspected: dict[str, Any] = json.loads(done.stdout)[0]
            state = inspected["State"]
            if state.get("Status") not in ("running", "stopping", "stopped") and state.get("ExitCode", -1) >= 0:
                return inspected
            # After a kill it takes podman a moment to know the status.
            self._engine.call("wait", self._start.name, check=False, seconds=BACKSTOP_SECONDS)
        return inspected

    def _said(self) -> str:
        return " ".join(self._tail.decode(errors="replace").split())[-400:]


def is_there(program: str) -> bool:
    """Return whether a program is installed."""
    return shutil.which(program) is not None


def bounds(start: Start) -> list[str]:
    """Return the flags that both engines know: what a container has not, and how much it may take."""
    limits = start.limits
    size = max(limits.output_bytes, limits.scratch_bytes)
    if any(":" in str(path) for path in (start.output, *(mount.source for mount in start.mounts))):
        raise EngineError("a folder with a colon in its path cannot be mounted")
    flags = [
        *("--pull", "never", "--network", "none", "--read-only", "--cap-drop", "ALL"),
        *(
            "--security-opt",
            "no-new-privileges",
            "--security-opt",
            f"seccomp={SYSTEM_CALLS}",
            "--user",
            f"{USER}:{USER}",
        ),
        *("--ipc", "private", "--cgroupns", "private"),
        *(
            "--memory",
            str(limits.memory_bytes),
            "--memory-swap",
            str(limits.memory_bytes),
            "--cpus",
            f"{limits.cpus:g}",
        ),
        *("--pids-limit", str(limits.pids)),
        *("--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096", "--ulimit", "core=0:0"),
        *("--ulimit", f"fsize={size}:{size}"),
        *("--shm-size", str(limits.shm_bytes)),
        *("--tmpfs", f"/tmp:rw,size={limits.scratch_bytes},mode=1777,nosuid,nodev"),  # noqa: S108 (the container's)
        *("--no-healthcheck", "--hostname", "podium", "--log-driver", "none"),
    ]
    for key, value in start.environment.items():
        flags += ["--env", f"{key}={value}"]
    return flags


def with_prefix(image_id: str) -> str:
    """Return an id of an image with the name of its digest."""
    return image_id if image_id.startswith("sha256:") else f"sha256:{image_id}"


def moment(text: object) -> datetime | None:
    """Read a time as engines write it; None for the zero time."""
    match = _TIME.fullmatch(str(text))
    if match is None or str(text).startswith(_ZERO_TIME):
        return None
    fraction = (match[2] or ".0")[:7].ljust(7, "0")
    return datetime.fromisoformat(match[1] + fraction + match[3].replace("Z", "+00:00"))
