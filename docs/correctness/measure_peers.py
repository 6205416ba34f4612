"""Generator of `peers.json`: results of other libraries on the masks and boxes that the pages show.

These libraries are not among the requirements of the project. Their results are therefore stored, with their
versions. Run from the top of the repository, in a separate environment:

    pip install -r requirements-bench.txt medpy==0.5.2
    python -m docs.correctness.measure_peers
"""
# ruff: noqa: INP001

from __future__ import annotations

import contextlib
import io
import json
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from docs.correctness.make_masks import HERE, e4, filled_and_holed

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Masks = tuple[NDArray[np.bool_], NDArray[np.bool_]]

DIGITS = 4


def said(work: Callable[[], Any]) -> float | str:
    """A number as a library gives it, or what it raises."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            number = float(work())
    except Exception as error:  # noqa: BLE001 (that is what is asked)
        return type(error).__name__
    return round(number, DIGITS) if np.isfinite(number) else str(number)


def surface_distance(masks: Masks, spacing: tuple[float, float]) -> dict[str, float | str]:
    """DeepMind's library: borders between pixels, weighted by their length."""
    peer = import_module("surface_distance")

    def of(function: Callable[[Any], Any]) -> float | str:
        return said(lambda: function(peer.compute_surface_distances(*masks, spacing)))

    return {
        "hd": of(lambda found: peer.compute_robust_hausdorff(found, 100)),
        "hd95": of(lambda found: peer.compute_robust_hausdorff(found, 95)),
        "masd": of(lambda found: np.mean(peer.compute_average_surface_distance(found))),
        "nsd1": of(lambda found: peer.compute_surface_dice_at_tolerance(found, 1.0)),
        "dsc": said(lambda: peer.compute_dice_coefficient(*masks)),
    }


def medpy(masks: Masks, spacing: tuple[float, float]) -> dict[str, float | str]:
    """MedPy, whose percentile is that of both directions together."""
    peer = import_module("medpy.metric.binary")
    reference, prediction = masks
    return {
        "hd": said(lambda: peer.hd(prediction, reference, spacing)),
        "hd95": said(lambda: peer.hd95(prediction, reference, spacing)),
        "assd": said(lambda: peer.assd(prediction, reference, spacing)),
        "dsc": said(lambda: peer.dc(prediction, reference)),
    }


def coco(makers: tuple[Any, Any], boxes: list[tuple[float, float]]) -> float | str:
    """Average precision of one image with two objects; predictions as place and score, in the order of the file."""
    make, evaluate = makers
    truth = {
        "images": [{"id": 1, "width": 100, "height": 100}],
        "categories": [{"id": 1, "name": "object"}],
        "annotations": [
            {"id": n, "image_id": 1, "category_id": 1, "bbox": [place, 0, 10, 10], "area": 100, "iscrowd": 0}
            for n, place in ((1, 0), (2, 20))
        ],
    }
    found = [{"image_id": 1, "category_id": 1, "bbox": [place, 0, 10, 10], "score": score} for place, score in boxes]

    def run() -> float:
        known = make()
        known.dataset = truth
        known.createIndex()
        judge = evaluate(known, known.loadRes(found), "bbox")
        judge.params.iouThrs = np.array([0.5])
        judge.evaluate()
        judge.accumulate()
        judge.summarize()
        return float(np.mean(judge.eval["precision"][0, :, 0, 0, -1]))

    return said(run)


def measure() -> dict[str, Any]:
    """All of it."""
    flat, long = (1.0, 1.0), (1.0, 2.5)
    nothing = np.zeros_like(e4()[0])
    masks = {
        "e4": (e4(), flat),
        "e4a": (e4(), long),
        "hole": (filled_and_holed(), flat),
        "both_empty": ((nothing, nothing), flat),
        "ref_empty": ((nothing, e4()[1]), flat),
        "pred_empty": ((e4()[0], nothing), flat),
    }
    orders = {
        "hit_first": [(0.0, 0.9), (20.0, 0.8), (50.0, 0.8)],
        "miss_first": [(0.0, 0.9), (50.0, 0.8), (20.0, 0.8)],
    }
    faster = import_module("faster_coco_eval")
    tools = {
        "pycocotools": (import_module("pycocotools.coco").COCO, import_module("pycocotools.cocoeval").COCOeval),
        "faster-coco-eval": (faster.COCO, faster.COCOeval_faster),
    }
    return {
        "versions": {name: version(name) for name in ("surface-distance-based-measures", "medpy", *tools)},
        "surface-distance": {name: surface_distance(*each) for name, each in masks.items()},
        "medpy": {name: medpy(*each) for name, each in masks.items()},
        **{tool: {name: coco(made, boxes) for name, boxes in orders.items()} for tool, made in tools.items()},
    }


if __name__ == "__main__":
    (HERE / "peers.json").write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
