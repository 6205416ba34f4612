"""The objects of an image: their positions and sizes, in each input form."""

import numpy as np
import pytest

from evaluation.matching import Objects, from_label_map

FAR = 2**31 - 1
"""A label so large that no table of all labels up to it is made."""


def two_blocks(first=1, second=2, dtype=int):
    """A block of 2 by 3 pixels and a bent one of 4."""
    labels = np.zeros((6, 8), dtype=dtype)
    labels[1:3, 2:5] = first
    labels[4, 5:8] = labels[5, 5] = second
    return labels


class TestLabelMaps:
    @pytest.mark.parametrize("labels", [(1, 2), (7, 300), (5, FAR), (FAR - 1, FAR)])
    @pytest.mark.parametrize("memory_order", ["C", "F"])
    def test_pixels_boxes_and_centres_do_not_depend_on_the_numbers(self, labels, memory_order):
        objects = Objects(labels=np.array(two_blocks(*labels, dtype=np.int64), order=memory_order))
        assert (len(objects), objects.dimensions, objects.has_extent) == (2, 2, True)
        assert objects.ids.tolist() == list(labels)
        assert objects.index_map.tolist() == two_blocks(1, 2).tolist()
        assert objects.areas.tolist() == [6.0, 4.0]
        assert objects.boxes.tolist() == [[1, 2, 3, 5], [4, 5, 6, 8]]
        # Rows 4, 4, 4, 5 and columns 5, 6, 7, 5, each a half further to the pixel's middle.
        assert objects.centres.tolist() == [[2.0, 3.5], [4.75, 6.25]]

    @pytest.mark.parametrize("labels", [(1, 2), (5, FAR)])
    def test_objects_come_in_the_order_that_is_asked_for_and_the_others_are_background(self, labels):
        image = two_blocks(*labels, dtype=np.int64)
        turned = Objects(labels=image, ids=[labels[1], labels[0]])
        assert turned.areas.tolist() == [4.0, 6.0]
        assert turned.index_map.tolist() == two_blocks(2, 1).tolist()
        for kept, area in ((0, 6.0), (1, 4.0)):
            alone = Objects(labels=image, ids=[labels[kept]])
            assert alone.areas.tolist() == [area]
            assert alone.index_map.tolist() == (image == labels[kept]).astype(int).tolist()

    @pytest.mark.parametrize("label", [1, FAR])
    def test_a_map_without_objects_has_none_of_anything(self, label):
        for result in (Objects(labels=np.zeros((3, 4), dtype=int)), Objects(labels=np.full((3, 4), label), ids=[])):
            assert (len(result), result.index_map.tolist()) == (0, np.zeros((3, 4), dtype=int).tolist())
            assert result.areas.shape == (0,)
            assert result.boxes.shape == (0, 4)
            assert result.centres.shape == (0, 2)
            assert result.order.tolist() == result.slices == []

    def test_in_three_dimensions_too(self):
        labels = np.zeros((3, 4, 5), dtype=np.uint8)
        labels[0:2, 1:4, 2] = 6
        objects = Objects(labels=labels)
        assert (objects.dimensions, objects.spacing) == (3, (1.0, 1.0, 1.0))
        assert objects.boxes.tolist() == [[0, 1, 2, 2, 4, 3]]
        assert objects.centres.tolist() == [[1.0, 2.5, 2.5]]

    def test_the_mask_of_an_object_is_its_own_within_its_box(self):
        labels = np.zeros((5, 6), dtype=int)
        labels[1:4, 2:5] = 4
        labels[2, 3] = 2
        objects = Objects(labels=labels)
        inner, start = objects.mask(0)
        assert (inner.tolist(), start) == ([[True]], (2, 3))
        ring, start = objects.mask(1)
        assert (ring.tolist(), start) == ([[True, True, True], [True, False, True], [True, True, True]], (1, 2))

    @pytest.mark.parametrize("kind", [np.uint8, np.int16, np.uint64])
    def test_any_kind_of_whole_number_is_a_label(self, kind):
        objects = Objects(labels=two_blocks(3, 9, dtype=kind))
        assert objects.ids.tolist() == [3, 9]
        assert objects.ids.dtype == np.int64

    @pytest.mark.parametrize("shape", [(4,), (2, 2, 2, 2)])
    def test_a_map_has_two_or_three_dimensions(self, shape):
        with pytest.raises(ValueError, match="a label map has 2 or 3 dimensions of whole numbers"):
            Objects(labels=np.ones(shape, dtype=int))

    @pytest.mark.parametrize("labels", [[[1.0, 0.0]], [[True, False]]])
    def test_a_map_is_of_whole_numbers(self, labels):
        with pytest.raises(ValueError, match="2 or 3 dimensions of whole numbers, not"):
            Objects(labels=np.array(labels))

    @pytest.mark.parametrize(("ids", "label"), [([9, 8, 1], 8), ([1, 7], 7), ([0, 1], 0)])
    def test_the_lowest_label_without_a_pixel_is_named(self, ids, label):
        with pytest.raises(ValueError, match=f"the label {label} has no pixel"):
            Objects(labels=two_blocks(), ids=ids)

    def test_labels_below_0_are_refused_and_0_is_not(self):
        with pytest.raises(ValueError, match="labels are whole numbers from 0 on"):
            Objects(labels=np.array([[0, 3], [-1, 3]]))
        assert Objects(labels=np.array([[0, 3]])).ids.tolist() == [3]


