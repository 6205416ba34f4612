"""Evaluators of calibration: proper scoring rules, bins and kernels, plain or under multiplicities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from evaluation.metrics.calibration_bins import (
    find_gaps,
    largest_gap,
    mean_gap,
    mean_squared_gap,
    over_cases,
    top_label,
)
from evaluation.metrics.calibration_kernels import ece_kde, kce
from evaluation.metrics.evaluators import prior_vector
from evaluation.metrics.samples import totals, weighted_count, weighted_sum
from evaluation.metrics.values import FloatArray, Values, ratio
from evaluation.outcomes import Flag, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evaluation.metrics.calibration_bins import BinEdge, Binning, Gaps
    from evaluation.metrics.samples import Samples

TaskForm = Literal["auto", "binary", "multiclass"]


def _is_binary(samples: Samples, task_form: TaskForm) -> bool:
    if task_form == "binary" and len(samples.classes) != 2:
        message = f"task_form: binary scores are for two classes, not {len(samples.classes)}"
        raise ValueError(message)
    return task_form == "binary" or (task_form == "auto" and len(samples.classes) == 2)


def _brier_mean(samples: Samples, weights: FloatArray | None, *, binary: bool) -> FloatArray:
    """Mean squared error of the scores; the greatest there is for a case without an answer."""
    scores = samples.required_scores
    if binary:
        losses = (scores[:, 1] - samples.reference) ** 2
    else:
        reference_scores = scores[np.arange(len(scores)), samples.reference]
        losses = np.einsum("nk,nk->n", scores, scores) - reference_scores**2 + (1 - reference_scores) ** 2
    if samples.absent.any():
        losses = np.where(samples.absent, 1.0 if binary else 2.0, losses)
    return ratio(weighted_sum(losses, weights), weighted_count(len(samples), weights))


def _brier_score(
    samples: Samples,
    weights: FloatArray | None,
    *,
    task_form: TaskForm = "auto",
    scaling: Literal["as_defined", "halved"] = "as_defined",
) -> Values:
    binary = _is_binary(samples, task_form)
    mean = _brier_mean(samples, weights, binary=binary)
    return over_cases(mean if binary or scaling == "as_defined" else mean / 2, weighted_count(len(samples), weights))


def _root_brier_score(samples: Samples, weights: FloatArray | None, *, task_form: TaskForm = "auto") -> Values:
    mean = _brier_mean(samples, weights, binary=_is_binary(samples, task_form))
    return over_cases(np.sqrt(mean), weighted_count(len(samples), weights))


def _brier_skill_score(
    samples: Samples,
    weights: FloatArray | None,
    *,
    task_form: TaskForm = "auto",
    baseline_priors: object = "dataset",
) -> Values:
    binary = _is_binary(samples, task_form)
    size = len(samples.classes)
    total = weighted_count(len(samples), weights)
    share = ratio(totals(samples.reference, size, weights), total[:, None])
    priors = prior_vector(baseline_priors, size, "baseline_priors")
    forecast = share if priors is None else np.broadcast_to(priors, share.shape)
    squares = (forecast**2).sum(axis=1)
    baseline = (share * (squares[:, None] - 2 * forecast + 1)).sum(axis=1) / (2 if binary else 1)
    # One class alone leaves a rounding error where the baseline is 0.
    nothing = (total == 0) | (np.nan_to_num(baseline) <= 1e-15)
    values = Values(1 - ratio(_brier_mean(samples, weights, binary=binary), baseline))
    return values.undefine(nothing, Outcome.DEGENERATE, Flag.REFERENCE)


def _nll(
    samples: Samples, weights: FloatArray | None, *, epsilon: float = 1e-15, log_base: Literal["e", "2"] = "e"
) -> Values:
    scores = samples.required_scores
    reference_scores = scores[np.arange(len(scores)), samples.reference]
    if samples.absent.any():
        reference_scores = np.where(samples.absent, 0.0, reference_scores)
    losses = -np.log(np.clip(reference_scores, epsilon, 1 - epsilon))
    total = weighted_count(len(samples), weights)
    return over_cases(ratio(weighted_sum(losses, weights), total) / (np.log(2) if log_base == "2" else 1.0), total)


def _top_gaps(
    samples: Samples,
    weights: FloatArray | None,
    *,
    n_bins: int,
    binning: Binning,
    bin_edge: BinEdge,
    target: Literal["top_label", "positive_class"] = "top_label",
) -> Gaps:
    if target == "top_label":
        scores, hits = top_label(samples)
    elif len(samples.classes) == 2:
        scores, hits = samples.required_scores[:, 1], samples.reference == 1
    else:
        message = f"target: positive_class is for two classes, not {len(samples.classes)}"
        raise ValueError(message)
    return find_gaps(scores, hits, samples.absent, weights, n_bins=n_bins, binning=binning, bin_edge=bin_edge)


def _ece(
    samples: Samples,
    weights: FloatArray | None,
    *,
    n_bins: int = 15,
    binning: Binning = "equal_width",
    bin_edge: BinEdge = "right_closed",
    target: Literal["top_label", "positive_class"] = "top_label",
) -> Values:
    gaps = _top_gaps(samples, weights, n_bins=n_bins, binning=binning, bin_edge=bin_edge, target=target)
    return over_cases(mean_gap(gaps), gaps.total)


def _mce(
    samples: Samples,
    weights: FloatArray | None,
    *,
    n_bins: int = 15,
    binning: Binning = "equal_width",
    bin_edge: BinEdge = "right_closed",
    target: Literal["top_label", "positive_class"] = "top_label",
) -> Values:
    gaps = _top_gaps(samples, weights, n_bins=n_bins, binning=binning, bin_edge=bin_edge, target=target)
    return over_cases(largest_gap(gaps), gaps.total)


def _tce(
    samples: Samples,
    weights: FloatArray | None,
    *,
    n_bins: int = 15,
    binning: Binning = "equal_width",
    bin_edge: BinEdge = "right_closed",
    target: Literal["top_label", "positive_class"] = "top_label",
) -> Values:
    gaps = _top_gaps(samples, weights, n_bins=n_bins, binning=binning, bin_edge=bin_edge, target=target)
    return over_cases(np.sqrt(mean_squared_gap(gaps)), gaps.total)


def class_calibration_error(
    samples: Samples,
    positive: Sequence[int],
    weights: FloatArray | None,
    *,
    n_bins: int = 15,
    binning: Binning = "equal_width",
    bin_edge: BinEdge = "right_closed",
    norm: Literal["l2", "l1"] = "l2",
) -> Values:
    """Return the contribution of one class to the class-wise calibration error, as a separate error."""
    scores = samples.required_scores
    chosen = scores[:, positive[0]] if len(positive) == 1 else np.minimum(scores[:, list(positive)].sum(axis=1), 1)
    gaps = find_gaps(
        chosen, samples.belongs(positive), samples.absent, weights, n_bins=n_bins, binning=binning, bin_edge=bin_edge
    )
    return over_cases(np.sqrt(mean_squared_gap(gaps)) if norm == "l2" else mean_gap(gaps), gaps.total)


def _cwce(
    samples: Samples,
    weights: FloatArray | None,
    *,
    n_bins: int = 15,
    binning: Binning = "equal_width",
    bin_edge: BinEdge = "right_closed",
    norm: Literal["l2", "l1"] = "l2",
    class_weights: object = "uniform",
) -> Values:
    size = len(samples.classes)
    shares = prior_vector(class_weights, size, "class_weights")
    if shares is None:
        message = "class_weights: uniform or one number a class"
        raise ValueError(message)
    errors = [
        class_calibration_error(
            samples, [code], weights, n_bins=n_bins, binning=binning, bin_edge=bin_edge, norm=norm
        ).numbers
        for code in range(size)
    ]
    stacked = np.stack(errors, axis=1)
    overall = np.sqrt((stacked**2) @ shares) if norm == "l2" else stacked @ shares
    return over_cases(overall, weighted_count(len(samples), weights))


CALIBRATION: Final[Mapping[str, Callable[..., Values]]] = {
    "brier_score": _brier_score,
    "brier_skill_score": _brier_skill_score,
    "root_brier_score": _root_brier_score,
    "nll": _nll,
    "ece": _ece,
    "mce": _mce,
    "tce": _tce,
    "cwce": _cwce,
    "kce": kce,
    "ece_kde": ece_kde,
}
"""Metrics of scores as probabilities."""
