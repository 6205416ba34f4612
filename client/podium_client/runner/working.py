"""One run on this machine: inputs, container, outputs, delivery. What is delivered survives a restart of the runner."""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from confinement.containers.batches import BatchReport, Taken
from confinement.containers.engine import EngineError
from confinement.containers.orders import LayingError, Order, OrderError, OutputEntry, execute, laid, measurements_of
from confinement.containers.removing import remove_tree
from confinement.containers.space import release as release_space
from confinement.limits import GIB, ChildLimits
from evaluation import durable
from evaluation.running.conventions import conventions_of
from evaluation.running.interface import Socket
from podium_client.errors import ClientError
from podium_client.runner.link import EndedError, Link, RefusedError, TokenError
from podium_client.runner.machine import Machine
from podium_client.runner.storing import NoRoomError, Store

_RESULT, _OUTPUTS = "result.json", "outputs.bin"
_BLOCK = 1024**2
_CONVERTING = ChildLimits(memory_bytes=4 * GIB, file_bytes=4 * GIB, folder_bytes=8 * GIB, item_seconds=120)
"""Bounds on the child that converts the image of a case to other conventions."""


class _Pulse:
    """Signs of life of a run, sent from a thread."""

    def __init__(self, link: Link, run: str, lease_seconds: float, stopping: threading.Event) -> None:
        self.step, self.is_lost = "preparing", False
        self._link, self._run, self._lease, self._stopping = link, run, lease_seconds, stopping
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._send, name=f"pulse-{run}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def beat(self) -> None:
        """Raise `EndedError` if the run is lost or the runner stops."""
        if self.is_lost:
            raise EndedError("the lease has ended")
        if self._stopping.is_set():
            raise EndedError("the runner stops")

    def now(self, step: str) -> None:
        """Send a sign of life with a new step."""
        self.step = step
        self._once()
        self.beat()

    def _send(self) -> None:
        pause = self._lease / 3
        while not self._done.wait(pause) and not self.is_lost:
            pause = self._once() or pause

    def _once(self) -> float | None:
        try:
            return self._link.beat(self._run, self.step, until=time.monotonic() + self._lease)
        except (EndedError, ClientError):
            self.is_lost = True
        return None


