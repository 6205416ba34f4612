"""Slurm as a back end: each container is one job, which a node starts with podman, Charliecloud or Apptainer.

Slurm decides when and where a job runs. The registered limits become limits of the job. Everything that nodes and this
machine exchange lies in one shared folder. A job that ends without a report of its script is a fault of the platform's
side, such as a node that failed.
"""

import contextlib
import hashlib
import json
import os
import platform
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from confinement.containers import slurm_jobs
from confinement.containers.client import SYSTEM_CALLS, moment
from confinement.containers.engine import Ending, EngineError, Remains, Sample, Start
from confinement.containers.podman import CONFIGURATION, Podman
from confinement.containers.removing import remove_tree
from confinement.containers.roots import Program, lies_in, unpack
from confinement.containers.slurm_jobs import LAUNCHERS, Site
from confinement.limits import MIB
from evaluation import durable

_CALL_SECONDS = 60.0
_POLL_SECONDS = 1.0
_UNREACHABLE_SECONDS = 300.0
"""Time for which Slurm's controller may be silent before a job counts as lost."""
_VISIBLE_SECONDS = 10.0
"""Time that a file written on a node may take to appear here."""
_ENDING_SECONDS = 15.0
_ACCOUNTING_SECONDS = 10.0
_WAIT_SECONDS = 0.2
_MARK = "podium"
_ENDED = {
    *("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED"),
    *("REVOKED", "TIMEOUT"),
}
_NEVER = {
    *("AccountNotAllowed", "BadConstraints", "InvalidAccount", "InvalidQOS", "PartitionConfig", "PartitionNodeLimit"),
    *("PartitionTimeLimit", "QOSNotAllowed", "AssocMaxCpuPerJobLimit"),
    *("AssocMaxMemPerJob", "QOSMaxCpuPerJobLimit", "QOSMaxMemoryPerJob", "QOSMaxWallDurationPerJobLimit"),
}
"""Reasons why Slurm keeps a job in the queue that time alone does not change."""
_NEVER_SECONDS = 10.0
_CANNOT_START, _NOT_THERE = 126, 127


@dataclass(frozen=True)
class _Job:
    state: str
    node: str = ""
    reason: str = ""


