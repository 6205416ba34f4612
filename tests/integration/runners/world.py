"""The runner program in a thread of the test, and images that are stored as the platform stores them."""

import io
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from podium_client.runner.commands import serve
from podium_client.runner.link import Link
from podium_client.runner.machine import Machine

from confinement.containers import making
from executions.models import AlgorithmArchive, Batch
from executions.runners.models import Runner
from executions.runners.services import concluding, issuing
from executions.services import arriving, assembling, checking
from tests.containers.stand_in_engine import StandInEngine
from tests.integration.executions.world import Algorithms, Execution

SLOTS = {"cpus": 4, "memory_mib": 4096, "gpus": [], "machine": "x86_64", "host_class": "x86_64, Test, 4 cores"}


class Program:
    """`podium runner` as the command starts it, in a thread."""

    def __init__(self, url: str, folder: Path, engine: StandInEngine, holds: dict[str, bool]) -> None:
        self.url, self.folder, self.engine, self.holds = url, folder, engine, holds
        self.slots: dict[str, Any] = dict(SLOTS)
        self.lines: list[str] = []
        self.stopping = threading.Event()
        self.thread: threading.Thread | None = None

    def machine(self) -> Machine:
        """The machine as its probe found it."""
        self.folder.mkdir(exist_ok=True, mode=0o711)
        return Machine(self.folder, self.engine, dict(self.slots), self.holds, versions=self.engine.versions())

    def link(self, secret: str) -> Link:
        """A connection with a token."""
        return Link(self.url, secret, self.stopping, self.lines.append)

    def serve(self, secret: str, **more: Any) -> int:
        """Run until the end."""
        return serve(
            self.machine(), self.link(secret), self.stopping, self.lines.append, cache_bytes=10 * 1024**3, **more
        )

    def once(self, secret: str) -> int:
        """Execute one run."""
        return self.serve(secret, is_once=True)

    def start(self, secret: str) -> None:
        """Run in a thread."""
        self.thread = threading.Thread(target=self.serve, args=(secret,), daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """Stop as the signal does."""
        self.stopping.set()
        if self.thread is not None:
            self.thread.join(20)
            assert not self.thread.is_alive()


def issued(world: Algorithms, **more: Any) -> tuple[Runner, str]:
    """A runner of the installation, or of a challenge."""
    fields = {"actor": world.organizer, "name": "gpu-1", "challenge": None, "days": 30}
    return issuing.issue(**{**fields, **more})


def image_of(world: Algorithms, folder: Path, *, team: Any = None, text: str = "echo well") -> AlgorithmArchive:
    """An image of a team, checked and stored in parts."""
    base = making.layer([making.Entry("bin/sh", b"not really a shell" * 400, 0o755)])
    own = making.layer([making.Entry("opt/run.sh", text.encode(), 0o755)])
    image = making.image([base, own], entrypoint=["/bin/sh", "/opt/run.sh"])
    path = folder / "image.tar.gz"
    making.write(path, image, kind="docker")
    team = team or world.adas
    archive = arriving.send_file(
        user=team.members.get().user,
        phase=world.phase,
        team=team,
        kind="image",
        file_name=path.name,
        read=io.BytesIO(path.read_bytes()).read,
        size=path.stat().st_size,
    )
    checking.check(archive_id=archive.pk)
    archive.refresh_from_db()
    assert archive.state == AlgorithmArchive.State.READY, archive.reason
    return archive


def conclude_all() -> int:
    """Let workers read what runners returned, and put predictions together; returns how many batches were read."""
    rows = list(Batch.objects.filter(state=Batch.State.RETURNED).values_list("pk", flat=True))
    for pk in rows:
        concluding.conclude(batch_id=pk)
    for execution in Execution.objects.filter(state=Execution.State.ASSEMBLING):
        assembling.assemble(execution_id=execution.pk)
    return len(rows)


def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait for a condition."""
    pause = threading.Event()
    for _ in range(int(seconds / 0.05)):
        if condition():
            return
        pause.wait(0.05)
    raise AssertionError("it did not come about")
