"""Overlap of small and large masks is computed at least as fast as by the plain formulas of other libraries."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage
from skimage.morphology import skeletonize

from evaluation.metrics.overlap import cldice, dsc
from tests.performance.bench_masks import best


def tubes(size):
    rng = np.random.default_rng(1)
    smooth = np.abs(ndimage.gaussian_filter(rng.normal(size=(size, size)), 2))
    reference = smooth < np.quantile(smooth, 0.25)
    return reference, np.roll(reference, 1, axis=0)


def plain_dice(reference, prediction):
    """Dice as MedPy 0.5.2 computes it."""
    one, other = (np.atleast_1d(mask.astype(bool)) for mask in (prediction, reference))
    return 2.0 * np.count_nonzero(one & other) / float(np.count_nonzero(one) + np.count_nonzero(other))


def plain_cldice(reference, prediction):
    """Centreline Dice as the programs of clDice and TopCoW compute it, with scikit-image."""
    truth, guess = skeletonize(reference), skeletonize(prediction)
    precision, sensitivity = np.sum(guess * reference) / np.sum(guess), np.sum(truth * prediction) / np.sum(truth)
    return 2 * precision * sensitivity / (precision + sensitivity)


def ratio(ours, theirs, masks):
    """Speed of ours over theirs, after both gave the same value."""
    assert ours(*masks).value == pytest.approx(theirs(*masks), rel=1e-12)
    return max(best(lambda: theirs(*masks), 20) / best(lambda: ours(*masks), 20) for _ in range(3))


@pytest.mark.parametrize("size", [64, 128, 256])
def test_dice_and_centreline_dice_of_small_images(size):
    masks = tubes(size)
    assert ratio(dsc, plain_dice, masks) >= 1
    assert ratio(cldice, plain_cldice, masks) >= 1


def test_dice_of_a_volume():
    reference = np.zeros((240, 240, 155), dtype=bool)
    reference[60:120, 60:120, 40:80] = True
    assert ratio(dsc, plain_dice, (reference, np.roll(reference, 3, axis=0))) >= 1
