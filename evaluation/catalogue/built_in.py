"""Where the functions of the built-in metrics stand, what they take, and the defaults of their policies."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Implementation(NamedTuple):
    """The function of a metric, what it takes from a case, the unit of its value, and functions for other problems."""

    function: str
    needs: frozenset[str]
    unit: str | None = None
    by_problem: Mapping[str, str] = MappingProxyType({})


def _family(module: str, needs: str, *ids: str, unit: str | None = None) -> dict[str, Implementation]:
    wanted = frozenset(needs.split())
    return {name: Implementation(f"evaluation.metrics.{module}:{name}", wanted, unit) for name in ids}


IMPLEMENTATIONS: Final[Mapping[str, Implementation]] = {
    **_family("classification", "labels", "sensitivity", "specificity", "ppv", "npv", "lr_plus"),
    "fbeta": Implementation(
        "evaluation.metrics.classification:fbeta",
        frozenset({"labels"}),
        by_problem={"semantic_segmentation": "evaluation.metrics.overlap:fbeta"},
    ),
    **_family("classification", "labels scores", "net_benefit"),
    **_family("detection", "objects images", "fppi"),
    **_family("instance", "instances", "panoptic_quality", "segmentation_quality", "detection_quality"),
    **_family(
        "multi_class",
        "labels",
        "accuracy",
        "balanced_accuracy",
        "youden_j",
        "mcc",
        "cohens_kappa",
        "weighted_cohens_kappa",
        "expected_cost",
        "expected_cost_normalized",
    ),
    **_family("thresholds", "labels scores", "auroc", "average_precision"),
    **_family("detection", "objects scores images", "mean_average_precision", "froc_score"),
    **_family(
        "thresholds",
        "labels scores",
        "sensitivity_at_specificity",
        "specificity_at_sensitivity",
        "ppv_at_sensitivity",
        "npv_at_sensitivity",
        "sensitivity_at_ppv",
        "sensitivity_at_npv",
    ),
    **_family("detection", "objects scores images", "fppi_at_sensitivity", "sensitivity_at_fppi"),
    **_family("overlap", "masks", "dsc", "iou", "cldice", "ior"),
    **_family("boundary", "masks spacing", "hausdorff_distance", "hausdorff_percentile", "assd", "masd", unit="mm"),
    **_family("boundary", "masks spacing", "nsd", "boundary_iou"),
    **_family("instance", "instances", "mi_dsc"),
    **_family("instance", "instances spacing", "mi_nsd"),
    **{
        name: Implementation(
            f"evaluation.matching.criteria:{name}", frozenset({"objects"}), "mm" if name.endswith("distance") else None
        )
        for name in (
            "loc_mask_iou",
            "loc_box_iou",
            "loc_approx_iou",
            "loc_boundary_iou",
            "loc_ior",
            "loc_center_distance",
            "loc_center_cover",
            "loc_center_hit",
            "loc_point_in_mask",
            "loc_point_in_box",
            "loc_point_in_approx",
        )
    },
    **_family(
        "calibration",
        "labels scores",
        "brier_score",
        "brier_skill_score",
        "root_brier_score",
        "nll",
        "ece",
        "mce",
        "tce",
        "cwce",
        "kce",
        "ece_kde",
    ),
}

_OBJECT_METRICS: Final = (
    "sensitivity",
    "ppv",
    "fbeta",
    "fppi",
    "average_precision",
    "mean_average_precision",
    "froc_score",
    "ppv_at_sensitivity",
    "sensitivity_at_ppv",
    "fppi_at_sensitivity",
    "sensitivity_at_fppi",
)
_OTHER_FUNCTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    name: {
        "object_detection": f"evaluation.metrics.detection:{name}",
        "instance_segmentation": f"evaluation.metrics.detection:{name}",
    }
    for name in _OBJECT_METRICS
}


def functions_by_problem(metric_id: str) -> Mapping[str, str]:
    """Places of the functions for problems in which the metric counts something else than in its home family."""
    return {**IMPLEMENTATIONS[metric_id].by_problem, **_OTHER_FUNCTIONS.get(metric_id, {})}


_DATASET_FAMILIES: Final = {"multi_class_counting", "multi_threshold", "working_point", "calibration"}
_ALWAYS_DATASET: Final = {"fppi"}


def level(metric_id: str, family: str, problem: str, options: Mapping[str, Any]) -> str:
    """Whether a metric gives one value a case or one for all cases together."""
    if problem == "image_classification" or family in _DATASET_FAMILIES or metric_id in _ALWAYS_DATASET:
        return "dataset"
    if problem == "semantic_segmentation" or options.get("level") == "pixel":
        return "case"
    if family == "per_class_counting":
        return "case" if options.get("scale", "dataset") == "image" else "dataset"
    return "case"


def default_policy(metric_id: str, family: str, problem: str) -> dict[str, float | str]:
    """What an outcome counts as by default (metrics reference, sections 3.3 and 3.4).

    Nothing that a participant causes is left out; an exclusion depends on the reference alone.
    """
    policy: dict[str, float | str] = {
        "both_empty": "perfect",
        "ref_empty": "worst",
        "pred_empty": "worst",
        "degenerate": "worst",
        "missing": "worst",
    }
    if metric_id in ("sensitivity", "segmentation_quality"):
        # Without an object in the reference there is nothing to find, whatever was predicted: PPV and DQ punish that.
        policy["both_empty"] = policy["ref_empty"] = "exclude"
    if metric_id == "mcc":
        # A constant prediction is no better than a guess, which is 0, not -1.
        policy["degenerate"] = 0.0
    if family == "multi_class_counting" and problem == "image_classification":
        policy["both_empty"] = "exclude"
    return policy
