"""Several rankings become one: over metrics, regions, tasks and case columns, in registered steps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.ranking.scores import rank, snap

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluation.assessment.model import Operator, Step


FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """One ranking that becomes part of a combined ranking.

    Attributes
    ----------
    key
        Its value in each dimension: metric, region, task, and case columns.
    scores, ranks
        Samples × algorithms; not a number in samples that contain no case of this part.
    cases
        Number of cases on which it is based, in every sample.
    inside
        Mask of the cases of its table that it ranks; ``None`` for all.
    source
        The evaluated table from which it originates; ``None`` for a combined ranking, and for one of resampled groups of cases.
    """

    key: Mapping[str, str | None]
    scores: FloatArray
    ranks: FloatArray
    cases: FloatArray
    inside: npt.NDArray[np.bool_] | None = None
    source: Any = None


def combine(parts: Sequence[Part], steps: Iterable[Step], missing_rank: str = "toolkit") -> list[Part]:
    """Apply the steps in order; what is left is one part for each combination of the dimensions not combined.

    Examples
    --------
    >>> from evaluation.assessment import Operator, Step
    >>> one = Part({"metric": "dsc"}, np.array([[0.9, 0.8]]), np.array([[1.0, 2.0]]), np.ones(1))
    >>> two = Part({"metric": "nsd"}, np.array([[0.7, 0.9]]), np.array([[2.0, 1.0]]), np.ones(1))
    >>> combine([one, two], [Step(("metric",), Operator("mean"), True, "min", False)])[0].ranks
    array([[1., 1.]])
    """
    current = list(parts)
    for step in steps:
        groups: dict[tuple[tuple[str, str | None], ...], list[Part]] = {}
        for part in current:
            left = tuple((name, value) for name, value in part.key.items() if name not in step.over)
            groups.setdefault(left, []).append(part)
        current = [_combined(dict(key), members, step, missing_rank) for key, members in groups.items()]
    # Between steps, scores keep all digits: means of rounded scores would break ties that there are.
    return [replace(part, scores=snap(part.scores)) for part in current]


def _combined(key: Mapping[str, str | None], members: Sequence[Part], step: Step, missing_rank: str) -> Part:
    samples = min(len(part.ranks) for part in members)
    layers = [_quantity(part, step)[:samples] for part in members]
    weights = [_weight(part, step)[:samples] for part in members]
    scores = _over_parts(layers, weights, step.operator)
    ranks = rank(scores, higher_is_better=False, ties=step.ties, missing_rank=missing_rank, rounded=True)
    nothing = np.isnan(scores).all(axis=1)
    ranks[nothing] = np.nan
    return Part(key, scores, ranks, np.sum([part.cases[:samples] for part in members], axis=0))


def _quantity(part: Part, step: Step) -> FloatArray:
    """Return the quantity to average: ranks, or the scores from which they were derived.

    Ranks are fractional if required.
    """
    if not step.rerank:
        return part.scores
    if not step.fractional:
        return part.ranks
    fractional = rank(part.ranks, higher_is_better=False, ties="average")
    fractional[np.isnan(part.ranks)] = np.nan
    return fractional


def _weight(part: Part, step: Step) -> FloatArray:
    weight = np.ones(len(part.cases))
    for dimension, given in (step.weights or {}).items():
        if isinstance(given, str):
            weight = weight * (np.sqrt(part.cases) if given == "sqrt_cases" else part.cases)
        else:
            name = str(part.key.get(dimension))
            if name not in given:
                message = f"the weights of {dimension} name {', '.join(given)}, but not {name}"
                raise ValueError(message)
            weight = weight * given[name]
    return weight


def _over_parts(layers: Sequence[FloatArray], weights: Sequence[FloatArray], operator: Operator) -> FloatArray:
    """Return the weighted aggregate over parts, each samples × algorithms.

    Values that are not a number are excluded.
    """
    share = operator.quantile(higher_is_better=False)
    if share is None:
        total, divisor = np.zeros(layers[0].shape), np.zeros(layers[0].shape)
        for layer, weight in zip(layers, weights, strict=True):
            gone = np.isnan(layer)
            if not gone.any():  # as below, in fewer passes
                total += layer * weight[:, None]
                divisor += weight[:, None]
                continue
            present = np.where(gone, 0.0, weight[:, None])
            total += np.where(gone, 0.0, layer) * present
            divisor += present
        with np.errstate(invalid="ignore"):
            return total / divisor
    stacked = np.stack(layers)
    return _weighted_quantile(stacked, np.where(np.isnan(stacked), 0.0, np.stack(weights)[:, :, None]), share)


def _weighted_quantile(layers: FloatArray, weight: FloatArray, share: float) -> FloatArray:
    """Return the weighted quantile over the parts.

    With unequal weights it is the value at which the cumulative weight reaches the share. With equal weights it is the
    usual percentile with linear interpolation. The equality of weights is determined for each sample and algorithm
    separately. No ranking therefore depends on the other samples.
    """
    present = weight > 0
    order = np.argsort(np.where(present, layers, np.inf), axis=0, kind="stable")
    ordered = np.take_along_axis(layers, order, axis=0)
    count = present.sum(axis=0)
    position = np.maximum(count - 1, 0) * share
    lower = np.take_along_axis(ordered, np.floor(position).astype(np.int64)[None], axis=0)[0]
    upper = np.take_along_axis(ordered, np.ceil(position).astype(np.int64)[None], axis=0)[0]
    result = lower + (upper - lower) * (position - np.floor(position))
    unequal = (present & (weight != weight.max(axis=0))).any(axis=0)
    if unequal.any():
        reached = np.cumsum(np.take_along_axis(weight, order, axis=0), axis=0)
        index = (reached < share * reached[-1]).sum(axis=0)
        result = np.where(unequal, np.take_along_axis(ordered, index[None], axis=0)[0], result)
    return np.where(count > 0, result, np.nan)


BoolArray = npt.NDArray[np.bool_]
