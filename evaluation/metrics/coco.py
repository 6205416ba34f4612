"""Detections as pycocotools matches them, for average precision that is to be compared with published COCO numbers.

Follows ``COCOeval.evaluateImg`` and ``accumulate`` of pycocotools 2.0.11 step by step: predictions of an image by descending
score, equal scores in the order of the file, at most `MAX_DETECTIONS` of an image and class; each takes the free reference
with the highest IoU, of equal ones the last; a region to be ignored is a crowd, which takes any number of predictions and
divides the shared area by that of the prediction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.matching import Rule
from evaluation.matching.criteria import mask_overlap
from evaluation.metrics.detections import Detections

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from evaluation.matching import Objects
    from evaluation.metrics.values import FloatArray

INTERPOLATION: Final = "coco_101"
MAX_DETECTIONS: Final = 100
_CRITERIA: Final = ("loc_box_iou", "loc_mask_iou")
_ALMOST_ONE: Final = 1 - 1e-10


def trace_coco(
    references: Sequence[Objects],
    predictions: Sequence[Objects],
    options: Mapping[str, Any],
    cutoff: float | None = None,
) -> Detections:
    """Match every image and keep at which score each hit and false alarm comes in, one step a prediction.

    Parameters
    ----------
    references, predictions
        Objects of one class, image by image in the order of their names.
    options
        Those of the metric: ``localization_criterion`` (box or mask IoU), ``localization_threshold``, ``max_detections``.
    cutoff
        In place of ``localization_threshold``.

    Raises
    ------
    ValueError
        For another criterion or assignment than COCO's, or predictions without scores.
    """
    rule = Rule.from_options(options, cutoff)
    if rule.criterion not in _CRITERIA or rule.assignment != "greedy_by_score" or rule.double_assignment != "fp":
        message = f"{INTERPOLATION} matches by box or mask IoU, greedily by score, as pycocotools does; choose points_101 for others"
        raise ValueError(message)
    limit = int(options.get("max_detections") or MAX_DETECTIONS)
    image: list[int] = []
    score: list[float] = []
    tp: list[float] = []
    for number, (reference, prediction) in enumerate(zip(references, predictions, strict=True)):
        if not prediction.size:
            continue
        if prediction.scores is None:
            message = "curves need a score for every predicted object"
            raise ValueError(message)
        best = np.argsort(-prediction.scores, kind="mergesort")[:limit]
        hits, ignored = _match(_iou(reference, prediction, rule.criterion)[best], reference.ignored, rule.threshold)
        image += [number] * int(np.count_nonzero(~ignored))
        score += prediction.scores[best][~ignored].tolist()
        tp += hits[~ignored].astype(float).tolist()
    counts = np.array([int(np.count_nonzero(~each.ignored)) for each in references], dtype=np.int64)
    true_positives = np.array(tp, dtype=float)
    return Detections(
        counts, np.array(image, dtype=np.int64), np.array(score, dtype=float), true_positives, 1.0 - true_positives
    )


def _match(iou: FloatArray, crowd: NDArray[np.bool_], threshold: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of the predictions that hit a reference, and of those ignored because they match a crowd.

    The predictions must be sorted with the best first.
    """
    order = np.argsort(crowd, kind="mergesort")
    taken = np.zeros(len(crowd), dtype=bool)
    hits = np.zeros(len(iou), dtype=bool)
    ignored = np.zeros(len(iou), dtype=bool)
    for row, values in enumerate(iou):
        best, match = min(threshold, _ALMOST_ONE), -1
        for column in order:
            if taken[column] and not crowd[column]:
                continue
            if match > -1 and not crowd[match] and crowd[column]:
                break
            if values[column] < best:
                continue
            best, match = values[column], int(column)
        if match > -1:
            taken[match] = True
            ignored[row] = crowd[match]
            hits[row] = not crowd[match]
    return hits, ignored


def _iou(reference: Objects, prediction: Objects, criterion: str) -> FloatArray:
    """Return the IoU of every prediction with every reference.

    For a crowd, it is the share of the prediction inside the crowd.
    """
    shared = np.zeros((prediction.size, reference.size))
    if criterion == "loc_mask_iou":
        pairs = mask_overlap(reference, prediction)
        shared[pairs.prediction, pairs.reference] = pairs.value
        areas, others = prediction.areas[:, None], reference.areas[None, :]
    else:
        half = prediction.dimensions
        first, second = prediction.boxes[:, None, :], reference.boxes[None, :, :]
        low = np.maximum(first[..., :half], second[..., :half])
        high = np.minimum(first[..., half:], second[..., half:])
        shared = np.prod(np.clip(high - low, 0, None), axis=-1)
        areas = np.prod(first[..., half:] - first[..., :half], axis=-1)
        others = np.prod(second[..., half:] - second[..., :half], axis=-1)
    union = np.where(reference.ignored[None, :], areas + np.zeros_like(others), areas + others - shared)
    values: FloatArray = shared / union
    return values
