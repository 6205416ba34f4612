"""Decisions about whole images, one class against the rest: hits, misses and false alarms.

All functions take the reference first and the prediction second, one entry per case. Entries are labels (whole numbers,
booleans or text), or scores as floating-point numbers in [0, 1]: ``(N,)`` for the positive of two classes or ``(N, C)``
with rows that sum to 1. The functions return value and outcome. Metrics of all classes at once are in
`evaluation.metrics.multi_class`.
Reference: L. Maier-Hein, A. Reinke et al., "Metrics reloaded: recommendations for image analysis validation", Nature
Methods 21 (2024).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.metrics.declaration import IMAGES, LABELS, NOTHING_TO_FIND, OBJECTS, declare
from evaluation.metrics.evaluators import BY_DECISIONS, PER_CLASS, average
from evaluation.metrics.options import Option
from evaluation.metrics.samples import make_samples
from evaluation.metrics.shared_options import (
    LEVEL,
    MATCHING,
    NOT_FOR_OBJECTS,
    ONE_CLASS,
    ONE_CLASS_OR_MICRO,
    SCALE,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from evaluation.metrics.evaluators import ClassAverage
    from evaluation.outcomes import Result


def judge_class(
    metric: str,
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    positive_class: Hashable | None = None,
    class_average: ClassAverage = "per_class",
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
    **options: Any,
) -> Result:
    """Evaluate a metric of one class against the rest, or its mean over classes.

    Raises
    ------
    ValueError
        For arrays that do not fit (see `evaluation.metrics.samples.make_samples`), or if there are more than two
        classes, no mean is requested, and ``positive_class`` does not name a class.
    """
    samples = make_samples(
        reference,
        prediction,
        classes=classes,
        positive_class=positive_class,
        score_threshold=score_threshold,
        decided=metric in BY_DECISIONS,
    )
    if class_average != "per_class":
        if class_average not in ("macro", "weighted"):
            message = f"class_average is per_class, macro or weighted, not {class_average!r}"
            raise ValueError(message)
        groups = [[code] for code in range(len(samples.classes))]
        return average(PER_CLASS[metric], samples, groups, None, class_average=class_average, **options).result()
    if positive_class is None and len(samples.classes) != 2:
        message = f"{len(samples.classes)} classes: name the positive_class, or a class_average"
        raise ValueError(message)
    positive = samples.codes([samples.classes[-1] if positive_class is None else positive_class])
    return PER_CLASS[metric](samples, positive, None, **options).result()


@declare(
    "Sensitivity",
    "Sens",
    categories=IMAGES + OBJECTS + LABELS,
    direction="higher",
    range=(0, 1),
    family="per_class_counting",
    needs="labels",
    options=(LEVEL, *ONE_CLASS_OR_MICRO, SCALE, *MATCHING),
    evidence="one_class",
    evidence_of_objects="counts",
    policy=NOTHING_TO_FIND,
)
def sensitivity(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    positive_class: Hashable | None = None,
    class_average: ClassAverage = "per_class",
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
) -> Result:
    """Sensitivity (Recall), TP / (TP + FN): the share of the positive cases that were detected.

    Parameters
    ----------
    reference
        Labels, ``(N,)``.
    prediction
        Labels ``(N,)``, or scores ``(N,)`` or ``(N, C)``.
    positive_class
        The class against the rest; of two classes the last by default.
    class_average
        ``macro`` or ``weighted`` (by frequency) for the mean over all classes. Classes that the reference lacks are
        excluded from it; an undefined value that the prediction causes enters as 0.
    classes
        All classes in order; by default those that occur, ascending, and 0 and 1 if no others occur.
    score_threshold
        With two classes, scores of at least this value are positive; with more, the greatest score decides.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` with the flag ``reference`` if nothing is positive.

    Raises
    ------
    ValueError
        If the arrays do not fit one another, or scores are no probabilities.

    Examples
    --------
    >>> sensitivity([1, 1, 0, 0], [1, 0, 0, 1])
    Result(value=0.5, outcome=<Outcome.OK: 'ok'>)
    >>> sensitivity(["a", "b", "c"], ["a", "b", "b"], positive_class="c").value
    0.0
    """
    return judge_class(
        "sensitivity",
        reference,
        prediction,
        positive_class=positive_class,
        class_average=class_average,
        classes=classes,
        score_threshold=score_threshold,
    )


@declare(
    "Specificity",
    "Spec",
    categories=IMAGES + LABELS,
    direction="higher",
    range=(0, 1),
    family="per_class_counting",
    needs="labels",
    options=ONE_CLASS,
    evidence="one_class",
)
def specificity(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    positive_class: Hashable | None = None,
    class_average: ClassAverage = "per_class",
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
) -> Result:
    """Specificity, TN / (TN + FP): the share of the negative cases that was left alone.

    Parameters are those of `sensitivity`.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` with the flag ``reference`` if nothing is negative.

    Examples
    --------
    >>> specificity([1, 1, 0, 0], [1, 0, 0, 1]).value
    0.5
    """
    return judge_class(
        "specificity",
        reference,
        prediction,
        positive_class=positive_class,
        class_average=class_average,
        classes=classes,
        score_threshold=score_threshold,
    )


@declare(
    "Positive Predictive Value",
    "PPV",
    categories=IMAGES + OBJECTS + LABELS,
    direction="higher",
    range=(0, 1),
    family="per_class_counting",
    needs="labels",
    options=(
        LEVEL,
        *ONE_CLASS_OR_MICRO,
        Option(
            "target_prevalence",
            "number",
            None,
            "Population prevalence for the corrected form; null uses the plain count ratio. Image level only.",
            minimum=0,
            maximum=1,
            accepted=NOT_FOR_OBJECTS,
        ),
        Option(
            "on_no_positive_prediction",
            "enum",
            "worst",
            "Value when nothing was predicted positive although positives exist.",
            choices=("worst", "exclude"),
        ),
        SCALE,
        *MATCHING,
    ),
    evidence="one_class",
    evidence_of_objects="counts",
)
def ppv(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    target_prevalence: float | None = None,
    positive_class: Hashable | None = None,
    class_average: ClassAverage = "per_class",
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
) -> Result:
    """Positive predictive value (Precision), TP / (TP + FP): how far a positive decision can be trusted.

    Parameters
    ----------
    reference, prediction, positive_class, class_average, classes, score_threshold
        As for `sensitivity`.
    target_prevalence
        Share of positives in the intended population, in [0, 1]; the value is then computed from Sensitivity and
        Specificity at that prevalence. The plain ratio is the same at the data set's own prevalence.

    Returns
    -------
    Result
        Value in [0, 1], higher is better. ``both_empty`` if nothing is positive and nothing was called so,
        ``degenerate`` if nothing was called positive although something is. With a target prevalence, ``degenerate``
        with the flag ``reference`` if a class is absent.

    Examples
    --------
    >>> ppv([1, 1, 0, 0], [1, 0, 0, 1]).value
    0.5
    >>> ppv([1, 0], [0, 0]).outcome
    <Outcome.DEGENERATE: 'degenerate'>
    """
    return judge_class(
        "ppv",
        reference,
        prediction,
        positive_class=positive_class,
        class_average=class_average,
        classes=classes,
        score_threshold=score_threshold,
        target_prevalence=_probability(target_prevalence),
    )


@declare(
    "Negative Predictive Value",
    "NPV",
    categories=IMAGES + LABELS,
    direction="higher",
    range=(0, 1),
    family="per_class_counting",
    needs="labels",
    options=(
        *ONE_CLASS,
        Option(
            "target_prevalence",
            "number",
            None,
            "Population prevalence for the corrected form; null uses the plain count ratio.",
            minimum=0,
            maximum=1,
        ),
        Option(
            "on_no_negative_prediction",
            "enum",
            "worst",
            "Value when nothing was predicted negative although negatives exist.",
            choices=("worst", "exclude"),
        ),
    ),
    evidence="one_class",
)
def npv(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    target_prevalence: float | None = None,
    positive_class: Hashable | None = None,
    class_average: ClassAverage = "per_class",
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
) -> Result:
    """Negative predictive value, TN / (TN + FN): how far a negative decision can be trusted.

    Parameters and outcomes are those of `ppv` with the classes exchanged.

    Examples
    --------
    >>> npv([1, 0, 0, 0], [0, 0, 0, 1]).value
    0.6666666666666666
    """
    return judge_class(
        "npv",
        reference,
        prediction,
        positive_class=positive_class,
        class_average=class_average,
        classes=classes,
        score_threshold=score_threshold,
        target_prevalence=_probability(target_prevalence),
    )


def _probability(share: float | None) -> float | None:
    if share is not None and not 0 <= share <= 1:
        message = f"target_prevalence is a number from 0 to 1, not {share}"
        raise ValueError(message)
    return share
