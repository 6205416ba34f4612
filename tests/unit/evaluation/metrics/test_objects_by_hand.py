"""Objects by hand: what is counted of images and patients, panoptic counts, and the parts of a disentangled evaluation."""

import math

import numpy as np
import pytest

from evaluation.matching import Objects
from evaluation.metrics import detection as det
from evaluation.metrics import disentangled as dis
from evaluation.metrics import instance as ins
from evaluation.metrics.contours import contours, hausdorff_of_pairs
from evaluation.metrics.detection import evaluate_thresholds, mean_over_classes
from evaluation.metrics.detection_values import evaluate, froc, image_outcome
from evaluation.metrics.detections import Detections
from evaluation.metrics.values import Values
from evaluation.outcomes import Flag, Outcome

BY_REFERENCE = (Outcome.DEGENERATE, Flag.REFERENCE)
BY_PREDICTION = (Outcome.DEGENERATE, Flag.NONE)


def reason(result):
    return result.outcome, result.flag


def numbers(values):
    return [None if math.isnan(number) else pytest.approx(float(number)) for number in values.numbers]


# Four images of two patients and a third: 4 objects of which one is found, with 1 false alarm; 1 object, missed, with 2 false
# alarms; no object and no prediction; no object and 1 false alarm.
COUNTED = Detections(
    references=np.array([4, 1, 0, 0]),
    image=np.array([0, 0, 1, 1, 3]),
    score=np.array([0.9, 0.5, 0.7, 0.4, 0.5]),
    tp=np.array([1.0, 0, 0, 0, 0]),
    fp=np.array([0.0, 1, 1, 1, 1]),
)
PATIENTS = np.array([0, 0, 1, 2])
TWICE = np.array([[1.0, 1, 1, 1], [2, 0, 1, 0], [0, 0, 0, 3], [0, 0, 0, 0]])


