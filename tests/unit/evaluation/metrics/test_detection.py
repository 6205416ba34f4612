"""Detection: the worked example of the metrics reference, curves, scales, and what must not pay."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.matching import Objects, Rule, match_objects
from evaluation.metrics import detection as d
from evaluation.metrics.detections import of_class, trace_classes
from evaluation.outcomes import Flag, Outcome


def four_digits(value):
    return pytest.approx(value, abs=0.5e-4)


def place(number):
    """Return a separate box for every object."""
    return [20 * number, 0, 20 * number + 10, 10]


def image(references, predictions):
    """References are places; predictions are (place, score)."""
    truth = Objects(boxes=np.array([place(r) for r in references], dtype=float).reshape(-1, 4))
    boxes = np.array([place(p) for p, _ in predictions], dtype=float).reshape(-1, 4)
    return truth, Objects(boxes=boxes, scores=[score for _, score in predictions])


IMAGES = [
    image([0, 1], [(0, 0.95), (7, 0.85), (1, 0.55)]),
    image([0, 1], [(0, 0.90), (7, 0.70)]),
    image([0], [(0, 0.80), (7, 0.40)]),
    image([], [(7, 0.60)]),
]
E5 = [truth for truth, _ in IMAGES], [found for _, found in IMAGES]
EMPTY = image([], [])


class TestFourImages:
    """Fixture E5."""

    @pytest.mark.parametrize(
        ("metric", "options", "value"),
        [
            (d.sensitivity, {}, 0.8),
            (d.ppv, {}, 0.5714),
            (d.fbeta, {}, 0.6667),
            (d.fbeta, {"beta": 2}, 0.7407),
            (d.fbeta, {"scale": "image"}, 0.5750),
            (d.fppi, {}, 0.75),
            (d.average_precision, {}, 0.6643),
            (d.average_precision, {"interpolation": "voc_all_points"}, 0.6643),
            (d.average_precision, {"interpolation": "coco_101"}, 0.6676),
            (d.froc_score, {}, 0.6857),
            (d.froc_score, {"form": "area", "fppi_max": 1}, 0.6),
            (d.froc_score, {"form": "area", "fppi_max": 2}, 0.7),
            (d.froc_score, {"form": "area", "fppi_max": 4}, 0.75),
            (d.fppi_at_sensitivity, {"target_sensitivity": 0.8}, 0.75),
            (d.sensitivity_at_fppi, {"target_fppi": 0.5}, 0.6),
            (d.ppv_at_sensitivity, {"target_sensitivity": 0.6}, 0.75),
        ],
    )
    def test_value(self, metric, options, value):
        assert metric(*E5, **options).value == four_digits(value)

    def test_sensitivity_at_the_seven_points(self):
        values = [d.froc_score(*E5, fppi_points=[x]).value for x in (0.125, 0.25, 0.5, 1, 2, 4, 8)]
        assert values == pytest.approx([0.4, 0.6, 0.6, 0.8, 0.8, 0.8, 0.8])

    def test_clean_empty_images_raise_froc_and_leave_average_precision(self):
        more = E5[0] + [EMPTY[0]] * 2, E5[1] + [EMPTY[1]] * 2
        assert d.froc_score(*more).value == four_digits(0.7143)
        assert d.average_precision(*more).value == four_digits(0.6643)

    def test_values_of_patients_are_means_over_patients(self):
        both = d.sensitivity(*E5, scale="patient", patients=["a", "a", "b", "b"])
        assert both.value == pytest.approx((3 / 4 + 1 / 1) / 2)
        with pytest.raises(ValueError, match="patient"):
            d.sensitivity(*E5, scale="patient")


class TestTies:
    truth, found = image([0, 1], [(0, 0.9), (7, 0.8), (1, 0.8)])

    def test_equal_scores_enter_together(self):
        assert d.average_precision([self.truth], [self.found]).value == four_digits(0.8333)

    def test_one_by_one_depends_on_where_they_lie_and_never_on_the_order_of_the_file(self):
        for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
            found = self.found.select(order)
            assert d.average_precision([self.truth], [found], ties="sequential").value == 1.0


def classes(truth, found):
    return (
        Objects(boxes=[place(n) for n, _ in truth], classes=[name for _, name in truth]),
        Objects(
            boxes=[place(n) for n, _, _ in found], classes=[c for _, c, _ in found], scores=[s for _, _, s in found]
        ),
    )


class TestMeanOverClasses:
    truth, found = classes([(0, "a"), (1, "a"), (2, "b")], [(0, "a", 0.9), (2, "b", 0.5), (3, "c", 0.7)])

    def test_classes_without_a_reference_are_left_out_for_everyone(self):
        assert d.mean_average_precision([self.truth], [self.found]).value == pytest.approx((0.5 + 1) / 2)

    def test_classes_can_be_weighted(self):
        weighted = d.mean_average_precision([self.truth], [self.found], class_weights=[3, 1, 1])
        assert weighted.value == pytest.approx((3 * 0.5 + 1) / 4)
        with pytest.raises(ValueError, match="one for each"):
            d.mean_average_precision([self.truth], [self.found], class_weights=[1])

    def test_nothing_at_all_is_degenerate(self):
        assert d.mean_average_precision([], []).outcome is Outcome.DEGENERATE

    def test_several_cutoffs_are_averaged(self):
        truth = [Objects(boxes=[[0, 0, 10, 10]])]
        found = [Objects(boxes=[[0, 0, 10, 7]], scores=[1])]
        assert d.average_precision(truth, found, localization_thresholds=[0.5, 0.6, 0.7, 0.8]).value == 0.75


class TestNothing:
    def test_no_reference_object_is_degenerate_for_everyone(self):
        images = [EMPTY[0]], [image([], [(0, 0.9)])[1]]
        for metric in (d.sensitivity, d.average_precision, d.froc_score):
            result = metric(*images)
            assert (result.outcome, result.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)

    def test_no_prediction_is_the_worst_value_but_for_false_positives(self):
        images = [IMAGES[0][0]], [EMPTY[1]]
        assert d.sensitivity(*images).value == 0
        assert d.average_precision(*images).value == 0
        assert d.froc_score(*images).value == 0
        assert d.fppi(*images).value == 0
        assert d.ppv(*images).outcome is Outcome.DEGENERATE

    def test_target_that_is_never_reached(self):
        result = d.fppi_at_sensitivity(*E5, target_sensitivity=0.9)
        assert (result.value, result.outcome, result.flag) == (None, Outcome.DEGENERATE, Flag.NONE)

    def test_no_images(self):
        assert d.fppi([], []).outcome is Outcome.DEGENERATE


class TestScores:
    def test_curves_need_them(self):
        with pytest.raises(ValueError, match="score"):
            d.average_precision([IMAGES[0][0]], [IMAGES[0][0]])

    def test_counts_do_without(self):
        assert d.fbeta([IMAGES[0][0]], [IMAGES[0][0]]).value == 1.0

    def test_predictions_below_the_threshold_are_taken_away_before_matching(self):
        truth = [Objects(boxes=[[0, 0, 10, 10]])]
        found = [Objects(boxes=[[0, 0, 10, 9], [0, 0, 10, 10]], scores=[0.4, 0.6])]
        assert d.ppv(truth, found, score_threshold=0.5).value == 1.0
        assert d.ppv(truth, found, score_threshold=0.3).value == 0.5

    @pytest.mark.parametrize("assignment", ["greedy_by_criterion", "hungarian"])
    def test_other_strategies_match_anew_at_every_threshold(self, assignment):
        truth = [Objects(boxes=[[0, 0, 10, 10]])]
        found = [Objects(boxes=[[0, 0, 10, 8], [0, 0, 10, 10]], scores=[0.9, 0.6])]
        assert d.average_precision(truth, found, assignment=assignment).value == 1.0
        assert d.fppi_at_sensitivity(truth, found, assignment=assignment, target_sensitivity=1).value == 0.0


def test_lists_of_unequal_length_are_an_error():
    with pytest.raises(ValueError, match="images"):
        d.ppv([EMPTY[0]], [])


scored = st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9])), max_size=6)
data_sets = st.lists(st.tuples(st.sets(st.integers(0, 3), max_size=3), scored), min_size=1, max_size=4)


@settings(max_examples=80, deadline=None)
@given(data_sets, st.sampled_from([lambda s: s**3, lambda s: 0.5 + s / 4]))
def test_curves_look_at_the_order_of_scores_only(images, change):
    pairs = [image(sorted(truth), found) for truth, found in images]
    bent = [image(sorted(truth), [(p, change(s)) for p, s in found]) for truth, found in images]
    for metric in (d.average_precision, d.froc_score):
        plain = metric([t for t, _ in pairs], [f for _, f in pairs])
        assert plain == metric([t for t, _ in bent], [f for _, f in bent])
        assert plain.value is None or 0 <= plain.value <= 1


@settings(max_examples=80, deadline=None)
@given(data_sets)
def test_one_more_false_positive_never_helps(images):
    pairs = [image(sorted(truth), found) for truth, found in images]
    noisy = [image(sorted(truth), [*found, (9, 0.6)]) for truth, found in images]
    truth = [t for t, _ in pairs]
    for metric in (d.average_precision, d.froc_score, d.ppv, d.fbeta):
        before, after = (metric(truth, [f for _, f in side]).value for side in (pairs, noisy))
        if before is not None and after is not None:
            assert after <= before + 1e-12


corner = st.integers(0, 5)
random_box = st.tuples(corner, corner, st.integers(1, 4), st.integers(1, 4)).map(
    lambda b: [b[0], b[1], b[0] + b[2], b[1] + b[3]]
)
name = st.sampled_from(["a", "b"])
random_image = st.tuples(
    st.lists(st.tuples(random_box, name), max_size=5),
    st.lists(st.tuples(random_box, name, st.sampled_from([0.3, 0.5, 0.9])), max_size=6),
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(random_image, min_size=1, max_size=4),
    st.sampled_from(
        [
            Rule(),
            Rule(threshold=0.0),
            Rule(threshold=0.3, double_assignment="ignore"),
            Rule(threshold=0.4, options=(("box_convention", "inclusive_pixels"),)),
        ]
    ),
)
def test_matching_all_images_at_once_is_matching_one_after_another(images, rule):
    truth = [Objects(boxes=[b for b, _ in t], classes=[c for _, c in t]) for t, _ in images]
    found = [
        Objects(boxes=[b for b, _, _ in f], classes=[c for _, c, _ in f], scores=[s for _, _, s in f])
        for _, f in images
    ]
    together = trace_classes(truth, found, rule, ["a", "b"])
    for index, of in enumerate(["a", "b"]):
        mine = [of_class(image, of) for image in truth], [of_class(image, of) for image in found]
        for number, pair in enumerate(zip(*mine, strict=True)):
            matching = match_objects(*pair, rule)
            own = together[index].image == number
            assert together[index].references[number] == pair[0].size
            assert sorted(together[index].score[own & (together[index].tp == 1)]) == sorted(
                pair[1].scores[matching.prediction]
            )
            assert sorted(together[index].score[own & (together[index].fp == 1)]) == sorted(
                pair[1].scores[matching.surplus]
            )


def test_an_image_without_objects_says_nothing_of_sensitivity_and_a_lot_of_ppv():
    truth = [Objects(boxes=[[0, 0, 4, 4]]), Objects(boxes=np.zeros((0, 4)))]
    found = [Objects(boxes=[[0, 0, 4, 4]], scores=[0.9]), Objects(boxes=[[0, 0, 4, 4]], scores=[0.9])]
    assert d.sensitivity(truth, found, scale="image").value == 1.0
    assert d.ppv(truth, found, scale="image").value == 0.5


def test_regions_to_ignore_name_a_class_only_if_they_have_one():
    named = Objects(boxes=[[0, 0, 1, 1], [2, 2, 3, 3]], classes=["a", "b"], ignored=[False, True])
    nameless = Objects(boxes=[[0, 0, 1, 1], [2, 2, 3, 3]], classes=["a", ""], ignored=[False, True])
    plain = Objects(boxes=[[0, 0, 1, 1]])
    assert d.class_names([named]) == ["a", "b"]
    assert d.class_names([nameless]) == ["a"]
    assert d.class_names([plain]) == [""]
