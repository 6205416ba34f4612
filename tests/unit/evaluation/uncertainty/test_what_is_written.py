"""Certainty in the entry of a ranking, key by key, on small boards."""

import numpy as np
import pandas as pd
import pytest

from evaluation import rank
from evaluation.ranking.uncertainty.sign_flips import FLIPS_VERSION
from tests.unit.evaluation.uncertainty.boards import ranked, results

NAMES = ("a", "b", "c")
APART = np.array([0.9, 0.6, 0.3]) + 0.01 * np.sin(np.arange(24.0)).reshape(8, 3)
TEN = {"bootstrap": 200, "interval": 0.9}


def entry(values=APART, names=NAMES, **changes):
    return ranked(values, names, **{"uncertainty": TEN, **changes})[0]


def by_name(found, key):
    return {row["name"]: row[key] for row in found["algorithms"]}


def test_a_mean_is_judged_by_flips_and_everything_that_it_needs_is_written():
    ranking_entry = entry()
    assert ranking_entry["sets"] == {
        "method": "sign_flips",
        "level": 0.9,
        "units": 8,
        "units_needed": {"sets": 6, "winner": 5},
        "reason": None,
        "flips": FLIPS_VERSION,
    }
    assert ranking_entry["winner"] == {"named": True, "algorithm": "a", "alpha": 0.1, "reason": "shown"}
    assert ranking_entry["verdict"] == "significant"
    assert ranking_entry["shown_better"] == [[False, True, True], [False, False, True], [False, False, False]]
    # Of 256 flips those that leave every sign are one; p-values look at one side.
    assert ranking_entry["p_own"] == [[None, 1 / 256, 1 / 256], [1.0, None, 1 / 256], [1.0, 1.0, None]]
    assert by_name(ranking_entry, "rank_set") == {"a": [1, 1], "b": [2, 2], "c": [3, 3]}
    assert by_name(ranking_entry, "letters") == {"a": "a", "b": "b", "c": "c"}
    assert by_name(ranking_entry, "within_reach") == {"a": True, "b": False, "c": False}
    assert ranking_entry["left_out"] == {}
    assert ranking_entry["margin"] is None


def test_a_median_is_judged_by_draws_and_names_no_version_of_flips():
    ranking_entry = entry(ranking={"operator": "median"})
    assert (ranking_entry["sets"]["method"], ranking_entry["sets"]["flips"]) == ("draws", None)
    assert ranking_entry["winner"]["reason"] == "shown"
    assert ranking_entry["shown_better"] == [[False, True, True], [False, False, True], [False, False, False]]
    assert by_name(ranking_entry, "difference_from_first")["a"] is None
    assert by_name(ranking_entry, "difference_from_first")["c"]["verdict"] == "better"


def test_without_resamples_nothing_is_stated_and_no_flips_are_named():
    ranking_entry = entry(uncertainty={"bootstrap": 0})
    assert (ranking_entry["sets"]["reason"], ranking_entry["sets"]["flips"], ranking_entry["sets"]["method"]) == (
        "not_resampled",
        None,
        "sign_flips",
    )
    assert ranking_entry["winner"] == {"named": False, "algorithm": None, "alpha": 0.05, "reason": "not_resampled"}
    assert (ranking_entry["verdict"], ranking_entry["first_again"]) == (None, None)
    assert ranking_entry["p_own"] == [[None] * 3] * 3
    assert by_name(ranking_entry, "rank_set") == {"a": None, "b": None, "c": None}
    assert by_name(ranking_entry, "within_reach") == {"a": False, "b": False, "c": False}
    assert by_name(ranking_entry, "letters") == {"a": "a", "b": "a", "c": "a"}


def test_with_enough_units_for_a_winner_alone_every_set_but_the_winners_is_whole():
    ranking_entry = entry(APART[:5])
    assert (ranking_entry["sets"]["reason"], ranking_entry["winner"]["named"]) == ("too_few_units", True)
    assert by_name(ranking_entry, "rank_set") == {"a": [1, 1], "b": [2, 3], "c": [2, 3]}
    by_draws = entry(APART[:6], ranking={"operator": "median"})
    assert (by_draws["sets"]["reason"], by_draws["winner"]["reason"]) == ("too_few_units", "too_few_units")
    assert by_name(by_draws, "rank_set") == {"a": [1, 3], "b": [1, 3], "c": [1, 3]}


