"""Mistakes that real participants make are questioned, and correct but unusual submissions are not."""

import io
import json

import nibabel as nib
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from evaluation.cli import main
from tests.unit.evaluation.checking.test_reports import REPORTS, scored

SEG = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "a", "labels": [1]}, {"name": "b", "labels": [2]}],
    "metrics": [{"id": "dsc"}],
}
SHAPE = (12, 14, 10)


def blobs(seed, shape=SHAPE):
    labels = np.zeros(shape, np.uint8)
    x, y, z = np.random.default_rng(seed).integers(1, 4, 3)
    labels[x : x + 5, y : y + 5, z : z + 4] = 1
    labels[x + 1 : x + 3, y + 1 : y + 4, z + 1 : z + 3] = 2
    return labels


@pytest.fixture
def task(tmp_path):
    """References of four cases, and how to score predictions that are made of them."""
    (tmp_path / "references").mkdir()
    (tmp_path / "assessment.json").write_text(json.dumps(SEG))
    references = {f"case_{number}": blobs(number) for number in range(4)}
    for case, labels in references.items():
        nib.save(nib.Nifti1Image(labels, np.eye(4)), tmp_path / "references" / f"{case}.nii.gz")

    def score(capsys, change, affine=None):
        folder = tmp_path / "predictions"
        folder.mkdir()
        for case, labels in references.items():
            nib.save(
                nib.Nifti1Image(change(case, labels), np.eye(4) if affine is None else affine),
                folder / f"{case}.nii.gz",
            )
        arguments = ["score", str(tmp_path / "assessment.json"), "--references", str(tmp_path / "references")]
        code = main([*arguments, "--predictions", str(folder)])
        captured = capsys.readouterr()
        return code, pd.read_csv(io.StringIO(captured.out)), captured.err

    return score


