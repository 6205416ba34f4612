"""Cost of certainty statements: time compared with the flips alone, and memory with many algorithms."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd

from evaluation.assessment import parse
from evaluation.ranking.document import rank
from tests.performance.bench_certainty import MOST_TIMES, added, prototype

BUSY = 2.0


def test_statements_cost_no_more_than_a_few_times_the_flips_of_the_specification():
    assert min(added() for _ in range(3)) < BUSY * MOST_TIMES * min(prototype() for _ in range(3))


def test_pairs_of_many_algorithms_are_worked_in_blocks():
    random = np.random.default_rng(1)
    cases, algorithms = 40, 300
    table = pd.DataFrame(
        {
            "algorithm": np.tile([f"a{index:03d}" for index in range(algorithms)], cases),
            "case": np.repeat([f"c{index:02d}" for index in range(cases)], algorithms),
            "value": random.normal(0, 1, cases * algorithms),
        }
    )
    document = {"problem": "table", "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": -9}}]}
    tracemalloc.start()
    made = rank(parse(document), table)["rankings"][0]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e9 / 2
    assert (made["shown_better"], made["p_own"]) == (None, None)
    assert made["left_out"] == dict.fromkeys(("shown_better", "p_own", "letters"), "too_many_algorithms")
    assert made["winner"]["reason"] in ("shown", "not_shown")
    assert all(row["rank_set"] is not None and row["letters"] is None for row in made["algorithms"])
