"""Contents of a ranking document besides its rankings, and the parts that are recomputed or kept."""

import importlib.metadata

import numpy as np
import pandas as pd
import pytest

from evaluation import __version__
from evaluation.aggregation import build_tables, check_results
from evaluation.assessment import parse
from evaluation.ranking.document import DIGEST_DIGITS, digest, plan_of, rank, reported_entry, unranked_metrics
from evaluation.ranking.evaluate import make_plan
from evaluation.ranking.plans import SCHEMA
from evaluation.ranking.resampling import STRATIFIED_VERSION, VERSION

CASES = [f"c{number}" for number in range(6)]
SCORES = {"b": 0.6, "a": 0.8}


def assessment(metrics=("one",), **more):
    uncertainty = {"bootstrap": 20, "seed": 7, **more.pop("uncertainty", {})}
    policy = more.pop("policy", {"missing": 0})
    own = [{"id": name, "direction": "higher", "policy": policy} for name in metrics]
    return parse({"problem": "external", "metrics": own, "uncertainty": uncertainty, **more})


def results(metrics=("one",), **columns):
    rows = [
        (name, case, metric, score + position / 100)
        for metric in metrics
        for name, score in SCORES.items()
        for position, case in enumerate(CASES)
    ]
    return pd.DataFrame(rows, columns=["algorithm", "case", "metric", "value"]).assign(**columns)


def test_the_head_of_a_document_says_how_it_came_about():
    read = assessment()
    made = rank(read, results())
    assert (made["schema"], made["seed"], made["bootstrap"]) == (SCHEMA, 7, 20) == (3, 7, 20)
    assert (made["assessment"], made["problem"]) == (read.digest, "external")
    assert made["resampling"] == {
        "version": VERSION,
        "resample": ["case"],
        "unit": "case",
        "strata": [],
        "interval": 0.95,
    }
    assert made["versions"]["podium"] == __version__
    assert made["versions"]["numpy"] == importlib.metadata.version("numpy") == np.__version__
    assert set(made["versions"]) == {"podium", "python", "numpy", "scipy", "pandas"}
    assert made["schemes"] == [read.document["ranking"]]
    assert made["aggregation"] == read.document["aggregation"]
    assert not {"reported", "scorer", "costs", "excluded", "notes"} & set(made)


def test_samples_and_seed_may_be_others_than_those_of_the_assessment():
    made = rank(assessment(), results(), bootstrap=5, seed=9)
    assert (made["seed"], made["bootstrap"]) == (9, 5)
    assert sum(made["rankings"][0]["algorithms"][0]["rank_frequencies"]) == 5
    none = rank(assessment(), results(), bootstrap=0, seed=0)
    assert (none["seed"], none["bootstrap"], none["rankings"][0]["resampled"]) == (0, 0, False)


def test_fixed_levels_have_a_version_of_their_own():
    levels = {"levels": ["case", {"name": "site", "role": "fixed"}]}
    cases = pd.DataFrame({"case": CASES, "site": list("xxxyyy")})
    made = rank(assessment(aggregation=levels), results(), cases=cases)
    assert made["resampling"]["version"] == STRATIFIED_VERSION != VERSION
    assert made["resampling"]["strata"] == ["site"]


def test_several_rankings_are_lists_and_one_is_not():
    one = rank(assessment(), results())
    assert isinstance(one["overall"], dict)
    several = assessment(ranking=[{"name": "mean"}, {"name": "median", "operator": "median"}])
    both = rank(several, results())
    assert (
        [entry["name"] for entry in both["rankings"]]
        == [entry["name"] for entry in both["overall"]]
        == ["mean", "median"]
    )
    assert both["schemes"] == several.document["ranking"]
    single = rank(assessment(ranking=[{"name": "mean"}]), results())
    assert isinstance(single["overall"], list), "a list of one ranking stays a list"
    apart = rank(assessment(ranking={"combine": None}), results())
    assert apart["overall"] is None
    by_metric = rank(assessment(("one", "two"), ranking={"combine": {"over": ["region"]}}), results(("one", "two")))
    assert [entry["metric"] for entry in by_metric["overall"]] == ["one", "two"]


def test_tasks_without_the_same_algorithms_have_no_overall_ranking_and_that_is_noted():
    read = assessment(ranking={"combine": {"over": ["task"]}})
    both = pd.concat([results(task="x"), results(task="y")], ignore_index=True)
    assert "notes" not in rank(read, both)
    fewer = both[(both["task"] == "x") | (both["algorithm"] == "a")]
    made = rank(read, fewer)
    assert made["overall"] is None
    assert made["notes"] == ["The tasks do not have the same algorithms, so there is no ranking over all tasks."]


def test_excluded_cases_are_told_with_their_reasons():
    rule = {"exclusions": {"cases": [{"case": "c1", "reason": "duplicate"}]}}
    made = rank(assessment(**rule), results())
    assert made["excluded"] == [{"case": "c1", "reason": "duplicate"}]
    assert made["rankings"][0]["cases"] == 5


