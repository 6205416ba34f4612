"""Decisions about whole images where mistakes weigh differently: by costs, or by how far apart two classes are.

All functions take the reference first and the prediction second, as those of `evaluation.metrics.multi_class` do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from evaluation.metrics.declaration import IMAGES, declare
from evaluation.metrics.multi_class import judge
from evaluation.metrics.options import Option
from evaluation.metrics.shared_options import COSTS, PRIORS, SCORE_THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from evaluation.outcomes import Result


@declare(
    "Weighted Cohen's Kappa",
    "WCK",
    categories=IMAGES,
    direction="higher",
    range=(None, 1),
    family="multi_class_counting",
    needs="labels",
    options=(
        SCORE_THRESHOLD,
        Option(
            "weights",
            "enum",
            "quadratic",
            "Disagreement weights w_ij (zero on the diagonal).",
            choices=("unweighted", "linear", "quadratic", "custom"),
        ),
        Option("weight_matrix", "array", None, "C x C matrix for weights=custom, rows reference, columns prediction."),
    ),
    evidence="all_classes",
)
def weighted_cohens_kappa(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    weights: Literal["unweighted", "linear", "quadratic", "custom"] = "quadratic",
    weight_matrix: ArrayLike | None = None,
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
) -> Result:
    """Cohen's kappa that counts a near miss less than a far one: 1 minus observed over expected disagreement.

    Parameters
    ----------
    reference, prediction, classes, score_threshold
        As for `accuracy`; the order of the classes is their scale.
    weights
        Disagreement of two classes by their distance in that order, or ``custom``.
    weight_matrix
        For ``custom``: ``(C, C)``, rows reference, 0 on the diagonal.

    Returns
    -------
    Result
        Value in [-1, 1] ((-inf, 1] for custom weights), higher is better. ``degenerate`` with the flag ``reference``
        if fewer than two classes occur; without it if the expected disagreement is 0.

    Examples
    --------
    >>> round(weighted_cohens_kappa([0, 1, 2], [0, 1, 1]).value, 4)
    0.6667
    """
    return judge(
        "weighted_cohens_kappa",
        reference,
        prediction,
        classes,
        score_threshold,
        weights=weights,
        weight_matrix=weight_matrix,
    )


@declare(
    "Expected Cost",
    "EC",
    categories=IMAGES,
    direction="lower",
    range=(0, None),
    family="multi_class_counting",
    needs="labels",
    options=(SCORE_THRESHOLD, COSTS, PRIORS),
    evidence="all_classes",
)
def expected_cost(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    costs: ArrayLike | Literal["zero_one"] = "zero_one",
    priors: ArrayLike | Literal["dataset", "uniform"] = "dataset",
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
) -> Result:
    """Expected cost of a decision: the sum of P_i w_ij times the share of class i that is decided as j.

    Parameters
    ----------
    reference, prediction, classes, score_threshold
        As for `accuracy`.
    costs
        ``(C, C)`` numbers >= 0, rows reference; ``zero_one`` for 1 a wrong decision.
    priors
        Class frequencies to assume: those of the data set, ``uniform``, or one number a class.

    Returns
    -------
    Result
        Value in [0, inf), lower is better; ``degenerate`` with the flag ``reference`` if a class with a prior above 0
        does not occur.

    Examples
    --------
    >>> expected_cost([1, 1, 0, 0], [1, 0, 0, 0], costs=[[0, 1], [5, 0]]).value
    1.25
    """
    return judge("expected_cost", reference, prediction, classes, score_threshold, costs=costs, priors=priors)


@declare(
    "Normalized Expected Cost",
    "EC_norm",
    categories=IMAGES,
    direction="lower",
    range=(0, None),
    family="multi_class_counting",
    needs="labels",
    options=(SCORE_THRESHOLD, COSTS, PRIORS),
    evidence="all_classes",
)
def expected_cost_normalized(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    costs: ArrayLike | Literal["zero_one"] = "zero_one",
    priors: ArrayLike | Literal["dataset", "uniform"] = "dataset",
    classes: Sequence[Hashable] | None = None,
    score_threshold: float = 0.5,
) -> Result:
    """Expected cost in units of the best constant decision: 1 is as good as looking at no image.

    Parameters are those of `expected_cost`.

    Returns
    -------
    Result
        Value in [0, inf), lower is better; ``degenerate`` with the flag ``reference`` as `expected_cost`, and if the
        best constant decision costs nothing.

    Examples
    --------
    >>> expected_cost_normalized([1, 1, 0, 0], [0, 0, 0, 0]).value
    1.0
    """
    return judge(
        "expected_cost_normalized", reference, prediction, classes, score_threshold, costs=costs, priors=priors
    )


@declare(
    "Mean Absolute Error of Ordinal Classes",
    "oMAE",
    categories=IMAGES,
    direction="lower",
    range=(0, None),
    family="multi_class_counting",
    needs="labels",
    evidence="all_classes",
    unit="levels",
    worst_by_case=True,
)
def ordinal_mae(reference: ArrayLike, prediction: ArrayLike, *, classes: Sequence[Hashable] | None = None) -> Result:
    """Mean distance of decision and reference in levels, where the order of the classes is their scale.

    Parameters are those of `accuracy`. Where one class is common, always deciding for it looks good: see `macro_ordinal_mae`.

    Returns
    -------
    Result
        Value from 0 to one less than the number of classes, lower is better; ``degenerate`` with the flag ``reference``
        without any case.

    Examples
    --------
    >>> round(ordinal_mae([0, 0, 0, 1, 2, 2], [0, 1, 0, 1, 0, 1]).value, 6)
    0.666667
    """
    return judge("ordinal_mae", reference, prediction, classes, 0.5)


@declare(
    "Macro-averaged Mean Absolute Error of Ordinal Classes",
    "MMAE",
    categories=IMAGES,
    direction="lower",
    range=(0, None),
    family="multi_class_counting",
    needs="labels",
    evidence="all_classes",
    unit="levels",
    worst_by_case=True,
    policy={"degenerate": "exclude"},
)
def macro_ordinal_mae(
    reference: ArrayLike, prediction: ArrayLike, *, classes: Sequence[Hashable] | None = None
) -> Result:
    """Return the mean over the classes of the reference of the `ordinal_mae` of each class.

    Rare classes weigh as much as common ones.

    Parameters are those of `accuracy`. Classes that the reference lacks are excluded (Baccianella et al. 2009).

    Returns
    -------
    Result
        As `ordinal_mae`.

    Examples
    --------
    >>> round(macro_ordinal_mae([0, 0, 0, 1, 2, 2], [0, 1, 0, 1, 0, 1]).value, 6)
    0.611111
    """
    return judge("macro_ordinal_mae", reference, prediction, classes, 0.5)
