"""Common features of rankings of several tasks, from manually written documents."""

from __future__ import annotations

import pytest

from evaluation.aggregation import ResultsError
from evaluation.ranking.tasks import across_tasks


def entry(places, **keys):
    return {
        "task": None,
        "metric": "dsc",
        "region": "liver",
        **keys,
        "algorithms": [{"name": n, "rank": r} for n, r in places.items()],
    }


def document(*places, key="task"):
    return {"rankings": [entry(one, **{key: f"t{number}"}) for number, one in enumerate(places)]}


FIRST, TURNED = {"b": 1, "a": 2, "c": 3}, {"a": 1, "b": 2, "c": 3}


def test_ranks_are_averaged_over_tasks_and_ranked_anew():
    comparisons = across_tasks(document(FIRST, TURNED, {"c": 1, "a": 2, "b": 3}))
    assert comparisons["tasks"] == ["t0", "t1", "t2"]
    # Ranges at positions 0.05 and 1.95 of three in order.
    rows = {row["name"]: row for row in comparisons["consensus"]}
    assert [row["name"] for row in comparisons["consensus"]] == ["a", "b", "c"]
    assert [rows[name]["mean_rank"] for name in "abc"] == pytest.approx([5 / 3, 2, 7 / 3])
    assert [rows[name]["rank"] for name in "abc"] == [1, 2, 3]
    assert [rows[name]["ranks"] for name in "abc"] == [[2, 1, 2], [1, 2, 3], [3, 3, 1]]
    assert [rows[name]["median"] for name in "abc"] == [2, 2, 3]
    assert rows["b"]["range"] == pytest.approx([1.05, 2.95])
    assert rows["c"]["range"] == pytest.approx([1.1, 3.0])
    # |2 - 1| + |1 - 2| between the first two; 0 + 2 + 2 and 1 + 1 + 2 to the third.
    assert comparisons["distances"]["footrule"] == [[0, 2, 4], [2, 0, 4], [4, 4, 0]]
    # One of three pairs turns round between the first two, two and three of them to the third.
    assert comparisons["tau"][0][1:] == pytest.approx([1 / 3, -1])
    assert comparisons["tau"][1][2] == pytest.approx(-1 / 3)
    assert set(comparisons["dendrograms"]) == {"complete", "average"}
    assert comparisons["dendrograms"]["complete"]["merges"][0]["height"] == 2


def test_two_tasks_are_not_clustered():
    comparisons = across_tasks(document(FIRST, TURNED))
    assert comparisons["dendrograms"] is None
    assert [(row["name"], row["mean_rank"], row["rank"]) for row in comparisons["consensus"]] == [
        ("a", 1.5, 1),
        ("b", 1.5, 1),
        ("c", 3, 3),
    ]


def test_ties_of_the_consensus_follow_the_rule_that_is_asked_for():
    comparisons = across_tasks(document(FIRST, TURNED), ties="average")
    assert [row["rank"] for row in comparisons["consensus"]] == [1.5, 1.5, 3]
    assert isinstance(comparisons["consensus"][2]["rank"], int)


def test_where_everybody_is_tied_no_order_is_compared():
    comparisons = across_tasks(document({"a": 1, "b": 1}, {"a": 1, "b": 2}))
    assert comparisons["tau"][0][1] is None


def test_a_task_is_named_by_what_tells_it_apart():
    both = [
        entry(FIRST, region="liver", metric=metric, task=task)
        for metric, task in (("dsc", "x"), ("nsd", "x"), ("dsc", "y"))
    ]
    assert across_tasks({"rankings": both})["tasks"] == ["x, dsc", "x, nsd", "y, dsc"]
    assert across_tasks({"rankings": both[:1]})["tasks"] == ["all cases"]
    assert across_tasks(document(FIRST, TURNED, key="region"))["tasks"] == ["t0", "t1"]


def test_without_the_same_algorithms_there_is_no_consensus():
    with pytest.raises(ResultsError, match="t1 does not have the same algorithms as t0"):
        across_tasks(document(FIRST, {"a": 1, "b": 2}))
    with pytest.raises(ResultsError, match="t2 does not have the same algorithms as t0"):
        across_tasks(document(FIRST, TURNED, {"a": 1, "b": 2, "d": 3}))
