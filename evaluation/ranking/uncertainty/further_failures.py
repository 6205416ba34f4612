"""Further failures that would cost the first place, found by ranking again; for rankings that are no weighted mean."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.uncertainty.failures import failed_cases, failure_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.ranking.uncertainty.elementary import Elementary, Ranking

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
MOST_FAILURES: Final = 25
"""Failures after which the search ends."""
MOST_CANDIDATES: Final = 12
"""Costliest cases of which one fails in each step."""
_MOST_NUMBERS: Final = 4_000_000


def failures_to_lose(ranking: Ranking, first: int) -> int | None:
    """Return a number of further failed cases of an algorithm at which it is no longer first.

    In each step, of the costliest cases the one fails that gives the worst final rank, and of several the one whose values
    are farthest from those of a failure. With one metric the number is the smallest possible; with several, other cases could do it with fewer.

    Returns
    -------
    int or None
        ``None`` where a failure has no value or changes the scores of others, for metrics of the whole data set and rankings
        of several tasks, and above `MOST_FAILURES`.
    """
    parts = ranking.elementary
    scheme = ranking.scheme
    if not scheme.aggregates_values or scheme.one_value or len({part.item.table.task for part in parts}) > 1:
        return None
    if any(part.item.table.per_dataset or part.inside is not None for part in parts):
        return None
    worst = [failure_values(part) for part in parts]
    if any(values is None or np.isnan(values).any() for values in worst):
        return None
    lost = [values for values in worst if values is not None]
    columns = [np.array(part.item.table.values[:, first]) for part in parts]
    if any(np.isnan(column).any() for column in columns) or any(len(column) != len(columns[0]) for column in columns):
        return None
    cases = len(columns[0])
    if cases * cases * len(parts) > _MOST_NUMBERS:
        return None
    loss = _loss(parts, columns, lost)
    failed: BoolArray = np.logical_and.reduce([failed_cases(part, first) for part in parts])
    for number in range(1, min(MOST_FAILURES, int((~failed).sum())) + 1):
        remaining = np.flatnonzero(~failed)
        candidates = remaining[np.argsort(-loss[remaining], kind="stable")[:MOST_CANDIDATES]]
        ranks = _ranks_after(ranking, first, columns, lost, candidates)
        worst_rank = ranks.max()
        if worst_rank > 1.0:
            return number
        case = int(candidates[np.lexsort((-loss[candidates], -ranks))[0]])
        failed[case] = True
        for column, values in zip(columns, lost, strict=True):
            column[case] = values[case]
    return None


def _loss(parts: Sequence[Elementary], columns: Sequence[FloatArray], worst: Sequence[FloatArray]) -> FloatArray:
    """Distance of each case from a failure, over all metrics, each in units of its mean distance."""
    total = np.zeros(len(columns[0]))
    for part, column, values in zip(parts, columns, worst, strict=True):
        distance = (column - values) if part.item.table.metric.higher_is_better else (values - column)
        mean = float(np.abs(distance).mean())
        total += distance / mean if mean > 0.0 else 0.0
    return total


def _ranks_after(
    ranking: Ranking, first: int, columns: Sequence[FloatArray], worst: Sequence[FloatArray], candidates: IntArray
) -> FloatArray:
    """Final rank of an algorithm with each of some cases failed in turn."""
    scores = []
    for part, column, values in zip(ranking.elementary, columns, worst, strict=True):
        variants = np.repeat(column[:, None], len(candidates), axis=1)
        variants[candidates, np.arange(len(candidates))] = values[candidates]
        table = replace(ranking.values_of(part), values=variants, last_rank=np.zeros(variants.shape, dtype=bool))
        full_scores, _ = ranking.scheme.scores(table, part.item.plan.full, ranking.registered)
        given = np.tile(part.scores[0], (len(candidates), 1))
        given[:, first] = full_scores[0]
        scores.append(given)
    return np.asarray(ranking.final(scores)[:, first])
