"""Small arrays take a shorter way to the same values, and thinning of images loses no part."""

import numpy as np
from hypothesis import given
from scipy import ndimage

from evaluation.metrics.masks import Mask
from evaluation.metrics.overlap import cldice, dsc
from evaluation.metrics.skeletons import skeleton_of
from tests.unit.evaluation.metrics.test_mask_properties import cases, relaxed


@relaxed
@given(cases())
def test_arrays_have_the_values_of_prepared_masks(case):
    reference, prediction, _ = case
    for metric in (dsc, cldice):
        assert metric(reference, prediction) == metric(Mask(reference), Mask(prediction))


def test_thinning_of_an_image_keeps_a_pixel_of_every_part_of_every_pattern():
    patterns = (np.arange(2**16)[:, None] >> np.arange(16) & 1).reshape(256, 256, 4, 4).astype(bool)
    image = np.pad(patterns, ((0, 0), (0, 0), (1, 1), (1, 1))).transpose(0, 2, 1, 3).reshape(256 * 6, 256 * 6)
    labels, count = ndimage.label(image, np.ones((3, 3)))
    sizes = np.bincount(labels[skeleton_of(image)], minlength=count + 1)[1:]
    assert count > 2**16
    assert sizes.min() > 0
