"""Kill workers, podman, its monitors and containers at random moments while algorithms run, and count results.

    python -m tests.chaos.runs --kills 50 --runs 30 [--cases 6] [--seed N]

Needs podman, runc and busybox, and root. It uses a separate database, storage and engine in temporary
folders; nothing else on the machine is changed. At the end, every execution must have one outcome per
case, and all must have the digest of an undisturbed run. Compute time must be the sum of the stored
times, and no container or folder may remain. The exit code reports whether that is true.
"""

import argparse
import contextlib
import io
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
COPY = b"""#!/bin/sh
for own in /input/c*; do
  sleep ${PAUSE:-0}
  mkdir -p /output/${own##*/}
  cp $own/image.nii.gz /output/${own##*/}/part
  mv /output/${own##*/}/part /output/${own##*/}/prediction.nii.gz
done
"""


@dataclass
class Place:
    """A platform with a separate engine, in temporary folders."""

    folder: Path
    run_folder: Path
    world: Any = None
    image: Any = None
    log: Path = field(default_factory=Path)

    @classmethod
    def make(cls, folder: Path, *, cases: int, pause: str = "0") -> "Place":
        """Create the platform; Django is set up in this process, with the settings of the environment."""
        run_folder = Path(tempfile.mkdtemp(prefix="podium-chaos-runs-", dir="/var/tmp"))
        run_folder.chmod(0o711)
        os.environ |= {"PODIUM_RUN_FOLDER": str(run_folder), "PODIUM_DATA": str(folder), "PODIUM_LEASE_SECONDS": "4"}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        sys.path[:0] = [str(ROOT), str(ROOT / "platform")]
        import django

        django.setup()
        from celery import current_app
        from django.core.management import call_command

        current_app.conf.broker_url = "memory://"
        call_command("migrate", verbosity=0)
        from tests.integration.executions import world

        place = cls(folder, run_folder, log=folder / "workers.log")
        place.world = world.build(folder / "world", cases=[f"case_{number:03d}" for number in range(cases)])
        place.set_plan()
        place.image = place.sent(pause)
        return place

    def set_plan(self, **stated: Any) -> None:
        """Set the plan by which later submissions are run."""
        self.world.set_plan(**{"case_seconds": 30, "start_seconds": 5, "attempts_after_fault": 9} | stated)

    def sent(self, pause: str) -> Any:
        """Upload and check an image that copies its inputs."""
        from confinement.containers import making
        from executions.services import arriving, checking

        layers = [making.busybox(), making.layer([making.Entry("opt/run.sh", COPY, 0o755)])]
        made = making.image(layers, entrypoint=["/bin/sh", "/opt/run.sh"], env=["PATH=/bin", f"PAUSE={pause}"])
        path = self.folder / "image.tar"
        making.write(path, made)
        archive = arriving.send_file(
            user=self.world.ada,
            phase=self.world.phase,
            team=self.world.adas,
            kind="image",
            file_name="image.tar",
            read=io.BytesIO(path.read_bytes()).read,
            size=path.stat().st_size,
        )
        checking.check(archive_id=archive.pk)
        archive.refresh_from_db()
        assert archive.state == "ready", archive.reason
        return archive

    def hand_in(self) -> Any:
        """Hand the image in; returns its execution."""
        from tests.integration.executions.world import execution_of

        return execution_of(self.world.hand_in(self.image))

    def worker(self) -> subprocess.Popen:
        """Start a worker."""
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "tests.chaos.run_worker"],
                cwd=ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait_for(self, executions: Sequence[Any], *, seconds: float) -> None:
        """Wait until all have ended."""
        from executions.models import Execution

        end = time.monotonic() + seconds
        keys = [execution.pk for execution in executions]
        while Execution.objects.filter(pk__in=keys, state__in=Execution.OPEN).exists():
            if time.monotonic() > end:
                raise TimeoutError(f"not done after {seconds:.0f} s; see {self.log}")
            time.sleep(0.1)

    def close(self) -> None:
        """Leave nothing."""
        from confinement.containers.podman import Podman
        from confinement.containers.removing import remove_tree
        from confinement.containers.space import release

        engine = Podman(self.run_folder)
        for own in engine.containers():
            engine.remove(own.name)
        # A command that was killed while it created its container leaves a monitor and a process that the engine does
        # not list. They would count as neighbours of every later container on this machine.
        for pid in {pid for pids in reversed(victims(self.run_folder).values()) for pid in pids}:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        release(self.run_folder)
        remove_tree(self.run_folder)


