"""The elementary rankings behind one entry of a document, and the way from their scores to final ranks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evaluation.ranking.combination import Part, combine
from evaluation.ranking.ranks import snap
from evaluation.ranking.schemes import Values, get_scheme, rank_scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment import Assessment, RankingScheme, Step
    from evaluation.ranking.evaluate import Evaluated
    from evaluation.ranking.schemes import Scheme

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
        Cases that it ranks; ``None`` for all.
    key
        Its value in each dimension that rankings are combined over.
    scores
        Samples × algorithms: the full data, then the bootstrap.
    cases
        How many cases stand behind it in every sample.
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
    """

    elementary: tuple[Elementary, ...]
    registered: RankingScheme
    assessment: Assessment
    steps: tuple[Step, ...]
    ranks: FloatArray
    scores: FloatArray

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
        """Whether several rankings became one."""
        return bool(self.steps)

    @property
    def reranked(self) -> bool:
        """Whether ranks depend on who else takes part."""
        return self.scheme.ranks_cases or self.scheme.compares_pairs or any(step.rerank for step in self.steps)

    def final(self, scores: Sequence[FloatArray]) -> FloatArray:
        """Final ranks from elementary scores, each samples × algorithms in the direction of its metric."""
        parts = []
        # Scores that are averaged themselves are rounded before; of others only the order counts.
        averaged = any(not step.rerank for step in self.steps[:1])
        for part, given in zip(self.elementary, scores, strict=True):
            ranked = rank_scores(
                snap(given) if averaged else given, self.registered, higher_is_better=part.higher_is_better
            )
            cases = np.full(len(given), part.cases[0])
            parts.append(Part(part.key, ranked.scores, ranked.ranks, cases))
        if not self.steps:
            return parts[0].ranks
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
        """What the scheme takes of an elementary ranking."""
        table, plan = part.item.table, part.item.plan
        every = slice(None) if part.inside is None else part.inside
        return Values(
            table.values[every],
            table.last_rank[every],
            table.metric.higher_is_better,
            self.assessment.aggregation,
            plan.hierarchy_of(part.inside),
        )
