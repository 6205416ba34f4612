"""An engine whose containers are functions of a test, run in threads: what the platform does with an observation needs no podman."""

import json
import os
import queue
import shutil
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from confinement.containers.engine import Ending, Remains, Sample, Start


class EndedError(Exception):
    """Raised inside a script when its container is killed."""


class Work:
    """The view that a script has of its start, and the methods that set the observed behaviour."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.output = start.output
        self.input = next(mount.source for mount in start.mounts if mount.target == "/input")
        self.model = next((mount.source for mount in start.mounts if mount.target == "/model"), None)
        told = self.input / "interface.json"
        self.interface: dict[str, Any] = json.loads(told.read_text()) if told.exists() else {}
        self.cases = sorted(own.name for own in self.input.iterdir() if own.is_dir())
        self.killed = threading.Event()
        self.printed: queue.Queue[bytes | None] = queue.Queue()
        self.code: int | None = 0
        self.is_out_of_memory = self.is_not_started = False
        self.fault_text = ""
        self.memory_bytes = 64 * 1024**2
        self.cpu_seconds = 0.1

    def log(self, piece: bytes) -> None:
        """Print."""
        self.printed.put(piece)

    def sleep(self, seconds: float) -> None:
        """Wait; ends the script when the container is killed."""
        if self.killed.wait(seconds):
            raise EndedError

    def write(self, case: str, file: str, content: bytes) -> None:
        """Write an output of a case."""
        target = self.output / case / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    def first_input(self, case: str) -> Path:
        """The first input file of a case."""
        return next(own for own in sorted((self.input / case).rglob("*")) if own.is_file())

    def copy(self, case: str) -> None:
        """Copy the first input of a case to its first output."""
        source = self.first_input(case)
        target = self.output / case / self.interface["outputs"][0]["file"]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)

    def exit(self, code: int) -> None:
        """End with an exit status."""
        self.code = code
        raise EndedError

    def out_of_memory(self, code: int = 137) -> None:
        """End as the kernel ends a process that takes too much memory."""
        self.is_out_of_memory = True
        self.exit(code)

    def fault(self, text: str) -> None:
        """End by a fault of the engine."""
        self.fault_text = text
        raise EndedError

    def not_started(self) -> None:
        """End as if the entry point could not be started."""
        self.is_not_started = True
        self.exit(127)


Script = Callable[[Work], None]


def copies(work: Work) -> None:
    """Copy the first input of each case to its first output."""
    for case in work.cases:
        work.copy(case)


class StandInEngine:
    """An engine of tests. `starts` lists what was started; `held` the ids of images that are there, all if None."""

    name = "stand-in"
    separates_output = False
    starting_seconds = 180.0

    def __init__(self, script: Script = copies, held: list[str] | None = None) -> None:
        self.owner = os.geteuid()
        self.script = script
        self.held: list[str] = [] if held is None else held
        self.starts: list[Start] = []
        self.loaded: list[str] = []
        self.alive: dict[str, StandInContainer] = {}

    def versions(self) -> dict[str, str]:
        return {"engine": "stand-in 1", "runtime": "thread 1", "kernel": os.uname().release}

    def images(self) -> list[str]:
        return sorted(self.held)

    def load(self, layout: Path, image_id: str) -> None:
        assert (layout / "index.json").exists()
        self.loaded.append(image_id)
        self.held.append(image_id)

    def remove_image(self, image_id: str) -> None:
        self.held = [own for own in self.held if own != image_id]

    def start(self, start: Start) -> "StandInContainer":
        self.starts.append(start)
        own = StandInContainer(self, start)
        self.alive[start.name] = own
        return own

    def containers(self) -> list[Remains]:
        return [
            Remains(name, own.work.start.batch, own.work.start.lease, own.running()) for name, own in self.alive.items()
        ]

    def is_alone(self, name: str) -> bool:
        return not any(own.running() for other, own in self.alive.items() if other != name)

    def remove(self, name: str) -> None:
        own = self.alive.pop(name, None)
        if own is not None:
            own.kill()


class StandInContainer:
    def __init__(self, engine: StandInEngine, start: Start) -> None:
        self.engine, self.work = engine, Work(start)
        self.began = datetime.now(UTC)
        self.finished: datetime | None = None
        self.was_killed = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.engine.script(self.work)
        except EndedError:
            pass
        except Exception as error:  # noqa: BLE001 (a program that breaks)
            self.work.log(f"{type(error).__name__}: {error}\n".encode())
            self.work.code = 1
        self.finished = datetime.now(UTC)
        self.work.printed.put(None)

    def started(self) -> bool:
        return True

    def running(self) -> bool:
        return self.finished is None and not self.was_killed

    def wait(self, seconds: float) -> None:
        self.thread.join(seconds)

    def log(self, seconds: float) -> bytes | None:
        try:
            return self.work.printed.get(timeout=seconds)
        except queue.Empty:
            return b""

    def sample(self) -> Sample | None:
        return Sample((datetime.now(UTC) - self.began).total_seconds(), self.work.memory_bytes)

    def kill(self) -> None:
        self.was_killed = self.finished is None
        self.work.killed.set()
        self.thread.join(5)

    def ending(self) -> Ending:
        self.thread.join(5)
        own = self.work
        if own.fault_text:
            return Ending(None, None, None, fault=own.fault_text)
        return Ending(
            137 if self.was_killed else own.code,
            None if own.is_not_started else self.began,
            self.finished,
            out_of_memory=own.is_out_of_memory,
            not_started=own.is_not_started,
            cpu_seconds=own.cpu_seconds,
            high_water_bytes=own.memory_bytes,
        )

    def remove(self) -> None:
        self.engine.remove(self.work.start.name)
