"""Times of matching and object metrics, compared with faster-coco-eval and pycocotools on the same boxes.

One core is used. Detection: 1,000 images with 20 boxes of 5 classes, and 20 predictions plus 5 false ones. Instances: a
label map of 1000 × 1000 pixels with 500 nuclei.
"""

from __future__ import annotations

import contextlib
import importlib
import io
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import ndimage

from evaluation.matching import Objects
from evaluation.metrics import instance
from evaluation.metrics.boundary import hausdorff_distance
from evaluation.metrics.coco import AREAS, CUTOFFS, LIMITS, CocoScores, coco_scores
from evaluation.metrics.overlap import dsc
from tests.performance.bench_masks import Timing, best

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

IMAGES, BOXES, CLASSES, EXTRA = 1000, 20, 5, 5


def boxes() -> tuple[list[Objects], list[Objects]]:
    """References, and predictions that are a little off, with false ones among them."""
    rng = np.random.default_rng(1)
    references, predictions = [], []
    for _ in range(IMAGES):
        corner = rng.uniform(0, 900, (BOXES, 2))
        size = rng.uniform(20, 80, (BOXES, 2))
        names = rng.integers(0, CLASSES, BOXES + EXTRA).astype(str)
        references.append(Objects(boxes=np.hstack([corner, corner + size]), classes=names[:BOXES].tolist()))
        moved = np.vstack([corner + rng.normal(0, 4, (BOXES, 2)), rng.uniform(0, 900, (EXTRA, 2))])
        sizes = np.vstack([size, rng.uniform(20, 80, (EXTRA, 2))])
        scores = rng.uniform(0, 1, BOXES + EXTRA)
        predictions.append(Objects(boxes=np.hstack([moved, moved + sizes]), classes=names.tolist(), scores=scores))
    return references, predictions


def nuclei() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """500 round nuclei, and the same a little off."""
    rng = np.random.default_rng(2)
    truth = np.zeros((1000, 1000), dtype=np.int32)
    grid = np.argwhere(np.ones((23, 23), dtype=bool))[:500] * 43 + 25
    rows, columns = np.indices((41, 41)) - 20
    for label, place in enumerate(grid, start=1):
        disc = rows**2 + columns**2 <= rng.integers(6, 16) ** 2
        part = truth[place[0] - 20 : place[0] + 21, place[1] - 20 : place[1] + 21]
        part[disc] = label
    return truth, np.asarray(ndimage.shift(truth, (2, 1), order=0), dtype=np.int32)


def everything_of_coco(references: list[Objects], predictions: list[Objects]) -> CocoScores:
    """Precision at 101 recalls and recall, at 10 cutoffs, in 4 ranges of areas and with 3 limits."""
    return coco_scores(references, predictions, [str(code) for code in range(CLASSES)])


def _coco(peer: str, references: list[Objects], predictions: list[Objects]) -> Any:
    """The peer's complete evaluation, on documents that are built beforehand."""
    names = {"pycocotools": ("pycocotools.coco", "pycocotools.cocoeval", "COCO", "COCOeval")}
    names["faster-coco-eval"] = ("faster_coco_eval", "faster_coco_eval", "COCO", "COCOeval_faster")
    coco_module, eval_module, coco_name, eval_name = names[peer]
    try:
        coco, evaluator = (
            getattr(importlib.import_module(coco_module), coco_name),
            getattr(importlib.import_module(eval_module), eval_name),
        )
    except ImportError:
        return None

    def rows(images: list[Objects]) -> list[dict[str, Any]]:
        return [
            {
                "image_id": image,
                "category_id": int(objects.classes[i]),
                "bbox": [*objects.boxes[i, :2], *(objects.boxes[i, 2:] - objects.boxes[i, :2])],
                "area": float(objects.areas[i]),
                "iscrowd": 0,
                **({} if objects.scores is None else {"score": float(objects.scores[i])}),
            }
            for image, objects in enumerate(images)
            for i in range(objects.size)
        ]

    with contextlib.redirect_stdout(io.StringIO()):
        truth = coco()
        annotations = [{**row, "id": number} for number, row in enumerate(rows(references), start=1)]
        truth.dataset = {
            "images": [{"id": image} for image in range(len(references))],
            "categories": [{"id": code, "name": str(code)} for code in range(CLASSES)],
            "annotations": annotations,
        }
        truth.createIndex()
        found = truth.loadRes(rows(predictions))

    def run() -> Any:
        with contextlib.redirect_stdout(io.StringIO()):
            judge = evaluator(truth, found, "bbox")
            judge.params.iouThrs = np.array(CUTOFFS)
            judge.params.areaRng = [list(area) for area in AREAS.values()]
            judge.params.maxDets = list(LIMITS)
            judge.evaluate()
            judge.accumulate()
        return judge.eval

    return run


def same_values(ours: CocoScores, theirs: Any) -> None:
    """Refuse to compare times of unequal work: every precision and every recall must be the same."""
    np.testing.assert_allclose(
        ours.precision, np.asarray(theirs["precision"]).reshape(ours.precision.shape), atol=1e-12
    )
    np.testing.assert_allclose(ours.recall, np.asarray(theirs["recall"]).reshape(ours.recall.shape), atol=1e-12)


def benchmarks() -> Iterator[Timing]:
    """Measure."""
    references, predictions = boxes()
    ours = best(lambda: everything_of_coco(references, predictions), 5)
    for peer, factor in (("pycocotools", 3), ("faster-coco-eval", 1)):
        run = _coco(peer, references, predictions)
        title, theirs = peer if run else f"{peer} (not installed)", None
        if run is not None:
            same_values(everything_of_coco(references, predictions), run())
            theirs = best(run, 3)
        yield Timing("COCO: 10 cutoffs, 4 areas, 3 limits", ours, theirs and theirs / factor, title, theirs)
    truth, found = nuclei()
    quality = best(lambda: instance.panoptic_quality(truth, found), 5)
    yield Timing("PQ, 1000×1000, 500 nuclei", quality, 0.05, "", None)

    def with_distances() -> None:
        one, other = Objects(labels=truth), Objects(labels=found)
        for metric in (dsc, hausdorff_distance):
            instance.of_matched(metric, one, other)

    yield Timing("DSC and HD per instance on them", best(with_distances, 3), 1.0, "", None)
