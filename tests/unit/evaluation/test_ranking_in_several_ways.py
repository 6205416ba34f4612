"""The same algorithms ranked in several ways: statements, algorithms and reference ranking of a comparison."""

import numpy as np
import pandas as pd
import pytest

from evaluation.aggregation import ResultsError
from evaluation.assessment import Operator, parse
from evaluation.ranking import rank
from evaluation.ranking.comparison import (
    across_rankings,
    across_schemes,
    alternative_schemes,
    by_column,
    compare,
    compare_documents,
    without_pairwise,
)

REGIONS = [{"name": "r", "labels": [1]}, {"name": "s", "labels": [2]}]
NAMES = ("a", "b", "c")
A_FIRST = np.tile([0.9, 0.6, 0.3], (6, 1))

# Metric, region, and whether it is the overall one.
EVERY_RANKING = [
    ("dsc", "r", None),
    ("dsc", "s", None),
    ("iou", "r", None),
    ("iou", "s", None),
    (None, None, True),
]


def registered(**ranking):
    return parse(
        {
            "problem": "semantic_segmentation",
            "regions": REGIONS,
            "metrics": [{"id": "dsc"}, {"id": "iou"}],
            "ranking": ranking,
            "uncertainty": {"bootstrap": 0},
        }
    )


def table(values, **columns):
    rows = [(name, f"c{case}", row[position]) for case, row in enumerate(values) for position, name in enumerate(NAMES)]
    return pd.DataFrame(rows, columns=["algorithm", "case", "value"]).assign(outcome="ok", **columns)


def both_metrics(first, second):
    """Values of two metrics in two regions: the second region turns the order of the first metric round."""
    parts = [
        table(first, metric="dsc", region="r"),
        table(first[:, ::-1], metric="dsc", region="s"),
        table(second, metric="iou", region="r"),
        table(second, metric="iou", region="s"),
    ]
    return pd.concat(parts, ignore_index=True)


def plain(**ranking):
    metric = {"id": "value", "direction": "higher", "policy": {"missing": 0}}
    return parse({"problem": "table", "metrics": [metric], "ranking": ranking, "uncertainty": {"bootstrap": 0}})


# What a comparison says


def test_everything_is_compared_with_the_reference():
    comparison = compare(
        {
            "mean": {"a": 1, "b": 2, "c": 3, "d": 4},
            "median": {"a": 4, "b": 1, "c": 3, "d": 2},
            "ranks": {"a": 1, "b": 1, "c": 3, "d": 4},
        }
    )
    assert comparison["reference"] == "mean"
    assert comparison["labels"] == ["mean", "median", "ranks"]
    assert comparison["algorithms"] == ["a", "b", "c", "d"]
    assert comparison["ranks"] == [[1, 2, 3, 4], [4, 1, 3, 2], [1, 1, 3, 4]]
    assert comparison["winners"] == {"mean": ["a"], "median": ["b"], "ranks": ["a", "b"]}
    assert comparison["winner_kept"] == 0.5
    assert comparison["other_winners"] == ["b"]
    assert comparison["largest_change"] == {"algorithm": "a", "label": "median", "from": 1, "to": 4}
    # Of six pairs four turn between the first two; five are alike between the first and the third, which ties one.
    assert comparison["tau"][0] == [1, pytest.approx(-2 / 6), pytest.approx(5 / 30**0.5)]
    assert comparison["tau"][1][0] == comparison["tau"][0][1]


def test_another_label_may_be_the_reference_and_orders_the_algorithms():
    rankings = {"one": {"a": 1, "b": 2}, "two": {"a": 2, "b": 1}}
    comparison = compare(rankings, "two")
    assert (comparison["reference"], comparison["algorithms"], comparison["other_winners"]) == (
        "two",
        ["b", "a"],
        ["a"],
    )
    assert comparison["largest_change"] == {"algorithm": "b", "label": "one", "from": 1, "to": 2}


def test_half_ranks_stay_and_constant_rankings_have_no_agreement():
    comparison = compare({"one": {"b": 1.5, "a": 1.5}, "two": {"a": 1, "b": 2}})
    assert comparison["algorithms"] == ["a", "b"], "equal ranks by name"
    assert comparison["ranks"] == [[1.5, 1.5], [1, 2]]
    assert comparison["tau"] == [[None, None], [None, 1]]
    # Both winners of the reference would have to be first.
    assert (comparison["winner_kept"], comparison["other_winners"]) == (0.0, [])


