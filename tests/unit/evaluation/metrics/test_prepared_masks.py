"""Masks that are prepared once: their position, shared parts of pairs, and the border and its weights."""

import math
import pickle
from unittest import mock

import numpy as np
import pytest

from evaluation import metrics
from evaluation.metrics import distances
from evaluation.metrics.boundary import _percentile, band_width
from evaluation.metrics.masks import Mask, bounding_box, checked_spacing, joint_box, overlap, pair
from evaluation.metrics.skeletons import isotropic, skeleton_of
from evaluation.outcomes import Flag, Outcome

L_SHAPE = np.array([[0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 1, 1, 1, 0], [0, 0, 0, 0, 0]])


class TestOneMask:
    def test_a_part_of_an_image_knows_where_it_lies(self):
        mask = Mask([[0, 0, 0], [0, 1, 1]], (2, 3), shape=(10, 20), offset=(4, 7))
        assert (mask.shape, mask.spacing) == ((10, 20), (2.0, 3.0))
        assert mask.box == ((5, 6), (8, 10))
        assert (mask.offset, mask.count, mask.crop.tolist()) == ((5, 8), 2, [[True, True]])
        assert mask.inside(((4, 6), (7, 9))).tolist() == [[False, False], [False, True]]
        assert mask.within(((4, 7), (7, 11))).tolist() == [[False] * 4, [False, True, True, False], [False] * 4]

    def test_as_an_array_it_is_the_whole_image(self):
        part = Mask([[1, 2]], shape=(3, 4), offset=(1, 2))
        whole = np.zeros((3, 4), dtype=bool)
        whole[1, 2:] = True
        result = np.asarray(part)
        assert (result.dtype, result.tolist()) == (np.dtype(bool), whole.tolist())
        assert np.asarray(part, dtype=float).dtype == np.dtype(float)
        assert np.asarray(part, dtype=float).tolist() == whole.astype(float).tolist()
        complete = Mask([[3, 0]])
        assert (np.asarray(complete).dtype, np.asarray(complete).tolist()) == (np.dtype(bool), [[True, False]])
        assert np.asarray(complete, dtype=np.uint8).tolist() == [[1, 0]]
        assert np.asarray(complete, dtype=np.uint8).dtype == np.uint8

    def test_the_diagonal_is_that_of_the_image_in_mm(self):
        assert Mask(np.zeros((3, 4)), (1, 1)).diagonal == 5.0
        assert Mask(np.zeros((3, 2)), (1, 2)).diagonal == 5.0
        assert Mask(np.zeros((1, 1)), shape=(6, 8), offset=(2, 2)).diagonal == 10.0

    def test_nothing_has_no_box_and_no_crop(self):
        nothing = Mask(np.zeros((3, 4)))
        assert (nothing.box, nothing.offset, nothing.count, nothing.empty) == (None, (), 0, True)
        assert nothing.crop.shape == (0, 0)
        assert nothing.within(((0, 2), (1, 2))).tolist() == [[False], [False]]
        assert Mask(L_SHAPE).empty is False

    def test_the_box_of_an_array_holds_all_that_is_not_0_in_any_order_of_memory(self):
        for array in (L_SHAPE, np.asfortranarray(L_SHAPE), L_SHAPE[::-1][::-1]):
            assert bounding_box(array) == ((1, 3), (1, 4))
        assert bounding_box(np.zeros((2, 2))) is None
        assert bounding_box(np.ones((2, 3, 1))) == ((0, 2), (0, 3), (0, 1))

    def test_spacings_are_one_positive_finite_number_an_axis(self):
        assert checked_spacing(None, 3) == (1.0, 1.0, 1.0)
        assert checked_spacing([1, 0.5], 2) == (1.0, 0.5)
        for wrong in ([1], [1, 1, 1], [0, 1], [1, -1], [1, math.inf], [math.nan, 1]):
            with pytest.raises(ValueError, match="spacing needs 2 positive numbers"):
                checked_spacing(wrong, 2)

    def test_it_travels_without_what_was_computed_against_others(self):
        reference, prediction = Mask(L_SHAPE), Mask(L_SHAPE)
        pair(reference, prediction).distances()
        copied = pickle.loads(pickle.dumps(prediction))
        assert copied._pairs == {}
        assert np.asarray(copied).tolist() == L_SHAPE.astype(bool).tolist()


