"""Values of cases become values of patients, values of patients values of sites, in every sample.

Only needed where the assessment aggregates over levels that are resampled from within; a cluster that is drawn twice
is then two clusters, each with its own cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evaluation.ranking.scores import largest_of, settled, snap

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from evaluation.assessment.model import Operator
    from evaluation.ranking.drawn import Samples

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Hierarchy:
    """Levels above the case, from the inside out, and the group of every case at each of them.

    Attributes
    ----------
    levels
        Names of the levels, innermost first, without ``case``.
    groups
        Number of the group of every case, for each level.
    copied_by
        For each level, the resampled level at or outside it whose copies distinguish its groups; ``None`` if there is
        none and only the sample distinguishes them.
    """

    levels: tuple[str, ...]
    groups: Mapping[str, IntArray]
    copied_by: Mapping[str, str | None]


def without_levels(hierarchy: Hierarchy | None, levels: Collection[str]) -> Hierarchy | None:
    """The same without some levels; ``None`` if the case alone is left."""
    if hierarchy is None:
        return None
    left = tuple(level for level in hierarchy.levels if level not in levels)
    copied_by = {level: hierarchy.copied_by[level] for level in left}
    return Hierarchy(left, hierarchy.groups, copied_by) if left else None


def aggregate_levels(
    values: FloatArray,
    samples: Samples,
    hierarchy: Hierarchy,
    inner: Operator,
    outer: Operator,
    *,
    higher_is_better: bool,
) -> FloatArray:
    """Aggregate level by level with `inner`, and the outermost groups with `outer`; samples × algorithms."""
    scores, largest = np.full((samples.number, values.shape[1]), np.nan), largest_of(values)
    for first, last, rows, sample in _unit_blocks(values, samples, hierarchy, inner, higher_is_better):
        scores[first:last] = _reduced(rows, sample - first, last - first, outer, higher_is_better, largest)
    return snap(scores)


def unit_values(
    values: FloatArray, samples: Samples, hierarchy: Hierarchy, inner: Operator, *, higher_is_better: bool
) -> list[FloatArray]:
    """For every sample, the values of its outermost groups, groups × algorithms."""
    blocks: list[FloatArray] = []
    for first, last, rows, sample in _unit_blocks(values, samples, hierarchy, inner, higher_is_better):
        blocks += [snap(rows[sample == number]) for number in range(first, last)]
    return blocks


def whole_units(
    values: FloatArray, samples: Samples, hierarchy: Hierarchy, inner: Operator, *, higher_is_better: bool
) -> tuple[FloatArray, FloatArray] | None:
    """The values of the outermost groups, once, and how often each is drawn into each sample.

    Returns
    -------
    tuple or None
        Groups × algorithms and groups × samples; ``None`` unless every drawn copy of a group has all of its cases, each
        once, so that its value is the same in every sample.
    """
    level, drawn = hierarchy.levels[-1], samples.drawn
    copy = hierarchy.copied_by[level]
    if copy is None:
        return None
    group = hierarchy.groups[level]
    number = int(group.max()) + 1
    key = drawn.copies[copy] * number + group[drawn.cases]
    _, first, unit, size = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    group_of_unit = group[drawn.cases[first]]
    if (size != np.bincount(group, minlength=number)[group_of_unit]).any():
        return None
    if len(np.unique(unit * len(group) + drawn.cases)) != len(drawn.cases):
        return None
    counts = np.bincount(group_of_unit * samples.number + drawn.samples[first], minlength=number * samples.number)
    keys = [hierarchy.groups[name] for name in hierarchy.levels]
    rows, inside, largest = values, np.arange(len(values)), largest_of(values)
    for groups in keys:
        _, representatives, group_of_row = np.unique(groups[inside], return_index=True, return_inverse=True)
        rows = _reduced(rows, group_of_row, len(representatives), inner, higher_is_better, largest)
        inside = inside[representatives]
    # Of some of the cases, as of one site, not every group has any: those without are no rows.
    present = np.unique(group)
    return snap(rows), counts.reshape(number, samples.number)[present].astype(np.float64)


def _unit_blocks(
    values: FloatArray, samples: Samples, hierarchy: Hierarchy, inner: Operator, higher_is_better: bool
) -> Iterator[tuple[int, int, FloatArray, IntArray]]:
    """Blocks of samples: first and last, the values of their outermost groups, and the sample of each group."""
    drawn, largest = samples.drawn, largest_of(values)
    step = max(1, _AT_ONCE * samples.number // max(1, len(drawn.cases) * values.shape[1]))
    for first in range(0, samples.number, step):
        last = min(first + step, samples.number)
        span = slice(*np.searchsorted(drawn.samples, [first, last]))
        case = drawn.cases[span]
        sample = drawn.samples[span]
        rows = values[case]
        groups = {level: hierarchy.groups[level][case] for level in hierarchy.levels}
        owners = {
            level: sample if copy is None else drawn.copies[copy][span] for level, copy in hierarchy.copied_by.items()
        }
        for level in hierarchy.levels:
            key = owners[level] * (int(hierarchy.groups[level].max()) + 1) + groups[level]
            _, representatives, group = np.unique(key, return_index=True, return_inverse=True)
            rows = _reduced(rows, group, len(representatives), inner, higher_is_better, largest)
            sample = sample[representatives]
            groups = {name: number[representatives] for name, number in groups.items()}
            owners = {name: number[representatives] for name, number in owners.items()}
        yield first, last, rows, sample


def _reduced(
    rows: FloatArray, group: IntArray, groups: int, operator: Operator, higher_is_better: bool, largest: float
) -> FloatArray:
    """Aggregate the rows of every group; not a number where a group has no value.

    `largest` is the size of the largest value of a case. Rounding noise is identified relative to it.
    """
    result = np.full((groups, rows.shape[1]), np.nan)
    share = operator.quantile(higher_is_better=higher_is_better)
    for column in range(rows.shape[1]):
        present = ~np.isnan(rows[:, column])
        value, number = rows[present, column], group[present]
        size = np.bincount(number, minlength=groups)
        filled = size > 0
        if share is None:
            sums = np.bincount(number, weights=value, minlength=groups)
            result[filled, column] = sums[filled] / size[filled]
            continue
        ordered = value[np.lexsort((value, number))]
        starts = np.cumsum(size) - size
        position = (size[filled] - 1) * share
        lower = ordered[starts[filled] + np.floor(position).astype(np.int64)]
        upper = ordered[starts[filled] + np.ceil(position).astype(np.int64)]
        result[filled, column] = lower + (upper - lower) * (position - np.floor(position))
    return settled(result, largest)