class TestScales:
    def test_over_all_images_patients_do_not_matter(self):
        for metric, value in (("sensitivity", 1 / 5), ("ppv", 1 / 5), ("fbeta", 2 / 10), ("average_precision", 1 / 5)):
            assert numbers(evaluate(metric, COUNTED, groups=PATIENTS)) == [value]
            assert numbers(evaluate(metric, COUNTED, groups=PATIENTS, scale="dataset")) == [value]
        # A hit behind a false alarm of its image, and another image whose object is missed: half found, half of them right.
        image, hit = np.array([0, 0, 1]), np.array([0.0, 1, 0])
        two = Detections(np.array([1, 1]), image, np.array([0.9, 0.5, 0.4]), hit, 1 - hit)
        assert numbers(evaluate("average_precision", two, groups=np.array([0, 1]))) == [1 / 4]
        assert numbers(evaluate("average_precision", two, groups=np.array([0, 1]), scale="patient")) == [1 / 8]
        assert numbers(evaluate("fppi", COUNTED, TWICE, groups=PATIENTS, scale="patient")) == [1.0, 2 / 3, 1.0, None]

    @pytest.mark.parametrize(
        ("metric", "values"),
        [
            # By image: 1/4 and 0 of those with objects. Drawn twice, the first counts twice; the third has no object.
            ("sensitivity", [1 / 8, 1 / 4, None, None]),
            # 1/2, 0, 1 for nothing on either side, 0.
            ("ppv", [1.5 / 4, (2 / 2 + 1) / 3, 0.0, None]),
            # One third, nothing, 1 for nothing on either side, nothing.
            ("fbeta", [(1 / 3 + 1) / 4, (2 / 3 + 1) / 3, 0.0, None]),
        ],
    )
    def test_means_over_images(self, metric, values):
        result = evaluate(metric, COUNTED, TWICE, scale="image")
        assert numbers(result) == values
        assert reason(result.result(3)) == BY_REFERENCE

    @pytest.mark.parametrize(
        ("metric", "values"),
        [("sensitivity", [1 / 5, 1 / 4]), ("ppv", [(1 / 4 + 1 + 0) / 3, (1 / 2 + 1) / 2]), ("fbeta", [(2 / 9 + 1) / 3, (1 / 3 + 1) / 2])],
    )  # fmt: skip
    def test_means_over_patients_whose_images_are_pooled_and_who_count_once(self, metric, values):
        assert numbers(evaluate(metric, COUNTED, TWICE[:2], groups=PATIENTS, scale="patient")) == values

    def test_curves_of_images_are_averages_at_every_score(self):
        # At 0.9: Sensitivity 1/4 and 0 of the two with objects; PPV 1, 0 (an object, nothing predicted), 1 and 1.
        # Nothing more is found behind it.
        result = evaluate("average_precision", COUNTED, TWICE[:1], scale="image")
        assert numbers(result) == [1 / 8 * 3 / 4]
        # False alarms an image: 0 at 0.9, 1/4 at 0.7, 3/4 at 0.5, 1 at 0.4.
        for limit, value in ((0.0, 1 / 8), (1.0, 1 / 8)):
            assert numbers(evaluate("sensitivity_at_fppi", COUNTED, scale="image", target_fppi=limit)) == [value]
        target = {"target_sensitivity": 1 / 8}
        assert numbers(evaluate("fppi_at_sensitivity", COUNTED, scale="image", **target)) == [0.0]
        assert numbers(evaluate("ppv_at_sensitivity", COUNTED, scale="image", **target)) == [3 / 4]
        assert numbers(evaluate("froc_score", COUNTED, scale="image")) == [1 / 8]
        assert numbers(evaluate("sensitivity_at_ppv", COUNTED, scale="image", target_ppv=0.8)) == [None]

    def test_nothing_predicted_is_a_working_point_without_a_ppv(self):
        assert numbers(evaluate("sensitivity_at_fppi", COUNTED, target_fppi=0.0)) == [1 / 5]
        late = Detections(np.array([1]), np.array([0, 0]), np.array([0.9, 0.5]), np.array([0.0, 1]), np.array([1.0, 0]))
        assert numbers(evaluate("sensitivity_at_fppi", late, target_fppi=0.5)) == [0.0]
        assert numbers(evaluate("sensitivity_at_fppi", late, target_fppi=1.0)) == [1.0]
        assert numbers(evaluate("fppi_at_sensitivity", late, target_sensitivity=0.0)) == [0.0]
        assert numbers(evaluate("ppv_at_sensitivity", late, target_sensitivity=0.0)) == [0.0]
        assert evaluate("sensitivity_at_fppi", late, target_fppi=0.5).thresholds.tolist() == [np.inf]
        assert evaluate("fppi_at_sensitivity", late, target_sensitivity=1.0).thresholds.tolist() == [0.5]

    def test_an_image_is_called_by_what_it_lacks(self):
        assert image_outcome(2, 2, 2) is Outcome.OK
        assert image_outcome(1, 0, 1) is Outcome.OK
        assert image_outcome(0, 0, 3) is Outcome.PRED_EMPTY
        assert image_outcome(0, 3, 0) is Outcome.REF_EMPTY
        assert image_outcome(0, 0, 0) is Outcome.BOTH_EMPTY

    def test_a_froc_is_read_at_seven_points_up_to_8_unless_said_otherwise(self):
        # A tenth more at each of the seven points, and at 9 as well.
        points = np.array([0.125, 0.25, 0.5, 1, 2, 4, 8, 9])
        result = np.arange(1, 9) / 10
        assert froc(points, result) == pytest.approx(0.4)
        assert froc(points, result, form="area") == pytest.approx(
            (0.125 * 0.1 + 0.25 * 0.2 + 0.5 * 0.3 + 1 * 0.4 + 2 * 0.5 + 4 * 0.6) / 8
        )
        # A point that is missed by rounding alone is reached.
        assert froc(np.array([0.5 + 1e-10]), np.array([1.0]), fppi_points=[0.5]) == 1.0
        assert froc(np.array([0.5 + 1e-8]), np.array([1.0]), fppi_points=[0.5]) == 0.0


