"""Ranking many simulated challenges at once, by the scheme that was registered."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from evaluation.advice.simulation.model import SimulationError
from evaluation.ranking.combination import Part, combine
from evaluation.ranking.ranks import rank
from evaluation.ranking.schemes import rank_scores, win_shares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.advice.simulation.model import Field, PartModel, SampleArray
    from evaluation.assessment import Assessment, MetricUse, Operator, RankingScheme

FloatArray = npt.NDArray[np.float64]
_NODES: Final = 40
_DIMENSIONS: Final = ("metric", "region", "task")


@dataclass(frozen=True)
class Contest:
    """What is ranked: the scheme with what can be simulated of it, and one model a metric and region.

    Attributes
    ----------
    notes
        What of the design the simulation leaves out, in sentences.
    """

    scheme: RankingScheme
    models: tuple[PartModel, ...]
    notes: tuple[str, ...]

    def true_ranks(self, field: Field) -> FloatArray:
        """Ranks that the scheme would give with infinitely many cases: samples × teams."""
        parts = []
        for model, quality in zip(self.models, field.parts, strict=True):
            scores, higher = true_scores(model, quality, self.scheme)
            parts.append(self._part(model, scores, higher_is_better=higher))
        return self._combined(parts)

    def ranks(self, latent: Sequence[SampleArray]) -> FloatArray:
        """Ranks in every simulated challenge: samples × teams."""
        parts = []
        for model, drawn in zip(self.models, latent, strict=True):
            scores, higher = observed_scores(model, drawn, self.scheme)
            parts.append(self._part(model, scores, higher_is_better=higher))
        return self._combined(parts)

    def ranks_with_gaps(
        self, latent: Sequence[SampleArray], gaps: npt.NDArray[np.bool_], rule: str, diagonal: float
    ) -> FloatArray:
        """Ranks when some cases were not handed in.

        Parameters
        ----------
        gaps
            Samples × cases × teams.
        rule
            ``registered`` for the policy of each metric, ``ignore`` to leave such cases out for that team.
        diagonal
            What the image diagonal is, in mm.
        """
        parts = []
        for model, drawn in zip(self.models, latent, strict=True):
            values = model.scale.to_scores(drawn).astype(np.float64)
            last = np.zeros(gaps.shape, dtype=bool)
            fill = math.nan if rule == "ignore" else penalty(model.metric, diagonal)
            if rule == "registered" and model.metric.policy.missing == "worst_rank":
                last = gaps
            values[gaps] = fill
            scores, higher = _scores_with_gaps(values, last, self.scheme, higher=model.metric.higher_is_better)
            parts.append(self._part(model, scores, higher_is_better=higher))
        return self._combined(parts)

    def _part(self, model: PartModel, scores: FloatArray, *, higher_is_better: bool) -> Part:
        ranked = rank_scores(scores, self.scheme, higher_is_better=higher_is_better)
        key = {"task": None, "metric": model.metric.name, "region": model.region}
        return Part(key, ranked.scores, ranked.ranks, np.ones(len(scores)))

    def _combined(self, parts: list[Part]) -> FloatArray:
        if self.scheme.combine is None:
            return parts[0].ranks
        return combine(parts, self.scheme.combine, self.scheme.missing_rank)[0].ranks


def simulated_scheme(assessment: Assessment, ranking: str | None) -> tuple[RankingScheme, tuple[str, ...]]:
    """The ranking that is simulated, reduced to what a simulation knows of cases, and notes on what was left out.

    Raises
    ------
    SimulationError
        If there is no ranking of that name.
    """
    notes = []
    schemes = {scheme.name: scheme for scheme in assessment.rankings}
    if ranking is not None and ranking not in schemes:
        message = f"there is no ranking {ranking!r}; there is {', '.join(str(name) for name in schemes)}"
        raise SimulationError(message)
    scheme = schemes[ranking] if ranking is not None else assessment.rankings[0]
    if len(schemes) > 1 and ranking is None:
        notes.append(f"Of the design's {len(schemes)} rankings the first one, {scheme.name}, is simulated.")
    if len(assessment.aggregation.levels) > 1:
        notes.append(
            f"Scores are averaged within each {assessment.aggregation.unit} first; a simulated case stands for "
            f"one {assessment.aggregation.unit}."
        )
    steps = []
    for step in scheme.combine or ():
        over = tuple(name for name in step.over if name in _DIMENSIONS)
        if len(over) < len(step.over):
            notes.append("Combining over groups of cases is left out.")
        if over:
            weights = {name: given for name, given in (step.weights or {}).items() if name in over}
            steps.append(replace(step, over=over, weights=weights or None))
    return replace(scheme, combine=tuple(steps) if scheme.combine is not None else None), tuple(notes)


def observed_scores(model: PartModel, drawn: SampleArray, scheme: RankingScheme) -> tuple[FloatArray, bool]:
    """Scores of the teams in every challenge, samples × teams, and whether greater is better."""
    if scheme.scheme == "rank_then_aggregate":
        return _aggregate(case_places(drawn), scheme.operator, higher=False), False
    values = model.scale.to_scores(drawn)
    higher = model.metric.higher_is_better
    if scheme.scheme == "test_then_rank":
        return _win_shares(values, scheme, higher=higher), True
    operator = scheme.operator if scheme.scheme == "aggregate_then_rank" else None
    return _aggregate(values, operator, higher=higher), higher


def case_places(drawn: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Ranks on every case; qualities are continuous, so there are no ties to be decided.

    Examples
    --------
    >>> case_places(np.array([[[0.3, 0.9, 0.1]]], dtype=np.float32)).tolist()
    [[[2.0, 1.0, 3.0]]]
    """
    places = np.ones(drawn.shape, dtype=np.float32)
    for team in range(drawn.shape[-1]):
        places += drawn[..., team, None] > drawn
    return places


