"""Times of metrics of a million scores, compared with scikit-learn on the same scores in the same process.

One core is used. The limit of each row is a quarter of the peer's time on this machine, so the ratio must be 4 or more.
The loop of the last rows computes every resample from copies of the cases, as most people write it. It is timed on a
few samples and scaled.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from evaluation.assessment import parse
from evaluation.metrics import auroc, average_precision, brier_score, ece
from evaluation.scoring import recompute
from evaluation.scoring.classification_evidence import PART, make_block
from evaluation.scoring.evidence import make_evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SCORES = 1_000_000
CASES, SAMPLES = 1000, 1000


class Timing(NamedTuple):
    """One row of the table: our seconds, those of a peer, and the bar that is set."""

    name: str
    seconds: float
    limit: float | None
    peer: str
    peer_seconds: float


def simulated(count: int = SCORES) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores that partly separate them, without equal scores."""
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 2, count)
    return labels, 0.3 * labels + 0.7 * generator.random(count)


def best_of(times: int, work: Callable[[], object]) -> float:
    """Smallest processor time of a few runs, in seconds."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def ours(labels: np.ndarray, scores: np.ndarray) -> float:
    """Seconds of AUROC, AP, ECE and Brier score together."""
    return best_of(3, lambda: [metric(labels, scores) for metric in (auroc, average_precision, ece, brier_score)])


def theirs(labels: np.ndarray, scores: np.ndarray) -> float:
    """Seconds of scikit-learn's AUROC and AP alone."""
    return best_of(2, lambda: [metric(labels, scores) for metric in (roc_auc_score, average_precision_score)])


def resampled(metric_id: str) -> tuple[float, float]:
    """Seconds of a thousand resamples from evidence, and of the loop over copies."""
    labels, scores = simulated(CASES)
    assessment = parse({"problem": "image_classification", "metrics": [{"id": metric_id}]})
    block = make_block(
        "a",
        [f"{number:05d}" for number in range(CASES)],
        labels,
        decision=None,
        scores=np.stack([1 - scores, scores], axis=1),
        answered=np.ones(CASES, dtype=bool),
    )
    use = assessment.metrics[0]
    shared = {"classes": ["0", "1"], "regions": {}}
    evidence = make_evidence(assessment, [block], parts={use.name: PART}, shared=shared).select(use.name, "a", "1")
    times = np.random.default_rng(1).multinomial(CASES, [1 / CASES] * CASES, size=SAMPLES)
    peer: dict[str, Any] = {"auroc": roc_auc_score, "average_precision": average_precision_score}
    few = times[:20]
    drawn = [np.repeat(np.arange(CASES), row) for row in few]
    loop = best_of(1, lambda: [peer[metric_id](labels[rows], scores[rows]) for rows in drawn])
    return best_of(2, lambda: recompute(use, evidence, times)), loop * SAMPLES / len(few)


def benchmarks() -> Iterator[Timing]:
    """Every row of the table."""
    labels, scores = simulated()
    peer = theirs(labels, scores)
    yield Timing(
        "AUROC + AP + ECE + Brier, 1,000,000 scores", ours(labels, scores), peer / 4, "scikit-learn, first two", peer
    )
    for metric, peers in ((auroc, roc_auc_score), (average_precision, average_precision_score)):
        own = best_of(3, lambda metric=metric: metric(labels, scores))
        other = best_of(2, lambda peers=peers: peers(labels, scores))
        yield Timing(f"{metric.__name__}, 1,000,000 scores", own, other / 4, f"scikit-learn {peers.__name__}", other)
    for metric_id in ("auroc", "average_precision"):
        own, other = resampled(metric_id)
        yield Timing(f"{metric_id}, 1,000 resamples of 1,000 cases", own, None, "scikit-learn, copies in a loop", other)
