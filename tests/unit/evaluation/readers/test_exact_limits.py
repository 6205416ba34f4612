"""Limits apply from the first number above them, and values exactly at a limit are accepted."""

import numpy as np
import pytest

from evaluation.readers import Geometry, ReadError, check_prediction, read_geometry, read_label_image
from evaluation.readers.geometry import align
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.readers.tables import read_columns, read_predicted_labels
from tests.unit.evaluation.readers import files
from tests.unit.evaluation.readers.files import AFFINE, LABELS

CASES = ("a", "b", "c")


@pytest.fixture
def expected(tmp_path):
    return read_geometry(files.nifti(tmp_path / "reference.nii.gz"))


def table(tmp_path, text):
    path = tmp_path / "labels.csv"
    path.write_text(text)
    return path


def test_the_diagonal_is_in_millimetres():
    assert Geometry((3, 4)).diagonal == 5.0
    assert Geometry((3, 4), (2.0, 2.0)).diagonal == 10.0
    assert Geometry((2, 3, 6), (1.0, 1.0, 1.0)).diagonal == 7.0
    assert Geometry((6, 1), (0.5, 4.0)).diagonal == 5.0


def test_without_other_limits_a_file_may_ask_for_this_much():
    gibibyte = 2**30
    assert (DEFAULT.file_bytes, DEFAULT.decoded_bytes, DEFAULT.header_bytes) == (gibibyte, 2 * gibibyte, 2**20)
    assert (DEFAULT.axis, DEFAULT.label) == (65_536, 2**31 - 1)
    assert (DEFAULT.table_rows, DEFAULT.table_columns, DEFAULT.cell_characters) == (5_000_000, 2_000, 1_000)
    assert DEFAULT.table_bytes == gibibyte / 2


class TestTables:
    def test_a_cell_of_as_many_characters_as_are_allowed(self, tmp_path):
        path = table(tmp_path, "case,label\nabcd,1\n")
        assert read_columns(path, limits=Limits(cell_characters=4))["case"].to_pylist() == ["abcd"]
        with pytest.raises(ReadError, match="a cell of 4 characters; expected at most 3"):
            read_columns(path, limits=Limits(cell_characters=3))

    def test_as_many_rows_columns_and_bytes_as_are_allowed(self, tmp_path):
        path = table(tmp_path, "case,label\na,1\nb,1\n")
        size = path.stat().st_size
        for limits in (Limits(table_rows=2), Limits(table_columns=2), Limits(table_bytes=size)):
            assert len(read_columns(path, limits=limits)["case"]) == 2
        for limits in (Limits(table_rows=1), Limits(table_columns=1), Limits(table_bytes=size - 1)):
            with pytest.raises(ReadError) as caught:
                read_columns(path, limits=limits)
            assert caught.value.kind == "too_large"

    @pytest.mark.parametrize("number", [0, 1])
    def test_scores_of_exactly_0_and_1_are_probabilities(self, tmp_path, number):
        path = table(tmp_path, f"case,p_x,p_y\na,{number},{1 - number}\n")
        assert read_predicted_labels(path, CASES, ("x", "y")).answered.tolist() == [True, False, False]

    def test_how_often_a_case_stands_there_is_said(self, tmp_path):
        found = read_predicted_labels(table(tmp_path, "case,label\na,x\na,y\na,x\nb,x\n"), CASES, ("x", "y"))
        assert found.answered.tolist() == [False, True, False]
        assert "more than one row (3)" in found.invalid["a"].message
        assert list(found.invalid) == ["a"]

    @pytest.mark.parametrize("scores", ["0.5,0.51", "0.49,0.5", "0.33,0.5"])
    def test_sums_beyond_the_rounding_of_three_decimals_are_refused(self, tmp_path, scores):
        found = read_predicted_labels(table(tmp_path, f"case,p_x,p_y\na,{scores}\n"), CASES, ("x", "y"))
        assert not found.answered.any()
        assert "row 2" in found.invalid["a"].message


class TestGrids:
    @pytest.mark.parametrize(("share", "fits"), [(0.49, True), (0.51, False)])
    @pytest.mark.parametrize("axis", [0, 1, 2])
    def test_a_shift_below_half_a_voxel_is_the_same_grid(self, tmp_path, expected, axis, share, fits):
        moved = AFFINE.copy()
        moved[axis, 3] += share * AFFINE[axis, axis]
        issues = check_prediction(files.nifti(tmp_path / "a.nii.gz", affine=moved), expected)
        assert [issue.kind for issue in issues] == ([] if fits else ["origin"])

    def test_far_from_the_scanner_32_bits_round_more(self, tmp_path):
        far, near = AFFINE.copy(), AFFINE.copy()
        far[0, 3] = 50_000.0
        reference = read_geometry(files.nifti(tmp_path / "far.nii.gz", affine=far))
        far[0, 3] += 0.45
        assert check_prediction(files.nifti(tmp_path / "a.nii.gz", affine=far), reference) == []
        reference = read_geometry(files.nifti(tmp_path / "near.nii.gz", affine=near))
        near[0, 3] += 0.45
        issues = check_prediction(files.nifti(tmp_path / "b.nii.gz", affine=near), reference)
        assert [issue.kind for issue in issues] == ["origin"]

    @pytest.mark.parametrize(("factor", "kind"), [(1.0005, None), (1.002, "spacing"), (0.998, "spacing")])
    def test_spacing_may_differ_by_a_thousandth(self, factor, kind, tmp_path):
        path = files.tiff(tmp_path / "a.tif")
        grid = Geometry((4, 5, 6), (1.0, 1.0, 2.5))
        wanted = Geometry((4, 5, 6), (1.0, 1.0, 2.5 * factor), np.eye(4).tolist())
        assert read_label_image(path, expected=wanted).labels.shape == (4, 5, 6), "a TIFF says nothing of its spacing"
        if kind is None:
            assert align(wanted, grid, file="a").axes == (0, 1, 2)
        else:
            with pytest.raises(ReadError) as caught:
                align(wanted, grid, file="a")
            assert caught.value.kind == kind

    def test_labels_up_to_the_limit(self, tmp_path):
        labels = LABELS.astype(np.uint16) * 50
        path = files.nifti(tmp_path / "a.nii.gz", labels)
        assert read_label_image(path, limits=Limits(label=100)).labels.max() == 100
        with pytest.raises(ReadError, match="the label 100") as caught:
            read_label_image(path, limits=Limits(label=99))
        assert caught.value.kind == "label_range"

    def test_files_and_images_up_to_the_limit(self, tmp_path):
        path = files.raw_nifti(tmp_path / "a.nii")
        size = path.stat().st_size
        assert read_label_image(path, limits=Limits(file_bytes=size)).labels.shape == (4, 5, 6)
        with pytest.raises(ReadError) as caught:
            read_label_image(path, limits=Limits(file_bytes=size - 1))
        assert caught.value.kind == "too_large"
