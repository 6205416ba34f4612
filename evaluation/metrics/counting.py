"""The formulas of the counting metrics, on arrays of counts.

Every function takes counts with a leading axis of resamples (or single numbers) and returns `Values`. The same formulas
serve images, objects and the resamples of a bootstrap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from evaluation.metrics.values import FloatArray, Values, ratio
from evaluation.outcomes import Flag, Outcome

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

MultiClassForm = Literal["normalized", "sum"]


class Counts(NamedTuple):
    """Cardinalities of one class against the rest, each of shape ``(B,)``."""

    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    tn: FloatArray

    @classmethod
    def of(cls, tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike) -> Counts:
        """Counts from numbers or arrays."""
        return cls(*(np.atleast_1d(np.asarray(count, dtype=np.float64)) for count in (tp, fp, fn, tn)))

    @property
    def positive(self) -> FloatArray:
        """Number of positives in the reference."""
        return self.tp + self.fn

    @property
    def negative(self) -> FloatArray:
        """Number of negatives in the reference."""
        return self.fp + self.tn

    @property
    def swapped(self) -> Counts:
        """Return the counts with the other class as the positive class."""
        return Counts(self.tn, self.fn, self.fp, self.tp)


def sensitivity(counts: Counts) -> Values:
    """TP / (TP + FN)."""
    values = Values(ratio(counts.tp, counts.positive))
    return values.undefine(counts.positive == 0, Outcome.DEGENERATE, Flag.REFERENCE)


def specificity(counts: Counts) -> Values:
    """TN / (TN + FP)."""
    return sensitivity(counts.swapped)


def ppv(counts: Counts, target_prevalence: float | None = None) -> Values:
    """TP / (TP + FP), or what it would be at another prevalence."""
    if target_prevalence is None:
        predicted = counts.tp + counts.fp
        values = Values(ratio(counts.tp, predicted))
        values.undefine((predicted == 0) & (counts.fn == 0), Outcome.BOTH_EMPTY)
        return values.undefine(predicted == 0, Outcome.DEGENERATE)
    hit = ratio(counts.tp, counts.positive) * target_prevalence
    alarm = ratio(counts.fp, counts.negative) * (1 - target_prevalence)
    values = Values(ratio(hit, hit + alarm))
    values.undefine((counts.positive == 0) | (counts.negative == 0), Outcome.DEGENERATE, Flag.REFERENCE)
    return values.undefine(hit + alarm == 0, Outcome.DEGENERATE)


def npv(counts: Counts, target_prevalence: float | None = None) -> Values:
    """TN / (TN + FN), or what it would be at another prevalence."""
    return ppv(counts.swapped, None if target_prevalence is None else 1 - target_prevalence)


def lr_plus(counts: Counts, continuity_correction: float = 0.0) -> Values:
    """Sensitivity / (1 - Specificity)."""
    added = Counts(*(count + continuity_correction for count in counts))
    values = Values(ratio(added.tp * added.negative, added.positive * added.fp))
    values.undefine((counts.positive == 0) | (counts.negative == 0), Outcome.DEGENERATE, Flag.REFERENCE)
    values.undefine((added.fp == 0) & (added.tp > 0), Outcome.DEGENERATE, Flag.UNBOUNDED)
    return values.undefine(added.fp == 0, Outcome.DEGENERATE)


def fbeta(counts: Counts, beta: float = 1.0) -> Values:
    """(1 + b²) TP / ((1 + b²) TP + b² FN + FP), from counts, so that only three zeros leave it undefined."""
    square = beta * beta
    denominator = (1 + square) * counts.tp + square * counts.fn + counts.fp
    return Values(ratio((1 + square) * counts.tp, denominator)).undefine(denominator == 0, Outcome.BOTH_EMPTY)


def net_benefit(counts: Counts, threshold_probability: float) -> Values:
    """TP/N - FP/N * p/(1 - p)."""
    total = counts.positive + counts.negative
    rate = threshold_probability / (1 - threshold_probability)
    return Values(ratio(counts.tp - counts.fp * rate, total)).undefine(total == 0, Outcome.DEGENERATE, Flag.REFERENCE)


# --- all classes at once: matrices of shape (B, C, C), rows reference, columns prediction -----------------------------


def _marginals(matrix: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the number of occurrences of each class, the number of its predictions, and the total."""
    return matrix.sum(axis=2), matrix.sum(axis=1), matrix.sum(axis=(1, 2))


