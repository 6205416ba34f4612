"""Worked examples of objects, recomputed from their inputs."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from evaluation.matching import Objects, Rule, match_objects
from evaluation.matching import criterion_tables as c
from evaluation.metrics import boundary, counting, instance, overlap
from evaluation.metrics.counting import Counts
from evaluation.metrics.detections import Detections
from tests.unit.evaluation.pitfalls.recipes import (
    detections,
    fbeta_of,
    mask,
    recipe,
    single,
    value,
)


@recipe("EX-DET-DSC-FOR-DETECTION")
def dsc_for_detection(inputs):
    truth = ndimage.label(mask(inputs["reference"]))[0]
    found = {}
    for number in (1, 2):
        guess = ndimage.label(mask(inputs[f"prediction_{number}"]))[0]
        found[f"{number}.dsc"] = overlap.dsc(truth > 0, guess > 0).value
        found[f"{number}.object_fbeta"] = instance.detection_quality(truth, guess).value
    found["2.iou_large"] = c.loc_mask_iou(Objects(labels=truth), Objects(labels=guess)).max(axis=1)[
        np.argmax(np.bincount(truth.ravel())[1:])
    ]
    return found


@recipe("EX-DET-IMAGE-LEVEL-ROC")
def image_level(inputs):
    cases = inputs["cases"]
    found = {}
    for letter, case in zip("abc", cases.values(), strict=True):
        for name in ("p1", "p2"):
            found[f"{letter}.{name}.image_score"] = max(entry["score"] for entry in case[name])
            hits = sum(entry["hit"] for entry in case[name])
            if letter == "a":
                found[f"a.{name}.object_tp"] = hits
            elif letter == "b":
                found[f"b.{name}.object_sensitivity"] = hits / case["n_ref"]
            else:
                found[f"c.{name}.fp"] = len(case[name]) - hits
    return found


@recipe("EX-DET-NAN-SCENARIOS")
def nan_scenarios(inputs):
    found = {}
    for name, n in inputs["scenarios"].items():
        counts = Counts.of(n["TP"], n["FP"], n["FN"], 0)
        found |= {
            f"{name}.sensitivity": value(counting.sensitivity(counts).result()),
            f"{name}.ppv": value(counting.ppv(counts).result()),
            f"{name}.fbeta": value(counting.fbeta(counts).result()),
        }
    return found


@recipe("EX-DET-PER-IMAGE-VS-DATASET")
def per_image(inputs):
    images = inputs["images"]
    tp, fp, fn = (np.array([float(image[name]) for image in images]) for name in ("TP", "FP", "FN"))
    found = Detections((tp + fn).astype(int), np.arange(len(images)), np.ones(len(images)), tp, fp)
    return {"pooled_fbeta": single("fbeta", found), "mean_image_fbeta": single("fbeta", found, scale="image")}


@recipe("EX-DET-AP-IGNORES-IMAGE-COUNT")
def image_count(inputs):
    found = {}
    for name in ("D1", "D2"):
        d = detections(inputs["detections"], inputs["n_ref"], inputs[f"{name}_images"])
        found |= {
            f"{name}.average_precision": single("average_precision", d),
            f"{name}.fppi": single("fppi", d),
            f"{name}.froc_score": single("froc_score", d, form="area", fppi_max=inputs["froc_range"][1]),
        }
    return found


@recipe("EX-DET-FROC-RANGE-STANDIN")
def froc_range(inputs):
    hits = [kind == "TP" for text in inputs["order_by_score"] for n, kind in [text.split()] for _ in range(int(n))]
    entries = [{"tp": hit, "score": 1 - place / 100} for place, hit in enumerate(hits)]
    d = detections(entries, inputs["n_ref"], inputs["n_images"])
    found = {f"froc_score_0_{high}": single("froc_score", d, form="area", fppi_max=high) for high in (1, 2, 4)}
    return found | {"froc_score_min": min(found.values()), "froc_score_max": max(found.values())}


@recipe("EX-DET-AP-RANK-FLIP")
@recipe("EX-DET-AP-SCORE-MAGNITUDE")
@recipe("EX-DET-AP-TAIL-FP")
def average_precisions(inputs):
    found = {}
    for number in (1, 2):
        d = detections(inputs[f"prediction_{number}"], inputs["n_ref"])
        found[f"{number}.average_precision"] = single("average_precision", d)
        found[f"{number}.ppv"] = single("ppv", d)
    return found


@recipe("EX-DET-AP-DUPLICATE-SCORES-STANDIN")
def duplicate_scores(inputs):
    entries = inputs["detections_in_file_order"]
    straight, swapped = (
        detections(entries, inputs["n_ref"]),
        detections([*entries[:2], entries[3], entries[2]], inputs["n_ref"]),
    )
    joint, sequential = single("average_precision", straight), single("average_precision", straight, ties="sequential")
    return {
        "joint.average_precision": joint,
        "sequential.average_precision": sequential,
        "average_precision_difference": sequential - joint,
        "sequential_fp_first.average_precision": single("average_precision", swapped, ties="sequential"),
    }


@recipe("EX-DET-AP-WITHOUT-SCORES")
def without_scores(inputs):
    tp, fp, fn = inputs["TP"], inputs["FP"], inputs["FN"]
    hits = [{"tp": 1, "score": 0.5}] * tp
    false = [{"tp": 0, "score": 0.5}] * fp
    d = detections(hits + false, tp + fn)
    sensitivity, ppv = single("sensitivity", d), single("ppv", d)
    return {
        "sensitivity": sensitivity,
        "ppv": ppv,
        "sens_times_ppv": sensitivity * ppv,
        "joint.average_precision": single("average_precision", d),
        "sequential_tp_first.average_precision": single("average_precision", d, ties="sequential"),
        "sequential_fp_first.average_precision": single(
            "average_precision", detections(false + hits, tp + fn), ties="sequential"
        ),
        "fbeta": single("fbeta", d),
    }


@recipe("EX-DET-ASSIGNMENT")
def assignment(inputs):
    """The source's greedy strategy goes through the references in order; scores in that order do the same here."""
    reference, prediction = list(inputs["references"].values()), list(inputs["predictions"].values())
    found = {}
    # Seen from the references: they choose, so they are what is scored.
    swapped = match_objects(
        Objects(points=prediction),
        Objects(points=reference, scores=[0.9, 0.8, 0.7]),
        Rule("loc_center_distance", inputs["max_center_distance"]),
    )
    optimal = match_objects(
        Objects(points=reference),
        Objects(points=prediction),
        Rule("loc_center_distance", inputs["max_center_distance"], "hungarian"),
    )
    counts = {"greedy": (swapped.tp, swapped.fn, swapped.fp), "hungarian": (optimal.tp, optimal.fp, optimal.fn)}
    for name, (tp, fp, fn) in counts.items():
        found |= {f"{name}.tp": tp, f"{name}.fp": fp, f"{name}.fn": fn, f"{name}.fbeta": fbeta_of(tp, fp, fn)}
    return found


