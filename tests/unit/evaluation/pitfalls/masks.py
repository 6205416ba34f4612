"""Worked examples of masks, and of aggregating and ranking their values, recomputed from their inputs."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from evaluation.matching import Objects
from evaluation.matching import criterion_tables as c
from evaluation.metrics import boundary, counting, instance, overlap
from evaluation.metrics.counting import Counts
from tests.unit.evaluation.pitfalls.recipes import (
    box_mask,
    mask,
    masks_of,
    ranks,
    recipe,
    value,
)


@recipe("EX-ID-DSC-IOU")
def dsc_and_iou(inputs):
    one, other = mask(inputs["probe_masks"]["reference"]), mask(inputs["probe_masks"]["prediction"])
    dsc, iou = overlap.dsc(one, other).value, overlap.iou(one, other).value
    return {"dsc": dsc, "iou": iou, "iou_from_dsc": dsc / (2 - dsc), "dsc_from_iou": 2 * iou / (1 + iou)}


@recipe("EX-SEG-SMALL-STRUCTURES")
def small_structures(inputs):
    found = {}
    for size in ("large", "small"):
        truth = mask(inputs[size]["reference"])
        for number in (1, 2):
            guess = mask(inputs[size][f"prediction_{number}"])
            found[f"{size}.dsc_decrease_{number}px"] = 1 - overlap.dsc(truth, guess).value
        guess = mask(inputs[size]["prediction_1"])
        found[f"{size}.hausdorff_distance_1"] = boundary.hausdorff_distance(truth, guess).value
    return found


@recipe("EX-SEG-SIZE-STRATIFICATION-STANDIN")
def size_strata(inputs):
    large, small = inputs["large"], inputs["small"]
    return {"mean_dsc": np.mean(large + small), "mean_large": np.mean(large), "mean_small": np.mean(small)}


@recipe("EX-SEG-MASD-SINGLE-PIXEL")
def single_pixel(inputs):
    truth, guess = mask(inputs["reference"]), mask(inputs["prediction"])
    both = instance.Mask(truth), instance.Mask(guess)
    there = boundary.pair(*both).distances().to_prediction.mean()
    return {
        "assd": boundary.assd(truth, guess).value,
        "masd": boundary.masd(truth, guess).value,
        "mean_ref_to_pred": there,
        "half_mean_ref_to_pred": there / 2,
    }


@recipe("EX-SEG-SHAPE-UNAWARE")
def shape_unaware(inputs):
    truth = mask(inputs["reference"])
    found = {}
    for name in ("rows_removed", "corners_removed", "hole", "stripes", "columns_removed"):
        guess = mask(inputs[f"prediction_{name}"])
        found |= {
            f"{name}.dsc": overlap.dsc(truth, guess).value,
            f"{name}.iou": overlap.iou(truth, guess).value,
            f"{name}.hausdorff_distance": boundary.hausdorff_distance(truth, guess).value,
            f"{name}.assd": boundary.assd(truth, guess).value,
            f"{name}.nsd_tau1": boundary.nsd(truth, guess, tolerance=1).value,
        }
    return found


@recipe("EX-SEG-CENTERLINE")
def centreline(inputs):
    truth = mask(inputs["reference"])
    root, line = mask(inputs["prediction_1_root_only"]), mask(inputs["prediction_2_centerline"])
    return {
        f"{number}.{name}": metric(truth, guess).value
        for number, guess in ((1, root), (2, line))
        for name, metric in (("dsc", overlap.dsc), ("cldice", overlap.cldice))
    }


@recipe("EX-SEG-VOLUME-WRONG-LOCATION")
def wrong_location(inputs):
    truth = box_mask(inputs["grid"], inputs["reference_box"])
    found = {}
    for number in (1, 2):
        guess = box_mask(inputs["grid"], inputs[f"prediction_{number}_box"])
        found |= {
            f"{number}.volume_difference": int(truth.sum()) - int(guess.sum()),
            f"{number}.dsc": overlap.dsc(truth, guess).value,
            f"{number}.iou": overlap.iou(truth, guess).value,
            f"{number}.hausdorff_distance": boundary.hausdorff_distance(truth, guess).value,
            f"{number}.assd": boundary.assd(truth, guess).value,
        }
    return found


@recipe("EX-SEG-CENTER-UNAWARE")
def centre_unaware(inputs):
    truth = mask(inputs["reference"])
    found = {}
    for number in (1, 2):
        guess = mask(inputs[f"prediction_{number}"])
        found[f"{number}.dsc"] = overlap.dsc(truth, guess).value
        one, other = Objects(labels=truth.astype(int)), Objects(labels=guess.astype(int))
        found[f"{number}.loc_center_distance"] = c.loc_center_distance(one, other)[0, 0]
    return found


@recipe("EX-SEG-HOLE-BOUNDARY-BLIND")
def hole(inputs):
    truth, guess = mask(inputs["reference"]), mask(inputs["prediction"])
    outer = ndimage.binary_fill_holes(truth), ndimage.binary_fill_holes(guess)
    return {
        "hausdorff_distance": boundary.hausdorff_distance(*outer).value,
        "hausdorff_percentile": boundary.hausdorff_percentile(*outer).value,
        "assd": boundary.assd(*outer).value,
        "nsd": boundary.nsd(*outer, tolerance=1).value,
        "dsc": overlap.dsc(truth, guess).value,
        "iou": overlap.iou(truth, guess).value,
        # Our boundary includes the rim of a hole, so that it cannot go unseen.
        "hausdorff_distance_all_contours": boundary.hausdorff_distance(truth, guess).value,
        "assd_all_contours": boundary.assd(truth, guess).value,
        "nsd_all_contours": boundary.nsd(truth, guess, tolerance=1).value,
    }


@recipe("EX-SEG-NESTED-LABELS")
def nested(inputs):
    outer, truth = mask(inputs["label_1"]), mask(inputs["label_2_reference"])
    found = {}
    for number in (1, 2):
        guess = mask(inputs[f"label_2_prediction_{number}"])
        found[f"{number}.dsc"] = overlap.dsc(truth, guess).value
        found[f"{number}.violating_pixels"] = int((guess & ~outer).sum())
    return found


@recipe("EX-SEG-INTER-RATER")
def inter_rater(inputs):
    one, other = mask(inputs["annotator_1"]), mask(inputs["annotator_2"])
    return {
        "dsc": overlap.dsc(one, other).value,
        "nsd": boundary.nsd(one, other, tolerance=inputs["nsd_tau"]).value,
        "hausdorff_distance": boundary.hausdorff_distance(one, other).value,
        "iou": overlap.iou(one, other).value,
    }


@recipe("EX-SEG-REFERENCE-OUTLIER")
def outlier(inputs):
    truth = box_mask(inputs["grid"], inputs["reference_box"])
    for place in inputs["reference_extra_pixels"]:
        truth[tuple(place)] = True
    guess = box_mask(inputs["grid"], inputs["prediction_box"])
    return {
        "hausdorff_distance": boundary.hausdorff_distance(truth, guess).value,
        "hausdorff_percentile": boundary.hausdorff_percentile(truth, guess).value,
        "dsc": overlap.dsc(truth, guess).value,
        "nsd_tau1": boundary.nsd(truth, guess, tolerance=1).value,
    }


@recipe("EX-SEG-EMPTY-MASKS")
def empty_masks(inputs):
    """Empty masks have an outcome, which the default policy converts to the 0 that the catalogue lists.

    The catalogue lists 0 if one mask is empty.
    """
    sides = {"object": box_mask(inputs["grid"], inputs["object_box"]), "empty": np.zeros(inputs["grid"], dtype=bool)}
    found = {}
    for name in ("empty_reference", "empty_prediction", "both_empty"):
        truth, guess = sides[inputs[name]["reference"]], sides[inputs[name]["prediction"]]
        tp, fp, fn = (truth & guess).sum(), (~truth & guess).sum(), (truth & ~guess).sum()
        counts = Counts.of(tp, fp, fn, 0)
        results = {
            "dsc": overlap.dsc(truth, guess),
            "iou": overlap.iou(truth, guess),
            "nsd": boundary.nsd(truth, guess, tolerance=1),
            "hausdorff_distance": boundary.hausdorff_distance(truth, guess),
            "hausdorff_percentile": boundary.hausdorff_percentile(truth, guess),
            "assd": boundary.assd(truth, guess),
            "masd": boundary.masd(truth, guess),
        }
        assert {result.value for result in results.values()} == {None}
        bounded = {metric: 0.0 for metric in ("dsc", "iou", "nsd") if name != "both_empty"}
        found |= {f"{name}.{metric}": bounded.get(metric, np.nan) for metric in results}
        found |= {f"{name}.TP": tp, f"{name}.FP": fp, f"{name}.FN": fn}
        found[f"{name}.sensitivity"] = value(counting.sensitivity(counts).result())
        found[f"{name}.ppv"] = value(counting.ppv(counts).result())
    return found


@recipe("EX-SEG-OVER-UNDER")
def over_under(inputs):
    truth = mask(inputs["reference"])
    return {
        f"{name}.{metric.__name__}": metric(truth, mask(inputs[f"prediction_{number}_{name}"])).value
        for number, name in ((1, "under"), (2, "over"))
        for metric in (overlap.dsc, boundary.hausdorff_distance)
    }


@recipe("EX-SEG-DECISION-THRESHOLD-STANDIN")
def decision_threshold(inputs):
    truth, chance = mask(inputs["reference"]), np.array(inputs["probability"])
    found = {f"dsc_t{int(100 * t)}": overlap.dsc(truth, chance >= t).value for t in inputs["thresholds"]}
    return found | {"dsc_spread": max(found.values()) - min(found.values())}


@recipe("EX-SEG-VOLUME-RATIO")
def volume_ratio(inputs):
    truth = inputs["reference"]
    found = {"reference.ratio": truth["B"] / truth["A"]}
    for number in (1, 2):
        guess = inputs[f"prediction_{number}"]
        dsc = [2 * guess[k]["overlap"] / (truth[k] + guess[k]["size"]) for k in truth]
        found |= {f"{number}.mean_dsc": np.mean(dsc), f"{number}.ratio": guess["B"]["size"] / guess["A"]["size"]}
    return found


@recipe("EX-SEG-WRONG-INSTANCE-BOUNDARY")
def wrong_instance(inputs):
    first, second = mask(inputs["reference_1"]), mask(inputs["reference_2"])
    probe = np.zeros_like(first)
    probe[tuple(inputs["probe_pixel"])] = True

    def distance(truth):
        return boundary.pair(instance.Mask(truth), instance.Mask(probe)).distances().to_reference[0]

    return {"semantic.distance": distance(first | second), "instance.distance": distance(second)}


@recipe("EX-SEG-BOUNDARY-IOU-HOLE")
def boundary_iou_hole(inputs):
    truth, guess = mask(inputs["reference"]), mask(inputs["prediction"])
    combined = boundary.boundary_iou(truth, guess, distance=inputs["d"], combine_with_mask_iou=True)
    return {
        "boundary_iou": boundary.boundary_iou(truth, guess, distance=inputs["d"]).value,
        "loc_mask_iou": overlap.iou(truth, guess).value,
        "min_of_both": combined.value,
    }


@recipe("EX-SEG-OVERLAPPING-PREDICTIONS")
def overlapping(inputs):
    m = masks_of(inputs, ("reference_1", "reference_2", "prediction_1", "prediction_2"))
    merged = m["reference_1"] | m["reference_2"], m["prediction_1"] | m["prediction_2"]
    return {
        "merged.dsc": overlap.dsc(*merged).value,
        "instance_1.dsc": overlap.dsc(m["reference_1"], m["prediction_1"]).value,
        "instance_2.dsc": overlap.dsc(m["reference_2"], m["prediction_2"]).value,
        "reference.overlap_pixels": int((m["reference_1"] & m["reference_2"]).sum()),
        "prediction.overlap_pixels": int((m["prediction_1"] & m["prediction_2"]).sum()),
    }


@recipe("EX-AGG-NAN-BOUNDED")
def nan_bounded(inputs):
    kept = [v for v in inputs["dsc"] if v is not None]
    filled = [v or 0.0 for v in inputs["dsc"]]
    return {"mean_ignoring_missing": np.mean(kept), "mean_missing_as_worst": np.mean(filled)}


@recipe("EX-AGG-NAN-UNBOUNDED")
def nan_unbounded(inputs):
    kept, worst = [v for v in inputs["hd"] if v is not None], inputs["image_diagonal"]
    filled = [worst if v is None else v for v in inputs["hd"]]
    return {"ignore": np.mean(kept), "max_distance": np.mean(filled), "normalised_worst_1": np.mean(filled) / worst}


@recipe("EX-AGG-HIERARCHICAL-STANDIN")
def hierarchical(inputs):
    patients = list(inputs["dsc_per_patient"].values())
    return {
        "mean_dsc_over_images": np.mean([v for values in patients for v in values]),
        "mean_dsc_hierarchical": np.mean([np.mean(values) for values in patients]),
    }


@recipe("EX-AGG-PER-CLASS-STANDIN")
def per_class(inputs):
    by_class = inputs["dsc_per_class"]
    found = {"mean_dsc_over_all": np.mean([v for values in by_class.values() for v in values])}
    found |= {f"mean_dsc_{name}": np.mean(by_class[name]) for name in ("class_2", "class_3")}
    rest = [v for name, values in by_class.items() if name != "background" for v in values]
    return found | {"mean_dsc_without_background": np.mean(rest)}


@recipe("EX-RANK-RELATED-METRICS")
def related_metrics(inputs):
    found = {}
    for column, name in enumerate(inputs["columns"]):
        means = {
            team: np.mean([image[team][column] for image in inputs["images"].values()]) for team in ("A1", "A2", "A3")
        }
        found |= {
            f"{name}.{team}.rank": rank for team, rank in ranks(means, higher=name != "hausdorff_distance").items()
        }
    return found


@recipe("EX-RANK-RELATED-METRICS-IOU-COLUMN")
def printed_iou(inputs):
    """Three of the six printed values contradict the DSC printed next to them."""
    return {f"{name}.iou": dsc / (2 - dsc) for name, dsc in inputs["dsc"].items()}


@recipe("EX-RANK-IRRELEVANT-DIFFERENCE")
def irrelevant(inputs):
    s = inputs["scores"]
    found = {
        "difference_1": s["A2"] - s["A1"],
        "difference_2": s["A1"] - s["A3"],
        "difference_A2_A3": s["A2"] - s["A3"],
    }
    return found | {f"{team}.rank": rank for team, rank in ranks(s, higher=True).items()}
