"""Scores of whole images, judged at every threshold or at the one where a target is met.

All functions take the labels of the reference first and scores second, ``(N,)`` for the positive of two classes or
``(N, C)``; what they take else is that of `evaluation.metrics.classification`. They depend on the order of the scores
alone, and equal scores are one step. A working point reports where a curve passes a target on these very cases; it is not
a threshold that a deployed system would have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evaluation.metrics.classification import judge_class

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from evaluation.metrics.evaluators import ClassAverage
    from evaluation.metrics.threshold_counts import Interpolation, Rule
    from evaluation.outcomes import Result


def auroc(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    positive_class: Hashable | None = None,
    class_average: ClassAverage = "per_class",
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
        As for `evaluation.metrics.classification.sensitivity`.

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
    return _judge(
        "auroc", reference, scores, positive_class=positive_class, class_average=class_average, classes=classes
    )


def average_precision(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    interpolation: Interpolation = "step",
    ties: Literal["grouped", "sequential"] = "grouped",
    positive_class: Hashable | None = None,
    class_average: ClassAverage = "per_class",
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Average precision: the mean of PPV over the steps of Sensitivity, from the highest score down.

    Parameters
    ----------
    reference, scores, positive_class, class_average, classes
        As for `auroc`.
    interpolation
        ``step``: the sum of (R_i - R_{i-1}) P_i; ``voc_all_points``: with the greatest PPV at the same or a higher
        Sensitivity; ``coco_101``: the mean of that envelope at 101 Sensitivities. Never the trapezoid, which is too
        optimistic.
    ties
        ``grouped``: equal scores enter together; ``sequential``: one by one as they stand, so that the value depends on
        the order of the cases.

    Returns
    -------
    Result
        Value in [0, 1], higher is better, the share of positives for a guess; ``degenerate`` with the flag
        ``reference`` if nothing is positive.

    Examples
    --------
    >>> round(average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).value, 4)
    0.8333
    """
    if interpolation not in ("step", "voc_all_points", "coco_101"):
        message = f"interpolation is step, voc_all_points or coco_101, not {interpolation!r}"
        raise ValueError(message)
    if ties not in ("grouped", "sequential"):
        message = f"ties is grouped or sequential, not {ties!r}"
        raise ValueError(message)
    return _judge(
        "average_precision",
        reference,
        scores,
        positive_class=positive_class,
        class_average=class_average,
        classes=classes,
        interpolation=interpolation,
        ties=ties,
    )


def sensitivity_at_specificity(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    target_specificity: float,
    rule: Rule = "auto",
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Sensitivity at the threshold where Specificity meets its target.

    Parameters
    ----------
    reference, scores, positive_class, classes
        As for `auroc`.
    target_specificity
        Least Specificity, in [0, 1].
    rule
        ``tight``: the threshold that meets the target most narrowly, among equals the best reported value; ``best``: the
        best reported value of all that meet it; ``auto``: tight for Sensitivity and Specificity, which go one way along
        the thresholds, best for PPV and NPV, which zigzag. Nothing is interpolated.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` if no threshold meets the target, with the flag ``reference``
        if the metrics are undefined on these cases.

    Examples
    --------
    >>> sensitivity_at_specificity([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], target_specificity=0.9).value
    0.5
    """
    return _at(
        reference,
        scores,
        reported="sensitivity",
        target="specificity",
        at_least=target_specificity,
        rule=rule,
        positive_class=positive_class,
        classes=classes,
    )


def specificity_at_sensitivity(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    target_sensitivity: float,
    rule: Rule = "auto",
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Specificity at the threshold where Sensitivity meets its target; see `sensitivity_at_specificity`.

    Examples
    --------
    >>> specificity_at_sensitivity([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], target_sensitivity=0.9).value
    0.5
    """
    return _at(
        reference,
        scores,
        reported="specificity",
        target="sensitivity",
        at_least=target_sensitivity,
        rule=rule,
        positive_class=positive_class,
        classes=classes,
    )


def ppv_at_sensitivity(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    target_sensitivity: float,
    rule: Rule = "auto",
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """PPV at the threshold where Sensitivity meets its target; see `sensitivity_at_specificity`.

    Examples
    --------
    >>> ppv_at_sensitivity([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], target_sensitivity=0.5).value
    1.0
    """
    return _at(
        reference,
        scores,
        reported="ppv",
        target="sensitivity",
        at_least=target_sensitivity,
        rule=rule,
        positive_class=positive_class,
        classes=classes,
    )


def npv_at_sensitivity(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    target_sensitivity: float,
    rule: Rule = "auto",
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """NPV at the threshold where Sensitivity meets its target; see `sensitivity_at_specificity`.

    Examples
    --------
    >>> npv_at_sensitivity([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], target_sensitivity=0.9).value
    1.0
    """
    return _at(
        reference,
        scores,
        reported="npv",
        target="sensitivity",
        at_least=target_sensitivity,
        rule=rule,
        positive_class=positive_class,
        classes=classes,
    )


def sensitivity_at_ppv(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    target_ppv: float,
    rule: Rule = "auto",
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Sensitivity at the best threshold where PPV meets its target; see `sensitivity_at_specificity`.

    Examples
    --------
    >>> sensitivity_at_ppv([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], target_ppv=0.6).value
    1.0
    """
    return _at(
        reference,
        scores,
        reported="sensitivity",
        target="ppv",
        at_least=target_ppv,
        rule=rule,
        positive_class=positive_class,
        classes=classes,
    )


def sensitivity_at_npv(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    target_npv: float,
    rule: Rule = "auto",
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Sensitivity at the best threshold where NPV meets its target; see `sensitivity_at_specificity`.

    Examples
    --------
    >>> sensitivity_at_npv([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], target_npv=0.6).value
    1.0
    """
    return _at(
        reference,
        scores,
        reported="sensitivity",
        target="npv",
        at_least=target_npv,
        rule=rule,
        positive_class=positive_class,
        classes=classes,
    )


def _at(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    reported: str,
    target: str,
    at_least: float,
    rule: Rule,
    positive_class: Hashable | None,
    classes: Sequence[Hashable] | None,
) -> Result:
    if not 0 <= at_least <= 1:
        message = f"target_{target} is a number from 0 to 1, not {at_least}"
        raise ValueError(message)
    if rule not in ("auto", "tight", "best"):
        message = f"rule is auto, tight or best, not {rule!r}"
        raise ValueError(message)
    return _judge(
        f"{reported}_at_{target}",
        reference,
        scores,
        positive_class=positive_class,
        classes=classes,
        rule=rule,
        **{f"target_{target}": at_least},
    )


def _judge(metric: str, reference: ArrayLike, scores: ArrayLike, **options: Any) -> Result:
    """Judge with scores even where they are whole numbers, such as 0 and 1."""
    return judge_class(metric, reference, np.asarray(scores, dtype=np.float64), **options)
