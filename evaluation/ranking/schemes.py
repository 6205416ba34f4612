"""The ranking schemes: from one table of values to scores and ranks in every sample at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.assessment import Aggregation, Operator, RankingScheme
from evaluation.ranking.hierarchy import Hierarchy, aggregate_levels, unit_values, whole_units
from evaluation.ranking.operators import aggregate
from evaluation.ranking.ranks import rank, snap
from evaluation.ranking.significance import holm, wilcoxon_matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.ranking.resampling import Drawn

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
_MEAN = Operator("mean")


@dataclass(frozen=True)
class Ranked:
    """Scores and ranks in every sample, samples × algorithms; a score may be not a number, a rank never is."""

    scores: FloatArray
    ranks: FloatArray
    higher_is_better: bool


@dataclass(frozen=True)
class Samples:
    """The samples that a scheme is applied to: multiplicities of cases, and the draws where levels need them."""

    counts: FloatArray
    drawn: Drawn

    @property
    def number(self) -> int:
        """How many samples there are."""
        return int(self.counts.shape[1])


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
    values, last_rank
        Cases × algorithms, see `evaluation.aggregation.Table`.
    samples
        What was drawn.
    scheme
        Scheme, operator, ties, missing ranks, level and adjustment of tests.
    higher_is_better
        Direction of the values.
    aggregation, hierarchy
        Levels between case and score, and the groups that they make; `hierarchy` is ``None`` for the case level alone.
    """
    if scheme.scheme == "rank_then_aggregate":
        values = case_ranks(values, last_rank, scheme, higher_is_better=higher_is_better)
        higher_is_better = False
    levels: dict[str, Any] = {"higher_is_better": higher_is_better, "aggregation": aggregation, "hierarchy": hierarchy}
    if scheme.scheme == "test_then_rank":
        scores = _win_shares(values, samples, scheme, **levels)
        higher_is_better = True
    else:
        operator = _MEAN if scheme.scheme == "one_score" else scheme.operator
        scores = _aggregated(values, samples, operator, **levels)
    return rank_scores(scores, scheme, higher_is_better=higher_is_better)


def rank_scores(scores: FloatArray, scheme: RankingScheme, *, higher_is_better: bool) -> Ranked:
    """Rank scores by the rules of a scheme; an algorithm without a score is ranked last, never dropped."""
    ranks = rank(scores, higher_is_better=higher_is_better, ties=scheme.ties, missing_rank=scheme.missing_rank)
    return Ranked(scores, ranks, higher_is_better)


def case_ranks(
    values: FloatArray, last_rank: BoolArray, scheme: RankingScheme, *, higher_is_better: bool
) -> FloatArray:
    """Ranks on every case, cases × algorithms; not a number where the case is left out for an algorithm."""
    return rank(
        snap(values),
        higher_is_better=higher_is_better,
        ties=scheme.ties,
        missing_rank=scheme.missing_rank,
        last_rank=last_rank,
    )


def win_shares(p_values: FloatArray, *, alpha: float, adjust: str) -> FloatArray:
    """Share of the other algorithms that each one is significantly better than, from p-values of every sample.

    Notes
    -----
    A comparison counts at p ≤ alpha; an undefined one does not count. The divisor is the number of other algorithms.
    """
    decided = holm(p_values) if adjust == "holm" else p_values
    wins = (decided <= alpha).sum(axis=-1)
    return snap(wins / max(p_values.shape[-1] - 1, 1))


def _aggregated(
    values: FloatArray,
    samples: Samples,
    operator: Operator,
    *,
    higher_is_better: bool,
    aggregation: Aggregation,
    hierarchy: Hierarchy | None,
) -> FloatArray:
    if hierarchy is None:
        return aggregate(values, samples.counts, operator, higher_is_better=higher_is_better)
    return aggregate_levels(
        values, samples, hierarchy, aggregation.operator, operator, higher_is_better=higher_is_better
    )


def _win_shares(
    values: FloatArray,
    samples: Samples,
    scheme: RankingScheme,
    *,
    higher_is_better: bool,
    aggregation: Aggregation,
    hierarchy: Hierarchy | None,
) -> FloatArray:
    if hierarchy is None:
        p_values = wilcoxon_matrices(values, samples.counts, higher_is_better=higher_is_better)
        return win_shares(p_values, alpha=scheme.alpha, adjust=scheme.adjust)
    whole = whole_units(values, samples, hierarchy, aggregation.operator, higher_is_better=higher_is_better)
    if whole is not None:
        p_values = wilcoxon_matrices(*whole, higher_is_better=higher_is_better)
        return win_shares(p_values, alpha=scheme.alpha, adjust=scheme.adjust)
    units = unit_values(values, samples, hierarchy, aggregation.operator, higher_is_better=higher_is_better)
    rows: Sequence[Any] = [
        wilcoxon_matrices(block, np.ones((len(block), 1)), higher_is_better=higher_is_better)[0] for block in units
    ]
    return win_shares(np.stack(rows), alpha=scheme.alpha, adjust=scheme.adjust)
