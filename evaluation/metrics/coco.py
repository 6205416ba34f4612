"""Detections as pycocotools matches them, for average precision and recall that are to be compared with published COCO numbers.

Follows ``COCOeval.evaluateImg`` and ``accumulate`` of pycocotools 2.0.11 step by step: predictions of an image by descending
score, equal scores in the order of the file, at most `MAX_DETECTIONS` of an image and class. Each takes the free reference
with the highest IoU, of equal ones the last. A region to be ignored is a crowd, which takes any number of predictions and
divides the shared area by that of the prediction. References outside a range of areas are ignored, and so are predictions
outside it that hit nothing. All images, classes, cutoffs and ranges are matched in one pass: only pairs that reach the lowest
cutoff are looked at, and the predictions of all images that come first, second, … are matched together.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from evaluation.matching import Rule
from evaluation.matching.criteria import mask_overlap
from evaluation.metrics.box_batches import pairs_of_groups
from evaluation.metrics.detections import Detections

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from evaluation.matching import Objects
    from evaluation.metrics.values import FloatArray

INTERPOLATION: Final = "coco_101"
MAX_DETECTIONS: Final = 100
CUTOFFS: Final = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""Cutoffs of the IoU over which COCO averages."""
AREAS: Final[Mapping[str, tuple[float, float]]] = {
    "all": (0.0, 1e10),
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, 1e10),
}
"""Ranges of the area in pixels, both ends included, as COCO names them."""
LIMITS: Final = (1, 10, 100)
_CRITERIA: Final = ("loc_box_iou", "loc_mask_iou")
_ALMOST_ONE: Final = 1 - 1e-10
_RECALLS: Final = np.linspace(0.0, 1.0, 101)


class Matched(NamedTuple):
    """Predictions of all images and classes, matched at every range of areas and every cutoff.

    Attributes
    ----------
    kind, image, rank, score
        Class, image, place among the predictions of its image and class from 0, and score of each prediction, ``(n,)``.
        They are sorted by class, image and rank.
    hits, ignored
        Whether it finds a reference, and whether it counts neither way, ``(n, ranges, cutoffs)``.
    references
        Number of references that count, ``(classes, ranges, images)``.
    """

    kind: NDArray[np.int64]
    image: NDArray[np.int64]
    rank: NDArray[np.int64]
    score: FloatArray
    hits: NDArray[np.bool_]
    ignored: NDArray[np.bool_]
    references: NDArray[np.int64]


class CocoScores(NamedTuple):
    """Precision at 101 Sensitivities and the final Sensitivity, -1 for classes without a reference.

    Attributes
    ----------
    precision
        Shape ``(cutoffs, 101, classes, ranges, limits)``, as ``COCOeval.eval["precision"]``.
    recall
        Shape ``(cutoffs, classes, ranges, limits)``, as ``COCOeval.eval["recall"]``.
    """

    precision: FloatArray
    recall: FloatArray

    def mean(self, what: str, *, cutoff: int | None = None, area: int = 0, limit: int = -1) -> float:
        """Return the mean of ``precision`` or ``recall`` over classes and cutoffs; -1 if no class has a reference."""
        values = (self.precision if what == "precision" else self.recall)[..., area, limit]
        values = values if cutoff is None else values[cutoff : cutoff + 1]
        values = values[values > -1]
        return float(values.mean()) if values.size else -1.0


