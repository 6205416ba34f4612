"""What varies: the units of a task, their strata, and what each unit contributes to a score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.ranking.hierarchy import Hierarchy

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Units:
    """Cases gathered into the units that are a sample, and units into the strata that are not.

    Attributes
    ----------
    unit_of_case
        Number of the unit of every case.
    stratum_of_unit
        Number of the stratum of every unit; all 0 if there are no strata.
    strata
        Names of the strata, empty if there are none.
    """

    unit_of_case: IntArray
    stratum_of_unit: IntArray
    strata: tuple[str, ...]

    @property
    def number(self) -> int:
        """How many units there are."""
        return len(self.stratum_of_unit)

    @cached_property
    def sizes(self) -> IntArray:
        """Units of every stratum."""
        return np.bincount(self.stratum_of_unit, minlength=max(len(self.strata), 1))

    @property
    def smallest(self) -> int:
        """Units of the smallest stratum, or all of them."""
        return int(self.sizes.min()) if self.number else 0

    @property
    def several_strata(self) -> bool:
        """Whether there are at least two strata."""
        return len(self.strata) > 1


def gather(unit_keys: Sequence[Sequence[str]], stratum_keys: Sequence[Sequence[str]], cases: int) -> Units:
    """Number units and strata from their columns, in ascending order.

    Parameters
    ----------
    unit_keys
        Columns that tell units apart within a stratum, outermost first.
    stratum_keys
        Columns whose combinations are the strata; none if there are no strata.
    cases
        How many cases there are.
    """
    strata_rows = list(zip(*stratum_keys, strict=True)) if stratum_keys else [()] * cases
    unit_rows = [(*stratum, *unit) for stratum, unit in zip(strata_rows, zip(*unit_keys, strict=True), strict=True)]
    strata = {row: index for index, row in enumerate(sorted(set(strata_rows)))}
    units = {row: index for index, row in enumerate(sorted(set(unit_rows)))}
    stratum_of_unit = np.zeros(len(units), dtype=np.int64)
    unit_of_case = np.zeros(cases, dtype=np.int64)
    for case, (row, stratum) in enumerate(zip(unit_rows, strata_rows, strict=True)):
        unit_of_case[case] = units[row]
        stratum_of_unit[units[row]] = strata[stratum]
    names = tuple(", ".join(map(str, row)) for row in strata) if stratum_keys else ()
    return Units(unit_of_case, stratum_of_unit, names)


def case_weights(present: npt.NDArray[np.bool_], hierarchy: Hierarchy | None) -> FloatArray:
    """Weight of every case in a hierarchical mean: the product over levels of one over the number of members.

    Parameters
    ----------
    present
        Cases × algorithms: members without a value do not count, nor do groups without any.
    hierarchy
        Levels above the case.

    Examples
    --------
    >>> case_weights(np.ones((4, 1), dtype=bool), None)[:, 0].tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    weights = present.astype(np.float64)
    member = weights
    for level in hierarchy.levels if hierarchy is not None else ():
        assert hierarchy is not None
        group = hierarchy.groups[level]
        counts = np.zeros((int(group.max(initial=-1)) + 1, present.shape[1]))
        # Of each group inside, one member stands for the group.
        np.add.at(counts, group, member)
        weights = np.divide(weights, counts[group], out=np.zeros_like(weights), where=counts[group] > 0)
        member = _first_of_each(group, present)
    totals = member.sum(axis=0)
    return np.asarray(np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0))


def _first_of_each(group: IntArray, present: npt.NDArray[np.bool_]) -> FloatArray:
    """One for the first case of each group that has a value, for every algorithm; else zero."""
    first = np.zeros(present.shape)
    for column in range(present.shape[1]):
        rows = np.flatnonzero(present[:, column])
        _, index = np.unique(group[rows], return_index=True)
        first[rows[index], column] = 1.0
    return first


@dataclass(frozen=True)
class Contributions:
    """What units contribute to scores, units × algorithms, more is better.

    Attributes
    ----------
    plain
        Weighted sums of values; differences of columns of algorithms with a value on every case are compared by it.
    linearised
        Weighted deviations from the score and an equal part of the score, for algorithms whose weights differ because
        values are left out; ``None`` if nothing is left out.
    complete
        Algorithms with a value on every case.
    unit_weights
        Summed case weights of every unit, for a complete algorithm.
    case_weights
        Cases × algorithms.
    """

    plain: FloatArray
    linearised: FloatArray | None
    complete: npt.NDArray[np.bool_]
    unit_weights: FloatArray
    case_weights: FloatArray

    @cached_property
    def rounding(self) -> float:
        """Size up to which a difference is noise of rounding."""
        largest = float(np.abs(self.plain).max(initial=0.0))
        if self.linearised is not None:
            largest = max(largest, float(np.abs(self.linearised).max(initial=0.0)))
        return 1e-12 * largest

    def differences(self, first: IntArray, second: IntArray) -> FloatArray:
        """Contributions to the comparisons of pairs, units × pairs; noise of rounding is set to zero."""
        difference = self.plain[:, first] - self.plain[:, second]
        if self.linearised is not None:
            gappy = ~(self.complete[first] & self.complete[second])
            difference[:, gappy] = self.linearised[:, first[gappy]] - self.linearised[:, second[gappy]]
        difference[np.abs(difference) <= self.rounding] = 0.0
        return difference


def contributions(values: FloatArray, units: Units, hierarchy: Hierarchy | None) -> Contributions:
    """Contributions of units to hierarchical means of values (cases × algorithms, not a number where left out)."""
    present = ~np.isnan(values)
    complete = np.asarray(present.all(axis=0))
    every = np.ones((len(values), 1), dtype=bool)
    even = case_weights(every, hierarchy)
    filled = np.where(present, values, 0.0)
    weights = np.broadcast_to(even, values.shape) if complete.all() else case_weights(present, hierarchy)
    plain = _by_unit(weights * filled, units)
    linearised = None
    if not complete.all():
        scores = (weights * filled).sum(axis=0)
        linearised = _by_unit(weights * (filled - scores), units) + scores / units.number
    return Contributions(plain, linearised, complete, _by_unit(even, units)[:, 0], np.asarray(weights))


def _by_unit(values: FloatArray, units: Units) -> FloatArray:
    if units.number == len(values):
        result = np.empty(values.shape)
        result[units.unit_of_case] = values
        return result
    order = np.argsort(units.unit_of_case, kind="stable")
    starts = np.searchsorted(units.unit_of_case[order], np.arange(units.number))
    return np.asarray(np.add.reduceat(values[order], starts, axis=0))
