"""The real engine: limits, reported outcomes, leftovers of a killed worker, and start times."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from confinement.containers import making
from confinement.containers.batches import CaseInput, Taken
from confinement.containers.leftovers import sweep
from confinement.containers.limits import RunLimits
from confinement.containers.probe import REQUIREMENTS, probe
from confinement.containers.runner import run_batch
from confinement.limits import MIB
from tests.containers import contained, figures
from tests.containers.machine import COPY, SMALL, Machine

pytestmark = pytest.mark.engine


def test_every_guarantee_holds_here(machine: Machine) -> None:
    own = probe(machine.engine, machine.folder / "probe")

    assert own.error == ""
    assert own.told == {}
    assert own.ok
    assert list((machine.folder / "probe").iterdir()) == []


def test_a_guarantee_that_does_not_hold_is_named(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = machine.engine.command

    def weaker(start: object) -> list[str]:
        call = whole(start)
        call[call.index("--pids-limit") + 1] = "4000"
        call[call.index("--cap-drop") :][:2] = []
        call.remove("--read-only")
        return ["--cap-add=CAP_NET_RAW" if word == "--no-hosts" else word for word in call]

    monkeypatch.setattr(machine.engine, "command", weaker)

    own = probe(machine.engine, machine.folder / "probe")

    assert not own.ok
    assert {"R4", "R6"} <= {name for name in REQUIREMENTS if not own.holds[name]}
    assert "R4 (the number of processes and threads is bounded)" in own.sentence()


def test_image_is_known_by_its_id_and_by_no_name(machine: Machine) -> None:
    image = machine.load(
        making.image([making.busybox()], entrypoint=["/bin/true"], tag="docker.io/library/postgres:15")
    )

    assert image in machine.engine.images()
    assert "postgres" not in machine.engine.call("images", "--all").stdout
    assert "podium-image" not in machine.engine.call("images", "--all").stdout


def test_own_exit_statuses_are_told_from_what_the_engine_says(machine: Machine) -> None:
    for code in (0, 3, 125, 126, 127, 137):
        image, model = machine.runs(f"exit {code}")
        report = machine.run(image, model=model)
        assert (report.fault, report.exit_code, report.not_started, report.out_of_memory) == ("", code, False, False)


def test_an_entry_point_that_is_not_there_cannot_be_started(machine: Machine) -> None:
    report = machine.run(machine.image("", entrypoint=["/no/such/program"]))

    assert report.not_started
    assert report.fault == ""


def test_an_image_that_is_not_there_is_a_fault_of_ours(machine: Machine) -> None:
    report = machine.run(f"sha256:{'0' * 64}")

    assert "image not known" in report.fault
    assert contained.left(machine) == []


def test_weights_and_tmp_are_there_and_inputs_cannot_be_changed(machine: Machine) -> None:
    script = (
        "test -r /model/run && echo x > /tmp/x && ! rm /input/c1/in.txt 2> /dev/null || exit 9; (: > /model/y) 2> /dev/null && exit 8; "
        + COPY
    )
    image, model = machine.runs(script)

    report = machine.run(image, model=model, cases=3)

    assert [own["out.txt"].taken for own in report.files.values()] == [Taken.TAKEN] * 3
    assert report.files["c2"]["out.txt"].path.read_text() == "case 2\n"
    assert report.versions["output"] == "a file system of its own"
    assert report.cpu_seconds is not None


def test_a_folder_that_nobody_may_enter_is_a_fault_that_says_so(machine: Machine) -> None:
    closed = machine.folder / "closed"
    closed.mkdir(mode=0o700)
    batch = machine.batch(machine.image(COPY))

    report = run_batch(machine.engine, batch, closed / "lease")

    assert f"The folder {closed} cannot be entered" in report.fault


def test_a_killed_worker_leaves_a_container_that_the_sweep_ends(machine: Machine) -> None:
    image, _ = machine.runs("")
    folder = machine.folder / "leases"
    folder.mkdir()
    worker = subprocess.Popen(
        [sys.executable, "-c", _WORKER, str(machine.folder), image], cwd=Path(__file__).parents[2]
    )
    until = time.monotonic() + 30
    while not any(own.running for own in machine.engine.containers()) and time.monotonic() < until:
        time.sleep(0.1)
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()

    assert [own.lease for own in machine.engine.containers()] == ["lost"]
    assert sweep(machine.engine, folder, {"lost"}).containers == []
    swept = sweep(machine.engine, folder, set())

    assert swept.containers == ["podium-killed-1"]
    assert swept.folders == ["lost"]
    assert list(folder.iterdir()) == []
    assert contained.left(machine) == []


_WORKER = """
import sys
from pathlib import Path
from confinement.containers.batches import Batch, CaseInput, Expected
from confinement.containers.limits import RunLimits
from confinement.containers.podman import Podman
from confinement.containers.runner import run_batch
folder = Path(sys.argv[1])
model = folder / "sleeps"
model.mkdir()
(model / "run").write_text("sleep 300")
batch = Batch("killed", 1, "lost", sys.argv[2], [CaseInput("c1", {})], [Expected("out.txt")], {}, RunLimits(), model=model)
run_batch(Podman(folder / "engine"), batch, folder / "leases" / "lost")
"""


def test_a_cancelled_run_ends_at_once(machine: Machine) -> None:
    image, model = machine.runs("sleep 300")
    began = time.monotonic()

    report = machine.run(image, model=model, limits=RunLimits(), cancelled=lambda: time.monotonic() - began > 1)

    assert report.cancelled
    assert time.monotonic() - began < 10
    assert contained.left(machine) == []


def test_cases_with_several_files_and_names_in_other_scripts(machine: Machine) -> None:
    source = machine.folder / "ä.bin"
    source.write_bytes(bytes(range(256)) * 4_096)
    case = CaseInput("Fäll 3", {"in.txt": source, "more/second.bin": source})
    image, model = machine.runs(
        'mkdir "/output/Fäll 3"; cmp "/input/Fäll 3/in.txt" "/input/Fäll 3/more/second.bin" && '
        'cp "/input/Fäll 3/in.txt" "/output/Fäll 3/out.txt"'
    )

    report = machine.run(image, model=model, cases=[case])

    assert report.files["Fäll 3"]["out.txt"].size == MIB


def test_memory_and_time_are_measured(machine: Machine) -> None:
    # On a machine that others use, half of what the bound allows at most is slack; python -m tests.containers measuring is exact.
    held, slept = figures.memory(machine, 200, 0.5), figures.wall(machine, 1)

    assert held.measured == pytest.approx(held.known, rel=0.03)
    assert slept.measured == pytest.approx(1, abs=0.5)


def test_a_batch_takes_one_start(machine: Machine) -> None:
    assert figures.starts(machine, together=True) < 10
    assert SMALL.seconds(figures.CASES) > 10
