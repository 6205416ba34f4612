"""Scores of whole images, judged at every threshold.

All functions take the labels of the reference first and scores second, ``(N,)`` for the positive of two classes or
``(N, C)``; what they take else is that of `evaluation.metrics.classification`. They depend on the order of the scores
alone, and equal scores are one step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evaluation.metrics.classification import judge_class
from evaluation.metrics.declaration import IMAGES, LABELS, OBJECTS, declare
from evaluation.metrics.evaluators import PER_CLASS, pooled_labels
from evaluation.metrics.options import Option
from evaluation.metrics.samples import make_samples
from evaluation.metrics.shared_options import (
    AREA,
    CLASS_AVERAGE_OF_CURVES,
    LEVEL,
    MATCHED,
    MATCHING,
    MAX_FPR,
    ONLY_FOR_OBJECTS,
    POSITIVE_CLASS,
    SCALE,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from evaluation.metrics.evaluators import CurveAverage
    from evaluation.metrics.threshold_counts import Interpolation
    from evaluation.outcomes import Result


@declare(
    "Area under the Receiver Operating Characteristic Curve",
    "AUROC",
    categories=IMAGES + LABELS,
    direction="higher",
    range=(0, 1),
    family="multi_threshold",
    needs="labels scores",
    options=(POSITIVE_CLASS, CLASS_AVERAGE_OF_CURVES, MAX_FPR),
    evidence="one_class",
)
def auroc(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    positive_class: Hashable | None = None,
    class_average: CurveAverage = "per_class",
    max_fpr: float | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Area under the ROC curve: the probability that a positive case scores higher than a negative one, ties half.

    Parameters
    ----------
    reference
        Labels, ``(N,)``.
    scores
        In [0, 1], ``(N,)`` or ``(N, C)``.
    positive_class, class_average, classes
        As for `evaluation.metrics.classification.sensitivity`; ``micro`` pools the decisions on all classes into one curve.
    max_fpr
        Only false positive rates up to this one count: the partial area, standardized (McClish 1989).

    Returns
    -------
    Result
        Value in [0, 1], higher is better, 0.5 for a guess; ``degenerate`` with the flag ``reference`` if the class is
        absent or the only one.

    Raises
    ------
    ValueError
        If the arrays do not fit one another, or scores are no probabilities.

    Examples
    --------
    >>> auroc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    Result(value=0.75, outcome=<Outcome.OK: 'ok'>)
    """
    limit = {} if max_fpr is None else {"max_fpr": max_fpr}
    if class_average == "micro":
        return _micro("auroc", reference, scores, classes, **limit)
    return judge_scores(
        "auroc",
        reference,
        scores,
        positive_class=positive_class,
        class_average=class_average,
        classes=classes,
        **limit,
    )


def _micro(
    metric: str, reference: ArrayLike, scores: ArrayLike, classes: Sequence[Hashable] | None, **options: Any
) -> Result:
    samples = make_samples(reference, scores, classes=classes, decided=False)
    return PER_CLASS[metric](pooled_labels(samples), [1], None, **options).result()


@declare(
    "Average Precision",
    "AP",
    categories=IMAGES + OBJECTS + LABELS,
    direction="higher",
    range=(0, 1),
    family="multi_threshold",
    needs="labels scores",
    options=(
        LEVEL,
        POSITIVE_CLASS,
        CLASS_AVERAGE_OF_CURVES,
        SCALE,
        Option(
            "interpolation",
            "enum",
            "step",
            "How the precision-recall points are summed.",
            choices=("step", "voc_all_points", "points_101", "coco_101"),
        ),
        Option(
            "ties",
            "enum",
            "grouped",
            "grouped = equal scores enter together; sequential = one by one in a fixed order.",
            choices=("grouped", "sequential"),
        ),
        Option(
            "max_detections",
            "integer",
            None,
            "With coco_101: how many predictions of an image and class are read, best first; null is 100, as in pycocotools.",
            minimum=1,
            stands_where_set=True,
            accepted=ONLY_FOR_OBJECTS,
        ),
        AREA,
        MATCHED,
        Option(
            "localization_thresholds",
            "array",
            None,
            "Optional list of cutoffs to average over, e.g. 0.50 to 0.95 in steps of 0.05; overrides localization_threshold.",
            accepted=ONLY_FOR_OBJECTS,
        ),
        *MATCHING,
    ),
    evidence="one_class",
    evidence_of_objects="curve",
)
def average_precision(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    interpolation: Interpolation = "step",
    ties: Literal["grouped", "sequential"] = "grouped",
    positive_class: Hashable | None = None,
    class_average: CurveAverage = "per_class",
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Return the average precision.

    It is the mean of PPV over the steps of Sensitivity, from the highest score down.

    Parameters
    ----------
    reference, scores, positive_class, class_average, classes
        As for `auroc`.
    interpolation
        ``step``: the sum of (R_i - R_{i-1}) P_i; ``voc_all_points``: with the greatest PPV at the same or a higher
        Sensitivity; ``points_101``: the mean of that envelope at 101 Sensitivities; ``coco_101``: that mean as pycocotools
        computes it. The trapezoid rule is not offered because it is too optimistic.
    ties
        ``grouped``: equal scores enter together; ``sequential``: one by one in the order of the cases, on which
        the value then depends.

    Returns
    -------
    Result
        Value in [0, 1], higher is better, the share of positives for a guess. ``degenerate`` with the flag
        ``reference`` if no case is positive.

    Examples
    --------
    >>> round(average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).value, 4)
    0.8333
    """
    if interpolation not in ("step", "voc_all_points", "points_101", "coco_101"):
        message = f"interpolation is step, voc_all_points, points_101 or coco_101, not {interpolation!r}"
        raise ValueError(message)
    if ties not in ("grouped", "sequential"):
        message = f"ties is grouped or sequential, not {ties!r}"
        raise ValueError(message)
    if class_average == "micro":
        return _micro("average_precision", reference, scores, classes, interpolation=interpolation, ties=ties)
    return judge_scores(
        "average_precision",
        reference,
        scores,
        positive_class=positive_class,
        class_average=class_average,
        classes=classes,
        interpolation=interpolation,
        ties=ties,
    )


def judge_scores(metric: str, reference: ArrayLike, scores: ArrayLike, **options: Any) -> Result:
    """Judge with scores even where they are whole numbers, such as 0 and 1."""
    return judge_class(metric, reference, np.asarray(scores, dtype=np.float64), **options)