def victims(run_folder: Path) -> dict[str, list[int]]:
    """Return the processes of this engine by kind.

    They are identified by the engine's folder in their command line, or by their parent.
    """
    found: dict[str, list[int]] = {"podman": [], "monitor": [], "container": []}
    monitors = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if not any(str(run_folder) in word for word in words):
                continue
            name = Path(words[0]).name
            if name == "conmon":
                found["monitor"].append(int(entry.name))
                monitors.add(int(entry.name))
            elif name == "podman" and "run" in words:
                found["podman"].append(int(entry.name))
    for pid in monitors:
        with contextlib.suppress(OSError):
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            found["container"] += [int(child) for child in children]
    return found


def main() -> int:
    """Run, kill, count."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kills", type=int, default=50)
    options.add_argument("--runs", type=int, default=30)
    options.add_argument("--cases", type=int, default=6)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--seed", type=int, default=None)
    options.add_argument("--patience", type=float, default=900.0, help="seconds after the last kill")
    chosen = options.parse_args()
    seed = chosen.seed if chosen.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}", flush=True)
    os.environ |= {"PODIUM_EXAMPLE_MODE": "1", "PODIUM_TLS": "0"}
    os.environ.pop("DATABASE_URL", None)
    with tempfile.TemporaryDirectory(prefix="podium-chaos-runs-") as folder:
        place = Place.make(Path(folder), cases=chosen.cases, pause="0.3")
        try:
            return kill_and_count(place, random.Random(seed), chosen)
        finally:
            place.close()


def kill_and_count(place: Place, rng: random.Random, chosen: argparse.Namespace) -> int:
    """The soak itself."""
    executions = [place.hand_in() for _ in range(chosen.runs)]
    workers = [place.worker() for _ in range(chosen.workers)]
    struck: Counter[str] = Counter()
    try:
        while struck.total() < chosen.kills:
            time.sleep(rng.uniform(0.2, 1.6))
            kind = rng.choice(["worker", "podman", "monitor", "container"])
            if kind == "worker":
                index = rng.randrange(len(workers))
                os.killpg(workers[index].pid, signal.SIGKILL)
                workers[index].wait()
                workers[index] = place.worker()
                struck[kind] += 1
            elif pids := victims(place.run_folder)[kind]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(rng.choice(pids), signal.SIGKILL)
                    struck[kind] += 1
        print(f"struck: {dict(struck)}", flush=True)
        place.wait_for(executions, seconds=chosen.patience)
        time.sleep(10)
    finally:
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
    return counted(place, executions, chosen.cases)


def counted(place: Place, executions: Sequence[Any], cases: int) -> int:
    """Compare what is there with what has to be; returns the exit code."""
    from django.db.models import Sum

    from confinement.containers.podman import Podman
    from executions.models import Batch, CaseOutcome
    from executions.services import hosts

    problems = []
    digests = set()
    for execution in executions:
        execution.refresh_from_db()
        digests.add(execution.predictions_digest)
        outcomes = CaseOutcome.objects.filter(execution=execution).count()
        if execution.state != "done" or execution.counts != {"ok": cases} or outcomes != cases:
            problems.append(
                f"{execution.pk}: {execution.state}, {execution.counts}, {outcomes} outcomes; {execution.log[-300:]}"
            )
        stored = Batch.objects.filter(execution=execution).aggregate(sum=Sum("seconds"))["sum"] or 0
        if abs(stored - execution.compute_seconds) > 1e-6:
            problems.append(f"{execution.pk}: {execution.compute_seconds} s counted, {stored} s stored")
    quiet = place.hand_in()
    worker = place.worker()
    place.wait_for([quiet], seconds=300)
    quiet.refresh_from_db()
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    if digests != {quiet.predictions_digest}:
        problems.append(f"{len(digests)} digests beside that of a quiet run")
    engine = Podman(place.run_folder)
    hosts.take_up(hosts.Host(engine=engine, problem=""))
    hosts.sweep_leftovers()
    if engine.containers() or any(hosts.leases().iterdir()):
        problems.append("a container or a folder is left")
    repeated = Batch.objects.filter(attempts__gt=1).count()
    print(f"{len(executions)} executions, {len(digests)} digest, {repeated} batches begun more than once", flush=True)
    for problem in problems:
        print(problem, flush=True)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
