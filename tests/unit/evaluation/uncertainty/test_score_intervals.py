"""Intervals of scores contain the true mean of bounded, skewed values at least as often as the bar states."""

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.ranking import rank
from evaluation.ranking.document import rank as rank_document
from evaluation.ranking.plans import FIRST_RULES, RULES
from evaluation.ranking.score_coverage import COVERED, score_coverage
from evaluation.ranking.score_coverage import WORLDS as SCORE_WORLDS
from evaluation.ranking.uncertainty.leads import Range
from evaluation.ranking.uncertainty.score_intervals import FEWEST_UNITS, score_intervals

BOARDS, BAR = 600, 0.93
WORLDS = {
    "high values": (lambda random, shape: random.beta(18, 2, shape), 0.9),
    "values up to the bound": (lambda random, shape: random.beta(8, 1, shape), 8 / 9),
    "most values at the bound": (lambda random, shape: random.beta(2, 0.3, shape), 2 / 2.3),
    "empty references": (lambda r, shape: np.where(r.random(shape) < 0.4, 1, r.beta(5, 2, shape)), 0.4 + 0.6 * 5 / 7),
    "even": (lambda random, shape: random.random(shape), 0.5),
}


@pytest.mark.parametrize("units", [8, 20, 80])
@pytest.mark.parametrize("world", WORLDS)
def test_bounded_skewed_scores_are_covered(world, units):
    draw, truth = WORLDS[world]
    intervals = score_intervals(draw(np.random.default_rng(units), (units, BOARDS)), 0.95, Range(0.0, 1.0))
    covered = np.mean([one.low <= truth <= one.high for one in intervals])
    assert covered >= BAR - 2 * np.sqrt(BAR * (1 - BAR) / BOARDS)


def test_every_cell_of_the_study_covers_where_failures_can_be_seen():
    """The short form of the section of `make coverage` about scores."""
    outcomes = score_coverage(400, 1, numbers=(8, 20, 40, 80))
    assert [one for one in outcomes if not one.keeps_bar()] == []
    by_cell = {(one.world, one.cases): one for one in outcomes}
    assert by_cell["log-normal", 20].stated == 0.0
    assert by_cell["log-normal", 40].stated == 1.0
    # Without a bar: where one of ten cases fails, a third of the boards of ten cases show no failure.
    assert by_cell["10 % failures", 8].covered < COVERED
    assert not by_cell["10 % failures", 8].has_bar


def test_true_means_of_the_worlds_are_those_of_many_values():
    for name, world in SCORE_WORLDS.items():
        values = world.draw(np.random.default_rng(3), (400, 400))
        assert abs(values.mean() - world.mean) < 5 * values.std() / 400, name


def test_percentiles_of_resamples_would_miss_the_bar():
    draw, truth = WORLDS["most values at the bound"]
    random = np.random.default_rng(8)
    values = draw(random, (8, BOARDS))
    drawn = random.multinomial(8, np.full(8, 1 / 8), 1000) @ values / 8
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    assert ((low <= truth) & (truth <= high)).mean() < 0.85


def test_perfect_values_have_the_lower_end_that_holds_for_every_distribution():
    (interval,) = score_intervals(np.ones((30, 1)), 0.95, Range(0.0, 1.0))
    assert (interval.low, interval.high) == (pytest.approx(0.05 ** (1 / 30)), 1.0)
    # A share q of perfect values and 0 otherwise: all of 30 are perfect in q^30 of the boards.
    assert interval.low**30 == pytest.approx(0.05)


def test_an_interval_cut_at_zero_covers_in_exactly_the_same_boards():
    random = np.random.default_rng(34)
    far = np.where(random.random((60, BOARDS)) < 0.03, 40.0, 0.0)
    distances, truth = random.lognormal(-2.0, 0.5, (60, BOARDS)) + far, np.exp(-1.875) + 1.2
    plain = score_intervals(-distances, 0.95, None)
    cut = score_intervals(-distances, 0.95, None, limits=(-np.inf, 0.0))
    assert any(one.high > 0.0 for one in plain)
    assert all(one.low <= one.high <= 0.0 for one in cut)
    assert [one.low <= -truth <= one.high for one in plain] == [one.low <= -truth <= one.high for one in cut]


