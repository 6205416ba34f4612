"""Hit criteria: the worked examples of the metrics reference, and what must hold for all objects."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from evaluation.matching import Objects, from_label_map
from evaluation.matching import criterion_tables as c
from evaluation.metrics import boundary, overlap


def four_digits(value):
    return pytest.approx(value, abs=0.5e-4)


def boxes(*rows, **more):
    return Objects(boxes=list(rows), **more)


REFERENCE = boxes([0, 0, 10, 10])
HUGE = boxes([4, 4, 30, 30])


def square(rows, columns, label=1, stray=None):
    image = np.zeros((12, 12), dtype=int)
    image[rows, columns] = label
    if stray:
        image[stray] = label
    return Objects(labels=image)


E4_REFERENCE = square(slice(3, 9), slice(3, 9), 7)
E4_PREDICTION = square(slice(3, 9), slice(3, 8), 3, stray=(0, 11))


class TestWorkedExamples:
    def test_corners_that_are_pixel_indices_make_longer_sides(self):
        moved = boxes([2, 0, 12, 10])
        assert c.loc_box_iou(REFERENCE, moved)[0, 0] == four_digits(0.6667)
        assert c.loc_box_iou(REFERENCE, moved, box_convention="inclusive_pixels")[0, 0] == four_digits(0.6923)

    @pytest.mark.parametrize(("dimensions", "value"), [(2, 0.6807), (3, 0.5736)])
    def test_one_step_along_every_axis_costs_more_in_3d(self, dimensions, value):
        one = boxes([0] * dimensions + [10] * dimensions)
        other = boxes([1] * dimensions + [11] * dimensions)
        assert c.loc_box_iou(one, other)[0, 0] == four_digits(value)

    @pytest.mark.parametrize("shape", ["circle", "ellipse"])
    def test_circles(self, shape):
        side = 6 if shape == "ellipse" else 3 * np.sqrt(np.pi)
        one = boxes([-side / 2, -side / 2, side / 2, side / 2])
        other = boxes([2 - side / 2, -side / 2, 2 + side / 2, side / 2])
        assert c.loc_approx_iou(one, other, shape=shape)[0, 0] == four_digits(0.4120)

    def test_centre_distance_is_in_mm(self):
        one, other = Objects(points=[[5, 5]]), Objects(points=[[7, 5]])
        assert c.loc_center_distance(one, other)[0, 0] == 2.0
        assert c.loc_center_distance(one, other, spacing=(0.8, 0.8))[0, 0] == pytest.approx(1.6)

    def test_huge_prediction(self):
        assert c.loc_center_cover(REFERENCE, HUGE)[0, 0] == 1
        assert c.loc_center_hit(REFERENCE, HUGE)[0, 0] == 0
        assert c.loc_center_distance(REFERENCE, HUGE)[0, 0] == four_digits(16.9706)
        assert c.loc_point_in_box(REFERENCE, Objects(points=[[17, 17], [4, 4]])).tolist() == [[0, 1]]

    def test_square_with_a_column_missing_and_a_stray_pixel(self):
        assert c.loc_boundary_iou(E4_REFERENCE, E4_PREDICTION, distance=2)[0, 0] == four_digits(0.7429)
        assert c.loc_mask_iou(E4_REFERENCE, E4_PREDICTION)[0, 0] == four_digits(0.8108)
        assert c.loc_ior(E4_REFERENCE, E4_PREDICTION)[0, 0] == four_digits(0.8333)
        assert c.loc_point_in_mask(E4_REFERENCE, Objects(points=[[5, 5]]))[0, 0] == 1


label_maps = npst.arrays(
    np.uint8, npst.array_shapes(min_dims=2, max_dims=3, min_side=2, max_side=7), elements=st.integers(0, 3)
)


@settings(max_examples=60, deadline=None)
@given(label_maps, st.data())
def test_tables_of_masks_agree_with_looking_at_each_pair(reference, data):
    prediction = data.draw(npst.arrays(np.uint8, reference.shape, elements=st.integers(0, 3)))
    one, other = Objects(labels=reference), Objects(labels=prediction)
    tables = {
        overlap.iou: c.loc_mask_iou(one, other),
        overlap.ior: c.loc_ior(one, other),
        boundary.boundary_iou: c.loc_boundary_iou(one, other),
    }
    for metric, table in tables.items():
        for i, label in enumerate(one.ids):
            for j, guess in enumerate(other.ids):
                assert table[i, j] == pytest.approx(metric(reference == label, prediction == guess).value)


@settings(max_examples=20, deadline=None)
@given(label_maps)
def test_an_object_hits_itself_by_every_criterion_of_overlap(image):
    objects = Objects(labels=image)
    for criterion in (c.loc_mask_iou, c.loc_box_iou, c.loc_boundary_iou, c.loc_ior):
        assert np.diagonal(criterion(objects, objects)) == pytest.approx(1.0)
    for shape in ("ellipse", "circle", "convex_hull", "polygon"):
        assert np.diagonal(c.loc_approx_iou(objects, objects, shape=shape)) == pytest.approx(1.0)


def test_label_numbers_may_be_far_apart():
    image = np.zeros((6, 6), dtype=np.uint32)
    image[:3], image[4:] = 2**31 - 1, 5
    assert Objects(labels=image).areas.tolist() == [12, 18]
    assert np.array_equal(c.loc_mask_iou(Objects(labels=image), Objects(labels=image)), np.eye(2))


def test_centre_of_a_ring_lies_outside_it():
    ring = np.ones((5, 5), dtype=int)
    ring[1:4, 1:4] = 0
    assert Objects(labels=ring).centres.tolist() == [[2.5, 2.5]]
    assert c.loc_center_hit(Objects(labels=ring), Objects(labels=ring))[0, 0] == 0


def test_approximations_in_3d_and_points_in_them():
    ball = np.array(
        [[(x - 5) ** 2 + (y - 5) ** 2 + (z - 5) ** 2 <= 16 for z in range(11)] for x in range(11) for y in range(11)]
    )
    objects = Objects(labels=ball.reshape(11, 11, 11).astype(int))
    for shape in ("ellipse", "circle", "convex_hull"):
        inside = c.loc_point_in_approx(objects, Objects(points=[[5.5, 5.5, 5.5], [0.5, 0.5, 0.5]]), shape=shape)
        assert inside.tolist() == [[1, 0]]
    moved = Objects(labels=np.roll(objects.labels, 1, axis=0))
    assert 0.5 < c.loc_approx_iou(objects, moved)[0, 0] < 1


def test_connected_parts_can_be_the_objects():
    image = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0]])
    assert len(from_label_map(image)) == 1
    assert len(from_label_map(image, instance_connectivity="full")) == 1
    assert len(from_label_map(image, instance_connectivity="face")) == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (Objects, "given as boxes, as points, as a label map or as masks"),
        (
            lambda: Objects(boxes=[[0, 0, 1, 1]], points=[[0, 0]]),
            "given as boxes, as points, as a label map or as masks",
        ),
        (lambda: boxes([0, 0, 0, 1]), "upper corner above its lower one"),
        (lambda: boxes([0, 0, np.inf, 1]), "one row of 4 or 6 finite numbers"),
        (lambda: boxes([0, 0, 1]), "one row of 4 or 6 finite numbers"),
        (lambda: boxes([0, 0, 1, 1], scores=[0.5, 0.5]), "one for each of 1 objects"),
        (lambda: boxes([0, 0, 1, 1], scores=[np.nan]), "scores have to be finite"),
        (lambda: Objects(labels=np.zeros((3, 3))), "2 or 3 dimensions of whole numbers"),
        (lambda: Objects(labels=np.full((3, 3), -1)), "whole numbers from 0 on"),
        (lambda: Objects(labels=np.ones((3, 3), int), ids=[2]), "the label 2 has no pixel"),
        (lambda: Objects(labels=np.ones((3, 3), int), ids=[1, 1]), "a label stands there twice"),
        (lambda: c.loc_mask_iou(REFERENCE, REFERENCE), "masks on both sides"),
        (lambda: c.loc_boundary_iou(REFERENCE, REFERENCE), "masks on both sides"),
        (lambda: c.loc_point_in_mask(REFERENCE, REFERENCE), "needs masks in the reference"),
        (lambda: c.loc_box_iou(REFERENCE, REFERENCE, box_convention="closed"), "box_convention is 'half_open'"),
        (lambda: c.loc_box_iou(REFERENCE, boxes([0, 0, 0, 1, 1, 1])), "objects in 2 and in 3 dimensions"),
        (lambda: c.loc_box_iou(REFERENCE, Objects(points=[[0, 0]])), "points have no boxes"),
        (lambda: c.loc_approx_iou(REFERENCE, REFERENCE, shape="star"), "shape is one of ellipse"),
        (lambda: c.loc_mask_iou(E4_REFERENCE, Objects(labels=np.ones((3, 3), int))), "label maps of shape"),
        (
            lambda: from_label_map(np.ones((3, 3), int), instance_connectivity="edge"),
            "instance_connectivity is 'as_submitted'",
        ),
    ],
)
def test_objects_that_do_not_fit_are_an_error(call, words):
    with pytest.raises(ValueError, match=words):
        call()
