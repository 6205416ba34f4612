"""Curves over all thresholds by hand: areas, average precision in each form, working points, and settings at their edges."""

import math

import numpy as np
import pytest

from evaluation import metrics
from evaluation.metrics.classification import judge_class
from evaluation.metrics.masks import Mask
from evaluation.metrics.overlap import fbeta as fbeta_of_voxels
from evaluation.metrics.threshold_counts import (
    ThresholdCounts,
    area_under_roc,
    average_precision_of,
    count_thresholds,
    with_ends,
    working_point,
)
from evaluation.metrics.volumes import most_voxels_off, worst_difference, worst_error
from evaluation.outcomes import Flag, Outcome

BY_REFERENCE = (Outcome.DEGENERATE, Flag.REFERENCE)
NAN = math.nan


def reason(result):
    return result.outcome, result.flag


def curve(tp, fp, positive, negative=None):
    tp, fp = np.atleast_2d(np.array(tp, dtype=float)), np.atleast_2d(np.array(fp, dtype=float))
    negative = fp[:, -1:] if negative is None else np.full((len(tp), 1), float(negative))
    return ThresholdCounts(1 - np.arange(tp.shape[1]) / 10, tp, fp, np.full((len(tp), 1), float(positive)), negative)


class TestCounting:
    POSITIVE = np.array([True, False, True, False, True])
    SCORES = np.array([0.5, 0.5, 1.0, 0.0, 0.25])

    @pytest.mark.parametrize("weights", [None, np.ones((1, 5))])
    def test_equal_scores_enter_together(self, weights):
        counts = count_thresholds(self.POSITIVE, self.SCORES, weights)
        assert counts.thresholds.tolist() == [1.0, 0.5, 0.25, 0.0]
        assert (counts.tp.tolist(), counts.fp.tolist()) == ([[1, 2, 3, 3]], [[0, 1, 1, 2]])
        assert (counts.positive.tolist(), counts.negative.tolist()) == ([[3]], [[2]])

    def test_or_one_by_one_as_they_stand(self):
        counts = count_thresholds(self.POSITIVE, self.SCORES, grouped=False)
        assert (counts.tp.tolist(), counts.fp.tolist()) == ([[1, 2, 2, 3, 3]], [[0, 0, 1, 1, 2]])
        drawn = count_thresholds(self.POSITIVE, self.SCORES, np.array([[0.0, 2, 1, 0, 3]]))
        assert (drawn.tp.tolist(), drawn.fp.tolist()) == ([[1, 1, 4, 4]], [[0, 2, 2, 2]])

    def test_a_negative_zero_is_a_zero(self):
        counts = count_thresholds(np.array([True, False]), np.array([-0.0, 0.0]))
        assert (counts.thresholds.tolist(), counts.tp.tolist(), counts.fp.tolist()) == ([0.0], [[1]], [[1]])
        scores = np.array([0.25, 0.75])
        count_thresholds(np.array([True, False]), scores)
        assert scores.tolist() == [0.25, 0.75], "scores are left as they are"

    def test_nobody_has_no_threshold(self):
        nobody = np.zeros(0, dtype=bool), np.zeros(0)
        for result in (count_thresholds(*nobody), count_thresholds(*nobody, np.zeros((1, 0)))):
            assert (result.thresholds.shape, result.positive.tolist(), result.negative.tolist()) == ((0,), [[0]], [[0]])
            assert reason(area_under_roc(result).result()) == BY_REFERENCE
            assert reason(average_precision_of(result).result()) == BY_REFERENCE

    def test_nothing_is_predicted_above_all_scores(self):
        result = with_ends(count_thresholds(self.POSITIVE, self.SCORES))
        assert result.thresholds.tolist() == [math.inf, 1.0, 0.5, 0.25, 0.0]
        assert (result.tp.tolist(), result.fp.tolist()) == ([[0, 1, 2, 3, 3]], [[0, 0, 1, 1, 2]])


