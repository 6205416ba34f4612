"""The real engine in tests: what is lacking for it, one storage for a run of tests, images from scripts."""

import os
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confinement.containers import making
from confinement.containers.batches import Batch, BatchReport, CaseInput, Expected
from confinement.containers.images import ImageReport, take_image
from confinement.containers.layout import write_layout
from confinement.containers.limits import ImageLimits, RunLimits
from confinement.containers.podman import Podman
from confinement.containers.removing import remove_tree
from confinement.containers.runner import run_batch
from confinement.containers.space import release
from confinement.limits import MIB

PROGRAMS = ("podman", "runc", "busybox")
SMALL = RunLimits(
    case_seconds=5,
    start_seconds=5,
    memory_bytes=128 * MIB,
    cpus=2,
    pids=64,
    output_bytes=32 * MIB,
    scratch_bytes=16 * MIB,
    shm_bytes=16 * MIB,
    log_bytes=8 * MIB,
)
DOCUMENT = {"schema": 1, "interface": "podium-exec-1", "outputs": [{"socket": "out", "file": "out.txt"}]}


def lacking() -> list[str]:
    """Return the programs and rights that this machine lacks for tests with the engine."""
    return [name for name in PROGRAMS if shutil.which(name) is None] + ([] if os.geteuid() == 0 else ["root"])


@dataclass
class Machine:
    """podman with separate storage in a temporary folder."""

    folder: Path
    engine: Podman
    images: dict[str, ImageReport] = field(default_factory=dict)
    bases: dict[str, str] = field(default_factory=dict)
    started: int = 0
    runs_made: int = 0

    @classmethod
    def make(cls) -> "Machine":
        # Everybody has to be able to enter it: the user of a container is nobody on this machine.
        folder = Path(tempfile.mkdtemp(prefix="podium-machine-"))
        folder.chmod(0o711)
        # Users of its own, so that what is left of one run of tests is not taken for what is left of another.
        users = 1_048_576 + 65_536 * (os.getpid() % 10_000)
        return cls(folder, Podman(folder / "engine", base_uid=users))

    @classmethod
    def make_in(cls, folder: Path, engine: Any) -> "Machine":
        """Return a machine with another engine, in a folder that is removed by whoever made it."""
        own = folder / f"machine-{engine.name}-{time.monotonic_ns()}"
        own.mkdir(mode=0o711)
        return cls(own, engine)

    def close(self) -> None:
        for own in self.engine.containers():
            self.engine.remove(own.name)
        release(self.folder)
        remove_tree(self.folder)

    def image(self, script: str, *, base: str = "busybox", files: Sequence[making.Entry] = (), **options: Any) -> str:
        """Id of an image, taken and loaded as the platform does, whose entry point is a script of the shell."""
        layers = [making.busybox()] if base == "busybox" else [making.python(options.pop("packages", ()))]
        program = "/bin/sh" if base == "busybox" else "/usr/bin/python3"
        content = f"#!/bin/sh\n{script}\n" if base == "busybox" else script
        layers.append(making.layer([making.Entry("opt/run", content.encode(), 0o755), *files]))
        options.setdefault("entrypoint", [program, "/opt/run"])
        return self.load(making.image(layers, **options))

    def load(self, image: making.Image) -> str:
        """Take and load an image."""
        if image.image_id in self.images:
            return image.image_id
        own = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            archive, store, layout = own / "image.tar", own / "store", own / "layout"
            store.mkdir()
            layout.mkdir()
            making.write(archive, image)
            report = take_image(archive, store, limits=ImageLimits())
            stored = {layer.diff_id: store / layer.stored_name for layer in report.layers}
            write_layout(layout, (store / "config.json").read_bytes(), report.layers, stored.__getitem__)
            self.engine.load(layout, report.image_id)
            self.images[report.image_id] = report
        finally:
            remove_tree(own)
        return image.image_id

    def runs(self, script: str, *, base: str = "busybox") -> tuple[str, Path]:
        """An image that runs a script in its weights, and a folder of weights with the script: one image for all scripts."""
        program = "/bin/sh" if base == "busybox" else "/usr/bin/python3"
        if base not in self.bases:
            layer = making.busybox() if base == "busybox" else making.python()
            self.bases[base] = self.load(making.image([layer], entrypoint=[program, "/model/run"]))
        self.runs_made += 1
        folder = self.folder / "scripts" / str(self.runs_made)
        folder.mkdir(parents=True)
        (folder / "run").write_text(script)
        return self.bases[base], folder

    def case_files(self, count: int) -> list[CaseInput]:
        """Return `count` cases, each with a small text file."""
        cases = []
        for number in range(1, count + 1):
            path = self.folder / "data" / f"c{number}.txt"
            if not path.exists():
                path.parent.mkdir(exist_ok=True)
                path.write_text(f"case {number}\n")
            cases.append(CaseInput(f"c{number}", {"in.txt": path}))
        return cases

    def batch(
        self, image_id: str, *, cases: int | list[CaseInput] = 1, limits: RunLimits = SMALL, **options: Any
    ) -> Batch:
        """A batch of small cases."""
        self.started += 1
        options["cases"] = self.case_files(cases) if isinstance(cases, int) else cases
        options.setdefault("outputs", [Expected("out.txt")])
        options.setdefault("interface", DOCUMENT)
        return Batch(f"b{self.started}", 1, f"lease-{self.started}", image_id, limits=limits, **options)

    def run(self, image_id: str, **options: Any) -> BatchReport:
        """Run a batch of small cases."""
        watching: Mapping[str, Any] = {name: options.pop(name) for name in ("beat", "cancelled") if name in options}
        batch = self.batch(image_id, **options)
        return run_batch(self.engine, batch, self.folder / batch.lease, **watching)


COPY = "for c in /input/*/; do n=$(basename $c); mkdir -p /output/$n; cp $c/in.txt /output/$n/out.txt; done"
