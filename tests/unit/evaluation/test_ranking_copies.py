"""Slightly worse copies of an algorithm: what they are, when they matter, and whom they lift."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evaluation.aggregation import ResultsError
from evaluation.assessment import parse
from evaluation.ranking.copies import _with_copies, copies_check
from tests.unit.evaluation.test_ranking_entries import VALUES, document, evaluated, results


def values_of(table):
    return table.values  # noqa: PD011  (no data frame)


@pytest.mark.parametrize(("direction", "sign"), [("higher", -1.0), ("lower", 1.0)])
def test_each_copy_is_worse_than_the_one_before_by_a_millionth_of_the_spread(direction, sign):
    rule = document()
    rule["metrics"][0]["direction"] = direction
    (item,) = evaluated(parse(rule))
    entered = _with_copies(item.table, 1, 2)
    assert entered.algorithms == ("a", "b", "c", "b, copy 1", "b, copy 2")
    step = 1e-6 * np.ptp(VALUES)
    assert values_of(entered)[:, :3].tolist() == VALUES.tolist()
    assert values_of(entered)[:, 3:] == pytest.approx(VALUES[:, [1]] + sign * step * np.array([1.0, 2.0]), abs=1e-12)
    assert entered.last_rank.shape == (6, 5)
    assert len(entered.outcomes) == 5
    flat = _with_copies(replace(item.table, values=np.full((6, 3), 0.5)), 0, 1)
    assert values_of(flat)[:, 3] == pytest.approx(0.5 + sign * 1e-6, abs=1e-12), "without a spread, of one"


def test_copies_lift_whoever_they_stand_before():
    """By two metrics a is before b and c, by one behind them: copies of one of these push it further back."""
    one = np.tile([0.9, 0.5, 0.1], (6, 1))
    two = np.tile([0.1, 0.5, 0.9], (6, 1))
    three = np.tile([0.9, 0.8, 0.1], (6, 1))
    tables = [results(values).assign(metric=name) for name, values in (("one", one), ("two", two), ("three", three))]
    rule = parse(document(metrics=("one", "two", "three"), ranking={"combine": {"over": ["metric"]}}))
    copies = copies_check(rule, pd.concat(tables, ignore_index=True))
    # Mean ranks 5/3, 2 and 7/3. With copies of b, a is fifth by the second metric and b before it, 7/3 and 2; with
    # copies of c both a and c have 7/3, and b has 8/3.
    (entry,) = copies["rankings"]
    assert [(row["name"], row["rank"], row["rank_with_copies"]) for row in entry["algorithms"]] == [
        ("a", 1, 1),
        ("b", 2, 1),
        ("c", 3, 1),
    ]
    assert (entry["gain"], entry["could_have_won"]) == (["b", "c"], ["b", "c"])
    assert (copies["possible"], copies["copies"]) == (True, 2)


@pytest.mark.parametrize(
    ("ranking", "possible"),
    [
        ({"combine": None}, False),
        ({"combine": None, "scheme": "rank_then_aggregate"}, True),
        ({"combine": None, "scheme": "test_then_rank"}, True),
        ({"combine": {"over": ["metric"]}}, True),
    ],
)
def test_copies_matter_where_cases_pairs_or_metrics_are_ranked(ranking, possible):
    copies = copies_check(parse(document(ranking=ranking)), results())
    assert (copies["possible"], bool(copies["rankings"])) == (possible, possible)


def test_copies_are_entered_in_every_task_or_in_none():
    both = pd.concat([results().assign(task="x"), results().assign(task="y")], ignore_index=True)
    rule = parse(document(ranking={"combine": None, "scheme": "rank_then_aggregate"}))
    copies = copies_check(rule, both, copies=3)
    assert [(entry["task"], [row["name"] for row in entry["algorithms"]]) for entry in copies["rankings"]] == [
        ("x", ["b", "c", "a"]),
        ("y", ["b", "c", "a"]),
    ]
    assert copies["copies"] == 3
    with pytest.raises(ResultsError, match="do not have the same algorithms"):
        copies_check(rule, both[(both["task"] == "x") | (both["algorithm"] != "c")])
