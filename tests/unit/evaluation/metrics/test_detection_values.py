"""Detection metrics counted once more, image by image and threshold by threshold, on steps that are given."""

import math

import numpy as np
import pytest

from evaluation.metrics.detection_values import evaluate, froc, image_outcome
from evaluation.metrics.detections import Detections
from evaluation.outcomes import Flag, Outcome

# Objects of five images, and the predictions of each: score, and whether it is a hit.
REFERENCES = [2, 1, 0, 3, 0]
PREDICTIONS = [
    [(0.9, True), (0.6, False), (0.6, True)],
    [(0.8, False), (0.3, True)],
    [(0.7, False)],
    [(0.9, True), (0.9, True), (0.2, False)],
    [],
]
PATIENTS = np.array([0, 0, 1, 1, 2])
WEIGHTS = np.array([[1, 1, 1, 1, 1], [2, 0, 1, 3, 0], [0, 1, 0, 0, 4]], dtype=float)


def detections(references=REFERENCES, predictions=PREDICTIONS):
    steps = [(image, score, hit) for image, own in enumerate(predictions) for score, hit in own]
    return Detections(
        np.array(references),
        np.array([image for image, _, _ in steps], dtype=np.int64),
        np.array([score for _, score, _ in steps], dtype=float),
        np.array([float(hit) for _, _, hit in steps]),
        np.array([float(not hit) for _, _, hit in steps]),
    )


def drawn(weights):
    """The images of a sample, as often as they were drawn: references, predictions, patient."""
    every = zip(REFERENCES, PREDICTIONS, PATIENTS, weights, strict=True)
    return [(references, own, patient) for references, own, patient, times in every for _ in range(int(times))]


def counts(images, threshold=-math.inf):
    tp = sum(hit and score >= threshold for _, own, _ in images for score, hit in own)
    fp = sum(not hit and score >= threshold for _, own, _ in images for score, hit in own)
    return tp, fp, sum(references for references, _, _ in images) - tp


def share(part, whole):
    return part / whole if whole else None


FORMULAS = {
    "sensitivity": lambda tp, fp, fn: share(tp, tp + fn),
    "ppv": lambda tp, fp, fn: share(tp, tp + fp),
    "fbeta": lambda tp, fp, fn: share(2 * tp, 2 * tp + fp + fn),
}


def numbers(values):
    return [None if np.isnan(number) else float(number) for number in values.numbers]


@pytest.mark.parametrize("metric", FORMULAS)
def test_counts_over_all_images(metric):
    expected = [FORMULAS[metric](*counts(drawn(row))) for row in WEIGHTS]
    assert numbers(evaluate(metric, detections(), WEIGHTS)) == pytest.approx(expected)


def of_images(metric, images):
    """Return the mean over images or patients.

    An image or patient without objects on either side counts as perfect. For sensitivity, those without reference
    objects are skipped.
    """
    values = []
    for own in images:
        tp, fp, fn = counts(own)
        if metric == "sensitivity" and not tp + fn:
            continue
        values.append(1.0 if not tp + fp + fn else FORMULAS[metric](tp, fp, fn) or 0.0)
    return sum(values) / len(values) if values else None


@pytest.mark.parametrize("metric", FORMULAS)
def test_means_over_images_count_an_image_as_often_as_it_was_drawn(metric):
    expected = [of_images(metric, [[one] for one in drawn(row)]) for row in WEIGHTS]
    found = evaluate(metric, detections(), WEIGHTS, groups=np.arange(5), scale="image")
    assert numbers(found) == pytest.approx(expected)


@pytest.mark.parametrize("metric", FORMULAS)
def test_means_over_patients_count_each_once(metric):
    expected = []
    for row in WEIGHTS:
        images = drawn(row)
        expected.append(
            of_images(metric, [[one for one in images if one[2] == p] for p in sorted({i[2] for i in images})])
        )
    found = evaluate(metric, detections(), WEIGHTS, groups=PATIENTS, scale="patient")
    assert numbers(found) == pytest.approx(expected)


def test_false_positives_are_counted_an_image():
    found = evaluate("fppi", detections(), WEIGHTS)
    assert numbers(found) == pytest.approx([4 / 5, (2 * 1 + 1 + 3 * 1) / 6, 1 / 5])
    nothing = evaluate("fppi", detections(), np.zeros((1, 5)))
    assert (numbers(nothing), nothing.result().outcome) == ([None], Outcome.DEGENERATE)