class TestAreas:
    def test_under_the_roc_curve_are_pairs_in_the_right_order(self):
        # Hits at 1, 2 and 3, false alarms at 2 and 4: the first of these has a hit above, one equal and one below it, the
        # second three above.
        assert area_under_roc(curve([1, 2, 3, 3], [0, 1, 1, 2], 3)).numbers == pytest.approx([(1 + 0.5 + 3) / 6])
        # Both already at the first threshold: one equal pair, two right ones, one wrong and two equal ones.
        assert area_under_roc(curve([1, 2], [1, 3], 2)).numbers == pytest.approx([(0.5 + 2 + 0 + 2 * 0.5) / 6])
        for positive, negative in ((0, 2), (2, 0)):
            result = area_under_roc(curve([positive], [negative], positive, negative)).result()
            assert reason(result) == BY_REFERENCE

    @pytest.mark.parametrize(
        ("interpolation", "value"),
        [
            # PPV 0, 1/2, 2/3, 2/4 and 3/5 at Sensitivities 0, 1/4, 2/4, 2/4 and 3/4; a fourth object is never found.
            ("step", (1 / 2 + 2 / 3 + 3 / 5) / 4),
            ("voc_all_points", (2 / 3 + 2 / 3 + 3 / 5) / 4),
            # The points 0 to 0.5 read 2/3, those up to 0.75 read 3/5, and the 25 behind nothing.
            ("points_101", (51 * 2 / 3 + 25 * 3 / 5) / 101),
            ("coco_101", (51 * 2 / 3 + 25 * 3 / 5) / 101),
        ],
    )
    def test_average_precision(self, interpolation, value):
        result = average_precision_of(curve([0, 1, 2, 2, 3], [1, 1, 1, 2, 2], 4), interpolation)
        assert result.numbers == pytest.approx([value])
        nothing = average_precision_of(curve([0, 0], [1, 2], 0), interpolation).result()
        assert reason(nothing) == BY_REFERENCE
        first = average_precision_of(curve([1], [0], 2), interpolation)
        by_points = {"points_101": 51 / 101, "coco_101": 51 / 101}
        assert first.numbers == pytest.approx([by_points.get(interpolation, 1 / 2)])

    def test_whole_numbers_are_compared_where_quotients_would_round(self):
        # 7 of 10 are found: the point 0.7 is reached by whole numbers, and missed by 0.7000000000000001 of 101 evenly spaced.
        seven = curve(np.arange(1, 8), np.zeros(7), 10)
        assert average_precision_of(seven, "points_101").numbers == pytest.approx([71 / 101])
        assert average_precision_of(seven, "coco_101").numbers == pytest.approx([70 / 101])
        # And the published numbers divide by a little more than what was predicted.
        of_one = np.full(101, 1 / (1 + np.spacing(1))).mean()
        assert average_precision_of(curve([1], [0], 1), "coco_101").numbers.tolist() == [of_one]


class TestWorkingPoints:
    REPORTED = np.array([[0.9, 0.8, 0.6, 0.7, NAN]])
    TARGET = np.array([[0.1, 0.5, 0.5, 0.7, 0.9]])
    THRESHOLDS = np.array([0.9, 0.8, 0.7, 0.6, 0.5])

    def point(self, at_least, rule="tight", reported=REPORTED, target=TARGET, *, blame=False, **more):
        point = working_point(
            reported, target, at_least, self.THRESHOLDS, rule=rule, undefined=np.array([blame]), **more
        )
        value = point.values.result().value
        return value, None if value is None else float(point.thresholds[0])

    @pytest.mark.parametrize(
        ("at_least", "tight", "best"),
        [
            (0.0, (0.9, 0.9), (0.9, 0.9)),
            (0.1, (0.9, 0.9), (0.9, 0.9)),
            # Two thresholds meet it equally narrowly: the better of them.
            (0.2, (0.8, 0.8), (0.8, 0.8)),
            (0.5, (0.8, 0.8), (0.8, 0.8)),
            # Met but for rounding, and not met.
            (0.5 + 1e-13, (0.8, 0.8), (0.8, 0.8)),
            (0.5 + 1e-11, (0.7, 0.6), (0.7, 0.6)),
            (0.7, (0.7, 0.6), (0.7, 0.6)),
            # Met only where nothing is reported.
            (0.8, (None, None), (None, None)),
        ],
    )
    def test_the_narrowest_or_the_best_that_meets_a_lower_limit(self, at_least, tight, best):
        assert self.point(at_least) == tight
        assert self.point(at_least, "best") == best

    def test_the_best_may_lie_farther_from_the_target_than_the_narrowest(self):
        rising = np.array([[0.1, 0.2, 0.3, 0.4, 0.5]])
        assert self.point(0.2, reported=rising) == (0.3, 0.7)
        assert self.point(0.2, "best", reported=rising) == (0.5, 0.5)

    def test_limits_from_above_and_values_that_are_better_when_lower(self):
        # At most 0.5: the narrowest are the second and the third.
        assert self.point(0.5, at_most=True) == (0.8, 0.8)
        assert self.point(0.5, at_most=True, lower_reported=True) == (0.6, 0.7)
        assert self.point(0.5, "best", at_most=True) == (0.9, 0.9)
        assert self.point(0.6, "best", lower_reported=True) == (0.7, 0.6)
        assert self.point(0.05, at_most=True) == (None, None)

    def test_what_cannot_be_met_and_what_the_reference_lacks(self):
        unmet = working_point(
            self.REPORTED, self.TARGET, 1.0, self.THRESHOLDS, rule="best", undefined=np.array([False])
        )
        assert reason(unmet.values.result()) == (Outcome.DEGENERATE, Flag.NONE)
        lacking = working_point(
            self.REPORTED, self.TARGET, 1.0, self.THRESHOLDS, rule="best", undefined=np.array([True])
        )
        assert reason(lacking.values.result()) == BY_REFERENCE


