"""A prediction must match the grid of the reference; otherwise the message states the difference."""

import numpy as np
import pytest

from evaluation.readers import Geometry, ReadError, check_prediction, read_geometry, read_label_image
from tests.unit.evaluation.readers import files
from tests.unit.evaluation.readers.files import AFFINE, LABELS


@pytest.fixture
def expected(tmp_path):
    return read_geometry(files.nifti(tmp_path / "reference.nii.gz"))


def refusal(path, expected):
    with pytest.raises(ReadError) as caught:
        read_label_image(path, expected=expected)
    return caught.value


@pytest.mark.parametrize("axes", [(0, 1, 2), (1, 0, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
@pytest.mark.parametrize("flips", [(1, 1, 1), (-1, 1, 1), (1, -1, -1), (-1, -1, -1)])
@pytest.mark.parametrize("name", ["a.nii.gz", "a.nrrd"])
def test_equivalent_volume_is_laid_onto_the_grid(tmp_path, expected, axes, flips, name):
    stored = LABELS.transpose(axes)[tuple(slice(None, None, flip) for flip in flips)]
    # Index of the reference as a function of the stored index, then through the reference's affine.
    change = np.zeros((4, 4))
    change[3, 3] = 1
    for column, (axis, flip) in enumerate(zip(axes, flips, strict=True)):
        change[axis, column] = flip
        change[axis, 3] = LABELS.shape[axis] - 1 if flip < 0 else 0
    writer = files.nifti if name.endswith("gz") else files.itk
    path = writer(tmp_path / name, np.ascontiguousarray(stored), AFFINE @ change)
    image = read_label_image(path, expected=expected)
    np.testing.assert_array_equal(image.labels, LABELS)
    assert image.geometry == expected


def test_turned_volume_in_another_format_is_laid_onto_the_grid(tmp_path, expected):
    change = np.eye(4)[:, [1, 2, 0, 3]]
    path = files.itk(tmp_path / "a.mha", np.ascontiguousarray(LABELS.transpose(1, 2, 0)), AFFINE @ change)
    np.testing.assert_array_equal(read_label_image(path, expected=expected).labels, LABELS)


def test_mirrored_labels_with_an_unchanged_header_stay_as_they_are(tmp_path, expected):
    path = files.nifti(tmp_path / "a.nii.gz", LABELS[::-1])
    np.testing.assert_array_equal(read_label_image(path, expected=expected).labels, LABELS[::-1])


def test_other_shape(tmp_path, expected):
    error = refusal(files.nifti(tmp_path / "a.nii.gz", LABELS[:3]), expected)
    assert error.kind == "shape"
    assert "3 × 5 × 6 voxels; expected 4 × 5 × 6 voxels" in error.message


def test_other_spacing(tmp_path, expected):
    error = refusal(files.nifti(tmp_path / "a.nii.gz", affine=AFFINE @ np.diag([1, 1, 2, 1])), expected)
    assert error.kind == "spacing"
    assert "0.8 × 0.9 × 5 mm; expected 0.8 × 0.9 × 2.5 mm" in error.message


def test_other_origin(tmp_path, expected):
    moved = AFFINE.copy()
    moved[0, 3] += 0.8
    error = refusal(files.nifti(tmp_path / "a.nii.gz", affine=moved), expected)
    assert error.kind == "origin"
    assert "0.8 mm away (1 voxel)" in error.message


def test_mirrored_header_with_unmirrored_place_is_another_volume(tmp_path, expected):
    error = refusal(files.nifti(tmp_path / "a.nii.gz", affine=AFFINE @ np.diag([-1, 1, 1, 1])), expected)
    assert error.kind == "origin"


@pytest.mark.parametrize("angle", [0.2, 0.3])
def test_rotated_volume(tmp_path, expected, angle):
    turn = np.eye(4)
    turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    error = refusal(files.nifti(tmp_path / "a.nii.gz", affine=turn @ AFFINE), expected)
    assert error.kind == "orientation"
    assert "expected run right, front and up" in error.message


def test_header_without_orientation_differs_from_one_with(tmp_path, expected):
    pixdim = (1, 0.8, 0.9, 2.5, 1, 1, 1, 1)
    assert refusal(files.raw_nifti(tmp_path / "a.nii", pixdim=pixdim), expected).kind == "orientation"


def test_headers_without_orientation_are_compared_by_shape_and_spacing(tmp_path):
    reference = read_geometry(files.raw_nifti(tmp_path / "r.nii"))
    read_label_image(files.raw_nifti(tmp_path / "a.nii"), expected=reference)
    other = files.raw_nifti(tmp_path / "b.nii", pixdim=(1, 2, 1, 1, 1, 1, 1, 1))
    assert refusal(other, reference).kind == "spacing"


def test_format_that_knows_no_orientation_is_taken_by_its_shape(tmp_path, expected):
    image = read_label_image(files.tiff(tmp_path / "a.tif"), expected=expected)
    np.testing.assert_array_equal(image.labels, LABELS)
    assert image.geometry.spacing == expected.spacing


def test_rounding_of_32_bit_headers_is_no_difference(tmp_path, expected):
    nudged = AFFINE.copy()
    nudged[:3, 3] += 1e-5
    nudged[0, 0] *= 1 + 1e-7
    assert check_prediction(files.nifti(tmp_path / "a.nii.gz", affine=nudged), expected) == []


def test_slice_as_volume_of_one_slice(tmp_path):
    flat = LABELS[:, :, 0]
    expected = read_geometry(files.png(tmp_path / "r.png", flat))
    volume = files.nifti(tmp_path / "a.nii.gz", flat[:, :, None])
    np.testing.assert_array_equal(read_label_image(volume, expected=expected).labels, flat)
    back = read_label_image(files.png(tmp_path / "b.png", flat), expected=read_geometry(volume))
    assert back.labels.shape == (4, 5, 1)


def test_axes_of_an_upright_volume_are_named_without_numbers_wherever_it_lies(tmp_path):
    upright = np.diag([1.0, 1.0, 1.0, 1.0])
    upright[:3, 3] = 10, 20, 30
    reference = read_geometry(files.nifti(tmp_path / "reference.nii.gz", affine=upright))
    turn = np.radians(45)
    turned = upright @ np.array(
        [[np.cos(turn), -np.sin(turn), 0, 0], [np.sin(turn), np.cos(turn), 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    )
    error = refusal(files.nifti(tmp_path / "a.nii.gz", affine=turned), reference)
    assert error.kind == "orientation"
    assert "and up along (0.7071, 0.7071, 0), (-0.7071, 0.7071, 0), (0, 0, 1)" in error.message
    assert error.message.endswith("expected run right, front and up")


def test_geometry_is_compared_before_a_voxel_is_read(tmp_path, expected):
    path = files.raw_nifti(tmp_path / "a.nii.gz", dim=(3, 900, 9, 9, 1, 1, 1, 1), sform=AFFINE, data=bytes(72_900))
    content = path.read_bytes()
    path.write_bytes(content[:-20])
    assert refusal(path, expected).kind == "shape"


class TestCheckPrediction:
    def test_good_file_has_no_issue(self, tmp_path, expected):
        assert check_prediction(files.nifti(tmp_path / "a.nii.gz"), expected, [1, 2]) == []

    def test_stray_label_names_what_is_allowed(self, tmp_path, expected):
        labels = LABELS.copy()
        labels[0, 0, 0] = 7
        (issue,) = check_prediction(files.nifti(tmp_path / "a.nii.gz", labels), expected, [1, 2])
        assert issue.kind == "labels"
        assert issue.message == "a.nii.gz: the label 7; expected only 0, 1, 2"
        assert issue.remedy

    def test_what_is_said_does_not_depend_on_the_reference_beyond_its_grid(self, tmp_path, expected):
        issues = [
            check_prediction(files.nifti(tmp_path / "a.nii.gz", LABELS[:3]), geometry, [1])
            for geometry in (
                expected,
                Geometry(expected.shape, expected.spacing, expected.affine, oriented_format=True),
            )
        ]
        assert issues[0] == issues[1]
