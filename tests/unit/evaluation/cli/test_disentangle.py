"""The command `disentangle` on two classes, with an ignored region and two patients."""

import csv
import json

import numpy as np
import pytest
from PIL import Image

from evaluation.cli import main

DOCUMENT = {
    "schema": 1,
    "problem": "instance_segmentation",
    "regions": [{"name": "epithelium", "labels": ["E"]}, {"name": "lymphocytes", "labels": ["L"]}],
    "metrics": [{"id": "panoptic_quality", "options": {"scale": "image"}}],
    "ranking": {"scheme": "aggregate_then_rank"},
}


def paint(path, *boxes):
    image = np.zeros((20, 30), dtype=np.uint16)
    for label, (top, left, bottom, right) in enumerate(boxes, start=1):
        image[top:bottom, left:right] = label
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(image).save(path)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "assessment.json").write_text(json.dumps(DOCUMENT))
    truth, net, other = (tmp_path / name for name in ("references", "predictions/net", "predictions/other"))
    three = [(0, 0, 6, 6), (0, 10, 6, 16), (10, 0, 20, 12)]
    for case in "abc":
        paint(truth / f"{case}.png", *three)
    (truth / "instances.csv").write_text(
        "case,instance,class,ignore\n" + "".join(f"{case},1,E,0\n{case},2,L,0\n{case},3,,1\n" for case in "abc")
    )
    (truth / "cases.csv").write_text("case,patient\na,one\nb,one\nc,two\n")
    # Both nuclei, the second under the wrong class, and an object in the region that counts for nobody.
    for case in "ab":
        paint(net / f"{case}.png", *three[:2], (12, 2, 18, 10))
    (net / "instances.csv").write_text(
        "case,instance,class,score\n" + "".join(f"{case},{n},E,\n" for case in "ab" for n in (1, 2, 3))
    )
    for case in "abc":
        paint(other / f"{case}.png", *three[:2], (0, 20, 5, 25))
    (other / "instances.csv").write_text(
        "case,instance,class,score\n" + "".join(f"{case},1,E,\n{case},2,L,\n{case},3,L,\n" for case in "abc")
    )
    return tmp_path


def call(folder, *more):
    return main(
        ["disentangle", str(folder / "assessment.json"), "--references", str(folder / "references"),
         "--predictions", str(folder / "predictions"), "--each", *more]
    )  # fmt: skip


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_three_parts_of_every_algorithm(folder, jobs):
    assert call(folder, "--jobs", jobs, "--output", str(folder / "d.json")) == 0
    document = json.loads((folder / "d.json").read_text())
    assert document["classes"] == ["E", "L"]
    assert document["group"] == "patient"
    net, other = document["algorithms"]
    # The third image has no prediction: its two objects are missed. Nothing in the ignored region is a false alarm.
    assert net["pooled"]["confusion"] == [[0, 0, 0], [1, 2, 0], [1, 2, 0]]
    assert net["cases_missing"] == 1
    assert other["pooled"]["confusion"] == [[0, 0, 3], [0, 3, 0], [0, 0, 3]]
    assert [entry["name"] for entry in net["groups"]["each"]] == ["one", "two"]
    assert "Classification limits this method" in net["pooled"]["limits"]["sentence"]
    assert other["pooled"]["limits"]["parts"] == ["detection"]


def test_tables_and_a_sentence_for_each_algorithm(folder, capsys):
    assert call(folder, "--table", str(folder / "t.csv"), "--confusion", str(folder / "c.csv")) == 0
    assert capsys.readouterr().out.startswith("net: Classification limits this method: with the right class")
    values = {
        (row["algorithm"], row["level"], row["part"], row["class"], row["metric"]): row["value"]
        for row in csv.DictReader((folder / "t.csv").read_text().splitlines())
        if row["name"] == ""
    }
    assert float(values["net", "pooled", "classification", "", "balanced_accuracy"]) == 0.5
    assert float(values["net", "mean over groups", "detection", "", "sensitivity"]) == 0.5
    cells = list(csv.DictReader((folder / "c.csv").read_text().splitlines()))
    assert {"reference": "L", "prediction": "E", "count": "2"}.items() <= cells[6].items()


def test_the_rule_of_the_centre_can_be_chosen(folder):
    paint(folder / "predictions/other/a.png", (2, 2, 5, 5), (0, 10, 6, 16), (0, 20, 5, 25))
    found = {}
    for rule in ("strict_iou", "centroid"):
        call(folder, "--matching", rule, "--output", str(folder / "d.json"))
        found[rule] = json.loads((folder / "d.json").read_text())["algorithms"][1]["pooled"]["detection"]["tp"]
    assert found == {"strict_iou": 5, "centroid": 6}


def spoil_problem(folder):
    (folder / "assessment.json").write_text(
        json.dumps({**DOCUMENT, "problem": "object_detection", "metrics": [{"id": "average_precision"}]})
    )


def spoil_references(folder):
    (folder / "references/instances.csv").unlink()


@pytest.mark.parametrize(
    ("spoil", "more", "said"),
    [
        (spoil_problem, (), "this needs instance_segmentation"),
        (spoil_references, (), "instances.csv"),
        (None, ("--group", "site"), "no column 'site'; it has case, patient"),
        (None, ("--output", "/nowhere/at/all/d.json"), "--output: there is no folder"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(folder, capsys, spoil, more, said):
    if spoil:
        spoil(folder)
    assert call(folder, *more) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
