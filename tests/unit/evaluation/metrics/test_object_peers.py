"""Values of other programs on generated cases: picai_eval, MONKEY with MONAI, SynthRAD2025, Learn2Reg, scikit-survival.

`docs/correctness/measure_object_peers.py` made the stored values; the programs are not installed with the project.
"""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from docs.correctness import object_cases as cases
from evaluation import metrics
from evaluation.assessment import AssessmentError, parse
from evaluation.matching import Objects
from evaluation.metrics import detection
from evaluation.metrics.deformations import sample_field
from tests.sizes import size

PEERS = json.loads((Path(__file__).parents[4] / "docs/correctness/object_peers.json").read_text())
SEEDS = range(size(cases.SETS // 3, cases.SETS))
BY_OVERLAP = {
    "localization_criterion": "loc_mask_iou",
    "localization_threshold": 0.1,
    "assignment": "hungarian",
    "matched": "once",
}


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def test_there_are_enough_cases_of_each_kind():
    assert {name: len(PEERS[name]) for name in PEERS if name != "versions"} == dict.fromkeys(
        ("picai", "monkey", "synthrad", "learn2reg", "survival"), 24
    )


def lesions(seed):
    of = cases.lesions(seed)
    truth = [Objects(labels=labels) for labels in of.truth]
    found = [
        Objects(labels=labels, ids=sorted(scores), scores=[scores[label] for label in sorted(scores)])
        for labels, scores in zip(of.candidates, of.confidences, strict=True)
    ]
    return truth, found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("double", ["ignore", "fp"])
def test_average_precision_with_candidates_matched_once_is_that_of_picai_eval(seed, double):
    result = detection.average_precision(*lesions(seed), **BY_OVERLAP, double_assignment=double)
    assert result.value == close(PEERS["picai"][seed][double])


def test_matching_once_and_at_each_threshold_differ():
    """A weak candidate that overlaps more takes the lesion once, and at a high threshold the strong one has it."""
    differing = 0
    for seed in range(cases.SETS):
        once = detection.average_precision(*lesions(seed), **BY_OVERLAP, double_assignment="ignore")
        each = detection.average_precision(
            *lesions(seed), **{**BY_OVERLAP, "matched": "each_threshold"}, double_assignment="ignore"
        )
        differing += once.value != pytest.approx(each.value)
    assert differing > 3


@pytest.mark.parametrize("seed", SEEDS)
def test_froc_per_area_is_that_of_monkey(seed):
    """Scores do not tie here. MONAI leaves out the lowest score, which the cases keep beyond 300 false positives per mm²."""
    of = cases.cells(seed)
    truth = [Objects(points=points) for points in of.truth]
    found = [Objects(points=points, scores=scores) for points, scores in zip(of.found, of.scores, strict=True)]
    result = metrics.froc_score(
        truth,
        found,
        per="area",
        areas=of.areas,
        fppi_points=[10, 20, 50, 100, 200, 300],
        localization_criterion="loc_center_distance",
        localization_threshold=cases.RADIUS,
    )
    assert result.value == close(PEERS["monkey"][seed]["froc"])


@pytest.mark.parametrize("seed", SEEDS)
def test_ms_ssim_is_that_of_synthrad(seed):
    of = cases.scans(seed)
    result = metrics.ms_ssim(of.reference, of.prediction, region=of.mask, data_range=(-1024, 3000))
    expected = PEERS["synthrad"][seed]["ms_ssim"]
    if expected is None or math.isnan(expected):
        assert (result.value, str(result.outcome), str(result.flag)) == (None, "degenerate", "reference")
    else:
        assert result.value == close(expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_tre_with_cubic_sampling_is_that_of_learn2reg(seed):
    of = cases.fields(seed)
    mapped = (of.fixed + sample_field(of.field, of.fixed, "cubic")) * of.spacing
    assert metrics.tre(of.moving * of.spacing, mapped, interpolation="cubic").value == close(
        PEERS["learn2reg"][seed]["tre"]
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_concordance_and_auc_are_those_of_scikit_survival(seed):
    of, expected = cases.courses(seed), PEERS["survival"][seed]
    assert metrics.harrell_c(of.observed, of.risk).value == close(expected["harrell_c"])
    assert metrics.uno_c(of.observed, of.risk, tau=of.time).value == close(expected["uno_c"])
    assert metrics.time_dependent_auc(of.observed, of.risk, time=of.time).value == close(expected["time_dependent_auc"])


@pytest.mark.parametrize("seed", SEEDS)
def test_partial_and_micro_averaged_curves_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(500 + seed)
    number = int(rng.integers(5, 300))
    truth, score = rng.integers(0, 2, number), np.round(rng.random(number), 1 + seed % 3)
    truth[:2] = 0, 1
    for limit in (0.05, 0.2, 0.9):
        assert metrics.auroc(truth, score, max_fpr=limit).value == close(roc_auc_score(truth, score, max_fpr=limit))
    labels, scores = rng.integers(0, 3, number), rng.dirichlet(np.ones(3), number)
    each = np.eye(3)[labels]
    options = {"class_average": "micro", "classes": [0, 1, 2]}
    assert metrics.auroc(labels, scores, **options).value == close(roc_auc_score(each, scores, average="micro"))
    assert metrics.average_precision(labels, scores, **options).value == close(
        average_precision_score(each, scores, average="micro")
    )


class TestByHand:
    def test_a_partial_area_of_a_guess_is_a_half_and_of_a_perfect_curve_1(self):
        assert metrics.auroc([0, 1, 0, 1], [0.5] * 4, max_fpr=0.1).value == pytest.approx(0.5)
        assert metrics.auroc([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], max_fpr=0.1).value == pytest.approx(1.0)
        # Sensitivity is 0.5 up to the first false positive: half of 0.25, of which 0.03125 is a guess's.
        value = metrics.auroc([0, 0, 1, 1], [0.5, 0.1, 0.9, 0.2], max_fpr=0.25).value
        assert value == pytest.approx(0.5 * (1 + (0.125 - 0.03125) / (0.25 - 0.03125)))

    def test_calibration_of_the_positive_class(self):
        # Scores of 0.25 with an event of two; their winning score would be 0.75 with one right of two.
        assert metrics.mce([0, 1], [0.25, 0.25], n_bins=2, target="positive_class").value == pytest.approx(0.25)
        assert metrics.tce([0, 1, 1], [0.25, 0.25, 1.0], n_bins=2, target="positive_class").value == pytest.approx(
            math.sqrt(2 / 3) * 0.25
        )

    @pytest.mark.parametrize(
        ("problem", "metric", "message"),
        [
            ("image_classification", {"id": "auroc", "options": {"class_average": "micro"}}, "micro"),
            ("instance_segmentation", {"id": "froc_score", "options": {"per": "area"}}, "per"),
            ("image_classification", {"id": "average_precision", "options": {"matched": "once"}}, "matched"),
            ("object_detection", {"id": "average_precision", "options": {"area": "small"}}, "coco_101"),
        ],
    )
    def test_options_that_a_kind_does_not_read_are_refused(self, problem, metric, message):
        with pytest.raises(AssessmentError, match=message):
            parse({"problem": problem, "metrics": [metric]})
