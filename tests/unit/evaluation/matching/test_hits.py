"""Pairs of objects that a criterion finds, at the exact edges of pixels, boxes, bands and distances."""

import numpy as np
import pytest

from evaluation.matching import CRITERIA, Objects
from evaluation.matching import criterion_tables as c
from evaluation.matching.criteria import box_overlap, shared_pixels


def mask(rows, columns, canvas=(8, 8), label=1):
    image = np.zeros(canvas, dtype=int)
    image[rows, columns] = label
    return image


BOX = Objects(boxes=[[2, 2, 4, 6]])
MASK = Objects(labels=mask(slice(2, 4), slice(2, 6)))
POINT = Objects(points=[[3.0, 3.0]])


class TestSharedPixels:
    def test_pixels_are_counted_pair_by_pair(self):
        one = np.array([[1, 1, 2], [0, 3, 3]])
        other = np.array([[2, 1, 1], [1, 1, 1]])
        shared = shared_pixels(one, other, 2)
        assert shared.reference.tolist() == [0, 0, 1, 2]
        assert shared.prediction.tolist() == [0, 1, 0, 0]
        assert shared.value.tolist() == [1.0, 1.0, 1.0, 2.0]

    def test_where_every_pixel_is_an_object_no_table_of_all_pairs_is_made(self):
        """40,000 objects on both sides: a table of all pairs would need 12 GiB."""
        one = np.arange(1, 40_001).reshape(200, 200)
        shared = shared_pixels(one, one[::-1, ::-1], 40_000)
        assert shared.reference.tolist() == list(range(40_000))
        assert shared.prediction.tolist() == list(range(39_999, -1, -1))
        assert set(shared.value.tolist()) == {1.0}

    @pytest.mark.parametrize("predictions", [0, 1])
    def test_without_common_pixels_there_is_no_pair(self, predictions):
        other = np.array([[0, predictions]])
        shared = shared_pixels(np.array([[1, 0]]), other, predictions)
        assert len(shared.reference) == len(shared.prediction) == len(shared.value) == 0

    def test_only_some_of_the_pairs(self):
        result = shared_pixels(np.array([[1, 2, 2]]), np.array([[1, 1, 2]]), 2).where(np.array([False, True, True]))
        assert (result.reference.tolist(), result.prediction.tolist()) == ([1, 1], [0, 1])
        assert result.value.tolist() == [1.0, 1.0]


class TestForms:
    """Requirements of a criterion on both sides, and its behaviour if one side has no masks."""

    @pytest.mark.parametrize("criterion", [c.loc_mask_iou, c.loc_boundary_iou])
    @pytest.mark.parametrize("sides", [(MASK, BOX), (BOX, MASK), (BOX, BOX)])
    def test_masks_are_needed_on_both_sides(self, criterion, sides):
        with pytest.raises(ValueError, match="this criterion needs masks on both sides"):
            criterion(*sides)

    @pytest.mark.parametrize("name", [name for name in CRITERIA if name not in ("loc_mask_iou", "loc_boundary_iou")])
    def test_two_and_three_dimensions_have_no_pairs(self, name):
        flat = MASK if name == "loc_point_in_mask" else BOX
        with pytest.raises(ValueError, match="objects in 2 and in 3 dimensions"):
            CRITERIA[name].pairs(flat, Objects(boxes=[[0, 0, 0, 1, 1, 1]]))

    @pytest.mark.parametrize("name", CRITERIA)
    def test_maps_of_different_shapes_have_no_pairs_though_one_may_be_empty(self, name):
        smaller = Objects(labels=np.zeros((7, 8), dtype=int))
        with pytest.raises(ValueError, match=r"label maps of shape \(8, 8\) and \(7, 8\)"):
            CRITERIA[name].pairs(MASK, smaller)

    def test_dimensions_of_a_side_without_objects_do_not_matter(self):
        nothing = Objects(boxes=np.zeros((0, 6)))
        assert c.loc_center_distance(nothing, BOX).shape == (0, 1)
        assert c.loc_center_distance(BOX, nothing).shape == (1, 0)

    def test_where_one_side_has_boxes_a_box_stands_for_the_mask(self):
        assert c.loc_box_iou(MASK, BOX).tolist() == [[1.0]]
        assert c.loc_ior(MASK, Objects(boxes=[[3, 2, 8, 6]])).tolist() == [[0.5]]
        assert c.loc_ior(Objects(boxes=[[0, 0, 4, 4]]), MASK).tolist() == [[0.25]]

    def test_of_a_bent_mask_no_box_covers_more_than_the_whole(self):
        """Eleven pixels in a box of six by six: where a box is compared, the share is that of the box."""
        bent = np.zeros((8, 8), dtype=int)
        bent[0, 0:6] = bent[0:6, 0] = 1
        covers = Objects(boxes=[[0, 0, 8, 8], [0, 0, 3, 6]])
        assert c.loc_ior(Objects(labels=bent), covers).tolist() == [[1.0, 0.5]]

    def test_the_share_of_a_mask_is_of_the_pixels_of_the_reference(self):
        wide = Objects(labels=mask(slice(3, 8), slice(2, 8)))
        assert c.loc_ior(MASK, wide).tolist() == [[4 / 8]]
        assert c.loc_ior(wide, MASK).tolist() == [[4 / 30]]
        assert c.loc_mask_iou(MASK, wide).tolist() == [[4 / 34]]


