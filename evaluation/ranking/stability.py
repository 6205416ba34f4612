"""What resampling says about one ranking: intervals, frequencies, who stays first, how alike the samples are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.ranking.compare import kendall_tau_b

if TYPE_CHECKING:
    from collections.abc import Sequence

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
_JOURNAL_SHARE = 0.01
TAU_BINS = 80


@dataclass(frozen=True)
class Stability:
    """Measures of one ranking from its bootstrap samples.

    Attributes
    ----------
    rank_interval, score_interval
        Algorithms × 2; the score interval is not a number where no sample has a score.
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
    edges = percentiles(sampled, [tail, 0.5, 1.0 - tail])
    first = sampled == sampled.min(axis=1, keepdims=True)
    stays, others, often = first_places(ranks, first)
    return Stability(
        rank_interval=edges[[0, 2]].T,
        rank_median=edges[1],
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
    """Whether the winner stays, and whether others come first; see `Stability`."""
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
    place = np.floor(np.round((tau + 1.0) * TAU_BINS / 2.0, 6)).astype(np.int64)
    return [int(count) for count in np.bincount(np.clip(place, 0, TAU_BINS - 1), minlength=TAU_BINS)]


def percentiles(rows: FloatArray, shares: Sequence[float]) -> FloatArray:
    """Percentiles down the rows (R's type 7), values that are not a number left out; shares × columns.

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


def groups(rule: str, ranks: FloatArray, intervals: FloatArray | None, better: npt.NDArray[np.bool_] | None) -> Any:
    """Gather algorithms that cannot be told apart from the best of them, from the top down.

    Parameters
    ----------
    rule
        ``interval_overlaps_winner``: the rank interval overlaps that of the leader; ``interval_includes_first``: it
        reaches the leader's rank; ``not_significantly_worse``: no significant test (Holm) says that the leader is
        better.
    ranks
        Ranks on the full data.
    intervals, better
        Rank intervals, and the matrix "row is significantly better than column"; whichever the rule needs.

    Returns
    -------
    list or None
        Number of the group of each algorithm, 1 for the winners' group; ``None`` if what the rule needs is not there.
    """
    needed = better if rule == "not_significantly_worse" else intervals
    if needed is None:
        return None
    numbers = np.zeros(len(ranks), dtype=np.int64)
    current = 0
    while (numbers == 0).any():
        current += 1
        left = numbers == 0
        best = ranks[left].min()
        leaders = np.flatnonzero(left & (ranks == best))
        if better is not None and rule == "not_significantly_worse":
            belongs = ~better[leaders].any(axis=0)
        elif intervals is not None and rule == "interval_includes_first":
            belongs = intervals[:, 0] <= best
        else:
            assert intervals is not None
            belongs = intervals[:, 0] <= intervals[leaders, 1].max()
        numbers[left & belongs] = current
        numbers[leaders] = current
    return [int(number) for number in numbers]
