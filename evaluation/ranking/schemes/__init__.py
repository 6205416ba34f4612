"""Ranking schemes: how values of cases become scores and scores ranks, one object a scheme."""

from evaluation.ranking.drawn import Samples
from evaluation.ranking.schemes.base import (
    DEFAULT,
    ENTRY_POINT_GROUP,
    Ranked,
    Scheme,
    SchemeError,
    Values,
    all_schemes,
    apply_scheme,
    get_scheme,
    rank_scores,
    register,
    unregister,
)
from evaluation.ranking.schemes.one_score import ONE_VALUE
from evaluation.ranking.schemes.rank_then_aggregate import case_ranks
from evaluation.ranking.schemes.test_then_rank import win_shares

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
