"""A real Slurm: equal outputs as with podman, limits, cancelling, lost nodes, accounts, and named guarantees."""

import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from confinement.containers import making
from confinement.containers.batches import BatchReport, Taken
from confinement.containers.leftovers import sweep
from confinement.containers.limits import RunLimits
from confinement.containers.probe import probe
from confinement.containers.slurm import Slurm
from confinement.containers.slurm_jobs import Site
from confinement.limits import MIB
from tests.containers.machine import COPY, SMALL, Machine
from tests.containers.slurm_cluster import Cluster, lacking
from tests.run import is_demanded

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("slurm")]

LONG = RunLimits(case_seconds=60, start_seconds=60, memory_bytes=64 * MIB, cpus=1, output_bytes=4 * MIB)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    if missing := lacking():
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


@pytest.fixture(scope="module", params=["podman", "charliecloud"])
def slurm(request: pytest.FixtureRequest, cluster: Cluster, machine: Machine) -> Iterator[Machine]:
    node = machine.folder / f"node-{request.param}"
    site = Site(launcher=request.param, node_folder=str(node))
    own = Machine.make_in(machine.folder, Slurm(machine.folder / f"slurm-{request.param}", site))
    yield own
    assert own.engine.containers() == []
    if request.param == "podman":
        podman = own.engine._podman
        for left in podman.containers():
            podman.remove(left.name)


def digest(report: BatchReport) -> str:
    """Digest of all collected files, with their cases and names."""
    told = hashlib.sha256()
    for case, files in sorted(report.files.items()):
        for name, file in sorted(files.items()):
            assert file.taken is Taken.TAKEN, (report.fault, report.log.text(), file)
            told.update(f"{case}/{name}\0".encode() + Path(file.path).read_bytes())
    return told.hexdigest()


def test_equal_outputs_on_podman_and_slurm(machine: Machine, slurm: Machine) -> None:
    script = COPY + "; for c in /input/*/; do sha256sum $c/in.txt >> /output/$(basename $c)/out.txt; done; echo printed"
    alone, job = (own.run(own.image(script), cases=4) for own in (machine, slurm))

    assert (job.fault, job.exit_code, job.not_started, job.timed) == ("", 0, False, False)
    assert digest(job) == digest(alone)
    assert "printed" in job.log.text()
    assert job.cpu_seconds is not None
    assert 0 < job.wall_seconds < 30
    assert job.versions["engine"].startswith("slurm-wlm 2")
    assert job.versions["accounting"] == "sacct"
    assert not job.exclusive