def coco_scores(
    references: Sequence[Objects],
    predictions: Sequence[Objects],
    names: Sequence[Hashable],
    *,
    criterion: str = "loc_box_iou",
    cutoffs: Sequence[float] = CUTOFFS,
    ranges: Sequence[tuple[float, float]] = tuple(AREAS.values()),
    limits: Sequence[int] = LIMITS,
) -> CocoScores:
    """Compute everything that ``COCOeval.accumulate`` computes.

    Parameters
    ----------
    references, predictions
        Objects of all classes, image by image in the order of their names.
    names
        The classes.
    limits
        Ascending numbers of predictions of an image and class that are read.

    Examples
    --------
    >>> from evaluation.matching import Objects
    >>> truth = [Objects(boxes=[[0, 0, 10, 10], [50, 50, 60, 60]], classes=["a", "a"])]
    >>> guess = [Objects(boxes=[[0, 0, 10, 8]], classes=["a"], scores=[0.9])]
    >>> scores = coco_scores(truth, guess, ["a"])
    >>> round(scores.mean("recall"), 3), round(scores.mean("precision", cutoff=0), 3)
    (0.35, 0.505)
    """
    matched = match_coco(references, predictions, names, criterion, cutoffs, ranges, max(limits))
    shape = (len(cutoffs), len(names), len(ranges), len(limits))
    precision = np.full((len(cutoffs), len(_RECALLS), *shape[1:]), -1.0)
    recall = np.full(shape, -1.0)
    order = np.lexsort((matched.rank, matched.image, -matched.score, matched.kind))
    kind, rank = matched.kind[order], matched.rank[order]
    starts = np.searchsorted(kind, np.arange(len(names) + 1))
    totals = matched.references.sum(axis=2)
    for code in range(len(names)):
        of_class = order[starts[code] : starts[code + 1]]
        ranks = rank[starts[code] : starts[code + 1]]
        highest = int(ranks.max(initial=-1)) + 1
        for number, limit in enumerate(limits):
            if number and limits[number - 1] >= highest:  # no image has more predictions than the limit before
                precision[:, :, code, :, number] = precision[:, :, code, :, number - 1]
                recall[:, code, :, number] = recall[:, code, :, number - 1]
                continue
            chosen = of_class if limit >= highest else of_class[ranks < limit]
            hits, counted = matched.hits[chosen], ~matched.ignored[chosen]
            for area in np.flatnonzero(totals[code]):
                for cutoff in range(len(cutoffs)):
                    row = _at_recalls(hits[:, area, cutoff], counted[:, area, cutoff], int(totals[code, area]))
                    precision[cutoff, :, code, area, number], recall[cutoff, code, area, number] = row
    return CocoScores(precision, recall)