def _distances(known, worst, *, largest=60.0):
    """Score intervals of a metric with this range, of values near 1 and a very large one per algorithm."""
    random = np.random.default_rng(9)
    rows = [
        {"algorithm": name, "case": f"c{case:02d}", "metric": "x", "region": "", "outcome": "ok", "task": "",
         "value": largest if case == position else random.lognormal(0.0, 0.4)}
        for case in range(45) for position, name in enumerate("abc")
    ]  # fmt: skip
    metric = {"id": "x", "direction": "lower", "policy": {"missing": worst}}
    metric |= {} if known is None else {"range": known}
    document = {"problem": "external", "metrics": [metric], "ranking": {"combine": None}}
    return parse(document), pd.DataFrame(rows)


def _ends(document):
    return [row["score_confidence_interval"]["interval"] for row in document["rankings"][0]["algorithms"]]


def test_no_interval_of_a_distance_is_below_zero_where_only_this_end_is_known():
    ends = _ends(rank(*_distances([0.0, None], 100.0)))
    assert [low for low, _ in ends] == [0.0] * 3
    assert all(high > 3.0 for _, high in ends)
    # The same values without a registered range: nothing is known that an interval could be cut by.
    unbounded = _ends(rank(*_distances(None, 100.0)))
    assert all(low < 0.0 for low, _ in unbounded)
    assert [high for _, high in unbounded] == [high for _, high in ends]


def test_an_end_that_values_leave_cuts_nothing():
    """A registered penalty may be outside the range: the mean can then be outside as well."""
    assessment, results = _distances([None, 2.0], 100.0)
    results.loc[results["value"] > 2.0, ["value", "outcome"]] = [np.nan, "missing"]
    assert all(high > 2.0 for _, high in _ends(rank(assessment, results)))


def test_documents_by_the_first_rules_keep_their_intervals():
    assessment, results = _distances([0.0, None], 100.0)
    before = rank_document(assessment, results, rules=FIRST_RULES)
    assert "rules" not in before
    assert all(low < 0.0 for low, _ in _ends(before))
    assert rank_document(assessment, results)["rules"] == RULES
    with pytest.raises(ValueError, match="rules 3 cannot be applied"):
        rank_document(assessment, results, rules=3)


def test_equal_values_few_units_and_values_without_bounds():
    assert score_intervals(np.full((30, 1), 0.5), 0.95, Range(0.0, 1.0)) == [None]
    assert score_intervals(np.ones((30, 1)), 0.95, None) == [None]
    few = np.random.default_rng(1).random((FEWEST_UNITS - 1, 2))
    assert score_intervals(few, 0.95, Range(0.0, 1.0)) == [None, None]
    (cut,) = score_intervals(np.array([[0.0], *[[1.0]] * 7]), 0.95, Range(0.0, 1.0))
    assert 0.0 <= cut.low < 0.875 < cut.high <= 1.0


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_a_document_states_the_interval_in_the_direction_of_the_metric(direction):
    random = np.random.default_rng(5)
    rows = [
        {"algorithm": name, "case": f"c{case:02d}", "metric": "x", "region": "", "outcome": "ok", "task": "",
         "value": random.beta(8, 2)}
        for case in range(20) for name in "ab"
    ]  # fmt: skip
    metric = {
        "id": "x",
        "direction": direction,
        "range": [0, 1],
        "policy": {"missing": 0 if direction == "higher" else 1},
    }
    for operator, has_one in (("mean", True), ("median", False)):
        read = parse({"problem": "external", "metrics": [metric], "ranking": {"operator": operator, "combine": None}})
        entry = rank(read, pd.DataFrame(rows))["rankings"][0]
        for row in entry["algorithms"]:
            interval = row["score_confidence_interval"]
            assert (interval is not None) is has_one
            if has_one:
                low, high = interval["interval"]
                assert 0 <= low < row["score"] < high <= 1
                assert low <= row["score_interval"][0] + 0.02
                assert (interval["method"], interval["level"]) == ("hall_and_t", 0.95)


def test_a_bounded_metric_without_any_score_has_no_interval():
    rows = [
        {"algorithm": name, "case": f"c{case:02d}", "metric": "x", "region": "", "outcome": "degenerate", "task": "",
         "flag": "reference", "value": np.nan}
        for case in range(20) for name in "ab"
    ]  # fmt: skip
    metric = {"id": "x", "direction": "higher", "range": [0, 1], "policy": {"missing": 0}}
    read = parse({"problem": "external", "metrics": [metric], "ranking": {"combine": None}})
    entry = rank(read, pd.DataFrame(rows))["rankings"][0]
    assert [(row["score"], row["score_confidence_interval"]) for row in entry["algorithms"]] == [(None, None)] * 2
