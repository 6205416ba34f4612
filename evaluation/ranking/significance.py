"""Paired one-sided Wilcoxon signed rank tests between all algorithms, in one sample or in all of them at once.

The normal approximation with continuity correction is used throughout, never the exact distribution; differences of
zero are dropped; ties among the absolute differences are decided on the plain double differences (`digits=None`), as
the reference toolkit does, or on differences rounded to significant digits.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.scores import snap

FloatArray = npt.NDArray[np.float64]
_AT_ONCE: Final = 100_000
"""Number of differences that fit into a processor's cache."""
_ONE: Final = np.uint64(1)
_INFINITE: Final = np.array(np.inf).view(np.uint64)[()]
NUMBERS_OF_ALGORITHMS: Final = (2, 3, 4, 5, 6, 8, 10, 15, 19, 30)
BoolArray = npt.NDArray[np.bool_]


def wilcoxon_matrices(
    values: FloatArray, counts: FloatArray, *, higher_is_better: bool, digits: int | None = None
) -> FloatArray:
    """Return one-sided p-values of "row is better than column", for every sample.

    Parameters
    ----------
    values
        Cases × algorithms; a pair of algorithms is compared on the cases for which both have a value.
    counts
        Cases × samples: frequency of each case in each sample. A case that is sampled k times counts as k cases.
    higher_is_better
        Direction of the values.
    digits
        Significant digits to which differences are rounded before ties are detected; no rounding if ``None``.

    Returns
    -------
    numpy.ndarray
        Samples × algorithms × algorithms; 1 where no case differs; the diagonal is not a number.

    References
    ----------
    Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([[1.0, 0.9], [1.0, 0.8], [1.0, 0.7], [1.0, 0.6]])
    >>> float(wilcoxon_matrices(values, np.ones((4, 1)), higher_is_better=True)[0, 0, 1].round(4))
    0.0502
    """
    better = values if higher_is_better else -values
    algorithms = values.shape[1]
    if counts.shape[1] == 1 and (counts == 1.0).all():
        return _all_pairs_once(better, digits)[None]
    weights = counts.astype(np.int32)
    result = np.ones((counts.shape[1], algorithms, algorithms))
    for row in range(algorithms):
        result[:, row, row] = np.nan
        for column in range(row + 1, algorithms):
            difference = better[:, row] - better[:, column]
            if digits is not None:
                difference = snap(difference, digits)
            forwards, backwards = _both_directions(difference, weights)
            result[:, row, column] = forwards
            result[:, column, row] = backwards
    return result


def stratified_matrix(values: FloatArray, strata: npt.NDArray[np.int64], *, higher_is_better: bool) -> FloatArray:
    """One-sided p-values of "row is better than column" by the stratified signed rank test.

    Parameters
    ----------
    values
        Units × algorithms.
    strata
        Number of the stratum of every unit.
    higher_is_better
        Direction of the values.

    Notes
    -----
    V = Σ V_s / (n_s + 1) over the strata, with n_s differences other than zero each; mean and variance are summed
    likewise, and the continuity correction is half of the smallest 1 / (n_s + 1).

    References
    ----------
    van Elteren, "On the combination of independent two sample tests of Wilcoxon", Bulletin of the International
    Statistical Institute 37, 1960.

    Examples
    --------
    >>> values = np.array([[1.0, 0.9], [1.0, 0.8], [1.0, 0.7], [1.0, 0.6]])
    >>> float(stratified_matrix(values, np.zeros(4, dtype=np.int64), higher_is_better=True)[0, 1].round(4))
    0.0502
    """
    from scipy.special import ndtr

    better = values if higher_is_better else -values
    algorithms = values.shape[1]
    left, right = np.triu_indices(algorithms, 1)
    excess, variance = np.zeros(len(left)), np.zeros(len(left))
    correction = np.full(len(left), np.inf)
    for stratum in np.unique(strata):
        rows = np.ascontiguousarray(better[strata == stratum].T)
        with np.errstate(invalid="ignore"):  # both infinite: no difference to speak of
            difference = rows[left] - rows[right]
        positive, n, ties = _signed_rank_sums(difference)
        excess += (positive - n * (n + 1.0) / 4.0) / (n + 1.0)
        variance += (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0) / (n + 1.0) ** 2
        correction = np.minimum(correction, 0.5 / (n + 1.0))
    with np.errstate(divide="ignore"):  # without a difference the correction is divided by 0, and the p-value is 1
        spread = np.sqrt(variance)
        forwards, backwards = ndtr(-(excess - correction) / spread), ndtr(-(-excess - correction) / spread)
    result = np.full((algorithms, algorithms), np.nan)
    result[left, right], result[right, left] = forwards, backwards
    return result


