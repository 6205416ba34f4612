"""Running one batch: prepare folders, start the container, watch it, end it, collect what it wrote, leave nothing."""

import itertools
import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from confinement.archive import BLOCK
from confinement.containers.batches import LEAST_PEAK_BYTES, Batch, BatchReport
from confinement.containers.collecting import collect
from confinement.containers.engine import Container, Ending, Engine, EngineError, Mount, Sample, Start
from confinement.containers.logs import LogReader
from confinement.containers.removing import remove_tree
from confinement.containers.space import Space, open_space
from confinement.limits import GIB, MIB

INTERFACE_FILE = "interface.json"
_SAMPLE_SECONDS, _SLOW_SAMPLE_SECONDS, _SLOW_BYTES = 0.05, 0.1, 8 * GIB
_LOOK_SECONDS, _BEAT_SECONDS = 0.25, 1.0
_LOG_SECONDS, _LAST_LOG_SECONDS = 0.2, 5.0
_STARTS = 2
"""An entry point that cannot be started is tried once more."""
_SIGNALLED = 128


def run_batch(
    engine: Engine,
    batch: Batch,
    folder: Path,
    *,
    beat: Callable[[], None] = lambda: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> BatchReport:
    """Run a batch and report the observations.

    Parameters
    ----------
    engine
        Engine that already contains the image.
    batch
        The image, its cases and its bounds.
    folder
        Folder of this lease only; created if it does not exist. Collected files stay below `collected`; all else
        is removed. All users must be able to enter the folders above it, since the container's user matches no
        user of this machine.
    beat
        Called about every second while the container runs. Its exceptions are passed to the caller after the
        container has been ended and removed.
    cancelled
        Called equally often. A cancelled batch is ended, and none of its files are collected.

    Returns
    -------
    BatchReport
        With `fault` for any failure on the platform's side.
    """
    if batch.flat and len(batch.cases) != 1:
        raise ValueError("a start without folders of cases has one case")
    report = BatchReport()
    for _ in range(_STARTS):
        report = _Run(engine, batch, folder, beat, cancelled).report()
        if not report.not_started:
            break
    return report


@dataclass
class _Watched:
    """Observations of the watcher."""

    timed: bool = False
    log_bound: bool = False
    cancelled: bool = False
    output_bound: str = ""
    fault: str = ""
    alone: bool = True
    samples: list[Sample] = field(default_factory=list)
    peak_bytes: int = 0
    seconds: float = 0.0


class _Run:
    def __init__(
        self,
        engine: Engine,
        batch: Batch,
        folder: Path,
        beat: Callable[[], None],
        cancelled: Callable[[], bool],
    ) -> None:
        self.engine, self.batch, self.folder = engine, batch, folder
        self.beat, self.cancelled = beat, cancelled
        self.reader = LogReader()
        self.count = len(batch.cases)
        self.working = folder / "working"

    def report(self) -> BatchReport:
        """Run it once."""
        container: Container | None = None
        space: Space | None = None
        try:
            self._prepare()
            space = open_space(
                self.working,
                tries_file_system=self.engine.separates_output,
                owner=self.engine.owner,
                size=self.batch.limits.output_bytes,
                files=self.batch.limits.files(self.count),
            )
            versions = dict(self.engine.versions()) | {"output": space.bounded}
            container = self.engine.start(self._start(space))
            watched = self._watch(container, space)
            ending = container.ending()
            return self._told(watched, ending, space, versions)
        except (EngineError, OSError) as error:
            return BatchReport(fault=f"{type(error).__name__}: {error}"[:1_000], log=self.reader.log())
        finally:
            self._leave(container, space)

    def _prepare(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o711)
        _check_enterable(self.folder, self.engine)
        for stale in (self.working, self.folder / "collected"):
            remove_tree(stale)
        self.working.mkdir()
        self.working.chmod(0o711)
        (self.working / "engine").mkdir(mode=0o700)
        inputs = self.working / "input"
        inputs.mkdir()
        for case in self.batch.cases:
            case_folder = inputs if self.batch.flat else inputs / case.name
            for name, source in case.files.items():
                target = case_folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
            for name in ("", *case.folders):
                (case_folder / name).mkdir(parents=True, exist_ok=True)
        if self.batch.tells_interface:
            (inputs / INTERFACE_FILE).write_text(json.dumps(self.batch.interface, ensure_ascii=False, indent=1))
        for path, folders, names in os.walk(inputs, topdown=False):
            for name in names:
                _neutral(Path(path) / name, 0o644)
            for name in folders:
                _neutral(Path(path) / name, 0o755)
        _neutral(inputs, 0o755)
        if self.batch.model is None:
            (self.working / "model").mkdir(mode=0o755)
            (self.working / "model").chmod(0o755)
        else:
            _read_once(self.batch.model)

    def _start(self, space: Space) -> Start:
        batch, limits = self.batch, self.batch.limits
        model = batch.model or self.working / "model"
        environment = {
            "HOME": "/tmp",  # noqa: S108 (the container's)
            "PODIUM_INTERFACE": str(batch.interface.get("interface", "")),
            "PODIUM_CPUS": f"{limits.cpus:g}",
            "PODIUM_MEMORY_BYTES": str(limits.memory_bytes),
            "OMP_NUM_THREADS": str(max(1, int(limits.cpus))),
        }
        return Start(
            name=batch.container,
            batch=batch.batch,
            lease=batch.lease,
            image_id=batch.image_id,
            output=space.folder,
            limits=limits,
            seconds=limits.seconds(self.count),
            folder=self.working / "engine",
            mounts=[Mount(self.working / "input", "/input"), *(Mount(model, target) for target in batch.model_targets)],
            environment=environment | dict(batch.environment),
            gpus=batch.gpus,
        )

    def _watch(self, container: Container, space: Space) -> _Watched:
        """Watch until it has ended, and end it where a bound is passed."""
        seen = _Watched()
        ends = threading.Event()
        reading = threading.Thread(target=self._read, args=(container, ends), daemon=True)
        reading.start()
        began = time.monotonic()
        started: float | None = None
        look = pulse = began
        pause = _SAMPLE_SECONDS
        try:
            while container.running():
                now = time.monotonic()
                if started is None:
                    started = now if container.started() else None
                sample = container.sample()
                if sample is not None:
                    seen.peak_bytes = max(seen.peak_bytes, sample.memory_bytes)
                    pause = _SLOW_SAMPLE_SECONDS if sample.memory_bytes > _SLOW_BYTES else _SAMPLE_SECONDS
                    if sample.gpu_memory_bytes is not None:
                        seen.samples.append(sample)
                if now >= pulse:
                    self.beat()
                    seen.cancelled = self.cancelled()
                    seen.alone = seen.alone and self.engine.is_alone(self.batch.container)
                    pulse = now + _BEAT_SECONDS
                if now >= look:
                    seen.output_bound = self._excess(space)
                    look = now + _LOOK_SECONDS
                seen.log_bound = self.reader.size > self.batch.limits.log_bytes
                seen.timed = started is not None and now - started >= self.batch.limits.seconds(self.count)
                if started is None and now - began > self.engine.starting_seconds:
                    limit = self.engine.starting_seconds
                    seen.fault = f"The engine did not start the container within {limit:g} seconds."
                if seen.timed or seen.log_bound or seen.cancelled or seen.output_bound or seen.fault:
                    container.kill()
                    break
                container.wait(max(0.0, pause - (time.monotonic() - now)))
        finally:
            seen.seconds = time.monotonic() - (started or began)
            ends.set()
            reading.join(_LAST_LOG_SECONDS)
        # What was written in the last moment, and what was printed, counts too.
        seen.output_bound = seen.output_bound or self._excess(space)
        seen.log_bound = seen.log_bound or self.reader.size > self.batch.limits.log_bytes
        return seen

    def _read(self, container: Container, ends: threading.Event) -> None:
        """Read the container's output in a separate thread: an unread stream would block the program."""
        until: float | None = None
        while (piece := container.log(_LOG_SECONDS)) is not None:
            self.reader.take(piece)
            if ends.is_set():
                until = until or time.monotonic() + _LAST_LOG_SECONDS / 2
                if not piece or time.monotonic() > until:
                    return

    def _excess(self, space: Space) -> str:
        written = space.written()
        most_files = self.batch.limits.files(self.count)
        if written.files > most_files:
            return f"The algorithm wrote more than {most_files:,} files and folders, and was ended for it."
        if written.bytes > self.batch.limits.output_bytes:
            return f"The algorithm wrote more than {self.batch.limits.output_bytes:,} bytes, and was ended for it."
        return ""

    def _told(self, seen: _Watched, ending: Ending, space: Space, versions: dict[str, str]) -> BatchReport:
        wall = seen.seconds
        if ending.started and ending.finished and ending.finished >= ending.started:
            wall = (ending.finished - ending.started).total_seconds()
        code = ending.exit_code
        peak = max(seen.peak_bytes, ending.peak_memory_bytes or 0)
        written = space.written()
        report = BatchReport(
            fault=seen.fault or ending.fault,
            cancelled=seen.cancelled,
            exit_code=code,
            signal=code - _SIGNALLED if code is not None and _SIGNALLED < code <= _SIGNALLED + signal.NSIG else None,
            timed=seen.timed,
            out_of_memory=ending.out_of_memory,
            output_bound=seen.output_bound,
            log_bound=seen.log_bound,
            not_started=ending.not_started,
            started_at=ending.started,
            wall_seconds=wall,
            cpu_seconds=ending.cpu_seconds,
            peak_memory_bytes=peak if peak >= LEAST_PEAK_BYTES else None,
            high_water_bytes=ending.high_water_bytes,
            output_bytes=max(0, written.bytes),
            output_files=max(0, written.files),
            log=self.reader.log(),
            versions=versions,
            exclusive=seen.alone,
        )
        if self.batch.gpus:
            report = replace(
                report,
                gpu_seconds=wall * len(self.batch.gpus),
                gpu_peak_memory_bytes=max((sample.gpu_memory_bytes or 0 for sample in seen.samples), default=None),
                # Without samples, memory over time is unknown, which differs from none.
                gpu_memory_time=memory_time(seen.samples) if len(seen.samples) > 1 else None,
                gpu_utilization=_mean(
                    [sample.gpu_utilization for sample in seen.samples if sample.gpu_utilization is not None]
                ),
                energy_joule=ending.energy_joule if seen.alone else None,
            )
        if report.fault or report.cancelled:
            return report
        target, most = self.folder / "collected", self.batch.limits.output_bytes
        names = [case.name for case in self.batch.cases]
        files = collect(space.folder, names, self.batch.outputs, target, most_bytes=most, flat=self.batch.flat)
        if self.batch.common:
            files |= collect(space.folder, [""], self.batch.common, target, most_bytes=most, flat=True)
        return replace(report, files=files)

    def _leave(self, container: Container | None, space: Space | None) -> None:
        if container is not None:
            container.remove()
        if space is not None:
            space.close()
        remove_tree(self.working)


def memory_time(samples: Sequence[Sample]) -> float:
    """Memory over time in MiB·s: each sample counts until the next.

    Examples
    --------
    >>> memory_time([Sample(0.0, 0, 100 * 1024**2), Sample(0.5, 0, 300 * 1024**2), Sample(1.0, 0, 0)])
    200.0
    """
    pairs = itertools.pairwise(samples)
    return sum((sample.gpu_memory_bytes or 0) / MIB * (after.seconds - sample.seconds) for sample, after in pairs)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _neutral(path: Path, mode: int) -> None:
    path.chmod(mode)
    os.utime(path, (0, 0))


def _read_once(folder: Path) -> None:
    """Read files before the start: else the first container after a while would pay in memory for what the next finds."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as stream:
                while stream.read(BLOCK):
                    pass


def _check_enterable(folder: Path, engine: Engine) -> None:
    if engine.owner == os.geteuid():
        return
    for path in (folder.resolve(), *folder.resolve().parents):
        if not path.stat().st_mode & 0o001:
            raise EngineError(f"The folder {path} cannot be entered by the user of a container (chmod o+x).")
