"""Overlap: transformed copies of shipped images are pairs, different images are not."""

from pathlib import Path

import numpy as np
import pytest
import skimage.data
from PIL import Image

from evaluation.test_set_quality.keypoints import keypoints, normalize
from evaluation.test_set_quality.overlap import compare, overlaps, signature, voxel_digest
from tests.performance.bench_overlap import copy_of, mri, tiles

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def parts() -> list[np.ndarray]:
    """Tiles of pictures that scikit-image ships."""
    names = ("camera", "coins", "gravel", "moon")
    return [tile for name in names for tile in tiles(getattr(skimage.data, name)().astype(float))[:4]]


@pytest.fixture(scope="module")
def volumes() -> list[np.ndarray]:
    return mri()[:10]


@pytest.mark.parametrize("kind", ["parts", "volumes"])
def test_transformed_copies_are_the_only_pairs(kind: str, request: pytest.FixtureRequest) -> None:
    images = request.getfixturevalue(kind)
    rng = np.random.default_rng(3)
    copies = {f"{number}": signature(copy_of(image, rng)) for number, image in enumerate(images)}
    pairs = overlaps({f"{number}": signature(image) for number, image in enumerate(images)}, copies)
    assert sorted((pair.first, pair.second) for pair in pairs) == sorted((f"{n}", f"{n}") for n in range(len(images)))
    assert not any(pair.exact for pair in pairs)


def test_different_images_are_no_pairs(parts: list[np.ndarray]) -> None:
    assert overlaps({f"{number}": signature(image) for number, image in enumerate(parts)}) == []


def test_reflected_and_transposed_copies_are_exact(volumes: list[np.ndarray]) -> None:
    [pair] = overlaps({"a": signature(volumes[0])}, {"b": signature(volumes[0].transpose(2, 0, 1)[::-1])})
    assert pair.exact


def test_one_changed_voxel_changes_the_digest(volumes: list[np.ndarray]) -> None:
    changed = volumes[0].copy()
    changed[3, 4, 5] += 1
    assert voxel_digest(changed) != voxel_digest(volumes[0])
    moved = volumes[0].copy()
    moved[3, 4, 5], moved[10, 11, 12] = moved[10, 11, 12], moved[3, 4, 5]
    assert moved[3, 4, 5] != moved[10, 11, 12]
    assert voxel_digest(moved) != voxel_digest(volumes[0])


def test_a_reflection_is_reported(parts: list[np.ndarray]) -> None:
    image = parts[0]
    pair = compare(signature(image), signature(image[:, ::-1] ** 0.8))
    assert pair is not None
    assert pair.reflected
    assert pair.scale == pytest.approx(1, abs=0.02)


def test_descriptors_do_not_change_under_right_angles_and_reflections(parts: list[np.ndarray]) -> None:
    image = normalize(parts[0])
    before, after = keypoints(image), keypoints(np.ascontiguousarray(np.rot90(image)[::-1]))
    similar = (before.descriptors @ after.descriptors.T).max(axis=1)
    assert np.median(similar) > 0.99


def test_an_image_without_structure_matches_nothing() -> None:
    flat = {name: signature(np.full((40, 40), value)) for name, value in (("a", 1.0), ("b", 2.0))}
    assert overlaps(flat) == []


def test_images_of_other_axes_are_refused() -> None:
    with pytest.raises(ValueError, match="4 axes"):
        signature(np.zeros((2, 3, 4, 5)))


def test_the_command_lists_pairs(tmp_path: Path, parts: list[np.ndarray], capsys: pytest.CaptureFixture[str]) -> None:
    from evaluation.cli import main

    for folder, numbers in (("test", (0, 4, 8)), ("training", (1, 4))):
        (tmp_path / folder).mkdir()
        for number in numbers:
            Image.fromarray(parts[number].astype(np.uint8)).save(tmp_path / folder / f"{folder}{number}.png")
    assert main(["overlap", "--images", str(tmp_path / "test"), "--others", str(tmp_path / "training")]) == 0
    assert capsys.readouterr().out == "test4 and training4: equal voxels\n1 pairs overlap\n"