def holm(p_values: FloatArray) -> FloatArray:
    """Adjust all one-sided p-values of a matrix together by Holm's method.

    Parameters
    ----------
    p_values
        Any number of m × m matrices; entries that are not a number leave the count.

    References
    ----------
    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> import numpy as np
    >>> holm(np.array([[np.nan, 0.01], [0.04, np.nan]]))
    array([[ nan, 0.02],
           [0.04,  nan]])
    """
    flat = p_values.reshape(*p_values.shape[:-2], -1)
    order = np.argsort(flat, axis=-1, kind="stable")
    ordered = np.take_along_axis(flat, order, axis=-1)
    family = (~np.isnan(flat)).sum(axis=-1, keepdims=True)
    factor = family - np.arange(flat.shape[-1])
    raised = np.maximum.accumulate(ordered * factor, axis=-1)
    adjusted = np.empty(flat.shape)
    np.put_along_axis(adjusted, order, np.minimum(raised, 1.0), axis=-1)
    return adjusted.reshape(p_values.shape)


def smallest_p(differences: int) -> float:
    """The smallest p-value that this many untied differences, all in favour of one algorithm, can give.

    Examples
    --------
    >>> round(smallest_p(5), 4)
    0.0295
    """
    if differences == 0:
        return 1.0
    from scipy.special import ndtr

    n = float(differences)
    center = n * (n + 1) / 4
    spread = (n * (n + 1) * (2 * n + 1) / 24) ** 0.5
    return float(ndtr(-(n * (n + 1) / 2 - center - 0.5) / spread))


def cases_needed(algorithms: int, *, alpha: float = 0.05, adjust: str = "holm") -> int:
    """Return the minimum number of differing cases with which any comparison can be significant.

    Parameters
    ----------
    algorithms
        Number of algorithms m; ``holm`` adjusts m(m - 1) tests together.
    alpha
        Significance level.
    adjust
        ``holm`` or ``none``.

    Examples
    --------
    >>> cases_needed(19), cases_needed(2), cases_needed(19, adjust="none")
    (18, 6, 5)
    """
    tests = algorithms * (algorithms - 1) if adjust == "holm" else 1
    n = 1
    while smallest_p(n) * tests > alpha:
        n += 1
    return n


def can_be_significant(units: int, *, alpha: float = 0.05) -> list[dict[str, int | bool]]:
    """Return the number of differing cases that Holm needs, for several numbers of algorithms.

    Each row also shows whether the available units are sufficient.

    Parameters
    ----------
    units
        Available cases (or larger units that are compared).
    alpha
        Significance level.

    Examples
    --------
    >>> can_be_significant(10)[2]
    {'algorithms': 4, 'tests': 12, 'needed': 10, 'possible': True}
    """
    rows: list[dict[str, int | bool]] = []
    for algorithms in NUMBERS_OF_ALGORITHMS:
        needed = cases_needed(algorithms, alpha=alpha)
        tests = algorithms * (algorithms - 1)
        rows.append({"algorithms": algorithms, "tests": tests, "needed": needed, "possible": units >= needed})
    return rows


