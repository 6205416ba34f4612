"""The number of further failures that cost the first place is confirmed by ranking the failed results again."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.claims.ranking import sentences_of
from evaluation.ranking import rank

CASES = 9


def assessment(ranking):
    metrics = [{"id": metric, "direction": "higher", "range": [0, 1], "policy": {"missing": 0}} for metric in "xy"]
    return parse({"problem": "external", "metrics": metrics, "ranking": ranking, "uncertainty": {"bootstrap": 200}})


def results(seed, lead=0.12):
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        [
            {"algorithm": name, "case": f"c{case}", "metric": metric, "region": "", "outcome": "ok", "task": "",
             "value": float(np.clip(0.6 + lead * (name == "a") + random.normal(0, 0.05), 0, 1))}
            for case in range(CASES) for metric in "xy" for name in "abc"
        ]
    )  # fmt: skip


def is_first(read, table, failed):
    after = table.copy()
    after.loc[(after["algorithm"] == "a") & after["case"].isin([f"c{case}" for case in failed]), "value"] = 0.0
    document = rank(read, after, bootstrap=0)
    entry = document["overall"] or document["rankings"][0]
    row = next(row for row in entry["algorithms"] if row["name"] == "a")
    return row["rank"] == 1


@pytest.mark.parametrize("seed", range(4))
def test_a_combination_loses_first_place_with_that_number_and_with_no_single_failure_before(seed):
    read, table = assessment({"combine": {"over": ["metric"]}}), results(seed)
    entry = rank(read, table)["overall"]
    number = entry["failures_to_lose"]
    assert any(not is_first(read, table, failed) for failed in combinations(range(CASES), number))
    assert all(is_first(read, table, (case,)) for case in range(CASES)) is (number > 1)


@pytest.mark.parametrize("seed", range(3))
def test_a_median_of_one_metric_has_the_smallest_number(seed):
    read, table = assessment({"metrics": ["x"], "operator": "median", "combine": None}), results(seed)
    (entry,) = rank(read, table)["rankings"]
    number = entry["failures_to_lose"]
    assert any(not is_first(read, table, failed) for failed in combinations(range(CASES), number))
    assert all(is_first(read, table, failed) for failed in combinations(range(CASES), number - 1))


def test_the_sentence_states_the_number():
    read, table = assessment({"combine": {"over": ["metric"]}}), results(0)
    document = rank(read, table)
    number = document["overall"]["failures_to_lose"]
    assert f"a would lose first place with {number} more failed cases, if these are the costliest." in sentences_of(
        document["overall"], document
    )
    assert "failures_to_lose" not in document["rankings"][0]
