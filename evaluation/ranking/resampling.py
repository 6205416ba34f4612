"""Units and their strata, and paired resampling with the same result on every machine.

The algorithm has a separate version, `VERSION`; `docs/ranking.md` specifies it. Random numbers come from the Philox
4x64-10 counter generator. NumPy guarantees that its raw output never changes. The conversion of raw output into
resamples is done here, since NumPy gives no such guarantee for the streams of its distributions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.canonical import sha256
from evaluation.ranking.drawn import Drawn
from evaluation.ranking.scores import largest_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.ranking.hierarchy import Hierarchy


FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

VERSION: Final = "podium-resample-1"
STRATIFIED_VERSION: Final = "podium-resample-2"
"""The same draws, with strata from the fixed levels of an assessment as well."""
_HALF_WORD: Final = np.uint64(32)


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
        """Number of units."""
        return len(self.stratum_of_unit)

    @cached_property
    def sizes(self) -> IntArray:
        """Units of every stratum."""
        return np.bincount(self.stratum_of_unit, minlength=max(len(self.strata), 1))

    @property
    def smallest(self) -> int:
        """Units of the smallest stratum, or all of them."""
        return int(self.sizes.min())

    @property
    def several_strata(self) -> bool:
        """True if there are at least two strata."""
        return len(self.strata) > 1

    def within(self, inside: npt.NDArray[np.bool_]) -> Units:
        """The units and strata of some of the cases.

        Examples
        --------
        >>> every = gather([["a", "b", "c", "d"]], [["x", "x", "y", "y"]], 4)
        >>> some = every.within(np.array([False, False, True, True]))
        >>> some.number, some.strata, some.several_strata
        (2, ('y',), False)
        """
        units, unit_of_case = np.unique(self.unit_of_case[inside], return_inverse=True)
        strata, stratum_of_unit = np.unique(self.stratum_of_unit[units], return_inverse=True)
        return Units(
            unit_of_case, stratum_of_unit, tuple(self.strata[stratum] for stratum in strata) if self.strata else ()
        )


def gather(unit_keys: Sequence[Sequence[str]], stratum_keys: Sequence[Sequence[str]], cases: int) -> Units:
    """Number units and strata from their columns, in ascending order.

    Parameters
    ----------
    unit_keys
        Columns that distinguish units within a stratum, outermost first.
    stratum_keys
        Columns whose combinations are the strata; none if there are no strata.
    cases
        Number of cases.
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
        counts = np.zeros(present.shape)  # there are no more groups than cases
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
    """Contributions of units to scores, units × algorithms, where larger is better.

    Attributes
    ----------
    plain
        Weighted sums of values. Algorithms with a value on every case are compared by differences of these columns.
    linearised
        Weighted deviations from the score plus an equal part of the score, for algorithms whose weights differ because
        values are excluded; ``None`` if no value is excluded.
    complete
        Algorithms with a value on every case.
    unit_weights
        Summed case weights of every unit, for a complete algorithm.
    case_weights
        Weights of the cases, cases × algorithms.
    """

    plain: FloatArray
    linearised: FloatArray | None
    complete: npt.NDArray[np.bool_]
    unit_weights: FloatArray
    case_weights: FloatArray

    @cached_property
    def rounding(self) -> float:
        """Size up to which a difference is noise of rounding."""
        parts = [self.plain] if self.linearised is None else [self.plain, self.linearised]
        return 1e-12 * max(map(largest_of, parts))

    def differences(self, first: IntArray, second: IntArray) -> FloatArray:
        """Contributions to the comparisons of pairs, units × pairs; noise of rounding is set to zero."""
        difference = self.plain[:, first] - self.plain[:, second]
        if self.linearised is not None:
            gappy = ~(self.complete[first] & self.complete[second])
            difference[:, gappy] = self.linearised[:, first[gappy]] - self.linearised[:, second[gappy]]
        difference[np.abs(difference) <= self.rounding] = 0.0
        return difference


def contributions(values: FloatArray, units: Units, hierarchy: Hierarchy | None) -> Contributions:
    """Return the contributions of units to hierarchical means of values.

    Values are cases × algorithms, not a number where excluded.
    """
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


