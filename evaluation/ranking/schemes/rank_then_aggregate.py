"""Rank-then-aggregate: a score is an aggregate of the ranks on the cases."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from evaluation.assessment.model import Operator
from evaluation.ranking.procedure.groups import groups_of
from evaluation.ranking.procedure.statements import Aggregate, RankCases, RankScores
from evaluation.ranking.schemes.base import Scheme
from evaluation.ranking.schemes.challenges import aggregate_cases, ranks_without_ties
from evaluation.ranking.scores import operator_name, operator_phrase, rank, snap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.advice.simulation.model import PartModel
    from evaluation.assessment.model import Aggregation, RankingScheme
    from evaluation.ranking.drawn import Samples
    from evaluation.ranking.procedure.statements import Statement
    from evaluation.ranking.schemes.base import BoolArray, FloatArray, Values
    from evaluation.ranking.schemes.challenges import Challenges


class RankThenAggregate(Scheme):
    """Ranks on every case, then their mean, median or percentile."""

    id: ClassVar = "rank_then_aggregate"
    title: ClassVar = "Rank every case, then aggregate"
    design_kind: ClassVar = "case_based"
    takes_operator: ClassVar = True
    ranks_cases: ClassVar = True
    simulated: ClassVar = True

    def scores(self, table: Values, samples: Samples, registered: RankingScheme) -> tuple[FloatArray, bool]:
        """Aggregates of the ranks on the cases."""
        ranks = case_ranks(table.values, table.last_rank, registered, higher_is_better=table.higher_is_better)
        return replace(table, values=ranks, higher_is_better=False).aggregated(samples, registered.operator), False

    def sentence(self, registered: RankingScheme, *, each: str, units: str) -> str:
        """See `Scheme.sentence`."""
        return (
            f"{each}the algorithms are ranked on every case; an algorithm's score is "
            f"{operator_phrase(registered.operator)} of its ranks over all {units}, and the lowest score gets rank 1."
        )

    def statements(self, registered: RankingScheme, aggregation: Aggregation) -> tuple[Statement, ...]:
        """See `Scheme.statements`."""
        groups, unit = groups_of(aggregation, of_ranks=True)
        return (
            RankCases(registered.ties, registered.missing_rank),
            *groups,
            Aggregate(registered.operator, unit, of_ranks=True),
            RankScores("lowest", registered.ties, registered.missing_rank),
        )

    def score_name(self, registered: RankingScheme) -> str:
        """The operator, of ranks."""
        return f"{operator_name(registered.operator)} rank"

    def score_decimals(self, unit: str | None) -> int:  # noqa: ARG002
        """Ranks have no unit."""
        return 2

    def is_linear(self, registered: RankingScheme) -> bool:
        """Means of ranks are sums over cases."""
        return registered.operator.kind == "mean"

    def averaged_values(self, table: Values, registered: RankingScheme) -> FloatArray:
        """The ranks on the cases, negated."""
        return -case_ranks(table.values, table.last_rank, registered, higher_is_better=table.higher_is_better)

    def simulated_scores(self, challenges: Challenges, registered: RankingScheme) -> tuple[FloatArray, bool]:
        """See `Scheme.simulated_scores`."""
        values, last, higher = challenges.values, challenges.last, challenges.higher_is_better
        ranks: npt.NDArray[Any]
        if last is not None and last.any():
            ranks = rank(
                values,
                higher_is_better=higher,
                ties=registered.ties,
                missing_rank=registered.missing_rank,
                last_rank=last,
            )
        elif challenges.quality is not None:
            ranks = ranks_without_ties(challenges.quality)
        else:
            ranks = ranks_without_ties(values if higher else -values)
            ranks[np.isnan(values)] = np.nan
        return aggregate_cases(ranks, registered.operator, higher=False), False

    def limit_scores(
        self,
        model: PartModel,
        quality: FloatArray,
        registered: RankingScheme,  # noqa: ARG002
    ) -> tuple[FloatArray, bool]:
        """Expected ranks: one half and the probabilities of being behind each team, oneself included."""
        from scipy.special import ndtr

        if model.noise == 0:
            return rank(quality, higher_is_better=True), False
        gap = (quality[:, None, :] - quality[:, :, None]) * model.teams / (math.sqrt(2.0) * model.noise)
        return 0.5 + ndtr(gap).sum(axis=2), False

    def usual_forms(self) -> Mapping[str, Mapping[str, Any]]:
        """Of the mean, and of the median."""
        return {
            "rank, then mean": {"operator": Operator("mean")},
            "rank, then median": {"operator": Operator("median")},
        }


SCHEME: Final = RankThenAggregate()


def case_ranks(
    values: FloatArray, last_rank: BoolArray, registered: RankingScheme, *, higher_is_better: bool
) -> FloatArray:
    """Return the ranks on every case, cases × algorithms.

    A rank is not a number where the case is excluded for an algorithm.
    """
    return rank(
        snap(values),
        higher_is_better=higher_is_better,
        ties=registered.ties,
        missing_rank=registered.missing_rank,
        last_rank=last_rank,
    )