class TestConnectedParts:
    # Two labels that touch along a face, a pixel that touches them at a corner, and one alone.
    IMAGE = np.array([[1, 2, 0, 0], [0, 0, 3, 0], [0, 0, 0, 0], [5, 0, 0, 0]])

    @pytest.mark.parametrize(
        ("connectivity", "areas"),
        [("as_submitted", [1, 1, 1, 1]), ("face", [2, 1, 1]), ("full", [3, 1])],
    )
    def test_labels_that_touch_become_one_part(self, connectivity, areas):
        objects = from_label_map(self.IMAGE, instance_connectivity=connectivity)
        assert objects.areas.tolist() == areas

    def test_in_three_dimensions_an_edge_and_a_corner_are_no_face(self):
        image = np.zeros((3, 3, 3), dtype=int)
        image[0, 0, 0] = image[0, 1, 1] = image[1, 2, 2] = 1
        assert len(from_label_map(image, instance_connectivity="face")) == 3
        assert len(from_label_map(image, instance_connectivity="full")) == 1

    @pytest.mark.parametrize("connectivity", ["as_submitted", "face"])
    def test_what_else_is_said_of_them_is_kept(self, connectivity):
        objects = from_label_map(
            np.eye(2, dtype=int) * [1, 2], instance_connectivity=connectivity, spacing=(2, 3), scores=[0.5, 0.25]
        )
        assert (objects.spacing, objects.scores.tolist()) == ((2.0, 3.0), [0.5, 0.25])


class TestBoxes:
    def test_a_box_has_an_extent_a_middle_and_itself(self):
        objects = Objects(boxes=[[0, 1, 4, 3], [2, 2, 3, 7]])
        assert (len(objects), objects.dimensions, objects.has_extent, objects.ids.tolist()) == (2, 2, True, [0, 1])
        assert objects.areas.tolist() == [8.0, 5.0]
        assert objects.centres.tolist() == [[2.0, 2.0], [2.5, 4.5]]
        assert objects.boxes.tolist() == [[0, 1, 4, 3], [2, 2, 3, 7]]
        assert objects.spacing == (1.0, 1.0)

    def test_in_three_dimensions_too(self):
        objects = Objects(boxes=[[0, 1, 2, 4, 3, 7]])
        assert (objects.dimensions, objects.areas.tolist(), objects.centres.tolist()) == (3, [40.0], [[2.0, 2.0, 4.5]])

    @pytest.mark.parametrize("axis", [0, 1, 2])
    def test_a_box_without_an_extent_along_any_axis_is_refused(self, axis):
        box = [0, 0, 0, 1, 1, 1]
        box[3 + axis] = 0
        with pytest.raises(ValueError, match="a box has its upper corner above its lower one along every axis"):
            Objects(boxes=[[0, 0, 0, 1, 1, 1], box])

    @pytest.mark.parametrize("columns", [2, 3, 5, 7, 8])
    def test_a_box_has_four_or_six_numbers(self, columns):
        with pytest.raises(ValueError, match="boxes: one row of 4 or 6 finite numbers each"):
            Objects(boxes=[list(range(columns))])

    def test_one_row_alone_is_no_table(self):
        with pytest.raises(ValueError, match="boxes: one row of 4 or 6 finite numbers each"):
            Objects(boxes=[0, 0, 1, 1])


class TestPoints:
    def test_a_point_is_its_own_centre_and_has_no_box(self):
        objects = Objects(points=[[1, 2], [3, 4], [5, 6]])
        assert (len(objects), objects.dimensions, objects.has_extent) == (3, 2, False)
        assert objects.centres.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
        with pytest.raises(ValueError, match="points have no boxes"):
            _ = objects.boxes

    @pytest.mark.parametrize("columns", [1, 4, 6])
    def test_a_point_has_two_or_three_numbers(self, columns):
        with pytest.raises(ValueError, match="points: one row of 2 or 3 finite numbers each"):
            Objects(points=[[1.0] * columns])

    @pytest.mark.parametrize("number", [np.nan, np.inf])
    def test_numbers_are_finite(self, number):
        with pytest.raises(ValueError, match="points: one row of 2 or 3 finite numbers each"):
            Objects(points=[[0.0, 0.0, number]])