@dataclass(frozen=True)
class Design:
    """Design of the resampling: the grouped cases of a task.

    Attributes
    ----------
    cases
        Identifiers in ascending order.
    levels
        Resampled columns, outermost first; ``case`` if single cases are resampled.
    columns
        Values of each column but ``case`` that `levels` and `strata` name, in the order of `cases`.
    strata
        Columns whose combinations are the strata, within which cases are resampled.
    """

    cases: tuple[str, ...]
    levels: tuple[str, ...] = ("case",)
    columns: Mapping[str, Sequence[str]] | None = None
    strata: tuple[str, ...] = ()

    @cached_property
    def _nodes(self) -> list[IntArray]:
        """For each depth, the node of every case: nested groups, numbered in ascending order of their values."""
        columns = self.columns or {}
        keys: list[Sequence[Any]] = [columns[name] for name in self.strata]
        nodes = [_numbered(keys, len(self.cases))]
        for level in self.levels:
            keys = [*keys, self.cases if level == "case" else columns[level]]
            nodes.append(_numbered(keys, len(self.cases)))
        return nodes

    @property
    def units(self) -> IntArray:
        """For every case, the outermost thing that is drawn and to which it belongs."""
        return self._nodes[1]

    @property
    def clusters(self) -> int:
        """Number of different outermost units that can be resampled."""
        return int(self.units.max()) + 1 if len(self.cases) else 0

    def draw(self, samples: int, seed: int) -> Drawn:
        """Sample with replacement.

        Parameters
        ----------
        samples
            Number of samples.
        seed
            Any whole number of 0 or more. The same cases and seed give the same draws for any measurement. Metrics,
            regions and ranking schemes therefore share them.
        """
        key = int(sha256([VERSION, seed, list(self.cases)])[:32], 16)
        words = np.random.Philox(key=key)
        nodes = self._nodes
        roots = int(nodes[0].max(initial=-1)) + 1
        node = np.tile(np.arange(roots), samples)
        sample = np.repeat(np.arange(samples), roots)
        copies: dict[str, IntArray] = {}
        for depth, level in enumerate(self.levels):
            starts, children = _children(nodes[depth], nodes[depth + 1])
            size = (starts[1:] - starts[:-1])[node]
            parent = np.repeat(np.arange(len(node)), size)
            word = words.random_raw(len(parent)) >> _HALF_WORD
            picked = ((word * size[parent].astype(np.uint64)) >> _HALF_WORD).astype(np.int64)
            node = children[starts[node[parent]] + picked]
            sample = sample[parent]
            copies = {name: copy[parent] for name, copy in copies.items()}
            if level != "case":
                copies[level] = np.arange(len(node))
        return self._expanded(node, sample, copies)

    def leave_one_out(self) -> Drawn:
        """Return leave-one-out samples.

        Each contains every case once, except those of one of the outermost resampled units. Each unit is excluded in
        turn.
        """
        count = len(self.cases)
        sample, case = np.divmod(np.arange(self.clusters * count), count)
        remaining = self.units[case] != sample
        return self._once(case[remaining], sample[remaining])

    def full(self) -> Drawn:
        """Every case once."""
        count = len(self.cases)
        return self._once(np.arange(count), np.zeros(count, dtype=np.int64))

    def _once(self, case: IntArray, sample: IntArray) -> Drawn:
        copies = {}
        for depth, level in enumerate(self.levels):
            if level != "case":
                stride = len(self.cases)
                copies[level] = sample * stride + self._nodes[depth + 1][case]
        return Drawn(case, sample, copies)

    def _expanded(self, node: IntArray, sample: IntArray, copies: dict[str, IntArray]) -> Drawn:
        """All cases of the drawn nodes; a node is a case already where single cases are drawn."""
        starts, members = _children(self._nodes[-1], np.arange(len(self.cases)))
        size = (starts[1:] - starts[:-1])[node]
        if (size == 1).all():
            return Drawn(members[starts[node]], sample, copies)
        parent = np.repeat(np.arange(len(node)), size)
        within = np.arange(len(parent)) - np.repeat(np.cumsum(size) - size, size)
        return Drawn(
            members[starts[node[parent]] + within],
            sample[parent],
            {name: copy[parent] for name, copy in copies.items()},
        )


def multiplicities(drawn: Drawn, cases: int, samples: int) -> FloatArray:
    """Return the frequency of each case in each sample, cases × samples.

    The numbers are whole floats, which are suitable for matrix products.
    """
    flat = drawn.cases * samples + drawn.samples
    counts = np.bincount(flat, minlength=cases * samples)
    return counts.reshape(cases, samples).astype(np.float64)


def join(parts: Sequence[tuple[Drawn, int]]) -> Drawn:
    """Put sets of samples behind one another, each given with its number of samples."""
    shift = 0
    cases, samples = [], []
    copies: dict[str, list[IntArray]] = {level: [] for level in parts[0][0].copies}
    copy_shift = dict.fromkeys(copies, 0)
    for drawn, count in parts:
        cases.append(drawn.cases)
        samples.append(drawn.samples + shift)
        shift += count
        for level, numbers in drawn.copies.items():
            copies[level].append(numbers + copy_shift[level])
            copy_shift[level] += int(numbers.max(initial=-1)) + 1
    return Drawn(
        np.concatenate(cases),
        np.concatenate(samples),
        {level: np.concatenate(numbers) for level, numbers in copies.items()},
    )


def _numbered(keys: Sequence[Sequence[Any]], count: int) -> IntArray:
    """Number the distinct combinations in ascending order."""
    if not keys:
        return np.zeros(count, dtype=np.int64)
    rows = list(zip(*keys, strict=True))
    number = {row: index for index, row in enumerate(sorted(set(rows)))}
    return np.array([number[row] for row in rows], dtype=np.int64)


def _children(outer: IntArray, inner: IntArray) -> tuple[IntArray, IntArray]:
    """For every outer node, where its distinct inner nodes start in the list that is returned second."""
    pairs = np.unique(np.stack([outer, inner]), axis=1)
    starts = np.append(np.unique(pairs[0], return_index=True)[1], pairs.shape[1])
    return starts.astype(np.int64), pairs[1]
