"""A real Slurm: equal outputs as with podman, limits, cancelling, lost nodes, accounts, and named guarantees."""

import hashlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from confinement.containers import making
from confinement.containers.batches import Batch, BatchReport, CaseInput, Expected, Taken
from confinement.containers.engine import Ending, Mount, Start
from confinement.containers.leftovers import sweep
from confinement.containers.limits import RunLimits
from confinement.containers.podman import Podman
from confinement.containers.probe import probe
from confinement.containers.runner import run_batch
from confinement.containers.slurm import Slurm
from confinement.containers.slurm_jobs import Site
from confinement.limits import MIB
from tests.containers.machine import COPY, Machine
from tests.containers.slurm_cluster import Cluster
from tests.run import is_demanded, slurm_lacks

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("slurm")]

LAUNCHERS = ("podman", "charliecloud")
LONG = RunLimits(case_seconds=60, start_seconds=60, memory_bytes=64 * MIB, cpus=1, output_bytes=4 * MIB)
SUMS = "; for c in /input/*/; do sha256sum $c/in.txt >> /output/$(basename $c)/out.txt; done; echo printed"
RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "outputs": (COPY + SUMS, {"cases": 4, "limits": LONG}),
    "exit 7": ("exit 7", {"limits": LONG}),
    "endless": (
        "trap '' TERM INT; while :; do sleep 1; done",
        {"limits": replace(LONG, case_seconds=1, start_seconds=1)},
    ),
    "memory": ("exec tail /dev/zero", {"limits": LONG}),
    "cancelled": ("sleep 300", {"limits": LONG}),
    "too wide": ("exit 0", {"limits": replace(LONG, cpus=400)}),
}
EXAMPLES = ("threshold", "atlas")
"""Algorithms of the example challenge."""
_FOLDER = Path(__file__).parents[2] / "examples"
_FAILING = threading.Barrier(len(LAUNCHERS))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    if "slurm" in os.environ.get("PODIUM_CI_WITHOUT", "").split(","):
        pytest.skip("left out by PODIUM_CI_WITHOUT")
    if missing := slurm_lacks():
        text = f"not there for Slurm: {', '.join(missing)}"
        if is_demanded("slurm"):
            pytest.fail(text)
        pytest.skip(text)
    own = Cluster.make()
    before = os.environ.get("SLURM_CONF")
    os.environ["SLURM_CONF"] = own.environment["SLURM_CONF"]
    yield own
    if before is None:
        del os.environ["SLURM_CONF"]
    else:
        os.environ["SLURM_CONF"] = before
    own.close()


def example(machine: Machine, name: str) -> Batch:
    """An algorithm of the example challenge on two of its cases."""
    folder = _FOLDER / "hippocampus-algorithms"
    entries = [
        making.Entry("opt/common.sh", (folder / "common.sh").read_bytes()),
        making.Entry("opt/run.sh", (folder / f"{name}.sh").read_bytes(), 0o755),
    ]
    image = making.image([making.busybox(), making.layer(entries)], entrypoint=["/bin/sh", "/opt/run.sh"])
    model = machine.folder / f"model-{name}"
    model.mkdir(exist_ok=True)
    shutil.copyfile(folder / "atlas.txt", model / "atlas.txt")
    paths = sorted((_FOLDER / "hippocampus" / "images").iterdir())[:2]
    cases = [CaseInput(path.name.partition(".")[0], {"image.nii.gz": path}) for path in paths]
    outputs = [Expected("prediction.nii.gz")]
    return machine.batch(machine.load(image), cases=cases, outputs=outputs, model=model, limits=LONG)


@dataclass
class Observed:
    """Everything that one launcher did, run at the same time: a cluster runs many jobs at once."""

    machine: Machine
    futures: dict[str, Future[Any]]

    def of(self, name: str) -> Any:
        return self.futures[name].result()


