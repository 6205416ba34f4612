"""From checked samples to values, plain or under multiplicities: one evaluator for every metric of image classification.

An evaluator takes `Samples`, multiplicities or ``None``, the class to judge and the metric's options, and returns
`Values`. The public functions call it without multiplicities; recomputation from evidence calls it with them, so both
give the same numbers by construction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from evaluation.metrics import counting
from evaluation.metrics.paired_values import PAIRED
from evaluation.metrics.samples import Samples, weighted_count, weighted_sum
from evaluation.metrics.threshold_counts import (
    Point,
    ThresholdCounts,
    area_under_roc,
    average_precision_of,
    count_thresholds,
    with_ends,
    working_point,
)
from evaluation.metrics.values import FloatArray, Values, mean_of_classes, ratio
from evaluation.outcomes import Flag, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.metrics.counting import Counts, MultiClassForm
    from evaluation.metrics.threshold_counts import Interpolation, Rule

ClassAverage = Literal["per_class", "macro", "weighted"]
CurveAverage = Literal["per_class", "macro", "weighted", "micro"]


ClassEvaluator = Callable[..., Values]
"""Judges one class, or several taken together, against the rest: samples, codes of the class, multiplicities, options."""


def _of_counts(formula: Callable[..., Values]) -> ClassEvaluator:
    def evaluate(samples: Samples, positive: Sequence[int], weights: FloatArray | None, **options: Any) -> Values:
        return formula(samples.counts(positive, weights), **options)

    return evaluate


def _net_benefit(
    samples: Samples, positive: Sequence[int], weights: FloatArray | None, *, threshold_probability: float
) -> Values:
    if samples.scores is None:
        counts: Counts = samples.counts(positive, weights)
    else:
        counts = samples.counts_at(positive, threshold_probability, weights)
    return counting.net_benefit(counts, threshold_probability)


def _auroc(
    samples: Samples, positive: Sequence[int], weights: FloatArray | None, *, max_fpr: float | None = None
) -> Values:
    return area_under_roc(count_thresholds(samples.belongs(positive), samples.score_of(positive), weights), max_fpr)


def _average_precision(
    samples: Samples,
    positive: Sequence[int],
    weights: FloatArray | None,
    *,
    interpolation: Interpolation = "step",
    ties: Literal["grouped", "sequential"] = "grouped",
) -> Values:
    belongs, scores = samples.belongs(positive), samples.score_of(positive)
    if samples.missing is None and (ties == "grouped" or weights is None):
        return average_precision_of(
            count_thresholds(belongs, scores, weights, grouped=ties == "grouped"), interpolation
        )
    # A positive case without an answer is found at no threshold. With the lowest score it would be found at the last one,
    # among equals with a higher PPV than before, perhaps.
    findable = ~(samples.absent & belongs)
    if ties == "grouped" or weights is None:
        drawn = None if weights is None else weights[:, findable]
        curve = count_thresholds(belongs[findable], scores[findable], drawn, grouped=ties == "grouped")
        lost = weighted_sum((~findable).astype(np.float64), weights)
        return average_precision_of(curve._replace(positive=curve.positive + lost[:, None]), interpolation)
    # One by one, copies of a case are steps of their own, so every resample is written out.
    parts = []
    for row in weights:
        copies = np.repeat(np.arange(len(samples)), row.astype(np.int64))
        seen = copies[findable[copies]]
        curve = count_thresholds(belongs[seen], scores[seen], grouped=False)
        curve = curve._replace(positive=curve.positive + (len(copies) - len(seen)))
        parts.append(average_precision_of(curve, interpolation))
    return Values.joined(parts)


def pooled_labels(samples: Samples) -> Samples:
    """Decisions on all classes as one data set of two classes, each class against the rest (micro-averaging).

    Examples
    --------
    >>> from evaluation.metrics.samples import make_samples
    >>> pooled_labels(make_samples([0, 1], np.array([[0.9, 0.1], [0.4, 0.6]]), decided=False)).reference.tolist()
    [1, 0, 0, 1]
    """
    scores = samples.required_scores.T.ravel()
    truth = np.concatenate([samples.belongs([code]) for code in range(len(samples.classes))]).astype(np.int64)
    return Samples((0, 1), truth, None, np.stack([1.0 - scores, scores], axis=1))


def stack(values: Sequence[Values]) -> Values:
    """Values of several batches of resamples behind one another."""
    return Values.joined(values)


def rate(name: str, curve: ThresholdCounts) -> FloatArray:
    """Sensitivity, Specificity, PPV or NPV at every threshold, NaN where undefined."""
    missed, rejected = curve.positive - curve.tp, curve.negative - curve.fp
    if name == "sensitivity":
        return ratio(curve.tp, curve.positive)
    if name == "specificity":
        return ratio(rejected, curve.negative)
    if name == "ppv":
        return ratio(curve.tp, curve.tp + curve.fp)
    return ratio(rejected, rejected + missed)


def resolve_rule(rule: Rule, target: str) -> Literal["tight", "best"]:
    """``auto`` is tight where the target metric goes one way along the thresholds, best where it zigzags."""
    if rule != "auto":
        return rule
    return "best" if target in ("ppv", "npv") else "tight"


def find_working_point(
    samples: Samples,
    positive: Sequence[int],
    weights: FloatArray | None,
    *,
    reported: str,
    target: str,
    at_least: float,
    rule: Rule = "auto",
) -> Point:
    """The value of one rate where another meets its target, with the threshold."""
    curve = with_ends(count_thresholds(samples.belongs(positive), samples.score_of(positive), weights))
    lacking = {"sensitivity": curve.positive == 0, "ppv": curve.positive == 0}
    opposite = {"specificity": curve.negative == 0, "npv": curve.negative == 0}
    needs = lacking | opposite
    return working_point(
        rate(reported, curve),
        rate(target, curve),
        at_least,
        curve.thresholds,
        rule=resolve_rule(rule, target),
        undefined=(needs[reported] | needs[target])[:, 0],
    )


def _at(reported: str, target: str) -> ClassEvaluator:
    def evaluate(samples: Samples, positive: Sequence[int], weights: FloatArray | None, **options: Any) -> Values:
        at_least = options[f"target_{target}"]
        rule = options.get("rule", "auto")
        return find_working_point(
            samples, positive, weights, reported=reported, target=target, at_least=at_least, rule=rule
        ).values

    return evaluate


PER_CLASS: Final[Mapping[str, ClassEvaluator]] = {
    "sensitivity": _of_counts(counting.sensitivity),
    "specificity": _of_counts(counting.specificity),
    "ppv": _of_counts(counting.ppv),
    "npv": _of_counts(counting.npv),
    "lr_plus": _of_counts(counting.lr_plus),
    "fbeta": _of_counts(counting.fbeta),
    "net_benefit": _net_benefit,
    "auroc": _auroc,
    "average_precision": _average_precision,
    "sensitivity_at_specificity": _at("sensitivity", "specificity"),
    "specificity_at_sensitivity": _at("specificity", "sensitivity"),
    "ppv_at_sensitivity": _at("ppv", "sensitivity"),
    "npv_at_sensitivity": _at("npv", "sensitivity"),
    "sensitivity_at_ppv": _at("sensitivity", "ppv"),
    "sensitivity_at_npv": _at("sensitivity", "npv"),
}
"""Metrics of one class against the rest."""

BY_DECISIONS: Final = frozenset({"sensitivity", "specificity", "ppv", "npv", "lr_plus", "fbeta", "net_benefit"})
"""Those of them that need no scores."""


def average(
    evaluator: ClassEvaluator,
    samples: Samples,
    groups: Sequence[Sequence[int]],
    weights: FloatArray | None,
    *,
    class_average: ClassAverage,
    worst: float = 0.0,
    **options: Any,
) -> Values:
    """Mean of a metric over classes, equally weighted (``macro``) or as often as they occur (``weighted``)."""
    values = [evaluator(samples, group, weights, **options) for group in groups]
    occurs = np.stack([samples.counts_of_reference(group, weights) for group in groups], axis=1)
    return mean_of_classes(values, occurs, worst, weighted=class_average == "weighted")


def square(values: object, size: int, name: str) -> FloatArray:
    """A matrix with one row and column a class.

    Raises
    ------
    ValueError
        For another shape, or numbers that are not finite or below 0.
    """
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.shape != (size, size) or not np.isfinite(matrix).all() or matrix.min() < 0:
        message = (
            f"{name}: {size} rows and columns of finite numbers >= 0, one for each class, not shape {matrix.shape}"
        )
        raise ValueError(message)
    return matrix


def disagreement(weights: str, size: int, weight_matrix: object = None) -> FloatArray:
    """Weights of a disagreement between two classes.

    Raises
    ------
    ValueError
        For another name than unweighted, linear, quadratic and custom, or a matrix that does not fit.
    """
    steps = np.abs(np.arange(size)[:, None] - np.arange(size)[None, :]).astype(np.float64)
    if weights == "custom":
        matrix = square(weight_matrix, size, "weight_matrix")
        if np.diagonal(matrix).any():
            message = "weight_matrix: agreement has the weight 0, so the diagonal is 0"
            raise ValueError(message)
        return matrix
    schemes: dict[str, FloatArray] = {"unweighted": np.minimum(steps, 1.0), "linear": steps, "quadratic": steps**2}
    if weights not in schemes:
        message = f"weights: {weights!r} is none of {', '.join(schemes)}, custom"
        raise ValueError(message)
    return schemes[weights]


def cost_matrix(costs: object, size: int) -> FloatArray:
    """Costs of deciding one class for another; ``zero_one`` for 1 a wrong decision."""
    if isinstance(costs, str) and costs == "zero_one":
        return disagreement("unweighted", size)
    return square(costs, size, "costs")


def prior_vector(priors: object, size: int, name: str = "priors") -> FloatArray | None:
    """Class frequencies to assume; ``None`` for those of the data set.

    Raises
    ------
    ValueError
        Unless there is one number of 0 or more for each class and they sum to 1.
    """
    if isinstance(priors, str) and priors in ("dataset", "uniform"):
        return None if priors == "dataset" else np.full(size, 1.0 / size)
    vector = np.asarray(priors, dtype=np.float64) if not isinstance(priors, str) else np.zeros(0)
    if vector.shape != (size,) or not np.isfinite(vector).all() or vector.min() < 0 or abs(vector.sum() - 1) > 1e-6:
        message = f"{name}: dataset, uniform or {size} numbers >= 0 that sum to 1, not {priors!r}"
        raise ValueError(message)
    return vector


def _accuracy(samples: Samples, weights: FloatArray | None) -> Values:
    return counting.accuracy(samples.matrix(weights))


def _balanced_accuracy(samples: Samples, weights: FloatArray | None) -> Values:
    return counting.balanced_accuracy(samples.matrix(weights))


def _youden_j(
    samples: Samples, weights: FloatArray | None, *, multiclass_form: MultiClassForm = "normalized"
) -> Values:
    return counting.youden_j(samples.matrix(weights), multiclass_form)


def _mcc(samples: Samples, weights: FloatArray | None) -> Values:
    return counting.mcc(samples.matrix(weights))


def _cohens_kappa(samples: Samples, weights: FloatArray | None) -> Values:
    return counting.weighted_cohens_kappa(samples.matrix(weights), disagreement("unweighted", len(samples.classes)))


def _weighted_cohens_kappa(
    samples: Samples, weights_of_cases: FloatArray | None, *, weights: str = "quadratic", weight_matrix: object = None
) -> Values:
    scheme = disagreement(weights, len(samples.classes), weight_matrix)
    return counting.weighted_cohens_kappa(samples.matrix(weights_of_cases), scheme)


def _cost(*, normalized: bool) -> Callable[..., Values]:
    def evaluate(
        samples: Samples, weights: FloatArray | None, *, costs: object = "zero_one", priors: object = "dataset"
    ) -> Values:
        size = len(samples.classes)
        return counting.expected_cost(
            samples.matrix(weights), cost_matrix(costs, size), prior_vector(priors, size), normalized=normalized
        )

    return evaluate


def _levels(samples: Samples) -> tuple[FloatArray, FloatArray]:
    """Levels of reference and decision: the places of their classes."""
    decided = samples.decision if samples.decision is not None else samples.reference
    return samples.reference.astype(np.float64), decided.astype(np.float64)


def _ordinal_mae(samples: Samples, weights: FloatArray | None) -> Values:
    size = len(samples.classes)
    matrix = samples.matrix(weights)
    off = (matrix * disagreement("linear", size)).sum(axis=(1, 2))
    number = matrix.sum(axis=(1, 2))
    return Values(ratio(off, number)).undefine(number == 0, Outcome.DEGENERATE, Flag.REFERENCE)


def _macro_ordinal_mae(samples: Samples, weights: FloatArray | None) -> Values:
    size = len(samples.classes)
    matrix = samples.matrix(weights)
    occurs = matrix.sum(axis=2)
    means = ratio((matrix * disagreement("linear", size)).sum(axis=2), occurs)
    classes = (occurs > 0).sum(axis=1)
    total = np.where(occurs > 0, means, 0.0).sum(axis=1)
    return Values(ratio(total, classes)).undefine(classes == 0, Outcome.DEGENERATE, Flag.REFERENCE)


def _kendall_tau_b(samples: Samples, weights: FloatArray | None) -> Values:
    drawn = np.ones((1, len(samples))) if weights is None else weights
    return PAIRED["kendall_tau_b"](*_levels(samples), drawn)


def _top_k_accuracy(samples: Samples, weights: FloatArray | None, *, k: int = 5) -> Values:
    scores = np.nan_to_num(samples.required_scores)
    reference_scores = scores[np.arange(len(samples)), samples.reference]
    greater = (scores > reference_scores[:, None]).sum(axis=1)
    equal = (scores == reference_scores[:, None]).sum(axis=1)
    counts = np.where(samples.absent, 0.0, np.clip((k - greater) / equal, 0.0, 1.0))
    number = weighted_count(len(samples), weights)
    values = Values(ratio(weighted_sum(counts, weights), number))
    return values.undefine(number == 0, Outcome.DEGENERATE, Flag.REFERENCE)


OVERALL: Final[Mapping[str, Callable[..., Values]]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "youden_j": _youden_j,
    "mcc": _mcc,
    "cohens_kappa": _cohens_kappa,
    "weighted_cohens_kappa": _weighted_cohens_kappa,
    "expected_cost": _cost(normalized=False),
    "expected_cost_normalized": _cost(normalized=True),
    "ordinal_mae": _ordinal_mae,
    "macro_ordinal_mae": _macro_ordinal_mae,
    "kendall_tau_b": _kendall_tau_b,
    "top_k_accuracy": _top_k_accuracy,
}
"""Metrics of all classes at once that count decisions, or cases by the order of their scores."""

BY_ORDER: Final = frozenset({"ordinal_mae", "macro_ordinal_mae", "kendall_tau_b"})
"""Those of them for which the classes are levels: the costliest decision is the farthest one."""

BY_ALL_SCORES: Final = frozenset({"top_k_accuracy"})
"""Those of them that need a score of every class."""
