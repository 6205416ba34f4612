"""Detection, classification and segmentation of objects, each judged on its own.

One number for all three cannot tell a weak classifier from a weak detector. Here objects are matched without looking at
their class; detection counts the matches, classification looks at the classes of matched objects only, and segmentation
at their outlines only. Counts of several images are pooled (within a patient) by adding them up, values of patients are
averaged. After A. Foucart, O. Debeir, C. Decaestecker, "Evaluating participating methods in image analysis challenges:
lessons from MoNuSAC 2020", Pattern Recognition 141 (2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evaluation.matching.assignment import inside_ignored
from evaluation.matching.criteria import CRITERIA
from evaluation.metrics.boundary import hausdorff_distance
from evaluation.metrics.counting import Counts, fbeta, ppv, sensitivity
from evaluation.metrics.instance import as_mask
from evaluation.outcomes import Flag, Outcome, Result, ok, undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evaluation.matching import Objects

MatchingRule = Literal["strict_iou", "centroid"]


@dataclass(frozen=True)
class Disentangled:
    """What was found in an image, or in several after adding them up.

    Attributes
    ----------
    classes
        Names, in the order of rows and columns.
    confusion
        Shape ``(C + 1, C + 1)``, rows reference, columns prediction; the first row holds predictions without a
        reference, the first column references without a prediction.
    iou_sum, iou_count
        IoU of the matched pairs by reference class, ``(C,)``.
    hausdorff_sum
        Sum of the Hausdorff distances of all matched pairs, in mm.
    """

    classes: tuple[str, ...]
    confusion: NDArray[np.int64]
    iou_sum: NDArray[np.float64]
    iou_count: NDArray[np.int64]
    hausdorff_sum: float

    def __add__(self, other: Disentangled) -> Disentangled:
        if self.classes != other.classes:
            message = f"classes {self.classes} and {other.classes}"
            raise ValueError(message)
        return Disentangled(
            self.classes,
            self.confusion + other.confusion,
            self.iou_sum + other.iou_sum,
            self.iou_count + other.iou_count,
            self.hausdorff_sum + other.hausdorff_sum,
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
    def normalized_classification(self) -> NDArray[np.float64]:
        """The same with rows that sum to 1, so that frequent classes weigh no more; NaN for classes that do not occur."""
        block = self.classification.astype(float)
        total = block.sum(axis=1, keepdims=True)
        shares: NDArray[np.float64] = np.divide(block, total, out=np.full_like(block, np.nan), where=total > 0)
        return shares


def disentangle(
    reference: Objects, prediction: Objects, classes: Sequence[str], *, matching: MatchingRule = "strict_iou"
) -> Disentangled:
    """Match the objects of one image regardless of class and sort them out.

    Regions of the reference that are to be ignored take no part; a prediction without a match that lies by more than half
    in one of them is dropped as a whole.

    Parameters
    ----------
    reference, prediction
        Objects of label maps with a class each.
    classes
        All classes of the task.
    matching
        ``strict_iou``: masks overlap by more than half; ``centroid``: each reference takes the prediction with the
        greatest IoU if its centre of mass lies inside the reference.

    Raises
    ------
    ValueError
        For an unknown rule or class.
    """
    if matching not in ("strict_iou", "centroid"):
        message = f"matching is 'strict_iou' or 'centroid', not {matching!r}"
        raise ValueError(message)
    regions = reference.select(reference.ignored)
    reference = reference.select(~reference.ignored)
    rows, columns = _codes(reference, classes), _codes(prediction, classes)
    pairs = CRITERIA["loc_mask_iou"].pairs(reference, prediction)
    if matching == "strict_iou":
        pairs = pairs.where(pairs.value > 0.5)
    else:
        order = np.lexsort((prediction.order[pairs.prediction], -pairs.value, pairs.reference))
        first = np.append(True, np.diff(pairs.reference[order]) > 0) if len(order) else np.zeros(0, dtype=bool)
        pairs = pairs.where(np.isin(np.arange(len(order)), order[first]))
        hits = CRITERIA["loc_center_hit"].pairs(reference, prediction)
        inside = set(zip(hits.reference.tolist(), hits.prediction.tolist(), strict=True))
        both = zip(pairs.reference.tolist(), pairs.prediction.tolist(), strict=True)
        pairs = pairs.where(np.array([pair in inside for pair in both], dtype=bool))
    confusion = np.zeros((len(classes) + 1,) * 2, dtype=np.int64)
    np.add.at(confusion, (rows[pairs.reference], columns[pairs.prediction]), 1)
    np.add.at(confusion[:, 0], rows[np.setdiff1d(np.arange(reference.size), pairs.reference)], 1)
    counted = np.union1d(pairs.prediction, inside_ignored(regions, prediction) if regions.size else pairs.prediction)
    np.add.at(confusion[0], columns[np.setdiff1d(np.arange(prediction.size), counted)], 1)
    of_pair = rows[pairs.reference] - 1
    distances = [
        hausdorff_distance(as_mask(reference, i), as_mask(prediction, j)).value or 0.0
        for i, j in zip(pairs.reference.tolist(), pairs.prediction.tolist(), strict=True)
    ]
    return Disentangled(
        tuple(classes),
        confusion,
        np.bincount(of_pair, weights=pairs.value, minlength=len(classes)).astype(float),
        np.bincount(of_pair, minlength=len(classes)),
        float(sum(distances)),
    )


def detection_scores(found: Disentangled) -> dict[str, Result]:
    """PPV, Sensitivity and F1 of the detection, without regard to classes."""
    counts = found.detection
    return {"ppv": ppv(counts).result(), "sensitivity": sensitivity(counts).result(), "fbeta": fbeta(counts).result()}


def classification_scores(found: Disentangled) -> dict[str, Result]:
    """Balanced accuracy of matched objects, and PPV, Sensitivity and F1 of each class on the normalised matrix.

    Classes that do not occur among the matched references take no part.
    """
    matrix = found.normalized_classification
    present = np.asarray(~np.isnan(matrix).any(axis=1))
    scores: dict[str, Result] = {}
    if not present.any():
        return {"balanced_accuracy": undefined(Outcome.DEGENERATE, Flag.NONE)}
    scores["balanced_accuracy"] = ok(float(np.diagonal(matrix)[present].mean()))
    filled = np.where(present[:, None], matrix, 0.0)
    for index, name in enumerate(found.classes):
        if present[index]:
            tp = filled[index, index]
            counts = Counts.of(tp, filled[:, index].sum() - tp, 1 - tp, 0)
            scores[f"{name}.ppv"] = ppv(counts).result()
            scores[f"{name}.sensitivity"] = sensitivity(counts).result()
            scores[f"{name}.fbeta"] = fbeta(counts).result()
    return scores


def segmentation_scores(found: Disentangled) -> dict[str, Result]:
    """Mean IoU over the classes that have a match, the IoU of each, and the mean Hausdorff distance of all pairs."""
    counted = found.iou_count > 0
    if not counted.any():
        nothing = undefined(Outcome.DEGENERATE)
        return {"iou": nothing, "hausdorff_distance": nothing}
    means = found.iou_sum[counted] / found.iou_count[counted]
    scores = {"iou": ok(float(means.mean())), "hausdorff_distance": ok(found.hausdorff_sum / found.iou_count.sum())}
    names = np.asarray(found.classes, dtype=object)[counted]
    return scores | {f"{name}.iou": ok(float(mean)) for name, mean in zip(names, means, strict=True)}


def panoptic_of_classes(found: Disentangled) -> dict[str, tuple[int, int, int]]:
    """TP, FP and FN of each class as panoptic quality counts them: a wrong class is a miss and a false alarm.

    Holds under ``strict_iou``, whose matches are unique.
    """
    matrix = found.confusion
    diagonal = np.diagonal(matrix)[1:]
    false, missed = matrix[:, 1:].sum(axis=0) - diagonal, matrix[1:].sum(axis=1) - diagonal
    return {
        name: (int(t), int(f), int(m)) for name, t, f, m in zip(found.classes, diagonal, false, missed, strict=True)
    }


def _codes(objects: Objects, classes: Sequence[str]) -> NDArray[np.int64]:
    if objects.classes is None:
        message = "disentangled metrics need a class for every object"
        raise ValueError(message)
    known = {name: code for code, name in enumerate(classes, start=1)}
    unknown = set(objects.classes) - set(known)
    if unknown:
        message = f"{min(unknown)!r} is none of the classes {', '.join(classes)}"
        raise ValueError(message)
    return np.array([known[name] for name in objects.classes], dtype=np.int64)
