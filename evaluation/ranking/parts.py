"""Evaluated tables, split into the parts that the steps of a scheme combine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evaluation.ranking.combination import Part
from evaluation.ranking.drawn import Drawn, Samples
from evaluation.ranking.resampling import multiplicities
from evaluation.ranking.schemes import Ranked, apply_scheme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.assessment.model import Assessment, RankingScheme
    from evaluation.ranking.plans import Evaluated


BoolArray = npt.NDArray[np.bool_]
Key = dict[str, str | None]
_OF_THE_TABLE = ("metric", "region", "task")


def parts_of(evaluated: Sequence[Evaluated], scheme: RankingScheme, assessment: Assessment) -> list[Part]:
    """Split evaluated tables into the parts that the steps of a scheme combine."""
    steps = scheme.combine or ()
    columns = [name for step in steps for name in step.over if name not in _OF_THE_TABLE]
    resampled = [name for name in columns if name in assessment.uncertainty.resample]
    parts: list[Part] = []
    for item in evaluated:
        key: Key = {"task": item.table.task, "metric": item.table.metric.name, "region": item.table.region}
        if not columns or item.table.per_dataset:
            count = len(item.plan.cases) if item.inside is None else item.cases
            cases = np.full(len(item.ranked.ranks), float(count))
            parts.append(Part(key, item.ranked.scores, item.ranked.ranks, cases, source=item))
        elif resampled:
            parts += _by_copies(item, key, resampled[0], scheme, assessment)
        else:
            parts += _by_columns(item, key, columns, scheme, assessment)
    return parts


def _by_columns(
    item: Evaluated, key: Key, columns: list[str], scheme: RankingScheme, assessment: Assessment
) -> list[Part]:
    """One part for each combination of the columns' values, ranked on its own cases."""
    plan = item.plan
    rows = list(zip(*(plan.columns[name] for name in columns), strict=True))
    parts = []
    for values in sorted(set(rows)):
        inside = np.array([row == values for row in rows])
        draws_inside = inside[plan.drawn.cases]
        local = _local(plan.drawn, draws_inside, inside, plan.drawn.samples[draws_inside])
        samples = Samples(plan.samples.counts[inside], local)
        ranked = _ranked(item, inside, samples, scheme, assessment)
        cases = samples.counts.sum(axis=0)
        scores, ranks = ranked.scores.copy(), ranked.ranks.copy()
        scores[cases == 0], ranks[cases == 0] = np.nan, np.nan
        names = dict(zip(columns, map(str, values), strict=True))
        parts.append(Part({**key, **names}, scores, ranks, cases, inside, item))
    return parts


def _by_copies(item: Evaluated, key: Key, column: str, scheme: RankingScheme, assessment: Assessment) -> list[Part]:
    """One part for each place in a sample that a drawn site can take: a site drawn twice is ranked twice."""
    plan, drawn = item.plan, item.plan.drawn
    copy = drawn.copies[column]
    copies, first, number = np.unique(copy, return_index=True, return_inverse=True)
    sample = drawn.samples[first]
    site = plan.columns[column][drawn.cases[first]]
    by_sample = np.argsort(sample, kind="stable")
    position = np.empty(len(copies), dtype=np.int64)
    starts = np.searchsorted(sample[by_sample], sample[by_sample])
    position[by_sample] = np.arange(len(copies)) - starts
    shape = (int(position.max()) + 1, plan.number, item.table.values.shape[1])
    scores, ranks, cases = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape[:2])
    for value in sorted(set(site)):
        inside = plan.columns[column] == value
        site_copies = np.flatnonzero(site == value)
        draws_inside = inside[drawn.cases]
        local = _local(drawn, draws_inside, inside, np.searchsorted(site_copies, number[draws_inside]))
        samples = Samples(multiplicities(local, int(inside.sum()), len(site_copies)), local)
        ranked = _ranked(item, inside, samples, scheme, assessment)
        scores[position[site_copies], sample[site_copies]] = ranked.scores
        ranks[position[site_copies], sample[site_copies]] = ranked.ranks
        cases[position[site_copies], sample[site_copies]] = samples.counts.sum(axis=0)
    return [
        Part({**key, column: f"{column} {index + 1} of the sample"}, scores[index], ranks[index], cases[index])
        for index in range(shape[0])
    ]


def _local(drawn: Drawn, draws_inside: BoolArray, inside: BoolArray, samples: npt.NDArray[np.int64]) -> Drawn:
    """The draws among some of the cases, these renumbered from 0, sample by sample."""
    order = np.argsort(samples, kind="stable")
    number = np.cumsum(inside) - 1
    return Drawn(
        number[drawn.cases[draws_inside]][order],
        samples[order],
        {name: copy[draws_inside][order] for name, copy in drawn.copies.items()},
    )


def _ranked(
    item: Evaluated, inside: BoolArray, samples: Samples, scheme: RankingScheme, assessment: Assessment
) -> Ranked:
    return apply_scheme(
        item.table.values[inside],
        item.table.last_rank[inside],
        samples,
        scheme,
        higher_is_better=item.table.metric.higher_is_better,
        aggregation=assessment.aggregation,
        hierarchy=item.plan.hierarchy_of(inside),
    )
