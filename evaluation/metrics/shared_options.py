"""The options that several metrics take, each described once."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from evaluation.metrics.options import Option

if TYPE_CHECKING:
    from collections.abc import Mapping

_CRITERIA: Final = (
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

_NOT_READ: Final[tuple[Any, ...]] = ()
ONLY_FOR_OBJECTS: Final[Mapping[str, tuple[Any, ...]]] = MappingProxyType(
    {"ImLC": _NOT_READ, "MLC": _NOT_READ, "SemS": _NOT_READ}
)
"""Of options that only problems with objects read."""
NOT_FOR_OBJECTS: Final[Mapping[str, tuple[Any, ...]]] = MappingProxyType({"ObD": _NOT_READ, "InS": _NOT_READ})
"""Of options that problems with objects ignore."""

LEVEL: Final = Option(
    "level",
    "enum",
    "auto",
    "Unit that is counted; auto = image for ImLC, pixel for SemS, object for ObD and InS.",
    choices=("auto", "image", "object"),
    accepted={
        "ImLC": ("auto", "image"),
        "MLC": ("auto", "image"),
        "SemS": ("auto", "pixel"),
        "ObD": ("auto", "object"),
        "InS": ("auto", "object"),
    },
)
LEVEL_OR_PIXEL: Final = replace(
    LEVEL,
    choices=("auto", "image", "pixel", "object"),
    accepted={**LEVEL.accepted, "ObD": ("auto", "object", "pixel"), "InS": ("auto", "object", "pixel")},
)
SCORE_THRESHOLD: Final = Option(
    "score_threshold",
    "number",
    0.5,
    "Scores greater than or equal to this value count as positive. Ignored when hard labels are submitted.",
    minimum=0,
    maximum=1,
    accepted={"SemS": _NOT_READ},
)
POSITIVE_CLASS: Final = Option(
    "positive_class",
    "string",
    None,
    "Class treated as positive. Null means one-versus-rest for every class of interest.",
    accepted={**NOT_FOR_OBJECTS, "SemS": _NOT_READ},
)
CLASS_AVERAGE: Final = Option(
    "class_average",
    "enum",
    "per_class",
    "How one-versus-rest values are combined over classes.",
    choices=("per_class", "macro", "weighted"),
    accepted={**NOT_FOR_OBJECTS, "SemS": _NOT_READ},
)
CLASS_AVERAGE_OR_MICRO: Final = Option(
    "class_average",
    "enum",
    "per_class",
    "How one-versus-rest values are combined over classes; micro pools the counts of several labels, where a case may have many.",
    choices=("per_class", "macro", "weighted", "micro"),
    accepted={**NOT_FOR_OBJECTS, "SemS": _NOT_READ},
)
CLASS_AVERAGE_OF_CURVES: Final = Option(
    "class_average",
    "enum",
    "per_class",
    "How one-versus-rest values are combined over classes; micro pools the decisions on several labels into one curve.",
    choices=("per_class", "macro", "weighted", "micro"),
    accepted={**NOT_FOR_OBJECTS, "SemS": _NOT_READ, "ImLC": ("per_class", "macro", "weighted")},
)
MAX_FPR: Final = Option(
    "max_fpr",
    "number",
    None,
    "Only false positive rates up to this one count, standardized so that a guess has 0.5; null is the whole curve.",
    exclusive_minimum=0,
    exclusive_maximum=1,
    stands_where_set=True,
)
CALIBRATION_TARGET: Final = Option(
    "target",
    "enum",
    "top_label",
    "top_label uses the winning score; positive_class uses the score of the positive class (binary only).",
    choices=("top_label", "positive_class"),
    stands_where_set=True,
)
MATCHED: Final = Option(
    "matched",
    "enum",
    "each_threshold",
    "each_threshold = objects are matched again at every score; once = all candidates are matched together, whatever their scores, as picai_eval does.",
    choices=("each_threshold", "once"),
    stands_where_set=True,
    accepted=ONLY_FOR_OBJECTS,
)
SCALE: Final = Option(
    "scale",
    "enum",
    "dataset",
    "Pool object counts over the data set, or compute per image/patient and average.",
    choices=("dataset", "image", "patient"),
    accepted=ONLY_FOR_OBJECTS,
)
LOCALIZATION_CRITERION: Final = Option(
    "localization_criterion",
    "enum",
    "loc_box_iou",
    "Catalogue id of the hit criterion.",
    choices=_CRITERIA,
    choices_declared_in="evaluation.matching.criterion_tables",
    accepted={
        **ONLY_FOR_OBJECTS,
        "ObD": tuple(name for name in _CRITERIA if name not in {"loc_mask_iou", "loc_boundary_iou"}),
    },
)
LOCALIZATION_THRESHOLD: Final = Option(
    "localization_threshold",
    "number",
    0.5,
    "Cutoff on the hit criterion. A hit needs a value >= cutoff for overlap criteria and <= cutoff (same unit as spacing) for a distance. Ignored by point criteria and by criterion_gt_half, which is always strict > 0.5.",
    minimum=0,
    accepted=ONLY_FOR_OBJECTS,
)
ASSIGNMENT: Final = Option(
    "assignment",
    "enum",
    "greedy_by_score",
    "Assignment strategy.",
    choices=("greedy_by_score", "greedy_by_criterion", "hungarian", "criterion_gt_half"),
    accepted=ONLY_FOR_OBJECTS,
)
DOUBLE_ASSIGNMENT: Final = Option(
    "double_assignment",
    "enum",
    "fp",
    "What happens to surplus predictions that hit an already matched reference.",
    choices=("fp", "ignore"),
    accepted=ONLY_FOR_OBJECTS,
)
ON_BOTH_EMPTY: Final = Option(
    "on_both_empty",
    "enum",
    "perfect",
    "Value when reference and prediction are both empty.",
    choices=("perfect", "exclude", "worst"),
)
ON_ONE_EMPTY: Final = Option(
    "on_one_empty",
    "enum",
    "worst",
    "Value when exactly one of reference and prediction is empty.",
    choices=("worst", "exclude"),
)
INCLUDE_BACKGROUND: Final = Option("include_background", "boolean", False, "Score the background class as well.")
INCLUDE_BACKGROUND_OF_MASKS: Final = replace(INCLUDE_BACKGROUND, accepted={"InS": _NOT_READ})
"""For metrics of masks, which a problem with instances computes on matched objects only."""
INSTANCE_CONNECTIVITY: Final = Option(
    "instance_connectivity",
    "enum",
    "as_submitted",
    "How instances arise: label maps as submitted, or connected components of the mask with full (8/26) or face (4/6) neighbourhood.",
    choices=("as_submitted", "full", "face"),
)
IOU_THRESHOLD: Final = Option("iou_threshold", "number", 0.5, "Same as panoptic_quality.", minimum=0.5, maximum=1)
COSTS: Final = Option(
    "costs",
    "array",
    "zero_one",
    "C x C cost matrix w_ij for reference i decided as j; zero_one means 0 on and 1 off the diagonal. Binary shorthand: w_10 = C_miss, w_01 = C_FA.",
)
PRIORS: Final = Option("priors", "enum|array", "dataset", "Class priors P_i.", choices=("dataset", "uniform", "custom"))
RULE: Final = Option(
    "rule",
    "enum",
    "auto",
    "Which threshold is taken: tight = the one whose target metric meets the target most narrowly (ties: best reported metric); best = best reported metric among all thresholds meeting the target; auto = tight for targets on Sensitivity, Specificity and FPPI, best for targets on PPV and NPV.",
    choices=("auto", "tight", "best"),
)
TARGET_SENSITIVITY: Final = Option("target_sensitivity", "number", 0.9, "Minimum Sensitivity.", required=True)
SPACING: Final = Option(
    "spacing",
    "array",
    "from_image",
    "Physical size of a pixel/voxel per array axis; from_image reads the reference header.",
    unit="mm",
    accepted={"InS": ("from_image",)},
)
BOUNDARY_CONNECTIVITY: Final = Option(
    "boundary_connectivity",
    "enum",
    "face",
    "Neighbourhood used to find boundary pixels: face = 4 (2D) / 6 (3D), full = 8 / 26.",
    choices=("face", "full"),
)
BOUNDARY: Final = Option(
    "boundary",
    "enum",
    "voxels",
    "voxels: foreground voxels with a neighbour outside; surfels: surface elements between voxels, weighted by area, as DeepMind's surface-distance has them.",
    choices=("voxels", "surfels"),
    stands_where_set=True,
)
DISTANCE_PENALTY: Final = Option(
    "distance_penalty",
    "number|string",
    "image_diagonal",
    "Finite value standing in for the worst distance (per-case image diagonal, or a fixed number in the spacing unit).",
    unit="mm",
)
UNMATCHED: Final = Option(
    "unmatched",
    "enum",
    "zero_fn_fp",
    "How unmatched instances enter the per-image mean.",
    choices=("ignore", "zero_fn", "zero_fn_fp"),
)
MASK_CRITERION: Final = Option(
    "localization_criterion",
    "enum",
    "loc_mask_iou",
    "Catalogue id of the hit criterion.",
    choices=_CRITERIA,
    choices_declared_in="evaluation.matching.criterion_tables",
)
OPTIMAL_ASSIGNMENT: Final = Option(
    "assignment",
    "enum",
    "hungarian",
    "Assignment strategy.",
    choices=("greedy_by_score", "greedy_by_criterion", "hungarian", "criterion_gt_half"),
)
THRESHOLD: Final = Option("threshold", "number", 0.5, "Cutoff for a hit.", minimum=0, maximum=1)
SHAPE: Final = Option(
    "shape", "enum", "ellipse", "Shape of the approximation.", choices=("ellipse", "circle", "convex_hull", "polygon")
)
TASK_FORM: Final = Option(
    "task_form",
    "enum",
    "auto",
    "binary: one score per sample; multiclass: one vector per sample.",
    choices=("auto", "binary", "multiclass"),
)
N_BINS: Final = Option("n_bins", "integer", 15, "Number of bins over [0, 1].", minimum=1)
BINNING: Final = Option("binning", "enum", "equal_width", "Bin construction.", choices=("equal_width", "equal_mass"))
BIN_EDGE: Final = Option(
    "bin_edge",
    "enum",
    "right_closed",
    "Which end of a bin belongs to it; the lowest bin also contains 0 (or the highest 1).",
    choices=("right_closed", "left_closed"),
)

AREA: Final = Option(
    "area",
    "enum|array",
    None,
    "With coco_101: only objects of this size count: small (up to 32² pixels), medium (up to 96²), large, or a list of two areas.",
    choices=("small", "medium", "large"),
    stands_where_set=True,
    accepted=ONLY_FOR_OBJECTS,
)
COCO_CRITERION: Final = Option(
    "localization_criterion",
    "enum",
    "loc_box_iou",
    "Catalogue id of the hit criterion.",
    choices=("loc_box_iou", "loc_mask_iou"),
)

MATCHING: Final = (LOCALIZATION_CRITERION, LOCALIZATION_THRESHOLD, ASSIGNMENT, DOUBLE_ASSIGNMENT)
MASK_MATCHING: Final = (MASK_CRITERION, LOCALIZATION_THRESHOLD, OPTIMAL_ASSIGNMENT, DOUBLE_ASSIGNMENT)
ONE_CLASS: Final = (SCORE_THRESHOLD, POSITIVE_CLASS, CLASS_AVERAGE)
ONE_CLASS_OR_MICRO: Final = (SCORE_THRESHOLD, POSITIVE_CLASS, CLASS_AVERAGE_OR_MICRO)
BINS: Final = (N_BINS, BINNING, BIN_EDGE)
EMPTY_MASKS: Final = (ON_BOTH_EMPTY, ON_ONE_EMPTY)