@pytest.fixture(scope="module")
def observations(cluster: Cluster, machine: Machine) -> Iterator[dict[str, Observed]]:
    """Run all situations with all launchers at the same time; the third node is the one that fails."""
    made: dict[str, Observed] = {}
    with ThreadPoolExecutor(24) as pool:
        for launcher in LAUNCHERS:
            folder = machine.folder / launcher
            folder.mkdir(mode=0o711)
            node = str(folder / "node")
            usual, failing = ("--exclude=n3",), ("--nodelist=n3",)
            own = Machine.make_in(folder, Slurm(folder / "shared", Site(launcher, node_folder=node, options=usual)))
            doomed = Slurm(folder / "shared", Site(launcher, node_folder=node, options=failing))
            batches = {name: own.batch(own.image(script), **options) for name, (script, options) in RUNS.items()}
            batches |= {name: example(own, name) for name in EXAMPLES}
            batches["no program"] = own.batch(own.image("", entrypoint=["/no/such/program"]))
            batches["no image"] = own.batch(f"sha256:{'0' * 64}")
            sleeps = batches["cancelled"].image_id
            situations: dict[str, Callable[[], Any]] = {
                name: partial(_ran, own, batch, is_cancelled=name == "cancelled") for name, batch in batches.items()
            }
            situations["probe"] = partial(probe, own.engine, own.folder / "probe")
            situations["lost worker"] = partial(_swept, own, _start(own, sleeps, "lost"))
            situations["failed node"] = partial(_failed, doomed, _start(own, sleeps, "failed"), cluster)
            made[launcher] = Observed(own, {name: pool.submit(call) for name, call in situations.items()})
        yield made
    for own in made.values():
        assert own.machine.engine.containers() == []
    # What ran on the node that failed is there still, as the cluster that "failed" is this machine.
    podman = Podman(Path(f"{machine.folder / 'podman' / 'node'}-{os.geteuid()}"))
    for left in podman.containers():
        podman.remove(left.name)


@pytest.fixture(params=LAUNCHERS)
def slurm(request: pytest.FixtureRequest, observations: dict[str, Observed]) -> Observed:
    return observations[request.param]


@pytest.fixture(scope="module")
def alone(machine: Machine) -> Callable[[str], str]:
    """Digest of the outputs with podman on this machine, computed once for all launchers."""

    @cache
    def outputs(name: str) -> str:
        script, options = RUNS["outputs"]
        batch = example(machine, name) if name in EXAMPLES else machine.batch(machine.image(script), **options)
        return digest(run_batch(machine.engine, batch, machine.folder / batch.lease))

    return outputs


def digest(report: BatchReport) -> str:
    """Digest of all collected files, with their cases and names."""
    told = hashlib.sha256()
    for case, files in sorted(report.files.items()):
        for name, file in sorted(files.items()):
            assert file.taken is Taken.TAKEN, (report.fault, report.log.text(), file)
            told.update(f"{case}/{name}\0".encode() + Path(file.path).read_bytes())
    return told.hexdigest()


def test_equal_outputs_on_podman_and_slurm(alone: Callable[[str], str], slurm: Observed) -> None:
    job = slurm.of("outputs").report

    assert (job.fault, job.exit_code, job.not_started, job.timed) == ("", 0, False, False)
    assert digest(job) == alone("outputs")
    assert "printed" in job.log.text()
    assert job.cpu_seconds is not None
    assert 0 < job.wall_seconds < 60
    assert job.versions["engine"].startswith("slurm-wlm 2")
    assert job.versions["accounting"] == "sacct"
    assert not job.exclusive


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_algorithms_predict_the_same(alone: Callable[[str], str], slurm: Observed, name: str) -> None:
    job = slurm.of(name).report

    assert (job.fault, job.exit_code) == ("", 0)
    assert len(job.files) == 2
    assert digest(job) == alone(name)


def test_exit_status_and_a_missing_entry_point(slurm: Observed) -> None:
    report = slurm.of("exit 7").report
    assert (report.fault, report.exit_code, report.not_started) == ("", 7, False)

    report = slurm.of("no program").report
    assert (report.fault, report.not_started) == ("", True)