class TestMeans:
    def test_over_cutoffs_that_are_all_defined(self):
        values = evaluate_thresholds("sensitivity", [COUNTED, COUNTED], TWICE[:1], {})
        assert numbers(values) == [1 / 5]
        nothing = Detections(np.zeros(4, dtype=np.int64), COUNTED.image, COUNTED.score, 0 * COUNTED.tp, COUNTED.fp)
        undefined = evaluate_thresholds("sensitivity", [COUNTED, nothing], None, {})
        assert reason(undefined.result()) == BY_REFERENCE

    def test_over_classes_that_are_defined(self):
        values = [Values([0.5, np.nan]), Values([1.0, np.nan]), Values([np.nan, np.nan])]
        mean = mean_over_classes(values)
        assert numbers(mean) == [0.75, None]
        assert reason(mean.result(1)) == BY_REFERENCE
        assert numbers(mean_over_classes(values, [3, 1, 9])) == [(1.5 + 1) / 4, None]

    def test_scores_from_one_half_on_count_unless_said_otherwise(self):
        truth = [Objects(boxes=[[0, 0, 4, 4], [6, 0, 9, 4]])]
        result = [Objects(boxes=[[0, 0, 4, 4], [6, 0, 9, 4]], scores=[0.5, 0.49])]
        assert det.sensitivity(truth, result).value == 0.5
        assert det.sensitivity(truth, result, score_threshold=0.49).value == 1.0


class TestPanopticCounts:
    def counts(self, truth, found, **options):
        result = ins.panoptic_counts(truth, found, **options)
        return result.iou, result.tp, result.fp, result.fn

    def test_matches_surplus_and_misses(self):
        truth, result = [[1, 1, 1, 0, 2, 3, 3]], [[4, 4, 0, 5, 0, 6, 0]]
        # 2/3 is a match, 1/2 is none.
        assert self.counts(truth, result) == (pytest.approx(2 / 3), 1, 2, 2)
        assert self.counts(truth, result, iou_threshold=1) == (0, 0, 3, 3)
        with pytest.raises(ValueError, match=r"between 0\.5 and 1"):
            self.counts(truth, result, iou_threshold=1.01)

    @pytest.mark.parametrize(
        ("truth", "found", "counted"),
        [
            # The background: 2 of 3 pixels.
            ([[1, 0, 0, 0]], [[1, 0, 0, 2]], (1 + 2 / 3, 2, 1, 0)),
            # 1 of 3, which is no match: one more surplus and one more miss.
            ([[1, 0, 0, 1]], [[1, 0, 2, 0]], (0.0, 0, 3, 2)),
            # 1 of 2, which is no match either.
            ([[1, 0, 0]], [[1, 0, 2]], (1.0, 1, 2, 1)),
            # No background on one side.
            ([[1, 1]], [[1, 0]], (0.0, 0, 2, 1)),
            ([[1, 0]], [[1, 1]], (0.0, 0, 1, 2)),
            # Nor on the other.
            ([[1, 1]], [[1, 1]], (1.0, 1, 0, 0)),
            ([[0, 0]], [[0, 0]], (1.0, 1, 0, 0)),
        ],
    )
    def test_the_background_may_be_one_more_object(self, truth, found, counted):
        assert self.counts(truth, found, include_background=True) == pytest.approx(counted)

    def test_qualities_weigh_surplus_and_misses_half(self):
        counts = ins.PanopticCounts(
            np.array([1.5, 0.0, 0.0, 0.0]), np.array([2, 0, 0, 0]), np.array([1, 1, 0, 0]), np.array([4, 1, 3, 0])
        )
        quality, segmentation, detection = (
            ins.panoptic_values(name, counts)
            for name in ("panoptic_quality", "segmentation_quality", "detection_quality")
        )
        assert numbers(quality) == [1.5 / 4.5, 0.0, None, None]
        assert numbers(detection) == [2 / 4.5, 0.0, None, None]
        assert numbers(segmentation) == [0.75, None, None, None]
        assert [segmentation.result(i).outcome for i in range(1, 4)] == [
            Outcome.DEGENERATE,
            Outcome.PRED_EMPTY,
            Outcome.BOTH_EMPTY,
        ]

    def test_unmatched_objects_count_as_asked_for(self):
        truth, result = [[1, 1, 0, 2, 2, 0]], [[1, 1, 0, 0, 0, 3]]
        assert ins.mi_dsc(truth, result).value == pytest.approx(1 / 3)
        assert ins.mi_dsc(truth, result, unmatched="zero_fn").value == pytest.approx(1 / 2)
        assert ins.mi_dsc(truth, result, unmatched="ignore").value == 1.0
        assert ins.mi_nsd(truth, result, tolerance=0).value == pytest.approx(1 / 3)
        with pytest.raises(ValueError, match="unmatched is 'ignore', 'zero_fn' or 'zero_fn_fp'"):
            ins.mi_dsc(truth, result, unmatched="zero")
        assert ins.mi_dsc([[0, 1]], [[0, 0]]).outcome is Outcome.PRED_EMPTY
        assert ins.mi_dsc([[0, 0]], [[0, 1]]).outcome is Outcome.REF_EMPTY
        assert ins.mi_dsc([[0, 0]], [[0, 0]]).outcome is Outcome.BOTH_EMPTY

    def test_a_mask_of_an_object_is_made_once(self):
        objects = Objects(labels=np.array([[0, 0, 0], [0, 1, 2]]), spacing=(2, 3))
        mask = ins.as_mask(objects, 1)
        assert (mask.shape, mask.spacing, mask.box) == ((2, 3), (2.0, 3.0), ((1, 2), (2, 3)))
        assert ins.as_mask(objects, 1) is mask
        assert ins.as_mask(objects, 0) is not mask


