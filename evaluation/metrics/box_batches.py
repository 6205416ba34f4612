"""Matching boxes of all images and classes in one go: the usual case of detection, without a loop over images.

Gives what `evaluation.metrics.detections.trace_detections` gives image by image, for boxes, box IoU, ``greedy_by_score`` and
references without regions to ignore.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from evaluation.matching import Objects, Rule
    from evaluation.metrics.values import FloatArray

_EXACT = 1e-12


class Flat(NamedTuple):
    """Objects of all images behind one another.

    Attributes
    ----------
    group
        Image and class of each, as one number: image × classes + class.
    """

    boxes: FloatArray
    group: NDArray[np.int64]
    scores: FloatArray


class Steps(NamedTuple):
    """Components of `Detections` for one class."""

    references: NDArray[np.int64]
    image: NDArray[np.int64]
    score: FloatArray
    tp: FloatArray
    fp: FloatArray


def applies(references: Sequence[Objects], predictions: Sequence[Objects], rule: Rule) -> bool:
    """Return whether boxes can be matched all at once."""
    return (
        rule.criterion == "loc_box_iou"
        and rule.assignment == "greedy_by_score"
        and all(image.boxes_given is not None and not image.ignored.any() for image in references)
        and all(image.boxes_given is not None and (image.scores is not None or not image.size) for image in predictions)
        and len({image.dimensions for image in (*references, *predictions) if image.size}) <= 1
    )


def match_boxes(
    references: Sequence[Objects], predictions: Sequence[Objects], rule: Rule, names: Sequence[Hashable] | None = None
) -> list[Steps]:
    """Match all images.

    Parameters
    ----------
    names
        Classes to keep apart; ``None`` takes all objects for one class.

    Returns
    -------
    list of Steps
        One for each class.
    """
    code = None if names is None else {name: index for index, name in enumerate(names)}
    classes = 1 if names is None else len(names)
    ours, theirs = _flatten(references, code, classes), _flatten(predictions, code, classes)
    groups = len(references) * classes
    extra = 1.0 if dict(rule.options).get("box_convention") == "inclusive_pixels" else 0.0
    one, other = pairs_of_groups(ours.group, theirs.group, groups)
    iou = _iou(ours.boxes[one], theirs.boxes[other], extra)
    passing = iou >= rule.threshold * (1 - _EXACT) if rule.threshold else iou > 0
    one, other, iou = one[passing], other[passing], iou[passing]
    rank, rank_of_reference = _ranks(theirs.boxes), _ranks(ours.boxes)
    order = np.lexsort((rank_of_reference[one], rank[other], -np.round(iou, 10), -theirs.scores[other]))
    matched = _greedy(one[order], other[order], len(ours.boxes), len(theirs.boxes))
    counted = np.ones(len(theirs.boxes), dtype=bool)
    if rule.double_assignment == "ignore":
        counted[other] = False
        counted[matched] = True
    by_group = np.bincount(ours.group, minlength=groups).reshape(len(references), classes)
    counted_order = np.flatnonzero(counted)
    counted_order = counted_order[np.lexsort((rank[counted_order], theirs.group[counted_order]))]
    image, of_class = np.divmod(theirs.group[counted_order], classes)
    tp = matched[counted_order].astype(float)
    class_steps = []
    for index in range(classes):
        in_class = of_class == index
        steps = Steps(
            by_group[:, index],
            image[in_class],
            theirs.scores[counted_order][in_class],
            tp[in_class],
            1.0 - tp[in_class],
        )
        class_steps.append(steps)
    return class_steps


def _flatten(images: Sequence[Objects], code: dict[Any, int] | None, classes: int) -> Flat:
    sizes = np.array([image.size for image in images], dtype=np.int64)
    filled = [image for image in images if image.size]
    width = filled[0].boxes.shape[1] if filled else 4
    boxes = np.concatenate([image.boxes for image in filled]) if filled else np.zeros((0, width))
    scores = np.concatenate(
        [np.zeros(image.size) if image.scores is None else image.scores for image in filled] or [np.zeros(0)]
    )
    group = np.repeat(np.arange(len(images)), sizes) * classes
    if code is not None:
        names = [
            name
            for image in filled
            for name in ([""] * image.size if image.classes is None else image.classes.tolist())
        ]
        group = group + np.array([code[name] for name in names], dtype=np.int64)
    return Flat(boxes, group, scores)


def pairs_of_groups(
    one_group: NDArray[np.int64], other_group: NDArray[np.int64], groups: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all pairs of one group, as indices of the first and of the second side.

    Examples
    --------
    >>> [side.tolist() for side in pairs_of_groups(np.array([0, 1]), np.array([1, 1, 0]), 2)]
    [[0, 1, 1], [2, 0, 1]]
    """
    order = np.argsort(other_group, kind="stable")
    counts = np.bincount(other_group, minlength=groups)
    starts = np.concatenate([[0], np.cumsum(counts)])
    partners = counts[one_group]
    one = np.repeat(np.arange(len(one_group)), partners)
    nth = np.arange(len(one)) - np.repeat(np.cumsum(partners) - partners, partners)
    return one, order[np.repeat(starts[one_group], partners) + nth]


def _iou(one: FloatArray, other: FloatArray, extra: float) -> FloatArray:
    half = one.shape[1] // 2
    sides = np.minimum(one[:, half:], other[:, half:]) - np.maximum(one[:, :half], other[:, :half]) + extra
    common = np.prod(np.maximum(sides, 0.0), axis=1)
    areas = [np.prod(boxes[:, half:] - boxes[:, :half] + extra, axis=1) for boxes in (one, other)]
    iou: FloatArray = common / (areas[0] + areas[1] - common)
    return iou


def _ranks(boxes: FloatArray) -> NDArray[np.int64]:
    ranks = np.empty(len(boxes), dtype=np.int64)
    ranks[np.lexsort(boxes.T[::-1])] = np.arange(len(boxes))
    return ranks


def _greedy(one: NDArray[np.int64], other: NDArray[np.int64], references: int, predictions: int) -> NDArray[np.bool_]:
    """Return a mask of the predictions that find a free reference, pair by pair."""
    free = bytearray(b"\1") * references
    matched = bytearray(predictions)
    for reference, prediction in zip(one.tolist(), other.tolist(), strict=True):
        if free[reference] and not matched[prediction]:
            free[reference] = 0
            matched[prediction] = 1
    return np.frombuffer(matched, dtype=np.uint8).astype(bool)