def test_limits_of_time_and_memory_end_the_container(slurm: Observed) -> None:
    timed, filled = slurm.of("endless").report, slurm.of("memory").report

    assert (timed.fault, timed.timed, timed.out_of_memory) == ("", True, False)
    assert (filled.fault, filled.timed, filled.out_of_memory) == ("", False, True)


def test_a_cancelled_run_ends_and_leaves_no_job(slurm: Observed) -> None:
    own = slurm.of("cancelled")

    assert own.report.cancelled
    assert own.report.fault == ""
    assert own.seconds < 60


def test_the_job_of_a_killed_worker_is_known_and_swept(slurm: Observed) -> None:
    known, swept_while_living, after = slurm.of("lost worker")

    assert known is not None
    assert known.running
    assert swept_while_living == []
    assert after is None


def test_a_job_that_can_never_run_is_a_fault_of_ours(slurm: Observed) -> None:
    assert "PartitionConfig" in slurm.of("too wide").report.fault
    assert "image not known" in slurm.of("no image").report.fault


def test_guarantees_that_do_not_hold_are_named(slurm: Observed) -> None:
    own = slurm.of("probe")

    assert own.error == ""
    if slurm.machine.engine.site.launcher == "podman":
        assert own.told == {}
    else:
        # Charliecloud filters no system calls. Here its user is root, whose processes are not counted; Slurm gives
        # whole processors.
        assert set(own.told) <= {"R4", "R5", "R6", "R7"}
        assert "R6" in own.told
        assert not own.holds_all([])
        assert "R6 (no capabilities" in own.sentence()


def test_a_node_that_fails_is_a_fault_of_ours(slurm: Observed) -> None:
    ending = slurm.of("failed node")

    assert "NODE_FAIL" in ending.fault
    assert "on n3" in ending.fault
    assert (ending.exit_code, ending.out_of_memory, ending.not_started) == (None, False, False)


@dataclass
class Ran:
    report: BatchReport
    seconds: float


def _ran(own: Machine, batch: Batch, *, is_cancelled: bool) -> Ran:
    began = time.monotonic()
    container = own.folder / batch.lease / "working" / "engine" / "began"
    report = run_batch(
        own.engine, batch, own.folder / batch.lease, cancelled=lambda: is_cancelled and container.exists()
    )
    return Ran(report, time.monotonic() - began)


def _swept(own: Machine, start: Start) -> tuple[Any, list[str], Any]:
    """End what a killed worker left, while other jobs go on."""
    container = own.engine.start(start)
    _until(container.started)

    def listed() -> Any:
        return next((left for left in own.engine.containers() if left.name == start.name), None)

    known = listed()
    leases = {left.lease for left in own.engine.containers()}
    living = [name for name in sweep(own.engine, own.folder / "no", leases).containers if name == start.name]
    own.engine.remove(start.name)
    return known, living, listed()


_nodes = threading.Lock()


def _failed(engine: Slurm, start: Start, cluster: Cluster) -> Ending:
    """Kill the node on which a job runs, once the job of every launcher has started there."""
    container = engine.start(start)
    _until(container.started)
    _FAILING.wait(120)
    with _nodes:
        if "n3" in cluster.processes:
            cluster.kill_node("n3")
    _until(lambda: not container.running(), seconds=120)
    try:
        return container.ending()
    finally:
        container.remove()


def _start(own: Machine, image: str, name: str) -> Start:
    folder = own.folder / name
    for inner in ("input", "output", "call"):
        (folder / inner).mkdir(parents=True)
    os.chown(folder / "output", own.engine.owner, own.engine.owner)
    batch = own.batch(image, limits=LONG)
    return Start(
        name=f"podium-{name}-{own.engine.site.launcher}",
        batch=batch.batch,
        lease=batch.lease,
        image_id=image,
        output=folder / "output",
        limits=LONG,
        seconds=120,
        folder=folder / "call",
        mounts=[Mount(folder / "input", "/input")],
    )


def _until(condition: Callable[[], bool], *, seconds: float = 90) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.1)
