"""Merging of references of several annotators."""

import numpy as np
import pytest

from evaluation import problems
from evaluation.problems import label_merging as merging
from evaluation.readers import Geometry, LabelImage, read_label_image


def raters() -> list[np.ndarray]:
    """Three noisy copies of two blocks with the labels 1 and 7, noisier from one to the next."""
    rng = np.random.default_rng(1)
    truth = np.zeros((14, 12, 6), dtype=np.uint8)
    truth[3:8, 3:9, 1:5], truth[8:11, 3:9, 1:5] = 1, 7
    found = []
    for noise in (0.05, 0.15, 0.4):
        image, wrong = truth.copy(), rng.random(truth.shape) < noise
        image[wrong] = rng.choice([0, 1, 7], int(wrong.sum()))
        found.append(image)
    return found


def test_majority_needs_more_votes_than_any_other_label():
    images = raters()
    merged = merging.merge(images, merging.MAJORITY)
    votes = np.stack([sum(image == label for image in images) for label in (0, 1, 7)])
    tied = (votes == votes.max(axis=0)).sum(axis=0) > 1
    assert np.array_equal(merged, np.where(tied, 0, np.array([0, 1, 7])[votes.argmax(axis=0)]))
    assert tied.any()


def test_strict_is_where_all_agree():
    first, second, third = raters()
    agree = (first == second) & (second == third)
    assert np.array_equal(merging.merge([first, second, third], merging.STRICT), np.where(agree, first, 0))


def test_staple_is_the_maximum_of_an_independent_expectation_maximization():
    images = raters()
    labels = np.array([0, 1, 7])
    seen = np.stack([np.searchsorted(labels, image).ravel() for image in images])
    prior = np.array([(seen == label).mean() for label in range(3)])
    weights = np.stack([(seen == label).sum(axis=0) for label in range(3)]) / len(seen)
    for _ in range(300):
        tables = []
        for own in seen:
            table = np.stack([weights[:, own == said].sum(axis=1) for said in range(3)])
            tables.append(table / table.sum(axis=0))
        likely = np.prod([table[own].T for table, own in zip(tables, seen, strict=True)], axis=0) * prior[:, None]
        weights = likely / likely.sum(axis=0)
    expected = labels[weights.argmax(axis=0)].reshape(images[0].shape)
    assert np.array_equal(merging.merge(images, merging.STAPLE), expected)


@pytest.mark.parametrize("rule", problems.get("semantic_segmentation").references.merging.computed)
def test_equal_references_merge_to_themselves(rule):
    [image, *_] = raters()
    assert np.array_equal(merging.merge([image, image.copy()], rule), image)
    assert np.array_equal(merging.merge([image], rule), image)
    empty = np.zeros_like(image)
    assert not merging.merge([empty, empty], rule).any()


def test_what_is_merged_lies_on_the_grid_of_the_first(tmp_path):
    image = raters()[0]
    affine = ((0.0, 2.0, 0.0, 5.0), (1.0, 0.0, 0.0, -6.0), (0.0, 0.0, 3.0, 7.5), (0.0, 0.0, 0.0, 1.0))
    for geometry in (
        Geometry(image.shape, (1.0, 2.0, 3.0), affine, oriented_format=True),
        Geometry(image.shape, (1.0, 2.0, 3.0), None, oriented_format=True),
        Geometry(image.shape),
    ):
        found = read_label_image(merging.write(LabelImage(image, geometry), tmp_path / "case.1"))
        assert np.array_equal(found.labels, image)
        assert merging.same_grid(found.geometry, geometry)


def test_a_stand_in_has_something_to_compare(tmp_path):
    path = merging.stand_in(Geometry((7, 1, 3)), 7, tmp_path / "decoy")
    assert set(np.unique(read_label_image(path).labels)) == {0, 7}
    assert not read_label_image(merging.stand_in(Geometry((7, 4)), 0, tmp_path / "none")).labels.any()
