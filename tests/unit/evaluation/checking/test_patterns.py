"""Patterns of file names: what a registered one accepts, and which one is suggested."""

from pathlib import Path

import nibabel
import numpy as np
import pytest

from evaluation.assessment import parse
from evaluation.assessment.errors import AssessmentError
from evaluation.checking.naming import case_by_pattern, pattern_problem
from evaluation.problems import kind_of
from evaluation.problems.files import FileProblem, file_problem
from evaluation.scoring import score_folders

CASES = ["case_1", "case_10", "case_2", "sub-1"]
DOCUMENT = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "organ", "labels": [1]}],
    "metrics": [{"id": "dsc"}],
    "ranking": {"scheme": "aggregate_then_rank"},
    "uncertainty": {"bootstrap": 0, "seed": 1},
}


def registered(pattern: str | None) -> dict:
    return DOCUMENT if pattern is None else DOCUMENT | {"settings": {"file_pattern": pattern}}


def assigned(paths: list[str], pattern: str = ""):
    return file_problem("semantic_segmentation").assign(paths, CASES, pattern=pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "{case}_seg.nii.gz",
        "{case}/pred.nii.gz",
        "seg_{case}.png",
        "{case}/anat/{case}_dseg.nii.gz",
        "{case}/{case}.nii.gz",
    ],
)
def test_a_registered_pattern_assigns_all_files(pattern: str) -> None:
    paths = [f"run 1/{pattern.replace('{case}', case)}" for case in CASES]
    found = assigned(paths, pattern)
    assert found.files == dict(zip(CASES, paths, strict=True))
    assert (found.findings, found.extra) == ({}, {})


def test_the_usual_names_remain_valid_and_two_files_are_a_duplicate() -> None:
    found = assigned(["case_1.nii.gz", "case_10_seg.nii.gz", "case_2.nii.gz", "case_2_seg.nii.gz"], "{case}_seg.nii.gz")
    assert found.files == {"case_1": "case_1.nii.gz", "case_10": "case_10_seg.nii.gz"}
    assert {case: item.id for case, item in found.findings.items()} == {
        "case_2": "file_duplicate",
        "sub-1": "file_missing",
    }


def test_other_names_do_not_follow_the_pattern() -> None:
    assert case_by_pattern("case_1/other.nii.gz", "{case}/pred.nii.gz") == ""
    assert case_by_pattern("pred.nii.gz", "{case}/pred.nii.gz") == ""
    assert case_by_pattern("case_1/x/pred.nii.gz", "{case}/pred.nii.gz") == "x"
    assert case_by_pattern("a+b_seg.png", "{case}_seg.png") == "a+b"
    assert case_by_pattern("case_1_segXpng", "{case}_seg.png") == ""


@pytest.mark.parametrize(
    ("paths", "pattern"),
    [
        (["case_1_seg.nii.gz", "case_10_seg.nii.gz", "case_2_seg.nii.gz"], "{case}_seg.nii.gz"),
        (["p/case_1/pred.nii.gz", "p/case_10/pred.nii.gz", "p/sub-1/pred.nii.gz"], "{case}/pred.nii.gz"),
        (["sub-1/anat/mask.png", "case_2/anat/mask.png"], "{case}/anat/mask.png"),
    ],
)
def test_the_pattern_of_most_files_is_suggested(paths: list[str], pattern: str) -> None:
    found = assigned(paths)
    of_pattern = {case: item for case, item in found.findings.items() if item.id == "file_pattern"}
    assert len(of_pattern) == len(paths)
    assert {item.value for item in of_pattern.values()} == {pattern}
    assert {item.id for case, item in found.findings.items() if case not in of_pattern} <= {"file_missing"}
    assert {note.id for note in found.extra.values()} == {"file_intended"}
    if "case_10" in of_pattern:
        assert pattern.replace("{case}", "case_10") in of_pattern["case_10"].sentence


def test_one_misnamed_file_suggests_no_pattern() -> None:
    found = assigned(["case_1_seg.nii.gz", "case_10.nii.gz", "case_2.nii.gz", "sub-1.nii.gz"])
    assert [item.id for item in found.findings.values()] == ["file_misnamed"]


@pytest.mark.parametrize(
    "pattern",
    ["pred.nii.gz", "{case}.txt", "/{case}.png", "../{case}.png", "{case}\\pred.png", "{case}_{x}.png", "*{case}.png"],
)
def test_other_patterns_are_refused(pattern: str) -> None:
    assert pattern_problem(pattern, (".nii.gz", ".png"))
    with pytest.raises(AssessmentError, match="file_pattern"):
        parse(registered(pattern))


def test_the_registered_pattern_is_scored_and_described(tmp_path: Path) -> None:
    assessment = parse(registered("{case}/pred.nii.gz"))
    kind = kind_of(assessment)
    assert isinstance(kind, FileProblem)
    assert kind.expected(assessment)["file_pattern"] == "{case}/pred.nii.gz"
    assert "`{case}/pred.nii.gz`" in " ".join(kind.texts.submit_page(assessment, 4).before)
    plain = parse(registered(None))
    assert "file_pattern" not in kind.expected(plain)
    references, predictions = tmp_path / "references", tmp_path / "predictions"
    references.mkdir()
    content = np.zeros((4, 4, 4), np.uint8)
    content[1:3, 1:3, 1:3] = 1
    for number, case in enumerate(CASES):
        (predictions / case).mkdir(parents=True)
        content[0, 0, 0] = number % 2
        volume = nibabel.Nifti1Image(content.copy(), np.eye(4))
        nibabel.save(volume, references / f"{case}.nii.gz")
        nibabel.save(volume, predictions / case / "pred.nii.gz")
    rows = score_folders(assessment, references, {"a": predictions}).rows
    assert {row.outcome for row in rows} == {"ok"}
    rows = score_folders(plain, references, {"a": predictions}).rows
    assert {row.outcome for row in rows} == {"missing"}


@pytest.mark.parametrize(
    ("paths", "ending"),
    [(["a.png", "b.png", "c.tif"], ".png"), (["out/a.mha"], ".mha"), (["notes.txt"], ".nii.gz"), ([], ".nii.gz")],
)
def test_a_missing_file_is_advised_with_the_ending_of_the_others(paths: list[str], ending: str) -> None:
    finding = file_problem("semantic_segmentation").assign(paths, ["a", "b", "c", "d"]).findings["d"]
    assert (finding.id, finding.remedy) == ("file_missing", f"Add d{ending}.")
