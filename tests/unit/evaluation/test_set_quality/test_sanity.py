"""Sanity of test sets: planted mistakes are findings, and the shipped references have few."""

from pathlib import Path

import nibabel
import numpy as np
import pytest

from evaluation.test_set_quality.findings import RULES
from evaluation.test_set_quality.sanity import check_folders, orientation

ROOT = Path(__file__).parents[4]


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Twelve cases without mistakes, written by nibabel."""
    rng = np.random.default_rng(1)
    references, images = tmp_path / "references", tmp_path / "images"
    for number in range(12):
        labels = np.zeros((20, 22, 18), np.uint8)
        labels[5 : 12 + number % 3, 6:15, 5:12] = 1
        labels[5:9, 6:15, 12:15] = 2
        write(references / f"case{number:02}.nii.gz", labels)
        write(images / f"case{number:02}.nii.gz", (100 + 20 * rng.normal(size=labels.shape)).astype(np.float32))
        # No two references are the same.
        labels[4, 6, 5 : 6 + number] = 1
        write(references / f"case{number:02}.nii.gz", labels)
    return references, images


def write(path: Path, values: np.ndarray, spacing: tuple[float, float, float] = (1, 1, 1)) -> None:
    path.parent.mkdir(exist_ok=True)
    nibabel.save(nibabel.Nifti1Image(values, np.diag([*spacing, 1.0])), path)


def labels_of(path: Path) -> np.ndarray:
    return np.asarray(nibabel.load(path).dataobj).copy()


def found_in(references: Path, images: Path | None, **options: object) -> set[tuple[str, str]]:
    return {(finding.id, finding.case) for finding in check_folders(references, images, **options)}


def test_a_sound_test_set_has_no_finding(folders: tuple[Path, Path]) -> None:
    assert found_in(*folders, allowed_labels=[1, 2]) == set()


def test_planted_mistakes_are_findings(folders: tuple[Path, Path]) -> None:
    references, images = folders
    write(references / "case00.nii.gz", np.zeros((20, 22, 18), np.uint8))
    labels = labels_of(references / "case01.nii.gz")
    labels[labels == 2] = 0
    write(references / "case01.nii.gz", labels)
    labels = labels_of(references / "case02.nii.gz")
    labels[0, 0, 0], labels[8, 10, 8] = 1, 0
    write(references / "case02.nii.gz", labels)
    labels = np.ones((20, 22, 18), np.uint8)
    labels[:2] = 2
    write(references / "case03.nii.gz", labels)
    labels = labels_of(references / "case04.nii.gz")
    labels[0, 0, :3] = 7
    write(references / "case04.nii.gz", labels)
    write(references / "case05.nii.gz", labels_of(references / "case06.nii.gz"))
    write(images / "case07.nii.gz", np.full((20, 22, 18), 3, np.float32))
    image = labels_of(images / "case08.nii.gz")
    write(images / "case08.nii.gz", image * 10)
    write(images / "case09.nii.gz", image, (1, 1, 2.5))
    write(references / "case10.nii.gz", labels_of(references / "case10.nii.gz"), (3, 1, 1))
    write(images / "case10.nii.gz", image + 1, (3, 1, 1))
    (images / "case11.nii.gz").unlink()
    write(images / "case12.nii.gz", image)
    (images / "case03.nii.gz").write_bytes(b"no image")
    assert found_in(references, images, allowed_labels=[1, 2]) >= {
        ("empty_reference", "case00"),
        ("label_missing", "case01"),
        ("tiny_components", "case02"),
        ("holes", "case02"),
        ("volume", "case03"),
        ("label_unknown", "case04"),
        ("same_reference", "case05"),
        ("same_reference", "case06"),
        ("constant_image", "case07"),
        ("intensity", "case08"),
        ("image_header", "case09"),
        ("spacing", "case10"),
        ("image_missing", "case11"),
        ("reference_missing", "case12"),
        ("unreadable", "case03"),
        ("same_image", "case09"),
        ("same_image", "case12"),
    }


def test_an_unusual_orientation_is_a_finding(folders: tuple[Path, Path]) -> None:
    references, _ = folders
    path = references / "case04.nii.gz"
    nibabel.save(nibabel.Nifti1Image(labels_of(path), np.diag([-1.0, 1, 1, 1])), path)
    findings = check_folders(references)
    assert [(finding.id, finding.case, finding.value) for finding in findings] == [
        ("orientation", "case04", "LAS; 11 of 12 cases: RAS")
    ]


def test_directions_are_those_of_nibabel() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        affine = np.eye(4)
        affine[:3, :3] = np.eye(3)[rng.permutation(3)] * rng.choice([-1, 1], 3) + rng.normal(size=(3, 3)) * 0.1
        assert orientation(affine.tolist()) == "".join(nibabel.aff2axcodes(affine))


def test_each_finding_has_reason_and_remedy(folders: tuple[Path, Path]) -> None:
    references, images = folders
    write(references / "case00.nii.gz", np.zeros((20, 22, 18), np.uint8))
    [finding] = [item for item in check_folders(references, images) if item.id == "empty_reference"]
    assert finding.document["reason"] == RULES["empty_reference"].reason
    assert all(rule.title and rule.reason and rule.remedy for rule in RULES.values())


def test_instances_count_as_one_label() -> None:
    """Numbers of nuclei are no labels; the shipped JPEG images are read."""
    folder = ROOT / "examples" / "nuclei"
    ids = {finding.id for finding in check_folders(folder / "references", folder / "images", instances=True)}
    assert not ids & {"label_missing", "label_rare", "unreadable", "image_missing", "image_header"}
