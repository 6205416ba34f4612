"""The smallest boards: one draw, two units, one unit in a stratum, one algorithm, one case of an algorithm."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from evaluation import rank
from tests.unit.evaluation.uncertainty.boards import ranked, results

NAMES = ("a", "b", "c")
APART = np.array([0.9, 0.6, 0.3]) + 0.01 * np.sin(np.arange(24.0)).reshape(8, 3)


def entry(values=APART, names=NAMES, cases=None, **changes):
    return ranked(values, names, cases=cases, **changes)[0]


def test_one_draw_of_two_units_is_enough_to_ask_who_comes_first_again():
    one_draw = entry(uncertainty={"bootstrap": 1})
    assert (one_draw["sets"]["reason"], one_draw["first_again"]) == (None, 1.0)
    two_units = entry(APART[:2], uncertainty={"bootstrap": 50})
    assert (two_units["sets"]["reason"], two_units["first_again"]) == ("too_few_units", 1.0)
    assert entry(APART[:1], uncertainty={"bootstrap": 50})["first_again"] is None


def test_a_stratum_of_one_unit_says_nothing_of_fresh_units():
    cases = pd.DataFrame({"case": [f"c{case:03d}" for case in range(8)], "site": list("xxxxxxxy")})
    ranking_entry = entry(
        cases=cases,
        aggregation={"levels": ["case", {"name": "site", "role": "fixed"}]},
        uncertainty={"bootstrap": 50},
    )
    assert (ranking_entry["sets"]["reason"], ranking_entry["winner"]["reason"], ranking_entry["first_again"]) == (
        "stratum_too_small",
        "stratum_too_small",
        None,
    )


def test_where_no_sets_can_be_stated_nobody_is_asked_to_come_first_again():
    ranking_entry = entry(ranking={"operator": "min"}, uncertainty={"bootstrap": 200})
    assert (ranking_entry["sets"]["reason"], ranking_entry["first_again"], ranking_entry["verdict"]) == (
        "operator",
        None,
        None,
    )


@pytest.mark.parametrize("scheme", ["aggregate_then_rank", "rank_then_aggregate", "test_then_rank"])
def test_one_algorithm_has_no_contest(scheme):
    ranking_entry = entry(APART[:, :1], ("a",), ranking={"scheme": scheme}, uncertainty={"bootstrap": 50})
    assert (ranking_entry["winner"]["reason"], ranking_entry["sensitivity"]["head_to_head"]) == ("one_algorithm", [])


@pytest.mark.parametrize("failed", [0, 1, 3])
def test_unseen_failures_of_both_make_the_observed_difference_less_sure(failed):
    """Section 3.2: its variance is added to the squares of the differences, and flips are left as they are."""
    values = np.array(
        [[0.9, 0.5], [0.8, 0.85], [0.7, 0.6], [0.95, 0.7], [0.6, 0.72], [0.8, 0.5], [0.9, 0.84], [0.7, 0.61]]
    )
    table = results(values, ("a", "b"))
    gone = (table["algorithm"] == "b") & table["case"].isin([f"c{case:03d}" for case in range(failed)])
    table["value"] = table["value"].mask(gone)
    values[:failed, 1] = 0.0
    document = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}],
        "uncertainty": {"bootstrap": 200, "unseen_failures": "jeffreys"},
    }
    result = rank(document, table)["rankings"][0]
    variance = 0.0
    for column, count in ((0, 0), (1, failed)):
        usual = values[values[:, column] > 0, column].mean()
        variance += (count + 0.5) * (8 - count + 0.5) / (9**2 * 10) * usual**2
    difference = (values[:, 0] - values[:, 1]) / 8
    norm = math.sqrt((difference**2).sum())
    observed = difference.sum() / math.sqrt(norm**2 + variance)
    flips = [np.dot(signs, difference) / norm for signs in itertools.product([1, -1], repeat=8)]
    assert [row["name"] for row in result["algorithms"]] == ["a", "b"]
    assert result["p_own"][0][1] == np.mean([flip >= observed - 1e-9 for flip in flips])


def test_who_has_a_score_on_the_full_data_is_compared_although_a_draw_has_none():
    """One case of c is known, and the only draw does not hold it."""
    table = results(APART, NAMES)
    table["value"] = table["value"].where((table["algorithm"] != "c") | (table["case"] == "c000"))
    document = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": "exclude", "allow_gaming": True}}],
        "uncertainty": {"bootstrap": 1, "seed": 2},
    }
    result = rank(document, table)["rankings"][0]
    last = result["algorithms"][2]
    assert (last["name"], last["score"], last["score_interval"]) == ("c", pytest.approx(APART[0, 2]), None)
    assert None not in (result["p_own"][0][2], result["p_own"][2][0])
    assert last["difference_from_first"]["estimate"] == pytest.approx(APART[:, 0].mean() - APART[0, 2])
