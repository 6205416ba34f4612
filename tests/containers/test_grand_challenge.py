"""An algorithm that was made for Grand Challenge runs unchanged: its folders, its weights, its user; also by `podium try`."""

import json
import shutil
import tarfile
from dataclasses import asdict
from pathlib import Path

import pytest
from podium_client.cli import main

from confinement.containers import making
from confinement.containers.batches import CaseInput, Expected, Taken
from evaluation.running.conventions import conventions_of, mapping_of
from evaluation.running.grand_challenge import GrandChallengeSocket
from evaluation.running.interface import LIMITS, Socket, interface_document
from tests.containers.machine import SMALL, Machine

pytestmark = pytest.mark.engine

EXAMPLE = Path(__file__).parents[2] / "examples" / "hippocampus"
CASES = ("hippocampus_006", "hippocampus_015")
INPUTS, OUTPUTS = [Socket("t1", "image", ".nii.gz", 3)], [Socket("segmentation", "label_image", ".mha", 3)]
IMAGE = {
    "labels": {"org.grand-challenge.api-method": "exec"},
    "user": "user",
    "workdir": "/opt/app",
    "entrypoint": ["/bin/sh", "/opt/run"],
}
PROGRAM = """
set -e
grep -q '"slug": "brain-mri"' /input/inputs.json
[ $(ls /input/images/brain-mri | wc -l) = 1 ]
[ ! -e /input/interface.json ]
cat /opt/ml/model/weights.txt
echo $GRAND_CHALLENGE_COMPONENT_MAX_MEMORY_MB
mkdir -p /output/images/hippocampus
cp /input/images/brain-mri/*.mha /output/images/hippocampus/output.mha
"""


def document(seconds: float = 5) -> dict:
    limits = dict.fromkeys(LIMITS) | {
        "case_seconds": seconds, "start_seconds": 5, "memory_bytes": 2**27, "cpus": 1, "pids": 64
    }  # fmt: skip
    into, out = GrandChallengeSocket.of_image("brain-mri"), GrandChallengeSocket.of_image("hippocampus")
    names = mapping_of({"t1": into}, {"segmentation": out})
    return interface_document(
        INPUTS, OUTPUTS, limits=limits, interface="grand-challenge", more={"grand_challenge": names}
    )


def test_an_image_of_grand_challenge_runs_through_the_adapter(machine: Machine, tmp_path: Path) -> None:
    image = machine.image(PROGRAM, **IMAGE)
    model = machine.folder / "weights of grand challenge"
    model.mkdir()
    (model / "weights.txt").write_text("weights\n")
    own = conventions_of(document(), INPUTS, OUTPUTS)
    laid = own.files_of_case("c1", {"t1": EXAMPLE / "images" / f"{CASES[0]}.nii.gz"}, tmp_path)

    report = machine.run(
        image,
        cases=[CaseInput("c1", laid)],
        outputs=[Expected(**asdict(entry)) for entry in own.expected()],
        flat=own.is_flat,
        model=model,
        model_targets=own.model_targets(has_model=True),
        environment=own.environment(SMALL.memory_bytes),
        tells_interface=own.tells_interface,
    )

    assert report.log.text() == "weights\n128\n"
    assert machine.images[image].grand_challenge == "exec"
    taken = report.files["c1"]["segmentation.mha"]
    assert taken.taken is Taken.TAKEN
    assert taken.path.read_bytes() == laid["images/brain-mri/c1.mha"].read_bytes()


@pytest.fixture
def home(tmp_path: Path, machine: Machine) -> Path:
    """An image for Grand Challenge that copies its input, weights, and cases whose images are references."""
    script = making.Entry("opt/run", PROGRAM.encode(), 0o755)
    making.write(tmp_path / "algorithm.tar.gz", making.image([making.busybox(), making.layer([script])], **IMAGE))
    (tmp_path / "cases").mkdir()
    (tmp_path / "references").mkdir()
    for case in CASES:
        shutil.copy(EXAMPLE / "references" / f"{case}.nii.gz", tmp_path / "cases")
        shutil.copy(EXAMPLE / "references" / f"{case}.nii.gz", tmp_path / "references")
    (tmp_path / "weights.txt").write_text("weights\n")
    with tarfile.open(tmp_path / "weights.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "weights.txt", "weights.txt")
    assessment = json.loads((EXAMPLE / "challenge.json").read_text())["assessment"]
    (tmp_path / "assessment.json").write_text(json.dumps(assessment | {"metrics": [{"id": "dsc"}]}))
    (tmp_path / "interface.json").write_text(json.dumps(document()))
    return tmp_path


def tried(home: Path, *more: str) -> int:
    files = [str(home / "algorithm.tar.gz"), str(home / "cases")]
    return main(["--json", "try", *files, "--interface", str(home / "interface.json"), *more])


def test_at_home_it_is_run_validated_and_scored_as_on_the_platform(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scoring = ["--references", str(home / "references"), "--assessment", str(home / "assessment.json")]

    code = tried(home, "--model", str(home / "weights.tar.gz"), "--output", str(home / "kept"), *scoring)
    told = json.loads(capsys.readouterr().out)

    assert code == 0, told
    assert [(own["case"], own["outcome"]) for own in told["cases"]] == [(case, "ok") for case in CASES]
    assert told["notes"] == ["USER of the image has no effect here."]
    assert {row["value"] for row in told["scores"]} == {1.0}
    assert (home / "kept" / CASES[0] / "segmentation.mha").is_file()


def test_at_home_what_lacks_weights_is_told_case_by_case(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tried(home) == 1
    told = json.loads(capsys.readouterr().out)

    assert {own["outcome"] for own in told["cases"]} == {"crashed"}
    assert "weights.txt" in told["log"]


def test_at_home_cases_may_have_the_format_of_grand_challenge(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from evaluation.running.as_mha import write_mha

    for case in CASES:
        path = home / "cases" / f"{case}.nii.gz"
        write_mha(path, home / "cases" / f"{case}.mha")
        path.unlink()

    assert tried(home, "--model", str(home / "weights.tar.gz")) == 0, capsys.readouterr()


def test_at_home_an_image_for_our_folders_is_refused_in_one_line(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = {"org.podium.interface": "podium-exec-1"}
    making.write(home / "algorithm.tar.gz", making.image([making.busybox()], entrypoint=["/bin/true"], labels=labels))

    assert tried(home) == 2
    assert "Grand Challenge's folders are laid out here" in capsys.readouterr().err.strip().splitlines()[-1]
