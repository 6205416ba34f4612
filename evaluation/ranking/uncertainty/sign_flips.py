"""Simultaneous comparisons by sign flips of units (``podium-flips-1``): self-normalised paired differences, step-down maxima.

All flips are taken of few units, reproducible random ones of more.

References
----------
Hall, "On the removal of skewness by transformation", Journal of the Royal Statistical Society B 54, 1992; Romano, Wolf, "Exact and approximate stepdown methods for multiple hypothesis testing", JASA 100, 2005; Mogstad, Romano,
Shaikh, Wilhelm, "Inference for ranks", Review of Economic Studies 91, 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation.canonical import sha256
from evaluation.ranking.uncertainty.budgets import allowed_rows
from evaluation.ranking.uncertainty.skewness import Moments, critical_t, moments, typical_skewness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evaluation.ranking.resampling import Contributions


FLIPS_VERSION: Final = "podium-flips-1"
MOST_ENUMERATED: Final = 10
FEWEST_ROWS: Final = 1000
_WORD_BITS: Final = 64
_UNITS_AT_ONCE: Final = 4096
SignArray = npt.NDArray[np.int8]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
_TOLERANCE = 1e-9
_AT_ONCE = 4_000_000
"""Numbers held at once in a block of pairs × flips."""
_MOST_KEPT = 16_000_000
"""Numbers of all ordered pairs × flips that are kept for further steps, where a margin is registered."""
_WORD, _BYTE = 8, 255
_IN_CACHE = 60_000
"""Numbers of such a block where it is made of flipped sums of algorithms alone."""


def flip_matrix(units: int, *, bootstrap: int, seed: int, cases: Sequence[str]) -> SignArray:
    """Return the signs of the units, rows × units; the first row is all +1.

    Parameters
    ----------
    units
        Number of units. Up to ten, every combination appears once, without randomness.
    bootstrap
        Registered number of samples; for more than ten units it is the number of rows, at least a thousand.
    seed, cases
        The key of the random signs, as for resampling: the same for all metrics and regions of a task.

    Examples
    --------
    >>> flip_matrix(2, bootstrap=0, seed=1, cases=["a", "b"]).tolist()
    [[1, 1], [-1, 1], [1, -1], [-1, -1]]
    """
    if units <= MOST_ENUMERATED:
        rows = np.arange(2**units)[:, None]
        return (1 - 2 * ((rows >> np.arange(units)) & 1)).astype(np.int8)
    number = max(FEWEST_ROWS, bootstrap)
    key = int(sha256([FLIPS_VERSION, seed, list(cases)])[:32], 16)
    wanted = (number - 1) * units
    words = np.random.Philox(key=key).random_raw(-(-wanted // _WORD_BITS)).astype("<u8")
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")[:wanted].reshape(number - 1, units)
    signs = np.ones((number, units), dtype=np.int8)
    signs[1:] -= 2 * bits.astype(np.int8)
    return signs


def flipped_sums(signs: SignArray, contributions: FloatArray) -> FloatArray:
    """Sums of contributions under every flip, rows × columns."""
    if len(contributions) <= _UNITS_AT_ONCE:
        return np.asarray(signs.astype(np.float64) @ contributions)
    total = np.zeros((len(signs), contributions.shape[1]))
    for start in range(0, len(contributions), _UNITS_AT_ONCE):
        part = slice(start, start + _UNITS_AT_ONCE)
        total += signs[:, part].astype(np.float64) @ contributions[part]
    return total


@dataclass(frozen=True)
class FlipComparisons:
    """Results of sign flips for all pairs of algorithms.

    Attributes
    ----------
    shown
        True if row is significantly better than column, simultaneously over all pairs.
    p_own
        One-sided p-values of the ranking's own statistic, not adjusted; the diagonal is not a number.
    critical
        Critical value of the first round, from which simultaneous intervals are computed.
    skewness
        Typical skewness of the differences of all pairs; 0 if there is no guard against skewed differences.
    """

    shown: BoolArray
    p_own: FloatArray
    critical: float
    skewness: float = 0.0


class _Pairs:
    """Statistics of all unordered pairs under every flip, pairs × flips, block by block."""

    def __init__(
        self,
        contributed: Contributions,
        signs: SignArray,
        transform: Callable[[FloatArray], FloatArray] | None,
        extra_variance: FloatArray | None,
    ) -> None:
        self.algorithms = contributed.plain.shape[1]
        self.first, self.second = np.triu_indices(self.algorithms, 1)
        self.signs, self.contributed, self.transform = signs, contributed, transform
        self.linear = transform is None and contributed.linearised is None
        self._moments = np.empty((3, len(self.first)))
        self.norm = self._norms()
        self.identical = self.norm == 0.0
        self.usable = np.flatnonzero(~self.identical)
        self.shrinkage = np.ones(len(self.first))
        if extra_variance is not None:
            added = extra_variance[self.first] + extra_variance[self.second]
            self.shrinkage = self.norm / np.sqrt(self.norm**2 + np.where(self.identical, 1.0, added))
        self._sums = np.ascontiguousarray(flipped_sums(signs, contributed.plain).T) if self.linear else None
        self._kept: FloatArray | None = None

    def _norms(self) -> FloatArray:
        norm = np.empty(len(self.first))
        units = len(self.contributed.plain)
        self._transformed_noise = 0.0 if self.transform is not None else units * self.contributed.rounding
        if self.linear:
            by_algorithm = np.ascontiguousarray(self.contributed.plain.T)
            noise = self.contributed.rounding
            for pairs, one in self._of_one_against_the_rest(slice(0, len(self.first))):
                difference = by_algorithm[one] - by_algorithm[self.second[pairs]]
                difference[np.abs(difference) <= noise] = 0.0
                norm[pairs] = np.sqrt(np.einsum("pu,pu->p", difference, difference))
                self._guard(pairs, difference.T)
            return norm
        step = max(1, _AT_ONCE // max(units, 1))
        for start in range(0, len(self.first), step):
            pairs = slice(start, start + step)
            differences = self._differences(self.first[pairs], self.second[pairs])
            norm[pairs] = np.sqrt((differences**2).sum(axis=0))
            self._guard(pairs, differences)
        return norm

    def _guard(self, pairs: slice, differences: FloatArray) -> None:
        """Store the moments of some pairs from their differences, units × pairs."""
        of_some = moments(len(differences) * differences, noise=self._transformed_noise)
        self._moments[:, pairs] = of_some.mean, of_some.deviation, of_some.skewness

    @property
    def moments(self) -> Moments:
        """Moments of the differences of all pairs."""
        return Moments(len(self.contributed.plain), *self._moments)

    def _of_one_against_the_rest(self, wanted: slice) -> Iterator[tuple[slice, int]]:
        """Runs of pairs that have the same first algorithm."""
        start = wanted.start
        while start < wanted.stop:
            one = int(self.first[start])
            stop = min(start + self.algorithms - int(self.second[start]), wanted.stop)
            yield slice(start, stop), one
            start = stop

    def _differences(self, first: IntArray, second: IntArray) -> FloatArray:
        difference = self.contributed.differences(first, second)
        return difference if self.transform is None else self.transform(difference)

    def blocks(self) -> Iterator[tuple[IntArray, FloatArray]]:
        """Numbers of pairs that are not identical and their statistics, pairs × flips; valid until the next block."""
        if self._sums is not None:
            yield from self._from_sums(self._sums)
            return
        step = max(1, _AT_ONCE // len(self.signs))
        for start in range(0, len(self.usable), step):
            numbers = self.usable[start : start + step]
            statistic = self._statistics(numbers, None, None)
            if step >= len(self.usable):
                self._kept = statistic
            yield numbers, statistic

    def _from_sums(self, sums: FloatArray) -> Iterator[tuple[IntArray, FloatArray]]:
        """Blocks that stay in the processor's cache, all in one piece of memory."""
        memory = np.empty((max(1, _IN_CACHE // len(self.signs)), len(self.signs)))
        for start in range(0, len(self.first), len(memory)):
            pairs = slice(start, min(start + len(memory), len(self.first)))
            statistic = memory[: pairs.stop - start]
            for run, one in self._of_one_against_the_rest(pairs):
                others = slice(int(self.second[run.start]), int(self.second[run.stop - 1]) + 1)
                np.subtract(sums[one], sums[others], out=statistic[run.start - start : run.stop - start])
            numbers = np.arange(pairs.start, pairs.stop)
            if self.identical[pairs].any():
                numbers = numbers[~self.identical[pairs]]
                statistic = statistic[~self.identical[pairs]]
            statistic /= self.norm[numbers, None]
            yield numbers, statistic

    def _statistics(self, numbers: IntArray, flips: IntArray | None, sums: FloatArray | None) -> FloatArray:
        """Statistics of some pairs under some flips (``None``: all), pairs × flips, from flipped sums if there are any."""
        if self._kept is not None:
            places = np.searchsorted(self.usable, numbers)
            return self._kept[places] if flips is None else self._kept[np.ix_(places, flips)]
        if sums is None:
            differences = self._differences(self.first[numbers], self.second[numbers])
            signs = self.signs if flips is None else self.signs[flips]
            statistic = np.ascontiguousarray(flipped_sums(signs, differences).T)
        else:
            statistic = sums[self.first[numbers]]
            statistic -= sums[self.second[numbers]]
        statistic /= self.norm[numbers, None]
        return statistic

    def largest(self, ordered: BoolArray, flips: IntArray) -> _Largest:
        """The largest statistics under some flips over some ordered pairs (2 × pairs, forwards and backwards)."""
        largest = _Largest(len(flips))
        wanted = np.flatnonzero(ordered.any(axis=0))
        step = max(1, (_AT_ONCE if self._sums is None else _IN_CACHE) // max(len(flips), 1))
        sums = None if self._sums is None else self._sums[:, flips]
        for start in range(0, len(wanted), step):
            numbers = wanted[start : start + step]
            statistic = self._statistics(numbers, flips, sums)
            largest.include(numbers, _ordered_maximum(statistic, ordered[:, numbers]))
        return largest

    def exceeded(self, ordered: BoolArray, largest: _Largest) -> IntArray:
        """Flips whose largest statistic is that of one of some ordered pairs."""
        marked = np.zeros(len(largest.values), dtype=bool)
        order = np.argsort(largest.block, kind="stable")
        for flips in np.split(order, np.flatnonzero(np.diff(largest.block[order])) + 1):
            numbers = largest.blocks[largest.block[flips[0]]]
            numbers = numbers[ordered[:, numbers].any(axis=0)]
            if len(numbers):
                sums = None if self._sums is None else self._sums[:, flips]
                statistic = self._statistics(numbers, flips, sums)
                marked[flips] = _ordered_maximum(statistic, ordered[:, numbers]) >= largest.values[flips]
        return np.flatnonzero(marked)


class _Largest:
    """The largest statistic under each flip, and in which block of pairs it was found first."""

    def __init__(self, flips: int) -> None:
        self.values: FloatArray = np.full(flips, -np.inf)
        self.block: IntArray = np.zeros(flips, dtype=np.int64)
        self.blocks: list[IntArray] = []

    def include(self, numbers: IntArray, highest: FloatArray) -> None:
        """Take in the largest statistics of a block of pairs, given by their numbers."""
        self.block[highest > self.values] = len(self.blocks)
        self.blocks.append(numbers)
        np.maximum(self.values, highest, out=self.values)

    def replace(self, flips: IntArray, others: _Largest) -> None:
        """Replace the statistics of some flips by those from a smaller set of pairs."""
        self.values[flips] = others.values
        self.block[flips] = others.block + len(self.blocks)
        self.blocks += others.blocks


def _ordered_maximum(statistic: FloatArray, ordered: BoolArray) -> FloatArray:
    """The largest of pairs × flips over the ordered pairs that are marked, forwards and backwards."""
    forwards, backwards = ordered
    highest = (statistic if forwards.all() else statistic[forwards]).max(axis=0, initial=-np.inf)
    lowest = (statistic if backwards.all() else statistic[backwards]).min(axis=0, initial=np.inf)
    return np.asarray(np.maximum(highest, -lowest))


def compare_by_flips(
    contributed: Contributions,
    signs: SignArray,
    share: float,
    *,
    transform: Callable[[FloatArray], FloatArray] | None = None,
    extra_variance: FloatArray | None = None,
    margin: float = 0.0,
    guarded: bool = True,
) -> FlipComparisons:
    """Compare all pairs of algorithms.

    A pair is significantly different if both the self-normalised statistic and Hall's statistic exceed their critical
    values. The second guards against skewed differences, with the skewness of the pair and with that typical of all pairs.

    Parameters
    ----------
    contributed
        Contributions of units to scores.
    signs
        Flips × units, the first row all +1.
    share
        Maximum share of challenges in which any comparison is wrongly significant.
    transform
        Function that converts contributions of units to differences into those that the scheme compares (signed ranks of tests).
    extra_variance
        For each algorithm, a variance that is added for unobserved failures.
    margin
        Difference that does not matter. Only larger differences are significant.
    guarded
        Whether Hall's statistic must exceed its critical value as well.
    """
    algorithms = contributed.plain.shape[1]
    pairs = _Pairs(contributed, signs, transform, extra_variance)
    p_own = np.full((algorithms, algorithms), np.nan)
    first, second = pairs.first, pairs.second
    p_own[first[pairs.identical], second[pairs.identical]] = 1.0
    p_own[second[pairs.identical], first[pairs.identical]] = 1.0
    observed = np.zeros(len(first))
    largest = _Largest(len(signs))
    for numbers, statistic in pairs.blocks():
        # Flips know nothing of what is added: only what is observed becomes less sure.
        observed_block = statistic[:, 0] * pairs.shrinkage[numbers]
        observed[numbers] = observed_block
        at_least, at_most = (
            statistic >= (observed_block - _TOLERANCE)[:, None],
            statistic <= (observed_block + _TOLERANCE)[:, None],
        )
        p_own[first[numbers], second[numbers]] = _marked(at_least) / len(signs)
        p_own[second[numbers], first[numbers]] = _marked(at_most) / len(signs)
        largest.include(
            numbers, np.maximum(statistic.max(axis=0, initial=-np.inf), -statistic.min(axis=0, initial=np.inf))
        )
    shown_better = np.zeros((algorithms, algorithms), dtype=bool)
    alive = np.zeros((2, len(first)), dtype=bool)
    alive[:, ~pairs.identical] = True
    critical: float | None = None
    skewness = typical_skewness(pairs.moments, first, second) if guarded else 0.0
    hall = pairs.moments.statistics(skewness) * pairs.shrinkage if guarded else observed
    while alive.any():
        index = len(signs) - 1 - min(allowed_rows(share, len(signs)), len(signs) - 1)
        value = float(np.partition(largest.values, index)[index])
        critical = value if critical is None else critical
        guard = critical_t(value, signs.shape[1]) if guarded else 0.0
        forwards = (observed - _TOLERANCE > value) & (hall > guard)
        backwards = (-observed - _TOLERANCE > value) & (-hall > guard)
        new = np.stack([forwards, backwards]) & alive
        if not new.any():
            break
        shown_better[first[new[0]], second[new[0]]] = True
        shown_better[second[new[1]], first[new[1]]] = True
        alive &= ~new
        # Only where a pair that is settled gave the largest statistic can another one have become it.
        flips = pairs.exceeded(new, largest)
        largest.replace(flips, pairs.largest(alive, flips))
    if margin > 0.0:
        shown_better, critical = _beyond_margin(contributed, signs, share, margin, extra_variance, skewness)
    return FlipComparisons(shown_better, p_own, 0.0 if critical is None else critical, skewness)


def _beyond_margin(
    contributed: Contributions,
    signs: SignArray,
    share: float,
    margin: float,
    extra_variance: FloatArray | None,
    skewness: float,
) -> tuple[BoolArray, float]:
    """Compare all ordered pairs with a margin, by step-down; one step where the statistics of all flips do not fit."""
    algorithms = contributed.plain.shape[1]
    significant = np.zeros((algorithms, algorithms), dtype=bool)
    first, second = np.nonzero(~np.eye(algorithms, dtype=bool))
    units = len(contributed.plain)
    observed, hall = np.empty(len(first)), np.empty(len(first))
    fits = len(first) * len(signs) <= _MOST_KEPT
    statistics = np.empty((len(first), len(signs)), dtype=np.float64) if fits else None
    largest = np.full(len(signs), -np.inf)
    step = max(1, _AT_ONCE // len(signs))
    for start in range(0, len(first), step):
        pairs = slice(start, min(start + step, len(first)))
        differences = contributed.differences(first[pairs], second[pairs]) - margin * contributed.unit_weights[:, None]
        norm = np.sqrt((differences**2).sum(axis=0))
        statistic = flipped_sums(signs, differences).T / np.where(norm > 0.0, norm, 1.0)[:, None]
        shrinkage = np.ones(len(norm))
        if extra_variance is not None:
            added = extra_variance[first[pairs]] + extra_variance[second[pairs]]
            shrinkage = norm / np.sqrt(norm**2 + np.where(norm > 0.0, added, 1.0))
        observed[pairs] = statistic[:, 0] * shrinkage
        of_pairs = moments(units * differences, noise=units * contributed.rounding)
        hall[pairs] = of_pairs.statistics(skewness) * shrinkage
        np.maximum(largest, statistic.max(axis=0, initial=-np.inf), out=largest)
        if statistics is not None:
            statistics[pairs] = statistic
    alive = np.ones(len(first), dtype=bool)
    critical: float | None = None
    index = len(signs) - 1 - min(allowed_rows(share, len(signs)), len(signs) - 1)
    while alive.any():
        value = float(np.partition(largest, index)[index])
        critical = value if critical is None else critical
        new = alive & (observed - _TOLERANCE > value) & (hall > critical_t(value, units))
        significant[first[new], second[new]] = True
        alive &= ~new
        if statistics is None or not new.any():
            break
        largest = statistics[alive].max(axis=0, initial=-np.inf)
    return significant, 0.0 if critical is None else critical


def _marked(marked: BoolArray) -> IntArray:
    """Count the marked flips of every row.

    Eight Boolean values are added at once, as the bytes of one integer. A byte can contain the sum of 255 of them.
    """
    rows, columns = marked.shape
    whole = columns // _WORD * _WORD
    total = np.zeros(rows, dtype=np.int64)
    for start in range(0, whole, _WORD * _BYTE):
        words = marked[:, start : min(start + _WORD * _BYTE, whole)].view(np.uint64)
        total += np.add.reduce(words, axis=1)[:, None].view(np.uint8).sum(axis=1, dtype=np.int64)
    return np.asarray(total + marked[:, whole:].sum(axis=1))