class TestDisentangled:
    CLASSES = ("a", "b")
    # Six references: of a two are found and called a, one is called b and one is missed; of b one is found and one missed.
    # Three predictions have no reference: one of a and two of b.
    MATRIX = ((0, 1, 2), (1, 2, 1), (1, 0, 1))
    FOUND = dis.Disentangled.of_matrix(CLASSES, MATRIX, iou_sum=[2.1, 0.6], iou_hits=[1.5, 0.6], hausdorff_sum=8.0)

    def test_counts(self):
        assert [int(count[0]) for count in self.FOUND.detection] == [4, 3, 2, 0]
        assert self.FOUND.classification.tolist() == [[2, 1], [0, 1]]
        assert (self.FOUND.matched.tolist(), self.FOUND.references) == ([3, 1], 6)
        assert self.FOUND.normalized_classification.tolist() == [[2 / 3, 1 / 3], [0, 1]]
        panoptic = self.FOUND.panoptic
        assert [np.asarray(part).tolist() for part in (panoptic.tp, panoptic.fp, panoptic.fn)] == [
            [2, 1],
            [1, 3],
            [2, 1],
        ]
        assert np.asarray(panoptic.iou).tolist() == [1.5, 0.6]

    def test_detection_regardless_of_classes(self):
        scores = {name: result.value for name, result in dis.detection_scores(self.FOUND).items()}
        assert scores == pytest.approx({"ppv": 4 / 7, "sensitivity": 4 / 6, "fbeta": 8 / 13})

    def test_classification_of_what_was_matched(self):
        scores = {name: result.value for name, result in dis.classification_scores(self.FOUND).items()}
        # Of rows that sum to 1: a has 2/3 right, 1/3 missed and none added; b has 1 right and 1/3 added.
        assert scores == pytest.approx(
            {"balanced_accuracy": 5 / 6, "a.ppv": 1, "a.sensitivity": 2 / 3, "a.fbeta": 4 / 5,
             "b.ppv": 3 / 4, "b.sensitivity": 1, "b.fbeta": 6 / 7}
        )  # fmt: skip

    def test_segmentation_of_what_was_matched(self):
        scores = {name: result.value for name, result in dis.segmentation_scores(self.FOUND).items()}
        assert scores == pytest.approx({"iou": (0.7 + 0.6) / 2, "hausdorff_distance": 2.0, "a.iou": 0.7, "b.iou": 0.6})

    def test_panoptic_quality_of_each_class_and_their_mean(self):
        scores = {name: result.value for name, result in dis.panoptic_scores(self.FOUND).items()}
        of_a, of_b = 1.5 / (2 + 1 / 2 + 2 / 2), 0.6 / (1 + 3 / 2 + 1 / 2)
        assert scores == pytest.approx(
            {"panoptic_quality": (of_a + of_b) / 2, "a.panoptic_quality": of_a, "b.panoptic_quality": of_b,
             "segmentation_quality": (0.75 + 0.6) / 2, "a.segmentation_quality": 0.75, "b.segmentation_quality": 0.6,
             "detection_quality": (2 / 3.5 + 1 / 3) / 2, "a.detection_quality": 2 / 3.5, "b.detection_quality": 1 / 3}
        )  # fmt: skip

    def test_a_class_that_is_only_missed_counts_0_and_one_that_is_nowhere_does_not_count(self):
        missed = dis.Disentangled.of_matrix(
            ("a", "b", "c"), [[0, 0, 0, 0], [0, 2, 0, 0], [3, 0, 0, 0], [0, 0, 0, 0]], iou_hits=[1.8, 0, 0]
        )
        scores = dis.panoptic_scores(missed)
        assert scores["panoptic_quality"].value == pytest.approx(0.9 / 2)
        assert scores["detection_quality"].value == pytest.approx(1 / 2)
        assert scores["segmentation_quality"].value == pytest.approx(0.9)
        assert scores["b.panoptic_quality"].outcome is Outcome.PRED_EMPTY
        assert scores["c.panoptic_quality"].outcome is Outcome.BOTH_EMPTY
        # Only a has objects that were matched, all of them rightly classified.
        scores = dis.classification_scores(missed)
        assert [scores[name].value for name in ("balanced_accuracy", "a.ppv", "a.sensitivity", "a.fbeta")] == [1.0] * 4
        assert [reason(scores[name]) for name in ("b.ppv", "c.ppv")] == [BY_PREDICTION, BY_REFERENCE]
        invented = dis.Disentangled.of_matrix(("a", "b"), [[0, 0, 3], [0, 2, 0], [0, 0, 0]], iou_hits=[1.8, 0])
        assert dis.panoptic_scores(invented)["panoptic_quality"].value == pytest.approx(0.9 / 2)

    def test_what_cannot_be_rated_is_the_references_doing_only_where_it_has_nothing(self):
        nothing_matched = dis.Disentangled.of_matrix(self.CLASSES, [[0, 1, 0], [2, 0, 0], [0, 0, 0]])
        for scores, name in (
            (dis.classification_scores(nothing_matched), "balanced_accuracy"),
            (dis.segmentation_scores(nothing_matched), "iou"),
            (dis.segmentation_scores(nothing_matched), "hausdorff_distance"),
            (dis.classification_scores(nothing_matched), "a.ppv"),
            (dis.segmentation_scores(nothing_matched), "a.iou"),
            (dis.panoptic_scores(nothing_matched), "segmentation_quality"),
        ):
            assert reason(scores[name]) == BY_PREDICTION, name
        assert reason(dis.classification_scores(nothing_matched)["b.sensitivity"]) == BY_REFERENCE
        assert reason(dis.segmentation_scores(nothing_matched)["b.iou"]) == BY_REFERENCE
        nothing = dis.nothing_at_all(self.CLASSES)
        assert nothing.confusion.tolist() == [[0] * 3] * 3
        assert (nothing.iou_sum.tolist(), nothing.iou_hits.tolist(), nothing.hausdorff_sum) == ([0, 0], [0, 0], 0)
        assert reason(dis.segmentation_scores(nothing)["iou"]) == BY_REFERENCE
        assert dis.panoptic_scores(nothing)["segmentation_quality"].outcome is Outcome.BOTH_EMPTY
        assert dis.detection_scores(nothing)["fbeta"].outcome is Outcome.BOTH_EMPTY

    def test_what_is_added_up(self):
        both = self.FOUND + self.FOUND
        assert both.confusion.tolist() == (2 * np.array(self.MATRIX)).tolist()
        assert (both.iou_sum.tolist(), both.iou_hits.tolist(), both.hausdorff_sum) == ([4.2, 1.2], [3.0, 1.2], 16.0)
        assert np.asarray(both.panoptic.fn).tolist() == [4, 2]
        begun = dis.nothing_at_all(self.CLASSES) + self.FOUND
        assert begun.confusion.tolist() == [list(row) for row in self.MATRIX]
        with pytest.raises(ValueError, match="classes"):
            _ = self.FOUND + dis.nothing_at_all(("a", "c"))

    def test_without_a_prediction_all_real_objects_are_missed(self):
        truth = Objects(
            labels=np.array([[1, 2, 3, 4]]), classes=["a", "b", "b", ""], ignored=[False, False, False, True]
        )
        result = dis.nothing_found(truth, self.CLASSES)
        assert result.confusion.tolist() == [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
        assert np.asarray(result.panoptic.fn).tolist() == [1, 2]

    def test_classes_have_to_be_known(self):
        labels = np.array([[1, 2]])
        named = Objects(labels=labels, classes=["a", "z"])
        with pytest.raises(ValueError, match="'z' is none of the classes a, b"):
            dis.disentangle(named, named, self.CLASSES)
        with pytest.raises(ValueError, match="need a class for every object"):
            dis.disentangle(Objects(labels=labels), Objects(labels=labels), self.CLASSES)
        with pytest.raises(ValueError, match="matching is 'strict_iou' or 'centroid'"):
            dis.disentangle(named, named, ("a", "z"), matching="iou")

    def test_by_centre_a_reference_takes_the_best_of_its_predictions_if_its_centre_lies_inside(self):
        truth = np.zeros((3, 12), dtype=int)
        truth[:, 0:5], truth[:, 7:10] = 1, 2
        found = np.zeros((3, 12), dtype=int)
        found[:, 0:2], found[:, 2:5], found[:, 9:12] = 1, 2, 3
        ours = Objects(labels=truth, classes=["a", "b"])
        theirs = Objects(labels=found, classes=["b", "a", "b"])
        result = dis.disentangle(ours, theirs, self.CLASSES, matching="centroid")
        # The second prediction has 9 of 15 pixels, the first 6; the third has its centre outside the second reference.
        assert result.confusion.tolist() == [[0, 0, 2], [0, 1, 0], [1, 0, 0]]
        assert result.iou_sum == pytest.approx([9 / 15, 0])
        # By overlap above one half the same pair is found here, and decides panoptic quality.
        assert np.asarray(result.panoptic.tp).tolist() == [1, 0]
        assert np.asarray(result.panoptic.fp).tolist() == [0, 2]
        assert np.asarray(result.panoptic.fn).tolist() == [0, 1]
        # Whose overlap is smaller than one half is matched by its centre, though it is a miss of panoptic quality.
        small = Objects(labels=np.where(found == 2, 1, 0) * (np.arange(12) < 4), classes=["a"])
        by_centre = dis.disentangle(ours, small, self.CLASSES, matching="centroid")
        assert by_centre.confusion.tolist() == [[0, 0, 0], [0, 1, 0], [1, 0, 0]]
        assert by_centre.iou_sum == pytest.approx([6 / 15, 0])
        assert np.asarray(by_centre.panoptic.tp).tolist() == [0, 0]
        assert np.asarray(by_centre.panoptic.fn).tolist() == [1, 1]
        assert dis.disentangle(ours, small, self.CLASSES).confusion.tolist() == [[0, 1, 0], [1, 0, 0], [1, 0, 0]]


class TestContours:
    def test_pixels_with_a_neighbour_that_is_no_part_of_the_object(self):
        labels = np.zeros((5, 7), dtype=int)
        labels[1:4, 1:4], labels[1:4, 4:6] = 1, 2
        result = contours(Objects(labels=labels, spacing=(2, 3)), np.array([0, 1]))
        assert sorted(map(tuple, result.of(0).tolist())) == sorted(
            (2.0 * i, 3.0 * j) for i in (1, 2, 3) for j in (1, 2, 3) if (i, j) != (2, 2)
        )
        assert len(result.of(1)) == 6
        only_second = contours(Objects(labels=labels), np.array([1]))
        assert (len(only_second.of(0)), len(only_second.of(1))) == (0, 6)

    def test_an_axis_of_one_voxel_has_no_edge_but_a_single_voxel_is_one(self):
        row = contours(Objects(labels=np.ones((1, 5), dtype=int)), np.array([0]))
        assert row.of(0).tolist() == [[0, 0], [0, 4]]
        slab = contours(Objects(labels=np.ones((1, 3, 3), dtype=int)), np.array([0]))
        assert len(slab.of(0)) == 8
        voxel = Objects(labels=np.array([[1]]))
        assert contours(voxel, np.array([0])).of(0).tolist() == [[0, 0]]
        assert hausdorff_of_pairs(voxel, voxel, np.array([0]), np.array([0])).tolist() == [0.0]
        assert hausdorff_of_pairs(voxel, voxel, np.zeros(0, dtype=int), np.zeros(0, dtype=int)).tolist() == []