class TestBoxOverlap:
    def test_common_and_joint_extents_of_all_pairs_that_have_any(self):
        one = Objects(boxes=[[0, 0, 4, 4], [10, 10, 12, 13]])
        other = Objects(boxes=[[4, 0, 6, 4], [3, 1, 11, 11], [20, 20, 21, 21]])
        common, joint = box_overlap(one, other)
        assert list(zip(common.reference.tolist(), common.prediction.tolist(), strict=True)) == [(0, 1), (1, 1)]
        # 1 by 3 of 16 and 80; 1 by 1 of 6 and 80.
        assert common.value.tolist() == [3.0, 1.0]
        assert joint.value.tolist() == [93.0, 85.0]
        assert (joint.reference.tolist(), joint.prediction.tolist()) == ([0, 1], [1, 1])

    def test_with_one_more_along_every_side_boxes_that_touch_share_a_column(self):
        one, other = Objects(boxes=[[0, 0, 4, 4]]), Objects(boxes=[[4, 0, 6, 4]])
        common, joint = box_overlap(one, other, 1.0)
        # Sides of 5 by 5 and 3 by 5, of which 1 by 5 is common.
        assert (common.value.tolist(), joint.value.tolist()) == ([5.0], [35.0])
        assert c.loc_box_iou(one, other, box_convention="inclusive_pixels").tolist() == [[5 / 35]]
        assert c.loc_box_iou(one, other).tolist() == [[0.0]]


class TestPointsInPixels:
    """A pixel has its lower edges and not its upper ones; beyond the image there is nothing."""

    WHOLE = Objects(labels=np.ones((3, 4), dtype=int))

    @pytest.mark.parametrize(
        ("point", "inside"),
        [
            ((0.0, 0.0), 1),
            ((-0.001, 0.0), 0),
            ((0.0, -0.001), 0),
            ((2.999, 3.999), 1),
            ((3.0, 3.5), 0),
            ((2.5, 4.0), 0),
            ((50.0, 50.0), 0),
        ],
    )
    def test_at_the_edges_of_the_image(self, point, inside):
        assert c.loc_center_hit(self.WHOLE, Objects(points=[point])).tolist() == [[inside]]
        assert c.loc_point_in_mask(self.WHOLE, Objects(points=[point])).tolist() == [[inside]]
        assert c.loc_center_cover(Objects(points=[point]), self.WHOLE).tolist() == [[inside]]

    def test_every_point_has_the_object_of_its_own_pixel(self):
        image = np.array([[7, 7, 0], [0, 4, 4]])
        points = [[0.5, 0.5], [0.9, 1.9], [0.5, 2.5], [-1.0, 0.5], [1.0, 1.0], [1.5, 2.9]]
        wanted = [[0, 0, 0, 0, 1, 1], [1, 1, 0, 0, 0, 0]]
        assert c.loc_center_hit(Objects(labels=image), Objects(points=points)).tolist() == wanted
        assert c.loc_center_cover(Objects(points=points), Objects(labels=image)).T.tolist() == wanted

    def test_a_point_in_a_mask_needs_the_mask_in_the_reference(self):
        with pytest.raises(ValueError, match="loc_point_in_mask needs masks in the reference"):
            c.loc_point_in_mask(POINT, MASK)