class TestTwoMasks:
    def test_an_array_beside_a_mask_takes_its_spacing(self):
        reference = Mask([[1, 0, 0, 0]], (1, 2))
        assert metrics.hausdorff_distance(reference, [[0, 0, 0, 1]]).value == 6.0
        assert metrics.hausdorff_distance([[1, 0, 0, 0]], [[0, 0, 0, 1]], spacing=(1, 2)).value == 6.0
        assert metrics.hausdorff_distance([[1, 0, 0, 0]], [[0, 0, 0, 1]]).value == 3.0
        with pytest.raises(ValueError, match="differ in spacing"):
            pair(reference, Mask([[0, 0, 0, 1]]))
        with pytest.raises(ValueError, match="differ in shape"):
            pair(reference, Mask([[0, 0, 1]], (1, 2)))

    def test_a_pair_is_remembered_for_the_same_reference_and_for_no_other(self):
        one, other, prediction = Mask(L_SHAPE), Mask(L_SHAPE), Mask(L_SHAPE)
        first = pair(one, prediction)
        assert pair(one, prediction) is first
        second = pair(other, prediction)
        assert second is not first
        assert (first.reference, second.reference) == (one, other)
        assert pair(one, prediction).reference is one

    def test_masks_overlap_where_both_are_set_wherever_their_crops_lie(self):
        block = np.ones((2, 3), dtype=bool)
        assert overlap(block, (0, 0), block, (1, 1)) == 2
        assert overlap(block, (1, 1), block, (0, 0)) == 2
        assert overlap(block, (0, 0), block, (2, 0)) == 0
        assert overlap(block, (0, 0), block, (0, 2)) == 2
        assert overlap(block, (5, 5), block, (5, 5)) == 6
        with_hole = np.array([[True, False, True]])
        assert overlap(block, (0, 0), with_hole, (1, 0)) == 2

    def test_without_foreground_on_a_side_nothing_is_shared(self):
        nothing = np.zeros((4, 5))
        assert pair(L_SHAPE, nothing).intersection == 0
        assert pair(L_SHAPE, L_SHAPE).intersection == 4
        assert pair(nothing, nothing).emptiness is Outcome.BOTH_EMPTY
        assert pair(nothing, L_SHAPE).emptiness is Outcome.REF_EMPTY
        assert pair(L_SHAPE, nothing).emptiness is Outcome.PRED_EMPTY
        assert pair(L_SHAPE, L_SHAPE).emptiness is None

    def test_the_joint_box_holds_both(self):
        one, other = (Mask([[1]], shape=(9, 9), offset=position) for position in ((2, 7), (5, 3)))
        assert joint_box(one, other) == ((2, 6), (3, 8))
        assert joint_box(other, one) == ((2, 6), (3, 8))


def random_mask(seed, shape, share=0.5):
    mask = np.random.default_rng(seed).random(shape) < share
    mask[(0,) * len(shape)] = True
    return mask


class TestDistances:
    @pytest.mark.parametrize("shape", [(7, 9), (5, 6, 4)])
    @pytest.mark.parametrize("seed", range(3))
    def test_the_transform_of_dense_borders_gives_what_comparing_all_pairs_gives(self, seed, shape):
        spacing = (0.5, 2.0, 1.5)[: len(shape)]
        # Their boxes start and end at different places of the image.
        reference, prediction = np.zeros((2, *(size + 6 for size in shape)), dtype=bool)
        reference[tuple(slice(1, 1 + size) for size in shape)] = random_mask(seed, shape)
        prediction[tuple(slice(4, 4 + size) for size in shape)] = random_mask(seed + 10, shape)
        one, other = Mask(reference, spacing).surface(), Mask(prediction, spacing).surface()
        table = np.sqrt(((one.points[:, None] - other.points[None]) ** 2).sum(axis=2))
        with mock.patch.object(distances, "_FEW", 0), mock.patch.object(distances, "_DENSE", 0.0):
            result = distances.directed_distances(one, other, spacing)
        np.testing.assert_allclose(result.to_prediction, table.min(axis=1), rtol=1e-6)
        np.testing.assert_allclose(result.to_reference, table.min(axis=0), rtol=1e-6)

    def test_few_border_voxels_are_looked_up_and_many_dense_ones_are_transformed(self):
        one, other = Mask(np.ones((6, 6))).surface(), Mask(np.ones((6, 6))).surface()
        with mock.patch.object(distances, "_by_transform", return_value="transform"):
            assert distances.directed_distances(one, other, (1, 1)) != "transform"
            # 20 border voxels of 36: more than 19 and more than a tenth.
            with mock.patch.object(distances, "_FEW", 19):
                assert distances.directed_distances(one, other, (1, 1)) == "transform"
                with mock.patch.object(distances, "_DENSE", 0.6):
                    assert distances.directed_distances(one, other, (1, 1)) != "transform"
                with mock.patch.object(distances, "_DENSE", 20 / 36):
                    assert distances.directed_distances(one, other, (1, 1)) != "transform"
            with mock.patch.object(distances, "_FEW", 20):
                assert distances.directed_distances(one, other, (1, 1)) != "transform"


