"""Assessments with every metric of image classification, and evidence made from arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from evaluation.assessment import Assessment, parse
from evaluation.catalogue import all_metrics
from evaluation.problems.offered_metrics import kinds_with
from evaluation.scoring.classification_evidence import PART, make_block
from evaluation.scoring.evidence import Evidence, make_evidence

NUMBERS = {"both_empty": 0, "ref_empty": 0, "pred_empty": 0, "degenerate": 0, "missing": 99}
REQUIRED = {"net_benefit": {"threshold_probability": 0.3}}
FIXED = {"kce": {"bandwidth": 0.4}, "ece_kde": {"bandwidth": 0.2}}
VARIANTS = [
    {"id": "ppv", "name": "ppv at 5 %", "options": {"target_prevalence": 0.05}},
    {"id": "fbeta", "name": "macro F1", "options": {"class_average": "macro"}},
    {"id": "auroc", "name": "weighted AUROC", "options": {"class_average": "weighted"}},
    {"id": "average_precision", "name": "AP voc", "options": {"interpolation": "voc_all_points"}},
    {"id": "average_precision", "name": "AP coco", "options": {"interpolation": "coco_101"}},
    {"id": "youden_j", "name": "J sum", "options": {"multiclass_form": "sum"}},
    {"id": "weighted_cohens_kappa", "name": "linear kappa", "options": {"weights": "linear"}},
    {"id": "expected_cost", "name": "EC uniform", "options": {"priors": "uniform"}},
    {"id": "ece", "name": "ECE by mass", "options": {"binning": "equal_mass", "n_bins": 4}},
    {"id": "ece", "name": "ECE left", "options": {"bin_edge": "left_closed", "n_bins": 5}},
    {"id": "cwce", "name": "CWCE l1", "options": {"norm": "l1", "n_bins": 5}},
    {"id": "kce", "name": "KCE", "options": {"estimator": "kce_biased", "bandwidth": 0.4}},
    {"id": "npv_at_sensitivity", "name": "NPV best", "options": {"target_sensitivity": 0.5, "rule": "best"}},
]


def every_metric() -> list[dict[str, Any]]:
    """Every metric of the problem with its defaults, bandwidths fixed, and variants."""
    uses = []
    for metric in all_metrics():
        if "image_classification" not in kinds_with(metric) or metric.is_criterion or metric.source != "podium":
            continue
        options = REQUIRED.get(metric.id, {}) | FIXED.get(metric.id, {})
        policy = NUMBERS if metric.worst is None else {}
        uses.append({"id": metric.id, "options": options, "policy": policy})
    for use in VARIANTS:
        metric = next(metric for metric in all_metrics() if metric.id == use["id"])
        uses.append(use | ({"policy": NUMBERS} if metric.worst is None else {}))
    return uses


def assessment_of(metrics: list[dict[str, Any]] | None = None, **rest: Any) -> Assessment:
    document = {"problem": "image_classification", "metrics": metrics or every_metric(), **rest}
    return parse(document)


def evidence_of(
    assessment: Assessment,
    reference: Any,
    *,
    scores: Any = None,
    decision: Any = None,
    answered: Any = None,
    classes: tuple[str, ...] | None = None,
) -> Evidence:
    """Evidence of one algorithm named ``a``."""
    labels = np.asarray(reference, dtype=np.int64)
    names = classes or tuple(str(code) for code in range(int(labels.max()) + 1))
    block = make_block(
        "a",
        [f"case {number:04d}" for number in range(len(labels))],
        labels,
        decision=None if decision is None else np.asarray(decision, dtype=np.int64),
        scores=None if scores is None else np.asarray(scores, dtype=float),
        answered=np.ones(len(labels), dtype=bool) if answered is None else np.asarray(answered, dtype=bool),
    )
    regions = {region.name: [names.index(str(label)) for label in region.labels] for region in assessment.regions}
    shared = {"classes": list(names), "regions": regions}
    return make_evidence(assessment, [block], parts={use.name: PART for use in assessment.metrics}, shared=shared)
