"""Faster alternative computations of a value agree with the plain computation."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import stats
from scipy.spatial.distance import pdist

from evaluation.metrics import calibration_kernels, distances, paired_values, skeletons, survival_values
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


def test_concordance_by_merging_is_that_of_all_pairs():
    """One draw of many cases is merged, many draws at once are compared pair by pair; ties in times, events and risks."""
    rng = np.random.default_rng(5)
    for number in (600, 741):
        known = survival_values.Followed(rng.integers(1, 60, number).astype(float), rng.random(number) < 0.6)
        risk, answered = rng.integers(0, 50, number).astype(float), rng.random(number) < 0.95
        draws = rng.integers(0, 3, (40, number)).astype(float)
        censoring = survival_values.censoring_survival(known)
        for score in (
            survival_values.harrell_c,
            lambda *given, censoring=censoring: survival_values.uno_c(*given, censoring, tau=40.0),
        ):
            together = score(known, risk, answered, draws).numbers
            alone = [score(known, risk, answered, row[None]).numbers[0] for row in draws]
            np.testing.assert_allclose(alone, together, rtol=1e-12)


def test_kendalls_tau_by_sorting_is_that_of_all_pairs():
    rng = np.random.default_rng(6)
    truth, answer = rng.integers(0, 30, 400).astype(float), rng.integers(0, 30, 400).astype(float)
    draws = rng.multinomial(400, np.full(400, 1 / 400), 30).astype(float)
    together = paired_values.PAIRED["kendall_tau_b"](truth, answer, draws).numbers
    alone = [paired_values.PAIRED["kendall_tau_b"](truth, answer, row[None]).numbers[0] for row in draws]
    np.testing.assert_allclose(alone, together, rtol=0, atol=1e-14)
    # More values than codes of 16 bits, so that the numbers themselves are sorted.
    many = rng.permutation(1 << 17).astype(float)[: (1 << 16) + 2]
    for values in (many, np.floor(many / 8)):
        [own] = paired_values.PAIRED["kendall_tau_b"](many, values, np.ones((1, len(many)))).numbers
        assert own == pytest.approx(stats.kendalltau(many, values).statistic, abs=1e-14)
    constant = paired_values.PAIRED["kendall_tau_b"](truth, np.ones(400), np.ones((1, 400)))
    assert constant.result().value is None