def _diagonal(matrix: FloatArray) -> FloatArray:
    diagonal: FloatArray = np.diagonal(matrix, axis1=1, axis2=2)
    return diagonal


def _one_class(occurs: FloatArray) -> npt.NDArray[np.bool_]:
    one: npt.NDArray[np.bool_] = np.count_nonzero(occurs > 0, axis=1) < 2
    return one


def accuracy(matrix: FloatArray) -> Values:
    """Share of correct decisions."""
    total = matrix.sum(axis=(1, 2))
    values = Values(ratio(_diagonal(matrix).sum(axis=1), total))
    return values.undefine(total == 0, Outcome.DEGENERATE, Flag.REFERENCE)


def balanced_accuracy(matrix: FloatArray) -> Values:
    """Mean Sensitivity of the classes that occur."""
    occurs, _, _ = _marginals(matrix)
    rates = np.where(occurs > 0, ratio(_diagonal(matrix), occurs), 0.0)
    values = Values(ratio(rates.sum(axis=1), (occurs > 0).sum(axis=1)))
    return values.undefine(_one_class(occurs), Outcome.DEGENERATE, Flag.REFERENCE)


def youden_j(matrix: FloatArray, multiclass_form: MultiClassForm = "normalized") -> Values:
    """Return the excess of the Sensitivities over those of a constant guess."""
    occurs, _, _ = _marginals(matrix)
    classes = (occurs > 0).sum(axis=1)
    total = np.where(occurs > 0, ratio(_diagonal(matrix), occurs), 0.0).sum(axis=1)
    values = Values(total - (classes - 1) if multiclass_form == "sum" else ratio(total - 1, classes - 1))
    return values.undefine(classes < 2, Outcome.DEGENERATE, Flag.REFERENCE)


def mcc(matrix: FloatArray) -> Values:
    """Correlation of reference and decision."""
    occurs, predicted, total = _marginals(matrix)
    covariance = _diagonal(matrix).sum(axis=1) * total - (occurs * predicted).sum(axis=1)
    spread = np.sqrt((total**2 - (predicted**2).sum(axis=1)) * (total**2 - (occurs**2).sum(axis=1)))
    values = Values(np.clip(ratio(covariance, spread), -1.0, 1.0))
    values.undefine(_one_class(occurs), Outcome.DEGENERATE, Flag.REFERENCE)
    return values.undefine(spread == 0, Outcome.DEGENERATE)


def weighted_cohens_kappa(matrix: FloatArray, weights: FloatArray) -> Values:
    """1 minus observed over expected disagreement."""
    occurs, predicted, total = _marginals(matrix)
    observed = (matrix * weights).sum(axis=(1, 2))
    expected = ratio(np.einsum("bi,ij,bj->b", occurs, weights, predicted), total)
    values = Values(1 - ratio(observed, expected))
    values.undefine(_one_class(occurs), Outcome.DEGENERATE, Flag.REFERENCE)
    return values.undefine(expected == 0, Outcome.DEGENERATE)


def expected_cost(matrix: FloatArray, costs: FloatArray, priors: FloatArray | None, *, normalized: bool) -> Values:
    """Mean cost of the decisions, at the data set's class frequencies (``None``) or given ones."""
    occurs, _, total = _marginals(matrix)
    share = ratio(occurs, total[:, None]) if priors is None else np.broadcast_to(priors, occurs.shape)
    needed = share > 0
    rates = np.where(occurs > 0, ratio((matrix * costs).sum(axis=2), occurs), 0.0)
    cost = np.where(needed, share * rates, 0.0).sum(axis=1)
    lacking = (needed & (occurs == 0)).any(axis=1) | (total == 0)
    if not normalized:
        return Values(cost).undefine(lacking, Outcome.DEGENERATE, Flag.REFERENCE)
    best = (np.where(needed, share, 0.0) @ costs).min(axis=1)
    return Values(ratio(cost, best)).undefine(lacking | (best == 0), Outcome.DEGENERATE, Flag.REFERENCE)
