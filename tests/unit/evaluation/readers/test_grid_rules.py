"""The registered rule for grids decides which predictions are on the grid of their reference."""

import importlib.util
import json
from pathlib import Path

import nibabel as nib
import numpy as np
import pytest

from evaluation.assessment import AssessmentError, parse
from evaluation.problems import kind_of
from evaluation.problems.grids import GEOMETRY, GRID_WORDS
from evaluation.readers import Geometry, ReadError
from evaluation.readers.geometry import GridRule, align
from evaluation.scoring import score_folders

DOCUMENT = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "a", "labels": [1]}],
    "metrics": [{"id": "dsc"}],
}
RULES = [str(rule) for rule in GridRule]


def grid(shift=0.0, turn=0.0, size=1.0, rule=None):
    """A volume of 20 × 20 × 10 voxels whose first axis is shifted, and that is turned about its first voxel."""
    affine = np.diag([size, 1.0, 1.0, 1.0])
    affine[:2, :2] = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ affine[:2, :2]
    affine[0, 3] = shift
    made = Geometry((20, 20, 10), (size, 1.0, 1.0), tuple(map(tuple, affine.tolist())), oriented_format=True)
    return made.compared_by(rule)


@pytest.mark.parametrize(
    ("name", "actual", "accepting"),
    [
        ("the same", grid(), {"same_grid", "exact", "shape"}),
        ("rounded", grid(shift=0.0005), {"same_grid", "exact", "shape"}),
        ("shifted by a quarter", grid(shift=0.25), {"same_grid", "shape"}),
        ("turned by a hundredth", grid(turn=0.01), {"same_grid", "shape"}),
        ("shifted by a voxel", grid(shift=1.0), {"shape"}),
        ("turned", grid(turn=0.2), {"shape"}),
        ("other voxels", grid(size=1.5), {"shape"}),
        ("another shape", Geometry((20, 20, 11), (1.0,) * 3, grid().affine), set()),
    ],
)
def test_each_rule_accepts_what_it_states(name, actual, accepting):
    accepted = set()
    for rule in RULES:
        try:
            align(grid(rule=rule), actual, file="a.nii.gz")
        except ReadError:
            continue
        accepted.add(rule)
    assert accepted == accepting, name


def test_the_reason_states_what_the_rule_accepts():
    with pytest.raises(ReadError, match=r"0\.25 mm away") as caught:
        align(grid(rule="exact"), grid(shift=0.25), file="a.nii.gz")
    assert "and no shift" in str(caught.value)
    with pytest.raises(ReadError, match="a shift below half a voxel"):
        align(grid(), grid(shift=2.0), file="a.nii.gz")


def test_setting_words_and_rules_name_the_same_rules():
    assert list(GEOMETRY.choices) == RULES == list(GRID_WORDS)
    assert GEOMETRY.default == GridRule.SAME


@pytest.mark.parametrize("kind", ["semantic_segmentation", "instance_segmentation", "segmentation_with_confidence"])
def test_documents_without_the_setting_keep_their_digest_and_the_default(kind):
    document = (
        DOCUMENT
        | {"problem": kind}
        | ({"metrics": [{"id": "panoptic_quality"}], "regions": []} if "instance" in kind else {})
    )
    if kind == "segmentation_with_confidence":
        document = json.loads(json.dumps(document)) | {"metrics": [{"id": "aurc"}]}
    plain = parse(document)
    assert "geometry" not in plain.settings
    assert "geometry" not in plain.document.get("settings", {})
    chosen = parse(document | {"settings": {"geometry": "same_grid"}})
    assert chosen.digest == plain.digest
    other = parse(document | {"settings": {"geometry": "exact"}})
    assert other.digest != plain.digest
    assert parse(other.document).settings["geometry"] == "exact"
    assert kind_of(other).expected(other)["geometry"] == "exact"
    assert "geometry" not in kind_of(plain).expected(plain)


def test_an_unknown_rule_is_refused():
    with pytest.raises(AssessmentError, match="same_grid, exact, shape"):
        parse(DOCUMENT | {"settings": {"geometry": "near"}})


@pytest.mark.parametrize(("rule", "outcome"), [("same_grid", "ok"), ("exact", "missing"), ("shape", "ok")])
def test_scoring_uses_the_registered_rule(tmp_path, rule, outcome):
    labels = np.zeros((8, 8, 8), np.uint8)
    labels[2:5, 2:5, 2:5] = 1
    for folder, shift in (("references", 0.0), ("predictions", 0.25)):
        (tmp_path / folder).mkdir()
        affine = np.eye(4)
        affine[0, 3] = shift
        nib.save(nib.Nifti1Image(labels, affine), tmp_path / folder / "case_1.nii.gz")
    assessment = parse(DOCUMENT | {"settings": {"geometry": rule}})
    scored = score_folders(assessment, tmp_path / "references", {"a": tmp_path / "predictions"})
    assert [str(row.outcome) for row in scored.rows] == [outcome]
    assert [each.id for each in scored.findings["a"]] == (["shifted_grid"] if rule == "same_grid" else [])


@pytest.mark.parametrize(("rule", "is_accepted"), [(None, True), ("exact", False), ("shape", True)])
def test_validation_uses_the_rule_of_the_expectation(tmp_path, rule, is_accepted):
    labels = np.zeros((20, 20, 10), np.uint8)
    affine = np.eye(4)
    affine[0, 3] = 0.25
    nib.save(nib.Nifti1Image(labels, affine), tmp_path / "case_1.nii.gz")
    problem = kind_of(parse(DOCUMENT))
    expected = {"labels": [1]} | ({"geometry": rule} if rule else {})
    try:
        problem.read_prediction(tmp_path / "case_1.nii.gz", grid().document, expected)
    except ReadError:
        assert not is_accepted
    else:
        assert is_accepted


def test_the_picture_of_the_rule_is_current_and_true():
    path = Path(__file__).parents[4] / "docs" / "make_grids_picture.py"
    specification = importlib.util.spec_from_file_location("make_grids_picture", path)
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    assert script.TARGET.read_text("utf-8") == script.picture()
    shape = (script.CELLS, script.CELLS, 1)
    plain = Geometry(shape, (1.0,) * 3, tuple(map(tuple, np.eye(4).tolist())))
    for title, (right, down, degrees), is_accepted, words in script.PANELS:
        angle = np.radians(degrees)
        affine = np.eye(4)
        affine[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        affine[:2, 3] = right, down
        actual = Geometry(shape, (1.0,) * 3, tuple(map(tuple, affine.tolist())))
        try:
            alignment = align(plain, actual, file="a.nii.gz")
        except ReadError:
            assert not is_accepted, title
        else:
            assert is_accepted, title
            assert "largest" not in words or f"{alignment.shift.voxels:.2f}" in words
