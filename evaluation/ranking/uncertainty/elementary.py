"""A ranking and the elementary rankings that it is made of, while its uncertainty is computed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evaluation.ranking.combination import Part, combine
from evaluation.ranking.schemes import Values, get_scheme, rank_scores
from evaluation.ranking.scores import snap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment.model import Assessment, RankingScheme, Step
    from evaluation.ranking.plans import Evaluated
    from evaluation.ranking.schemes import Scheme
    from evaluation.ranking.uncertainty.budgets import (
        FamilyShare,
    )


FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Elementary:
    """One ranking of one table, or of some of its cases.

    Attributes
    ----------
    item
        The table with its samples.
    inside
        Mask of the cases that it ranks; ``None`` for all.
    key
        Its value in each dimension that rankings are combined over.
    scores
        Samples × algorithms: the full data, then the bootstrap.
    cases
        Number of cases on which it is based, in every sample.
    """

    item: Evaluated
    inside: BoolArray | None
    key: Mapping[str, str | None]
    scores: FloatArray
    cases: FloatArray

    @property
    def higher_is_better(self) -> bool:
        """Direction of the scores."""
        return self.item.ranked.higher_is_better

    def signed(self) -> FloatArray:
        """The scores, more is better."""
        return self.scores if self.higher_is_better else -self.scores


@dataclass(frozen=True)
class Ranking:
    """One entry of a ranking document while its uncertainty is worked out.

    Attributes
    ----------
    elementary
        The rankings that it is made of; one for an entry of a single metric and region.
    steps
        How they are combined; none for a single one.
    ranks
        Final ranks of the full data and the bootstrap, samples × algorithms.
    share
        Part of the error, where several rankings share it.
    """

    elementary: tuple[Elementary, ...]
    registered: RankingScheme
    assessment: Assessment
    steps: tuple[Step, ...]
    ranks: FloatArray
    scores: FloatArray
    share: FamilyShare | None = None

    @cached_property
    def algorithms(self) -> tuple[str, ...]:
        """Names, in the order of all arrays."""
        return self.elementary[0].item.table.algorithms

    @cached_property
    def scheme(self) -> Scheme:
        """The scheme of all its elementary rankings."""
        return get_scheme(self.registered.scheme)

    @property
    def combined(self) -> bool:
        """True if several rankings were combined into one."""
        return bool(self.steps)

    @property
    def reranked(self) -> bool:
        """True if ranks depend on the other participants."""
        return self.scheme.ranks_cases or self.scheme.compares_pairs or any(step.rerank for step in self.steps)

    def final(self, scores: Sequence[FloatArray]) -> FloatArray:
        """Final ranks from elementary scores, each samples × algorithms in the direction of its metric."""
        # Scores that are averaged themselves are rounded before; of others only the order counts.
        averaged = any(not step.rerank for step in self.steps[:1])
        ranked = [
            rank_scores(
                snap(part_scores) if averaged else part_scores, self.registered, higher_is_better=part.higher_is_better
            )
            for part, part_scores in zip(self.elementary, scores, strict=True)
        ]
        if not self.steps:
            return ranked[0].ranks
        parts = [
            Part(part.key, ranked_part.scores, ranked_part.ranks, np.full(len(ranked_part.ranks), part.cases[0]))
            for part, ranked_part in zip(self.elementary, ranked, strict=True)
        ]
        return combine(parts, self.steps, self.registered.missing_rank)[0].ranks

    def scores_among(self, part: Elementary, columns: IntArray) -> FloatArray:
        """Scores on the full data when only some algorithms take part."""
        scheme = self.scheme
        if part.item.table.per_dataset or not (scheme.ranks_cases or scheme.compares_pairs):
            return np.asarray(part.scores[0, columns])
        table = self.values_of(part)
        some = replace(table, values=table.values[:, columns], last_rank=table.last_rank[:, columns])
        scores, _ = scheme.scores(some, part.item.plan.full_of(part.inside), self.registered)
        return np.asarray(scores[0])

    def values_of(self, part: Elementary) -> Values:
        """Return the values of an elementary ranking in the form that the scheme takes."""
        table, plan = part.item.table, part.item.plan
        every = slice(None) if part.inside is None else part.inside
        return Values(
            table.values[every],
            table.last_rank[every],
            table.metric.higher_is_better,
            self.assessment.aggregation,
            plan.hierarchy_of(part.inside),
        )
