"""Properties that apply to every pair of masks, however unusual."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from evaluation.metrics import distances
from evaluation.metrics.boundary import (
    assd,
    boundary_iou,
    hausdorff_distance,
    hausdorff_percentile,
    masd,
    nsd,
)
from evaluation.metrics.masks import Mask
from evaluation.metrics.overlap import cldice, dsc, fbeta, ior, iou
from evaluation.outcomes import Outcome
from tests.sizes import size

SYMMETRIC = {
    "dsc": dsc,
    "iou": iou,
    "cldice": cldice,
    "hausdorff_distance": hausdorff_distance,
    "hausdorff_percentile": hausdorff_percentile,
    "pooled": lambda a, b, **more: hausdorff_percentile(a, b, percentile=80, combine="pooled", **more),
    "assd": assd,
    "masd": masd,
    "nsd": lambda a, b, **more: nsd(a, b, tolerance=1.5, **more),
    "nsd_area": lambda a, b, **more: nsd(a, b, tolerance=1.5, boundary_weighting="surface_area", **more),
    "surfels": lambda a, b, **more: hausdorff_percentile(a, b, percentile=80, boundary="surfels", **more),
    "surfels_mean": lambda a, b, **more: assd(a, b, boundary="surfels", **more),
    "surfels_nsd": lambda a, b, **more: nsd(a, b, tolerance=1.5, boundary="surfels", **more),
    "boundary_iou": boundary_iou,
}
ALL = {**SYMMETRIC, "ior": ior, "fbeta": lambda a, b, **more: fbeta(a, b, beta=2, **more)}
DISTANCES = {name: SYMMETRIC[name] for name in ("hausdorff_distance", "hausdorff_percentile", "pooled", "assd", "masd")}
DISTANCES |= {name: SYMMETRIC[name] for name in ("surfels", "surfels_mean")}
PER_AXIS = {name: function for name, function in ALL.items() if name != "cldice"}
"""Thinning removes voxels in a fixed order of directions, so a skeleton may move when axes are exchanged."""

SHAPES = st.one_of(
    npst.array_shapes(min_dims=2, max_dims=3, min_side=1, max_side=7),
    st.sampled_from([(1, 1), (1, 9), (9, 1, 1), (6, 7, 1), (1, 1, 1)]),
)


@st.composite
def cases(draw, *, empty=True):
    shape = draw(SHAPES)
    spacing = tuple(draw(st.sampled_from([0.5, 0.8, 1.0, 2.5, 7.0, 1e4, 1e-3])) for _ in shape)
    masks = []
    for _ in range(2):
        kind = draw(st.sampled_from(["random", "block", "dot", "full", "empty" if empty else "dot"]))
        mask = np.zeros(shape, dtype=bool)
        if kind == "random":
            mask = draw(npst.arrays(bool, shape))
        elif kind == "block":
            corners = [sorted(draw(st.tuples(st.integers(0, n), st.integers(0, n)))) for n in shape]
            mask[tuple(slice(a, b) for a, b in corners)] = True
        elif kind == "dot":
            mask[tuple(draw(st.integers(0, n - 1)) for n in shape)] = True
        elif kind == "full":
            mask[:] = True
        masks.append(mask)
    if not empty:
        assume(masks[0].any() and masks[1].any())
    return (*masks, spacing)


relaxed = settings(
    max_examples=size(20, 60), deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)


def close(value):
    return pytest.approx(value, rel=2e-6, abs=1e-9)


@relaxed
@given(cases())
def test_value_or_reason_and_range(case):
    reference, prediction, spacing = case
    for name, metric in ALL.items():
        value, outcome = metric(reference, prediction, spacing=spacing)
        expected = {
            (True, True): Outcome.OK,
            (True, False): Outcome.PRED_EMPTY,
            (False, True): Outcome.REF_EMPTY,
            (False, False): Outcome.BOTH_EMPTY,
        }[bool(reference.any()), bool(prediction.any())]
        assert outcome is expected
        assert (value is None) == (outcome is not Outcome.OK)
        if value is not None:
            upper = Mask(reference, spacing).diagonal if name in DISTANCES else 1.0
            assert 0 <= value <= upper * (1 + 1e-6)


@relaxed
@given(cases(empty=False))
def test_a_copy_is_perfect(case):
    reference, _, spacing = case
    for name, metric in ALL.items():
        assert metric(reference, reference.copy(), spacing=spacing).value == (0.0 if name in DISTANCES else 1.0)


@relaxed
@given(cases(empty=False))
def test_reference_and_prediction_can_be_exchanged(case):
    reference, prediction, spacing = case
    for metric in SYMMETRIC.values():
        there = metric(reference, prediction, spacing=spacing).value
        assert there == close(metric(prediction, reference, spacing=spacing).value)


@relaxed
@given(cases(empty=False), st.data())
def test_order_of_axes_does_not_matter(case, data):
    reference, prediction, spacing = case
    axes = data.draw(st.permutations(range(reference.ndim)))
    flips = tuple(slice(None, None, data.draw(st.sampled_from([1, -1]))) for _ in axes)
    moved = [mask.transpose(axes)[flips] for mask in (reference, prediction)]
    for metric in PER_AXIS.values():
        expected = metric(reference, prediction, spacing=spacing).value
        assert metric(*moved, spacing=[spacing[axis] for axis in axes]).value == close(expected)


@relaxed
@given(cases(empty=False), st.data())
def test_place_in_a_larger_image_does_not_matter(case, data):
    reference, prediction, spacing = case
    assume(min(reference.shape) > 1)
    margin = [(data.draw(st.integers(0, 4)), data.draw(st.integers(0, 4))) for _ in spacing]
    moved = [np.pad(mask, margin) for mask in (reference, prediction)]
    for name, metric in PER_AXIS.items():
        if name != "boundary_iou":  # its band is a share of the image's diagonal
            expected = metric(reference, prediction, spacing=spacing).value
            assert metric(*moved, spacing=spacing).value == close(expected)


@relaxed
@given(cases(empty=False), st.sampled_from([0.25, 2.0, 1000.0]))
def test_distances_scale_with_the_spacing(case, factor):
    reference, prediction, spacing = case
    for metric in DISTANCES.values():
        expected = metric(reference, prediction, spacing=spacing).value * factor
        assert metric(reference, prediction, spacing=[size * factor for size in spacing]).value == close(expected)


@relaxed
@given(cases(empty=False))
def test_bounds_between_metrics(case):
    reference, prediction, spacing = case
    of = {name: metric(reference, prediction, spacing=spacing).value for name, metric in ALL.items()}
    assert of["dsc"] == close(2 * of["iou"] / (1 + of["iou"]))
    assert of["dsc"] == close(fbeta(reference, prediction, beta=1).value)
    for name in ("hausdorff_percentile", "assd", "masd"):
        assert of[name] <= of["hausdorff_distance"] * (1 + 1e-6)
    assert nsd(reference, prediction, spacing=spacing, tolerance=of["hausdorff_distance"]).value == 1.0
    by_tolerance = [nsd(reference, prediction, spacing=spacing, tolerance=t).value for t in (0, 0.5, 1, 3, 10)]
    assert all(before <= after for before, after in pairwise(by_tolerance))


@relaxed
@given(cases(empty=False))
def test_a_volume_of_one_slice_is_an_image(case):
    reference, prediction, spacing = case
    assume(reference.ndim == 2)
    for metric in ALL.values():
        expected = metric(reference, prediction, spacing=spacing).value
        assert metric(reference[..., None], prediction[..., None], spacing=(*spacing, 1.0)).value == close(expected)


@relaxed
@given(cases(empty=False))
def test_both_ways_of_measuring_agree_with_comparing_all_pairs(case):
    reference, prediction, spacing = case
    one, other = Mask(reference, spacing).surface(), Mask(prediction, spacing).surface()
    table = np.sqrt(((one.points[:, None] - other.points[None]) ** 2).sum(axis=2))
    tree = distances.DirectedDistances(distances._by_tree(one, other), distances._by_tree(other, one))
    low = np.minimum(one.offset, other.offset)
    size = np.maximum(np.add(one.offset, one.border.shape), np.add(other.offset, other.border.shape)) - low
    transform = distances._by_transform(one, other, low, size, spacing)
    for there, back in (tree, transform):
        np.testing.assert_allclose(there, table.min(axis=1), rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(back, table.min(axis=0), rtol=1e-6, atol=1e-12)


@given(st.floats(0.125, 5.0, width=32), st.integers(1, 6))
def test_distance_equal_to_the_tolerance_is_within_in_spite_of_32_bit_spacings(size, steps):
    reference, prediction = np.zeros((2, 1, 8), dtype=bool)
    reference[0, 0] = prediction[0, steps] = True
    as_stored = float(np.float32(size)) * (1 + 5e-8)
    assert nsd(reference, prediction, tolerance=size * steps, spacing=(1.0, as_stored)).value == 1.0


@pytest.mark.parametrize("side", [1, 2, 3, 4])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_no_solid_block_loses_its_centreline(side, dimensions):
    block = np.ones((side,) * dimensions, dtype=bool)
    assert cldice(block, block).value == 1.0


class TestWrongCalls:
    one = np.ones((3, 4), dtype=bool)

    @pytest.mark.parametrize(
        "call",
        [
            lambda m: dsc(m, m.T),
            lambda m: dsc(m[0], m[0]),
            lambda m: dsc(m[:, :0], m[:, :0]),
            lambda m: assd(m, m, spacing=(1, 0)),
            lambda m: assd(m, m, spacing=(1, 1, 1)),
            lambda m: assd(m, m, spacing=(1, float("nan"))),
            lambda m: assd(m, m, boundary_connectivity="edge"),
            lambda m: assd(Mask(m, (1, 1)), Mask(m, (1, 2))),
            lambda m: nsd(m, m, tolerance=-1),
            lambda m: nsd(m, m, tolerance=1, boundary_weighting="volume"),
            lambda m: hausdorff_percentile(m, m, percentile=0),
            lambda m: hausdorff_percentile(m, m, combine="mean"),
            lambda m: fbeta(m, m, beta=0),
            lambda m: boundary_iou(m, m, distance=-1),
            lambda m: boundary_iou(m, m, distance_ratio=0),
            lambda m: cldice(m, m, skeleton_method="medial"),
            lambda m: cldice(np.stack([m] * 3), np.stack([m] * 3), skeleton_method="zhang"),
        ],
    )
    def test_is_an_error_that_says_what_is_wrong(self, call):
        with pytest.raises(ValueError, match=r"\w+"):
            call(self.one)


def test_band_narrower_than_any_voxel_is_degenerate_for_everyone():
    result = boundary_iou(np.ones((3, 3)), np.ones((3, 3)), distance=0.5)
    assert result == (None, Outcome.DEGENERATE)
    assert result.flag == "reference"


def test_area_weights_give_the_true_length_of_a_diagonal():
    staircase = np.tri(40, dtype=bool)
    surface = Mask(np.pad(staircase, 1)).surface()
    on_diagonal = surface.indices[:, 0] == surface.indices[:, 1]
    assert surface.areas[on_diagonal][1:-1] == pytest.approx(np.sqrt(2))


@pytest.mark.parametrize("weighting", ["pixel_count", "surface_area"])
def test_a_boundary_on_the_tolerance_is_within_it(weighting):
    """With a tolerance of 0 only what coincides counts, and with one voxel what is moved by one."""
    block = np.zeros((9, 9), dtype=bool)
    block[3:6, 2:7] = True
    moved = np.roll(block, 1, axis=0)
    assert nsd(block, block, tolerance=0, boundary_weighting=weighting).value == 1.0
    assert nsd(block, moved, tolerance=1, boundary_weighting=weighting).value == 1.0
    assert 0 < nsd(block, moved, tolerance=0, boundary_weighting=weighting).value < 1


def test_area_weights_follow_the_spacing():
    slab = np.zeros((10, 10, 10), dtype=bool)
    slab[2:8, 2:8, 4:6] = True
    surface = Mask(slab, (1.0, 1.0, 5.0)).surface()
    flat = (surface.indices[:, :2] > 2).all(axis=1) & (surface.indices[:, :2] < 7).all(axis=1)
    assert surface.areas[flat] == pytest.approx(1.0)


def test_anisotropic_masks_can_be_thinned_on_an_isotropic_grid():
    upright = np.pad(np.ones((3, 6), dtype=bool), 1)
    middle_row = upright & (np.indices(upright.shape)[0] == 2)
    lying = cldice(upright, middle_row, spacing=(4, 1))
    standing = cldice(upright, middle_row, spacing=(4, 1), make_isotropic=True)
    assert standing.value < lying.value


def test_remembered_work_gives_the_same_values_as_fresh_work():
    rng = np.random.default_rng(3)
    masks = rng.random((6, 9, 9)) < 0.4
    reference = Mask(masks[0], (1, 2))
    prepared = [(assd(reference, Mask(mask, (1, 2))).value, dsc(reference, Mask(mask, (1, 2))).value) for mask in masks]
    fresh = [(assd(masks[0], mask, spacing=(1, 2)).value, dsc(masks[0], mask).value) for mask in masks]
    assert prepared == fresh
