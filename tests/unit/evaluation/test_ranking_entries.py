"""Entry of one ranking in a ranking document: its head, algorithms, tests, and counting of failed cases."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from evaluation import rank
from evaluation.aggregation import build_tables, check_results
from evaluation.assessment import parse
from evaluation.ranking.combination import combine
from evaluation.ranking.entries import (
    _failed_of,
    _failed_together,
    _interval,
    _leave_one_out,
    _matrix,
    _missing_cases,
    _number,
    _without_what_stands_beside,
    algorithm_entry,
    combined_ranking,
    full_data_p_values,
    resampling_interval,
    single_ranking,
    summary_entry,
)
from evaluation.ranking.evaluate import evaluate, make_plan
from evaluation.ranking.parts import parts_of
from evaluation.ranking.significance import stratified_matrix, wilcoxon_matrices

CASES = [f"c{number}" for number in range(6)]
LEVEL = np.linspace(0.3, 0.5, 6)[:, None] + np.array([0.0, 0.2, 0.1])
VALUES = LEVEL + 0.01 * np.array([[0, 2, 1], [1, 0, 2], [2, 1, 0], [0, 1, 2], [1, 2, 0], [2, 0, 1]])
NAMES = ("a", "b", "c")


def document(**more):
    metrics = more.pop("metrics", ("value",))
    return {
        "problem": "external",
        "metrics": [{"id": name, "direction": "higher", "policy": {"missing": 0}} for name in metrics],
        "uncertainty": {"bootstrap": 40},
        **more,
    }


def results(values=VALUES, metrics=("value",)):
    rows = [
        (name, case, metric, row[position])
        for metric in metrics
        for case, row in zip(CASES, values, strict=True)
        for position, name in enumerate(NAMES)
    ]
    return pd.DataFrame(rows, columns=["algorithm", "case", "metric", "value"])


def evaluated(read, *, metadata=None, bootstrap=4, values=VALUES, metrics=("value",)):
    plan = make_plan(read, CASES, metadata, bootstrap=bootstrap, seed=1)
    tables = build_tables(read, check_results(results(values, metrics)))
    return [evaluate(table, plan, read.rankings[0], read) for table in tables]


# One ranking


def test_the_head_of_an_entry_says_what_is_ranked_and_on_what():
    entry = rank(document(), results())["rankings"][0]
    head = {
        key: entry[key] for key in list(entry) if key in ("metric", "region", "task", "direction", "unit", "scheme")
    }
    assert head == {
        "metric": "value",
        "region": None,
        "task": None,
        "direction": "higher",
        "unit": None,
        "scheme": "aggregate_then_rank",
    }
    assert (entry["score_direction"], entry["cases"], entry["drawn_units"], entry["resampled"]) == (
        "higher",
        6,
        6,
        True,
    )
    assert "name" not in entry
    by_ranks = rank(document(ranking={"scheme": "rank_then_aggregate"}), results())["rankings"][0]
    assert (by_ranks["direction"], by_ranks["score_direction"]) == ("higher", "lower")


def test_algorithms_stand_in_order_with_their_scores_ranks_and_draws():
    entry = rank(document(), results())["rankings"][0]
    assert [row["name"] for row in entry["algorithms"]] == ["b", "c", "a"]
    assert [row["rank"] for row in entry["algorithms"]] == [1, 2, 3]
    assert [row["score"] for row in entry["algorithms"]] == pytest.approx(VALUES.mean(axis=0)[[1, 2, 0]].tolist())
    assert [(row["missing"], row["outcomes"]) for row in entry["algorithms"]] == [(0, {"ok": 6})] * 3
    assert entry["algorithms"][0]["rank_frequencies"] == [40, 0, 0]
    assert (entry["winners"], entry["winner_stays"]) == (["b"], 1.0)
    unsure = rank(document(uncertainty={"bootstrap": 0}), results())["rankings"][0]
    assert (unsure["resampled"], unsure["algorithms"][0]["rank_interval"], unsure["winner_stays"]) == (
        False,
        None,
        None,
    )


def test_tests_are_told_with_how_many_cases_they_take():
    entry = rank(document(ranking={"scheme": "test_then_rank", "alpha": 0.1}), results())["rankings"][0]
    tests = entry["tests"]
    assert (tests["alpha"], tests["adjust"], tests["units"], tests["stratified"]) == (0.1, "holm", 6, False)
    assert tests["cases_needed"] > tests["cases_needed_unadjusted"]
    p_values = wilcoxon_matrices(VALUES, np.ones((6, 1)), higher_is_better=True)[0]
    assert entry["p_values"][0][1] == pytest.approx(p_values[1, 2])
    assert entry["p_values"][1][0] == pytest.approx(p_values[2, 1])
    # Of six p-values the smallest of three that are equal counts six times by Holm's method.
    assert entry["p_adjusted"][0][2] == pytest.approx(6 * p_values[1, 0])
    expected = [[value is not None and value <= 0.1 for value in row] for row in entry["p_adjusted"]]
    assert entry["significantly_better"] == expected


def test_one_algorithm_is_not_tested():
    alone = results()[lambda table: table["algorithm"] == "a"]
    entry = rank(document(), alone)["rankings"][0]
    assert (entry["tests"], entry["p_values"], entry["p_adjusted"], entry["significantly_better"]) == (None,) * 4
    assert (entry["resampled"], entry["kendall_tau"], entry["winners"]) == (False, None, ["a"])
    two = results()[lambda table: table["algorithm"] != "c"]
    pair = rank(document(), two)["rankings"][0]
    assert (pair["resampled"], len(pair["p_values"])) == (True, 2)


def test_cases_that_were_added_for_an_algorithm_are_named():
    fewer = results().iloc[1:]
    entry = rank(document(), fewer)["rankings"][0]
    assert entry["inserted"] == [{"case": "c0", "algorithm": "a"}]
    assert "inserted" not in rank(document(), results())["rankings"][0]


# Tests of units


METADATA = pd.DataFrame(
    {"case": CASES, "patient": ["p", "p", "q", "r", "s", "s"], "site": ["x", "x", "x", "y", "y", "y"]}
)


def test_tests_compare_units_by_the_values_of_their_cases():
    read = parse(document(aggregation={"levels": ["case", "patient"]}))
    (item,) = evaluated(read, metadata=METADATA)
    patients = np.array([VALUES[:2].mean(axis=0), VALUES[2], VALUES[3], VALUES[4:].mean(axis=0)])
    expected = wilcoxon_matrices(patients, np.ones((4, 1)), higher_is_better=True)[0]
    np.testing.assert_allclose(full_data_p_values(item.table, item.plan, read), expected)


def test_tests_compare_the_units_that_are_drawn_although_a_level_stands_outside_of_them():
    """Patients are drawn, and sites, which are a sample too, hold several of them."""
    levels = ["case", "patient", {"name": "site", "role": "random"}]
    read = parse(document(aggregation={"levels": levels}, uncertainty={"resample": ["patient", "case"]}))
    (item,) = evaluated(read, metadata=METADATA)
    patients = np.array([VALUES[:2].mean(axis=0), VALUES[2], VALUES[3], VALUES[4:].mean(axis=0)])
    expected = wilcoxon_matrices(patients, np.ones((4, 1)), higher_is_better=True)[0]
    np.testing.assert_allclose(full_data_p_values(item.table, item.plan, read), expected)


def test_tests_of_sites_take_a_patient_of_two_sites_in_each_of_them():
    read = parse(document(aggregation={"levels": ["case", "patient"]}, uncertainty={"resample": ["site", "case"]}))
    (item,) = evaluated(read, metadata=METADATA.assign(patient=["p", "p", "q", "p", "s", "s"]))
    first = (VALUES[:2].mean(axis=0) + VALUES[2]) / 2
    second = (VALUES[3] + VALUES[4:].mean(axis=0)) / 2
    expected = wilcoxon_matrices(np.array([first, second]), np.ones((2, 1)), higher_is_better=True)[0]
    np.testing.assert_allclose(full_data_p_values(item.table, item.plan, read), expected)


def test_tests_of_strata_keep_each_unit_in_its_own():
    read = parse(document(aggregation={"levels": ["case", {"name": "site", "role": "fixed"}]}))
    mixed = METADATA.assign(site=["x", "y", "x", "y", "x", "y"])
    (item,) = evaluated(read, metadata=mixed)
    expected = stratified_matrix(VALUES, np.array([0, 1, 0, 1, 0, 1]), higher_is_better=True)
    np.testing.assert_allclose(full_data_p_values(item.table, item.plan, read), expected)


# Small things that are written


def test_numbers_are_whole_where_they_are_and_nothing_where_there_is_none():
    assert [_number(value) for value in (2.0, 2.5, np.nan, np.inf, -0.0)] == [2, 2.5, None, None, 0]
    assert isinstance(_number(2.0), int)
    assert isinstance(_number(2.0**53), float)
    assert isinstance(_number(2.0**53 - 1), int)
    assert isinstance(_number(-(2.0**53)), float)
    assert _interval(np.array([1.0, 2.5])) == [1, 2.5]
    assert _interval(np.array([1.0, np.nan])) is None


def test_a_matrix_is_written_in_the_order_of_the_board():
    values = np.array([[np.nan, 0.25, 1.0], [0.75, np.nan, np.inf], [0.0, 2.0**53, np.nan]])
    rows = _matrix(values, np.array([2, 0, 1]))
    assert rows == [[None, 0, 2.0**53], [1, None, 0.25], [None, 0.75, None]]
    assert isinstance(rows[0][1], int)
    assert isinstance(rows[0][2], float)


def test_winners_are_all_who_share_the_best_rank():
    ranks = np.array([2.0, 1.0, 1.0])
    assert summary_entry(ranks, None, ["b", "c", "a"])["winners"] == ["b", "c"]
    entry = algorithm_entry("a", 0, scores=np.array([np.nan, 1.0]), ranks=np.array([2.0, 1.0]), stability=None)
    assert entry == {"name": "a", "score": None, "rank": 2} | dict.fromkeys(
        ("rank_interval", "rank_median", "score_interval", "share_first", "rank_frequencies")
    )


# Leaving out


def left_out(ranks, *, bootstrap=1, inside=None, is_by_run=False):
    ranks = np.array(ranks, dtype=float)
    units = np.array([0, 0, 1, 2])
    own = SimpleNamespace(
        bootstrap=bootstrap,
        number=len(ranks),
        design=SimpleNamespace(units=units),
        left_out_cases=lambda sample: [f"c{case}" for case in np.flatnonzero(units == sample)],
    )
    member = SimpleNamespace(table=SimpleNamespace(metric=SimpleNamespace(is_by_run=is_by_run)))
    return _leave_one_out(ranks, own, [member], inside)


FULL, DRAWN = [1, 2, 3], [3, 1, 2]


def test_cases_that_decide_the_first_place_are_named():
    result = left_out([FULL, DRAWN, [1, 2, 3], [2, 1, 3], [1, 1, 3]])
    assert result["changed_by"] == [["c2"], ["c3"]]
    assert result["winner_stays"] == pytest.approx(2 / 3), "sharing the first place is staying first"
    hidden = left_out([FULL, DRAWN, [1, 2, 3], [2, 1, 3], [1, 1, 3]], is_by_run=True)
    assert hidden["changed_by"] == [[], []]


def test_of_one_data_set_only_its_own_units_are_left_out():
    result = left_out([FULL, DRAWN, [2, 1, 3], [1, 2, 3], [2, 1, 3]], inside=np.array([False, False, True, True]))
    assert result["changed_by"] == [["c3"]]
    assert result["winner_stays"] == 0.5


def test_where_nothing_was_left_out_nothing_is_told():
    assert left_out([FULL, DRAWN]) is None
    short = SimpleNamespace(bootstrap=1, number=5)
    assert _leave_one_out(np.array([FULL, DRAWN, FULL], dtype=float), short, []) is None


# Failed cases of several tables


def member(metric, missing, *, task=None, inside=None, tells=True):
    table = SimpleNamespace(task=task, algorithms=("a", "b"), metric=SimpleNamespace(name=metric))
    own = None if inside is None else np.array(inside, dtype=bool)
    return SimpleNamespace(table=table, missing=missing, inside=own, tells_missing=tells)


def test_failed_cases_are_those_of_the_worst_table_of_each_task():
    assert _missing_cases([member("x", (1, 0)), member("y", (0, 2))]) == {"a": 1, "b": 2}
    assert _missing_cases([member("x", (1, 0)), member("x", (2, 0))]) == {"a": 2, "b": 0}, "regions of one metric"
    assert _missing_cases([member("x", (1, 0), task="s"), member("x", (2, 3), task="t")]) == {"a": 3, "b": 3}


def test_failed_cases_of_several_data_sets_are_counted_together():
    halves = [
        member("x", (1, 0), inside=[1, 0]),
        member("x", (2, 1), inside=[0, 1]),
        member("y", (2, 0), inside=[1, 0]),
    ]
    assert _missing_cases(halves) == {"a": 3, "b": 1}


def test_only_tables_that_tell_failed_cases_are_asked():
    telling, silent = member("x", (1, 0)), member("y", (5, 5), tells=False)
    assert _failed_together([telling, silent], ("a", "b")) == [1, 0]
    assert _failed_together([silent], ("a", "b")) == [None, None]
    assert _failed_of(telling) == (1, 0)
    assert _failed_of(silent) == [None, None]


def test_a_value_over_all_data_sets_is_left_out_where_each_of_them_has_its_own(monkeypatch):
    def item(metric, region, *, per_dataset=True):
        table = SimpleNamespace(metric=SimpleNamespace(name=metric), region=region, per_dataset=per_dataset)
        return SimpleNamespace(table=table)

    def stands_beside(answer):
        evidence = SimpleNamespace(has_overall_value=lambda _: answer)
        monkeypatch.setattr("evaluation.ranking.entries.kind_of", lambda _: SimpleNamespace(evidence=evidence))
        return SimpleNamespace(settings={})

    of_each, over_all, alone = item("x", "in"), item("x", None), item("y", None)
    of_cases, of_region = item("z", None, per_dataset=False), item("z", "in", per_dataset=False)
    items = [of_each, over_all, alone, of_cases, of_region]
    assert _without_what_stands_beside(items, stands_beside(True)) == [of_each, alone, of_cases, of_region]
    assert _without_what_stands_beside(items, stands_beside(False)) == items


# For statements of certainty


def test_a_single_ranking_has_the_full_data_and_the_bootstrap_and_nothing_behind():
    read = parse(document())
    (item,) = evaluated(read)
    assert len(item.ranked.ranks) == 1 + 4 + 6
    own = single_ranking(item, read.rankings[0], read)
    assert (len(own.ranks), len(own.scores), len(own.elementary[0].scores)) == (5, 5, 5)
    assert own.elementary[0].cases.tolist() == [6.0] * 5
    assert own.elementary[0].key == {"task": None, "metric": "value", "region": None}
    some = single_ranking(replace(item, inside=np.arange(6) < 2), read.rankings[0], read)
    assert some.elementary[0].cases.tolist() == [2.0] * 5


def combined(*, over, resample=("case",), metrics=("one", "two")):
    rule = document(metrics=metrics, ranking={"combine": {"over": over}})
    read = parse({**rule, "uncertainty": {"resample": list(resample)}})
    items = evaluated(read, metadata=METADATA, metrics=metrics)
    scheme = read.rankings[0]
    parts = parts_of(items, scheme, read)
    (part,) = combine(parts, scheme.combine)
    return combined_ranking(part, parts, items, scheme, read), items


def test_a_combined_ranking_has_its_parts_as_far_as_the_bootstrap_goes():
    own, items = combined(over=["metric"])
    assert len(own.elementary) == 2
    assert [part.item for part in own.elementary] == items
    assert {len(part.scores) for part in own.elementary} == {5}
    assert (len(own.ranks), len(own.scores), own.combined) == (5, 5, True)
    sites, _ = combined(over=["site", "metric"])
    assert [part.key["site"] for part in sites.elementary] == ["x", "y", "x", "y"]
    assert all(part.inside.sum() == 3 for part in sites.elementary)


def test_groups_that_are_drawn_are_none_of_its_parts():
    own, items = combined(over=["site", "metric"], resample=("site", "case"))
    (part,) = own.elementary
    assert part.item is items[0]
    assert (part.inside, part.key, len(part.scores), len(part.cases)) == (None, {}, 1, 1)


def test_what_is_not_combined_has_its_own_parts_alone():
    rule = document(metrics=("one", "two"), ranking={"combine": {"over": ["site"]}})
    read = parse(rule)
    items = evaluated(read, metadata=METADATA, metrics=("one", "two"))
    scheme = read.rankings[0]
    parts = parts_of(items, scheme, read)
    first, _ = combine(parts, scheme.combine)
    own = combined_ranking(first, parts, items[:1], scheme, read)
    assert {part.key["metric"] for part in own.elementary} == {"one"}


def test_intervals_of_scores_are_there_where_something_is_drawn():
    read = parse(document())
    (item,) = evaluated(read, bootstrap=50)
    intervals = resampling_interval(item, read)
    scores = item.ranked.scores[1:51]
    for column, (low, high) in enumerate(intervals):
        assert scores[:, column].min() <= low < item.ranked.scores[0, column] < high <= scores[:, column].max()
    (without,) = evaluated(read, bootstrap=0)
    assert resampling_interval(without, read) == [None, None, None]