class Slurm:
    """Engine that submits jobs to a cluster.

    Parameters
    ----------
    folder
        Folder of the engine on a file system that this machine shares with all nodes, under the same path.
    site
        Properties of the cluster.

    Raises
    ------
    ValueError
        For a launcher that is not known.
    """

    name = "slurm"
    separates_output = False
    starting_seconds = float("inf")
    """A job may be queued for days; whoever runs the batch decides how long it may wait."""

    def __init__(self, folder: Path, site: Site | None = None) -> None:
        self.site = site or Site()
        if self.site.launcher not in LAUNCHERS:
            raise ValueError(f"{self.site.launcher[:40]!r} is no launcher; known are {', '.join(LAUNCHERS)}")
        self._folder = folder.resolve()
        for name in ("layouts", "roots"):
            (self._folder / name).mkdir(parents=True, exist_ok=True)
        self._folder.chmod(0o711)
        # Nodes do not have this program's files.
        durable.write_bytes(self._folder / "seccomp.json", SYSTEM_CALLS.read_bytes())
        self.is_root = os.geteuid() == 0
        node_folder = Path(f"{self.site.node_folder}-{os.geteuid()}")
        self._podman = Podman(node_folder)
        self._node_folder = str(node_folder)
        is_mapped = self.site.launcher == "podman" and self.is_root
        self.owner = self._podman.owner if is_mapped else os.geteuid()
        self._mark = f"{_MARK}:{hashlib.sha256(str(self._folder).encode()).hexdigest()[:16]}"
        self._queue = _Queue(self.call)
        self._versions: dict[str, str] = {}

    def call(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Call a program of Slurm.

        Raises
        ------
        EngineError
            If it is not installed, takes too long, or fails while `check` is set.
        """
        passed_on = ("PATH", "SLURM_CONF", "LD_LIBRARY_PATH", "HOME")
        environment = {name: os.environ[name] for name in passed_on if name in os.environ} | {"LC_ALL": "C.UTF-8"}
        try:
            done = subprocess.run(  # noqa: S603
                arguments,
                env=environment,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=_CALL_SECONDS,
                check=False,
                text=True,
                errors="replace",
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EngineError(f"slurm {arguments[0]}: {error}") from error
        if check and done.returncode:
            raise EngineError(f"slurm {arguments[0]}: {(done.stderr or done.stdout).strip()[-600:]}")
        return done

    def versions(self) -> dict[str, str]:
        """Return the versions of Slurm and launcher, and whether Slurm keeps accounts."""
        if not self._versions:
            accounts = self.call("sacct", "--noheader", "--parsable2", "--format=JobID", "--starttime=now", check=False)
            self._versions = {
                "engine": " ".join(self.call("sinfo", "--version").stdout.split()),
                "runtime": self.site.launcher,
                # The kernel of this machine, which is not that of the nodes, says nothing about a result.
                "kernel": f"of the node ({platform.machine()})",
                "accounting": "sacct" if accounts.returncode == 0 else "none",
            }
        return dict(self._versions)

    def images(self) -> list[str]:
        """Ids of the images in the shared folder."""
        kind = "layouts" if self.site.launcher == "podman" else "roots"
        names = (path.name for path in (self._folder / kind).iterdir() if not path.name.startswith("."))
        return sorted(f"sha256:{name}" for name in names)

    def load(self, layout: Path, image_id: str) -> None:
        """Copy an image into the shared folder, from a layout that we wrote, after comparing its id.

        podman loads it on each node when it is first needed. For other launchers it is unpacked here.

        Raises
        ------
        EngineError
            When it fails or the layout is that of another image.
        """
        digest = image_id.removeprefix("sha256:")
        config, layers = _parts(layout)
        if hashlib.sha256(config).hexdigest() != digest:
            raise EngineError(f"the layout is not that of {image_id}")
        kind = "layouts" if self.site.launcher == "podman" else "roots"
        target, part = self._folder / kind / digest, self._folder / kind / f".{digest}-{os.getpid()}"
        if target.exists():
            return
        remove_tree(part)
        try:
            if kind == "layouts":
                shutil.copytree(layout, part)
            else:
                part.mkdir()
                unpack(layers, part / "root")
                durable.write_bytes(part / "config.json", config)
            # Flushes the disk without opening each file: links of an image lead to files of this machine.
            os.sync()
            if not target.exists():
                part.rename(target)
                durable.flush_folder(target.parent)
        except OSError as error:
            raise EngineError(f"the image cannot be stored for the nodes: {error}") from error
        finally:
            remove_tree(part)

    def remove_image(self, image_id: str) -> None:
        """Forget an image. A node removes its copy before it loads the next image."""
        for kind in ("layouts", "roots"):
            remove_tree(self._folder / kind / image_id.removeprefix("sha256:"))

    def start(self, start: Start) -> "SlurmContainer | _NotStarted":
        """Submit a job.

        Raises
        ------
        EngineError
            When the image is not there, or Slurm does not accept the job.
        """
        if start.image_id not in self.images():
            raise EngineError(f"image not known: {start.image_id}")
        if any(":" in str(path) for path in (start.output, *(mount.source for mount in start.mounts))):
            raise EngineError("a folder with a colon in its path cannot be mounted")
        if self.site.launcher == "podman":
            text = slurm_jobs.podman_script(
                start,
                self._podman,
                layouts=self._folder / "layouts",
                configuration=CONFIGURATION,
                seccomp=self._folder / "seccomp.json",
                node_folder=self._node_folder,
            )
        else:
            image_folder = self._folder / "roots" / start.image_id.removeprefix("sha256:")
            program = Program.of((image_folder / "config.json").read_bytes())
            if not program.arguments or not lies_in(image_folder / "root", program.arguments[0], program.environment):
                return _NotStarted()
            text = slurm_jobs.folder_script(
                start, self.site.launcher, root=image_folder / "root", program=program, node_folder=self._node_folder
            )
        script = start.folder / "job.sh"
        durable.write_text(script, text)
        comment = f"{self._mark}:{start.batch}:{start.lease}"
        done = self.call(*slurm_jobs.submission(start, self.site, comment, script=script))
        job = done.stdout.strip().split(";")[0]
        if not job.isdigit():
            raise EngineError(f"slurm sbatch: no number of a job in {done.stdout.strip()[:200]!r}")
        return SlurmContainer(self, start, job)

    def containers(self) -> list[Remains]:
        """Jobs of this folder that are queued or running."""
        return [container for _, container in self._listed()]

    def is_alone(self, name: str) -> bool:  # noqa: ARG002 (a job knows its node's neighbours by the site alone)
        """Return whether each job has its node for itself, as the site says."""
        return self.site.exclusive

    def remove(self, name: str) -> None:
        """Cancel a job by its name, and wait a bounded time until it has ended."""
        listed = [(job, container.running) for job, container in self._listed() if container.name == name]
        if not listed:
            return
        for job, is_running in listed:
            # A script ends its container itself. `scancel` waits for a job in the queue before it signals one.
            self.call("scancel", *(("--batch", "--signal=TERM") if is_running else ()), job, check=False)
        until = time.monotonic() + _ENDING_SECONDS
        while time.monotonic() < until and self._jobs_named(name):
            time.sleep(_WAIT_SECONDS * 2)
        if jobs := self._jobs_named(name):
            self.call("scancel", *jobs, check=False)

    def _jobs_named(self, name: str) -> list[str]:
        return [job for job, container in self._listed() if container.name == name]

    def _listed(self) -> list[tuple[str, Remains]]:
        """Return jobs of this folder that have not ended, each with its number."""
        done = self.call("squeue", "--me", "--noheader", "--format=%i|%j|%T|%k")
        listed = []
        for line in done.stdout.splitlines():
            job, name, state, comment = line.strip().split("|", 3)
            if comment.startswith(f"{self._mark}:"):
                *_, batch, lease = comment.split(":")
                listed.append((job, Remains(name, batch, lease, state == "RUNNING")))
        return listed

    def job(self, job: str) -> _Job | None:
        """Return the state of a job, at most a second old, or None if Slurm does not know it."""
        return self._queue.job(job)

    def accounts(self, job: str) -> tuple[float | None, int | None]:
        """Return processor seconds and peak memory in bytes of a job by `sacct`; None where it keeps no accounts."""
        until = time.monotonic() + _ACCOUNTING_SECONDS
        while self.versions()["accounting"] == "sacct":
            form = "--format=JobID,State,TotalCPU,MaxRSS"
            done = self.call("sacct", "--noheader", "--parsable2", "--noconvert", form, f"--jobs={job}", check=False)
            for line in done.stdout.splitlines():
                step, state, cpu, memory = line.split("|")
                if step == f"{job}.batch" and state.split()[0] in _ENDED:
                    size = int(memory) if memory.isdigit() and int(memory) else None
                    return duration(cpu), size
            if time.monotonic() > until:
                break
            time.sleep(_WAIT_SECONDS)
        return None, None


class _Queue:
    """States of all jobs of this user, asked for once per second for all of them together."""

    def __init__(self, call: Callable[..., subprocess.CompletedProcess[str]]) -> None:
        self._call = call
        self._lock = threading.Lock()
        self._jobs: dict[str, _Job] = {}
        self._asked = self._answered = float("-inf")

    def job(self, job: str) -> _Job | None:
        with self._lock:
            now = time.monotonic()
            if now - self._asked >= _POLL_SECONDS:
                self._asked = now
                try:
                    done = self._call("squeue", "--me", "--states=all", "--noheader", "--format=%i|%T|%N|%r")
                except EngineError:
                    # A controller that restarts loses no job.
                    if now - self._answered > _UNREACHABLE_SECONDS:
                        raise
                else:
                    lines = (line.strip().split("|", 3) for line in done.stdout.splitlines())
                    self._jobs = {number: _Job(state, node, reason) for number, state, node, reason in lines}
                    self._answered = time.monotonic()
            return self._jobs.get(job)


class SlurmContainer:
    """A container that is a job."""

    def __init__(self, engine: Slurm, start: Start, job: str) -> None:
        self._engine, self._start, self.job = engine, start, job
        self._submitted = time.monotonic()
        self._is_killed = False
        self._refused = ""
        self._gone: float | None = None
        self._printed: IO[bytes] | None = None
        self._last = _Job("PENDING")

    def started(self) -> bool:
        """Return whether the node has reported the start."""
        return (self._start.folder / "began").exists()

    def running(self) -> bool:
        """Return whether the job is queued or runs, and has not reported an end."""
        if self._has("ended") or self._has("fault") or self._refused:
            return False
        job = self._engine.job(self.job)
        if job is None and time.monotonic() - self._submitted < _VISIBLE_SECONDS:
            return True
        self._last = job or self._last
        if job is not None and job.state not in _ENDED:
            self._gone = None
            is_never = job.state == "PENDING" and job.reason in _NEVER
            if is_never and time.monotonic() - self._submitted > _NEVER_SECONDS:
                self._refused = job.reason
            return not self._refused
        # What the node wrote last may take a while to appear here.
        self._gone = self._gone or time.monotonic()
        was_on_node = self._last.node and self._last.state not in ("NODE_FAIL", "BOOT_FAIL")
        return bool(was_on_node) and time.monotonic() - self._gone < _VISIBLE_SECONDS

    def wait(self, seconds: float) -> None:
        """Wait so long, and at least 0.2 seconds unless it has ended: the folder may be on another machine's disk."""
        until = time.monotonic() + max(seconds, _WAIT_SECONDS)
        while time.monotonic() < until and not self._has("ended"):
            time.sleep(min(_WAIT_SECONDS, max(0.0, until - time.monotonic())))

    def log(self, seconds: float) -> bytes | None:
        """Return the next printed output, as far as it has arrived here."""
        until = time.monotonic() + seconds
        while True:
            is_over = self._has("ended") or self._has("fault") or self._gone is not None or bool(self._refused)
            piece = self._read()
            if piece or is_over:
                return piece or None
            if time.monotonic() >= until:
                return b""
            time.sleep(min(_WAIT_SECONDS, seconds))

    def sample(self) -> Sample | None:
        """Return None: the memory of another machine is not read while the job runs."""
        return None

    def kill(self) -> None:
        """End all of its processes at once, or take the job out of the queue."""
        self._is_killed = True
        if self._has("arrived"):
            # The script ends the container and still reports how it ended.
            self._engine.call("scancel", "--batch", "--signal=TERM", self.job, check=False)
            until = time.monotonic() + _ENDING_SECONDS
            while time.monotonic() < until and self.running():
                time.sleep(_WAIT_SECONDS)
        if not self._has("ended"):
            self._engine.call("scancel", self.job, check=False)

    def ending(self) -> Ending:
        """Return how the container ended."""
        until = time.monotonic() + _ENDING_SECONDS + _VISIBLE_SECONDS
        while self.running() and time.monotonic() < until:
            time.sleep(_WAIT_SECONDS)
        if self._has("fault"):
            return Ending(None, None, None, fault=f"slurm, job {self.job}: {self._text('fault').strip()[:600]}")
        if self._has("ended"):
            return self._reported()
        if self._refused:
            fault = f"slurm cannot run job {self.job} in this partition: {self._refused}; compare the limits with those of the cluster"
            return Ending(None, None, None, fault=fault)
        state = self._last.state
        if self._is_killed:
            return Ending(None, None, None)
        if state == "OUT_OF_MEMORY" and self.started():
            return Ending(None, None, None, out_of_memory=True)
        where = f" on {self._last.node}" if self._last.node else ""
        tail = " ".join(self._text("slurm.log").split())[-300:]
        fault = f"slurm ended job {self.job}{where} without a report: {state} ({self._last.reason}) {tail}"
        return Ending(None, None, None, fault=fault.strip())

    def remove(self) -> None:
        """Leave nothing of it on the cluster."""
        if self._printed is not None:
            self._printed.close()
            self._printed = None
        if not self._has("ended"):
            self._engine.remove(self._start.name)

    def _reported(self) -> Ending:
        exit_text, _, finished_text = self._text("ended").strip().partition(" ")
        code = int(exit_text) if exit_text.isdigit() else None
        used = slurm_jobs.usage(self._text("usage"))
        is_killed_for_memory = used.get("oom_kill", 0) > 0
        started, finished = _moment(self._text("began")), _moment(finished_text)
        if self._engine.site.launcher == "podman":
            state = _inspected(self._text("inspected"))
            if state is None:
                return Ending(None, None, None, fault=f"slurm, job {self.job}: podman knows no container any more")
            started, finished = moment(state.get("StartedAt")), moment(state.get("FinishedAt"))
            is_killed_for_memory |= bool(state.get("OOMKilled"))
            if started is None:
                is_its_own = code in (_CANNOT_START, _NOT_THERE)
                tail = " ".join((self._text("printed") + self._text("slurm.log")).split())[-400:]
                fault = "" if is_its_own else f"podman did not start the container on a node ({tail})"
                return Ending(code, None, None, not_started=is_its_own, fault=fault)
            exit_code = state.get("ExitCode")
            code = exit_code if isinstance(exit_code, int) and exit_code >= 0 else None
        cpu = used["cpu_nanoseconds"] / 1e9 if "cpu_nanoseconds" in used else None
        cpu = used["usage_usec"] / 1e6 if cpu is None and "usage_usec" in used else cpu
        peak = None
        if "own_group" not in used:
            # Groups of the container cannot be read: what Slurm accounts for the job is used instead.
            cpu, peak = self._engine.accounts(self.job)
            job = self._engine.job(self.job)
            is_killed_for_memory |= job is not None and job.state == "OUT_OF_MEMORY"
            is_killed_for_memory |= "oom-kill event" in self._text("slurm.log")
        return Ending(
            code,
            started,
            finished,
            out_of_memory=is_killed_for_memory,
            cpu_seconds=cpu,
            peak_memory_bytes=peak,
            high_water_bytes=used.get("high_water"),
        )

    def _has(self, name: str) -> bool:
        return (self._start.folder / name).exists()

    def _text(self, name: str) -> str:
        with contextlib.suppress(OSError), (self._start.folder / name).open("rb") as stream:
            return stream.read(MIB).decode(errors="replace")
        return ""

    def _read(self) -> bytes:
        if self._printed is None:
            with contextlib.suppress(OSError):
                self._printed = (self._start.folder / "printed").open("rb", buffering=0)
        return (self._printed.read(MIB) or b"") if self._printed is not None else b""


class _NotStarted:
    """A container whose image has no such program; no job is needed to find that out."""

    def started(self) -> bool:
        return False

    def running(self) -> bool:
        return False

    def wait(self, seconds: float) -> None:
        pass

    def log(self, seconds: float) -> bytes | None:  # noqa: ARG002
        return None

    def sample(self) -> Sample | None:
        return None

    def kill(self) -> None:
        pass

    def ending(self) -> Ending:
        return Ending(_NOT_THERE, None, None, not_started=True)

    def remove(self) -> None:
        pass


def duration(text: str) -> float | None:
    """Return seconds from a duration as Slurm writes it, ``[days-][hours:]minutes:seconds[.fraction]``.

    Examples
    --------
    >>> duration("1-02:03:04"), duration("00:01.250"), duration("")
    (93784.0, 1.25, None)
    """
    days, _, clock = text.rpartition("-")
    try:
        seconds = 0.0
        for part in clock.split(":"):
            seconds = seconds * 60 + float(part)
        return seconds + 86_400 * int(days or 0)
    except ValueError:
        return None


def _inspected(text: str) -> Mapping[str, Any] | None:
    with contextlib.suppress(ValueError, LookupError, TypeError):
        state: Mapping[str, Any] = json.loads(text)[0]["State"]
        return state
    return None


def _moment(text: str) -> datetime | None:
    with contextlib.suppress(ValueError):
        return datetime.fromtimestamp(float(text), UTC)
    return None


def _parts(layout: Path) -> tuple[bytes, list[Path]]:
    """Return configuration and layers of a layout of ours."""
    blobs = layout / "blobs" / "sha256"

    def blob(entry: Mapping[str, Any]) -> Path:
        return blobs / str(entry["digest"]).removeprefix("sha256:")

    try:
        index = json.loads((layout / "index.json").read_bytes())
        manifest = json.loads(blob(index["manifests"][0]).read_bytes())
        return blob(manifest["config"]).read_bytes(), [blob(layer) for layer in manifest["layers"]]
    except (OSError, ValueError, LookupError) as error:
        raise EngineError(f"the layout cannot be read: {error}") from error