def test_progress_counts_the_tables_of_all_rankings():
    several = assessment(("one", "two"), ranking=[{"name": "both"}, {"name": "first", "metrics": ["one"]}])
    told = []
    rank(several, results(("one", "two")), progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_tables_that_were_computed_before_are_not_computed_again():
    kept = {}
    first = rank(assessment(("one", "two")), results(("one", "two")), ranked_tables=kept)
    assert sorted(kept) == [0, 1]
    assert rank(assessment(("one", "two")), results(("one", "two")), ranked_tables=dict(kept)) == first
    # What is kept is taken as it is, whatever the values are by now.
    turned = results(("one", "two"))
    turned["value"] = 1.0 - turned["value"]
    again = rank(assessment(("one", "two")), turned, ranked_tables=kept)
    assert [row["name"] for row in again["rankings"][0]["algorithms"]] == ["a", "b"]
    assert [row["name"] for row in rank(assessment(), turned)["rankings"][0]["algorithms"]] == ["b", "a"]


def test_a_digest_covers_everything_but_the_versions_up_to_ten_digits():
    assert DIGEST_DIGITS == 10
    one = {"rankings": [{"score": 0.123456789012}], "versions": {"numpy": "2"}}
    assert digest(one) == digest({**one, "versions": {}})
    assert digest(one) == digest({"rankings": [{"score": 0.1234567890}]})
    assert digest(one) != digest({"rankings": [{"score": 0.123456788}]})


# Metrics without a rank


def test_only_metrics_that_no_ranking_uses_are_without_a_rank():
    names = ("one", "two", "three")
    assert unranked_metrics(assessment(names, ranking={"metrics": ["two"]})) == ("one", "three")
    assert unranked_metrics(assessment(names)) == ()
    lists = [{"name": "p", "metrics": ["two"]}, {"name": "q", "metrics": ["three"]}]
    assert unranked_metrics(assessment(names, ranking=lists)) == ("one",)
    assert unranked_metrics(assessment(names, ranking=[*lists, {"name": "all"}])) == ()


def test_a_metric_without_a_rank_is_reported_by_its_mean_in_the_order_of_names():
    read = assessment(
        ("one", "two"), ranking={"metrics": ["one"], "scheme": "rank_then_aggregate", "operator": "median"}
    )
    (told,) = rank(read, results(("one", "two")))["reported"]
    assert {key: told[key] for key in ("metric", "region", "task", "direction", "unit", "cases")} == {
        "metric": "two",
        "region": None,
        "task": None,
        "direction": "higher",
        "unit": None,
        "cases": 6,
    }
    assert [(row["name"], row["cases"]) for row in told["algorithms"]] == [("a", 6), ("b", 6)]
    assert [row["value"] for row in told["algorithms"]] == pytest.approx([0.825, 0.625])
    assert all(row["interval"][0] <= row["value"] <= row["interval"][1] for row in told["algorithms"])


def reported(table_results, *, bootstrap=20, **more):
    read = assessment(**more)
    (table,) = build_tables(read, check_results(table_results))
    plan = make_plan(read, CASES, None, bootstrap=bootstrap, seed=1)
    return reported_entry(table, plan, read)


def test_left_out_cases_are_not_counted_and_without_any_there_is_no_value():
    gappy = results()
    gappy.loc[(gappy["algorithm"] == "b") & (gappy["case"] != "c5"), "value"] = np.nan
    sentences = reported(gappy, policy={"missing": "exclude", "allow_gaming": True})
    assert [(row["name"], row["cases"]) for row in sentences["algorithms"]] == [("a", 6), ("b", 1)]
    assert sentences["algorithms"][1]["value"] == pytest.approx(0.65)
    nothing = gappy.assign(value=gappy["value"].where(gappy["algorithm"] == "a"))
    sentences = reported(nothing, policy={"missing": "exclude", "allow_gaming": True}, bootstrap=0)
    assert [(row["value"], row["cases"], row["interval"]) for row in sentences["algorithms"]] == [
        (pytest.approx(0.825), 6, None),
        (None, 0, None),
    ]


# The samples of a task


def test_samples_of_a_task_are_over_its_own_cases():
    read = assessment()
    both = pd.concat([results(task="x"), results(task="y").iloc[[0, 1, 6, 7]]], ignore_index=True)
    checked = check_results(both)
    plans = {
        table.task: plan_of(read, checked, table, metadata=None, evidence=None, bootstrap=3, seed=4)
        for table in build_tables(read, checked)
    }
    assert plans["x"].cases == tuple(CASES)
    assert plans["y"].cases == ("c0", "c1")
    assert {(plan.bootstrap, plan.seed) for plan in plans.values()} == {(3, 4)}


def test_values_of_all_cases_without_evidence_have_no_samples(monkeypatch):
    read = parse({"problem": "external", "metrics": [{"id": "area", "direction": "higher", "level": "dataset"}]})
    checked = check_results(
        pd.DataFrame([("a", "", "area", 0.9), ("b", "", "area", 0.5)], columns=["algorithm", "case", "metric", "value"])
    )
    (table,) = build_tables(read, checked)
    about = {"metadata": None, "bootstrap": 3, "seed": 4}
    without = plan_of(read, checked, table, evidence=None, **about)
    assert (without.cases, without.bootstrap, without.requested, without.seed) == ((), 0, 0, 4)
    monkeypatch.setattr("evaluation.ranking.document.cases_of_evidence", lambda _: ("x", "y"))
    with_evidence = plan_of(read, checked, table, evidence=object(), **about)
    assert (with_evidence.cases, with_evidence.bootstrap) == (("x", "y"), 3)
