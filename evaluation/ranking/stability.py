"""Stability of one ranking over bootstrap samples and with other participants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.compare import kendall_tau_b
from evaluation.ranking.scores import rank, row_medians

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.ranking.uncertainty.grounds import Ranking


FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
_JOURNAL_SHARE = 0.01
TAU_BINS = 80
MOST_LEFT_OUT: Final = 100
"""Maximum number of algorithms for which each algorithm is excluded in turn."""
MOST_REVERSED: Final = 50
"""Maximum number of pairs that are stored for one algorithm.

A list of this length may be incomplete.
"""
_FEWEST_FOR_DUPLICATES: Final = 4
_MOST_FOR_DUPLICATES: Final = 200
BoolArray = npt.NDArray[np.bool_]
_CORRELATED: Final = 0.95
_NEAR: Final = 0.1
_SAME: Final = 1e-9
_PAIRS_AT_ONCE: Final = 2_000_000
"""Numbers held at once in a block of cases × pairs."""


@dataclass(frozen=True)
class Stability:
    """Measures of one ranking from its bootstrap samples.

    Attributes
    ----------
    rank_interval, score_interval
        Algorithms × 2: the resampling range of the ranks, in whole numbers, and of the scores; the score interval is not a number where no sample has a score.
    rank_median
        For each algorithm.
    frequencies
        Algorithms × ranks: samples in which the algorithm had that rank; a fractional rank counts at its floor.
    share_first
        For each algorithm, share of samples in which it came first, alone or together with others.
    winner_stays
        Share of samples in which the winner stays first; ``None`` if several algorithms share the first place and do
        not move together, since it is then a number for each of them (`share_first`).
    others_first, others_first_1_percent
        Share of the other algorithms that came first in at least one sample, and in at least 1 % of them; ``None`` if
        there are no others.
    kendall_tau
        Mean, median and quartiles of τ-b against the full-data ranking, and how many samples leave it undefined.
    """

    rank_interval: FloatArray
    rank_median: FloatArray
    score_interval: FloatArray
    frequencies: IntArray
    share_first: FloatArray
    winner_stays: float | None
    others_first: float | None
    others_first_1_percent: float | None
    kendall_tau: dict[str, Any]


def measure(ranks: FloatArray, sampled: FloatArray, scores: FloatArray, interval: float) -> Stability:
    """Measure the stability of a ranking.

    Parameters
    ----------
    ranks
        Ranks on the full data.
    sampled, scores
        Ranks and scores in every sample, samples × algorithms.
    interval
        Share of the samples that an interval covers, 0.95 for percentiles 2.5 and 97.5.

    Notes
    -----
    The intervals are percentile intervals of a resampled, discrete quantity: a description of stability, without a
    guarantee of coverage.
    """
    tail = (1.0 - interval) / 2.0
    first = sampled == sampled.min(axis=1, keepdims=True)
    stays, others, often = first_places(ranks, first)
    return Stability(
        rank_interval=resampling_range(sampled, interval),
        rank_median=percentiles(sampled, [0.5])[0],
        score_interval=percentiles(scores, [tail, 1.0 - tail]).T,
        frequencies=rank_frequencies(sampled),
        share_first=first.mean(axis=0),
        winner_stays=stays,
        others_first=others,
        others_first_1_percent=often,
        kendall_tau=tau_summary(kendall_tau_b(ranks, sampled)),
    )


def rank_frequencies(sampled: FloatArray) -> IntArray:
    """Count how often each algorithm had each rank, algorithms × ranks."""
    algorithms = sampled.shape[1]
    floor = np.floor(sampled).astype(np.int64) - 1
    flat = np.arange(algorithms) * algorithms + floor
    return np.bincount(flat.ravel(), minlength=algorithms**2).reshape(algorithms, algorithms)


def first_places(ranks: FloatArray, first: npt.NDArray[np.bool_]) -> tuple[float | None, float | None, float | None]:
    """Return whether the winner remains first, and whether others become first; see `Stability`."""
    winners = ranks == ranks.min()
    firsts = first[:, winners]
    together = bool((firsts == firsts[:, :1]).all())
    stays = float(firsts[:, 0].mean()) if together else None
    if winners.all():
        return stays, None, None
    shares = first[:, ~winners].mean(axis=0)
    return stays, float((shares > 0).mean()), float((shares >= _JOURNAL_SHARE).mean())


def tau_summary(tau: FloatArray) -> dict[str, Any]:
    """Mean, median, quartiles, smallest and histogram of the defined values, and how many are not."""
    defined = tau[~np.isnan(tau)]
    summary: dict[str, Any] = {"undefined": len(tau) - len(defined), "histogram": tau_histogram(defined)}
    if not len(defined):
        return {"mean": None, "median": None, "q25": None, "q75": None, "min": None, **summary}
    low, middle, high = percentiles(defined[:, None], [0.25, 0.5, 0.75])[:, 0]
    return {
        "mean": float(defined.mean()),
        "median": float(middle),
        "q25": float(low),
        "q75": float(high),
        "min": float(defined.min()),
        **summary,
    }


def tau_histogram(tau: FloatArray) -> list[int]:
    """Counts in `TAU_BINS` equal bins from -1 to 1; a value on an edge counts above it, 1 in the last bin.

    Examples
    --------
    >>> import numpy as np
    >>> tau_histogram(np.array([-1.0, 1.0, 1.0]))[::79]
    [1, 2]
    """
    # τ is a ratio of small whole numbers: what is on an edge on paper must not fall below it by a hair.
    bin_index = np.floor(np.round((tau + 1.0) * TAU_BINS / 2.0, 6)).astype(np.int64)
    return [int(count) for count in np.bincount(np.minimum(bin_index, TAU_BINS - 1), minlength=TAU_BINS)]


def percentiles(rows: FloatArray, shares: Sequence[float]) -> FloatArray:
    """Return percentiles of the columns (R's type 7), shares × columns.

    Values that are not a number are excluded.

    Examples
    --------
    >>> import numpy as np
    >>> percentiles(np.array([[1.0], [2.0], [4.0]]), [0.5, 0.75])
    array([[2.],
           [3.]])
    """
    ordered = np.sort(rows, axis=0)
    count = (~np.isnan(ordered)).sum(axis=0)
    result = np.full((len(shares), rows.shape[1]), np.nan)
    columns = np.flatnonzero(count)
    for index, share in enumerate(shares):
        position = (count[columns] - 1) * share
        # 0.025 * 999 is a hair off what it is on paper; a hair decides between two ranks.
        position = np.round(position, 9)
        lower = ordered[np.floor(position).astype(np.int64), columns]
        upper = ordered[np.ceil(position).astype(np.int64), columns]
        with np.errstate(invalid="ignore"):  # between two infinities there is no number
            result[index, columns] = lower + (upper - lower) * (position - np.floor(position))
    return result


def resampling_range(sampled: FloatArray, interval: float) -> FloatArray:
    """Order statistics that hold the middle share of the ranks of every algorithm, as whole numbers; algorithms × 2.

    Examples
    --------
    >>> import numpy as np
    >>> resampling_range(np.array([[1.0], [1.5], [2.0], [3.0]]), 0.5)
    array([[1., 2.]])
    """
    tail = (1.0 - interval) / 2.0
    ordered = np.sort(sampled, axis=0)
    # 0.025 * 1000 is a hair off what it is on paper; a hair decides between two ranks.
    low = max(int(np.ceil(round(len(ordered) * tail, 9))), 1)
    high = int(np.ceil(round(len(ordered) * (1.0 - tail), 9)))
    return np.stack([np.floor(ordered[low - 1]), np.ceil(ordered[high - 1])], axis=1)


def head_to_head(ranking: Ranking, first: int) -> list[int]:
    """Algorithms that tie or beat the first when the two alone are ranked."""
    if not ranking.reranked:
        return []
    others = [j for j in range(len(ranking.algorithms)) if j != first]
    pairs = [np.array([first, other]) for other in others]
    given = [np.stack([ranking.scores_among(part, pair) for pair in pairs]) for part in ranking.elementary]
    ranks = ranking.final(given)
    return [other for other, row in zip(others, ranks, strict=True) if row[1] <= row[0]]


def order_among(ranking: Ranking, columns: IntArray) -> FloatArray:
    """Ranks when only some algorithms take part."""
    ranks = ranking.final([ranking.scores_among(part, columns)[None] for part in ranking.elementary])
    return np.asarray(ranks[0])


def teams_left_out(ranking: Ranking) -> list[dict[str, Any]] | None:
    """For each algorithm whose removal changes the first place or the order of two others: what it changes.

    Returns
    -------
    list or None
        At most fifty reversed pairs an algorithm; ``None`` above a hundred algorithms.
    """
    count = len(ranking.algorithms)
    if count < 3 or not ranking.reranked:
        return []
    if count > MOST_LEFT_OUT:
        return None
    names, ranks = np.array(ranking.algorithms), ranking.ranks[0]
    remaining = [np.delete(np.arange(count), left) for left in range(count)]
    given = [np.stack([ranking.scores_among(part, columns) for columns in remaining]) for part in ranking.elementary]
    after = ranking.final(given)
    removals = []
    for left, (columns, now) in enumerate(zip(remaining, after, strict=True)):
        before = ranks[columns]
        swapped = (before[:, None] < before[None, :]) & (now[:, None] > now[None, :])
        winners = sorted(names[columns[now == now.min()]].tolist())
        old = sorted(names[columns[before == before.min()]].tolist())
        changes = winners != old
        if changes or swapped.any():
            rows = np.argwhere(swapped)
            order = np.lexsort((ranks[columns[rows[:, 1]]], ranks[columns[rows[:, 0]]]))[:MOST_REVERSED]
            removals.append(
                {
                    "without": str(names[left]),
                    "winners": winners,
                    "winner_changes": bool(changes),
                    "reversed": [[str(names[columns[p]]), str(names[columns[q]])] for p, q in rows[order]],
                }
            )
    return removals


def near_duplicates(ranking: Ranking, order: Sequence[int]) -> list[list[int]]:
    """Lists of algorithms that are nearly the same, best first; each algorithm in one list at most."""
    count = len(ranking.algorithms)
    if not _FEWEST_FOR_DUPLICATES <= count <= _MOST_FOR_DUPLICATES:
        return []
    votes, rankings = np.zeros((count, count)), 0
    for part in ranking.elementary:
        table = part.item.table
        if table.per_dataset or part.inside is not None:
            continue
        votes += part.item.alike
        rankings += 1
    if not rankings:
        return []
    near = votes >= rankings / 2.0
    lists, taken = [], set()
    for algorithm in order:
        if algorithm in taken:
            continue
        members = [other for other in order if other not in taken and (other == algorithm or near[algorithm, other])]
        if len(members) > 1:
            lists.append(members)
            taken.update(members)
    return lists


def alike(values: FloatArray) -> BoolArray:
    """Pairs of columns that agree on half of the cases, or whose residuals go together and differ little.

    Parameters
    ----------
    values
        Cases × algorithms.
    """
    filled = np.where(np.isnan(values), -np.inf, values)
    cases, count = filled.shape
    first, second = np.triu_indices(count, 1)
    step = max(1, _PAIRS_AT_ONCE // cases)
    alike_values = _agreeing_on_half(filled, first, second, step)
    with np.errstate(invalid="ignore"):
        residuals = (
            values - row_medians(np.where(np.isfinite(values), values, np.nan))
            if (np.isfinite(values).any(axis=1).all())
            else np.zeros_like(values)
        )
    ranks = rank(np.nan_to_num(residuals, nan=-np.inf).T, higher_is_better=False, ties="average").T
    ranks -= ranks.mean(axis=0)
    norms = np.sqrt((ranks**2).sum(axis=0))
    usable = norms > 0
    scaled = ranks / np.where(usable, norms, 1.0)
    correlation = scaled.T @ scaled
    candidate = (correlation >= _CORRELATED) & usable[:, None] & usable[None, :]
    np.fill_diagonal(candidate, val=False)
    if (candidate & ~alike_values).any():
        with np.errstate(invalid="ignore"):  # of two without a value nothing is known
            gaps = np.concatenate(
                [
                    row_medians(np.abs(filled[:, first[at : at + step]] - filled[:, second[at : at + step]]).T)[:, 0]
                    for at in range(0, len(first), step)
                ]
            )
        near = np.zeros((count, count), dtype=bool)
        finite_gaps = gaps[np.isfinite(gaps)]  # a gap to what has no value is no measure of how far others are apart
        near[first, second] = gaps <= _NEAR * (np.median(finite_gaps) if len(finite_gaps) else 0.0)
        candidate &= near | near.T
    return np.asarray(alike_values | candidate)


def _agreeing_on_half(filled: FloatArray, first: IntArray, second: IntArray, step: int) -> BoolArray:
    """Pairs of columns that agree on half of the cases, as a symmetric matrix."""
    cases, count = filled.shape
    result = np.zeros((count, count), dtype=bool)
    if count < 2:
        return result
    ordered = np.sort(filled, axis=1)
    with np.errstate(invalid="ignore"):
        smallest = (ordered[:, 1:] - ordered[:, :-1]).min(axis=1)
        apart = smallest > _SAME * np.maximum(np.abs(ordered[:, 0]), np.abs(ordered[:, -1]))
    rows = filled[~apart]  # on all other cases no two agree
    if len(rows) < cases / 2.0:
        return result
    for start in range(0, len(first), step):
        one, other = first[start : start + step], second[start : start + step]
        result[one, other] = _agreeing(rows[:, one], rows[:, other]) >= cases / 2.0
    return np.asarray(result | result.T)


def _agreeing(one: FloatArray, other: FloatArray) -> npt.NDArray[np.int64]:
    """On how many cases the columns of two arrays agree."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(one - other)
    same = gap <= _SAME * np.maximum(np.abs(one), np.abs(other))
    same &= np.isfinite(gap)
    same |= one == other
    return np.asarray(np.add.reduce(same.view(np.uint8), axis=0, dtype=np.int64))