def test_patients_have_to_be_known_where_they_count():
    with pytest.raises(ValueError, match="patient of each image"):
        evaluate("sensitivity", detections(), scale="patient")


@pytest.mark.parametrize(
    ("counts_of_image", "outcome"),
    [
        ((0, 0, 0), Outcome.BOTH_EMPTY),
        ((0, 2, 0), Outcome.REF_EMPTY),
        ((0, 0, 1), Outcome.PRED_EMPTY),
        ((0, 1, 1), Outcome.OK),
        ((1, 0, 0), Outcome.OK),
    ],
)
def test_what_an_image_without_objects_is_called(counts_of_image, outcome):
    assert image_outcome(*counts_of_image) is outcome


def curve_points(images):
    """Threshold, sensitivity, PPV and false positives an image at every score, the highest first."""
    thresholds = sorted({score for _, own, _ in images for score, _ in own}, reverse=True)
    found = []
    for threshold in thresholds:
        tp, fp, fn = counts(images, threshold)
        found.append((threshold, share(tp, tp + fn), share(tp, tp + fp), share(fp, len(images))))
    return found


def test_average_precision_is_the_area_of_steps():
    for row in WEIGHTS:
        area, before = 0.0, 0.0
        for _, sensitivity, ppv, _ in curve_points(drawn(row)):
            area += (sensitivity - before) * ppv
            before = sensitivity
        assert numbers(evaluate("average_precision", detections(), row[None])) == [pytest.approx(area)]


@pytest.mark.parametrize("options", [{"interpolation": "coco_101"}, {"ties": "separate"}])
def test_equal_scores_enter_one_by_one_where_that_is_asked_for(options):
    references, predictions = [2, 1, 1], [[(0.9, True), (0.6, True)], [(0.6, False), (0.5, True)], [(0.6, True)]]
    tied = detections(references, predictions)
    # Together, the false one lowers the precision of both hits at 0.6; one by one, only that of the one behind it.
    whole = numbers(evaluate("average_precision", tied, **options))
    grouped = numbers(evaluate("average_precision", tied, interpolation="voc_all_points", ties="grouped"))
    assert whole[0] > grouped[0]
    weights = np.array([[1, 1, 1], [2, 1, 0], [0, 3, 1]], dtype=float)
    together = numbers(evaluate("average_precision", tied, weights, **options))
    copies = []
    for row in weights.astype(int):
        own = [image for image, times in enumerate(row) for _ in range(times)]
        alone = detections([references[image] for image in own], [predictions[image] for image in own])
        copies += numbers(evaluate("average_precision", alone, **options))
    assert together == pytest.approx(copies)
    assert together[0] == pytest.approx(whole[0])


def test_points_of_the_curve_are_the_best_that_keep_the_target():
    for row in WEIGHTS:
        points = curve_points(drawn(row))
        targets = {"sensitivity": 1, "ppv": 2, "fppi": 3}
        for reported, target, wanted in (
            ("ppv", "sensitivity", 0.5),
            ("sensitivity", "ppv", 0.6),
            ("fppi", "sensitivity", 0.5),
            ("sensitivity", "fppi", 0.5),
        ):
            allowed = [
                point
                for point in points
                if (point[targets[target]] <= wanted + 1e-12 if target == "fppi" else point[targets[target]] >= wanted)
            ]
            own = [point[targets[reported]] for point in allowed]
            if target != "sensitivity" and reported == "sensitivity":
                own.append(0.0 if target == "fppi" else -math.inf)  # nothing predicted
            own = [value for value in own if value != -math.inf]
            expected = None if not own else (min(own) if reported == "fppi" else max(own))
            found = evaluate(f"{reported}_at_{target}", detections(), row[None], **{f"target_{target}": wanted})
            assert numbers(found) == [None if expected is None else pytest.approx(expected)], (reported, target)


def test_without_objects_a_curve_is_undefined_for_everybody():
    bare = detections([0, 0, 0, 0, 0], PREDICTIONS[2:3] * 5)
    for metric, options in (
        ("average_precision", {}),
        ("froc_score", {}),
        ("ppv_at_sensitivity", {"target_sensitivity": 0.5}),
    ):
        result = evaluate(metric, bare, **options).result()
        assert (result.outcome, result.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)


