"""Ellipses, circles and hulls that approximate objects: their positions, contained points and overlap."""

import math

import numpy as np
import pytest
from scipy import spatial

from evaluation.matching import CRITERIA, Objects
from evaluation.matching import criterion_tables as c
from evaluation.matching.approximations import Body, bodies, iou

NEARLY = 1e-6


def body_of(objects, shape):
    (only,) = bodies(objects, shape)
    return only


def cuboid(low, sides, canvas):
    """A label map with one block."""
    labels = np.zeros(canvas, dtype=int)
    labels[tuple(slice(start, start + side) for start, side in zip(low, sides, strict=True))] = 1
    return Objects(labels=labels)


def edges_of(body, reach):
    """Return whether points just inside and outside a reach, in both directions of each axis, are inside."""
    result = []
    for axis, length in enumerate(reach):
        for sign in (-1, 1):
            for factor in (1 - NEARLY, 1 + NEARLY):
                point = body.centre.copy()
                point[axis] += sign * factor * length
                result.append(bool(body.contains(point[None])[0]))
    return result


class TestOfMasks:
    @pytest.mark.parametrize(
        ("low", "sides", "canvas"), [((2, 3), (4, 7), (12, 12)), ((1, 2, 3), (2, 5, 3), (8, 8, 8))]
    )
    def test_the_ellipse_of_a_block_has_its_variance_along_every_axis(self, low, sides, canvas):
        """A side a has the variance a²/12, a solid ellipsoid of radius r in k dimensions r²/(k + 2)."""
        body = body_of(cuboid(low, sides, canvas), "ellipse")
        radii = [side * math.sqrt((len(sides) + 2) / 12) for side in sides]
        assert body.centre == pytest.approx(np.add(low, np.array(sides) / 2))
        assert body.low == pytest.approx(body.centre - radii)
        assert body.high == pytest.approx(body.centre + radii)
        assert edges_of(body, radii) == [True, False] * 2 * len(sides)

    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("canvas", [(7, 9), (5, 6, 4)])
    def test_the_ellipse_of_any_mask_has_its_second_moments(self, seed, canvas):
        """Inside is where (x - m)ᵀ S⁻¹ (x - m) is at most k + 2, with the mean m and the covariance S of the pixels' area."""
        random = np.random.default_rng(seed)
        labels = (random.random(canvas) < 0.3).astype(int)
        pixels = [np.add(position, 0.5) for position in np.ndindex(canvas) if labels[position]]
        middle = sum(pixels) / len(pixels)
        spread = sum(np.outer(pixel - middle, pixel - middle) for pixel in pixels) / len(pixels)
        spread = spread + np.eye(len(canvas)) / 12
        body = body_of(Objects(labels=labels), "ellipse")
        points = random.random((400, len(canvas))) * 16 - 4
        far = np.array([(point - middle) @ np.linalg.solve(spread, point - middle) for point in points])
        assert body.contains(points).tolist() == (far <= len(canvas) + 2).tolist()
        reach = np.sqrt((len(canvas) + 2) * np.diagonal(spread))
        assert body.centre == pytest.approx(middle)
        assert body.low == pytest.approx(middle - reach)
        assert body.high == pytest.approx(middle + reach)

    @pytest.mark.parametrize(
        ("sides", "radius"),
        [((3, 5), math.sqrt(15 / math.pi)), ((2, 3, 4), (24 * 3 / 4 / math.pi) ** (1 / 3))],
    )
    def test_the_circle_of_a_mask_has_its_area_or_volume_around_its_centre(self, sides, radius):
        low = (1,) * len(sides)
        body = body_of(cuboid(low, sides, (8,) * len(sides)), "circle")
        assert body.centre == pytest.approx(1 + np.array(sides) / 2)
        assert body.low == pytest.approx(body.centre - radius)
        assert body.high == pytest.approx(body.centre + radius)
        assert edges_of(body, [radius] * len(sides)) == [True, False] * 2 * len(sides)

    @pytest.mark.parametrize("shape", ["convex_hull", "polygon"])
    @pytest.mark.parametrize("dimensions", [2, 3])
    def test_the_hull_of_a_mask_reaches_to_the_outer_corners_of_its_pixels(self, shape, dimensions):
        """Two pixels on a diagonal: the hull contains their corners and otherwise only the area between them."""
        labels = np.zeros((5,) * dimensions, dtype=int)
        labels[(1,) * dimensions] = labels[(2,) * dimensions] = 1
        body = body_of(Objects(labels=labels), shape)
        corners = [np.add(corner, pixel) for pixel in (1, 2) for corner in np.ndindex((2,) * dimensions)]
        assert body.contains(np.array(corners, dtype=float)).all()
        assert body.low.tolist() == [1.0] * dimensions
        assert body.high.tolist() == [3.0] * dimensions
        assert body.centre.tolist() == [2.0] * dimensions
        ends = [[1 - NEARLY] * dimensions, [3 + NEARLY] * dimensions]
        beside = [[1.5 - NEARLY, 2.5 + NEARLY, *[2.0] * (dimensions - 2)], [1.5, 2.5, *[2.0] * (dimensions - 2)]]
        assert body.contains(np.array([*ends, *beside])).tolist() == [False, False, False, True]

    def test_every_object_of_a_map_has_its_own(self):
        labels = np.zeros((6, 6), dtype=int)
        labels[0, 0], labels[2:4, 2:6] = 9, 4
        first, second = bodies(Objects(labels=labels), "circle")
        assert first.centre.tolist() == [3.0, 4.0]
        assert second.centre.tolist() == [0.5, 0.5]
        assert (second.high - second.low).tolist() == pytest.approx([2 / math.sqrt(math.pi)] * 2)


