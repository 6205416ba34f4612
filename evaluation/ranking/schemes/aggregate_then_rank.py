"""Aggregate-then-rank: a score is an aggregate of the values over the cases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from evaluation.assessment.model import Operator
from evaluation.quadrature import gauss_hermite
from evaluation.ranking.procedure.groups import groups_of
from evaluation.ranking.procedure.statements import Aggregate, RankScores
from evaluation.ranking.schemes.base import Scheme
from evaluation.ranking.schemes.challenges import aggregate_cases
from evaluation.ranking.scores import operator_name, operator_phrase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.advice.simulation.model import PartModel
    from evaluation.assessment.model import Aggregation, RankingScheme
    from evaluation.ranking.drawn import Samples
    from evaluation.ranking.procedure.statements import Statement
    from evaluation.ranking.schemes.base import FloatArray, Values
    from evaluation.ranking.schemes.challenges import Challenges

_NODES: Final = 40


class AggregateThenRank(Scheme):
    """Mean, median or percentile of the values, then ranks."""

    id: ClassVar = "aggregate_then_rank"
    title: ClassVar = "Aggregate, then rank"
    design_kind: ClassVar = "metric_based"
    takes_operator: ClassVar = True
    aggregates_values: ClassVar = True
    simulated: ClassVar = True

    def scores(self, table: Values, samples: Samples, registered: RankingScheme) -> tuple[FloatArray, bool]:
        """Aggregates of the values."""
        return table.aggregated(samples, registered.operator), table.higher_is_better

    def sentence(self, registered: RankingScheme, *, each: str, units: str) -> str:
        """See `Scheme.sentence`."""
        return (
            f"{each}an algorithm's score is {operator_phrase(registered.operator)} of its values over all {units}; "
            "the best score gets rank 1."
        )

    def statements(self, registered: RankingScheme, aggregation: Aggregation) -> tuple[Statement, ...]:
        """See `Scheme.statements`."""
        groups, unit = groups_of(aggregation)
        return (
            *groups,
            Aggregate(registered.operator, unit),
            RankScores("best", registered.ties, registered.missing_rank),
        )

    def score_name(self, registered: RankingScheme) -> str:
        """The operator."""
        return operator_name(registered.operator)

    def is_linear(self, registered: RankingScheme) -> bool:
        """Means are sums over cases."""
        return registered.operator.kind == "mean"

    def averaged_values(self, table: Values, registered: RankingScheme) -> FloatArray:  # noqa: ARG002
        """The values, negated where lower is better."""
        return table.values if table.higher_is_better else -table.values

    def simulated_scores(self, challenges: Challenges, registered: RankingScheme) -> tuple[FloatArray, bool]:
        """See `Scheme.simulated_scores`."""
        higher = challenges.higher_is_better
        return aggregate_cases(challenges.values, registered.operator, higher=higher), higher

    def limit_scores(self, model: PartModel, quality: FloatArray, registered: RankingScheme) -> tuple[FloatArray, bool]:
        """Expectations and quantiles under the model."""
        return limit_aggregates(model, quality, registered.operator), model.metric.higher_is_better

    def usual_forms(self) -> Mapping[str, Mapping[str, Any]]:
        """Of the mean, and of the median."""
        return {
            "mean, then rank": {"operator": Operator("mean")},
            "median, then rank": {"operator": Operator("median")},
        }


SCHEME: Final = AggregateThenRank()


def limit_aggregates(model: PartModel, quality: FloatArray, operator: Operator | None) -> FloatArray:
    """Aggregates of values over infinitely many cases: exact quantiles, means by Gauss–Hermite quadrature."""
    deviation = math.hypot(model.cases, model.noise)
    centre = model.mean + model.teams * quality
    position = None if operator is None else operator.quantile(higher_is_better=model.metric.higher_is_better)
    if position is None:
        if (expected := model.scale.expectation(centre, deviation)) is not None:
            return expected
        if model.skewness:
            deviations, shares = model.nodes
            return np.asarray(
                sum(w * model.scale.to_scores(centre + d) for d, w in zip(deviations, shares, strict=True))
            )
        nodes, weights = gauss_hermite(_NODES)
        values = model.scale.to_scores(centre[..., None] + deviation * nodes)
        return np.asarray(values @ weights)
    from scipy.special import ndtri

    better = position if model.metric.higher_is_better else 1.0 - position
    # The smallest and the largest have no limit; one in ten thousand stands for them.
    return np.asarray(model.scale.to_scores(centre + deviation * ndtri(np.clip(better, 1e-4, 1.0 - 1e-4))))
