"""Calibration without bins: kernels between the score vectors of all pairs of cases.

Pairs are worked off in blocks, so memory grows with the number of cases and time with its square. A bandwidth that is
found from the data is found once, from all cases, and held for every resample: copies of a case would otherwise pull it
towards 0. A case without a valid answer enters with the greatest error a pair or case can have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import numpy.typing as npt

from evaluation.metrics.samples import weighted_count, weighted_sum
from evaluation.metrics.values import FloatArray, Values, ratio
from evaluation.outcomes import Flag, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluation.metrics.samples import Samples

Estimator = Literal["skce_unbiased", "skce_biased", "kce_biased"]
Kernel = Literal["laplacian", "gaussian"]
Norm = Literal["l1", "l2"]
MOST_CASES: Final = 50_000
"""More cases than this are refused: every pair is compared."""
_BLOCK: Final = 1 << 21
_FLOOR: Final = 1e-15
_GREATEST_PAIR: Final = 2.0
_FIXED_BANDWIDTH: Final = 1.0
_GRID: Final = np.logspace(-3, 0, 13)
_LARGEST_EXPONENT: Final = 600.0
_FOR_BANDWIDTH: Final = 2000
_HISTOGRAM: Final = 1 << 16


def kce(
    samples: Samples,
    weights: FloatArray | None,
    *,
    estimator: Estimator = "skce_unbiased",
    kernel: Kernel = "laplacian",
    bandwidth: float | Literal["median"] = "median",
) -> Values:
    """Kernel calibration error; see `evaluation.metrics.calibration.kce`."""
    scores = _vectors(samples)
    present = ~samples.absent
    total = weighted_count(len(samples), weights)
    rows = np.ones((1, len(samples))) if weights is None else weights
    width = median_distance(scores[present]) if bandwidth == "median" else float(bandwidth)
    errors = np.eye(scores.shape[1])[samples.reference] - scores
    quadratic, diagonal = np.zeros(len(rows)), np.zeros(len(rows))
    for part in _blocks(len(scores)):
        if kernel == "laplacian":
            similar = np.exp(-_distances(scores[part], scores) / width)
        else:
            similar = np.exp(-((_distances(scores[part], scores) / width) ** 2) / 2)
        pairs = similar * (errors[part] @ errors.T)
        if not present.all():
            pairs[~(present[part, None] & present[None, :])] = _GREATEST_PAIR
        quadratic += np.einsum("bi,ib->b", rows[:, part], pairs @ rows.T)
        diagonal += rows[:, part] @ pairs[np.arange(len(pairs)), np.arange(part.start, part.stop)]
    if estimator == "skce_unbiased":
        values = Values(ratio(quadratic - diagonal, total * (total - 1)))
    else:
        squared = np.maximum(ratio(quadratic, total**2), 0.0)
        values = Values(np.sqrt(squared) if estimator == "kce_biased" else squared)
    return values.undefine(total < 2, Outcome.DEGENERATE, Flag.REFERENCE)


def ece_kde(
    samples: Samples,
    weights: FloatArray | None,
    *,
    bandwidth: float | Literal["auto"] = "auto",
    norm: Norm = "l1",
) -> Values:
    """Calibration error with a kernel density estimate; see `evaluation.metrics.calibration.ece_kde`."""
    scores = _vectors(samples)
    present = np.flatnonzero(~samples.absent)
    binary = scores.shape[1] == 2
    total = weighted_count(len(samples), weights)
    rows = np.ones((1, len(samples))) if weights is None else weights
    present_scores, labels = scores[present], samples.reference[present]
    counted = rows[:, present]
    worst = 1.0 if binary else (2.0 if norm == "l1" else float(np.sqrt(2.0)))
    error = weighted_sum(samples.absent.astype(np.float64) * worst, rows)
    width = likeliest_bandwidth(present_scores) if bandwidth == "auto" else float(bandwidth)
    counted_out = np.zeros(len(rows))
    for part in _blocks(len(present_scores)):
        log_kernel = _dirichlet(present_scores[part], present_scores, width)
        part_rows = np.arange(part.stop - part.start)
        itself = log_kernel[part_rows, part.start + part_rows]
        log_kernel[part_rows, part.start + part_rows] = -np.inf
        top = log_kernel.max(axis=1) if len(present_scores) > 1 else np.zeros(len(part_rows))
        kernel = np.exp(log_kernel - top[:, None])
        # A case is left out of its own estimate once; further copies of it are cases like any other.
        copies = np.exp(np.minimum(itself - top, _LARGEST_EXPONENT))[:, None] * np.maximum(counted[:, part].T - 1, 0)
        mass = kernel @ counted.T + copies
        gap = np.zeros_like(mass)
        for code in [1] if binary else range(scores.shape[1]):
            hit = (labels == code).astype(np.float64)
            share = (kernel * hit) @ counted.T + copies * hit[part, None]
            difference = np.abs(ratio(share, mass) - present_scores[part, code, None])
            gap += difference if binary or norm == "l1" else difference**2
        estimated = mass > 0
        gap = np.where(estimated, gap if binary or norm == "l1" else np.sqrt(gap), 0.0)
        counted_out += np.einsum("bi,ib->b", counted[:, part], ~estimated)
        error += np.einsum("bi,ib->b", counted[:, part], gap)
    values = Values(ratio(error, total - counted_out)).undefine(total < 2, Outcome.DEGENERATE, Flag.REFERENCE)
    return values.undefine(total == counted_out, Outcome.DEGENERATE)


def median_distance(vectors: FloatArray) -> float:
    """Median Euclidean distance of all pairs; 1 where it is 0 or there is no pair.

    Examples
    --------
    >>> median_distance(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]))
    1.4142135623730951
    """
    pairs = len(vectors) * (len(vectors) - 1) // 2
    if not pairs:
        return _FIXED_BANDWIDTH
    wanted = ((pairs - 1) // 2, pairs // 2)
    # Two passes over the pairs: a histogram finds the narrow range of the middle, then only that range is kept.
    width = 1.5 / _HISTOGRAM
    counts = np.zeros(_HISTOGRAM, dtype=np.int64)
    for distances in _pair_distances(vectors):
        counts += np.bincount((distances / width).astype(np.int64), minlength=_HISTOGRAM)
    reached = np.cumsum(counts)
    low, high = (int(np.searchsorted(reached, rank, side="right")) for rank in wanted)
    middle = []
    for distances in _pair_distances(vectors):
        bins = (distances / width).astype(np.int64)
        middle.append(distances[(bins >= low) & (bins <= high)])
    ordered = np.sort(np.concatenate(middle))
    below = int(reached[low - 1]) if low else 0
    median = float(ordered[wanted[0] - below] + ordered[wanted[1] - below]) / 2
    return median if median > 0 else _FIXED_BANDWIDTH


def likeliest_bandwidth(vectors: FloatArray) -> float:
    """Return the bandwidth under which every case is most likely according to the other cases.

    Candidates form a logarithmic grid from 0.001 to 1. With more than 2,000 cases, 2,000 cases evenly spaced in the
    order of their scores are used.
    """
    if len(vectors) < 2:
        return _FIXED_BANDWIDTH
    if len(vectors) > _FOR_BANDWIDTH:
        order = np.lexsort(vectors.T[::-1])
        vectors = vectors[order[np.linspace(0, len(order) - 1, _FOR_BANDWIDTH).astype(np.int64)]]
    likelihoods = []
    for width in _GRID:
        likelihood = 0.0
        for part in _blocks(len(vectors)):
            log_kernel = _dirichlet(vectors[part], vectors, float(width))
            part_rows = np.arange(part.stop - part.start)
            log_kernel[part_rows, part.start + part_rows] = -np.inf
            top = log_kernel.max(axis=1)
            likelihood += float((top + np.log(np.exp(log_kernel - top[:, None]).sum(axis=1))).sum())
        likelihoods.append(likelihood)
    return float(_GRID[int(np.argmax(likelihoods))])


def _vectors(samples: Samples) -> FloatArray:
    scores = samples.required_scores
    if len(scores) > MOST_CASES:
        message = f"{len(scores):,} cases; a kernel compares every pair, so at most {MOST_CASES:,} are taken"
        raise ValueError(message)
    absent = samples.absent
    return np.where(absent[:, None], 0.0, scores) if absent.any() else scores


def _blocks(count: int) -> Iterator[slice]:
    size = max(1, _BLOCK // max(count, 1))
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))


def _distances(part: FloatArray, whole: FloatArray) -> FloatArray:
    from scipy.spatial.distance import cdist

    distances: FloatArray = cdist(part, whole)
    return distances


def _pair_distances(vectors: FloatArray) -> Iterator[FloatArray]:
    """Distances of every pair once, block by block."""
    for part in _blocks(len(vectors)):
        distances = _distances(vectors[part], vectors[part.start :])
        rows, columns = np.triu_indices(len(distances), 1, distances.shape[1])
        yield distances[rows, columns]


def _dirichlet(at: FloatArray, centres: FloatArray, width: float) -> FloatArray:
    """Logarithm of the Dirichlet density with parameters ``centre / width + 1``, ``(len(at), len(centres))``."""
    from scipy.special import gammaln

    exponents = centres / width
    parameters = exponents + 1
    normalisation = gammaln(parameters).sum(axis=1) - gammaln(parameters.sum(axis=1))
    density: npt.NDArray[np.float64] = np.log(np.maximum(at, _FLOOR)) @ exponents.T - normalisation
    return density
