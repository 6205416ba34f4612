"""The machine of this process as one that runs algorithms: its engine, whether all that has to hold does, and what it offers."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import structlog
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from confinement.containers import hardware, leftovers
from confinement.containers.engine import Engine, EngineError
from core.work.queries import living_leases
from executions import hooks
from executions.models import Batch, RunHost

log = structlog.get_logger(__name__)

FORGOTTEN = timedelta(days=1)
BEAT_SECONDS = 15.0
RUN, JUDGE = "run", "judge"


@dataclass
class Host:
    """The machine of this process.

    Attributes
    ----------
    queues
        What its worker takes turns of: ``run``, algorithms of teams; ``judge``, scoring images of organizers.
    problem
        Why it runs nothing; empty where it does.
    findings
        Requirement → what is wrong with it.
    """

    engine: Engine | None = None
    problem: str = "No worker of this process runs algorithms."
    findings: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    queues: frozenset[str] = frozenset({RUN})

    @property
    def is_ready(self) -> bool:
        return self.engine is not None and not self.problem

    @property
    def runs(self) -> bool:
        """True if the machine runs algorithms."""
        return self.is_ready and RUN in self.queues

    @property
    def judges(self) -> bool:
        """True if the machine runs scoring images, which see references."""
        return self.is_ready and JUDGE in self.queues

    @property
    def name(self) -> str:
        name = socket.gethostname()
        return (name if RUN in self.queues else f"{name}, {JUDGE}")[:100]


_host = Host()


def here() -> Host:
    """Return this machine as it was found when the worker started."""
    return _host


def take_up(host: Host) -> None:
    """Use this engine from now on, at the start of a worker and in tests with a test double."""
    global _host  # noqa: PLW0603 (one a process)
    _host = host


def engine_name() -> str:
    """Return the engine for this installation: the setting, otherwise podman if it is installed."""
    stated = settings.PODIUM_RUN_ENGINE
    if stated:
        return stated if shutil.which(stated) else "none"
    return "podman" if shutil.which("podman") else "none"


def folder() -> Path:
    """Return the folder of this machine for engines: their storage, weights, and files visible to containers.

    Users of containers are not users of this machine, and they must be able to reach the files visible to them.
    The folder is therefore outside the private data, and no name in it reveals anything.
    """
    if settings.PODIUM_RUN_FOLDER:
        path = Path(settings.PODIUM_RUN_FOLDER)
    else:
        data_digest = hashlib.sha256(str(settings.PODIUM_DATA).encode()).hexdigest()[:12]
        path = Path("/var/tmp") / f"podium-run-{os.getuid()}-{data_digest}"  # noqa: S108 (of our own, and checked below)
    path.mkdir(parents=True, exist_ok=True, mode=0o711)
    if path.is_symlink() or path.stat().st_uid != os.getuid():
        raise EngineError(f"{path} belongs to somebody else; set PODIUM_RUN_FOLDER to a folder of your own.")
    path.chmod(0o711)
    return path


def leases() -> Path:
    """Return the folder that contains a separate folder for each lease."""
    path = folder() / "leases"
    path.mkdir(exist_ok=True, mode=0o711)
    return path


def open_up(queues: frozenset[str] = frozenset({RUN})) -> Host:
    """Find out what this machine can run, by trying; of a worker that serves these queues, before it forks."""
    with _cleans_up():
        host = replace(_found(queues), queues=queues)
    take_up(host)
    tell()
    if host.problem:
        log.warning("runs_no_algorithms", reason=host.problem)
    else:
        sweep_leftovers()
    return host


@contextmanager
def _cleans_up() -> Iterator[None]:
    """Let a worker exit in an orderly way if it is stopped during the trial of the engine.

    Nothing of the trial remains.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _found(queues: frozenset[str]) -> Host:
    from confinement.containers.engines import engine_named
    from confinement.containers.probe import probe

    if RUN in queues and settings.PODIUM_REFERENCE_KEY and not settings.PODIUM_RUN_TOGETHER:
        return Host(
            problem="This worker holds the key of the references. Leave PODIUM_REFERENCE_KEY out of the environment of run "
            "hosts, or set PODIUM_RUN_TOGETHER=1 where there is one machine only."
        )
    if JUDGE in queues and not settings.PODIUM_REFERENCE_KEY and not settings.PODIUM_RUN_TOGETHER:
        return Host(
            problem="This worker takes turns of the queue judge and has no key of the references. Set PODIUM_REFERENCE_KEY."
        )
    name = engine_name()
    if name == "none":
        return Host(problem="There is no container engine.")
    try:
        engine = engine_named(name, folder(), runtime=settings.PODIUM_RUN_RUNTIME)
        if engine is None:
            return Host(problem=f"{name} is not installed.")
        engine_probe = probe(engine, folder())
    except (EngineError, OSError) as error:
        return Host(problem=f"{name} does not work here: {error}"[:500])
    findings = {
        key: engine_probe.told.get(key, "") or "does not hold" for key, holds in engine_probe.holds.items() if not holds
    }
    problem = "" if engine_probe.ok else engine_probe.sentence()[:500]
    return Host(engine, problem, findings, dict(engine_probe.versions) or engine.versions())


