"""Potential gain from withholding cases, on boards small enough to be counted by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from evaluation.aggregation import ResultsError
from evaluation.assessment import parse
from evaluation.ranking.gaming import SHARES, gaming_check

# Means 0.74, 0.8 and 0.5; without its worst case the first has 0.9.
BOARD = {"a": [0.9, 0.9, 0.1, 0.9, 0.9], "b": [0.8] * 5, "c": [0.5] * 5}


def check(board=BOARD, *, missing=0.0, direction="higher", ranking=None, task=None, **settings):
    metric = {"id": "value", "direction": direction, "policy": {"missing": missing, "allow_gaming": True}}
    assessment = parse({"problem": "table", "metrics": [metric], "ranking": ranking or {}})
    tasks = {None: board} if task is None else task
    rows = [
        (name, f"{number}", value, key)
        for key, own in tasks.items()
        for name, values in own.items()
        for number, value in enumerate(values)
    ]
    results = pd.DataFrame(rows, columns=["algorithm", "case", "value", "task"])
    return gaming_check(assessment, results if task else results.drop(columns="task"), **settings)


def attempts(found, name):
    return next(row for row in found["algorithms"] if row["name"] == name)["attempts"]


def test_who_withholds_its_worst_case_wins_where_missing_cases_are_ignored_and_not_under_the_policy():
    (result,) = check(shares=[0.2])
    assert [(row["name"], row["rank"]) for row in result["algorithms"]] == [("b", 1), ("a", 2), ("c", 3)]
    assert attempts(result, "a") == [{"share": 0.2, "withheld": 1, "rank_registered": 2, "rank_ignored": 1}]
    assert attempts(result, "b") == [{"share": 0.2, "withheld": 1, "rank_registered": 2, "rank_ignored": 1}]
    assert (result["gain_ignored"], result["could_have_won_ignored"]) == (["a"], ["a"])
    assert (result["gain_registered"], result["could_have_won_registered"]) == ([], [])
    assert (result["metric"], result["region"], result["task"], result["missing_policy"]) == ("value", None, None, 0.0)


def test_a_policy_that_is_kinder_than_the_worst_case_pays():
    # With 0.85 for its 0.1 the first has a mean of 0.89.
    (result,) = check(missing=0.85, shares=[0.2])
    assert attempts(result, "a")[0]["rank_registered"] == 1
    assert (result["gain_registered"], result["could_have_won_registered"]) == (["a"], ["a"])


def test_who_rises_without_winning_gains_but_could_not_have_won():
    # The last but one rises from 0.4 to 0.6 and passes the one with 0.5.
    (result,) = check({"a": [0.9] * 4, "b": [0.5] * 4, "c": [0.6, 0.6, 0.6, -0.2]}, missing=-1.0, shares=[0.25])
    assert (result["gain_ignored"], result["could_have_won_ignored"]) == (["c"], [])
    assert [(row["name"], row["rank"]) for row in result["algorithms"]] == [("a", 1), ("b", 2), ("c", 3)]


def test_of_lower_values_the_highest_are_the_worst():
    turned = {name: [1 - value for value in values] for name, values in BOARD.items()}
    (result,) = check(turned, direction="lower", missing=1.0, shares=[0.2])
    assert attempts(result, "a") == [{"share": 0.2, "withheld": 1, "rank_registered": 2, "rank_ignored": 1}]
    (result,) = check(turned, direction="lower", missing=1.0, worse_than=0.5)
    assert [attempts(result, name)[0]["withheld"] for name in "abc"] == [1, 0, 0]


def test_everything_worse_than_a_value_is_withheld_instead_and_what_equals_it_is_not():
    (result,) = check(worse_than=0.5)
    assert attempts(result, "a") == [{"worse_than": 0.5, "withheld": 1, "rank_registered": 2, "rank_ignored": 1}]
    assert attempts(result, "c")[0]["withheld"] == 0
    assert attempts(check(worse_than=0.0)[0], "a")[0] == {
        "worse_than": 0.0,
        "withheld": 0,
        "rank_registered": 2,
        "rank_ignored": 2,
    }


def test_unless_told_a_twentieth_a_tenth_and_a_fifth_are_withheld_rounded_down():
    assert SHARES == (0.05, 0.1, 0.2)
    (result,) = check({"a": [0.5] * 39, "b": [0.6] * 39})
    assert [attempt["withheld"] for attempt in attempts(result, "a")] == [1, 3, 7]
    assert [attempt["share"] for attempt in attempts(result, "a")] == [0.05, 0.1, 0.2]


def test_of_equal_values_the_first_cases_are_withheld():
    # The first case is lost, the second of the same value is won: to withhold the second would cost the first place.
    by_case = {"a": [0.1, 0.1, 0.9], "b": [0.2, 0.05, 0.2]}
    (result,) = check(by_case, missing="worst_rank", ranking={"scheme": "rank_then_aggregate"}, shares=[0.34])
    assert attempts(result, "a") == [{"share": 0.34, "withheld": 1, "rank_registered": 1, "rank_ignored": 1}]


def test_under_the_worst_rank_a_withheld_case_is_lost_and_ignored_it_is_not():
    # Cases one and two are won by b, the third by a: withheld, the second counts as lost, or not at all.
    by_case = {"a": [0.4, 0.1, 0.9], "b": [0.3, 0.2, 0.2]}
    (result,) = check(by_case, missing="worst_rank", ranking={"scheme": "rank_then_aggregate"}, shares=[0.34, 0.67])
    # a wins two of three; withholding two, it wins one of three, or one of one.
    ranks = [(attempt["rank_registered"], attempt["rank_ignored"]) for attempt in attempts(result, "a")]
    assert ranks == [(1, 1), (2, 1)]
    assert [attempt["withheld"] for attempt in attempts(result, "a")] == [1, 2]
    assert result["missing_policy"] == "worst_rank"


def test_shared_ranks_may_be_fractions():
    (result,) = check({"a": [0.5] * 4, "b": [0.5] * 4, "c": [0.1] * 4}, ranking={"ties": "average"}, shares=[0.25])
    assert [(row["name"], row["rank"]) for row in result["algorithms"]] == [("a", 1.5), ("b", 1.5), ("c", 3)]
    assert result["could_have_won_ignored"] == []
    assert isinstance(result["algorithms"][2]["rank"], int)


def test_every_task_is_checked_on_its_own_cases():
    result = check(task={"one": BOARD, "two": {"a": [0.9] * 10, "b": [0.8] * 10}}, shares=[0.2])
    assert [entry["task"] for entry in result] == ["one", "two"]
    assert [attempts(entry, "a")[0]["withheld"] for entry in result] == [1, 2]
    assert [entry["gain_ignored"] for entry in result] == [["a"], []]


def test_the_first_of_several_rankings_is_checked():
    # By the mean b is first, by the best case a is.
    by_mean, by_best = {"name": "mean"}, {"name": "best", "operator": "max"}
    for rankings, order in (([by_mean, by_best], "bac"), ([by_best, by_mean], "abc")):
        (result,) = check(ranking=rankings, shares=[0.2])
        assert [row["name"] for row in result["algorithms"]] == list(order)


def test_metrics_of_all_cases_together_cannot_be_checked():
    regions = [{"name": "nodule", "labels": [1]}]
    document = {"problem": "object_detection", "regions": regions, "metrics": [{"id": "average_precision"}]}
    rows = [(name, None, "nodule", "average_precision", value, "ok") for name, value in (("a", 0.5), ("b", 0.6))]
    results = pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome"])
    with pytest.raises(ResultsError, match="one value for all cases together"):
        gaming_check(parse(document), results)
