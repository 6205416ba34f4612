"""Detection, classification and segmentation of objects, each assessed separately.

One number for all three cannot distinguish a weak classifier from a weak detector. Here objects are matched
regardless of their class. Detection counts the matches. Classification uses the classes of matched objects only,
segmentation their outlines only. Counts of several images are pooled (within a patient) by addition, values of
patients are averaged. After A. Foucart, O. Debeir, C. Decaestecker, "Evaluating participating methods in image
analysis challenges: lessons from MoNuSAC 2020", Pattern Recognition 141 (2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from evaluation.matching.assignment import inside_ignored
from evaluation.matching.criteria import CRITERIA, Pairs
from evaluation.metrics.contours import hausdorff_of_pairs
from evaluation.metrics.counting import Counts, fbeta, ppv, sensitivity
from evaluation.metrics.instance import PanopticCounts, panoptic_values
from evaluation.outcomes import Flag, Outcome, Result, ok, undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from evaluation.matching import Objects

MatchingRule = Literal["strict_iou", "centroid"]
MATCHING_RULES: Final = get_args(MatchingRule)
PANOPTIC: Final = ("panoptic_quality", "segmentation_quality", "detection_quality")


@dataclass(frozen=True)
class Disentangled:
    """Matched objects of an image, or of several images added up.

    Attributes
    ----------
    classes
        Names, in the order of rows and columns.
    confusion
        Shape ``(C + 1, C + 1)``, rows reference, columns prediction; the first row contains predictions without a
        reference, the first column references without a prediction.
    iou_sum, iou_hits
        Sum of the IoU of the matched pairs by reference class, ``(C,)``: of all pairs, and of those whose class is
        correct.
    hausdorff_sum
        Sum of the Hausdorff distances of all matched pairs, in mm.
    panoptic
        Components of panoptic quality, one number per class. It matches within each class and by IoU above one half,
        regardless of the rule of the matrix.
    """

    classes: tuple[str, ...]
    confusion: NDArray[np.int64]
    iou_sum: NDArray[np.float64]
    iou_hits: NDArray[np.float64]
    hausdorff_sum: float
    panoptic: PanopticCounts

    @classmethod
    def of_matrix(
        cls,
        classes: Sequence[str],
        confusion: ArrayLike,
        *,
        iou_sum: ArrayLike = 0.0,
        iou_hits: ArrayLike = 0.0,
        hausdorff_sum: float = 0.0,
    ) -> Disentangled:
        """From the matrix of ``strict_iou``, which gives the counts of panoptic quality as well.

        A wrong class is a miss and a false alarm there; matches above one half are unique, so that those within a class
        are the diagonal.
        """
        matrix = np.asarray(confusion, dtype=np.int64)
        hits = np.broadcast_to(np.asarray(iou_hits, dtype=float), len(classes))
        return cls(
            tuple(classes),
            matrix,
            np.broadcast_to(np.asarray(iou_sum, dtype=float), len(classes)),
            hits,
            hausdorff_sum,
            _panoptic(matrix, np.diagonal(matrix)[1:].astype(float), hits),
        )

    def __add__(self, other: Disentangled) -> Disentangled:
        if self.classes != other.classes:
            message = f"classes {self.classes} and {other.classes}"
            raise ValueError(message)
        return Disentangled(
            self.classes,
            self.confusion + other.confusion,
            self.iou_sum + other.iou_sum,
            self.iou_hits + other.iou_hits,
            self.hausdorff_sum + other.hausdorff_sum,
            PanopticCounts(
                *(
                    np.asarray(getattr(self.panoptic, name)) + np.asarray(getattr(other.panoptic, name))
                    for name in ("iou", "tp", "fp", "fn")
                )
            ),
        )

    @property
    def detection(self) -> Counts:
        """Counts without regard to classes."""
        tp = self.confusion[1:, 1:].sum()
        return Counts.of(tp, self.confusion[0].sum(), self.confusion[1:, 0].sum(), 0)

    @property
    def classification(self) -> NDArray[np.int64]:
        """Confusion matrix of the matched objects."""
        return self.confusion[1:, 1:]

    @property
    def matched(self) -> NDArray[np.int64]:
        """Number of matched pairs by reference class."""
        count: NDArray[np.int64] = self.classification.sum(axis=1)
        return count

    @property
    def references(self) -> int:
        """Number of reference objects."""
        return int(self.confusion[1:].sum())

    @property
    def normalized_classification(self) -> NDArray[np.float64]:
        """Confusion matrix of the matched objects with rows that sum to 1; NaN for classes that do not occur.

        Frequent classes therefore have no more weight than rare ones.
        """
        block = self.classification.astype(float)
        total = block.sum(axis=1, keepdims=True)
        shares: NDArray[np.float64] = np.divide(block, total, out=np.full_like(block, np.nan), where=total > 0)
        return shares


def disentangle(
    reference: Objects, prediction: Objects, classes: Sequence[str], *, matching: MatchingRule = "strict_iou"
) -> Disentangled:
    """Match the objects of one image regardless of class, and count them.

    Ignored regions of the reference take no part. A prediction without a match is excluded as a whole, never cut, if
    more than half of it is in one of them.

    Parameters
    ----------
    reference, prediction
        Objects of label maps with a class each; with a single class, they do not need classes.
    classes
        All classes of the task.
    matching
        ``strict_iou``: masks overlap by more than half; ``centroid``: each reference takes the prediction with the
        greatest IoU if its centre of mass is inside the reference.

    Raises
    ------
    ValueError
        For an unknown rule or class.
    """
    if matching not in MATCHING_RULES:
        message = f"matching is 'strict_iou' or 'centroid', not {matching!r}"
        raise ValueError(message)
    regions = reference.select(reference.ignored)
    if regions.size:
        reference = reference.select(~reference.ignored)
    rows, columns = _codes(reference, classes), _codes(prediction, classes)
    every = CRITERIA["loc_mask_iou"].pairs(reference, prediction)
    strict = every.where(every.value > 0.5)
    pairs = strict if matching == "strict_iou" else _by_centre(reference, prediction, every)
    dropped = inside_ignored(regions, prediction) if regions.size else np.zeros(0, dtype=np.int64)
    confusion = np.zeros((len(classes) + 1,) * 2, dtype=np.int64)
    np.add.at(confusion, (rows[pairs.reference], columns[pairs.prediction]), 1)
    np.add.at(confusion[:, 0], rows[np.setdiff1d(np.arange(reference.size), pairs.reference)], 1)
    _count_surplus(confusion, columns, pairs, dropped)
    of_pair = rows[pairs.reference] - 1
    right = rows[pairs.reference] == columns[pairs.prediction]
    hits = _sum_by(of_pair[right], pairs.value[right], len(classes))
    panoptic = _panoptic(confusion, np.diagonal(confusion)[1:].astype(float), hits)
    if matching != "strict_iou":
        chosen = strict.where(rows[strict.reference] == columns[strict.prediction])
        of_class = rows[chosen.reference] - 1
        margins = np.zeros_like(confusion)
        margins[1:, 0] = np.bincount(rows, minlength=len(classes) + 1)[1:]
        np.add.at(margins[1:, 0], of_class, -1)
        np.add.at(margins, (of_class + 1, of_class + 1), 1)
        _count_surplus(margins, columns, chosen, dropped)
        tp = np.bincount(of_class, minlength=len(classes)).astype(float)
        panoptic = _panoptic(margins, tp, _sum_by(of_class, chosen.value, len(classes)))
    distances = hausdorff_of_pairs(reference, prediction, pairs.reference, pairs.prediction)
    return Disentangled(
        tuple(classes), confusion, _sum_by(of_pair, pairs.value, len(classes)), hits, float(distances.sum()), panoptic
    )


def nothing_found(reference: Objects, classes: Sequence[str]) -> Disentangled:
    """Return the counts of an image without a prediction: all its objects are missed, none is excluded."""
    real = reference.select(~reference.ignored)
    confusion = np.zeros((len(classes) + 1,) * 2, dtype=np.int64)
    np.add.at(confusion[:, 0], _codes(real, classes), 1)
    return Disentangled.of_matrix(classes, confusion)


def nothing_at_all(classes: Sequence[str]) -> Disentangled:
    """Return the empty counts as the start of a sum."""
    return Disentangled.of_matrix(classes, np.zeros((len(classes) + 1,) * 2, dtype=np.int64))


def detection_scores(disentangled: Disentangled) -> dict[str, Result]:
    """PPV, Sensitivity and F1 of the detection, without regard to classes."""
    counts = disentangled.detection
    return {"ppv": ppv(counts).result(), "sensitivity": sensitivity(counts).result(), "fbeta": fbeta(counts).result()}


def classification_scores(disentangled: Disentangled) -> dict[str, Result]:
    """Return balanced accuracy of matched objects, and PPV, Sensitivity and F1 of each class.

    All use the normalized matrix. The mean is over the classes that occur among the matched references. A class
    without a matched object has no values; the flag shows whether its exclusion is fair. A task with a single class
    has nothing to classify: ``not_applicable``.
    """
    if len(disentangled.classes) == 1:
        return {"balanced_accuracy": undefined(Outcome.NOT_APPLICABLE)}
    matrix = disentangled.normalized_classification
    present = np.asarray(~np.isnan(matrix).any(axis=1))
    filled = np.where(present[:, None], matrix, 0.0)
    accuracy = ok(float(np.diagonal(matrix)[present].mean())) if present.any() else _nothing_matched(disentangled)
    scores: dict[str, Result] = {"balanced_accuracy": accuracy}
    for index, name in enumerate(disentangled.classes):
        if present[index]:
            tp = filled[index, index]
            counts = Counts.of(tp, filled[:, index].sum() - tp, 1 - tp, 0)
            values = ppv(counts).result(), sensitivity(counts).result(), fbeta(counts).result()
        else:
            values = (_nothing_matched(disentangled, index),) * 3
        scores |= {
            f"{name}.{metric}": value for metric, value in zip(("ppv", "sensitivity", "fbeta"), values, strict=True)
        }
    return scores


def segmentation_scores(disentangled: Disentangled) -> dict[str, Result]:
    """Mean IoU over the classes that have a match, the IoU of each, and the mean Hausdorff distance of all pairs."""
    count = disentangled.matched
    means = [
        ok(float(total / n)) if n else _nothing_matched(disentangled, index)
        for index, (total, n) in enumerate(zip(disentangled.iou_sum, count, strict=True))
    ]
    defined = [mean.value for mean in means if mean.value is not None]
    if defined:
        scores = {
            "iou": ok(float(np.mean(defined))),
            "hausdorff_distance": ok(disentangled.hausdorff_sum / count.sum()),
        }
    else:
        scores = dict.fromkeys(("iou", "hausdorff_distance"), _nothing_matched(disentangled))
    return scores | {f"{name}.iou": mean for name, mean in zip(disentangled.classes, means, strict=True)}


def panoptic_scores(disentangled: Disentangled) -> dict[str, Result]:
    """Panoptic quality and its two factors, of each class, and the mean of the classes.

    A class counts if it has an object on either side: one that only the prediction has counts 0. The factor for outlines is
    the mean over the classes with a match.
    """
    counts = disentangled.panoptic
    scores: dict[str, Result] = {}
    tp, fp, fn = (np.asarray(values, dtype=float) for values in (counts.tp, counts.fp, counts.fn))
    occurs = tp + fp + fn > 0
    for name in PANOPTIC:
        values = panoptic_values(name, counts)
        chosen = tp > 0 if name == "segmentation_quality" else occurs
        if chosen.any():
            numbers = np.where(chosen, np.nan_to_num(values.numbers), 0.0)
            scores[name] = ok(float(numbers.sum() / chosen.sum()))
        else:
            scores[name] = _nothing_matched(disentangled) if occurs.any() else undefined(Outcome.BOTH_EMPTY)
        for index, class_name in enumerate(disentangled.classes):
            scores[f"{class_name}.{name}"] = values.result(index)
    return scores


def _nothing_matched(disentangled: Disentangled, index: int | None = None) -> Result:
    """Nothing to rate, of all classes or of one: fair to leave out only where there was nothing to find."""
    wanted = disentangled.references if index is None else int(disentangled.confusion[index + 1].sum())
    return undefined(Outcome.DEGENERATE, Flag.NONE if wanted else Flag.REFERENCE)


def _by_centre(reference: Objects, prediction: Objects, every: Pairs) -> Pairs:
    """The pairs of best IoU, one a reference at most, whose prediction has its centre inside the reference."""
    order = np.lexsort((prediction.order[every.prediction], -every.value, every.reference))
    first = np.append(True, np.diff(every.reference[order]) > 0) if len(order) else np.zeros(0, dtype=bool)
    best = every.where(np.isin(np.arange(len(order)), order[first]))
    hits = CRITERIA["loc_center_hit"].pairs(reference, prediction)
    inside = set(zip(hits.reference.tolist(), hits.prediction.tolist(), strict=True))
    both = zip(best.reference.tolist(), best.prediction.tolist(), strict=True)
    return best.where(np.array([pair in inside for pair in both], dtype=bool))


def _count_surplus(
    confusion: NDArray[np.int64], columns: NDArray[np.int64], pairs: Pairs, dropped: NDArray[np.int64]
) -> None:
    """Count predictions without a reference in the first row, but for those in regions to be ignored."""
    counted = np.union1d(pairs.prediction, dropped)
    np.add.at(confusion[0], columns[np.setdiff1d(np.arange(len(columns)), counted)], 1)


def _panoptic(matrix: NDArray[np.int64], tp: NDArray[np.float64], iou: NDArray[np.float64]) -> PanopticCounts:
    return PanopticCounts(iou, tp, matrix[:, 1:].sum(axis=0) - tp, matrix[1:].sum(axis=1) - tp)


def _sum_by(codes: NDArray[np.int64], values: NDArray[np.float64], number: int) -> NDArray[np.float64]:
    return np.bincount(codes, weights=values, minlength=number).astype(float)


def _codes(objects: Objects, classes: Sequence[str]) -> NDArray[np.int64]:
    if len(classes) == 1:
        return np.ones(objects.size, dtype=np.int64)
    names: NDArray[Any] | None = objects.classes
    if names is None:
        message = "disentangled metrics need a class for every object"
        raise ValueError(message)
    code_by_name = {name: code for code, name in enumerate(classes, start=1)}
    unknown = set(names) - set(code_by_name)
    if unknown:
        message = f"{min(unknown)!r} is none of the classes {', '.join(classes)}"
        raise ValueError(message)
    return np.array([code_by_name[name] for name in names], dtype=np.int64)