def tell() -> None:
    """Note in the database what this machine is, and that it is alive."""
    host = here()
    RunHost.objects.update_or_create(
        name=host.name,
        defaults={
            "queues": sorted(host.queues),
            "engine": host.engine.name if host.engine else "",
            "versions": host.versions,
            "is_ready": host.is_ready,
            "findings": host.findings,
            "problem": host.problem,
            "slots": offered(),
            "seen_at": timezone.now(),
        },
    )
    RunHost.objects.filter(seen_at__lt=timezone.now() - FORGOTTEN).delete()


def keep_telling(*, also: Callable[[], object] = lambda: None) -> None:
    """Report regularly from a thread while this process lives, and run other regular work."""

    def beat() -> None:
        while not stopped.wait(BEAT_SECONDS):
            try:
                tell()
                if here().is_ready:
                    sweep_leftovers()
                    also()
            except (DatabaseError, EngineError, OSError):
                log.warning("host_not_told")
            finally:
                connection.close()

    stopped = threading.Event()
    threading.Thread(target=beat, name="run-host", daemon=True).start()


def offered() -> dict[str, object]:
    """Cores, memory and devices that this machine offers."""
    return hardware.offered(settings.PODIUM_RUN_CPUS, settings.PODIUM_RUN_MEMORY_MIB, settings.PODIUM_RUN_GPUS)


def sweep_leftovers() -> None:
    """End containers and remove folders on this machine whose lease is not alive."""
    host = here()
    if host.engine is None:
        return
    # What was there before the database was asked: a lease that is taken meanwhile is none of these.
    before = {container.lease for container in host.engine.containers()} | {path.name for path in leases().iterdir()}
    tokens = set(living_leases(Batch.objects.filter(state=Batch.State.RUNNING)))
    tokens |= {token for ask in hooks.leases for token in ask()}
    swept = leftovers.sweep(host.engine, leases(), _Living(before - tokens))
    if swept.containers or swept.folders:
        log.info("leftovers_removed", containers=len(swept.containers), folders=len(swept.folders))


@dataclass(frozen=True)
class _Living(Collection[str]):
    """Leases that are alive: all but those that are known to have ended."""

    ended: Collection[str]

    def __contains__(self, token: object) -> bool:
        return token not in self.ended

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


@contextmanager
def alone_with(what: str) -> Iterator[None]:
    """Hold off other processes of this machine from doing the same, such as loading one image twice."""
    locks = folder() / "locks"
    locks.mkdir(exist_ok=True, mode=0o700)
    with (locks / hashlib.sha256(what.encode()).hexdigest()[:32]).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with contextlib.suppress(OSError):
            os.utime(file.name)
        yield