class TestSettings:
    @pytest.mark.parametrize(
        ("call", "words"),
        [
            (lambda: metrics.net_benefit([0, 1], [0, 1], threshold_probability=0), "between 0 and 1"),
            (lambda: metrics.ppv([0, 1], [0, 1], target_prevalence=-0.1), "from 0 to 1"),
            (lambda: metrics.npv([0, 1], [0, 1], target_prevalence=1.1), "from 0 to 1"),
            (lambda: metrics.fbeta([0, 1], [0, 1], beta=-1), "beta is a number above 0"),
            (lambda: metrics.sensitivity_at_npv([0, 1], [0, 1], target_npv=-0.1), "target_npv is a number from 0 to 1"),
            (lambda: fbeta_of_voxels([[1]], [[1]], beta=0), "beta is a number above 0"),
            (lambda: metrics.auroc([0, 1, 2], np.eye(3)), "3 classes: name the positive_class, or a class_average"),
            (lambda: metrics.absolute_volume_difference([[1]], [[1]]), "a volume needs 3 dimensions"),
        ],
    )
    def test_beyond_the_edge_they_are_refused(self, call, words):
        with pytest.raises(ValueError, match=words):
            call()

    def test_at_the_edge_they_are_taken(self):
        assert metrics.ppv([0, 1], [1, 1], target_prevalence=0).value == 0.0
        assert metrics.ppv([0, 1], [1, 1], target_prevalence=1).value == 1.0
        assert metrics.npv([0, 1], [0, 0], target_prevalence=0).value == 1.0
        assert metrics.lr_plus([0, 0, 1], [0, 1, 1], continuity_correction=0).value == 2.0
        assert metrics.sensitivity_at_ppv([0, 1], [0.5, 0.5], target_ppv=0).value == 1.0
        assert metrics.specificity_at_sensitivity([0, 1], [0.25, 0.5], target_sensitivity=1).value == 1.0

    def test_one_class_is_positive_by_its_name_or_place(self):
        labels = ["a", "a", "b", "c"], ["a", "b", "b", "b"]
        assert metrics.sensitivity(*labels, positive_class="a").value == 0.5
        assert metrics.sensitivity(*labels, class_average="macro").value == pytest.approx((0.5 + 1 + 0) / 3)
        assert metrics.sensitivity(*labels, class_average="weighted").value == pytest.approx((2 * 0.5 + 1 + 0) / 4)
        assert metrics.sensitivity([0, 1, 1], [1, 1, 0]).value == 0.5
        assert metrics.specificity([0, 1, 1], [1, 1, 0]).value == 0.0
        assert metrics.accuracy([0, 1], [0.5, 0.5]).value == 0.5
        assert judge_class("sensitivity", [1, 1], [0.5, 0.4]).value == 0.5