def true_scores(model: PartModel, quality: FloatArray, scheme: RankingScheme) -> tuple[FloatArray, bool]:
    """Scores with infinitely many cases, exactly: expectations and quantiles under the model."""
    if scheme.scheme == "test_then_rank":
        ahead = quality[:, :, None] > quality[:, None, :]
        return ahead.sum(axis=2) / max(quality.shape[1] - 1, 1), True
    if scheme.scheme == "rank_then_aggregate":
        if model.noise == 0:
            return rank(quality, higher_is_better=True), False
        gap = (quality[:, None, :] - quality[:, :, None]) * model.teams / (math.sqrt(2.0) * model.noise)
        return 0.5 + ndtr(gap).sum(axis=2), False
    deviation = math.hypot(model.cases, model.noise)
    centre = model.mean + model.teams * quality
    operator = scheme.operator if scheme.scheme == "aggregate_then_rank" else None
    position = None if operator is None else operator.quantile(higher_is_better=True)
    if position is None:
        nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
        values = model.scale.to_scores(centre[..., None] + deviation * nodes)
        return np.asarray(values @ (weights / weights.sum())), model.metric.higher_is_better
    return np.asarray(model.scale.to_scores(centre)), model.metric.higher_is_better


def penalty(metric: MetricUse, diagonal: float) -> float:
    """What a missing case counts as; not a number where it is left out or gets the last rank."""
    from evaluation.aggregation import constant

    value = metric.policy.missing
    if value is None or value in ("worst_rank", "exclude"):
        return math.nan
    return diagonal if value == "image_diagonal" else constant(value, metric)


def _aggregate(values: npt.NDArray[Any], operator: Operator | None, *, higher: bool) -> FloatArray:
    """Aggregate over the second axis; the mean if there is no operator."""
    position = None if operator is None else operator.quantile(higher_is_better=higher)
    gaps = bool(np.isnan(values).any())
    if position is None:
        if not gaps:
            return np.asarray(values.mean(axis=1, dtype=np.float64))
        present = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(present, values, 0.0).sum(axis=1) / present.sum(axis=1))
    return np.asarray((np.nanquantile if gaps else np.quantile)(values, position, axis=1), dtype=np.float64)


def _win_shares(values: npt.NDArray[Any], scheme: RankingScheme, *, higher: bool) -> FloatArray:
    p_values = signed_rank_p_values(values if higher else -values)
    return win_shares(p_values, alpha=scheme.alpha, adjust=scheme.adjust)


def signed_rank_p_values(quality: npt.NDArray[Any]) -> FloatArray:
    """One-sided p-values of "row is better than column" by Wilcoxon's signed rank test, for many challenges at once.

    The same approximation as `evaluation.ranking.significance`, for values without ties: the sign of a difference
    rides in the last bit of its absolute value, so that one fast sort gives the rank sums.

    Parameters
    ----------
    quality
        Samples × cases × teams, more is better; a pair is compared on the cases that both have.

    Returns
    -------
    numpy.ndarray
        Samples × teams × teams; the diagonal is not a number.
    """
    samples, cases, teams = quality.shape
    values = np.ascontiguousarray(np.moveaxis(quality, 2, 0), dtype=np.float32)
    places = np.arange(1.0, cases + 1, dtype=np.float32)
    result = np.full((samples, teams, teams), np.nan)
    for row in range(teams - 1):
        difference = values[row] - values[row + 1 :]
        same = (difference == 0).sum(axis=-1)
        count = (~np.isnan(difference)).sum(axis=-1) - same
        bits = np.abs(difference).view(np.uint32)
        bits &= np.uint32(0xFFFFFFFE)
        bits |= difference > 0
        bits.sort(axis=-1)
        bits &= np.uint32(1)
        positive = bits.astype(np.float32) @ places
        if same.any():  # they are dropped, so the others move up
            positive -= same * bits.sum(axis=-1)
        centre = count * (count + 1) / 4.0
        deviation = np.sqrt(count * (count + 1) * (2 * count + 1) / 24.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            forwards = ndtr(-(positive - centre - 0.5) / deviation)
            backwards = ndtr((positive - centre + 0.5) / deviation)
        result[:, row, row + 1 :] = np.where(deviation > 0, forwards, 1.0).T
        result[:, row + 1 :, row] = np.where(deviation > 0, backwards, 1.0).T
    return result


def _scores_with_gaps(
    values: FloatArray, last: npt.NDArray[np.bool_], scheme: RankingScheme, *, higher: bool
) -> tuple[FloatArray, bool]:
    if scheme.scheme == "rank_then_aggregate":
        if not last.any():
            places = case_places(values if higher else -values)
            places[np.isnan(values)] = np.nan
            return _aggregate(places, scheme.operator, higher=False), False
        ranks = rank(
            values, higher_is_better=higher, ties=scheme.ties, missing_rank=scheme.missing_rank, last_rank=last
        )
        return _aggregate(ranks, scheme.operator, higher=False), False
    if scheme.scheme == "test_then_rank":
        return _win_shares(values, scheme, higher=higher), True
    operator = scheme.operator if scheme.scheme == "aggregate_then_rank" else None
    return _aggregate(values, operator, higher=higher), higher
