"""Runs of a batch with a stand-in engine: preparation, observation, collected results and leftovers."""

import json
import os
import stat
import time
from pathlib import Path

import pytest

from confinement.containers.batches import Batch, BatchReport, CaseInput, Expected, Taken
from confinement.containers.engine import EngineError, Start
from confinement.containers.leftovers import sweep
from confinement.containers.limits import RunLimits
from confinement.containers.runner import run_batch
from confinement.limits import MIB
from tests.containers.stand_in_engine import StandInEngine, Work, copies

DOCUMENT = {"schema": 1, "interface": "podium-exec-1", "outputs": [{"socket": "out", "file": "out.txt"}]}
LIMITS = RunLimits(case_seconds=0.3, start_seconds=0.3, output_bytes=MIB, log_bytes=MIB)


def a_batch(folder: Path, *, cases: int = 2, **options: object) -> Batch:
    source = folder / "in.txt"
    source.write_text("content")
    source.chmod(0o600)
    options.setdefault("limits", LIMITS)
    options.setdefault("outputs", [Expected("out.txt")])
    inputs = [CaseInput(f"c{number}", {"in.txt": source}) for number in range(1, cases + 1)]
    return Batch("b1", 1, "lease", f"sha256:{'a' * 64}", inputs, interface=DOCUMENT, **options)


def ran(folder: Path, script: object = copies, **options: object) -> BatchReport:
    return run_batch(StandInEngine(script), a_batch(folder, **options), folder / "lease")


def what(report: BatchReport) -> dict[str, Taken]:
    return {case: files["out.txt"].taken for case, files in report.files.items()}


def test_files_of_all_cases_are_collected_and_nothing_else_is_left(tmp_path: Path) -> None:
    report = ran(tmp_path)

    assert what(report) == {"c1": Taken.TAKEN, "c2": Taken.TAKEN}
    assert report.files["c1"]["out.txt"].path.read_text() == "content"
    assert sorted(own.name for own in (tmp_path / "lease").iterdir()) == ["collected"]
    assert report.fault == ""
    assert report.exit_code == 0
    assert report.versions["engine"] == "stand-in 1"


def test_inputs_say_nothing_but_their_content(tmp_path: Path) -> None:
    seen: dict[str, tuple[int, float]] = {}

    def look(work: Work) -> None:
        for path in (work.input, *work.input.rglob("*")):
            status = path.stat()
            seen[str(path.relative_to(work.input))] = (stat.S_IMODE(status.st_mode), status.st_mtime)
        assert work.interface == DOCUMENT
        assert list(work.model.iterdir()) == []

    report = ran(tmp_path, look, cases=1)

    assert report.exit_code == 0, report.log.text()
    assert seen == {
        ".": (0o755, 0.0),
        "interface.json": (0o644, 0.0),
        "c1": (0o755, 0.0),
        "c1/in.txt": (0o644, 0.0),
    }


def test_environment_names_the_interface_and_the_bounds(tmp_path: Path) -> None:
    engine = StandInEngine()

    run_batch(engine, a_batch(tmp_path), tmp_path / "lease")

    assert engine.starts[0].environment == {
        "HOME": "/tmp",
        "PODIUM_INTERFACE": "podium-exec-1",
        "PODIUM_CPUS": "2",
        "PODIUM_MEMORY_BYTES": str(LIMITS.memory_bytes),
        "OMP_NUM_THREADS": "2",
    }


def test_what_is_complete_at_the_time_limit_counts(tmp_path: Path) -> None:
    def slow(work: Work) -> None:
        work.copy("c1")
        work.sleep(60)

    report = ran(tmp_path, slow)

    assert report.timed
    assert what(report) == {"c1": Taken.TAKEN, "c2": Taken.ABSENT}
    assert report.wall_seconds == pytest.approx(LIMITS.seconds(2), abs=0.3)