def test_one_ranking_alone_keeps_nothing_and_changes_nothing():
    comparison = compare({"only": {"a": 1, "b": 2}})
    assert comparison["winner_kept"] is None
    assert (comparison["largest_change"]["from"], comparison["largest_change"]["to"]) == (1, 1)


# Under other schemes


def test_the_usual_schemes_keep_everything_else_that_is_registered():
    own = plain(ties="max", missing_rank="last", operator="median").rankings[0]
    schemes = alternative_schemes(own)
    assert list(schemes) == [
        "mean, then rank",
        "median, then rank",
        "rank, then mean",
        "rank, then median",
        "significance tests",
    ]
    assert {(scheme.ties, scheme.missing_rank, scheme.alpha, scheme.adjust) for scheme in schemes.values()} == {
        ("max", "last", 0.05, "none")
    }
    assert schemes["rank, then median"].operator == Operator("median")


def test_a_rule_of_its_own_stands_before_the_usual_ones():
    adjusted = plain(scheme="test_then_rank", adjust="holm").rankings[0]
    schemes = alternative_schemes(adjusted)
    assert next(iter(schemes)) == "registered"
    assert schemes["registered"] is adjusted
    assert schemes["significance tests"].adjust == "none"


def test_alternatives_average_ranks_in_the_first_step_alone():
    steps = [{"over": ["region"], "rerank": False}, {"over": ["metric"], "rerank": False}]
    own = registered(scheme="rank_then_aggregate", combine=steps)
    schemes = alternative_schemes(own.rankings[0])
    assert next(iter(schemes)) == "registered", "means of mean ranks are none of the usual ways"
    assert [step.rerank for step in schemes["registered"].combine] == [False, False]
    assert [step.rerank for step in schemes["mean, then rank"].combine] == [True, False]


def test_schemes_that_compare_pairs_can_be_left_out():
    schemes = without_pairwise(alternative_schemes(plain().rankings[0]))
    assert list(schemes) == ["mean, then rank", "median, then rank", "rank, then mean", "rank, then median"]


def test_every_metric_and_region_and_the_overall_ranking_are_compared():
    comparisons = across_schemes(registered(), both_metrics(A_FIRST, A_FIRST[:, [1, 0, 2]]))
    assert [(entry.get("metric"), entry.get("region"), entry.get("overall")) for entry in comparisons] == EVERY_RANKING
    assert [entry["winners"]["mean, then rank"] for entry in comparisons] == [["a"], ["c"], ["b"], ["b"], ["b"]]
    assert comparisons[0]["task"] is None


def test_without_a_combination_there_is_no_overall_comparison():
    comparisons = across_schemes(registered(combine=None), both_metrics(A_FIRST, A_FIRST))
    assert len(comparisons) == 4
    apart = across_schemes(registered(combine={"over": ["region"]}), both_metrics(A_FIRST, A_FIRST))
    assert len(apart) == 4, "two rankings that stay apart are no overall one"


def test_only_what_the_registered_ranking_uses_is_compared():
    some = registered(metrics=["dsc"], regions=["s"], combine=None)
    (only,) = across_schemes(some, both_metrics(A_FIRST, A_FIRST))
    assert (only["metric"], only["region"]) == ("dsc", "s")


def test_one_of_several_rankings_is_varied_by_its_name():
    several = parse(
        {
            "problem": "table",
            "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}],
            "ranking": [{"name": "one"}, {"name": "two", "operator": "median"}],
        }
    )
    values = table(A_FIRST).drop(columns="outcome")
    assert across_schemes(several, values)[0]["reference"] == "mean, then rank"
    assert across_schemes(several, values, name="two")[0]["reference"] == "median, then rank"
    assert across_schemes(several, values, name="one")[0]["reference"] == "mean, then rank"


def test_values_of_all_cases_together_have_no_other_schemes():
    whole = parse(
        {"problem": "external", "metrics": [{"id": "area", "direction": "higher", "level": "dataset"}]},
    )
    rows = [(name, "", "area", score) for name, score in zip(NAMES, (0.9, 0.5, 0.1), strict=True)]
    with pytest.raises(ResultsError, match="there are no other schemes to compare"):
        across_schemes(whole, pd.DataFrame(rows, columns=["algorithm", "case", "metric", "value"]))