class TestLabelImages:
    def test_right_predictions_are_not_questioned(self, task, capsys):
        assert task(capsys, lambda case, labels: labels)[2] == ""

    def test_empty_predictions_are_not_questioned(self, task, capsys):
        assert task(capsys, lambda case, labels: np.zeros_like(labels))[2] == ""

    def test_one_label_everywhere_is_not_questioned(self, task, capsys):
        assert task(capsys, lambda case, labels: np.ones_like(labels))[2] == ""

    def test_the_same_prediction_for_all_cases(self, task, capsys):
        errors = task(capsys, lambda case, labels: blobs(9))[2]
        assert "The predictions for all 4 cases are identical" in errors
        assert errors.count("\n") == 1

    def test_labels_one_too_high(self, task, capsys):
        errors = task(capsys, lambda case, labels: np.where(labels > 0, 2, 1).astype(np.uint8))[2]
        assert "No voxel of any of the 4 files has the background label 0; the labels are 1, 2" in errors

    def test_swapped_axes(self, task, capsys):
        errors = task(capsys, lambda case, labels: labels.transpose(2, 1, 0).copy())[2]
        assert "All 4 files have the expected sizes in another order of the axes. Swap the axes" in errors

    def test_probabilities_in_place_of_labels(self, task, capsys):
        code, table, errors = task(capsys, lambda case, labels: labels.astype(np.float32) * 0.45)
        assert (code, set(table["outcome"])) == (0, {"missing"})
        assert "All 4 files have values that are not whole numbers. Save the label of each voxel" in errors

    def test_files_that_all_lie_elsewhere(self, task, capsys):
        affine = np.eye(4)
        affine[:3, 3] = 3
        assert "All 4 files are displaced. Copy the header" in task(capsys, lambda case, labels: labels, affine)[2]

    def test_files_that_are_all_turned(self, task, capsys):
        angle = 0.3
        affine = np.eye(4)
        affine[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        errors = task(capsys, lambda case, labels: labels, affine)[2]
        assert "The axes of all 4 files run in other directions than expected" in errors

    def test_a_shift_below_half_a_voxel_is_a_note(self, task, capsys):
        affine = np.eye(4)
        affine[0, 3] = 0.25
        code, table, errors = task(capsys, lambda case, labels: labels, affine)
        assert (code, set(table["outcome"]), set(table["value"])) == (0, {"ok"}, {1.0})
        assert "The grids of 4 of 4 files are displaced, at most by 0.25 mm (0.25 voxels) in case case_0" in errors


def instances(folder, maps):
    folder.mkdir()
    for number, labels in enumerate(maps):
        Image.fromarray(labels).save(folder / f"img_{number}.png")


def discs(numbers):
    labels = np.zeros((40, 40), np.uint8)
    for position, number in enumerate(numbers):
        labels[3 + 9 * position : 9 + 9 * position, 5:12] = number
    return labels


class TestInstances:
    def test_a_binary_mask_of_a_report_is_questioned(self, capsys):
        code, _, errors = scored(capsys, "inst.json", "mask-255-as-instances")
        assert code == 0
        assert "1 of 1 label maps contain a single object, which is in 4 pieces in case img_1" in errors

    @pytest.mark.parametrize(
        ("name", "maps", "questioned"),
        [
            ("binary", [discs([255, 255, 255]), discs([255, 255])], True),
            ("mostly binary", [discs([1, 1]), discs([1, 1]), discs([1])], True),
            ("numbered", [discs([1, 2, 3]), discs([1, 2])], False),
            ("one object each", [discs([1]), discs([1])], False),
            ("empty", [discs([]), discs([])], False),
            ("one in pieces of four", [discs([1, 1]), discs([1]), discs([1]), discs([1])], False),
        ],
    )
    def test_one_object_in_pieces(self, tmp_path, capsys, name, maps, questioned):
        instances(tmp_path / "references", [discs([1, 2, 3])] * len(maps))
        instances(tmp_path / "predictions", maps)
        arguments = ["score", str(REPORTS / "inst.json"), "--references", str(tmp_path / "references")]
        assert main([*arguments, "--predictions", str(tmp_path / "predictions")]) == 0
        assert ("contain a single object" in capsys.readouterr().err) == questioned


class TestBoxes:
    BOXES = ((10, 10, 30, 30), (50, 50, 70, 80), (5, 60, 25, 85), (70, 3, 90, 20), (40, 40, 55, 52), (60, 8, 75, 30))

    def run(self, capsys, tmp_path, rows, name="objects.csv"):
        (tmp_path / "references").mkdir()
        (tmp_path / "predictions").mkdir()
        header = "case,class,score,x_min,y_min,x_max,y_max"
        reference = [f"a,lesion,{','.join(map(str, box))}" for box in self.BOXES]
        (tmp_path / "references" / "objects.csv").write_text("\n".join([header.replace("score,", ""), *reference]))
        lines = [f"a,lesion,0.5,{','.join(map(str, row))}" for row in rows]
        (tmp_path / "predictions" / "objects.csv").write_text("\n".join([header, *lines]))
        arguments = ["score", str(REPORTS / "det.json"), "--references", str(tmp_path / "references")]
        main([*arguments, "--predictions", str(tmp_path / "predictions")])
        return capsys.readouterr().err

    def test_right_boxes_are_not_questioned(self, capsys, tmp_path):
        assert self.run(capsys, tmp_path, self.BOXES) == ""

    def test_shares_of_the_image(self, capsys, tmp_path):
        errors = self.run(capsys, tmp_path, [[number / 100 for number in box] for box in self.BOXES])
        assert "All 6 boxes lie between 0 and 1. Save coordinates in pixels" in errors

    def test_sizes_for_corners(self, capsys, tmp_path):
        sizes = [(x, y, right - x, lower - y) for x, y, right, lower in self.BOXES]
        errors = self.run(capsys, tmp_path, sizes)
        assert "boxes have no extent. Save the corners" in errors

    @pytest.mark.parametrize("corners", [True, False])
    def test_corners_for_sizes_in_coco(self, capsys, tmp_path, corners):
        (tmp_path / "references").mkdir()
        (tmp_path / "predictions").mkdir()
        boxes = [
            {"image_id": 1, "category_id": 1, "bbox": [x, y, right - x, lower - y], "id": number}
            for number, (x, y, right, lower) in enumerate(self.BOXES)
        ]
        images, categories = [{"id": 1, "file_name": "a.png"}], [{"id": 1, "name": "lesion"}]
        document = {"images": images, "categories": categories, "annotations": boxes}
        (tmp_path / "references" / "objects.json").write_text(json.dumps(document))
        predicted = [
            entry | {"score": 0.5, "bbox": list(box) if corners else entry["bbox"]}
            for entry, box in zip(boxes, self.BOXES, strict=True)
        ]
        (tmp_path / "predictions" / "objects.json").write_text(json.dumps(predicted))
        arguments = ["score", str(REPORTS / "det.json"), "--references", str(tmp_path / "references")]
        main([*arguments, "--predictions", str(tmp_path / "predictions")])
        assert ("these look like [x_min, y_min, x_max, y_max]" in capsys.readouterr().err) == corners


def test_the_note_of_a_report_names_the_displacement(capsys):
    _, _, errors = scored(capsys, "seg.json", "qform-precision")
    assert "files are displaced, at most by" in errors
