"""Detections in each image by score: the evidence of all detection metrics of one class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.matching import CRITERIA, Rule, match_objects
from evaluation.metrics.box_batches import applies, match_boxes
from evaluation.metrics.counting import Counts
from evaluation.metrics.threshold_counts import ThresholdCounts

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from evaluation.matching import Objects
    from evaluation.metrics.values import FloatArray


@dataclass(frozen=True)
class Detections:
    """Steps of the counts of one class as the score threshold goes down.

    Attributes
    ----------
    references
        Number of reference objects in each image, ``(images,)``; images without any count as well.
    image, score
        Where and at which score a step happens, ``(n,)``.
    tp, fp
        What the step adds, ``(n,)``. With ``greedy_by_score`` every prediction is one step of 1; with other strategies
        a new prediction may rearrange all matches of its image, and a step may be negative.
    """

    references: NDArray[np.int64]
    image: NDArray[np.int64]
    score: FloatArray
    tp: FloatArray
    fp: FloatArray

    @property
    def images(self) -> int:
        """Number of images."""
        return len(self.references)

    def weights(self, weights: FloatArray | None) -> FloatArray:
        """Multiplicities of the images, 1 each if none are given, ``(B, images)``."""
        return np.ones((1, self.images)) if weights is None else np.asarray(weights, dtype=float)

    def counts(self, weights: FloatArray | None = None) -> Counts:
        """Counts over all images with all predictions in."""
        by_image = self.by_image()
        times = self.weights(weights)
        return Counts(times @ by_image.tp, times @ by_image.fp, times @ by_image.fn, np.zeros(len(times)))

    def by_image(self) -> Counts:
        """Counts of each image with all predictions in."""
        tp = np.bincount(self.image, weights=self.tp, minlength=self.images)
        fp = np.bincount(self.image, weights=self.fp, minlength=self.images)
        return Counts.of(tp, fp, self.references - tp, np.zeros(self.images))

    def curve(self, weights: FloatArray | None = None, *, grouped: bool = True) -> ThresholdCounts:
        """Counts over all images at every threshold; there are no negatives to count."""
        order = np.argsort(-self.score, kind="stable")
        score = self.score[order]
        last = np.append(score[1:] != score[:-1], True) if grouped and len(score) else np.ones(len(score), dtype=bool)
        times = self.weights(weights)
        of_step = times[:, self.image[order]]
        tp = np.cumsum(of_step * self.tp[order], axis=1)[:, last]
        fp = np.cumsum(of_step * self.fp[order], axis=1)[:, last]
        positive = (times @ self.references.astype(float))[:, None]
        return ThresholdCounts(score[last], tp, fp, positive, np.zeros_like(positive))

    def repeated(self, times: NDArray[np.int64]) -> Detections:
        """Return the detections of a resample, with every image repeated `times`.

        Each copy is a separate image.
        """
        source = np.repeat(np.arange(self.images), times)
        start = np.concatenate([[0], np.cumsum(times)])
        copies = times[self.image]
        step = np.repeat(np.arange(len(self.image)), copies)
        nth = np.arange(len(step)) - np.repeat(np.cumsum(copies) - copies, copies)
        image = start[self.image[step]] + nth
        return Detections(self.references[source], image, self.score[step], self.tp[step], self.fp[step])


def rule_without_scores(rule: Rule) -> Rule:
    """The rule for predictions without scores: by criterion, or most matches where the criterion is 0 or 1."""
    if rule.assignment != "greedy_by_score":
        return rule
    assignment = "hungarian" if CRITERIA[rule.criterion].kind == "point" else "greedy_by_criterion"
    return Rule(rule.criterion, rule.threshold, assignment, rule.double_assignment, rule.options)


def count_detections(
    references: Sequence[Objects], predictions: Sequence[Objects], rule: Rule, *, score_threshold: float = 0.0
) -> Detections:
    """Match every image at one threshold: predictions below it are removed before matching.

    If predictions have decisions, these determine which predictions count, regardless of the scores. Without
    decisions and scores, all predictions count. Without scores, ``greedy_by_criterion`` replaces ``greedy_by_score``.
    """
    steps = []
    for index, (reference, prediction) in enumerate(_images(references, predictions)):
        counted, used = prediction, rule
        if prediction.scores is None:
            used = rule_without_scores(rule)
        if prediction.decisions is not None:
            counted = prediction.select(prediction.decisions)
        elif prediction.scores is not None and score_threshold > 0:
            counted = prediction.select(prediction.scores >= score_threshold)
        matching = match_objects(reference, counted, used)
        steps.append((index, np.inf, float(matching.tp), float(matching.fp)))
    return _detections(references, steps)


def trace_detections(references: Sequence[Objects], predictions: Sequence[Objects], rule: Rule) -> Detections:
    """Match every image and keep at which score each hit and false alarm comes in.

    Raises
    ------
    ValueError
        If predictions have no scores.
    """
    images = _images(references, predictions)
    if applies(references, predictions, rule):
        return Detections(*match_boxes(references, predictions, rule)[0])
    steps: list[tuple[int, float, float, float]] = []
    for index, (reference, prediction) in enumerate(images):
        if prediction.scores is None:
            if prediction.size == 0:
                continue
            message = "curves need a score for every predicted object"
            raise ValueError(message)
        if rule.assignment == "greedy_by_score" or rule.once:
            matching = match_objects(reference, prediction, rule)
            order = [(int(p), 1.0, 0.0) for p in matching.prediction] + [(int(p), 0.0, 1.0) for p in matching.surplus]
            for prediction_index, tp, fp in sorted(order, key=lambda entry: int(prediction.order[entry[0]])):
                steps.append((index, float(prediction.scores[prediction_index]), tp, fp))
            continue
        before = (0, 0)
        for threshold in np.unique(prediction.scores)[::-1]:
            matching = match_objects(reference, prediction.select(prediction.scores >= threshold), rule)
            steps.append((index, float(threshold), matching.tp - before[0], matching.fp - before[1]))
            before = (matching.tp, matching.fp)
    return _detections(references, steps)


def trace_classes(
    references: Sequence[Objects], predictions: Sequence[Objects], rule: Rule, names: Sequence[Hashable]
) -> list[Detections]:
    """`trace_detections` for each class, as `evaluation.metrics.detection.of_class` picks its objects."""
    if applies(references, predictions, rule):
        return [Detections(*steps) for steps in match_boxes(references, predictions, rule, names)]
    return [
        trace_detections(
            [of_class(image, name) for image in references], [of_class(image, name) for image in predictions], rule
        )
        for name in names
    ]


def of_class(objects: Objects, name: Hashable) -> Objects:
    """The objects of one class; a region to be ignored without a class belongs to all."""
    if objects.classes is None:
        return objects
    return objects.select((objects.classes == name) | (objects.ignored & (objects.classes == "")))


def _images(references: Sequence[Objects], predictions: Sequence[Objects]) -> Any:
    if len(references) != len(predictions):
        message = f"{len(references)} images in the reference and {len(predictions)} in the prediction"
        raise ValueError(message)
    return zip(references, predictions, strict=True)


def _detections(references: Sequence[Objects], steps: list[tuple[int, float, float, float]]) -> Detections:
    image, score, tp, fp = (np.array(column) for column in zip(*steps, strict=True)) if steps else (np.zeros(0),) * 4
    counts = np.array([int(np.count_nonzero(~objects.ignored)) for objects in references], dtype=np.int64)
    return Detections(counts, image.astype(np.int64), score.astype(float), tp.astype(float), fp.astype(float))