class TestOfBoxes:
    @pytest.mark.parametrize("box", [[1, -2, 5, 0], [1, -2, 3, 5, 0, 10]])
    def test_the_ellipse_of_a_box_touches_its_sides(self, box):
        half = len(box) // 2
        low, high = np.array(box[:half]), np.array(box[half:])
        body = body_of(Objects(boxes=[box]), "ellipse")
        assert body.centre == pytest.approx((low + high) / 2)
        assert body.low == pytest.approx(low)
        assert body.high == pytest.approx(high)
        assert edges_of(body, (high - low) / 2) == [True, False] * len(box)

    @pytest.mark.parametrize(
        ("box", "radius"),
        [([1, 1, 4, 3], math.sqrt(6 / math.pi)), ([1, 1, 1, 4, 3, 2], (6 * 3 / 4 / math.pi) ** (1 / 3))],
    )
    def test_the_circle_of_a_box_has_its_area_or_volume(self, box, radius):
        body = body_of(Objects(boxes=[box]), "circle")
        assert edges_of(body, [radius] * (len(box) // 2)) == [True, False] * len(box)

    @pytest.mark.parametrize("shape", ["convex_hull", "polygon"])
    @pytest.mark.parametrize("box", [[1, -2, 5, 0], [1, -2, 3, 5, 0, 10]])
    def test_the_hull_of_a_box_is_the_box(self, shape, box):
        half = len(box) // 2
        low, high = np.array(box[:half], dtype=float), np.array(box[half:], dtype=float)
        body = body_of(Objects(boxes=[box]), shape)
        assert (body.low.tolist(), body.high.tolist()) == (low.tolist(), high.tolist())
        assert body.centre.tolist() == ((low + high) / 2).tolist()
        assert edges_of(body, (high - low) / 2) == [True, False] * len(box)
        assert body.contains(np.array([low, high, low - NEARLY, high + NEARLY])).tolist() == [True, True, False, False]

    @pytest.mark.parametrize("shape", ["ellipse", "circle", "convex_hull", "polygon"])
    def test_points_have_no_extent(self, shape):
        with pytest.raises(ValueError, match="points have no extent to approximate"):
            bodies(Objects(points=[[1.0, 1.0]]), shape)


def shared_by_circles(radius, other, apart):
    """Area of the lens of two circles whose middles are so far apart, from the two angles that it spans."""
    angle = 2 * math.acos((apart**2 + radius**2 - other**2) / (2 * apart * radius))
    other_angle = 2 * math.acos((apart**2 + other**2 - radius**2) / (2 * apart * other))
    return (radius**2 * (angle - math.sin(angle)) + other**2 * (other_angle - math.sin(other_angle))) / 2


class TestSharedInTwoDimensions:
    @pytest.mark.parametrize("turn", [0.0, 0.5, 2.1, 4.0])
    @pytest.mark.parametrize(
        ("radius", "other", "apart"), [(1.0, 1.0, 1.0), (2.0, 1.0, 2.5), (3.0, 2.5, 0.75), (0.2, 0.3, 0.4)]
    )
    def test_circles_share_a_lens(self, radius, other, apart, turn):
        middle = np.array([5.0, -3.0])
        moved = middle + apart * np.array([math.cos(turn), math.sin(turn)])
        one, two = (
            body_of(Objects(boxes=[[*(position - size), *(position + size)]]), "ellipse")
            for position, size in ((middle, radius), (moved, other))
        )
        common = shared_by_circles(radius, other, apart)
        exact = common / (math.pi * (radius**2 + other**2) - common)
        assert iou(one, two) == pytest.approx(exact, abs=1e-4)
        assert iou(two, one) == pytest.approx(exact, abs=1e-4)

    def test_an_ellipse_within_another_or_within_a_box_shares_its_true_area(self):
        outer, inner = (Objects(boxes=[box]) for box in ([-4, -2, 4, 2], [-1, -0.5, 2, 0.5]))
        # Half axes of 1.5 and 0.5 within those of 4 and 2.
        assert iou(body_of(outer, "ellipse"), body_of(inner, "ellipse")) == pytest.approx(0.75 / 8)
        # And within a box of 8 by 4.
        within = math.pi * 0.75 / 32
        assert iou(body_of(outer, "convex_hull"), body_of(inner, "ellipse")) == pytest.approx(within, rel=1e-9)
        assert iou(body_of(inner, "ellipse"), body_of(outer, "convex_hull")) == pytest.approx(within, rel=1e-9)

    @pytest.mark.parametrize("seed", range(8))
    def test_the_ellipse_of_a_mask_has_the_area_of_its_moments(self, seed):
        """Half axes of 2 √v along the directions of variance v: π · 4 · √det S, here as a part of a box around it."""
        labels = (np.random.default_rng(seed).random((6, 6)) < 0.4).astype(int)
        rows, columns = np.nonzero(labels)
        spread = np.cov(rows, columns, bias=True) + np.eye(2) / 12
        exact = 4 * math.pi * math.sqrt(np.linalg.det(spread)) / 400
        box = body_of(Objects(boxes=[[-7, -7, 13, 13]]), "convex_hull")
        ellipse = body_of(Objects(labels=labels), "ellipse")
        assert iou(ellipse, box) == pytest.approx(exact, rel=1e-9)
        assert iou(box, ellipse) == pytest.approx(exact, rel=1e-9)

    @pytest.mark.parametrize("seed", range(8))
    def test_ellipses_of_masks_share_what_a_fine_grid_counts(self, seed):
        random = np.random.default_rng(seed)
        one, two = (body_of(Objects(labels=(random.random((6, 6)) < 0.4).astype(int)), "ellipse") for _ in range(2))
        low, high = np.minimum(one.low, two.low), np.maximum(one.high, two.high)
        lines = [np.linspace(low[axis], high[axis], 500) for axis in range(2)]
        grid = np.stack(np.meshgrid(*lines), axis=-1).reshape(-1, 2)
        ours, theirs = one.contains(grid), two.contains(grid)
        counted = (ours & theirs).sum() / (ours | theirs).sum()
        assert iou(one, two) == pytest.approx(counted, abs=3e-3)

    def test_the_ellipse_of_an_oblique_line_and_of_its_mirror_image_share_the_middle(self):
        """Half axes a and b crossed at right angles share 4 a b arctan(b / a)."""
        line = np.eye(5, dtype=int)
        one, mirrored = (body_of(Objects(labels=labels), "ellipse") for labels in (line, line[:, ::-1]))
        # Along the line the pixels' middles have the variance 2 · (4 + 1 + 0 + 1 + 4) / 5 = 4.
        long, short = math.sqrt(4 * (4 + 1 / 12)), math.sqrt(4 / 12)
        common = 4 * long * short * math.atan(short / long)
        exact = common / (2 * math.pi * long * short - common)
        assert iou(one, mirrored) == pytest.approx(exact, abs=1e-4)
        assert iou(one, one) == pytest.approx(1.0)
        assert iou(mirrored, mirrored) == pytest.approx(1.0)

    @pytest.mark.parametrize("pixel", [(0, 0), (2, 1)])
    def test_hulls_share_a_polygon(self, pixel):
        """A triangle of six pixels' hull, cut by one pixel of it: the whole pixel, of the hull's area."""
        labels = np.tril(np.ones((3, 3), dtype=int))
        single = np.zeros((3, 3), dtype=int)
        single[pixel] = 1
        hull, square = (body_of(Objects(labels=result), "convex_hull") for result in (labels, single))
        # A square of 3 without the triangle that reaches from (0, 1) to (2, 3): 9 - 2 · 2 / 2.
        assert iou(hull, square) == pytest.approx(1 / 7)
        assert iou(square, hull) == pytest.approx(1 / 7)

    @pytest.mark.parametrize("corner", [(0.0, 0.0), (1.0, 1.0), (0.5, 1.0), (-1.0, 1.5), (2.0, 0.25), (3.0, 3.0)])
    def test_a_triangle_and_a_square_share_what_a_fine_grid_counts(self, corner):
        """Corners on edges, edges on edges, and nothing in common."""
        triangle = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) + np.array(corner)
        one, two = (
            Body(position.mean(axis=0), position.min(axis=0), position.max(axis=0), corners=position)
            for position in (triangle, square)
        )
        lines = np.linspace(0, 1, 1001)[:-1] + 0.0005
        grid = np.stack(np.meshgrid(lines, lines), axis=-1).reshape(-1, 2) + corner
        common = ((grid >= 0).all(axis=1) & (grid.sum(axis=1) <= 2)).mean()
        assert iou(one, two) == pytest.approx(common / (3 - common), abs=1e-3)
        assert iou(two, one) == pytest.approx(common / (3 - common), abs=1e-3)


class TestSharedInThreeDimensions:
    @pytest.mark.parametrize("axes", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
    def test_boxes_whose_sides_are_multiples_of_a_48th_of_both_share_exactly_their_part(self, axes):
        """[10, 14] and [12, 16] along one axis, [5, 8] and [7, 11] along another: 2 · 1 · 6 of 24 · 3 + 24 · 4 - 12."""
        one, other = np.array([[10, 5, 1], [14, 8, 7]]), np.array([[12, 7, 1], [16, 11, 7]])
        first, second = (
            body_of(Objects(boxes=[np.concatenate([low_high[0][list(axes)], low_high[1][list(axes)]])]), "convex_hull")
            for low_high in (one, other)
        )
        assert iou(first, second) == pytest.approx(12 / (72 + 96 - 12))
        assert iou(second, first) == pytest.approx(12 / (72 + 96 - 12))

    def test_the_samples_lie_in_the_middle_of_48_steps(self):
        """A box that ends just before or behind the middle of a step loses or has the step."""
        whole = body_of(Objects(boxes=[[0, 0, 0, 48, 1, 1]]), "convex_hull")
        for end, steps in ((0.6, 1), (1.4, 1), (1.6, 2), (46.6, 47), (47.4, 47), (47.6, 48)):
            part = body_of(Objects(boxes=[[0, 0, 0, end, 1, 1]]), "convex_hull")
            assert iou(whole, part) == pytest.approx(steps / 48)

    @pytest.mark.parametrize("apart", [0.5, 1.0, 1.5])
    def test_balls_share_a_lens(self, apart):
        """Two caps of height h = 1 - d / 2 of unit balls: 2 · π h² (3 - h) / 3."""
        balls = [body_of(Objects(boxes=[[x - 1, -1, 4, x + 1, 1, 6]]), "ellipse") for x in (7, 7 + apart)]
        height = 1 - apart / 2
        common = 2 * math.pi * height**2 * (3 - height) / 3
        assert iou(*balls) == pytest.approx(common / (8 * math.pi / 3 - common), rel=0.02)

    def test_bodies_that_no_sample_meets_share_nothing(self):
        """Thinner than a step: even samples of both together are none."""
        needle = Body(np.zeros(3), np.full(3, -1.0), np.full(3, 1.0), matrix=np.eye(3) * 1e6)
        assert iou(needle, needle) == 0.0


class TestTables:
    @pytest.mark.parametrize("axis", [0, 1])
    def test_circles_that_only_touch_share_nothing(self, axis):
        """Polygons that approximate circles extend beyond them, so contact is determined from the circles.

        The polygons extend only slightly beyond the circles.
        """

        def circle(start):
            corner = np.roll([start, 0], axis)
            return [*corner, *(corner + 2)]

        one, others = Objects(boxes=[circle(0)]), Objects(boxes=[circle(start) for start in (2, 5, 1.999)])
        assert (c.loc_approx_iou(one, others)[0] > 0).tolist() == [False, False, True]
        assert (c.loc_approx_iou(others, one)[:, 0] > 0).tolist() == [False, False, True]

    def test_circles_whose_boxes_meet_and_which_do_not_are_no_pair(self):
        one, other = Objects(boxes=[[0, 0, 2, 2]]), Objects(boxes=[[1.9, 1.9, 3.9, 3.9], [1, 1, 3, 3]])
        pairs = CRITERIA["loc_approx_iou"].pairs(one, other)
        assert (pairs.reference.tolist(), pairs.prediction.tolist()) == ([0], [1])
        assert len(CRITERIA["loc_approx_iou"].pairs(one, Objects(boxes=[])).value) == 0
        assert len(CRITERIA["loc_approx_iou"].pairs(Objects(boxes=[]), one).value) == 0

    def test_every_pair_of_a_table_is_that_of_its_bodies(self):
        random = np.random.default_rng(4)
        low = random.random((2, 5, 2)) * 6
        ours, theirs = (Objects(boxes=np.concatenate([part, part + 1.5], axis=1)) for part in low)
        table = c.loc_approx_iou(ours, theirs, shape="convex_hull")
        wanted = c.loc_box_iou(ours, theirs)
        assert table == pytest.approx(wanted)
        assert 0 < (wanted > 0).sum() < wanted.size

    def test_points_in_hulls_are_those_of_a_triangulation(self):
        random = np.random.default_rng(9)
        labels = (random.random((6, 7)) < 0.25).astype(int)
        corners = [np.add(pixel, corner) for pixel in np.argwhere(labels) for corner in np.ndindex(2, 2)]
        points = random.random((300, 2)) * 8
        inside = c.loc_point_in_approx(Objects(labels=labels), Objects(points=points), shape="convex_hull")[0]
        wanted = spatial.Delaunay(np.array(corners)).find_simplex(points) >= 0
        assert inside.astype(bool).tolist() == wanted.tolist()
        assert 0 < wanted.sum() < 300