def test_links_pipes_folders_and_hard_links_are_refused_by_name(tmp_path: Path) -> None:
    def mischief(work: Work) -> None:
        for case in work.cases:
            (work.output / case).mkdir()
        (work.output / "c1" / "out.txt").symlink_to("/etc/shadow")
        os.mkfifo(work.output / "c2" / "out.txt")
        (work.output / "c3" / "out.txt").mkdir()
        (work.output / "other").write_text("x")
        os.link(work.output / "other", work.output / "c4" / "out.txt")
        (work.output / "c5").rmdir()
        (work.output / "c5").symlink_to("c6")
        (work.output / "c6" / "out.txt").write_bytes(b"x" * (MIB // 2))

    began = time.monotonic()
    report = ran(tmp_path, mischief, cases=6, outputs=[Expected("out.txt", most_bytes=1000)])

    said = [files["out.txt"].reason for files in report.files.values()]
    assert time.monotonic() - began < 3
    assert set(what(report).values()) == {Taken.REFUSED}
    for reason, expected in zip(
        said,
        ("a link", "a pipe", "a folder", "several names", "folder of out.txt is a link", "at most 1,000"),
        strict=True,
    ):
        assert expected in reason


def test_sparse_files_beyond_the_bound_are_not_copied(tmp_path: Path) -> None:
    def hole(work: Work) -> None:
        (work.output / "c1").mkdir()
        with (work.output / "c1" / "out.txt").open("wb") as stream:
            stream.truncate(2**40)

    report = ran(tmp_path, hole, cases=1)

    assert what(report) == {"c1": Taken.REFUSED}
    assert not (tmp_path / "lease" / "collected" / "c1" / "out.txt").exists()


def test_one_file_of_a_folder_is_taken_whatever_its_name(tmp_path: Path) -> None:
    def writes(names: list[str]) -> object:
        def script(work: Work) -> None:
            for name in names:
                work.write("images/seg", name, b"x")

        return script

    expected = [Expected("seg.mha", only_of="images/seg", suffixes=(".mha", ".tif"))]
    reports = [
        ran(tmp_path, writes(names), cases=1, flat=True, outputs=expected).files["c1"]["seg.mha"]
        for names in (["any-name.mha", "notes.txt"], ["a.mha", "b.mha"], ["notes.txt"])
    ]

    assert [own.taken for own in reports] == [Taken.TAKEN, Taken.REFUSED, Taken.ABSENT]
    assert "2 files; exactly one" in reports[1].reason


def test_a_file_keeps_the_ending_by_which_it_is_read(tmp_path: Path) -> None:
    expected = [
        Expected("seg.mha", only_of="images/seg", suffixes=(".mha", ".tif")),
        Expected("score.json", source="results/any.json"),
    ]

    def writes(work: Work) -> None:
        work.write("images/seg", "0b1f.TIF", b"x")
        work.write("results", "any.json", b"1")

    files = ran(tmp_path, writes, cases=1, flat=True, outputs=expected).files["c1"]

    assert files["seg.mha"].path.name == "seg.tif"
    assert files["score.json"].path.name == "score.json"
    assert files["score.json"].path.read_bytes() == b"1"


@pytest.mark.parametrize(("kind", "says"), [("files", "more than 192 files"), ("bytes", "more than 1,048,576 bytes")])
def test_writing_too_much_ends_it(tmp_path: Path, kind: str, says: str) -> None:
    def writes(work: Work) -> None:
        work.copy("c1")
        for number in range(400 if kind == "files" else 4):
            (work.output / str(number)).write_bytes(b"" if kind == "files" else b"x" * MIB)
        work.sleep(60)

    report = ran(tmp_path, writes, limits=RunLimits(case_seconds=20, output_bytes=MIB))

    assert says in report.output_bound
    assert not report.timed
    assert what(report)["c1"] is Taken.TAKEN


def test_three_thousand_nested_folders_are_counted_and_removed(tmp_path: Path) -> None:
    def nests(work: Work) -> None:
        work.copy("c1")
        folder = os.open(work.output, os.O_RDONLY)
        for _ in range(3_000):
            os.mkdir("d" * 40, dir_fd=folder)
            inner = os.open("d" * 40, os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = inner
        os.close(folder)

    limits = RunLimits(case_seconds=30, output_bytes=64 * MIB, output_files=5_000)
    report = ran(tmp_path, nests, limits=limits)

    assert report.output_files == 3_002
    assert what(report)["c1"] is Taken.TAKEN
    assert sorted(own.name for own in (tmp_path / "lease").iterdir()) == ["collected"]


def test_printing_too_much_ends_it_and_the_log_stays_small(tmp_path: Path) -> None:
    def prints(work: Work) -> None:
        work.log(b"first\n")
        for _ in range(200):
            work.log(b"y\n" * 50_000)
            work.sleep(0.001)
        work.sleep(60)

    report = ran(tmp_path, prints, limits=RunLimits(case_seconds=20, log_bytes=2 * MIB))

    assert report.log_bound
    assert report.log.size > 2 * MIB
    assert len(report.log.first) + len(report.log.last) <= 512 * 1024
    assert report.log.text().startswith("first\n")
    assert "bytes are left out" in report.log.text()


def test_logs_are_shown_without_control_characters(tmp_path: Path) -> None:
    report = ran(tmp_path, lambda work: work.log(b"\x1b[2Ja\tb\x00\x07\r\n\xff\xe2\x80\xaec\n"))

    assert report.log.text() == "[2Ja\tb\n\ufffdc\n"


def test_an_entry_point_that_cannot_be_started_is_tried_twice(tmp_path: Path) -> None:
    engine = StandInEngine(lambda work: work.not_started())

    report = run_batch(engine, a_batch(tmp_path), tmp_path / "lease")

    assert report.not_started
    assert len(engine.starts) == 2


@pytest.mark.parametrize("cause", ["engine", "program call", "disk"])
def test_faults_of_ours_are_reported_as_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cause: str) -> None:
    engine = StandInEngine(lambda work: work.fault("no image") if cause == "engine" else None)
    if cause != "engine":

        def fails(_start: Start) -> None:
            raise EngineError("gone") if cause == "program call" else OSError(28, "No space left on device")

        monkeypatch.setattr(engine, "start", fails)

    report = run_batch(engine, a_batch(tmp_path), tmp_path / "lease")

    assert report.fault
    assert report.files == {}
    assert not (tmp_path / "lease" / "working").exists()


def test_a_lost_lease_ends_the_container_and_goes_on_to_the_caller(tmp_path: Path) -> None:
    class LostError(Exception):
        pass

    def beat() -> None:
        raise LostError

    engine = StandInEngine(lambda work: work.sleep(60))

    with pytest.raises(LostError):
        run_batch(engine, a_batch(tmp_path), tmp_path / "lease", beat=beat)

    assert engine.containers() == []
    assert list((tmp_path / "lease").iterdir()) == []


def test_a_cancelled_batch_ends_and_gives_nothing(tmp_path: Path) -> None:
    def script(work: Work) -> None:
        copies(work)
        work.sleep(60)

    report = run_batch(
        StandInEngine(script), a_batch(tmp_path, limits=RunLimits()), tmp_path / "lease", cancelled=lambda: True
    )

    assert report.cancelled
    assert report.files == {}
    assert not report.timed


def test_sweep_removes_what_has_no_living_lease_and_nothing_else(tmp_path: Path) -> None:
    engine = StandInEngine(lambda work: work.sleep(60))
    for lease in ("living", "ended"):
        source = tmp_path / f"{lease}-input"
        source.mkdir()
        (source / "interface.json").write_text("{}")
        (tmp_path / "leases" / lease / "deep").mkdir(parents=True)
        from confinement.containers.engine import Mount

        engine.start(
            Start(f"podium-{lease}-1", lease, lease, "", source, LIMITS, 60, source, [Mount(source, "/input")])
        )

    swept = sweep(engine, tmp_path / "leases", {"living"})

    assert swept.containers == ["podium-ended-1"]
    assert swept.folders == ["ended"]
    assert [own.name for own in engine.containers()] == ["podium-living-1"]
    assert [own.name for own in (tmp_path / "leases").iterdir()] == ["living"]
    engine.remove("podium-living-1")


def test_interface_file_is_text_that_programs_read(tmp_path: Path) -> None:
    seen: list[bytes] = []

    ran(tmp_path, lambda work: seen.append((work.input / "interface.json").read_bytes()))

    assert json.loads(seen[0]) == DOCUMENT


def test_by_other_conventions_nothing_of_ours_lies_among_the_inputs(tmp_path: Path) -> None:
    seen: list[list[str]] = []

    ran(
        tmp_path,
        lambda work: seen.append([own.name for own in work.input.iterdir()]),
        cases=1,
        flat=True,
        tells_interface=False,
    )

    assert seen == [["in.txt"]]
