"""Added time of certainty statements for a ranking of 20 algorithms × 200 cases × 12 regions, 1,000 draws.

    OPENBLAS_NUM_THREADS=1 python -m tests.performance.bench_certainty

The prototype of the flips of all twelve is timed for comparison, so that the ratio is also valid on slower and busy
machines. One thread is used, as in a worker, because threads that wait for one another on a busy machine also take
time.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

import numpy as np
import pandas as pd

from evaluation.assessment import parse
from evaluation.ranking import entries
from evaluation.ranking.document import rank

if TYPE_CHECKING:
    from collections.abc import Iterator

ALGORITHMS, CASES, REGIONS, DRAWS = 20, 200, 12, 1000
BAR_MILLISECONDS, PROTOTYPE_MILLISECONDS = 150.0, 22.0
"""Permitted added time and time of the prototype, on the machine of the specification, in milliseconds."""
MOST_TIMES = BAR_MILLISECONDS / PROTOTYPE_MILLISECONDS


class Timing(NamedTuple):
    """One row of the table: our seconds, the bar that is set, and those of a peer."""

    name: str
    seconds: float
    limit: float | None
    peer: str
    peer_seconds: float


def benchmarks() -> Iterator[Timing]:
    """Yield the added time, compared with the flips alone."""
    ours, flips = min(added() for _ in range(9)), min(prototype() for _ in range(9))
    what = f"certainty of {ALGORITHMS} × {CASES} × {REGIONS}"
    yield Timing(what, ours, BAR_MILLISECONDS / 1000, "prototype of the flips alone", flips)


def board() -> tuple[dict, pd.DataFrame]:
    """The assessment and its results."""
    random = np.random.default_rng(1)
    document = {
        "problem": "semantic_segmentation",
        "regions": [{"name": f"r{index}", "labels": [1]} for index in range(REGIONS)],
        "metrics": [{"id": "dsc"}],
        "ranking": {"combine": {"over": ["region"]}},
        "uncertainty": {"bootstrap": DRAWS, "seed": 1},
    }
    common, tables = random.normal(0, 0.7, (CASES, 1)), []
    for index in range(REGIONS):
        quality = common + random.normal(0, 0.1, ALGORITHMS) + random.normal(0, 0.7, (CASES, ALGORITHMS))
        columns = {
            "algorithm": np.tile([f"a{number:02d}" for number in range(ALGORITHMS)], CASES),
            "case": np.repeat([f"c{number:03d}" for number in range(CASES)], ALGORITHMS),
            "region": f"r{index}",
            "metric": "dsc",
            "value": (1.0 / (1.0 + np.exp(-quality))).ravel(),
            "outcome": "ok",
        }
        tables.append(pd.DataFrame(columns))
    return document, pd.concat(tables)


def added() -> float:
    """Seconds of processor time that go into statements of certainty."""
    document, table = board()
    spent = [0.0]
    real = entries.statements

    def timed(*args, **options):
        start = time.process_time()
        made = real(*args, **options)
        spent[0] += time.process_time() - start
        return made

    with patch.object(entries, "statements", timed):
        rank(parse(document), table)
    return spent[0]


def prototype() -> float:
    """Seconds of processor time of the flips of all rankings, as the specification's prototype worked them."""
    random = np.random.default_rng(0)
    signs = 1 - 2 * random.integers(0, 2, (DRAWS, CASES)).astype(np.int8)
    first, second = np.triu_indices(ALGORITHMS, 1)
    start = time.process_time()
    for _ in range(REGIONS):
        contributed = random.normal(size=(CASES, ALGORITHMS))
        sums = signs.astype(np.float64) @ contributed
        statistic = sums[:, first] - sums[:, second]
        gram = contributed.T @ contributed
        own = np.diag(gram)
        statistic /= np.sqrt(own[first] + own[second] - 2.0 * gram[first, second])
        np.partition(np.abs(statistic).max(axis=1), DRAWS - 20)
        (statistic >= statistic[0]).mean(axis=0)
    return time.process_time() - start


def main() -> None:
    """Print both, and what the first would be on the machine of the specification."""
    ours, flips = min(added() for _ in range(9)), min(prototype() for _ in range(9))
    scaled = PROTOTYPE_MILLISECONDS * ours / flips
    print(f"statements {1000 * ours:.0f} ms, prototype of the flips {1000 * flips:.0f} ms ({ours / flips:.1f} times)")
    print(f"with the prototype at {PROTOTYPE_MILLISECONDS:.0f} ms: {scaled:.0f} ms; bar {BAR_MILLISECONDS:.0f} ms")


if __name__ == "__main__":
    main()
