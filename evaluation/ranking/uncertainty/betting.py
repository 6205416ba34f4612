"""Betting e-values: evidence that needs no assumption on the shape of differences or on rare failures.

Values are scaled to [0, 1], where larger is better. A gambler bets on each unit that the leader so far beats an algorithm.
If no algorithm is better than this one, the expected capital never exceeds 1. Large capital therefore excludes the
algorithm from being the best, for bounded values of independent units with any distribution.

References
----------
Waudby-Smith, Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal Statistical Society
B 86, 2024.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation.canonical import sha256

if TYPE_CHECKING:
    from collections.abc import Sequence

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
VERSION: Final = "podium-flips-1"
"""Version of the random orders, which come from the same generator as sign flips."""
ORDERS: Final = 16
STAKES: Final = np.array([1.0, *(np.arange(5, 100, 5) / 100.0)])
WEIGHTS: Final = np.array([2.0 / 3.0, *[1.0 / 57.0] * 19])
_BLOCK: Final = 64
_STEPS: Final = 40


def unit_orders(units: int, algorithms: int, *, seed: int, cases: Sequence[str]) -> IntArray:
    """Return orders of the units that do not depend on values, orders × units.

    With two algorithms the leader so far is always the other one. One order is then enough.
    """
    if algorithms <= 2:
        return np.arange(units)[None, :]
    key = int(sha256([VERSION, "orders", seed, list(cases)])[:32], 16)
    words = np.random.Philox(key=key).random_raw(ORDERS * units).reshape(ORDERS, units)
    return np.argsort(words, axis=1, kind="stable")


def leader_differences(scaled: FloatArray, orders: IntArray) -> FloatArray:
    """Return the differences of the leader so far from each algorithm, orders × units × algorithms.

    Parameters
    ----------
    scaled
        Units × algorithms in [0, 1], where larger is better. The columns are in the order of the names.
    orders
        Orders × units.

    Notes
    -----
    The leader is the algorithm with the largest sum over the units before, among all others. The first column is
    preferred for the first unit and for ties.
    """
    ordered = scaled[orders]
    before = np.zeros_like(ordered)
    np.cumsum(ordered[:, :-1], axis=1, out=before[:, 1:])
    algorithms = np.arange(scaled.shape[1])
    best = before.argmax(axis=2)
    np.put_along_axis(before, best[:, :, None], -1.0, axis=2)
    second = before.argmax(axis=2)
    value_of_best = np.take_along_axis(ordered, best[:, :, None], axis=2)
    value_of_second = np.take_along_axis(ordered, second[:, :, None], axis=2)
    leader = np.where(best[:, :, None] == algorithms, value_of_second, value_of_best)
    return np.asarray(leader - ordered)


def log_capital(differences: FloatArray, margin: float, weights: FloatArray | None = None) -> FloatArray:
    """Return the logarithm of the capital after all units.

    Parameters
    ----------
    differences
        … × units × algorithms, in [-1, 1].
    margin
        Difference that does not matter, in [0, 1).
    weights
        Relative weight of each unit in [0, 1]; ``None`` if all units are alike.

    Returns
    -------
    numpy.ndarray
        … × algorithms: the mixture over all stakes.
    """
    gain = (differences - margin) / (1.0 + margin)
    if weights is not None:
        gain = gain * weights[:, None]
    units = gain.shape[-2]
    shape = (*gain.shape[:-2], gain.shape[-1])
    logs = np.empty((len(STAKES), *shape))
    factor = np.empty((*gain.shape[:-2], min(_BLOCK, units), gain.shape[-1]))
    with np.errstate(divide="ignore"):
        for index, stake in enumerate(STAKES):
            total = np.zeros(shape)
            for start in range(0, units, _BLOCK):
                part = gain[..., start : start + _BLOCK, :]
                block = factor[..., : part.shape[-2], :]
                np.multiply(part, stake, out=block)
                block += 1.0
                total += np.log(np.multiply.reduce(np.maximum(block, 0.0, out=block), axis=-2))
            logs[index] = total + math.log(WEIGHTS[index])
    return np.asarray(_log_sum(logs))


def _log_sum(logs: FloatArray) -> FloatArray:
    """Logarithm of a sum over the first axis of numbers that are known by their logarithms."""
    largest = logs.max(axis=0)
    finite = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(logs - finite).sum(axis=0)) + finite)


class LeaderBets:
    """Bets on the leader so far against each algorithm, for units with the same distribution.

    Parameters
    ----------
    scaled
        Units × algorithms in [0, 1], where larger is better. The columns are in the order of the names.
    seed, cases
        The key of the random orders.
    """

    def __init__(self, scaled: FloatArray, *, seed: int, cases: Sequence[str]) -> None:
        orders = unit_orders(*scaled.shape, seed=seed, cases=cases)
        self.differences = leader_differences(scaled, orders)

    def log_evidence(self, margin: float, algorithms: IntArray) -> FloatArray:
        """Return the logarithms of the e-values against "no algorithm is better than this one by more than margin"."""
        by_order = log_capital(self.differences[:, :, algorithms], margin)
        return _log_sum(by_order) - math.log(len(by_order))

    def strongest(self, algorithms: IntArray) -> int:
        """Return the place of the algorithm that is hardest to exclude, by the mean difference."""
        return int(self.differences[0][:, algorithms].sum(axis=0).argmin())


class PairBets:
    """Bets on one algorithm against each other one, for units that are independent but not alike.

    Parameters
    ----------
    scaled
        Units × algorithms in [0, 1], where larger is better.
    first
        The algorithm that is bet on.
    unit_weights
        Weight of each unit in the score.
    """

    def __init__(self, scaled: FloatArray, first: int, unit_weights: FloatArray) -> None:
        self.differences = scaled[:, [first]] - scaled
        self.weights = unit_weights / unit_weights.max()

    def log_evidence(self, margin: float, algorithms: IntArray) -> FloatArray:
        """Return the logarithms of the e-values against "first is not better than this algorithm by more than margin"."""
        return log_capital(self.differences[:, algorithms], margin, self.weights)

    def strongest(self, algorithms: IntArray) -> int:
        """Return the place of the algorithm that is hardest to exclude, by the mean difference."""
        return int(self.differences[:, algorithms].sum(axis=0).argmin())


def confirmed_lead(bets: LeaderBets | PairBets, others: IntArray, margin: float, threshold: float) -> float | None:
    """Return the largest lead that is confirmed, as a share of the range.

    Parameters
    ----------
    bets
        The bets on the first algorithm, or on the leader so far.
    others
        All algorithms except the first.
    margin
        Difference that does not matter, as a share of the range.
    threshold
        E-value from which an algorithm is excluded.

    Returns
    -------
    float or None
        ``None`` if not every other algorithm is excluded at the margin itself.
    """
    needed = math.log(threshold)
    # Most leads are not confirmed, and the strongest of the others shows it alone.
    if len(others) and bets.log_evidence(margin, others[[bets.strongest(others)]])[0] < needed:
        return None
    evidence = bets.log_evidence(margin, others)
    if (evidence < needed).any():
        return None
    lead = 1.0
    left = others[np.argsort(evidence, kind="stable")]
    while len(left):
        lead = _largest_excluded(bets, left[:1], margin, lead, needed)
        left = left[1:]
        if len(left):
            left = left[bets.log_evidence(lead, left) < needed]
    return lead


def _largest_excluded(
    bets: LeaderBets | PairBets, algorithm: IntArray, low: float, high: float, needed: float
) -> float:
    """Bisect for the largest margin at which one algorithm is excluded."""
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        if bets.log_evidence(middle, algorithm)[0] >= needed:
            low = middle
        else:
            high = middle
    return low


def fewest_to_confirm(lead: float, winner_share: float) -> int:
    """Return the minimum number of units without failure that can confirm a lead.

    Parameters
    ----------
    lead
        Lead as a share of the range of values, above 0.
    winner_share
        The winner's share of the error.

    Notes
    -----
    A failure rate of ``lead / (1 + lead)`` would cancel the lead. With fewer units it would remain unseen too often, for
    every method.

    Examples
    --------
    >>> [fewest_to_confirm(lead, 0.05) for lead in (0.02, 0.05, 0.10)]
    [187, 76, 39]
    """
    return math.ceil(math.log(2.0 / winner_share) / math.log1p(lead) - 1e-9)