def _at_recalls(hits: NDArray[np.bool_], counted: NDArray[np.bool_], total: int) -> tuple[FloatArray, float]:
    """Greatest precision at each of 101 Sensitivities or above, and the final Sensitivity.

    Only hits are looked at: between two hits precision falls, so that the greatest one is at a hit.
    """
    places = np.flatnonzero(hits)
    tp = np.arange(1, len(places) + 1, dtype=np.float64)
    fp = np.cumsum(counted)[places] - tp
    envelope = np.maximum.accumulate((tp / (fp + tp + np.spacing(1)))[::-1])[::-1]
    recalls = tp / total
    first = np.searchsorted(recalls, _RECALLS, side="left")
    values = np.append(envelope, 0.0)[np.minimum(first, len(envelope))]
    return values, float(recalls[-1]) if len(recalls) else 0.0


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
        Those of the metric: ``localization_criterion`` (box or mask IoU), ``localization_threshold``, ``max_detections``,
        ``area``.
    cutoff
        In place of ``localization_threshold``.

    Raises
    ------
    ValueError
        For another criterion or assignment than COCO's, or predictions without scores.
    """
    return trace_coco_classes(references, predictions, options, [cutoff], None)[0][0]


def trace_coco_classes(
    references: Sequence[Objects],
    predictions: Sequence[Objects],
    options: Mapping[str, Any],
    cutoffs: Sequence[float | None],
    names: Sequence[Hashable] | None,
) -> list[list[Detections]]:
    """`trace_coco` for each class and cutoff, from one matching; without names all objects are of one class."""
    rules = [Rule.from_options(options, cutoff) for cutoff in cutoffs]
    rule = rules[0]
    if rule.criterion not in _CRITERIA or rule.assignment != "greedy_by_score" or rule.double_assignment != "fp":
        message = f"{INTERPOLATION} matches by box or mask IoU, greedily by score, as pycocotools does; choose points_101 for others"
        raise ValueError(message)
    limit = int(options.get("max_detections") or MAX_DETECTIONS)
    thresholds = [each.threshold for each in rules]
    ranges = [area_range(options.get("area"))]
    matched = match_coco(references, predictions, names, rule.criterion, thresholds, ranges, limit)
    classes = []
    for code in range(1 if names is None else len(names)):
        of_class = matched.kind == code
        of_cutoffs = []
        for number in range(len(cutoffs)):
            chosen = of_class & ~matched.ignored[:, 0, number]
            tp = matched.hits[chosen, 0, number].astype(np.float64)
            steps = Detections(matched.references[code, 0], matched.image[chosen], matched.score[chosen], tp, 1.0 - tp)
            of_cutoffs.append(steps)
        classes.append(of_cutoffs)
    return classes


def area_range(area: str | Sequence[float] | None) -> tuple[float, float]:
    """Return the range of areas of an option: a name of COCO, or two numbers; everything by default."""
    if area is None:
        return AREAS["all"]
    if isinstance(area, str):
        return AREAS[area]
    low, high = area
    return float(low), float(high)


class _Flat(NamedTuple):
    """Objects of all images behind one another; the group is image × classes + class."""

    boxes: FloatArray
    areas: FloatArray
    group: NDArray[np.int64]
    scores: FloatArray
    ignored: NDArray[np.bool_]
    image: NDArray[np.int64]
    number: NDArray[np.int64]

    def select(self, rows: NDArray[np.int64]) -> _Flat:
        """Only some of the objects, in the given order."""
        return _Flat(
            self.boxes[rows],
            self.areas[rows],
            self.group[rows],
            self.scores[rows],
            self.ignored[rows],
            self.image[rows],
            self.number[rows],
        )


def match_coco(
    references: Sequence[Objects],
    predictions: Sequence[Objects],
    names: Sequence[Hashable] | None,
    criterion: str,
    cutoffs: Sequence[float],
    ranges: Sequence[tuple[float, float]],
    limit: int,
) -> Matched:
    """Match all images, classes, ranges and cutoffs.

    Raises
    ------
    ValueError
        If predictions have no scores, or the numbers of images differ.
    """
    if len(references) != len(predictions):
        message = f"{len(references)} images in the reference and {len(predictions)} in the prediction"
        raise ValueError(message)
    if any(image.size and image.scores is None for image in predictions):
        message = "curves need a score for every predicted object"
        raise ValueError(message)
    classes = 1 if names is None else len(names)
    groups = max(1, len(references) * classes)
    by_box = criterion == "loc_box_iou"
    ours, theirs = _flatten(references, names, by_box=by_box), _flatten(predictions, names, by_box=by_box)
    order = np.lexsort((-theirs.scores, theirs.group))
    starts = np.searchsorted(theirs.group[order], np.arange(groups))
    rank = np.arange(len(order)) - starts[theirs.group[order]]
    order, rank = order[rank < limit], rank[rank < limit]
    theirs = theirs.select(order)
    one, other = pairs_of_groups(ours.group, theirs.group, groups)
    iou = _iou(ours, theirs, one, other) if by_box else _mask_iou(references, predictions, ours, theirs, one, other)
    thresholds = np.minimum(np.asarray(cutoffs, dtype=np.float64), _ALMOST_ONE)
    near = iou >= thresholds.min(initial=1.0)
    low, high = np.array(ranges, dtype=np.float64).T
    outside = [(each.areas[:, None] < low) | (each.areas[:, None] > high) for each in (ours, theirs)]
    ignored_references = ours.ignored[:, None] | outside[0]
    hits, ignored = _match(
        one[near], other[near], iou[near], theirs.group, rank, ignored_references, ours.ignored, thresholds
    )
    ignored |= ~hits & outside[1][:, :, None]
    image, kind = np.divmod(theirs.group, classes)
    counts = np.stack([np.bincount(ours.group[~column], minlength=groups) for column in ignored_references.T])
    by_class = counts.reshape(len(ranges), -1, classes).transpose(2, 0, 1)[:, :, : len(references)]
    sorted_by_class = np.lexsort((rank, image, kind))
    rows = sorted_by_class
    return Matched(kind[rows], image[rows], rank[rows], theirs.scores[rows], hits[rows], ignored[rows], by_class)


def _flatten(images: Sequence[Objects], names: Sequence[Hashable] | None, *, by_box: bool) -> _Flat:
    """Put the objects of the named classes behind one another.

    Objects of an image without any class, and ignored regions without one, belong to each class.
    """
    sizes = np.array([image.size for image in images], dtype=np.int64)
    filled = [image for image in images if image.size]
    width = filled[0].dimensions * 2 if filled else 4
    image = np.repeat(np.arange(len(images)), sizes)
    number = np.arange(len(image)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    boxes = np.concatenate([each.boxes for each in filled]) if filled and by_box else np.zeros((len(image), width))
    areas = np.concatenate([each.areas for each in filled] or [np.zeros(0)])
    scores = np.concatenate(
        [np.zeros(each.size) if each.scores is None else each.scores for each in filled] or [np.zeros(0)]
    )
    ignored = np.concatenate([each.ignored for each in filled] or [np.zeros(0, dtype=bool)])
    rows = np.arange(len(image))
    group = image
    if names is not None:
        code = {name: index for index, name in enumerate(names)}
        labels = [name for each in filled for name in _labels(each)]
        kind = np.array([code.get(name, -1) for name in labels], dtype=np.int64)
        unnamed = np.array([name == "" for name in labels], dtype=bool)
        without = np.repeat([each.classes is None for each in filled], [each.size for each in filled]).astype(bool)
        everywhere = np.flatnonzero((kind < 0) & (without | (ignored & unnamed)))
        single = np.flatnonzero(kind >= 0)
        rows = np.concatenate([single, np.repeat(everywhere, len(names))])
        kinds = np.concatenate([kind[single], np.tile(np.arange(len(names)), len(everywhere))])
        order = np.lexsort((kinds, rows))
        rows, kinds = rows[order], kinds[order]
        group = image[rows] * len(names) + kinds
    return _Flat(boxes[rows], areas[rows], group, scores[rows], ignored[rows], image[rows], number[rows])


def _labels(objects: Objects) -> list[Hashable]:
    labels: list[Hashable] = [""] * objects.size if objects.classes is None else objects.classes.tolist()
    return labels


def _iou(ours: _Flat, theirs: _Flat, one: NDArray[np.int64], other: NDArray[np.int64]) -> FloatArray:
    """IoU of pairs of boxes; of a crowd the share of the prediction that it covers."""
    half = ours.boxes.shape[1] // 2
    first, second = theirs.boxes[other], ours.boxes[one]
    sides = np.minimum(first[:, half:], second[:, half:]) - np.maximum(first[:, :half], second[:, :half])
    shared = np.prod(np.clip(sides, 0, None), axis=1)
    return _over_union(shared, ours, theirs, one, other)


def _over_union(
    shared: FloatArray, ours: _Flat, theirs: _Flat, one: NDArray[np.int64], other: NDArray[np.int64]
) -> FloatArray:
    areas = theirs.areas[other]
    values: FloatArray = shared / np.where(ours.ignored[one], areas, areas + ours.areas[one] - shared)
    return values


def _mask_iou(
    references: Sequence[Objects],
    predictions: Sequence[Objects],
    ours: _Flat,
    theirs: _Flat,
    one: NDArray[np.int64],
    other: NDArray[np.int64],
) -> FloatArray:
    """IoU of pairs of masks, from the overlaps of each image."""
    shared = np.zeros(len(one))
    image = ours.image[one]
    starts = np.searchsorted(image, np.arange(len(references) + 1))
    for number in np.unique(image).tolist():
        pairs = mask_overlap(references[number], predictions[number])
        table = np.zeros((references[number].size, predictions[number].size))
        table[pairs.reference, pairs.prediction] = pairs.value
        of_image = slice(starts[number], starts[number + 1])
        shared[of_image] = table[ours.number[one[of_image]], theirs.number[other[of_image]]]
    return _over_union(shared, ours, theirs, one, other)


def _match(
    one: NDArray[np.int64],
    other: NDArray[np.int64],
    iou: FloatArray,
    group: NDArray[np.int64],
    rank: NDArray[np.int64],
    ignored_references: NDArray[np.bool_],
    crowd: NDArray[np.bool_],
    thresholds: FloatArray,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which predictions hit a reference, and which match one that is ignored.

    Parameters
    ----------
    one, other, iou
        Pairs of a reference and a prediction that reach the lowest threshold.
    group, rank
        Image and class of each prediction, and its place by score.
    ignored_references
        By reference and range of areas.
    """
    shape = (len(group), ignored_references.shape[1], len(thresholds))
    hits, ignored = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    taken = np.zeros((len(crowd), *shape[1:]), dtype=bool)
    candidates, values, rounds = _candidates(one, other, iou, group, rank)
    areas = np.arange(shape[1])[:, None]
    for predictions, rows in rounds:
        match = np.full((len(predictions), *shape[1:]), -1)
        for is_ignored in (False, True):
            best = np.broadcast_to(thresholds, match.shape).copy()
            is_open = match < 0
            for column in range(candidates.shape[1]):
                inside = np.flatnonzero(candidates[rows, column] >= 0)
                reference, value = candidates[rows[inside], column], values[rows[inside], column]
                fits = ignored_references[reference] == is_ignored
                if not fits.any():
                    continue
                free = ~taken[reference] | crowd[reference, None, None]
                takes = fits[:, :, None] & free & (value[:, None, None] >= best[inside]) & is_open[inside]
                best[inside] = np.where(takes, value[:, None, None], best[inside])
                match[inside] = np.where(takes, reference[:, None, None], match[inside])
        is_matched = match >= 0
        where = np.nonzero(is_matched)
        taken[match[where], where[1], where[2]] = True
        neutral = is_matched & ignored_references[np.where(is_matched, match, 0), areas]
        hits[predictions], ignored[predictions] = is_matched & ~neutral, neutral
    return hits, ignored


