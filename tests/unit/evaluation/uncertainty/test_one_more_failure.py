"""The rank with one more failed case is the worst rank found by reranking.

Each case of an algorithm fails in turn.
"""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from evaluation import rank
from evaluation.assessment import parse
from evaluation.ranking import rank as rank_parsed
from evaluation.ranking.uncertainty import failures
from evaluation.ranking.uncertainty.failures import failure, failure_bound, unseen_variance
from tests.sizes import size

NAMES = ("a", "b", "c")
CASES = tuple("12345")
PATIENTS = pd.DataFrame({"case": CASES, "patient": ["p", "p", "p", "q", "r"]})
ZERO = {"missing": 0}
SCHEMES = {
    "mean": {"scheme": "aggregate_then_rank", "operator": "mean"},
    "median": {"scheme": "aggregate_then_rank", "operator": "median"},
    "lowest quarter": {"scheme": "aggregate_then_rank", "operator": {"percentile": 25}},
    "mean rank": {"scheme": "rank_then_aggregate", "operator": "mean"},
    "mean of average ranks": {"scheme": "rank_then_aggregate", "operator": "mean", "ties": "average"},
    "median rank": {"scheme": "rank_then_aggregate", "operator": "median"},
    "tests": {"scheme": "test_then_rank"},
}


def document(metrics, ranking, **more):
    return {"problem": "external", "metrics": metrics, "ranking": ranking, "uncertainty": {"bootstrap": 0}, **more}


def metric(name="quality", policy=ZERO, direction="higher"):
    return {"id": name, "direction": direction, "policy": policy}


def results(seed, metrics=("quality",), failed=()):
    """Values in quarters, so that there are ties; of the pairs of algorithm and case given there is no prediction."""
    random = np.random.default_rng(seed)
    rows = [(name, case, own, random.integers(1, 5) / 4, "ok") for name in NAMES for case in CASES for own in metrics]
    table = pd.DataFrame(rows, columns=["algorithm", "case", "metric", "value", "outcome"])
    return without(table, failed)


def without(table, failed):
    for name, case in failed:
        rows = (table["algorithm"] == name) & (table["case"] == case)
        table = table.assign(value=table["value"].mask(rows), outcome=table["outcome"].mask(rows, "missing"))
    return table


def entry_of(made):
    return made["overall"] or made["rankings"][0]


def said(made):
    return {row["name"]: row["rank_if_one_more_failed"] for row in entry_of(made)["algorithms"]}


def tried(rule, table, cases=None):
    """Return the worst rank of each algorithm with one more failed case, by ranking everything again."""
    worst = {}
    registered = parse(rule)
    for name in NAMES:
        ranks = []
        for case in CASES:
            made = rank_parsed(registered, without(table, [(name, case)]), cases=cases)
            ranks += [row["rank"] for row in entry_of(made)["algorithms"] if row["name"] == name]
        worst[name] = int(np.ceil(max(ranks)))
    return worst


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("seed", size([1], [1, 2]))
def test_one_metric(scheme, seed):
    rule, table = document([metric()], SCHEMES[scheme]), results(seed, failed=[("b", "2"), ("c", "5")])
    assert said(rank(rule, table)) == tried(rule, table)


@pytest.mark.parametrize(
    ("scheme", "patients"),
    size(
        [("mean", False), ("median", True), ("lowest quarter", False), ("tests", True)],
        [*product(["mean", "median", "lowest quarter", "tests"], [False, True])],
    ),
)
def test_ties_at_0_are_ties(scheme, patients):
    """Values that cancel out leave no rounding error that would break the ties."""
    table = results(9)
    table["value"] = [value / 10 for value in [3, -1, -2, 1, 0, 1, -1, 2, -2, 1, -3, 1, 2, 1, -1]]
    more = {"aggregation": {"levels": ["case", "patient"], "operator": "mean"}} if patients else {}
    rule = document([metric(policy={"missing": -0.2})], SCHEMES[scheme], **more)
    cases = PATIENTS if patients else None
    assert said(rank(rule, table, cases=cases)) == tried(rule, table, cases=cases)


@pytest.mark.parametrize("scheme", ["mean", "median", "mean rank", "tests"])
def test_where_a_failure_is_the_greatest_value(scheme):
    rule = document([metric(policy={"missing": 2}, direction="lower")], SCHEMES[scheme])
    table = results(3)
    assert said(rank(rule, table)) == tried(rule, table)


@pytest.mark.parametrize("scheme", ["mean rank", "median rank"])
def test_where_a_failure_is_the_last_rank_of_its_case(scheme):
    rule, table = document([metric(policy={"missing": "worst_rank"})], SCHEMES[scheme]), results(4, failed=[("a", "1")])
    assert said(rank(rule, table)) == tried(rule, table)


@pytest.mark.parametrize(
    ("scheme", "operator"),
    size(
        [("mean", "median"), ("median", "mean"), ("mean rank", "mean"), ("tests", "median")],
        [*product(["mean", "median", "mean rank", "tests"], ["mean", "median"])],
    ),
)
def test_where_cases_belong_to_patients(scheme, operator):
    levels = {"levels": ["case", "patient"], "operator": operator}
    rule, table = document([metric()], SCHEMES[scheme], aggregation=levels), results(5)
    assert said(rank(rule, table, cases=PATIENTS)) == tried(rule, table, cases=PATIENTS)


