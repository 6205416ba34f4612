"""Faster alternative computations of a value agree with the plain computation."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy.spatial.distance import pdist

from evaluation.metrics import calibration_kernels, distances, skeletons
from evaluation.metrics.masks import Mask

masks = npst.arrays(bool, npst.array_shapes(min_dims=2, max_dims=3, min_side=2, max_side=7))


@settings(max_examples=60)
@given(st.data(), masks)
def test_the_tree_is_asked_for_border_voxels_that_do_not_coincide_only(data, reference):
    prediction = data.draw(npst.arrays(bool, reference.shape))
    if not reference.any() or not prediction.any():
        return
    spacing = tuple(data.draw(st.sampled_from([0.5, 1.0, 3.0])) for _ in reference.shape)
    one, other = Mask(reference, spacing).surface(), Mask(prediction, spacing).surface()
    table = np.sqrt(((one.points[:, None] - other.points[None]) ** 2).sum(axis=2))
    with mock.patch.object(distances, "ALL_PAIRS", -1):
        np.testing.assert_allclose(distances._by_tree(one, other), table.min(axis=1), rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(distances._by_tree(other, one), table.min(axis=0), rtol=1e-6, atol=1e-9)
    common = distances._coincident(one, other)
    assert common.tolist() == (table.min(axis=1) == 0).tolist()


@settings(max_examples=60)
@given(st.integers(2, 40), st.integers(2, 4), st.integers(0, 10_000))
def test_the_median_distance_is_that_of_all_pairs(count, classes, seed):
    vectors = np.random.default_rng(seed).dirichlet(np.ones(classes), count)
    assert calibration_kernels.median_distance(vectors) == pytest.approx(np.median(pdist(vectors)), rel=1e-9)


def test_a_median_of_zero_or_of_no_pair_is_replaced_by_one():
    assert calibration_kernels.median_distance(np.array([[0.5, 0.5]])) == 1.0
    assert calibration_kernels.median_distance(np.full((4, 2), 0.5)) == 1.0


@pytest.mark.parametrize(("shape", "middle"), [((3, 5), (1, 2)), ((5, 3, 3), (2, 1, 1)), ((1, 1), (0, 0))])
def test_a_part_that_thinning_lost_keeps_its_middle(shape, middle):
    mask = np.zeros([size + 4 for size in shape], dtype=bool)
    mask[tuple(slice(2, size + 2) for size in shape)] = True
    kept = skeletons._with_every_part(mask, np.zeros_like(mask))
    assert np.argwhere(kept).tolist() == [[place + 2 for place in middle]]


def test_only_lost_parts_get_a_voxel():
    mask = np.zeros((3, 9), dtype=bool)
    mask[1, 0:3] = mask[1, 5:8] = True
    thinned = np.zeros_like(mask)
    thinned[1, 0] = True
    assert np.argwhere(skeletons._with_every_part(mask, thinned)).tolist() == [[1, 0], [1, 6]]
