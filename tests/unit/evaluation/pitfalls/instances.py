"""Worked examples of instances, recomputed from their inputs."""

from __future__ import annotations

import numpy as np

from evaluation.matching import Objects
from evaluation.matching import criterion_tables as c
from evaluation.metrics import boundary, instance, overlap
from evaluation.metrics.disentangled import Disentangled, classification_scores, detection_scores
from evaluation.metrics.instance import PanopticCounts, panoptic_values
from tests.unit.evaluation.pitfalls.recipes import (
    EXAMPLES,
    mask,
    ranks,
    recipe,
    value,
)


def panoptic(name, counts):
    return {
        f"{name}{metric}": value(panoptic_values(metric, counts).result())
        for metric in ("panoptic_quality", "segmentation_quality", "detection_quality")
    }


@recipe("EX-INS-PQ-ENTANGLED")
def entangled(inputs):
    found = {}
    for number in (1, 2):
        p = inputs[f"prediction_{number}"]
        found |= panoptic(f"{number}.", PanopticCounts(sum(p["tp_ious"]), len(p["tp_ious"]), p["FP"], p["FN"]))
    return found


@recipe("EX-INS-PQ-HALF-HALF")
def half_half(inputs):
    return {f"{name}.panoptic_quality": inputs[name]["sq"] * inputs[name]["dq"] for name in ("case_1", "case_2")}


@recipe("EX-INS-IOU-NESTED-SQUARES")
def nested_squares(inputs):
    found = {}
    for side in inputs["probe_sides"]:
        small, large = np.pad(np.ones((side, side), bool), 2), np.pad(np.ones((side + 2, side + 2), bool), 1)
        found[f"l{side}.iou"] = overlap.iou(large, small).value
        found[f"l{side}.formula"] = side**2 / (side + 2) ** 2
        found[f"l{side}.hausdorff_distance"] = boundary.hausdorff_distance(large, small).value
    return found


@recipe("EX-INS-OVERSEGMENTATION-EDGE")
def oversegmentation(inputs):
    truth = Objects(labels=mask(inputs["reference"]).astype(int))
    found = {}
    for name in ("before", "after"):
        parts = [mask(inputs[name][f"fragment_{letter}"]) for letter in "ab"]
        guess = Objects(labels=parts[0] + 2 * parts[1].astype(int))
        counts = instance.panoptic_counts(truth, guess)
        found |= {f"{name}.tp": counts.tp, f"{name}.fp": counts.fp, f"{name}.fn": counts.fn}
        found[f"{name}.panoptic_quality"] = panoptic_values("panoptic_quality", counts).result().value
        found[f"{name}.iou_a"] = c.loc_mask_iou(truth, guess)[0, 0]
    return found


@recipe("X-PQ-LABEL-ALIGNMENT")
def label_alignment(inputs):
    truth, guess = np.zeros((2, *inputs["grid"]), dtype=int)
    for image, boxes in ((truth, inputs["reference_boxes"]), (guess, inputs["prediction_boxes"])):
        for label, (r0, r1, c0, c1) in boxes.items():
            image[r0:r1, c0:c1] = int(label)
    mistaken = panoptic_values("panoptic_quality", PanopticCounts(3.0, 3, 3, 0)).result().value
    return {
        "panoptic_quality_correct": instance.panoptic_quality(truth, guess).value,
        "panoptic_quality_buggy": mistaken,
    }


@recipe("X-PQ-LABEL-OFFSET")
def label_offset(inputs):
    return {
        f"panoptic_quality_fp{fp}": panoptic_values(
            "panoptic_quality", PanopticCounts(inputs["sum_iou_inferred"], inputs["TP"], fp, inputs["FN"])
        ).result().value
        for fp in inputs["FP_buggy"]
    }  # fmt: skip


@recipe("EX-INS-MONUSAC-GT-SELF-REMOVED")
@recipe("EX-INS-MONUSAC-GT-SELF-DILATED")
def self_against_self(inputs):
    """The second entry shows that a product of rounded means is not the mean of products."""
    return {"panoptic_quality": inputs["dq"] * inputs["sq"]}


def teams():
    for team, matrix in EXAMPLES["EX-INS-MONUSAC-CM-ROW-TOTALS"]["inputs"]["matrices"].items():
        yield team, Disentangled.of_matrix(("E", "L", "N", "M"), matrix)


@recipe("EX-INS-MONUSAC-CM-ROW-TOTALS")
def row_totals(inputs):
    found = {
        f"{team}.{name}.total": total
        for team, result in teams()
        for name, total in zip(result.classes, result.confusion[1:].sum(axis=1), strict=True)
    }
    # The ratio is of annotated objects: 4 epithelial cells and 3 lymphocytes have no pixel of their own.
    common, rare = found["T1.E.total"] + 4 + found["T1.L.total"] + 3, found["T1.N.total"] + found["T1.M.total"]
    found["ratio_common_to_rare"] = common / rare
    found["test_total"] = sum(found[f"T1.{name}.total"] for name in "ELNM") + 7
    return found


@recipe("EX-INS-MONUSAC-DETECTION-POOLED")
def detection_pooled(inputs):
    found = {}
    for team, result in teams():
        scores = detection_scores(result)
        found |= {
            f"{team}.pooled_precision": scores["ppv"].value,
            f"{team}.pooled_recall": scores["sensitivity"].value,
            f"{team}.pooled_fbeta": scores["fbeta"].value,
            f"{team}.pooled_balanced_accuracy": classification_scores(result)["balanced_accuracy"].value,
        }
    return found


@recipe("EX-INS-MONUSAC-TABLE2-ACCURACY")
def table_2_accuracy(inputs):
    """Below the printed accuracies: those are means over patients of the classes present in each."""
    return {f"{team}.accuracy": np.mean(recall) for team, recall in inputs["recall_E_L_N_M"].items()}


@recipe("EX-INS-MONUSAC-TABLE2-CLASS")
def table_2_classes(inputs):
    return {f"{team}.best_f1_class": "ELNM"[int(np.argmax(f1))] for team, f1 in inputs["f1"].items()}


@recipe("EX-INS-MONUSAC-TABLE4")
def table_4(inputs):
    best = {f"iou.{name}.best": 1 + int(np.argmax(row)) for name, row in inputs["iou_mean"].items()}
    return best | {f"hausdorff_distance.{n}.best": 1 + int(np.argmin(row)) for n, row in inputs["hd_mean"].items()}


@recipe("EX-INS-MONUSAC-TABLE1-RANKS")
def table_1(inputs):
    return {
        f"{condition}.{team}.rank": rank
        for condition, scores in inputs["scores"].items()
        for team, rank in ranks(scores, higher=True).items()
    }


@recipe("EX-INS-MONUSAC-TABLE5-IOU-RULE")
def table_5(inputs):
    """Team 4 is not best in all four conditions, as the rule of that table would need."""
    return {"conditions_with_T4_best": sum(int(np.argmax(row)) == 3 for row in inputs["iou_mean"].values())}