class TestPointsInBoxes:
    @pytest.mark.parametrize(
        ("point", "inside"),
        [((2, 2), 1), ((4, 6), 1), ((2, 6), 1), ((1.999, 4), 0), ((4.001, 4), 0), ((3, 1.999), 0), ((3, 6.001), 0)],
    )
    def test_a_box_has_all_its_edges(self, point, inside):
        points = Objects(points=[point])
        for result in (c.loc_point_in_box(BOX, points), c.loc_center_hit(BOX, points), c.loc_center_cover(points, BOX)):
            assert result.tolist() == [[inside]]

    def test_every_pair_is_asked(self):
        rows = Objects(boxes=[[0, 0, 2, 2], [1, 1, 4, 4], [5, 5, 6, 6]])
        points = Objects(points=[[1.5, 1.5], [3.0, 3.0], [9.0, 9.0], [0.5, 0.5]])
        wanted = [[1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 0, 0]]
        assert c.loc_point_in_box(rows, points).tolist() == wanted
        assert c.loc_center_cover(points, rows).T.tolist() == wanted

    def test_a_point_in_the_box_of_a_mask_need_not_be_in_the_mask(self):
        corner = Objects(labels=np.array([[1, 1], [1, 0]]))
        beside = Objects(points=[[1.5, 1.5]])
        assert (c.loc_point_in_box(corner, beside)[0, 0], c.loc_center_hit(corner, beside)[0, 0]) == (1, 0)

    def test_the_centre_of_the_prediction_hits_and_that_of_the_reference_is_covered(self):
        small, large = Objects(boxes=[[0, 0, 2, 2]]), Objects(boxes=[[0, 0, 8, 8]])
        assert (c.loc_center_hit(small, large)[0, 0], c.loc_center_hit(large, small)[0, 0]) == (0, 1)
        assert (c.loc_center_cover(small, large)[0, 0], c.loc_center_cover(large, small)[0, 0]) == (1, 0)


