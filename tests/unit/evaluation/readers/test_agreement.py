"""Agreement of our readers with nibabel and SimpleITK."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docs.correctness import make_readers
from docs.correctness.make_readers import AFFINE, LABELS, agreement, nifti, samples
from evaluation.readers import read_geometry

EXPECTED = {
    ("version", "NIfTI-2"): ("same", "does not read it"),
    ("scaling", "slope 0, intercept 7"): ("same", "120 of 120 voxels differ"),
}


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: f"{sample.group}: {sample.words}{sample.name[1:]}")
def test_a_file_is_read_as_the_libraries_read_it(sample, tmp_path):
    with_nibabel, with_itk = EXPECTED.get((sample.group, sample.words), ("same", "same"))
    if sample.name.endswith((".mgz", ".mgh")):
        with_itk = "does not read it"
    elif ".nii" not in sample.name:
        with_nibabel = "does not read it"
    assert make_readers.compare(sample, tmp_path) == (with_nibabel, with_itk)


def test_the_page_is_up_to_date():
    assert make_readers.page() == (make_readers.HERE / "readers.md").read_text(encoding="utf-8")


angles = st.floats(-np.pi, np.pi)


@given(turns=st.tuples(angles, angles, angles), mirrored=st.booleans(), quaternion=st.booleans())
def test_any_rotation_lies_where_the_libraries_say(tmp_path_factory, turns, mirrored, quaternion):
    affine = AFFINE.copy()
    for axis, angle in enumerate(turns):
        affine = make_readers.rotation(angle, axis) @ np.linalg.inv(AFFINE) @ affine
    if mirrored:
        affine = affine @ np.diag([1.0, 1.0, -1.0, 1.0])
    path = tmp_path_factory.mktemp("grid") / "a.nii"
    nifti(path, LABELS, affine, quaternion=quaternion)
    ours = make_readers.read_with_podium(path)
    assert agreement(ours, make_readers.read_with_nibabel(path)) == "same"
    assert agreement(ours, make_readers.read_with_itk(path)) == "same"


def test_half_turns_have_a_quaternion_without_a_real_part(tmp_path):
    for axis in range(3):
        affine = make_readers.rotation(np.pi, axis)
        nifti(tmp_path / f"{axis}.nii", LABELS, affine, quaternion=True)
        np.testing.assert_allclose(read_geometry(tmp_path / f"{axis}.nii").affine, affine, atol=1e-5)


def test_a_half_turn_about_an_oblique_axis_is_read_from_a_quaternion_of_any_length(tmp_path):
    nifti(tmp_path / "a.nii", LABELS, np.eye(4), quaternion=True)
    content = bytearray((tmp_path / "a.nii").read_bytes())
    content[256:268] = np.array([1.2, 0.9, 0.6], dtype="<f4").tobytes()  # b, c, d: longer than 1, so that a is none
    (tmp_path / "a.nii").write_bytes(content)
    axis = np.array([1.2, 0.9, 0.6]) / np.linalg.norm([1.2, 0.9, 0.6])
    turned = 2 * np.outer(axis, axis) - np.eye(3)
    np.testing.assert_allclose(np.asarray(read_geometry(tmp_path / "a.nii").affine)[:3, :3], turned, atol=1e-5)


def test_a_difference_is_named():
    ours = make_readers.Reading(LABELS, np.ones(3), np.zeros((8, 3)))
    assert agreement(ours, ours) == "same"
    assert agreement(ours, ours._replace(voxels=LABELS + (LABELS == 0))) == "18 of 120 voxels differ"
    assert agreement(ours, ours._replace(voxels=LABELS[:2])) == "another shape"
    assert agreement(ours, ours._replace(spacing=np.array([1, 1, 2.0]))) == "spacing 1 × 1 × 2"
    assert agreement(ours, ours._replace(corners=np.ones((8, 3)))) == "lies 1.73 mm away"