def _candidates(
    one: NDArray[np.int64], other: NDArray[np.int64], iou: FloatArray, group: NDArray[np.int64], rank: NDArray[np.int64]
) -> tuple[NDArray[np.int64], FloatArray, list[tuple[NDArray[np.int64], NDArray[np.int64]]]]:
    """Candidates of each prediction that has any, and rounds: the first of every group, then the second, …

    Returns
    -------
    tuple
        References and their IoU, one row for each prediction with candidates, -1 where a row has fewer; and for each round
        the predictions and their rows.
    """
    order = np.lexsort((one, other))
    one, other, iou = one[order], other[order], iou[order]
    predictions, starts, counts = np.unique(other, return_index=True, return_counts=True)
    width = int(counts.max(initial=0))
    row = np.repeat(np.arange(len(predictions)), counts)
    column = np.arange(len(one)) - starts[row]
    candidates, values = np.full((len(predictions), width), -1), np.zeros((len(predictions), width))
    candidates[row, column], values[row, column] = one, iou
    by_group = np.lexsort((rank[predictions], group[predictions]))
    grouped = group[predictions][by_group]
    turn = np.arange(len(grouped)) - np.searchsorted(grouped, grouped)
    by_turn = np.argsort(turn, kind="stable")
    ends = np.searchsorted(turn[by_turn], np.arange(int(turn.max(initial=-1)) + 2))
    rounds = []
    for start, end in itertools.pairwise(ends.tolist()):
        rows = by_group[by_turn[start:end]]
        rounds.append((predictions[rows], rows))
    return candidates, values, rounds
