"""Ranking schemes: how values of cases become scores and scores ranks, one object a scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.ranking.schemes.base import Ranked, Samples, Scheme, Values
from evaluation.ranking.schemes.one_score import ONE_VALUE
from evaluation.ranking.schemes.rank_then_aggregate import case_ranks
from evaluation.ranking.schemes.registry import (
    DEFAULT,
    ENTRY_POINT_GROUP,
    SchemeError,
    all_schemes,
    get_scheme,
    register,
    unregister,
)
from evaluation.ranking.schemes.test_then_rank import win_shares

if TYPE_CHECKING:
    from evaluation.assessment import Aggregation, RankingScheme
    from evaluation.ranking.hierarchy import Hierarchy
    from evaluation.ranking.schemes.base import BoolArray, FloatArray

__all__ = [
    "DEFAULT",
    "ENTRY_POINT_GROUP",
    "ONE_VALUE",
    "Ranked",
    "Samples",
    "Scheme",
    "SchemeError",
    "Values",
    "all_schemes",
    "apply_scheme",
    "case_ranks",
    "get_scheme",
    "rank_scores",
    "register",
    "unregister",
    "win_shares",
]


def apply_scheme(
    values: FloatArray,
    last_rank: BoolArray,
    samples: Samples,
    scheme: RankingScheme,
    *,
    higher_is_better: bool,
    aggregation: Aggregation,
    hierarchy: Hierarchy | None,
) -> Ranked:
    """Score and rank the algorithms in every sample by the registered scheme.

    Parameters
    ----------
    values, last_rank, higher_is_better, aggregation, hierarchy
        See `Values`.
    samples
        What was drawn.
    scheme
        What the assessment registers.
    """
    chosen = get_scheme(scheme.scheme)
    table = Values(values, last_rank, higher_is_better, aggregation, hierarchy)
    scores, higher = chosen.scores(table, samples, scheme)
    return chosen.rank_scores(scores, scheme, higher_is_better=higher)


def rank_scores(scores: FloatArray, scheme: RankingScheme, *, higher_is_better: bool) -> Ranked:
    """Rank scores by the rules of a scheme; an algorithm without a score is ranked last, never dropped."""
    return get_scheme(scheme.scheme).rank_scores(scores, scheme, higher_is_better=higher_is_better)
