"""Cost of certainty statements: time compared with the flips alone, and memory with many algorithms."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pandas as pd

from evaluation.assessment import parse
from evaluation.ranking.document import rank
from evaluation.ranking.uncertainty.betting import LeaderBets
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


MOST_TO_CONFIRM = 0.02
"""Seconds of processor time for the e-values of 50 algorithms on 200 units."""
MOST_OF_MANY = 10.0
"""Seconds of processor time for a ranking of 200 algorithms on 500 cases by 15 tables."""


def test_confirming_a_leader_among_fifty_takes_a_fiftieth_of_a_second():
    values = np.clip(np.random.default_rng(0).normal(0.5, 0.2, (200, 50)), 0, 1)
    values[:, 0] = np.clip(values[:, 0] + 0.1, 0, 1)
    cases = [f"c{index:03d}" for index in range(200)]
    seconds = []
    for _ in range(5):
        start = time.process_time()
        LeaderBets(values, seed=1, cases=cases).log_evidence(0.0, np.arange(1, 50))
        seconds.append(time.process_time() - start)
    assert min(seconds) < BUSY * MOST_TO_CONFIRM


def test_two_hundred_teams_fifteen_tables_are_ranked_within_the_bar():
    random = np.random.default_rng(1)
    teams, cases = 200, 500
    metrics = [f"m{index:02d}" for index in range(15)]
    quality = random.normal(0.6, 0.05, teams)
    table = pd.concat(
        pd.DataFrame(
            {
                "algorithm": np.repeat([f"a{index:03d}" for index in range(teams)], cases),
                "case": np.tile([f"c{index:03d}" for index in range(cases)], teams),
                "metric": metric,
                "region": "",
                "outcome": "ok",
                "task": "",
                "value": np.clip(np.repeat(quality, cases) + random.normal(0, 0.1, teams * cases), 0, 1),
            }
        )
        for metric in metrics
    )
    document = {
        "problem": "external",
        "metrics": [{"id": name, "direction": "higher", "range": [0, 1], "policy": {"missing": 0}} for name in metrics],
        "ranking": {"combine": {"over": ["metric"]}},
    }
    assessment = parse(document)
    start = time.process_time()
    rank(assessment, table)
    assert time.process_time() - start < BUSY * MOST_OF_MANY