def test_tasks_with_different_algorithms_have_no_overall_comparison():
    values = pd.concat([table(A_FIRST, task="x"), table(A_FIRST[:, ::-1], task="y")], ignore_index=True)
    values = values.drop(columns="outcome")
    combined = plain(combine={"over": ["task"]})
    assert [entry.get("overall") for entry in across_schemes(combined, values)] == [None, None, True]
    fewer = values[(values["task"] == "x") | (values["algorithm"] != "c")]
    comparisons = across_schemes(combined, fewer)
    assert [(entry["task"], entry["algorithms"]) for entry in comparisons] == [
        ("x", ["a", "b", "c"]),
        ("y", ["b", "a"]),
    ]


def test_one_task_alone_is_its_own_overall_ranking():
    comparisons = across_schemes(plain(combine={"over": ["task"]}), table(A_FIRST, task="x").drop(columns="outcome"))
    assert [
        (entry.get("task"), entry.get("overall"), entry["winners"]["mean, then rank"]) for entry in comparisons
    ] == [
        ("x", None, ["a"]),
        (None, True, ["a"]),
    ]


# Documents


def test_rankings_of_a_document_are_labelled_by_what_tells_them_apart():
    document = rank(registered(combine=None), both_metrics(A_FIRST, A_FIRST))
    comparison = across_rankings(document)
    assert comparison["labels"] == ["dsc, r", "dsc, s", "iou, r", "iou, s"]
    assert comparison["reference"] == "dsc, r"
    named = parse(
        {
            "problem": "table",
            "metrics": [{"id": "value", "direction": "higher"}],
            "ranking": [{"name": "one"}, {"name": "two", "operator": "median"}],
            "uncertainty": {"bootstrap": 0},
        }
    )
    values = pd.concat([table(A_FIRST, task=task) for task in ("x", "y")], ignore_index=True).drop(columns="outcome")
    assert across_rankings(rank(named, values))["labels"] == [
        f"{name}, {task}, value" for name in ("one", "two") for task in ("x", "y")
    ]


def test_a_single_ranking_is_compared_with_nothing_and_two_are_with_each_other():
    single = rank(plain(), table(A_FIRST).drop(columns="outcome"))
    assert across_rankings(single) is None
    two = {**single, "rankings": [*single["rankings"], {**single["rankings"][0], "metric": "other"}], "overall": []}
    assert across_rankings(two)["reference"] == "value"


def test_documents_are_compared_ranking_by_ranking_and_overall():
    first = rank(registered(), both_metrics(A_FIRST, A_FIRST))
    turned = rank(registered(), both_metrics(A_FIRST[:, ::-1], A_FIRST[:, ::-1]))
    comparisons = compare_documents({"first": first, "turned": turned})
    assert [(entry.get("metric"), entry.get("region"), entry.get("overall")) for entry in comparisons] == EVERY_RANKING
    assert comparisons[0]["winners"] == {"first": ["a"], "turned": ["c"]}
    assert comparisons[1]["winners"] == {"first": ["c"], "turned": ["a"]}
    assert comparisons[4]["winners"] == {"first": ["a"], "turned": ["c"]}
    apart = registered(combine=None)
    alone = rank(apart, both_metrics(A_FIRST, A_FIRST))
    assert len(compare_documents({"first": alone, "again": alone})) == 4


def test_subgroups_are_ranked_and_the_whole_is_the_reference():
    values = A_FIRST.copy()
    values[4:] = values[4:, ::-1]
    cases = pd.DataFrame({"case": [f"c{case}" for case in range(6)], "year": [2020, 2020, 2020, 2020, 2021, 2021]})
    result = by_column(plain(), table(values).drop(columns="outcome"), cases, "year", bootstrap=30)
    assert result["column"] == "year"
    assert list(result["documents"]) == ["2020", "2021"]
    assert [document["rankings"][0]["cases"] for document in result["documents"].values()] == [4, 2]
    assert {document["bootstrap"] for document in result["documents"].values()} == {30}
    (comparison,) = result["comparison"]
    assert comparison["reference"] == "all cases"
    assert comparison["winners"] == {"all cases": ["a"], "2020": ["a"], "2021": ["c"]}
