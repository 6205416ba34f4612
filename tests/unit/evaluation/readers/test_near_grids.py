"""Grids that writers store almost alike: none is refused for what the format rounds, and none a voxel away is accepted."""

import nibabel as nib
import numpy as np
import pytest
import SimpleITK

from evaluation.readers import ReadError, read_geometry, read_label_image
from tests.unit.evaluation.readers.near_grids import check, rotation


def test_random_pairs_are_decided_by_their_displacement(tmp_path):
    counts, wrong = check(600, 7, tmp_path)
    assert wrong == []
    assert counts["same", "refused"] == 0
    assert min(counts["shifted", "accepted"], counts["shifted", "refused"], counts["turned", "refused"]) > 20


def reference(path, tilt, shape=(200, 3, 150)):
    """A volume with axes to the left, back and up, with both matrices, as scanners' converters write it."""
    columns = rotation(np.array([1.0, 2.0, 3.0]), np.radians(tilt)) @ np.diag([-1.0, -1.0, 1.0])
    affine = np.eye(4)
    affine[:3, :3] = columns * [0.9, 0.9, 1.2]
    affine[:3, 3] = [90.5, 120.25, -60.125]
    labels = np.zeros(shape, np.uint8)
    labels[20:60, 1, 30:70] = 1
    image = nib.Nifti1Image(labels, affine)
    image.set_sform(affine, code=2)
    image.set_qform(affine, code=1)
    nib.save(image, path)
    return labels


@pytest.mark.parametrize("ending", [".nii.gz", ".nii", ".mha", ".nrrd"])
@pytest.mark.parametrize("tilt", [0.0, 0.01, 0.05, 0.5, 7.0])
def test_a_mask_that_itk_writes_with_the_geometry_of_the_image_is_on_its_grid(tmp_path, tilt, ending):
    labels = reference(tmp_path / "image.nii.gz", tilt)
    image = SimpleITK.ReadImage(str(tmp_path / "image.nii.gz"))
    mask = SimpleITK.GetImageFromArray(SimpleITK.GetArrayFromImage(image).astype(np.uint8))
    mask.CopyInformation(image)
    SimpleITK.WriteImage(mask, str(tmp_path / f"mask{ending}"))
    expected = read_geometry(tmp_path / "image.nii.gz")
    np.testing.assert_array_equal(read_label_image(tmp_path / f"mask{ending}", expected=expected).labels, labels)


@pytest.mark.parametrize("form", ["sform", "qform", "both"])
@pytest.mark.parametrize("tilt", [0.0, 0.05, 0.5])
def test_a_mask_that_nibabel_writes_with_either_matrix_is_on_its_grid(tmp_path, tilt, form):
    labels = reference(tmp_path / "image.nii.gz", tilt)
    image = nib.load(tmp_path / "image.nii.gz")
    mask = nib.Nifti1Image(labels, None)
    if form != "qform":
        mask.set_sform(image.affine, code=1)
    if form != "sform":
        mask.set_qform(image.affine, code=1)
    nib.save(mask, tmp_path / "mask.nii.gz")
    expected = read_geometry(tmp_path / "image.nii.gz")
    np.testing.assert_array_equal(read_label_image(tmp_path / "mask.nii.gz", expected=expected).labels, labels)


def test_a_mask_matches_either_matrix_of_an_image_whose_matrices_differ(tmp_path):
    labels = np.zeros((8, 9, 10), np.uint8)
    labels[2, 3, 4] = 1
    scanner, template = np.diag([-2.0, -2, 2, 1]), np.diag([-1.9, -2, 2, 1]) @ rotated(0.3)
    image = nib.Nifti1Image(labels, None)
    image.set_sform(template, code=4)
    image.set_qform(scanner, code=1)
    nib.save(image, tmp_path / "image.nii.gz")
    expected = read_geometry(tmp_path / "image.nii.gz")
    for name, affine in (("scanner", scanner), ("template", template)):
        nib.save(nib.Nifti1Image(labels, affine), tmp_path / f"{name}.nii.gz")
        if name == "scanner":
            assert read_label_image(tmp_path / f"{name}.nii.gz", expected=expected).labels[2, 3, 4] == 1
    assert read_label_image(tmp_path / "template.nii.gz", expected=expected).labels[2, 3, 4] == 1
    moved = scanner.copy()
    moved[0, 3] = 5
    nib.save(nib.Nifti1Image(labels, moved), tmp_path / "moved.nii.gz")
    with pytest.raises(ReadError):
        read_label_image(tmp_path / "moved.nii.gz", expected=expected)


def rotated(angle):
    """A 4 × 4 matrix of a turn about the third axis."""
    matrix = np.eye(4)
    matrix[:3, :3] = rotation(np.array([0.0, 0, 1]), angle)
    return matrix


def test_both_matrices_survive_storage_as_json(tmp_path):
    reference(tmp_path / "image.nii.gz", 0.05)
    geometry = read_geometry(tmp_path / "image.nii.gz")
    assert geometry.qform is not None
    assert type(geometry).of(geometry.document) == geometry