@pytest.mark.parametrize(
    ("given", "dimensions"),
    [
        ({"boxes": []}, 2),
        ({"points": []}, 2),
        ({"boxes": np.zeros((0, 6))}, 3),
        ({"points": np.zeros((0, 3))}, 3),
        ({"boxes": np.zeros((0, 0))}, 2),
        ({"points": np.zeros((3, 0))}, 2),
    ],
)
def test_nothing_at_all_is_in_two_dimensions_unless_its_columns_say_otherwise(given, dimensions):
    objects = Objects(**given)
    assert (len(objects), objects.dimensions, objects.centres.shape) == (0, dimensions, (0, dimensions))


class TestOrder:
    """Rank of each object by its place, the first axis first, then by its score, the highest first."""

    def test_boxes_are_told_apart_by_their_upper_corners_too(self):
        objects = Objects(boxes=[[0, 0, 3, 2], [0, 0, 2, 3], [0, 0, 2, 2]], scores=[0.9, 0.8, 0.1])
        assert objects.order.tolist() == [2, 1, 0]

    def test_masks_are_put_in_order_by_their_centres(self):
        assert Objects(labels=two_blocks(2, 1)).order.tolist() == [1, 0]
        assert Objects(labels=two_blocks(1, 2)).order.tolist() == [0, 1]

    def test_of_the_same_place_the_higher_score_comes_first_and_else_the_earlier(self):
        same = [[1.0, 1.0]] * 4
        assert Objects(points=same, scores=[0.1, 0.7, 0.4, 0.7]).order.tolist() == [3, 0, 2, 1]
        assert Objects(points=same).order.tolist() == [0, 1, 2, 3]


class TestSelect:
    MORE = {"classes": ["x", "y", "z"], "scores": [0.1, 0.2, 0.3], "ignored": [False, True, False]}

    @pytest.mark.parametrize("chosen", [[2, 0], [False, True, True]])
    def test_everything_about_the_chosen_is_kept(self, chosen):
        rows = [2, 0] if chosen == [2, 0] else [1, 2]
        labels = np.zeros((4, 4), dtype=int)
        labels[0, 0:1], labels[1, 0:2], labels[2, 0:3] = 10, 20, 30
        given = {
            "boxes": [[0, 0, 1, size] for size in (1, 2, 3)],
            "points": [[0, size] for size in (1, 2, 3)],
            "labels": labels,
        }
        for form, value in given.items():
            whole = Objects(**{form: value}, **self.MORE, spacing=(0.5, 2.0))
            some = whole.select(chosen)
            assert len(some) == 2
            assert some.classes.tolist() == [self.MORE["classes"][row] for row in rows]
            assert some.scores.tolist() == [self.MORE["scores"][row] for row in rows]
            assert some.ignored.tolist() == [self.MORE["ignored"][row] for row in rows]
            assert some.spacing == (0.5, 2.0)
            assert some.centres.tolist() == whole.centres[rows].tolist()
            if form == "labels":
                assert some.areas.tolist() == [float(row + 1) for row in rows]

    def test_what_was_not_said_stays_unsaid(self):
        some = Objects(points=[[0, 1], [0, 2]]).select([1])
        assert (some.classes, some.scores, some.ignored.tolist()) == (None, None, [False])


@pytest.mark.parametrize("name", ["classes", "scores", "ignored"])
def test_one_of_each_for_each_object(name):
    values = {"classes": ["x"] * 2, "scores": [0.5] * 2, "ignored": [True] * 2}[name]
    with pytest.raises(ValueError, match=rf"{name}: one for each of 1 objects, not \(2,\)"):
        Objects(points=[[0, 0]], **{name: values})
    assert getattr(Objects(points=[[0, 0], [1, 1]], **{name: values}), name).tolist() == values


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf])
def test_scores_are_finite(score):
    with pytest.raises(ValueError, match="scores have to be finite numbers"):
        Objects(points=[[0, 0], [1, 1]], scores=[0.5, score])


def test_two_forms_at_once_or_all_three_are_refused():
    forms = {"boxes": [[0, 0, 1, 1]], "points": [[0, 0]], "labels": [[1]]}
    for left_out in (*forms, None):
        with pytest.raises(ValueError, match="objects are given as boxes, as points, as a label map or as masks"):
            Objects(**{form: value for form, value in forms.items() if form != left_out})
