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
    high = max(int(np.ceil(round(len(ordered) * (1.0 - tail), 9))), 1)
    return np.stack([np.floor(ordered[low - 1]), np.ceil(ordered[high - 1])], axis=1)
