"""Stability of one ranking over bootstrap samples and with other participants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.compare import kendall_tau_b

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.ranking.uncertainty.elementary import Ranking


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
