"""Decisions about whole images, all classes at once.

All functions take the reference first and the prediction second, as those of `evaluation.metrics.classification` do. In
every matrix, rows are classes of the reference and columns decisions, in the order of the classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.metrics.declaration import IMAGES, LABELS, declare
from evaluation.metrics.evaluators import OVERALL
from evaluation.metrics.options import Option
from evaluation.metrics.samples import make_samples
from evaluation.metrics.shared_options import SCORE_THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from evaluation.metrics.counting import MultiClassForm
    from evaluation.outcomes import Result


def judge(
    metric: str,
    reference: ArrayLike,
    prediction: ArrayLike,
    classes: Sequence[Hashable] | None,
    score_threshold: float,
    **options: Any,
) -> Result:
    """Judge decisions by a metric of all classes at once, given by its id."""
    samples = make_samples(reference, prediction, classes=classes, score_threshold=score_threshold)
    return OVERALL[metric](samples, None, **options).result()


@declare(
    "Accuracy",
    "Acc",
    categories=IMAGES + LABELS,
    direction="higher",
    range=(0, 1),
    family="multi_class_counting",
    needs="labels",
    options=(SCORE_THRESHOLD,),
    evidence="all_classes",
)
def accuracy(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
) -> Result:
    """Accuracy: the share of correct decisions.

    Parameters
    ----------
    reference
        Labels, ``(N,)``.
    prediction
        Labels ``(N,)``, or scores ``(N,)`` of the second of two classes or ``(N, C)``.
    classes
        All classes in order; by default those that occur, ascending, and 0 and 1 if no others occur.
    score_threshold
        Of two classes, scores from here on decide for the second; of more, the greatest score decides.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` with the flag ``reference`` without any case.

    Raises
    ------
    ValueError
        If the arrays do not fit one another, or scores are no probabilities.

    Examples
    --------
    >>> accuracy([0, 1, 2, 2], [0, 1, 1, 2])
    Result(value=0.75, outcome=<Outcome.OK: 'ok'>)
    """
    return judge("accuracy", reference, prediction, classes, score_threshold)


@declare(
    "Balanced Accuracy",
    "BA",
    categories=IMAGES + LABELS,
    direction="higher",
    range=(0, 1),
    family="multi_class_counting",
    needs="labels",
    options=(SCORE_THRESHOLD,),
    evidence="all_classes",
)
def balanced_accuracy(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
) -> Result:
    """Balanced accuracy: the mean Sensitivity of the classes that occur in the reference.

    Parameters are those of `accuracy`. A guess gives one over the number of classes.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` with the flag ``reference`` if fewer than two classes occur.

    Examples
    --------
    >>> balanced_accuracy([0, 0, 0, 1], [0, 0, 0, 0]).value
    0.5
    """
    return judge("balanced_accuracy", reference, prediction, classes, score_threshold)


@declare(
    "Youden's Index",
    "J",
    categories=IMAGES + LABELS,
    direction="higher",
    range=(-1, 1),
    family="multi_class_counting",
    needs="labels",
    options=(
        SCORE_THRESHOLD,
        Option(
            "multiclass_form",
            "enum",
            "normalized",
            "normalized = (C*BA-1)/(C-1), bounded by 1 and -1/(C-1); sum = sum of Sensitivities minus (C-1), bounded by 1 and -(C-1). Identical for two classes.",
            choices=("normalized", "sum"),
        ),
    ),
    evidence="all_classes",
)
def youden_j(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    multiclass_form: MultiClassForm = "normalized",
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
) -> Result:
    """Youden's index: Sensitivity + Specificity - 1, or what becomes of it for more classes.

    Parameters
    ----------
    reference, prediction, classes, score_threshold
        As for `accuracy`.
    multiclass_form
        ``normalized``: (C BA - 1)/(C - 1), 0 for a guess; ``sum``: the sum of the Sensitivities minus C - 1. Only
        classes that occur are counted. The same for two classes.

    Returns
    -------
    Result
        Value of at most 1, higher is better, from -1/(C - 1) (``normalized``) or -(C - 1) on; outcomes of
        `balanced_accuracy`.

    Examples
    --------
    >>> youden_j([0, 0, 1, 1], [0, 1, 1, 1]).value
    0.5
    """
    if multiclass_form not in ("normalized", "sum"):
        message = f"multiclass_form is normalized or sum, not {multiclass_form!r}"
        raise ValueError(message)
    return judge("youden_j", reference, prediction, classes, score_threshold, multiclass_form=multiclass_form)


@declare(
    "Matthews Correlation Coefficient",
    "MCC",
    categories=IMAGES + LABELS,
    direction="higher",
    range=(-1, 1),
    family="multi_class_counting",
    needs="labels",
    options=(
        SCORE_THRESHOLD,
        Option(
            "on_constant_prediction",
            "enum",
            "zero",
            "Value when all predictions fall into one class while the reference has several.",
            choices=("zero", "worst", "exclude"),
        ),
    ),
    evidence="all_classes",
    policy={"degenerate": 0.0},
)
def mcc(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
) -> Result:
    """Matthews correlation coefficient, for more classes in the form of Gorodkin.

    Parameters are those of `accuracy`.

    Returns
    -------
    Result
        Value in [-1, 1], higher is better, 0 for a guess. ``degenerate`` if every decision is the same (no better than
        a guess, and counted as 0 by default), with the flag ``reference`` if fewer than two classes occur.

    Notes
    -----
    The denominator is the root of a product of two differences; without the root, and with both marginals in one term,
    the expression is Cohen's kappa.

    Examples
    --------
    >>> mcc([0, 0, 1, 1], [0, 0, 1, 1]).value
    1.0
    >>> mcc([0, 0, 1, 1], [0, 0, 0, 0]).outcome
    <Outcome.DEGENERATE: 'degenerate'>
    """
    return judge("mcc", reference, prediction, classes, score_threshold)


@declare(
    "Cohen's Kappa",
    "CK",
    categories=IMAGES + LABELS,
    direction="higher",
    range=(-1, 1),
    family="multi_class_counting",
    needs="labels",
    options=(SCORE_THRESHOLD,),
    evidence="all_classes",
)
def cohens_kappa(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
) -> Result:
    """Cohen's kappa: agreement beyond the chance agreement of the two distributions of classes.

    Parameters are those of `accuracy`.

    Returns
    -------
    Result
        Value in [-1, 1], higher is better, 0 for chance; ``degenerate`` with the flag ``reference`` if fewer than two
        classes occur, regardless of the decisions.

    Examples
    --------
    >>> cohens_kappa([0, 0, 1, 1], [0, 1, 1, 1]).value
    0.5
    """
    return judge("cohens_kappa", reference, prediction, classes, score_threshold)


@declare(
    "Top-k Accuracy",
    "Top-k",
    categories=IMAGES,
    direction="higher",
    range=(0, 1),
    family="multi_class_counting",
    needs="labels scores",
    options=(
        Option("k", "integer", 5, "A case is right if its class is among the k with the highest scores.", minimum=1),
    ),
    evidence="all_classes",
    label="Top-{k}",
)
def top_k_accuracy(
    reference: ArrayLike, scores: ArrayLike, *, k: int = 5, classes: Sequence[Hashable] | None = None
) -> Result:
    """Share of cases whose class is among the k with the highest scores.

    Parameters
    ----------
    reference, classes
        As for `accuracy`.
    scores
        ``(N, C)``.
    k
        Fewer than there are classes.

    Returns
    -------
    Result
        Value in [0, 1], higher is better. Of classes with equal scores, the mean over all their orders counts, so that the
        order of the columns does not matter.

    Raises
    ------
    ValueError
        As `accuracy`, and for a k that takes in every class.

    Examples
    --------
    >>> round(top_k_accuracy([0, 2], [[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]], k=2).value, 6)
    0.75
    """
    samples = make_samples(reference, scores, classes=classes)
    if not 1 <= k < len(samples.classes):
        message = f"k is at least 1 and less than the {len(samples.classes)} classes, not {k}"
        raise ValueError(message)
    return OVERALL["top_k_accuracy"](samples, None, k=k).result()