class TestBoundary:
    """Blocks of 5 by 5 whose bands share what their outlines share."""

    ONE = mask(slice(1, 6), slice(1, 6), (9, 9))
    BELOW = mask(slice(2, 7), slice(1, 6), (9, 9))

    @pytest.mark.parametrize(
        ("distance", "value"),
        [
            # Bands of 16 pixels; common are both sides' columns, 2 · 4, without the rows between.
            (1.0, 8 / 24),
            # Bands of 24, all but the middle; common are 20 pixels without the two middles.
            (2.0, 18 / 30),
            (3.0, 20 / 30),
        ],
    )
    def test_bands_are_as_wide_as_the_distance(self, distance, value):
        one, below = Objects(labels=self.ONE), Objects(labels=self.BELOW)
        assert c.loc_boundary_iou(one, below, distance=distance)[0, 0] == pytest.approx(value)
        assert c.loc_boundary_iou(below, one, distance=distance)[0, 0] == pytest.approx(value)

    def test_a_distance_is_in_mm(self):
        one, below = (Objects(labels=labels, spacing=(2.0, 2.0)) for labels in (self.ONE, self.BELOW))
        assert c.loc_boundary_iou(one, below, distance=3.9)[0, 0] == pytest.approx(8 / 24)
        assert c.loc_boundary_iou(one, below, distance=4.0)[0, 0] == pytest.approx(18 / 30)
        # Narrower than a pixel there is no band, and nothing is shared.
        assert c.loc_boundary_iou(one, below, distance=1.9).tolist() == [[0.0]]

    def test_without_a_distance_it_is_a_part_of_the_diagonal_of_the_image(self):
        """The diagonal of 9 by 9 pixels is 12.73: 0.16 of it reach 2 pixels, 0.02 of it reach the outline at least."""
        one, below = Objects(labels=self.ONE), Objects(labels=self.BELOW)
        assert c.loc_boundary_iou(one, below, distance_ratio=0.16)[0, 0] == pytest.approx(18 / 30)
        assert c.loc_boundary_iou(one, below)[0, 0] == pytest.approx(8 / 24)

    def test_the_part_is_two_hundredths_unless_it_is_said(self):
        """A diagonal of 169.7 reaches 3 pixels into blocks of 9 by 9: 72 pixels each, of which 8 · 9 - 4 · 3 are common."""
        one, below = (Objects(labels=mask(slice(start, start + 9), slice(40, 49), (120, 120))) for start in (50, 51))
        assert c.loc_boundary_iou(one, below)[0, 0] == pytest.approx(60 / 84)
        assert CRITERIA["loc_boundary_iou"].pairs(one, below).value.tolist() == [pytest.approx(60 / 84)]

    def test_the_edge_of_the_image_and_another_object_are_outlines_too(self):
        """Two blocks of 3 by 3 side by side fill the image: of each the middle alone is inside."""
        halves = np.repeat([[1, 1, 1, 2, 2, 2]], 3, axis=0)
        middles = np.zeros((3, 6), dtype=int)
        middles[1, 1] = middles[1, 4] = 1
        ring = Objects(labels=np.where(middles, 0, halves))
        assert c.loc_boundary_iou(Objects(labels=halves), ring, distance=1.0).tolist() == [[1.0, 0.0], [0.0, 1.0]]


class TestCenterDistance:
    def test_every_distance_of_a_table_is_told_where_there_is_no_cutoff(self):
        one, other = Objects(points=[[0, 0], [3, 0]]), Objects(points=[[0, 4], [3, 0], [6, 4]])
        assert c.loc_center_distance(one, other).tolist() == pytest.approx(np.array([[4, 3, 52**0.5], [5, 0, 5]]))

    @pytest.mark.parametrize(("within", "hit"), [(5.0, True), (5.0 / (1 + 1e-7), True), (5.0 / (1 + 1e-5), False)])
    def test_a_cutoff_holds_but_for_rounding(self, within, hit):
        pairs = CRITERIA["loc_center_distance"].pairs(Objects(points=[[0, 0]]), Objects(points=[[3, 4]]), within=within)
        assert pairs.value.tolist() == ([5.0] if hit else [])

    @pytest.mark.parametrize("spacing", [None, "from_image"])
    def test_the_size_of_a_pixel_is_that_of_the_reference_unless_it_is_given(self, spacing):
        one = Objects(points=[[0, 0]], spacing=(2.0, 0.5))
        other = Objects(points=[[3, 8]], spacing=(9.0, 9.0))
        assert c.loc_center_distance(one, other, spacing=spacing).tolist() == [[pytest.approx(52**0.5)]]
        assert c.loc_center_distance(one, other, spacing=(1.0, 0.5)).tolist() == [[5.0]]


class TestPointsInApproximations:
    def test_every_reference_is_asked_for_every_point(self):
        references = Objects(boxes=[[0, 0, 2, 2], [1, 0, 3, 2]])
        points = Objects(points=[[0.5, 1], [1.5, 1], [2.5, 1], [0.05, 0.05]])
        wanted = {"ellipse": [[1, 1, 0, 0], [0, 1, 1, 0]], "convex_hull": [[1, 1, 0, 1], [0, 1, 1, 0]]}
        for shape, table in wanted.items():
            assert c.loc_point_in_approx(references, points, shape=shape).tolist() == table
        assert c.loc_point_in_approx(references, points).tolist() == wanted["ellipse"]

    def test_without_points_there_is_no_hit(self):
        assert c.loc_point_in_approx(BOX, Objects(points=[])).shape == (1, 0)
