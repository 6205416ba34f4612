"""Risk of every prediction against the confidence that was sent with it, under multiplicities.

A kernel takes risks ``(n,)``, confidences ``(n,)``, multiplicities ``(B, n)`` and the metric's options. A case that was rejected
has the confidence minus infinity. Equal confidences enter together, so that no order of rows matters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from evaluation.metrics.paired_values import average_ranks, correlate, is_constant, moments
from evaluation.metrics.values import FloatArray, Values, ratio
from evaluation.outcomes import Flag, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

ConfidenceKernel = Callable[..., Values]
RULES: Final = ("step", "trapezoid_flat", "trapezoid_truncated")
_SLACK: Final = 1e-12
"""Coverages and selective risks are quotients; a limit that is met but for rounding is met."""


def confidence_arrays(risk: ArrayLike, confidence: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Check risks and confidences; minus infinity rejects a case.

    Raises
    ------
    ValueError
        For shapes that do not fit, risks that are not finite and at least 0, or confidences that are not a number.
    """
    risks, sure = (np.atleast_1d(np.asarray(values, dtype=np.float64)) for values in (risk, confidence))
    if risks.ndim != 1 or risks.shape != sure.shape:
        message = f"risk of shape {risks.shape} and confidence of shape {sure.shape}; expected one number a case"
        raise ValueError(message)
    if not (np.isfinite(risks).all() and (risks >= 0).all()) or np.isnan(sure).any():
        message = "risks have to be finite and at least 0, confidences numbers"
        raise ValueError(message)
    return risks, sure


class Curve(NamedTuple):
    """A risk-coverage curve for every resample, each ``(B, G)``: a point behind each block of equal confidence.

    Attributes
    ----------
    kept
        How many cases are kept, copies counted.
    lost
        Sum of their risks.
    number
        Of all cases, ``(B,)``.
    """

    kept: FloatArray
    lost: FloatArray
    number: FloatArray

    @property
    def coverage(self) -> FloatArray:
        """Share of the cases that are kept."""
        return ratio(self.kept, self.number[:, None])

    @property
    def risk(self) -> FloatArray:
        """Mean risk of the kept cases; not a number as long as none is."""
        return ratio(self.lost, self.kept)


def curve_of(risk: FloatArray, confidence: FloatArray, weights: FloatArray) -> Curve:
    """The curve, the surest cases first."""
    order = np.argsort(-confidence, kind="stable")
    ends = _ends(confidence[order])
    sorted_weights = weights[:, order]
    covered = np.cumsum(sorted_weights, axis=1)[:, ends]
    lost = np.cumsum(sorted_weights * risk[order], axis=1)[:, ends]
    return Curve(covered, lost, weights.sum(axis=1))


def _ends(ordered: FloatArray) -> NDArray[np.int64]:
    if not len(ordered):
        return np.zeros(0, dtype=np.int64)
    return np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)


def _area(curve: Curve, rule: str) -> FloatArray:
    step = np.diff(curve.coverage, axis=1, prepend=0.0)
    risk = np.nan_to_num(curve.risk)
    before = np.concatenate([np.zeros((len(risk), 1)), curve.kept[:, :-1]], axis=1)
    previous = np.concatenate([risk[:, :1], risk[:, :-1]], axis=1)
    pieces: FloatArray = step * risk
    if rule == "trapezoid_flat":
        pieces = step * (risk + np.where(before > 0, previous, risk)) / 2
    elif rule == "trapezoid_truncated":
        pieces = np.where(before > 0, step * (risk + previous) / 2, 0.0)
    area: FloatArray = pieces.sum(axis=1)
    return area


class Optimum(NamedTuple):
    """Areas under the curves of the best order, each ``(B,)``: risks ascending, copies one after another."""

    area: FloatArray
    generalized: FloatArray


