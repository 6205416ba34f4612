"""Ranking many simulated challenges at once, by the scheme that was registered."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation.advice.simulation.model import SimulationError, draw_failures
from evaluation.assessment.policy_values import constant
from evaluation.ranking.combination import Part, combine
from evaluation.ranking.schemes import get_scheme, rank_scores
from evaluation.ranking.schemes.aggregate_then_rank import limit_aggregates
from evaluation.ranking.schemes.challenges import Challenges, aggregate_cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.advice.simulation.model import BoolArray, Field, PartModel, SampleArray
    from evaluation.assessment.model import Assessment, MetricUse, RankingScheme
    from evaluation.ranking.schemes import Scheme

FloatArray = npt.NDArray[np.float64]
_DIMENSIONS: Final = ("metric", "region", "task")


@dataclass(frozen=True)
class Contest:
    """Simulated ranking: the scheme, reduced to its simulated parts, and one model per metric and region.

    Attributes
    ----------
    notes
        Sentences about parts of the design that the simulation does not cover.
    failures
        Probability that a team fails on a case; the same for all teams, and for all metrics and regions at once.
    diagonal
        Length of the image diagonal, in mm.
    pilot
        Values of the pilot from which the only model was estimated, cases × algorithms; otherwise ``None``.
    """

    scheme: RankingScheme
    models: tuple[PartModel, ...]
    notes: tuple[str, ...]
    failures: float = 0.0
    diagonal: float = 200.0
    pilot: FloatArray | None = None

    @property
    def _scheme(self) -> Scheme:
        return get_scheme(self.scheme.scheme)

    @property
    def is_linear(self) -> bool:
        """True if the leaderboard compares teams by sign flips: one mean over cases and nothing else."""
        alone = len(self.models) == 1 and self.models[0].metric.level == "case"
        return alone and self._scheme.is_linear(self.scheme)

    @property
    def simulates_failures(self) -> bool:
        """True if a missing case has a registered value in all metrics, so that failures can be simulated."""
        return all(
            model.metric.level == "case" and not math.isnan(penalty(model.metric, self.diagonal))
            for model in self.models
        )

    @property
    def simulates_skewness(self) -> bool:
        """True if scores are means of the values of cases, for which skewed noise can be simulated."""
        is_mean = self._scheme.takes_operator and not self._scheme.ranks_cases and self.scheme.operator.kind == "mean"
        return is_mean and all(model.metric.level == "case" for model in self.models)

    @property
    def ranks_cases(self) -> bool:
        """True if teams are ranked on every case."""
        return self._scheme.ranks_cases

    @property
    def compares_pairs(self) -> bool:
        """True if the scheme compares every pair of teams, which is the most expensive computation."""
        return self._scheme.compares_pairs

    def true_ranks(self, field: Field) -> FloatArray:
        """Ranks that the scheme would give with infinitely many cases: samples × teams."""
        parts = []
        for model, quality in zip(self.models, field.parts, strict=True):
            scores, higher = self.limit_scores(model, quality)
            parts.append(self._part(model, scores, higher_is_better=higher))
        return self._combined(parts)

    def failed(self, random: np.random.Generator, latent: Sequence[SampleArray]) -> BoolArray | None:
        """Draw which teams fail on which cases: samples × cases × teams; ``None`` if none ever does."""
        return draw_failures(random, latent[0].shape, self.failures)

    def values(self, model: PartModel, drawn: SampleArray, failed: BoolArray | None) -> FloatArray:
        """Return scores, with the registered value where a team fails."""
        values = model.scale.to_scores(drawn).astype(np.float64)
        if failed is not None:
            values[failed] = penalty(model.metric, self.diagonal)
        return np.asarray(values)

    def ranks(self, latent: Sequence[SampleArray], failed: BoolArray | None = None) -> FloatArray:
        """Ranks in every simulated challenge: samples × teams."""
        if failed is not None:
            return self.ranks_with_gaps(latent, failed, "registered", self.diagonal)
        parts = []
        for model, drawn in zip(self.models, latent, strict=True):
            values = Challenges(model.scale.to_scores(drawn), model.metric.higher_is_better, quality=drawn)
            scores, higher = self._scores(model, values)
            parts.append(self._part(model, scores, higher_is_better=higher))
        return self._combined(parts)

    def limit_scores(self, model: PartModel, quality: FloatArray) -> tuple[FloatArray, bool]:
        """Scores with infinitely many cases, samples × teams, and whether the greatest is the best."""
        if model.metric.level == "dataset":
            return limit_aggregates(model, quality, None), model.metric.higher_is_better
        return self._scheme.limit_scores(model, quality, self.scheme)

    def _scores(self, model: PartModel, values: Challenges) -> tuple[FloatArray, bool]:
        """By the scheme; of a metric of the whole data set the mean of what the cases contribute."""
        if model.metric.level == "dataset":
            higher = model.metric.higher_is_better
            return aggregate_cases(values.values, None, higher=higher), higher
        return self._scheme.simulated_scores(values, self.scheme)

    def ranks_with_gaps(
        self, latent: Sequence[SampleArray], gaps: npt.NDArray[np.bool_], rule: str, diagonal: float
    ) -> FloatArray:
        """Return the ranks if some cases were not submitted.

        Parameters
        ----------
        gaps
            Samples × cases × teams.
        rule
            ``registered`` for the policy of each metric, ``ignore`` to exclude such cases for that team.
        diagonal
            Length of the image diagonal, in mm.
        """
        parts = []
        for model, drawn in zip(self.models, latent, strict=True):
            values = model.scale.to_scores(drawn).astype(np.float64)
            last = np.zeros(gaps.shape, dtype=bool)
            fill = math.nan if rule == "ignore" else penalty(model.metric, diagonal)
            if rule == "registered" and model.metric.policy.missing == "worst_rank":
                last = gaps
            values[gaps] = fill
            gappy = Challenges(values, model.metric.higher_is_better, last=last)
            scores, higher = self._scores(model, gappy)
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
    """Return the simulated ranking, reduced to simulated properties of cases, and notes on omitted parts.

    Raises
    ------
    SimulationError
        If no ranking has that name, or its scheme cannot be simulated.
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
    if not get_scheme(scheme.scheme).simulated:
        message = f"the ranking scheme {scheme.scheme} does not say how to simulate it"
        raise SimulationError(message)
    steps = []
    for step in scheme.combine or ():
        over = tuple(name for name in step.over if name in _DIMENSIONS)
        if len(over) < len(step.over):
            notes.append("Combining over groups of cases is left out.")
        if over:
            weights = {name: given for name, given in (step.weights or {}).items() if name in over}
            steps.append(replace(step, over=over, weights=weights or None))
    return replace(scheme, combine=tuple(steps) if scheme.combine is not None else None), tuple(notes)


def penalty(metric: MetricUse, diagonal: float) -> float:
    """Return the value that a missing case counts as.

    The value is not a number if the case is excluded or gets the last rank.
    """
    value = metric.policy.missing
    if value is None or value in ("worst_rank", "exclude"):
        return math.nan
    return diagonal if value == "image_diagonal" else constant(value, metric)