@recipe("EX-DET-NON-SPLIT")
def non_split(inputs):
    first, second, guess = (mask(inputs[name]) for name in ("reference_1", "reference_2", "prediction"))
    truth, found = Objects(labels=first + 2 * second.astype(int)), Objects(labels=guess.astype(int))
    matching = match_objects(truth, found, instance.STRICT)
    iou, ior = c.loc_mask_iou(truth, found)[:, 0], c.loc_ior(truth, found)[:, 0]
    return {
        "iou_1": iou[0],
        "iou_2": iou[1],
        "iou_rule.fn": matching.fn,
        "iou_rule.fp": matching.fp,
        "ior_1": ior[0],
        "ior_2": ior[1],
    }


@recipe("EX-DET-LOOSE-IOU")
def loose_iou(inputs):
    one, other = (Objects(labels=mask(inputs[name]).astype(int)) for name in ("reference", "prediction"))
    loose, strict = Rule("loc_mask_iou", 0.0, "hungarian"), instance.STRICT
    return {
        "iou": c.loc_mask_iou(one, other)[0, 0],
        "tp_iou_gt_0": match_objects(one, other, loose).tp,
        "tp_iou_gt_0.5": match_objects(one, other, strict).tp,
    }


@recipe("EX-DET-BOX-DIAGONAL")
def diagonal_box(inputs):
    truth = Objects(boxes=[inputs["reference"]])
    found = {}
    for number in (1, 2):
        box = inputs[f"prediction_{number}"]
        found[f"{number}.loc_box_iou"] = c.loc_box_iou(truth, Objects(boxes=[box]))[0, 0]
        found[f"{number}.length_fraction"] = box[2] / inputs["reference"][2]
    return found


