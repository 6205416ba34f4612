"""An algorithm that was made for Grand Challenge runs unchanged: its folders, its weights, its user."""

from dataclasses import asdict
from pathlib import Path

import pytest

from confinement.containers.batches import CaseInput, Expected, Taken
from evaluation.running.grand_challenge import MODEL_TARGETS, environment, inputs_of_case, outputs_of_case, read_mapping
from evaluation.running.interface import Socket
from tests.containers.machine import SMALL, Machine

pytestmark = pytest.mark.engine

EXAMPLE = Path(__file__).parents[2] / "examples" / "hippocampus"
INPUTS, OUTPUTS = [Socket("t1", "image", ".nii.gz", 3)], [Socket("segmentation", "label_image", ".mha", 3)]
PROGRAM = """
set -e
grep -q '"slug": "brain-mri"' /input/inputs.json
[ $(ls /input/images/brain-mri | wc -l) = 1 ]
cat /opt/ml/model/weights.txt
echo $GRAND_CHALLENGE_COMPONENT_MAX_MEMORY_MB
mkdir -p /output/images/hippocampus
cp /input/images/brain-mri/*.mha /output/images/hippocampus/output.mha
"""


def test_an_image_of_grand_challenge_runs_through_the_adapter(machine: Machine, tmp_path: Path) -> None:
    image = machine.image(
        PROGRAM,
        labels={"org.grand-challenge.api-method": "exec"},
        user="user",
        workdir="/opt/app",
        entrypoint=["/bin/sh", "/opt/run"],
    )
    model = machine.folder / "weights of grand challenge"
    model.mkdir()
    (model / "weights.txt").write_text("weights\n")
    into = {"t1": {"slug": "brain-mri", "relative_path": "images/brain-mri", "super_kind": "Image"}}
    out = {"segmentation": {"slug": "hippocampus", "relative_path": "images/hippocampus", "super_kind": "Image"}}
    files = {"t1": EXAMPLE / "images" / "hippocampus_006.nii.gz"}
    laid = inputs_of_case("c1", files, INPUTS, read_mapping(into, INPUTS), tmp_path)

    report = machine.run(
        image,
        cases=[CaseInput("c1", laid)],
        outputs=[Expected(**asdict(own)) for own in outputs_of_case(OUTPUTS, read_mapping(out, OUTPUTS))],
        flat=True,
        model=model,
        model_targets=MODEL_TARGETS,
        environment=environment(SMALL.memory_bytes),
    )

    assert report.log.text() == "weights\n128\n"
    assert machine.images[image].grand_challenge == "exec"
    taken = report.files["c1"]["segmentation.mha"]
    assert taken.taken is Taken.TAKEN
    assert taken.path.read_bytes() == laid["images/brain-mri/c1.mha"].read_bytes()