class Worker:
    """Executes runs on this machine."""

    def __init__(
        self, machine: Machine, link: Link, store: Store, stopping: threading.Event, tell: Callable[[str], None]
    ) -> None:
        self.machine, self.link, self.store = machine, link, store
        self._stopping, self._tell = stopping, tell
        self.piece_bytes = 4 * _BLOCK

    def folder(self, run: str) -> Path:
        """Return the folder of a run."""
        return self.machine.part("runs") / run

    def work(self, claimed: Mapping[str, Any]) -> bool:
        """Execute a claimed run and deliver it; returns whether it was delivered."""
        run = str(claimed["run"])
        folder = self.folder(run)
        remove_tree(folder)
        folder.mkdir(mode=0o711)
        is_delivered = False
        try:
            with _Pulse(self.link, run, float(claimed["lease_seconds"]), self._stopping) as pulse:
                is_delivered = self._worked(claimed, folder, pulse)
        except TokenError:
            raise
        except EndedError as error:
            self._tell(f"Run {run} ended: {error}.")
            if self._stopping.is_set() and not (folder / _RESULT).exists():
                self._release(run, "The runner was stopped.")
        except (RefusedError, NoRoomError) as error:
            self._tell(f"Run {run} is released: {error}")
            self._release(run, str(error))
        finally:
            # A result that could not be delivered before the stop is delivered after the next start.
            if not (self._stopping.is_set() and (folder / _RESULT).exists() and not is_delivered):
                self._discard(folder)
        return is_delivered

    def _worked(self, claimed: Mapping[str, Any], folder: Path, pulse: _Pulse) -> bool:
        run = str(claimed["run"])
        try:
            order = Order.from_json(claimed["order"])
            report = self._executed(claimed, order, folder, pulse)
        except (EngineError, LayingError, OrderError, OSError) as error:
            report, order = BatchReport(fault=f"{type(error).__name__}: {error}"[:500]), None
        self._keep(order, report, folder)
        # Also while the runner stops: another machine would have to repeat the run.
        pulse.step = "sending the outputs"
        self._deliver(run, folder)
        words = f"failed on this machine: {report.fault}" if report.fault else f"done in {report.wall_seconds:.1f} s"
        self._tell(f"Run {run}: {words}")
        return True

    def _executed(self, claimed: Mapping[str, Any], order: Order, folder: Path, pulse: _Pulse) -> BatchReport:
        images = {}
        inputs = folder / "inputs"
        inputs.mkdir()
        for number, (case, entry) in enumerate(zip(order.cases, claimed["cases"], strict=True)):
            path = inputs / f"{number}{case.ending}"
            self.link.download(entry["address"], int(entry["size"]), path, pulse.beat)
            images[case.name] = path
        sockets = {side: [Socket(**socket) for socket in order.sockets[side]] for side in ("inputs", "outputs")}
        conventions = conventions_of(order.interface, sockets["inputs"], sockets["outputs"])
        written = folder / "written"
        written.mkdir()
        with (
            self.store.image(claimed["image"], order.image_id, pulse.beat),
            self.store.weights(claimed["weights"], order.model_digest, pulse.beat) as model,
            laid(conventions, sockets["inputs"][0].name, images, written, _CONVERTING, pulse.beat) as cases,
        ):
            pulse.now("running")
            report = execute(self.machine.engine, order, cases, model, folder / "batch", beat=pulse.beat)
        pulse.beat()
        return report

    # --- Delivery -----------------------------------------------------------------------------------------------------
    def _keep(self, order: Order | None, report: BatchReport, folder: Path) -> None:
        """Write the result of a run, whole or not at all."""
        entries: list[OutputEntry] = []
        with (folder / _OUTPUTS).open("wb") as stream:
            for case in order.cases if order is not None and not report.fault else ():
                for output in order.outputs if order is not None else ():
                    output_file = report.files.get(case.name, {}).get(output.file)
                    entry = OutputEntry(
                        case.name, output.file, Taken.ABSENT if output_file is None else output_file.taken
                    )
                    if output_file is not None:
                        entry = replace(entry, reason=output_file.reason)
                    if output_file is not None and output_file.taken is Taken.TAKEN and output_file.path is not None:
                        size, digest = _copied(output_file.path, stream)
                        entry = replace(entry, name=output_file.path.name, size=size, sha256=digest)
                    entries.append(entry)
        content = {"measurements": measurements_of(report), "manifest": [entry.as_json() for entry in entries]}
        durable.write_text(folder / _RESULT, json.dumps(content), mode=0o600)
        remove_tree(folder / "batch")

    def _deliver(self, run: str, folder: Path) -> None:
        content = json.loads((folder / _RESULT).read_text("utf-8"))
        outputs = folder / _OUTPUTS
        size = outputs.stat().st_size
        offset = self.link.received(run)
        with outputs.open("rb") as stream:
            while offset < size:
                stream.seek(offset)
                offset = self.link.send(run, offset, stream.read(self.piece_bytes))
        self.link.measure(run, content["measurements"])
        self.link.finish(run, content["manifest"])

    def resume(self) -> None:
        """Deliver results of an earlier start of the runner, and release runs that it did not finish."""
        for folder in sorted(self.machine.part("runs").iterdir()):
            run = folder.name
            try:
                if (folder / _RESULT).exists():
                    self._deliver(run, folder)
                    self._tell(f"Run {run}: delivered after the restart")
                else:
                    self.link.release(run, "The runner was restarted.")
            except (EndedError, RefusedError) as error:
                self._tell(f"Run {run} is discarded: {error}")
            self._discard(folder)

    def _release(self, run: str, reason: str) -> None:
        try:
            self.link.release(run, reason)
        except (EndedError, ClientError) as error:
            self._tell(f"Run {run} could not be released ({error}). Another machine gets it after the lease.")

    def _discard(self, folder: Path) -> None:
        release_space(folder / "batch")
        remove_tree(folder)


def _copied(path: Path, stream: Any) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as source:
        while block := source.read(_BLOCK):
            digest.update(block)
            stream.write(block)
            size += len(block)
    return size, digest.hexdigest()


@contextmanager
def stopping_on_signals(stopping: threading.Event, tell: Callable[[str], None]) -> Iterator[None]:
    """Set an event at SIGTERM and SIGINT during the context."""
    import signal

    def stop(*_: object) -> None:
        if not stopping.is_set():
            tell("Stopping: runs in progress are released, and results are delivered after the next start.")
        stopping.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