@recipe("EX-DET-BOX-MISSES-OBJECT")
def box_misses(inputs):
    found = {}
    for name in ("complex", "disconnected"):
        truth = mask(inputs[name]["reference"])
        r0, r1, c0, c1 = inputs[name]["prediction_box"]
        box = Objects(boxes=[[r0, c0, r1, c1]])
        found[f"{name}.loc_box_iou"] = c.loc_box_iou(Objects(labels=truth.astype(int)), box)[0, 0]
        found[f"{name}.hit_pixels"] = int(truth[r0:r1, c0:c1].sum())
    return found


@recipe("EX-DET-CENTER-CRITERIA")
def centre_criteria(inputs):
    def boxes(row):
        return Objects(boxes=[row])

    a, b, hit, tube = inputs["a_center_cover"], inputs["b_distance"], inputs["c_center_hit"], inputs["d_tube"]
    found = {
        "a.iou": c.loc_box_iou(boxes(a["reference"]), boxes(a["prediction"]))[0, 0],
        "a.center_covered": c.loc_center_cover(boxes(a["reference"]), boxes(a["prediction"]))[0, 0],
    }
    for size in ("large", "small"):
        one, other = boxes(b[f"pair_{size}"]["reference"]), boxes(b[f"pair_{size}"]["prediction"])
        found[f"b.{size}.distance"] = c.loc_center_distance(one, other)[0, 0]
        found[f"b.{size}.iou"] = c.loc_box_iou(one, other)[0, 0]
        point = Objects(points=[hit[size]["prediction_center"]])
        found[f"c.{size}.hit"] = c.loc_center_hit(boxes(hit[size]["reference"]), point)[0, 0]
    point = Objects(points=[tube["prediction_point"]])
    found["d.loc_center_distance"] = c.loc_center_distance(boxes(tube["reference"]), point)[0, 0]
    found["d.point_inside"] = c.loc_point_in_box(boxes(tube["reference"]), point)[0, 0]
    return found


@recipe("EX-DET-DIMENSION")
def dimension(inputs):
    return {
        f"iou_{k}d": c.loc_box_iou(
            Objects(boxes=[[0] * k + [inputs["reference_side"]] * k]), Objects(boxes=[[0] * k + [inputs["prediction_side"]] * k])
        )[0, 0]
        for k in (2, 3)
    }  # fmt: skip


@recipe("EX-DET-BOUNDARY-IOU-SIZE")
def boundary_iou_size(inputs):
    def pair(size):
        outer = inputs[size]["reference_side"]
        truth, guess = np.pad(np.ones((outer, outer), bool), 3), np.pad(np.ones((outer - 2, outer - 2), bool), 4)
        return truth, guess

    found = {f"{size}.loc_mask_iou": overlap.iou(*pair(size)).value for size in ("large", "small")}
    for size, d in (("large", 2), ("small", 2), ("large", 1), ("large", 9)):
        found[f"{size}.boundary_iou_d{d}"] = boundary.boundary_iou(*pair(size), distance=d).value
    found["mask_gap"] = found["large.loc_mask_iou"] - found["small.loc_mask_iou"]
    found["boundary_gap"] = found["large.boundary_iou_d2"] - found["small.boundary_iou_d2"]
    return found
