"""The JSON documents of `podium validate`, `score` and `try` have the fields that the manual names."""

import json
from pathlib import Path

import pytest
from podium_client.cli import main
from podium_client.trying import Report, Tried
from podium_client.validating import Outcome

from evaluation.checking.sentences import finding

ROOT = Path(__file__).parents[3]
MANUAL = (ROOT / "docs" / "commands.md").read_text("utf-8")
REPORTS = ROOT / "tests" / "data" / "reports"
FIELDS = {"id", "severity", "sentence", "reason", "remedy", "file", "case", "row", "value"}


def named(document) -> None:
    assert document["schema"] == 1
    assert isinstance(document["findings"], list)
    for found in document["findings"]:
        assert set(found) - {"message", "algorithm"} == FIELDS
        assert found["severity"] in ("accept with note", "hold and ask", "reject")
    for name in {*document, *FIELDS}:
        assert f"`{name}`" in MANUAL, name


def test_validate():
    held = finding("identical_predictions", total=3)
    missing = finding("file_missing", case="case_1", ending=".nii.gz")
    document = Outcome(3, [missing], ["a.txt: ignored"], True, questions=[held]).document
    named(document)
    assert [found["id"] for found in document["questions"]] == ["identical_predictions"]


def test_try():
    cases = [Tried("a", "ok", "", 1.0, None), Tried("b", "crash", "It ended with code 1.", 1.0, None)]
    document = Report("image", "identity", cases, [], "").document
    named(document)
    [found] = document["findings"]
    assert (found["id"], found["case"], found["sentence"]) == ("run_crash", "b", "It ended with code 1.")
    assert len(document["cases"]) == 2


@pytest.mark.parametrize(
    ("assessment", "folder", "code", "ids"),
    [
        ("inst.json", "mask-255-as-instances", 0, {"one_object_in_pieces"}),
        ("seg.json", "scl-slope-of-nibabel", 0, set()),
        ("det.json", "coco-one-bad-annotation", 0, {"rows_not_used"}),
        ("seg.json", "two-files-one-case", 0, {"file_duplicate"}),
        ("seg.json", "silent-missing-mgz", 0, set()),
        ("seg.json", "silent-missing-monai-folders", 2, None),
    ],
)
def test_score_of_reported_inputs(capsys, assessment, folder, code, ids):
    place = REPORTS / folder
    arguments = ["score", str(REPORTS / assessment), "--references", str(place / "references"), "--json"]
    assert main([*arguments, "--predictions", str(place / "predictions")]) == code
    document = json.loads(capsys.readouterr().out)
    if ids is None:
        assert set(document) == {"error"}
        assert "None of the 1 cases has a prediction that can be read" in document["error"]
        return
    named(document)
    assert {found["id"] for found in document["findings"]} == ids
    assert {found["algorithm"] for found in document["findings"]} <= {"predictions"}
