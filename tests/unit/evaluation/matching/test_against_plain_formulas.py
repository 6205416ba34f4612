"""Criteria against the formula written down for one pair, on objects that hypothesis draws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.matching import Objects
from evaluation.matching import criterion_tables as c
from evaluation.metrics import iou

corner = st.floats(0, 4).map(lambda number: round(number, 2))
side = st.floats(0.25, 3).map(lambda number: round(number, 2))


def boxes(dimensions):
    one = st.tuples(st.tuples(*[corner] * dimensions), st.tuples(*[side] * dimensions))
    return st.lists(one, min_size=1, max_size=3).map(lambda drawn: [(*low, *np.add(low, size)) for low, size in drawn])


drawn_boxes = st.sampled_from([2, 3]).flatmap(lambda k: st.tuples(boxes(k), boxes(k)))


def overlap_of(one, other, extra=0.0):
    half = len(one) // 2
    sides = [min(one[half + a], other[half + a]) - max(one[a], other[a]) + extra for a in range(half)]
    return np.prod(sides) if min(sides) > 0 else 0.0


def extent(box, extra=0.0):
    half = len(box) // 2
    return np.prod([box[half + a] - box[a] + extra for a in range(half)])


@given(drawn_boxes, st.sampled_from([("half_open", 0.0), ("inclusive_pixels", 1.0)]))
def test_boxes_overlap_as_far_as_their_sides_do(drawn, convention):
    ours, theirs = drawn
    name, extra = convention
    table = c.loc_box_iou(Objects(boxes=ours), Objects(boxes=theirs), box_convention=name)
    for i, one in enumerate(ours):
        for j, other in enumerate(theirs):
            common = overlap_of(one, other, extra)
            assert table[i, j] == pytest.approx(common / (extent(one, extra) + extent(other, extra) - common))


@given(drawn_boxes)
def test_intersection_over_reference_of_boxes(drawn):
    ours, theirs = drawn
    table = c.loc_ior(Objects(boxes=ours), Objects(boxes=theirs))
    wanted = [[overlap_of(one, other) / extent(one) for other in theirs] for one in ours]
    assert table == pytest.approx(np.array(wanted))


@settings(max_examples=20)
@given(drawn_boxes)
def test_the_hull_of_a_box_is_the_box(drawn):
    ours, theirs = (Objects(boxes=rows) for rows in drawn)
    exact = c.loc_box_iou(ours, theirs)
    tolerance = 1e-9 if ours.dimensions == 2 else 0.08
    for shape in ("convex_hull", "polygon"):
        assert c.loc_approx_iou(ours, theirs, shape=shape) == pytest.approx(exact, abs=tolerance)


@given(drawn_boxes)
def test_centre_distance_is_that_of_the_middles(drawn):
    ours, theirs = drawn
    half = len(ours[0]) // 2
    table = c.loc_center_distance(Objects(boxes=ours), Objects(boxes=theirs))
    for i, one in enumerate(ours):
        for j, other in enumerate(theirs):
            middles = [(np.array(box[:half]) + box[half:]) / 2 for box in (one, other)]
            assert table[i, j] == pytest.approx(np.linalg.norm(middles[0] - middles[1]))


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_circle_has_the_extent_of_its_box(dimensions):
    cube = Objects(boxes=[[0.0] * dimensions + [2.0] * dimensions])
    radius = np.sqrt(4 / np.pi) if dimensions == 2 else (6 / np.pi) ** (1 / 3)
    points = [[1 + factor * radius] + [1.0] * (dimensions - 1) for factor in (-1.01, -0.99, 0.99, 1.01)]
    inside = c.loc_point_in_approx(cube, Objects(points=points), shape="circle")
    assert inside.tolist() == [[0, 1, 1, 0]]


def test_a_polygon_of_masks_is_the_masks_and_of_a_mask_and_a_box_the_hulls():
    image = np.zeros((8, 8), dtype=int)
    image[1:5, 1:5] = 1
    image[1, 1] = 0
    other = np.roll(image, 1, axis=0)
    masks = Objects(labels=image), Objects(labels=other)
    assert c.loc_approx_iou(*masks, shape="polygon")[0, 0] == iou(image, other).value
    box = Objects(boxes=[[1, 1, 5, 5]])
    for pair in ((masks[0], box), (box, masks[0])):
        assert c.loc_approx_iou(*pair, shape="polygon")[0, 0] == pytest.approx(15.5 / 16)


@pytest.mark.parametrize("sides", [((), [[1.0, 1.0]]), ([[1.0, 1.0]], ())])
def test_without_objects_on_one_side_there_is_no_pair(sides):
    ours, theirs = (Objects(points=np.reshape(points, (-1, 2))) for points in sides)
    assert c.loc_center_distance(ours, theirs).shape == (ours.size, theirs.size)


def test_a_band_as_wide_as_a_voxel_is_the_outline_whatever_the_rounding_of_the_header():
    image = np.zeros((7, 7), dtype=int)
    image[1:6, 1:6] = 1
    spacing = float(np.float32(0.1)) * 1.0000001, 0.1
    ring = Objects(labels=image, spacing=spacing)
    moved = Objects(labels=np.where(image, 2, 0), spacing=spacing)
    assert c.loc_boundary_iou(ring, moved, distance=0.1)[0, 0] == 1.0
    inner = image.copy()
    inner[2:5, 2:5] = 2
    assert c.loc_boundary_iou(ring, Objects(labels=inner, spacing=spacing), distance=0.1)[0].tolist() == [1.0, 0.0]


def test_thousands_of_points_are_measured_in_pieces_without_a_gap():
    points = np.stack([np.arange(600.0), np.zeros(600)], axis=1)
    table = c.loc_center_distance(Objects(points=points), Objects(points=[[0.0, 3.0]]))
    assert table[:, 0] == pytest.approx(np.hypot(points[:, 0], 3.0))


@pytest.mark.parametrize("shape", ["ellipse", "circle", "convex_hull"])
def test_a_point_on_the_edge_of_an_approximation_lies_in_it(shape):
    side = 2.0 if shape != "circle" else np.sqrt(np.pi)
    box = Objects(boxes=[[-side / 2, -side / 2, side / 2, side / 2]])
    points = [[1.0, 0.0], [0.0, -1.0]] if shape != "convex_hull" else [[1.0, 1.0], [-1.0, 0.0]]
    assert c.loc_point_in_approx(box, Objects(points=points), shape=shape).tolist() == [[1, 1]]


def test_the_share_of_a_mask_that_a_box_covers_is_that_of_its_box_and_of_masks_that_of_pixels():
    image = np.zeros((8, 8), dtype=int)
    image[0:2, 0:4] = 1
    mask = Objects(labels=image)
    assert c.loc_ior(mask, Objects(boxes=[[0, 0, 2, 3]])).tolist() == [[0.75]]
    assert c.loc_ior(Objects(boxes=[[0, 0, 4, 4]]), mask).tolist() == [[0.5]]
    ring = np.where(np.indices((8, 8)).sum(axis=0) % 2, image, 0)
    assert c.loc_ior(mask, Objects(labels=ring)).tolist() == [[0.5]]
