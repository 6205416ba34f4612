"""Rules of running besides the vectors: names, interface document, platform faults, table of runs."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaluation.running.aliases import aliases
from evaluation.running.identity import identity
from evaluation.running.interface import InterfaceError, Socket, interface_document, read_interface
from evaluation.running.outcomes import Files, Observation, OurFaultError, decide, judged
from evaluation.running.scorer_rows import Declared, DeclaredMetric, ScorerError, read_rows
from evaluation.running.table import COLUMNS, RunRow, read_runs, runs_table, write_runs

LIMITS = {
    "case_seconds": 300,
    "start_seconds": 120,
    "memory_bytes": 2**33,
    "cpus": 2,
    "gpus": 0,
    "gpu_memory_bytes": None,
    "output_bytes": 2**30,
    "scratch_bytes": 2**30,
    "pids": 512,
}
INPUT = Socket("t1-mri", "image", ".nii.gz", 3)
OUTPUT = Socket("segmentation", "label_image", ".nii.gz", labels={"1": "anterior"})


def test_no_identity_of_what_is_no_digest() -> None:
    with pytest.raises(ValueError, match="no digest"):
        identity("podium:latest")


def test_opaque_names_are_in_another_order_for_every_key() -> None:
    cases = [f"case_{number}" for number in range(50)]

    first, second = aliases(b"1" * 32, cases), aliases(b"2" * 32, cases)

    assert sorted(first) == sorted(cases)
    assert len(set(first.values()) | set(second.values())) == 100
    assert list(first) != cases
    assert list(first) != list(second)
    assert list(first.values()) != sorted(first.values())


def test_document_of_the_interface_is_read_as_it_was_written() -> None:
    document = interface_document(
        [INPUT], [OUTPUT], limits=LIMITS, cases=[{"case": "c1", "inputs": {"t1-mri": {"shape": [2, 3, 4]}}}]
    )

    assert document["inputs"][0]["file"] == "t1-mri.nii.gz"
    assert document["outputs"][0]["required"] is True
    assert read_interface(document) == ([INPUT], [OUTPUT], LIMITS)


@pytest.mark.parametrize(
    ("name", "kind", "suffix", "says"),
    [
        ("T1", "image", ".nii.gz", "small letter"),
        ("../t1", "image", ".nii.gz", "small letter"),
        ("t1", "picture", ".nii.gz", "known are"),
        ("t1", "image", "/../x", "ending"),
    ],
)
def test_sockets_that_are_no_names_are_refused(name: str, kind: str, suffix: str, says: str) -> None:
    with pytest.raises(InterfaceError, match=says):
        Socket(name, kind, suffix)


def test_a_socket_twice_no_output_and_a_missing_limit_are_refused() -> None:
    with pytest.raises(InterfaceError, match="twice"):
        interface_document([INPUT, INPUT], [OUTPUT], limits=LIMITS)
    with pytest.raises(InterfaceError, match="no output"):
        interface_document([INPUT], [], limits=LIMITS)
    with pytest.raises(InterfaceError, match="pids"):
        interface_document([INPUT], [OUTPUT], limits={key: 1 for key in LIMITS if key != "pids"})


def test_reasons_are_sentences_about_what_was_seen() -> None:
    said = {
        decide(Observation(0, not_started=True), Files.NONE).reason,
        decide(Observation(137, log_bound=True), Files.NONE).reason,
        decide(Observation(None), Files.NONE).reason,
        decide(Observation(0), Files.BAD, "out.txt is a link; write a regular file.").reason,
    }

    assert said == {
        "The entry point of the image cannot be started.",
        "The algorithm printed more than it may and was ended for it.",
        "The algorithm ended without an exit status.",
        "out.txt is a link; write a regular file.",
    }


def test_a_fault_of_ours_is_repeated_and_never_an_outcome() -> None:
    seen = iter([Observation(fault="no disk"), Observation(fault="no disk"), Observation(0)])

    def run(cases: Sequence[str]) -> tuple[Observation, dict[str, tuple[Files, str]]]:
        return next(seen), dict.fromkeys(cases, (Files.VALID, ""))

    decided = judged(["A"], run, attempts=2)

    assert decided["A"].decision.outcome == "ok"
    assert decided["A"].start == 2


def test_faults_of_ours_without_end_fail_the_execution() -> None:
    with pytest.raises(OurFaultError, match="no disk"):
        judged(["A"], lambda cases: (Observation(fault="no disk"), {}), attempts=3)


def test_table_of_runs_has_the_same_bytes_whatever_the_order(tmp_path: Path) -> None:
    rows = [
        RunRow(case, "b1", 1, "ok", exit_code=0, wall_seconds=1.5, started_at=datetime(2026, 1, 1, tzinfo=UTC))
        for case in ("case_2", "case_1")
    ]

    digests = {write_runs(runs_table(own), tmp_path / "runs.parquet") for own in (rows, rows[::-1])}
    table = read_runs(tmp_path / "runs.parquet")

    assert len(digests) == 1
    assert list(table.columns) == list(COLUMNS)
    assert table["case"].tolist() == ["case_1", "case_2"]
    assert table["peak_memory_mib"].isna().all()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"perfect": 1}, "best end"),
        ({"worst": None}, "worse side"),
        ({"worst": -1}, "below 0"),
        ({"direction": "up"}, "higher or lower"),
        ({"id": "dsc"}, "metric of the platform"),
        ({"range": [5, None]}, "below 5"),
    ],
)
def test_declarations_that_do_not_fit_are_refused(change: dict, says: str) -> None:
    declared = {"id": "x-tre", "direction": "lower", "range": [0, None], "perfect": 0, "worst": 100}

    with pytest.raises(ScorerError, match=says):
        DeclaredMetric.read(declared | change)


def test_values_keep_thirteen_digits_and_evidence_is_bounded() -> None:
    declared = Declared([DeclaredMetric("x-tre", "lower", 0, None, 0, 100)], [], ["c1"])
    row = '{"case":"c1","region":null,"metric":"x-tre","value":1.23456789012345678,"outcome":"ok","evidence":{"d":%s}}'

    [read] = read_rows((row % [1, 2]).encode(), declared)

    assert read.value == 1.234567890123
    assert read.evidence == {"d": [1.0, 2.0]}
    with pytest.raises(ScorerError, match="10,000 numbers"):
        read_rows((row % ([1] * 10_001)).encode(), declared)
