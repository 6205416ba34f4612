"""`podium try`: a local run of an image gives the same results as the platform."""

import csv
import json
import shutil
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from podium_client.cli import main

from confinement.containers import making
from evaluation import problems
from evaluation.assessment import parse
from evaluation.problems.case_tables import CaseTable
from evaluation.scoring import score_folders
from tests.containers.machine import Machine

pytestmark = pytest.mark.engine

EXAMPLE = Path(__file__).parents[2] / "examples" / "hippocampus"
CASES = ("hippocampus_006", "hippocampus_015", "hippocampus_017")
INTERFACE = {
    "schema": 1,
    "interface": "podium-exec-1",
    "inputs": [{"socket": "t1-mri", "file": "t1-mri.nii.gz", "kind": "image", "ndim": 3}],
    "outputs": [
        {
            "socket": "segmentation",
            "file": "segmentation.nii.gz",
            "kind": "label_image",
            "labels": {"1": "anterior", "2": "posterior"},
            "required": True,
        }
    ],
    "limits": {"case_seconds": 5, "start_seconds": 5, "memory_bytes": 2**27, "cpus": 1, "pids": 64},
}
SCRIPT = """
for case in $(ls /input | grep -v interface.json); do
  mkdir -p /output/$case
  cp /model/$case.nii.gz /output/$case/segmentation.nii.gz
done
echo done
"""


@pytest.fixture
def home(tmp_path: Path, machine: Machine) -> Path:
    """An algorithm that looks its answers up in its weights, three cases, and the interface."""
    image = making.image(
        [making.busybox(), making.layer([making.Entry("opt/run.sh", SCRIPT.encode(), 0o755)])],
        entrypoint=["/bin/sh", "/opt/run.sh"],
    )
    making.write(tmp_path / "algorithm.tar.gz", image, kind="docker")
    (tmp_path / "cases").mkdir()
    (tmp_path / "references").mkdir()
    with tarfile.open(tmp_path / "weights.tar.gz", "w:gz") as tar:
        for case in CASES:
            shutil.copy(EXAMPLE / "images" / f"{case}.nii.gz", tmp_path / "cases")
            shutil.copy(EXAMPLE / "references" / f"{case}.nii.gz", tmp_path / "references")
            tar.add(EXAMPLE / "predictions" / "multi-atlas-25" / f"{case}.nii.gz", f"{case}.nii.gz")
    (tmp_path / "interface.json").write_text(json.dumps(INTERFACE))
    assessment = json.loads((EXAMPLE / "challenge.json").read_text())["assessment"]
    (tmp_path / "assessment.json").write_text(json.dumps(assessment | {"metrics": [{"id": "dsc"}]}))
    return tmp_path


def tried(home: Path, *more: str) -> int:
    return main(
        [
            "--json",
            "try",
            str(home / "algorithm.tar.gz"),
            str(home / "cases"),
            "--interface",
            str(home / "interface.json"),
            *more,
        ]
    )


