"""Declarations match the tables of formulas for recomputing values of whole data sets."""

import json
from pathlib import Path

from evaluation.catalogue import all_metrics, get
from evaluation.metrics.calibration_scores import CALIBRATION
from evaluation.metrics.detection_values import CURVES
from evaluation.metrics.evaluators import BY_DECISIONS, OVERALL, PER_CLASS
from evaluation.problems.offered_metrics import default_policy, kinds_with, level_of, measured_as

BUILT_IN = [metric for metric in all_metrics() if metric.source == "podium"]
FURTHER = {
    entry["id"]
    for entry in json.loads((Path(__file__).parents[1] / "catalogue/problem_kinds.json").read_text("utf-8"))["metrics"]
}
NOTHING_TO_FIND = {"sensitivity", "segmentation_quality", "false_negative_volume"}
LATER_OF_IMAGES = {"ms_ssim", "mean_dose_error", "dvh_dose_error", "dvh_volume_error", "gamma_pass_rate"}
OF_THE_REFERENCE = [metric for metric in BUILT_IN if metric.id not in FURTHER | LATER_OF_IMAGES]
"""Built-in metrics whose policies the metrics reference describes in text.

Those of additional kinds are compared individually.
"""


def with_evidence(kind):
    return {metric.id for metric in BUILT_IN if kind in (metric.evidence, metric.evidence_of_objects)}


def test_every_formula_belongs_to_a_metric_that_declares_its_evidence():
    assert with_evidence("one_class") == set(PER_CLASS)
    # Agreement of orders is declared among the metrics of numbers: of ordered classes it takes their levels.
    assert with_evidence("all_classes") | {"kendall_tau_b"} == set(OVERALL)
    assert with_evidence("calibration") == set(CALIBRATION)
    assert with_evidence("curve") == set(CURVES)
    assert with_evidence("counts") == {"sensitivity", "ppv", "fbeta", "fppi"}
    assert with_evidence("panoptic") == {"panoptic_quality", "segmentation_quality", "detection_quality"}


def test_metrics_that_need_no_scores_are_those_of_decisions():
    of_images = [metric for metric in BUILT_IN if metric.evidence == "one_class"]
    assert {metric.id for metric in of_images if not metric.requires("scores")} == set(BY_DECISIONS)


def test_one_value_for_each_case_or_one_for_all_of_them():
    for metric in BUILT_IN:
        for problem in {measured_as(metric, problem) for problem in kinds_with(metric)}:
            if metric.evidence == "overlap":
                assert level_of(metric, problem, {}) == "dataset"
                continue
            if problem == "semantic_segmentation" or metric.family in ("overlap", "boundary"):
                assert level_of(metric, problem, {}) == "case"
            if metric.evidence is not None and problem != "semantic_segmentation" and metric.evidence != "panoptic":
                assert level_of(metric, problem, {}) == "dataset"
    assert level_of(get("fppi"), "object_detection", {"scale": "image"}) == "dataset"
    assert level_of(get("panoptic_quality"), "instance_segmentation", {"scale": "image"}) == "case"
    assert level_of(get("fbeta"), "instance_segmentation", {"level": "pixel"}) == "case"


def test_policies_that_differ_are_those_of_the_reference():
    """Metrics reference, sections 3.3 and 3.4."""
    usual = {
        "both_empty": "perfect",
        "ref_empty": "worst",
        "pred_empty": "worst",
        "degenerate": "worst",
        "missing": "worst",
    }
    nothing_to_find = usual | {"both_empty": "exclude", "ref_empty": "exclude"}
    for metric in OF_THE_REFERENCE:
        wanted = nothing_to_find if metric.id in NOTHING_TO_FIND else usual
        if metric.family == "multi_class_counting":
            wanted = usual | {"both_empty": "exclude"} | ({"degenerate": 0.0} if metric.id == "mcc" else {})
        assert all(default_policy(metric, problem) == wanted for problem in kinds_with(metric))


def test_structural_similarity_of_several_scales_has_the_policies_of_that_of_one():
    for name in LATER_OF_IMAGES - {"ms_ssim"}:
        assert default_policy(get(name), "image_to_image") == default_policy(get("image_mae"), "image_to_image")
    assert default_policy(get("ms_ssim"), "image_to_image") == default_policy(get("ssim"), "image_to_image")
