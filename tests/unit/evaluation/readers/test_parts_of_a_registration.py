"""The folder of a registration: which file is what, whose grid is whose, and what of labels and landmarks is refused."""

import nibabel
import numpy as np
import pytest

from evaluation.readers import ReadError
from evaluation.readers.registration_cases import fixed_grid, labels_of, landmarks_of, moving_grid, part_of

NAMES = ("fixed_labels", "moving_labels", "fixed_mask", "fixed", "moving")


def image(path, shape=(3, 4, 2), spacing=1.0, labels=None):
    values = np.zeros(shape, dtype=np.uint8) if labels is None else labels
    nibabel.save(nibabel.Nifti1Image(values, np.diag([spacing] * 3 + [1.0])), path)
    return path


def table(path, *rows):
    path.write_text("landmark,x,y,z\n" + "".join(f"{row}\n" for row in rows))
    return path


@pytest.mark.parametrize(
    ("name", "part"),
    [
        *((f"{name}.nii.gz", name) for name in NAMES),
        ("fixed.MHA", "fixed"),
        ("moving_landmarks.csv", "moving_landmarks"),
        ("fixed_landmarks.CSV", "fixed_landmarks"),
        ("fixed.csv", ""),
        ("fixed_landmarks.nii.gz", ""),
        ("landmarks.csv", ""),
        ("fixed_labels2.nii.gz", ""),
        ("fixed_labels.txt", ""),
        ("fixed", ""),
    ],
)
def test_files_are_told_by_their_names(name, part):
    assert part_of(name) == part


def test_the_grid_is_that_of_the_image_before_its_labels_and_its_mask(tmp_path):
    parts = {name: image(tmp_path / f"{name}.nii.gz", (3, 4, 2 + place)) for place, name in enumerate(NAMES)}
    assert fixed_grid(parts, "c1").shape == (3, 4, 5)
    assert moving_grid(parts).shape == (3, 4, 6)
    del parts["fixed"], parts["moving"]
    assert (fixed_grid(parts, "c1").shape, moving_grid(parts).shape) == ((3, 4, 2), (3, 4, 3))
    del parts["fixed_labels"], parts["moving_labels"]
    assert (fixed_grid(parts, "c1").shape, moving_grid(parts)) == ((3, 4, 4), None)
    del parts["fixed_mask"]
    with pytest.raises(ReadError) as error:
        fixed_grid(parts, "c1")
    assert (error.value.kind, error.value.file) == ("not_found", "c1")


def test_labels_of_both_images_are_read_the_fixed_ones_on_their_grid(tmp_path):
    labels = np.zeros((3, 4, 2), dtype=np.uint8)
    labels[1, 2, 0], labels[0, 0, 1] = 7, 3
    parts = {
        "fixed_labels": image(tmp_path / "fixed_labels.nii.gz", labels=labels),
        "moving_labels": image(tmp_path / "moving_labels.nii.gz", (5, 5, 5)),
    }
    fixed, moving = labels_of(parts, "c1", fixed_grid(parts, "c1"))
    assert fixed.labels.tolist() == labels.tolist()
    assert moving.labels.shape == (5, 5, 5)
    other = fixed_grid({"fixed": image(tmp_path / "fixed.nii.gz", (3, 4, 3))}, "c1")
    with pytest.raises(ReadError):
        labels_of(parts, "c1", other)
    for name in list(parts):
        with pytest.raises(ReadError, match="metrics of labels need it") as error:
            labels_of({key: path for key, path in parts.items() if key != name}, "c1", fixed_grid(parts, "c1"))
        assert error.value.file == f"c1/{name}"


def test_landmarks_are_paired_by_name(tmp_path):
    parts = {
        "fixed_landmarks": table(tmp_path / "f.csv", "b,1,2,3", "a,4,5,6"),
        "moving_landmarks": table(tmp_path / "m.csv", "a,0.5,0,0", "b,7,8,9"),
    }
    fixed, moving = landmarks_of(parts, "c1", 3)
    assert fixed.tolist() == [[4, 5, 6], [1, 2, 3]]
    assert moving.tolist() == [[0.5, 0, 0], [7, 8, 9]]
    with pytest.raises(ReadError, match="3 coordinates a landmark") as error:
        landmarks_of(parts, "c1", 2)
    assert error.value.file == "c1/fixed_landmarks.csv"
    for name in parts:
        with pytest.raises(ReadError, match="metrics of landmarks need it") as error:
            landmarks_of({key: path for key, path in parts.items() if key != name}, "c1", 3)
        assert error.value.file == f"c1/{name}.csv"


@pytest.mark.parametrize("rows", [("a,1,2,3",), ("a,1,2,3", "b,1,2,3", "c,0,0,0")])
def test_a_landmark_without_a_partner_is_named(tmp_path, rows):
    parts = {
        "fixed_landmarks": table(tmp_path / "f.csv", "a,1,2,3", "b,4,5,6"),
        "moving_landmarks": table(tmp_path / "m.csv", *rows),
    }
    with pytest.raises(ReadError, match=f"the landmark {'b' if len(rows) == 1 else 'c'} stands in one of both"):
        landmarks_of(parts, "c1", 3)