def averaged_points(images, groups):
    """At every score the averages over groups: sensitivity over those with objects, PPV and false positives over all."""
    thresholds = sorted({score for _, own, _ in images for score, _ in own}, reverse=True)
    found = []
    for threshold in thresholds:
        sensitivity, ppv, fppi = [], [], []
        for own in groups:
            tp, fp, fn = counts(own, threshold)
            if tp + fn:
                sensitivity.append(tp / (tp + fn))
            ppv.append(tp / (tp + fp) if tp + fp else float(tp + fn == 0))
            fppi.append(fp / len(own))
        found.append((np.mean(sensitivity) if sensitivity else 0.0, np.mean(ppv), np.mean(fppi)))
    return found


@pytest.mark.parametrize("scale", ["image", "patient"])
def test_curves_of_images_are_averaged_at_every_score(scale):
    groups = np.arange(5) if scale == "image" else PATIENTS
    for row in WEIGHTS[:2]:
        images = [
            (*one, index)
            for index, times in enumerate(row)
            for one in [(REFERENCES[index], PREDICTIONS[index], groups[index])] * int(times)
        ]
        every = [[one[:3] for one in images if one[2] == group] for group in sorted({one[2] for one in images})]
        # An image that was drawn twice is one image with twice the counts, as a patient is.
        points = averaged_points([one[:3] for one in images], every)
        area, before = 0.0, 0.0
        for sensitivity, ppv, _ in points:
            area += (sensitivity - before) * ppv
            before = sensitivity
        found = evaluate("average_precision", detections(), row[None], groups=groups, scale=scale)
        assert numbers(found) == [pytest.approx(area)]
        score = evaluate("froc_score", detections(), row[None], groups=groups, scale=scale, fppi_points=[0.25, 1])
        reached = [max([s for s, _, f in points if f <= point + 1e-12], default=0.0) for point in (0.25, 1)]
        assert numbers(score) == [pytest.approx(np.mean(reached))]
        read = evaluate("sensitivity_at_ppv", detections(), row[None], groups=groups, scale=scale, target_ppv=0.5)
        best = max([s for s, p, _ in points if p >= 0.5], default=None)
        assert numbers(read) == [best if best is None else pytest.approx(best)]


def test_curves_of_images_without_any_object_are_undefined():
    bare = detections([0, 0, 0, 0, 0], PREDICTIONS[2:3] * 5)
    for metric, options in (("average_precision", {}), ("sensitivity_at_fppi", {"target_fppi": 1.0})):
        result = evaluate(metric, bare, groups=PATIENTS, scale="patient", **options).result()
        assert (result.outcome, result.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)


class TestFroc:
    """By hand: sensitivity 0.5 at 0.25 false positives an image, 0.75 at 1, 0.6 at 3 (which is never read)."""

    X, Y = np.array([0.25, 1.0, 3.0]), np.array([0.5, 0.75, 0.6])

    @pytest.mark.parametrize(
        ("points", "value"),
        [([0.1], 0.0), ([0.25], 0.5), ([0.999], 0.5), ([1.0], 0.75), ([8], 0.75), ([0.1, 0.25, 1], 1.25 / 3)],
    )
    def test_a_point_reads_the_last_step_up_to_it(self, points, value):
        assert froc(self.X, self.Y, fppi_points=points) == pytest.approx(value)

    def test_between_points_a_line_can_be_drawn(self):
        assert froc(self.X, self.Y, fppi_points=[0.625], curve="linear") == pytest.approx(0.625)
        assert froc(self.X, self.Y, fppi_points=[0.125], curve="linear") == pytest.approx(0.25)
        # Of several sensitivities at one number of false positives the highest is read.
        assert froc(np.array([0.5, 0.5]), np.array([0.2, 0.6]), fppi_points=[0.5], curve="linear") == pytest.approx(0.6)

    def test_the_area_goes_to_the_greatest_number_of_false_positives(self):
        assert froc(self.X, self.Y, form="area", fppi_max=2.0) == pytest.approx((0.75 * 0.5 + 1.0 * 0.75) / 2)
        assert froc(self.X, self.Y, form="area", fppi_max=1.0) == pytest.approx(0.75 * 0.5)
        linear = (0.25 * 0.25 + 0.75 * 0.625 + 1.0 * 0.75) / 2
        assert froc(self.X, self.Y, form="area", fppi_max=2.0, curve="linear") == pytest.approx(linear)

    @pytest.mark.parametrize("wrong", [{"form": "sum"}, {"curve": "spline"}])
    def test_other_forms_are_refused(self, wrong):
        with pytest.raises(ValueError, match="form is"):
            froc(self.X, self.Y, **wrong)