def optimum(risk: FloatArray, weights: FloatArray, rule: str = "step") -> Optimum:
    """The areas of the best order.

    Copies of a case have equal risk and are taken as untied. The k-th of w copies behind W cases with the sum S adds
    (S + k r)/(W + k) = r + (S - W r)/(W + k), so that their sum needs harmonic numbers only.
    """
    order = np.argsort(risk, kind="stable")
    times, sorted_risk = weights[:, order], risk[order]
    number = weights.sum(axis=1)
    covered = np.cumsum(times, axis=1)
    lost = np.cumsum(times * sorted_risk, axis=1)
    before, lost_before = covered - times, lost - times * sorted_risk
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, int(number.max(initial=0)) + 1))])
    more = harmonic[covered.astype(np.int64)] - harmonic[before.astype(np.int64)]
    sums = (times * sorted_risk + (lost_before - before * sorted_risk) * more).sum(axis=1)
    area = ratio(sums, number)
    if rule != "step":
        last = ratio(lost[:, -1] if lost.shape[1] else np.zeros(len(lost)), number)
        first = np.where(times > 0, sorted_risk, np.inf).min(axis=1, initial=np.inf)
        ends = (last - first) / 2 if rule == "trapezoid_flat" else (last + first) / 2
        area = area - ratio(ends, number)
    ramps = (times * lost_before + sorted_risk * times * (times + 1) / 2).sum(axis=1)
    total = lost[:, -1] if lost.shape[1] else np.zeros(len(lost))
    return Optimum(area, ratio(ramps - total / 2, number**2))


def _nothing(values: Values, weights: FloatArray) -> Values:
    return values.undefine(weights.sum(axis=1) == 0, Outcome.DEGENERATE, Flag.REFERENCE)


def _aurc(risk: FloatArray, confidence: FloatArray, weights: FloatArray, *, rule: str = "step") -> Values:
    return _nothing(Values(_area(curve_of(risk, confidence, weights), rule)), weights)


def _e_aurc(risk: FloatArray, confidence: FloatArray, weights: FloatArray, *, rule: str = "step") -> Values:
    area = _area(curve_of(risk, confidence, weights), rule)
    return _nothing(Values(area - optimum(risk, weights, rule).area), weights)


def _n_aurc(risk: FloatArray, confidence: FloatArray, weights: FloatArray, *, rule: str = "step") -> Values:
    best = optimum(risk, weights, rule).area
    excess = _area(curve_of(risk, confidence, weights), rule) - best
    number = weights.sum(axis=1)
    mean = ratio(weights @ risk, number)
    centred = risk - (risk.mean() if len(risk) else 0.0)
    equal = is_constant(
        centred, weights, np.maximum(weights @ centred**2 - number * ratio(weights @ centred, number) ** 2, 0)
    )
    values = Values(ratio(excess, mean - best)).undefine(equal, Outcome.DEGENERATE, Flag.REFERENCE)
    return _nothing(values, weights)


def missed_order(risk: FloatArray, confidence: FloatArray, weights: FloatArray) -> Values:
    """Return the amount of the best order that confidences miss, by the default rule.

    It is 0 for the best order and 1 for an uninformative order.
    """
    return _n_aurc(risk, confidence, weights)


def _augrc(risk: FloatArray, confidence: FloatArray, weights: FloatArray) -> Values:
    return _nothing(Values(_generalized(curve_of(risk, confidence, weights))), weights)


def _generalized(curve: Curve) -> FloatArray:
    step = np.diff(curve.coverage, axis=1, prepend=0.0)
    heights = ratio(curve.lost, curve.number[:, None])
    previous = np.concatenate([np.zeros((len(heights), 1)), heights[:, :-1]], axis=1)
    area: FloatArray = (step * (heights + previous) / 2).sum(axis=1)
    return area


def _e_augrc(risk: FloatArray, confidence: FloatArray, weights: FloatArray) -> Values:
    area = _generalized(curve_of(risk, confidence, weights))
    return _nothing(Values(area - optimum(risk, weights).generalized), weights)