def test_a_p_value_of_exactly_half_the_winners_share_names_the_winner():
    """Six cases on one side are one flip of 64; the share of 1/32 is halved for one side."""
    ranking_entry = entry(APART[:6, :2], ("a", "b"), uncertainty={"bootstrap": 200, "winner_alpha": 1 / 32})
    assert (ranking_entry["p_own"][0][1], ranking_entry["winner"]["named"]) == (1 / 64, True)
    against = APART[:6, :2].copy()
    against[0] = [0.6, 0.61]  # one small difference the other way: turned round, it makes a second flip as large
    doubtful = entry(against, ("a", "b"), uncertainty={"bootstrap": 200, "winner_alpha": 1 / 32})
    assert (doubtful["p_own"][0][1], doubtful["winner"]["named"]) == (2 / 64, False)


def test_of_tests_no_difference_is_written():
    ranking_entry = entry(ranking={"scheme": "test_then_rank"})
    assert ranking_entry["sets"]["method"] == "sign_flips"
    assert set(map(str, by_name(ranking_entry, "difference_from_first").values())) == {"None"}


def gappy(values, missing):
    """Rank results in which these algorithms have no value on these cases.

    The policy excludes missing values.
    """
    table = results(values, NAMES)
    gone = [(name, f"c{case:03d}") for name, case in missing]
    keep = [(name, case) not in gone for name, case in zip(table["algorithm"], table["case"], strict=True)]
    policy = {"missing": "exclude", "allow_gaming": True}
    document = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher", "policy": policy}],
        "uncertainty": TEN,
    }
    return rank(document, table.assign(value=table["value"].where(keep)))["rankings"][0]


def test_who_has_no_value_is_last_without_a_difference_and_compared_with_nobody():
    result = gappy(APART, [("c", case) for case in range(8)])
    differences = by_name(result, "difference_from_first")
    assert differences["c"] is None
    assert differences["b"]["estimate"] == pytest.approx((APART[:, 0] - APART[:, 1]).mean())
    assert [row[2] for row in result["p_own"]] == [None, None, None]
    assert by_name(result, "rank_set")["c"][1] == 3
    # Nobody is named: of one without a value it cannot be shown that another is better.
    assert result["winner"]["reason"] == "not_shown"
    assert {"code": "failures_left_out", "metric": "value"} in result["warnings"]


def test_a_tie_at_the_top_names_nobody_and_has_no_contests():
    values = APART.copy()
    values[:, 1] = values[:, 0]
    ranking_entry = entry(values)
    assert (ranking_entry["winner"]["reason"], ranking_entry["verdict"], ranking_entry["first_again"]) == (
        "tie",
        "open",
        None,
    )
    assert ranking_entry["sensitivity"]["head_to_head"] == []
    assert ranking_entry["p_own"][0][1] == ranking_entry["p_own"][1][0] == 1.0
    assert by_name(ranking_entry, "rank_set") == {"a": [1, 2], "b": [1, 2], "c": [3, 3]}


def test_contests_of_two_are_told_of_one_who_is_first_alone():
    """By mean ranks a ties with b, and in a contest of the two alone each would be first on half of the cases."""
    values = np.array([[0.9, 0.5, 0.1], [0.5, 0.9, 0.1]] * 4)
    ranking_entry = entry(values, ranking={"scheme": "rank_then_aggregate"})
    assert (ranking_entry["winner"]["reason"], ranking_entry["sensitivity"]["head_to_head"]) == ("tie", [])


def test_one_algorithm_has_nothing_to_be_sure_of():
    ranking_entry = entry(APART[:, :1], ("a",))
    assert (ranking_entry["sets"]["reason"], ranking_entry["winner"]["reason"], ranking_entry["verdict"]) == (
        "one_algorithm",
        "one_algorithm",
        None,
    )


def test_two_algorithms_use_the_whole_error_for_one_comparison():
    ranking_entry = entry(APART[:, :2], ("a", "b"))
    assert ranking_entry["sets"]["units_needed"] == {"sets": 5, "winner": 5}
    assert ranking_entry["winner"]["named"]


def test_a_verdict_follows_the_margin_of_the_metric():
    ranking_entry = entry(uncertainty={**TEN, "margin": {"value": 0.5}})
    assert ranking_entry["margin"] == 0.5
    verdicts = {
        name: told and told["verdict"] for name, told in by_name(ranking_entry, "difference_from_first").items()
    }
    assert verdicts == {"a": None, "b": "equivalent", "c": "better"}


