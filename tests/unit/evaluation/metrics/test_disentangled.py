"""Disentangled evaluation: what holds for any label maps, and the bugs of a published challenge that must never come back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from evaluation.matching import Objects
from evaluation.metrics import disentangled as dis
from evaluation.metrics.boundary import hausdorff_distance
from evaluation.metrics.contours import hausdorff_of_pairs
from evaluation.metrics.instance import panoptic_counts
from evaluation.outcomes import Outcome
from evaluation.scoring.limiting import limits

CLASSES = ("E", "L", "N")
MAPS = npst.arrays(np.int64, (6, 7), elements=st.integers(0, 6))
RULES = st.sampled_from(dis.MATCHING_RULES)


def objects(labels, *, counted_from=None, ignored=()):
    """Objects whose class goes by their number; counted backwards, they keep the class that they had."""
    ids = [int(label) for label in np.unique(labels) if label]
    own = [label if counted_from is None else counted_from - label for label in ids]
    names = [CLASSES[label % 3] for label in own]
    return Objects(labels=labels, ids=ids, classes=names, ignored=[label in ignored for label in own])


def same(one, other):
    assert one.confusion.tolist() == other.confusion.tolist()
    for name in ("iou_sum", "iou_hits"):
        assert getattr(one, name) == pytest.approx(getattr(other, name))
    assert one.hausdorff_sum == pytest.approx(other.hausdorff_sum)
    for name in ("iou", "tp", "fp", "fn"):
        assert getattr(one.panoptic, name) == pytest.approx(getattr(other.panoptic, name))


@settings(max_examples=25, deadline=None)
@given(MAPS, MAPS, RULES)
def test_the_numbers_of_labels_do_not_matter(truth, found, rule):
    """A challenge compared labels of both sides with each other: three perfect objects numbered 4, 5, 6 scored 0.667."""
    renumbered = np.where(found > 0, 40 - found, 0)
    same(
        dis.disentangle(objects(truth), objects(found), CLASSES, matching=rule),
        dis.disentangle(objects(truth), objects(renumbered, counted_from=40), CLASSES, matching=rule),
    )


@settings(max_examples=25, deadline=None)
@given(MAPS, MAPS, MAPS, MAPS, RULES)
def test_adding_up_images_is_pooling_them(truth, found, truth_2, found_2, rule):
    """Two images side by side, with a gap between them, are one image: the counts of its parts add up to its own."""
    gap = np.zeros((6, 1), dtype=np.int64)

    def joined(one, other):
        return np.hstack([one, gap, np.where(other > 0, other + 30, 0)])

    apart = [
        dis.disentangle(objects(a), objects(b), CLASSES, matching=rule) for a, b in ((truth, found), (truth_2, found_2))
    ]
    both = dis.disentangle(objects(joined(truth, truth_2)), objects(joined(found, found_2)), CLASSES, matching=rule)
    total = apart[0] + apart[1]
    # Contours end at the edge of an image and at the gap alike.
    same(total, both)


@settings(max_examples=25, deadline=None)
@given(MAPS, MAPS, RULES, st.sets(st.integers(1, 6), max_size=2))
def test_panoptic_quality_is_that_of_each_class_on_its_own(truth, found, rule, ignored):
    """This applies for every rule of the matrix, and with ignored regions without a class."""
    ours, theirs = objects(truth, ignored=ignored), objects(found)
    ours.classes[ours.ignored] = ""
    result = dis.disentangle(ours, theirs, CLASSES, matching=rule)
    for index, name in enumerate(CLASSES):
        own = ours.select((ours.classes == name) | ours.ignored)
        expected = panoptic_counts(own, theirs.select(theirs.classes == name))
        for key in ("iou", "tp", "fp", "fn"):
            assert getattr(result.panoptic, key)[index] == pytest.approx(getattr(expected, key))


@settings(max_examples=25, deadline=None)
@given(MAPS, MAPS, RULES)
def test_every_object_is_counted_once(truth, found, rule):
    result = dis.disentangle(objects(truth), objects(found), CLASSES, matching=rule)
    assert result.confusion[1:].sum() == len(np.unique(truth[truth > 0]))
    assert result.confusion[:, 1:].sum() == len(np.unique(found[found > 0]))
    assert result.confusion[0, 0] == 0


@settings(max_examples=20, deadline=None)
@given(
    npst.arrays(np.int64, st.sampled_from([(6, 7), (1, 8), (3, 4, 5), (1, 5, 6)]), elements=st.integers(0, 2)),
    st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=3, max_size=3),
    st.randoms(use_true_random=False),
)
def test_distances_of_pairs_are_those_of_the_metric(truth, spacing, random):
    found = np.roll(truth, random.randint(0, 3), axis=random.randrange(truth.ndim))
    spacing = spacing[: truth.ndim]
    ours, theirs = (Objects(labels=labels, spacing=spacing) for labels in (truth, found))
    rows, columns = (index.ravel() for index in np.indices((ours.size, theirs.size)))
    expected = [
        hausdorff_distance(truth == ours.ids[i], found == theirs.ids[j], spacing=spacing).value
        for i, j in zip(rows, columns, strict=True)
    ]
    assert hausdorff_of_pairs(ours, theirs, rows, columns) == pytest.approx(expected)


def test_large_contours_give_the_same_distance_by_a_tree():
    truth = np.zeros((400, 400), dtype=int)
    truth[20:380, 20:380] = 1
    found = np.roll(truth, 7, axis=0)
    assert hausdorff_of_pairs(Objects(labels=truth), Objects(labels=found), np.array([0]), np.array([0])) == [7.0]


def test_a_false_positive_of_a_class_that_the_image_lacks_counts():
    """A challenge left such objects out: 439 of one team, and a panoptic quality of 0.554 in place of 0.424."""
    truth = np.array([[1, 1, 1, 0, 0, 0]])
    ours = Objects(labels=truth, classes=["E"])
    clean = dis.disentangle(ours, Objects(labels=truth, classes=["E"]), CLASSES)
    extra = dis.disentangle(ours, Objects(labels=np.array([[1, 1, 1, 0, 2, 2]]), classes=["E", "N"]), CLASSES)
    assert dis.panoptic_scores(clean)["panoptic_quality"].value == 1.0
    assert dis.panoptic_scores(extra)["panoptic_quality"].value == 0.5
    assert dis.detection_scores(extra)["ppv"].value == 0.5


def test_a_task_of_one_class_has_nothing_to_classify():
    image = Objects(labels=np.array([[1, 1, 0, 2]]))
    found = dis.disentangle(image, image, ["nucleus"])
    assert dis.classification_scores(found)["balanced_accuracy"] == (None, Outcome.NOT_APPLICABLE)
    assert dis.detection_scores(found)["fbeta"].value == 1.0


def test_a_fixed_error_costs_small_objects_their_overlap_and_large_ones_nothing_of_their_distance():
    """Squares of sides l and l + 2 about one centre: IoU 0.444, 0.694, 0.879, and a distance of sqrt(2) every time."""
    seen = []
    for side in (4, 10, 30):
        large, small = np.zeros((2, side + 4, side + 4), dtype=int)
        large[1:-1, 1:-1], small[2:-2, 2:-2] = 1, 1
        scores = dis.segmentation_scores(
            dis.disentangle(Objects(labels=large), Objects(labels=small), ["cell"], matching="centroid")
        )
        assert scores["hausdorff_distance"].value == pytest.approx(np.sqrt(2))
        seen.append(scores["iou"].value)
    assert seen == pytest.approx([0.444, 0.694, 0.879], abs=5e-4)


@pytest.mark.parametrize(
    ("matrix", "iou", "parts"),
    [
        ([[0, 4, 0], [2, 8, 0], [0, 0, 6]], 0.95, ["detection"]),
        ([[0, 0, 0], [0, 5, 5], [0, 4, 6]], 0.95, ["classification"]),
        ([[0, 0, 0], [0, 8, 0], [0, 0, 6]], 0.7, ["segmentation"]),
        ([[0, 0, 0], [0, 8, 0], [0, 0, 6]], 1.0, []),
        ([[0, 3, 0], [4, 0, 0], [2, 0, 0]], 0.0, ["detection"]),
        ([[0, 0, 0], [0, 0, 0], [0, 0, 0]], 0.0, []),
    ],
)
def test_what_limits_a_method_is_the_part_whose_mistakes_cost_most(matrix, iou, parts):
    block = np.array(matrix)[1:, 1:]
    found = dis.Disentangled.of_matrix(
        ("E", "L"), matrix, iou_sum=iou * block.sum(axis=1), iou_hits=iou * np.diagonal(block)
    )
    said = limits(found)
    assert said["parts"] == parts
    assert said["sentence"].endswith(".")


def test_the_teams_of_monusac_differ_in_what_limits_them():
    """In pooled matrices of the reference, the third team's limitation is its detector.

    Every matched pair has an overlap of 0.8.
    """
    team_2 = [
        [0, 962, 629, 5, 285],
        [824, 6240, 88, 0, 57],
        [500, 162, 7131, 4, 6],
        [10, 1, 18, 133, 10],
        [115, 16, 1, 11, 164],
    ]
    team_3 = [
        [0, 2932, 1545, 50, 99],
        [1152, 5960, 96, 0, 1],
        [860, 76, 6864, 3, 0],
        [11, 1, 20, 137, 3],
        [99, 30, 8, 11, 159],
    ]
    gains = []
    for matrix in (team_2, team_3):
        block = np.array(matrix)[1:, 1:]
        sums = {"iou_sum": 0.8 * block.sum(axis=1), "iou_hits": 0.8 * np.diagonal(block)}
        said = limits(dis.Disentangled.of_matrix(tuple("ELNM"), matrix, **sums))
        gains.append({part: quality - said["now"] for part, quality in said["perfect"].items()})
    assert gains[1]["detection"] > gains[0]["detection"]
    assert gains[1]["detection"] > 1.5 * gains[1]["classification"]
