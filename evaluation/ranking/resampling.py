"""Paired resampling of cases, clusters or both, specified so that every machine draws the same.

The algorithm has a version of its own, `VERSION`; `docs/ranking.md` specifies it. Random words come from the Philox
4x64-10 counter generator, whose raw output NumPy guarantees never to change; turning words into draws is done here,
since the streams of NumPy's distributions carry no such promise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.canonical import sha256

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VERSION: Final = "podium-resample-1"
STRATIFIED_VERSION: Final = "podium-resample-2"
"""The same draws, with strata from the fixed levels of an assessment as well."""
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
_HALF_WORD: Final = np.uint64(32)


@dataclass(frozen=True)
class Drawn:
    """Cases drawn into samples; a case that is drawn k times stands there k times.

    Attributes
    ----------
    cases, samples
        Case and sample of every draw, sample by sample.
    copies
        For each resampled level above the case, which drawn copy of it the draw belongs to: a cluster that is drawn
        twice is two clusters. Numbered over all samples.
    """

    cases: IntArray
    samples: IntArray
    copies: Mapping[str, IntArray]


@dataclass(frozen=True)
class Design:
    """What is drawn: the cases of a task, grouped.

    Attributes
    ----------
    cases
        Identifiers in ascending order.
    levels
        Resampled columns, outermost first; ``case`` if single cases are drawn.
    columns
        Values of each column but ``case`` that `levels` and `strata` name, in the order of `cases`.
    strata
        Columns within whose combinations the draws stay.
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
        """How many different outermost things can be drawn."""
        return int(self.units.max()) + 1 if len(self.cases) else 0

    def draw(self, samples: int, seed: int) -> Drawn:
        """Draw with replacement.

        Parameters
        ----------
        samples
            How many samples.
        seed
            Any whole number of 0 or more. The same cases and seed give the same draws, whatever is measured on them,
            so metrics, regions and ranking schemes share them.
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
        """Every case once in every sample, but for one of the outermost drawn things, each left out in turn."""
        count = len(self.cases)
        sample, case = np.divmod(np.arange(self.clusters * count), count)
        kept = self.units[case] != sample
        return self._once(case[kept], sample[kept])

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
    """How often each case stands in each sample, cases × samples, as whole floats ready for matrix products."""
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
    starts = np.searchsorted(pairs[0], np.arange(pairs[0].max(initial=-1) + 2))
    return starts.astype(np.int64), pairs[1]