def test_unseen_failures_are_carried_into_the_sets_where_values_are_averaged():
    """Of eight cases none failed; what one would cost is most of the score, which is more than the teams are apart."""
    close = np.array([0.62, 0.6, 0.58]) + 0.001 * np.sin(np.arange(24.0)).reshape(8, 3)
    sure = entry(close)
    unsure = entry(close, uncertainty={**TEN, "unseen_failures": "jeffreys"})
    assert by_name(sure, "rank_set") == {"a": [1, 1], "b": [2, 2], "c": [3, 3]}
    assert by_name(unsure, "rank_set") == {"a": [1, 3], "b": [1, 3], "c": [1, 3]}
    of_ranks = {"scheme": "rank_then_aggregate"}
    ranked_cases = entry(close, uncertainty={**TEN, "unseen_failures": "jeffreys"}, ranking=of_ranks)
    assert by_name(ranked_cases, "rank_set") == {"a": [1, 1], "b": [2, 2], "c": [3, 3]}


def test_warnings_are_of_every_task_and_said_once():
    table = pd.concat([results(APART, NAMES).assign(task=task) for task in ("x", "y")], ignore_index=True)
    table["case"] = table["task"] + table["case"]
    cases = pd.DataFrame({"case": sorted(set(table["case"]))})
    cases["patient"] = [f"p{number // 2}" for number in range(len(cases))]
    document = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher"}],
        "ranking": {"combine": {"over": ["task"]}},
        "uncertainty": TEN,
    }
    warnings = rank(document, table, cases=cases)["overall"]["warnings"]
    assert warnings == [{"code": "possible_clusters", "column": "patient", "clusters": 4, "cases": 8}]


def test_failures_are_shares_of_all_cases():
    table = results(APART, NAMES)
    table.loc[(table["algorithm"] == "b") & (table["case"] == "c000"), "value"] = np.nan
    document = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}],
        "uncertainty": TEN,
    }
    result = rank(document, table)["rankings"][0]
    told = by_name(result, "failure")
    assert {name: (failed["failed"], failed["of"]) for name, failed in told.items()} == {
        "a": (0, 8),
        "b": (1, 8),
        "c": (0, 8),
    }


def test_failures_that_were_seen_count_in_what_has_not_been_seen():
    """Two of eight failed: the second is less surely before a team that failed than before one with the same values."""
    values = np.array([0.62, 0.6, 0.58]) + 0.001 * np.sin(np.arange(24.0)).reshape(8, 3)
    values[:, 2] = values[:, 1] - np.array([0.0, 0.0, 0.3, -0.1, 0.2, -0.2, 0.3, -0.1])
    table = results(values, NAMES)
    table.loc[(table["algorithm"] == "c") & table["case"].isin(["c000", "c001"]), "value"] = np.nan
    document = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}],
        "uncertainty": {**TEN, "unseen_failures": "jeffreys"},
    }
    seen = rank(document, table)["rankings"][0]
    unseen = rank(document, table.assign(value=table["value"].fillna(0.0)))["rankings"][0]
    order = [row["name"] for row in seen["algorithms"]]
    assert order == [row["name"] for row in unseen["algorithms"]] == ["a", "b", "c"]
    # Rates (f + ½)(n - f + ½): 2.5 × 6.5 of two failures and 0.5 × 8.5 of none, at the same cost.
    assert seen["p_own"][1][2] > unseen["p_own"][1][2]


def test_shares_of_tests_that_draws_decide_have_no_differences():
    """If values of patients are medians of cases, tests are not sums over units.

    Their scores are then shares of wins.
    """
    patients = pd.DataFrame(
        {"case": [f"c{case:03d}" for case in range(16)], "patient": [f"p{case // 2}" for case in range(16)]}
    )
    ranks, _ = ranked(
        np.repeat(APART, 2, axis=0),
        NAMES,
        cases=patients,
        ranking={"scheme": "test_then_rank"},
        aggregation={"levels": ["case", "patient"], "operator": "median"},
        uncertainty=TEN,
    )
    assert ranks["sets"]["method"] == "draws"
    assert by_name(ranks, "difference_from_first") == {"a": None, "b": None, "c": None}