class TestBorders:
    def test_it_is_what_has_a_neighbour_outside_by_faces_or_by_corners_too(self):
        plus = np.ones((5, 5))
        plus[0, 0] = 0
        by_face, by_corner = (Mask(plus).surface(c).border for c in ("face", "full"))
        # The voxel beside the missing corner touches it by a corner only.
        assert (by_face[1, 1], by_corner[1, 1]) == (False, True)
        assert (by_face.sum(), by_corner.sum()) == (15, 16)
        assert by_face[1:4, 1:4].any() == np.False_
        with pytest.raises(ValueError, match="'face' or 'full'"):
            Mask(plus).surface("edge")

    def test_points_are_centres_of_border_voxels_in_mm(self):
        surface = Mask(L_SHAPE, (2, 0.5)).surface()
        assert surface.indices.tolist() == [[1, 1], [2, 1], [2, 2], [2, 3]]
        assert surface.points.tolist() == [[2, 0.5], [4, 0.5], [4, 1.0], [4, 1.5]]
        assert surface.size == 4
        volume = np.zeros((4, 3, 3))
        volume[2, 1, 2] = volume[3, 2, 1] = 1
        assert Mask(volume).surface().indices.tolist() == [[2, 1, 2], [3, 2, 1]]

    def test_a_border_voxel_stands_for_the_plane_that_cuts_off_its_open_faces(self):
        # Rows are 3 mm apart, columns 2 mm: a face towards another row is 2 mm long, one towards another column 3 mm.
        areas = Mask(L_SHAPE, (3, 2)).surface().areas
        # Open towards rows and columns: (1, 2); (1, 1); (2, 0); (1, 1) faces.
        expected = [math.hypot(1 * 2, 2 * 3), math.hypot(1 * 2, 1 * 3), 2 * 2, math.hypot(2 * 2, 1 * 3)]
        assert areas == pytest.approx(expected)

    def test_in_a_volume_faces_are_areas_and_an_axis_of_one_voxel_has_none(self):
        cube = Mask([[[1]]], (2, 3, 5), shape=(3, 3, 3), offset=(1, 1, 1)).surface()
        assert cube.areas == pytest.approx([math.hypot(2 * 15, 2 * 10, 2 * 6)])
        slice_of_two = Mask([[[1, 1]]], (2, 3, 5), shape=(1, 4, 4), offset=(0, 1, 1)).surface()
        # Open by 2 faces of 5 mm towards rows, and by one of 3 mm towards a column.
        assert slice_of_two.areas == pytest.approx([math.hypot(10, 3)] * 2)
        alone = Mask([[1]]).surface()
        assert (alone.border.tolist(), alone.areas.tolist()) == ([[True]], [1.0])

    def test_surfaces_travel_without_their_tree(self):
        surface = Mask(L_SHAPE).surface()
        assert surface.tree is surface.tree
        copied = pickle.loads(pickle.dumps(surface))
        assert copied.tree.query(np.array([[2.0, 5.0]]))[0].tolist() == [2.0]