def _auroc_f(risk: FloatArray, confidence: FloatArray, weights: FloatArray, *, threshold: float) -> Values:
    failed = (risk > threshold).astype(np.float64)
    curve = curve_of(failed, confidence, weights)
    failures = np.diff(curve.lost, axis=1, prepend=0.0)
    successes = np.diff(curve.kept, axis=1, prepend=0.0) - failures
    surer = np.cumsum(successes, axis=1) - successes / 2
    all_failures, all_successes = failures.sum(axis=1), successes.sum(axis=1)
    pairs = all_failures * all_successes
    values = Values(ratio((failures * surer).sum(axis=1), pairs))
    return values.undefine(pairs == 0, Outcome.DEGENERATE, Flag.REFERENCE)


def _risk_at_coverage(risk: FloatArray, confidence: FloatArray, weights: FloatArray, *, coverage: float) -> Values:
    curve = curve_of(risk, confidence, weights)
    enough = curve.coverage >= coverage - _SLACK
    if not enough.shape[1]:
        return _nothing(Values(np.zeros(len(weights))), weights)
    indices = enough.argmax(axis=1)
    return _nothing(Values(curve.risk[np.arange(len(weights)), indices]), weights)


def _coverage_at_risk(risks: FloatArray, confidence: FloatArray, weights: FloatArray, /, *, risk: float) -> Values:
    curve = curve_of(risks, confidence, weights)
    with np.errstate(invalid="ignore"):
        allowed = curve.risk <= risk + _SLACK
    return _nothing(Values(np.where(allowed, curve.coverage, 0.0).max(axis=1, initial=0.0)), weights)


def _confidence_spearman(risk: FloatArray, confidence: FloatArray, weights: FloatArray) -> Values:
    # Only the order matters, and minus infinity has none of the numbers that follow.
    levels = np.unique(confidence, return_inverse=True)[1].astype(np.float64)
    ranks_q, ranks_k = average_ranks(-risk, weights), average_ranks(levels, weights)
    middle = ((weights.sum(axis=1) + 1) / 2)[:, None]
    u, v = ranks_q - middle, ranks_k - middle
    xx, yy = np.einsum("bn,bn,bn->b", weights, u, u), np.einsum("bn,bn,bn->b", weights, v, v)
    xy = np.einsum("bn,bn,bn->b", weights, u, v)
    return correlate(xx, yy, xy, is_constant(risk, weights, xx), is_constant(levels, weights, yy))


def _confidence_pearson(risk: FloatArray, confidence: FloatArray, weights: FloatArray) -> Values:
    finite = np.isfinite(confidence)
    lowest, highest = confidence[finite].min(initial=np.inf), confidence[finite].max(initial=-np.inf)
    # Without a finite one, what nobody is told of is surer than what is rejected, by as much as anybody likes.
    ends = (lowest, highest) if finite.any() else (0.0, 1.0)
    sure = np.clip(confidence, *ends)
    # In units of the widest confidence, so that squares of huge numbers stay finite.
    scale = float(np.abs(sure).max(initial=0.0)) or 1.0
    of = moments(-risk, sure / scale, weights)
    return correlate(of.xx, of.yy, of.xy, of.is_constant_x, of.is_constant_y)


def _mae_quality(risk: FloatArray, confidence: FloatArray, weights: FloatArray) -> Values:
    quality = 1.0 - risk
    finite = np.isfinite(confidence)
    error = np.where(finite, np.abs(np.where(finite, confidence, 0.0) - quality), np.maximum(quality, 1.0 - quality))
    return _nothing(Values(ratio(weights @ error, weights.sum(axis=1))), weights)


BY_CONFIDENCE: Final[Mapping[str, ConfidenceKernel]] = {
    "aurc": _aurc,
    "e_aurc": _e_aurc,
    "n_aurc": _n_aurc,
    "augrc": _augrc,
    "e_augrc": _e_augrc,
    "auroc_f": _auroc_f,
    "risk_at_coverage": _risk_at_coverage,
    "coverage_at_risk": _coverage_at_risk,
    "confidence_spearman": _confidence_spearman,
    "confidence_pearson": _confidence_pearson,
    "mae_quality": _mae_quality,
}
"""Metrics of all cases together that compare risks with confidences."""
