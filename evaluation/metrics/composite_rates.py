"""Decisions about whole images, one class against the rest: several rates weighed against one another.

Arguments are those of `evaluation.metrics.classification`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.metrics.classification import judge_class
from evaluation.metrics.declaration import IMAGES, LABELS, OBJECTS, PIXELS, declare
from evaluation.metrics.options import Option
from evaluation.metrics.shared_options import (
    EMPTY_MASKS,
    LEVEL_OR_PIXEL,
    MATCHING,
    ONE_CLASS_OR_MICRO,
    POSITIVE_CLASS,
    SCALE,
    SCORE_THRESHOLD,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from evaluation.metrics.evaluators import ClassAverage
    from evaluation.outcomes import Result


@declare(
    "Positive Likelihood Ratio",
    "LR+",
    categories=IMAGES + LABELS,
    direction="higher",
    range=(0, None),
    family="per_class_counting",
    needs="labels",
    options=(
        SCORE_THRESHOLD,
        POSITIVE_CLASS,
        Option(
            "continuity_correction",
            "number",
            0,
            "Constant added to every cell before computing (0.5 is customary); 0 switches it off.",
            minimum=0,
        ),
    ),
    evidence="one_class",
)
def lr_plus(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    continuity_correction: float = 0.0,
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
) -> Result:
    """Positive likelihood ratio, Sensitivity / (1 - Specificity).

    It is the factor by which a positive decision raises the odds.

    Parameters
    ----------
    reference, prediction, positive_class, classes, score_threshold
        As for `sensitivity`.
    continuity_correction
        Added to every cell of the table (0.5 is customary); 0 for none.

    Returns
    -------
    Result
        Value in [0, inf), higher is better, 1 is uninformative. ``degenerate`` with the flag ``unbounded`` without
        any false positive, which ranks as best; ``degenerate`` without a flag if nothing is predicted as positive;
        with the flag ``reference`` if a class is absent.

    Examples
    --------
    >>> lr_plus([1, 1, 0, 0], [1, 1, 0, 1]).value
    2.0
    >>> lr_plus([1, 0], [1, 0]).flag
    <Flag.UNBOUNDED: 'unbounded'>
    """
    if continuity_correction < 0:
        message = f"continuity_correction is a number from 0 on, not {continuity_correction}"
        raise ValueError(message)
    return judge_class(
        "lr_plus",
        reference,
        prediction,
        positive_class=positive_class,
        classes=classes,
        score_threshold=score_threshold,
        continuity_correction=continuity_correction,
    )


@declare(
    "F-beta Score",
    "F_beta",
    label="F{beta:g}",
    categories=IMAGES + PIXELS + OBJECTS + LABELS,
    direction="higher",
    range=(0, 1),
    family="per_class_counting",
    needs="labels",
    options=(
        Option(
            "beta",
            "number",
            1.0,
            "Weight of Sensitivity against PPV; above 1 punishes FN more, below 1 punishes FP more.",
            exclusive_minimum=0,
        ),
        LEVEL_OR_PIXEL,
        *ONE_CLASS_OR_MICRO,
        SCALE,
        *EMPTY_MASKS,
        *MATCHING,
    ),
    evidence="one_class",
    evidence_of_objects="counts",
)
def fbeta(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    beta: float = 1.0,
    positive_class: Hashable | None = None,
    class_average: ClassAverage = "per_class",
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
) -> Result:
    """F-beta score, the weighted harmonic mean of PPV and Sensitivity, computed from counts.

    Parameters
    ----------
    reference, prediction, positive_class, class_average, classes, score_threshold
        As for `sensitivity`. The ``macro`` mean is that of the classes' values.
    beta
        Above 1, misses weigh more; below 1, false alarms do.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``both_empty`` if nothing is positive and nothing was called so.

    Examples
    --------
    >>> fbeta([1, 1, 0, 0], [1, 0, 0, 1]).value
    0.5
    """
    if not beta > 0:
        message = f"beta is a number above 0, not {beta}"
        raise ValueError(message)
    return judge_class(
        "fbeta",
        reference,
        prediction,
        positive_class=positive_class,
        class_average=class_average,
        classes=classes,
        score_threshold=score_threshold,
        beta=beta,
    )


@declare(
    "Net Benefit",
    "NB",
    categories=IMAGES + LABELS,
    direction="higher",
    range=(None, 1),
    family="per_class_counting",
    needs="labels scores",
    optional="scores",
    options=(
        Option(
            "threshold_probability",
            "number",
            None,
            "Risk threshold p_t; exchange rate is p_t/(1-p_t). Must be set by the organiser.",
            exclusive_minimum=0,
            exclusive_maximum=1,
            required=True,
        ),
        POSITIVE_CLASS,
    ),
    evidence="one_class",
)
def net_benefit(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    threshold_probability: float,
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Net benefit, TP/N - FP/N * p/(1 - p): what decisions are worth when a false alarm costs p/(1 - p) hits.

    Parameters
    ----------
    reference, prediction, positive_class, classes
        As for `sensitivity`.
    threshold_probability
        The risk p in (0, 1) from which on one would act. Scores are cut there; labels are taken as they are.

    Returns
    -------
    Result
        Value of at most the share of positives, without a lower bound, higher is better; never clipped.
        ``degenerate`` with the flag ``reference`` without any case.

    Examples
    --------
    >>> net_benefit([1, 1, 0, 0], [1, 0, 0, 1], threshold_probability=0.2).value
    0.1875
    """
    if not 0 < threshold_probability < 1:
        message = f"threshold_probability lies between 0 and 1, not at {threshold_probability}"
        raise ValueError(message)
    return judge_class(
        "net_benefit",
        reference,
        prediction,
        positive_class=positive_class,
        classes=classes,
        threshold_probability=threshold_probability,
    )