class TestPartsOfBoundaryMetrics:
    @pytest.mark.parametrize("percentile", [0.5, 25, 50, 77.7, 95, 100])
    @pytest.mark.parametrize("values", [[3.0], [2.0, 1.0], [5.0, 1.0, 4.0, 2.0], list(range(41, 0, -1))])
    def test_percentiles_are_those_of_numpy(self, values, percentile):
        result = _percentile(np.array(values, dtype=float), percentile)
        assert result == pytest.approx(np.percentile(values, percentile), rel=1e-12)

    def test_a_band_is_a_share_of_the_diagonal_and_no_thinner_than_a_voxel_is_long(self):
        assert band_width((30, 40), (1, 1), 0.1) == 5.0
        assert band_width((30, 40), (1, 1), 0.01) == 1.0
        assert band_width((30, 20), (1, 2), 0.01) == 2.0
        # An axis of one voxel has no length: 2 % of 50 and not of more, and its spacing of 9 mm does not count.
        assert band_width((1, 30, 40), (9, 1, 1), 0.02) == 1.0
        assert band_width((1, 30, 40), (9, 1, 1), 0.2) == 10.0
        # Two voxels are an axis.
        assert band_width((2, 2), (3, 4), 0.5) == 5.0

    def test_bands_of_a_given_width(self):
        reference, prediction = np.zeros((2, 9, 9))
        reference[1:8, 1:8] = 1
        prediction[1:8, 1:8] = 1
        prediction[4, 4] = 0
        # Width 1: the ring of 24 voxels; the hole adds its four neighbours by faces to the band of the prediction.
        assert metrics.boundary_iou(reference, prediction, distance=1).value == pytest.approx(24 / 28)
        # Width 2: rings of 24 and 16; around the hole all but the four neighbours of the second ring are in it already.
        assert metrics.boundary_iou(reference, prediction, distance=2).value == pytest.approx(40 / 48)
        # All of both, but for the hole itself; 48 of 49 also by masks.
        assert metrics.boundary_iou(reference, prediction, distance=4).value == pytest.approx(48 / 49)
        combined = metrics.boundary_iou(reference, prediction, distance=4, combine_with_mask_iou=True)
        assert combined.value == pytest.approx(48 / 49)
        one_row = [[1, 1, 1, 1, 0]], [[1, 1, 1, 0, 0]]
        assert metrics.boundary_iou(*one_row, distance=1, combine_with_mask_iou=True).value == pytest.approx(1 / 3)
        # The hole lies where the reference has no band, so that the bands agree; the masks share 4 of 10 voxels.
        holed = [[1] * 10], [[1, 1, 0, 0, 0, 0, 0, 0, 1, 1]]
        assert metrics.boundary_iou(*holed, distance=2).value == 1.0
        assert metrics.boundary_iou(*holed, distance=2, combine_with_mask_iou=True).value == pytest.approx(0.4)
        narrow = metrics.boundary_iou(reference, prediction, distance=0.5)
        assert (narrow.outcome, narrow.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"distance": -0.1}, "distance is a number from 0 on"),
            ({"distance": math.inf}, "distance is a number from 0 on"),
            ({"distance": math.nan}, "distance is a number from 0 on"),
            ({"distance_ratio": 0}, "distance_ratio lies above 0"),
            ({"distance_ratio": 1.01}, "distance_ratio lies above 0"),
        ],
    )
    def test_widths_that_are_none_are_refused(self, options, words):
        with pytest.raises(ValueError, match=words):
            metrics.boundary_iou(L_SHAPE, L_SHAPE, **options)

    def test_widths_at_the_ends_are_taken(self):
        assert metrics.boundary_iou(L_SHAPE, L_SHAPE, distance_ratio=1).value == 1.0
        assert metrics.boundary_iou(L_SHAPE, L_SHAPE, distance=0).outcome is Outcome.DEGENERATE

    @pytest.mark.parametrize("tolerance", [-0.1, math.inf, math.nan])
    def test_tolerances_that_are_none_are_refused(self, tolerance):
        with pytest.raises(ValueError, match="tolerance is a number from 0 on"):
            metrics.nsd(L_SHAPE, L_SHAPE, tolerance=tolerance)

    def test_a_tolerance_of_0_asks_for_the_same_border(self):
        moved = np.roll(L_SHAPE, 1, axis=1)
        # Of four border voxels each, those at (2, 2) and (2, 3) are common.
        assert metrics.nsd(L_SHAPE, moved, tolerance=0).value == 4 / 8

    @pytest.mark.parametrize("percentile", [0, -1, 100.5])
    def test_percentiles_that_are_none_are_refused(self, percentile):
        with pytest.raises(ValueError, match="above 0 and not above 100"):
            metrics.hausdorff_percentile(L_SHAPE, L_SHAPE, percentile=percentile)
        assert metrics.hausdorff_percentile(L_SHAPE, L_SHAPE, percentile=100).value == 0.0


class TestCentrelines:
    def test_voxels_are_repeated_until_all_axes_are_as_fine_as_the_finest(self):
        assert isotropic(np.array([[1, 2], [3, 4]]), (2.0, 1.0)).tolist() == [[1, 2], [1, 2], [3, 4], [3, 4]]
        assert isotropic(np.array([[1, 2, 3]]), (1.0, 1.0)).tolist() == [[1, 2, 3]]
        assert isotropic(np.array([[1], [2]]), (1.0, 0.5)).tolist() == [[1], [1], [2], [2]]
        # Two voxels of 1.5 mm are three of 1 mm; the middle one lies in the second half.
        assert isotropic(np.array([[1, 2], [1, 2]]), (1.0, 1.5)).tolist() == [[1, 2, 2], [1, 2, 2]]

    def test_methods_that_do_not_fit_are_refused(self):
        with pytest.raises(ValueError, match="is 'auto', 'zhang' or 'lee'"):
            skeleton_of(np.ones((3, 3), dtype=bool), "medial")
        with pytest.raises(ValueError, match="thins 2D masks only"):
            skeleton_of(np.ones((3, 3, 3), dtype=bool), "zhang")

    @pytest.mark.parametrize("shape", [(3, 9), (5, 5), (3, 3, 9)])
    def test_a_mask_that_fills_its_image_is_thinned_as_one_with_room_around_it(self, shape):
        full = np.ones(shape, dtype=bool)
        inner = (slice(2, -2),) * len(shape)
        thinned = skeleton_of(full)
        assert thinned.tolist() == skeleton_of(np.pad(full, 2))[inner].tolist()
        assert 0 < thinned.sum() < full.sum() / 2
