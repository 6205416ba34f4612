"""Simultaneous comparisons by sign flips: self-normalised paired differences, step-down maxima.

References
----------
Romano, Wolf, "Exact and approximate stepdown methods for multiple hypothesis testing", JASA 100, 2005; Mogstad, Romano,
Shaikh, Wilhelm, "Inference for ranks", Review of Economic Studies 91, 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evaluation.ranking.uncertainty.budget import allowed_rows
from evaluation.ranking.uncertainty.flips import SignArray, flipped_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evaluation.ranking.uncertainty.units import Contributions

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
_TOLERANCE = 1e-9
_AT_ONCE = 4_000_000
"""Numbers held at once in a block of flips × pairs."""


@dataclass(frozen=True)
class FlipComparisons:
    """What sign flips say about all pairs of algorithms.

    Attributes
    ----------
    shown
        Row is shown to be better than column, simultaneously over all pairs.
    p_own
        One-sided p-values of the ranking's own statistic, not adjusted; the diagonal is not a number.
    critical
        Critical value of the first round, of which simultaneous intervals are made.
    """

    shown: BoolArray
    p_own: FloatArray
    critical: float


class _Pairs:
    """Statistics of all unordered pairs under every flip, block by block."""

    def __init__(
        self,
        contributed: Contributions,
        signs: SignArray,
        transform: Callable[[FloatArray], FloatArray] | None,
        extra_variance: FloatArray | None,
    ) -> None:
        algorithms = contributed.plain.shape[1]
        self.first, self.second = np.triu_indices(algorithms, 1)
        self.signs, self.contributed, self.transform = signs, contributed, transform
        self.norm = np.empty(len(self.first))
        step = max(1, _AT_ONCE // max(len(contributed.plain), 1))
        for start in range(0, len(self.first), step):
            pairs = slice(start, start + step)
            self.norm[pairs] = np.sqrt((self._differences(pairs) ** 2).sum(axis=0))
        self.identical = self.norm == 0.0
        self.shrinkage = np.ones(len(self.first))
        if extra_variance is not None:
            added = extra_variance[self.first] + extra_variance[self.second]
            self.shrinkage = self.norm / np.sqrt(self.norm**2 + np.where(self.identical, 1.0, added))
        usable = transform is None and contributed.linearised is None
        self._sums = flipped_sums(signs, contributed.plain) if usable else None
        self._kept: tuple[IntArray, FloatArray] | None = None

    def _differences(self, pairs: slice) -> FloatArray:
        difference = self.contributed.differences(self.first[pairs], self.second[pairs])
        return difference if self.transform is None else self.transform(difference)

    def blocks(self, wanted: IntArray) -> Iterator[tuple[IntArray, FloatArray]]:
        """Numbers of pairs and their statistics, flips × pairs."""
        if self._kept is not None:
            yield self._kept
            return
        step = max(1, _AT_ONCE // len(self.signs))
        for start in range(0, len(wanted), step):
            pairs = wanted[start : start + step]
            if self._sums is not None:
                sums = self._sums[:, self.first[pairs]] - self._sums[:, self.second[pairs]]
            else:
                difference = self.contributed.differences(self.first[pairs], self.second[pairs])
                sums = flipped_sums(self.signs, difference if self.transform is None else self.transform(difference))
            sums /= self.norm[pairs]
            if len(pairs) == len(wanted) and len(wanted) == int((~self.identical).sum()):
                self._kept = (pairs, sums)
            yield pairs, sums


def compare_by_flips(
    contributed: Contributions,
    signs: SignArray,
    share: float,
    *,
    transform: Callable[[FloatArray], FloatArray] | None = None,
    extra_variance: FloatArray | None = None,
) -> FlipComparisons:
    """Compare all pairs of algorithms.

    Parameters
    ----------
    contributed
        What units contribute to scores.
    signs
        Flips × units, the first row all +1.
    share
        Share of challenges in which any comparison may be shown wrongly.
    transform
        Turns contributions of units to differences into those that the scheme compares (signed ranks of tests).
    extra_variance
        For each algorithm, a variance that is added for failures nobody has seen.
    """
    algorithms = contributed.plain.shape[1]
    pairs = _Pairs(contributed, signs, transform, extra_variance)
    p_own = np.full((algorithms, algorithms), np.nan)
    first, second = pairs.first, pairs.second
    p_own[first[pairs.identical], second[pairs.identical]] = 1.0
    p_own[second[pairs.identical], first[pairs.identical]] = 1.0
    usable = np.flatnonzero(~pairs.identical)
    observed = np.zeros(len(first))
    for numbers, statistic in pairs.blocks(usable):
        # Flips know nothing of what is added: only what is observed becomes less sure.
        own = statistic[0] * pairs.shrinkage[numbers]
        observed[numbers] = own
        p_own[first[numbers], second[numbers]] = _rows(statistic >= own - _TOLERANCE) / len(statistic)
        p_own[second[numbers], first[numbers]] = _rows(statistic <= own + _TOLERANCE) / len(statistic)
    shown = np.zeros((algorithms, algorithms), dtype=bool)
    alive = np.zeros((2, len(first)), dtype=bool)
    alive[:, usable] = True
    critical: float | None = None
    while alive.any():
        largest = _maxima(pairs, usable, alive)
        rank = min(allowed_rows(share, len(signs)), len(largest) - 1)
        value = float(np.partition(largest, len(largest) - 1 - rank)[len(largest) - 1 - rank])
        critical = value if critical is None else critical
        new = np.stack([observed - _TOLERANCE > value, -observed - _TOLERANCE > value]) & alive
        if not new.any():
            break
        shown[first[new[0]], second[new[0]]] = True
        shown[second[new[1]], first[new[1]]] = True
        alive &= ~new
    return FlipComparisons(shown, p_own, 0.0 if critical is None else critical)


def _rows(marked: BoolArray) -> IntArray:
    """How many rows are marked in every column; summed as small numbers, which is several times as fast."""
    return np.asarray(np.add.reduce(marked.view(np.uint8), axis=0, dtype=np.int32))


def _maxima(pairs: _Pairs, usable: IntArray, alive: BoolArray) -> FloatArray:
    """For every flip the largest statistic over the ordered pairs that are still compared."""
    largest = np.full(len(pairs.signs), -np.inf)
    for numbers, statistic in pairs.blocks(usable):
        forwards, backwards = alive[0, numbers], alive[1, numbers]
        if forwards.any():
            part = statistic if forwards.all() else statistic[:, forwards]
            np.maximum(largest, part.max(axis=1), out=largest)
        if backwards.any():
            part = statistic if backwards.all() else statistic[:, backwards]
            np.maximum(largest, -part.min(axis=1), out=largest)
    return largest