class TestMasksByCounts:
    # Four voxels and three, two of them common.
    REFERENCE, PREDICTION = [[1, 1, 1, 1, 0]], [[0, 0, 1, 1, 1]]

    def test_shares_of_what_is_common(self):
        assert metrics.dsc(self.REFERENCE, self.PREDICTION).value == pytest.approx(4 / 7)
        assert metrics.iou(self.REFERENCE, self.PREDICTION).value == pytest.approx(2 / 5)
        assert metrics.ior(self.REFERENCE, self.PREDICTION).value == pytest.approx(2 / 4)
        # With beta 2: 5 * 2 / (5 * 2 + 4 * 2 + 1); with 1/2: 1.25 * 2 / (1.25 * 2 + 0.25 * 2 + 1).
        assert fbeta_of_voxels(self.REFERENCE, self.PREDICTION, beta=2).value == pytest.approx(10 / 19)
        assert fbeta_of_voxels(self.REFERENCE, self.PREDICTION, beta=0.5).value == pytest.approx(2.5 / 4)
        assert fbeta_of_voxels(self.REFERENCE, self.PREDICTION).value == pytest.approx(4 / 7)
        nothing = [[0, 0, 0, 0, 0]]
        for measure in (metrics.dsc, metrics.iou, metrics.ior, fbeta_of_voxels, metrics.cldice):
            assert measure(nothing, nothing).outcome is Outcome.BOTH_EMPTY
            assert measure(nothing, self.PREDICTION).outcome is Outcome.REF_EMPTY
            assert measure(self.REFERENCE, nothing).outcome is Outcome.PRED_EMPTY

    def test_centrelines_that_lie_in_the_other_mask(self):
        # Rows of one voxel are their own centrelines: half of one, two thirds of the other.
        expected = 2 * (1 / 2) * (2 / 3) / (1 / 2 + 2 / 3)
        assert metrics.cldice(self.REFERENCE, self.PREDICTION).value == pytest.approx(expected)
        assert metrics.cldice([[1, 1, 0, 0]], [[0, 0, 1, 1]]).value == 0.0
        # A volume of one slice is a plane, which both ways of thinning take.
        plane = np.zeros((1, 5, 9))
        plane[0, 1:4, 1:8] = 1
        assert metrics.cldice(plane, plane, skeleton_method="zhang").value == 1.0
        with pytest.raises(ValueError, match="thins 2D masks only"):
            metrics.cldice(np.ones((3, 3, 3)), np.ones((3, 3, 3)), skeleton_method="zhang")

    def test_volumes_differ_by_voxels(self):
        reference, prediction = np.zeros((2, 2, 3, 4))
        reference[0, 0, :] = 1
        prediction[0, :2, :] = 1
        # 4 and 8 voxels of 250 mm³.
        assert metrics.absolute_volume_difference(reference, prediction, spacing=(10, 5, 5)).value == 1.0
        assert metrics.absolute_volume_difference(prediction, reference, spacing=(10, 5, 5)).value == 1.0
        assert metrics.relative_volume_error(reference, prediction).value == 1.0
        assert metrics.relative_volume_error(prediction, reference).value == 0.5
        assert metrics.relative_volume_error(reference, 0 * prediction).value == 1.0
        assert metrics.relative_volume_error(0 * reference, prediction).outcome is Outcome.REF_EMPTY
        assert metrics.relative_volume_error(0 * reference, 0 * prediction).outcome is Outcome.BOTH_EMPTY

    def test_the_worst_prediction_finds_nothing_or_everything(self):
        few, many = Mask(np.eye(4)[None, :1], (10, 5, 5)), Mask(np.array([[[1, 1, 1, 0]]]), (10, 5, 5))
        assert (most_voxels_off(few), most_voxels_off(many)) == (3, 3)
        assert (worst_difference(few), worst_difference(many)) == (0.75, 0.75)
        assert (worst_error(few), worst_error(many)) == (3.0, 1.0)
        # An empty reference counts as one voxel.
        assert worst_error(Mask(np.zeros((2, 3)))) == 6.0


class TestSeveralLabels:
    REFERENCE = [[1, 0, NAN], [0, 1, 1], [NAN, NAN, NAN], [1, 1, 0]]
    DECIDED = [[1, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 1]]

    def test_only_what_is_known_counts(self):
        # Of three cases of which anything is known the first is right; three of eight known decisions are wrong.
        assert metrics.subset_accuracy(self.REFERENCE, self.DECIDED).value == pytest.approx(1 / 3)
        assert metrics.hamming_loss(self.REFERENCE, self.DECIDED).value == pytest.approx(3 / 8)
        for measure in (metrics.subset_accuracy, metrics.hamming_loss):
            assert reason(measure(self.REFERENCE[2:3], self.DECIDED[2:3])) == BY_REFERENCE