@pytest.mark.parametrize("scheme", ["mean", "median", "mean rank", "tests"])
@pytest.mark.parametrize("seed", [6])
def test_a_failed_case_fails_in_every_metric_that_is_combined(scheme, seed):
    rule = document(
        [metric("quality"), metric("distance", {"missing": 9}, "lower"), metric("score", {"missing": -1})],
        {**SCHEMES[scheme], "combine": {"over": ["metric"]}},
    )
    table = results(seed, ("quality", "distance", "score"), failed=[("c", "3")])
    assert said(rank(rule, table)) == tried(rule, table)


def test_it_is_not_said_where_a_missing_case_has_no_value():
    table = results(1)
    excluded = document([metric(policy={"missing": "exclude", "allow_gaming": True})], SCHEMES["mean"])
    assert set(said(rank(excluded, table)).values()) == {None}
    # The last rank of a case is no value that could be averaged.
    ranked = parse(document([metric(policy={"missing": "worst_rank"})], SCHEMES["mean rank"]))
    assert set(said(rank_parsed(ranked, table)).values()) != {None}


def test_whoever_failed_on_every_case_cannot_fail_once_more():
    table = results(2, failed=[("b", case) for case in CASES])
    told = said(rank(document([metric()], SCHEMES["mean"]), table))
    assert told["b"] is None
    assert None not in (told["a"], told["c"])


@pytest.mark.parametrize("scheme", ["median", "tests", "mean rank"])
def test_it_is_not_said_where_ranking_anew_would_take_too_long(monkeypatch, scheme):
    table = results(1)
    rule = document([metric(), metric("score")], {**SCHEMES[scheme], "combine": {"over": ["metric"]}})
    table = pd.concat([table, table.assign(metric="score")], ignore_index=True)
    assert None not in said(rank(rule, table)).values()
    monkeypatch.setattr(failures, "_MOST_NUMBERS", 1)
    told = said(rank(rule, table))
    # Mean ranks change by the ranks of one case alone, which is cheap however many there are.
    assert (None in told.values()) is (scheme != "mean rank")


@pytest.mark.parametrize("scheme", ["mean", "median", "tests"])
def test_blocks_give_what_all_at_once_gives(monkeypatch, scheme):
    metrics = [metric("quality"), metric("score", {"missing": -1})]
    rule = document(metrics, {**SCHEMES[scheme], "combine": {"over": ["metric"]}})
    table = results(8, ("quality", "score"))
    whole = said(rank(rule, table))
    monkeypatch.setattr(failures, "_AT_ONCE", 4 * len(NAMES))
    monkeypatch.setattr(failures, "_MOST_COMPARED", 3)
    assert said(rank(rule, table)) == whole


def test_the_bound_of_the_rate_is_that_of_clopper_and_pearson():
    # (1 - p)^60 = 0.05 where none of 60 failed; the published bound of 1 in 20 is 0.2161.
    assert failure_bound(0, 60) == pytest.approx(1 - 0.05 ** (1 / 60))
    assert failure_bound(1, 20) == pytest.approx(0.2161, abs=5e-5)
    assert [failure_bound(4, 4), failure_bound(5, 4)] == [1.0, 1.0]
    assert failure(None, 4) is None
    assert failure(0, 0) is None
    assert failure(1, 20) == {"failed": 1, "of": 20, "upper": failure_bound(1, 20)}


def part(policy, *, higher=True, worst=0.0):
    uses = SimpleNamespace(policy=SimpleNamespace(missing=policy), higher_is_better=higher)
    table = SimpleNamespace(metric=uses, cases=CASES, penalties=lambda _: np.full(len(CASES), worst))
    return SimpleNamespace(item=SimpleNamespace(table=table))


def test_failures_that_nobody_has_seen_vary_a_score_by_their_cost():
    values = np.array([[0.9, 0.0], [0.7, 0.8], [0.8, 0.8], [0.7, 0.8], [0.9, 0.8]])
    variances = unseen_variance(part(0.0), values, np.array([0, 1]))
    # Rates of a Beta distribution with Jeffreys' prior: (f + ½)(n - f + ½) / ((n + 1)²(n + 2)), times the squared cost.
    assert variances == pytest.approx([0.5 * 5.5 / (36 * 7) * 0.8**2, 1.5 * 4.5 / (36 * 7) * 0.8**2])
    # More is better in what is averaged: the value of a failure is negated where lower is better.
    lower = unseen_variance(part(2.0, higher=False, worst=2.0), -values, np.array([0, 1]))
    assert lower[0] == pytest.approx(0.5 * 5.5 / (36 * 7) * (2 - 0.8) ** 2)
    assert unseen_variance(part("exclude"), values, np.array([0, 1])) is None
    nothing = unseen_variance(part(0.0), np.zeros((5, 1)), np.array([5]))
    assert nothing.tolist() == [0.0], "who never had a value has none to lose"
