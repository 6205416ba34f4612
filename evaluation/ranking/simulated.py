"""Boards made of values that are drawn, not measured, judged by the very code that makes a board of results."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evaluation.aggregation import Table
from evaluation.ranking.combination import combine
from evaluation.ranking.entries import combined_ranking, single_ranking
from evaluation.ranking.evaluate import evaluate
from evaluation.ranking.parts import parts_of
from evaluation.ranking.plans import Evaluated
from evaluation.ranking.schemes import rank_scores
from evaluation.ranking.scores import snap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.ranking.plans import Plan
    from evaluation.ranking.uncertainty.elementary import Ranking

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class DrawnValues:
    """Simulated values of one metric in one region.

    Attributes
    ----------
    values
        Cases × teams. For a metric of the whole data set, the contribution of each case to the mean that represents it.
    failed
        Cases × teams: mask of the values of failed cases; ``None`` if there are none.
    """

    metric: MetricUse
    region: str | None
    values: FloatArray
    failed: BoolArray | None = None


def simulated_ranking(drawn: Sequence[DrawnValues], plan: Plan, assessment: Assessment) -> Ranking:
    """The ranking of one board, with its resamples, by the first ranking of an assessment."""
    scheme = assessment.rankings[0]
    evaluated = [_evaluated(one, plan, assessment) for one in drawn]
    if not scheme.combine:
        return single_ranking(evaluated[0], scheme, assessment)
    parts = parts_of(evaluated, scheme, assessment)
    part = combine(parts, scheme.combine, scheme.missing_rank)[0]
    return combined_ranking(part, parts, evaluated, scheme, assessment)


def _evaluated(drawn: DrawnValues, plan: Plan, assessment: Assessment) -> Evaluated:
    scheme = assessment.rankings[0]
    cases, teams = drawn.values.shape
    failed = np.zeros(teams, dtype=np.int64) if drawn.failed is None else drawn.failed.sum(axis=0)
    table = Table(
        task=None,
        metric=drawn.metric,
        region=drawn.region,
        cases=plan.cases,
        algorithms=tuple(f"team {team:03d}" for team in range(teams)),
        values=drawn.values,
        last_rank=np.zeros(drawn.values.shape, dtype=bool),
        outcomes=tuple(Counter({"missing": int(count)}) for count in failed),
        inserted=(),
        diagonals=np.full(cases, np.nan),
        worst_values=np.full(cases, np.nan),
    )
    if not table.per_dataset:
        return evaluate(table, plan, scheme, assessment)
    counts = plan.samples.counts
    scores = snap(counts.T @ drawn.values / counts.sum(axis=0)[:, None])
    whole = replace(table, values=scores[:1], last_rank=np.zeros((1, teams), dtype=bool))
    ranked = rank_scores(scores, scheme, higher_is_better=drawn.metric.higher_is_better)
    return Evaluated(whole, plan, ranked, tuple(int(count) for count in failed))