def _all_pairs_once(better: FloatArray, digits: int | None) -> FloatArray:
    """p-values of all pairs on the full data, many pairs at a time."""
    algorithms = better.shape[1]
    rows = np.ascontiguousarray(better.T)
    left, right = np.triu_indices(algorithms, 1)
    result = np.full((algorithms, algorithms), np.nan)
    step = max(1, _AT_ONCE // max(1, len(better)))
    for start in range(0, len(left), step):
        first, second = left[start : start + step], right[start : start + step]
        with np.errstate(invalid="ignore"):  # both infinite: no difference to speak of, and none is counted
            difference = rows[first] - rows[second]
        if digits is not None:
            difference = snap(difference, digits)
        positive, n, ties = _signed_rank_sums(difference)
        result[first, second], result[second, first] = _p_values(positive - n * (n + 1.0) / 4.0, n, ties)
    return result


def _signed_rank_sums(difference: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """For every row: the sum of the mid-ranks of its positive differences, how many there are, and Σ(t³ - t).

    The bits of positive doubles sort like the doubles themselves. With the sign moved into the lowest bit, one sort of
    whole numbers orders the sizes and carries the signs along, which is several times as fast as sorting indices.
    """
    width = difference.shape[1]
    keys = np.abs(difference).view(np.uint64) << _ONE
    keys |= difference > 0.0
    keys.sort(axis=1)
    wins = (keys & _ONE).astype(np.float64)
    keys >>= _ONE
    zeros = (keys == 0).sum(axis=1)
    undefined = (keys > _INFINITE).sum(axis=1)
    n = (width - zeros - undefined).astype(np.float64)
    positive = wins @ np.arange(1.0, width + 1) - zeros * wins.sum(axis=1)
    ties = np.zeros(len(keys))
    same = keys[:, 1:] == keys[:, :-1]
    # Zeros and what is undefined stand beside their like, too, but have no rank.
    expected = np.maximum(zeros - 1, 0) + np.maximum(undefined - 1, 0)
    tied = np.flatnonzero(same.sum(axis=1) > expected)
    if len(tied):
        positive[tied], ties[tied] = _with_ties(keys[tied], same[tied], wins[tied], zeros[tied])
    return positive, n, ties


def _with_ties(
    keys: npt.NDArray[np.uint64], same: BoolArray, wins: FloatArray, zeros: npt.NDArray[np.intp]
) -> tuple[FloatArray, FloatArray]:
    """The sums of `_signed_rank_sums` where sizes are equal: every group of t of them shares its mid-rank."""
    rows, width = keys.shape
    starting = np.ones(keys.shape, dtype=bool)
    starting[:, 1:] = ~same
    starts = np.flatnonzero(starting)
    row, column = np.divmod(starts, width)
    t = np.diff(np.append(starts, keys.size)).astype(np.float64)
    ranked = (keys.ravel()[starts] > 0) & (keys.ravel()[starts] <= _INFINITE)
    middle = column - zeros[row] + (t + 1.0) / 2.0
    won = np.add.reduceat(wins.ravel(), starts)
    positive = np.bincount(row, weights=won * middle, minlength=rows)
    ties = np.bincount(row, weights=np.where(ranked, t * t * t - t, 0.0), minlength=rows)
    return np.asarray(positive, dtype=np.float64), np.asarray(ties, dtype=np.float64)


def _p_values(excess: FloatArray, n: FloatArray, ties: FloatArray) -> tuple[FloatArray, FloatArray]:
    """p-values of both directions from the rank sum above its mean, the number of differences, and Σ(t³ - t)."""
    from scipy.special import ndtr

    variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0
    with np.errstate(divide="ignore"):  # without a difference the correction is divided by 0, and the p-value is 1
        spread = np.sqrt(variance)
        forwards = ndtr(-(excess - 0.5) / spread)
        backwards = ndtr(-(-excess - 0.5) / spread)
    return forwards, backwards


def _both_directions(difference: FloatArray, weights: npt.NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """p-values of "first better" and "second better" in every sample, from one pass over the sorted differences."""
    used = np.flatnonzero(~np.isnan(difference) & (difference != 0.0))
    samples = weights.shape[1]
    if not len(used):
        return np.ones(samples), np.ones(samples)
    size = np.abs(difference[used])
    order = np.argsort(size, kind="stable")
    ordered = size[order]
    drawn = weights[used[order]]
    positive = difference[used[order]] > 0.0
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    tied, winning = drawn, drawn * positive[:, None]
    if len(starts) < len(ordered):
        tied = np.add.reduceat(drawn, starts, axis=0)
        winning = np.add.reduceat(winning, starts, axis=0)
    reached = np.cumsum(tied, axis=0, dtype=tied.dtype)
    n = reached[-1].astype(np.float64)
    # The mid-rank of a group of t ties that ends at c is c - (t - 1) / 2; twice that is a whole number.
    doubled = np.einsum("kb,kb->b", winning.astype(np.float64), (2 * reached - tied + 1).astype(np.float64))
    excess = doubled / 2.0 - n * (n + 1.0) / 4.0
    t = tied.astype(np.float64)
    ties = np.einsum("kb,kb,kb->b", t, t, t) - n
    return _p_values(excess, n, ties)