def test_all_cases_are_well_and_scored_as_on_the_platform(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights, kept = home / "weights.tar.gz", home / "kept"
    scoring = ["--references", str(home / "references"), "--assessment", str(home / "assessment.json")]

    code = tried(home, "--model", str(weights), "--output", str(kept), *scoring)
    told = json.loads(capsys.readouterr().out)

    assert code == 0
    assert [(own["case"], own["outcome"], own["reason"]) for own in told["cases"]] == [
        (case, "ok", "") for case in CASES
    ]
    assert told["log"] == "done\n"
    assert told["identity"].startswith("sha256:")
    written = (kept / CASES[0] / "segmentation.nii.gz").read_bytes()
    assert written == (EXAMPLE / "predictions" / "multi-atlas-25" / f"{CASES[0]}.nii.gz").read_bytes()
    assert len(told["scores"]) == 6
    assert all(0.5 < row["value"] < 1 for row in told["scores"])


def test_what_is_missing_or_bad_is_said_in_words(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tarfile.open(home / "bad.tar.gz", "w:gz") as tar:
        tar.add(EXAMPLE / "predictions" / "multi-atlas-25" / f"{CASES[0]}.nii.gz", f"{CASES[1]}.nii.gz")
        tar.add(EXAMPLE / "predictions" / "multi-atlas-25" / f"{CASES[0]}.nii.gz", f"{CASES[0]}.nii.gz")

    code = main(
        [
            "try",
            str(home / "algorithm.tar.gz"),
            str(home / "cases"),
            "--interface",
            str(home / "interface.json"),
            "--model",
            str(home / "bad.tar.gz"),
        ]
    )
    said = capsys.readouterr().out

    assert code == 1
    lines = {line.split()[0]: line for line in said.splitlines() if line.startswith("hippocampus")}
    assert " ok " in lines[CASES[0]]
    assert "invalid_output" in lines[CASES[1]]
    assert "no_output" in lines[CASES[2]]
    assert "1 of 3 cases have an output that can be used" in said


def test_bad_input_is_one_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "broken.tar").write_bytes(b"no image at all" * 100)

    code = main(["try", str(home / "broken.tar"), str(home / "cases"), "--interface", str(home / "interface.json")])
    said = capsys.readouterr().err.strip().splitlines()

    assert code == 2
    assert said[-1] == "podium: The file is no tar archive. Upload a .tar, .tar.gz or .tar.zst file."


def test_rows_of_cases_are_judged_and_scored_as_on_the_platform(
    tmp_path: Path, machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = problems.get("object_detection")
    document = problem.samples.write_challenge(tmp_path, cases=4)
    cases = tuple(problem.open_references(parse(document), tmp_path / "references").cases)
    # Each case is told apart by what its input says; the first one crashes and the second one names a class that is not known.
    (tmp_path / "cases").mkdir()
    for case in cases:
        (tmp_path / "cases" / f"{case}.json").write_text(json.dumps(case))
    with (tmp_path / "predictions/near/objects.csv").open(newline="") as file:
        columns, *rows = csv.reader(file)
    answers = []
    for case in cases:
        case_rows = [",".join(row[1:]) for row in rows if row[0] == case]
        text = "\n".join([",".join(columns[1:]), *case_rows, ""]).encode()
        answers.append(making.Entry(f"answers/{case}.csv", text if case != cases[1] else text.replace(b"lesion", b"?")))
    script = f"""
for case in $(ls /input | grep -v interface.json); do
  name=$(tr -d '"' < /input/$case/scan.json)
  test $name = {cases[0]} && exit 3
  mkdir -p /output/$case
  cp /answers/$name.csv /output/$case/objects.csv
done
"""
    image = making.image(
        [making.busybox(), making.layer([making.Entry("opt/run.sh", script.encode(), 0o755), *answers])],
        entrypoint=["/bin/sh", "/opt/run.sh"],
    )
    making.write(tmp_path / "algorithm.tar.gz", image, kind="docker")
    expected = problem.expected(parse(document), {"classes": sorted({row[1] for row in rows})})
    table = CaseTable(replace(expected, kind=("boxes", 2)), most_of_case=100)
    interface = INTERFACE | {
        "inputs": [{"socket": "scan", "file": "scan.json", "kind": "json"}],
        "outputs": [{"socket": "objects", "file": "objects.csv", "kind": "csv", "required": True}],
        "predictions": table.described(),
    }
    (tmp_path / "interface.json").write_text(json.dumps(interface))
    (tmp_path / "assessment.json").write_text(json.dumps(document))
    scoring = ["--references", str(tmp_path / "references"), "--assessment", str(tmp_path / "assessment.json")]

    assert tried(tmp_path, *scoring) == 1
    verdict = json.loads(capsys.readouterr().out)

    assert [outcome["outcome"] for outcome in verdict["cases"]] == ["crashed", "ok", "ok", "ok"]
    # The only row of the second case names an unknown class: it costs itself, and the case has no objects.
    line = score_folders(parse(document), tmp_path / "references", {"near": tmp_path / "predictions/near"})
    full = {(row.case, row.region, row.metric): row.value for row in line.rows}
    for row in verdict["scores"]:
        if row["case"] in cases[2:]:
            assert row["value"] == full[row["case"], row["region"], row["metric"]]
        elif row["case"] == cases[0]:
            assert (row["value"], row["outcome"]) == (None, "missing")
        else:
            assert (row["case"], row["outcome"] != "missing") == (cases[1], True)
