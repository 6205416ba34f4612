"""Instances: panoptic quality, multi-instance metrics and disentangled evaluation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from evaluation.matching import Objects
from evaluation.metrics import disentangled as dis
from evaluation.metrics import instance as ins
from evaluation.metrics.boundary import hausdorff_distance
from evaluation.outcomes import Outcome


def four_digits(value):
    return pytest.approx(value, abs=0.5e-4)


def values(counts):
    names = ("panoptic_quality", "segmentation_quality", "detection_quality")
    return [ins.panoptic_values(name, counts).result().value for name in names]


class TestPanopticQuality:
    def test_worked_examples(self):
        assert values(ins.PanopticCounts(0.9 + 0.7, 2, 1, 2)) == four_digits([0.4571, 0.8, 0.5714])
        assert values(ins.PanopticCounts(4.0, 4, 2, 0))[0] == four_digits(0.8)
        assert values(ins.PanopticCounts(3.2, 4, 0, 0))[0] == four_digits(0.8)

    def test_overlap_of_one_half_is_no_match(self):
        assert ins.panoptic_quality([[1, 1]], [[1, 0]]).value == 0.0

    def test_threshold_is_exceeded_strictly(self):
        truth, found = [[1] * 4], [[1, 1, 1, 0]]
        assert ins.panoptic_quality(truth, found, iou_threshold=0.74).value == 0.75
        assert ins.panoptic_quality(truth, found, iou_threshold=0.75).value == 0.0
        with pytest.raises(ValueError, match="iou_threshold"):
            ins.panoptic_quality(truth, found, iou_threshold=0.4)

    @pytest.mark.parametrize(
        ("truth", "found", "outcome"),
        [([[0]], [[0]], "both_empty"), ([[0]], [[1]], "ref_empty"), ([[1]], [[0]], "pred_empty")],
    )
    def test_empty_sides(self, truth, found, outcome):
        for metric in (ins.panoptic_quality, ins.segmentation_quality, ins.detection_quality):
            assert metric(truth, found) == (None, outcome)

    def test_without_a_match_there_is_no_segmentation_to_rate(self):
        assert ins.segmentation_quality([[1, 0]], [[0, 1]]) == (None, Outcome.DEGENERATE)
        assert ins.panoptic_quality([[1, 0]], [[0, 1]]).value == 0.0

    def test_background_can_count_as_an_object(self):
        truth, found = [[1, 0, 0, 0]], [[1, 0, 0, 2]]
        plain = ins.panoptic_counts(truth, found)
        both = ins.panoptic_counts(truth, found, include_background=True)
        assert (plain.tp, plain.fp, both.tp, both.fp) == (1, 1, 2, 1)
        assert both.iou == pytest.approx(plain.iou + 2 / 3)

    def test_regions_to_ignore_take_predictions_with_them(self):
        truth = Objects(labels=np.array([[1, 1, 0, 2, 2]]), ignored=[False, True])
        counts = ins.panoptic_counts(truth, [[1, 1, 0, 2, 2]])
        assert (counts.tp, counts.fp, counts.fn) == (1, 0, 0)


label_maps = npst.arrays(np.uint8, st.tuples(st.integers(1, 8), st.integers(1, 8)), elements=st.integers(0, 4))


@settings(max_examples=100, deadline=None)
@given(label_maps, st.data())
def test_numbering_of_labels_changes_nothing(truth, data):
    found = data.draw(npst.arrays(np.uint8, truth.shape, elements=st.integers(0, 4)))
    renamed = np.array([0, *data.draw(st.permutations([3, 9, 200, 77]))])[found]
    for metric in (ins.panoptic_quality, ins.mi_dsc):
        assert metric(truth, found).value == pytest.approx(metric(truth, renamed).value)
    counts = ins.panoptic_counts(truth, found)
    quality, segmentation, detection = values(counts)
    if segmentation is not None:
        assert quality == pytest.approx(segmentation * detection)


@settings(max_examples=100, deadline=None)
@given(label_maps)
def test_an_extra_object_never_raises_the_score(truth):
    padded = np.pad(truth, ((0, 0), (0, 2)))
    extra = padded.copy()
    extra[0, -1] = 250
    for metric in (ins.panoptic_quality, ins.mi_dsc):
        with_extra, without = metric(padded, extra), metric(padded, padded)
        if without.value is None:
            assert with_extra.outcome is Outcome.REF_EMPTY
        else:
            assert with_extra.value < without.value == 1.0


def strip(*widths):
    """Objects side by side, one pixel high, with a gap between them."""
    row = []
    for label, (width, filled) in enumerate(widths, start=1):
        row += [label] * filled + [0] * (width - filled + 1)
    return np.array([row])


class TestMultiInstance:
    @pytest.mark.parametrize(("unmatched", "value"), [("ignore", 0.88), ("zero_fn", 0.44), ("zero_fn_fp", 0.352)])
    def test_worked_example(self, unmatched, value):
        matched = ins.Matching(*(np.arange(n) for n in (2, 2, 2)), np.arange(2), np.arange(1), np.arange(0))
        assert ins.mean_with_unmatched([0.94, 0.82], matched, unmatched).value == four_digits(value)

    def test_objects_that_are_missed_or_invented_count_zero(self):
        truth, found = strip((4, 4), (4, 4), (4, 0)), strip((4, 4), (4, 3), (4, 2))
        dsc = (1 + 6 / 7) / 3
        assert ins.mi_dsc(truth, found).value == pytest.approx(dsc)
        assert ins.mi_nsd(truth, found, tolerance=1).value == pytest.approx(2 / 3)

    def test_spacing_reaches_the_distances(self):
        truth, found = strip((4, 4)), strip((4, 3))
        assert ins.mi_nsd(truth, found, tolerance=1, spacing=(1, 1)).value == 1.0
        assert ins.mi_nsd(truth, found, tolerance=1, spacing=(1, 3)).value < 1.0

    def test_nothing_matched_and_nothing_else_counted_is_degenerate(self):
        assert ins.mi_dsc([[1, 0]], [[0, 1]], unmatched="ignore") == (None, Outcome.DEGENERATE)
        assert ins.mi_dsc([[1, 0]], [[0, 1]]).value == 0.0

    def test_segmentation_metrics_look_at_matched_pairs_only(self):
        truth, found = Objects(labels=strip((4, 4), (4, 4))), Objects(labels=strip((4, 3), (4, 1)))
        assert ins.of_matched(hausdorff_distance, truth, found).value == 1.0


def classified(image, names):
    return Objects(labels=np.asarray(image), classes=names)


class TestDisentangled:
    truth = classified(strip((4, 4), (4, 4), (4, 4)), ["a", "b", "b"])
    found = classified(strip((4, 4), (4, 3), (4, 1)), ["b", "b", "a"])

    def test_confusion_has_a_row_and_a_column_for_nothing(self):
        result = dis.disentangle(self.truth, self.found, ["a", "b"])
        assert result.confusion.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 1]]

    def test_detection_does_not_look_at_classes(self):
        scores = dis.detection_scores(dis.disentangle(self.truth, self.found, ["a", "b"]))
        assert {name: result.value for name, result in scores.items()} == pytest.approx(
            {"ppv": 2 / 3, "sensitivity": 2 / 3, "fbeta": 2 / 3}
        )

    def test_classification_looks_at_matched_objects_only(self):
        scores = dis.classification_scores(dis.disentangle(self.truth, self.found, ["a", "b"]))
        assert scores["balanced_accuracy"].value == 0.5
        assert scores["b.sensitivity"].value == 1.0

    def test_segmentation_does_not_look_at_the_predicted_class(self):
        scores = dis.segmentation_scores(dis.disentangle(self.truth, self.found, ["a", "b"]))
        assert scores["a.iou"].value == 1.0
        assert scores["b.iou"].value == 0.75
        assert scores["iou"].value == 0.875
        assert scores["hausdorff_distance"].value == 0.5

    def test_what_lies_in_a_region_to_be_ignored_is_dropped_as_a_whole(self):
        labels = np.zeros((6, 10), dtype=int)
        labels[:, 5:], labels[0, :3] = 1, 2
        truth = Objects(labels=labels, classes=["", "a"], ignored=[True, False])
        guess = np.zeros((6, 10), dtype=int)
        guess[0, :3], guess[2, 4:7], guess[4, 2:6] = 1, 2, 3  # a hit; two thirds inside; one quarter inside
        result = dis.disentangle(truth, Objects(labels=guess, classes=["a", "a", "a"]), ["a"])
        assert result.confusion.tolist() == [[0, 1], [0, 1]]

    def test_images_of_a_patient_are_added_up(self):
        one = dis.disentangle(self.truth, self.found, ["a", "b"])
        both = one + one
        assert both.confusion.sum() == 2 * one.confusion.sum()
        assert dis.detection_scores(both)["fbeta"] == dis.detection_scores(one)["fbeta"]
        with pytest.raises(ValueError, match="classes"):
            one + dis.disentangle(self.truth, self.found, ["b", "a"])

    def test_rule_of_the_centre_accepts_a_poor_outline(self):
        truth, found = classified([[1, 1, 1, 1, 1]], ["a"]), classified([[0, 0, 1, 0, 0]], ["a"])
        strict = dis.disentangle(truth, found, ["a"])
        centre = dis.disentangle(truth, found, ["a"], matching="centroid")
        assert (strict.detection.tp[0], centre.detection.tp[0]) == (0, 1)

    def test_nothing_matched(self):
        result = dis.disentangle(classified([[1, 0]], ["a"]), classified([[0, 1]], ["a"]), ["a", "b"])
        assert dis.classification_scores(result)["balanced_accuracy"].outcome is Outcome.DEGENERATE
        assert dis.segmentation_scores(result)["iou"].outcome is Outcome.DEGENERATE

    def test_counts_of_panoptic_quality_follow_from_the_matrix(self):
        """Pooled table of team 1: TP 118, FP 32, FN 54 for neutrophils, and a detection quality of 0.733."""
        matrix = [
            [0, 1338, 829, 14, 59],
            [831, 6098, 260, 8, 12],
            [507, 79, 7214, 2, 1],
            [8, 5, 39, 118, 2],
            [102, 16, 11, 8, 170],
        ]
        result = dis.Disentangled.of_matrix(("E", "L", "N", "M"), matrix)
        assert (result.panoptic.tp[2], result.panoptic.fp[2], result.panoptic.fn[2]) == (118, 32, 54)
        assert dis.panoptic_scores(result)["N.detection_quality"].value == pytest.approx(0.733, abs=5e-4)

    @pytest.mark.parametrize(
        "call",
        [
            lambda t, f: dis.disentangle(t, f, ["a", "c"]),
            lambda t, f: dis.disentangle(t, f, ["a", "b"], matching="loose"),
            lambda t, f: dis.disentangle(Objects(labels=t.labels), f, ["a", "b"]),
        ],
    )
    def test_unknown_rules_and_classes_are_an_error(self, call):
        with pytest.raises(ValueError, match=r"\w+"):
            call(self.truth, self.found)
