"""E-values by explicit loops, their mean by enumeration of all samples, and what they confirm on boards."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from evaluation import rank
from evaluation.aggregation import ResultsError
from evaluation.ranking.uncertainty.betting import (
    STAKES,
    WEIGHTS,
    LeaderBets,
    PairBets,
    confirmed_lead,
    fewest_to_confirm,
    log_capital,
    unit_orders,
)
from evaluation.ranking.uncertainty.linear import LinearPart
from tests.unit.evaluation.uncertainty.boards import ranked, results
from tests.unit.evaluation.uncertainty.recomputed import STAKES as STATED
from tests.unit.evaluation.uncertainty.recomputed import capital, leader_evidence, orders_of, pair_evidence

CASES = [f"c{number:03d}" for number in range(200)]
WINNER = {2: 0.05, 3: 0.1 / 3, 4: 0.1 / 3, 5: 0.1 / 3}
"""The winner's share of the error, by the number of algorithms."""


def test_stakes_are_one_and_all_twentieths_below():
    assert list(zip(STAKES, WEIGHTS, strict=True)) == [
        (pytest.approx(stake), pytest.approx(weight)) for stake, weight in STATED
    ]
    assert WEIGHTS.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("algorithms", [2, 3])
def test_orders_do_not_depend_on_values(algorithms):
    found = unit_orders(12, algorithms, seed=4, cases=CASES[:12])
    assert found.tolist() == orders_of(12, algorithms, 4, CASES[:12])
    assert len(found) == (1 if algorithms == 2 else 16)


def coarse(seed, units, algorithms):
    """Values in tenths, so that sums of leaders are often tied, or nearly so by rounding."""
    return np.random.default_rng(seed).integers(0, 5, (units, algorithms)) / 4


@pytest.mark.parametrize("margin", [0.0, 0.1])
@pytest.mark.parametrize(("units", "algorithms"), [(1, 2), (5, 3), (9, 4), (70, 2), (70, 5), (130, 3)])
@pytest.mark.parametrize("seed", range(2))
def test_bets_on_the_leader_so_far(units, algorithms, margin, seed):
    scaled = coarse(seed, units, algorithms)
    names = list("abcde")[:algorithms]
    bets = LeaderBets(scaled, seed=3, cases=CASES[:units])
    found = bets.log_evidence(margin, np.arange(algorithms))
    orders = orders_of(units, algorithms, 3, CASES[:units])
    for place, name in enumerate(names):
        expected = leader_evidence(scaled.tolist(), names, name, margin, orders)
        assert math.exp(found[place]) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("margin", [0.0, 0.1])
@pytest.mark.parametrize("units", [6, 70])
def test_bets_on_the_first_against_each_other_one_with_weights(units, margin):
    scaled = coarse(3, units, 4)
    weights = np.where(np.arange(units) % 3 == 0, 2.0, 0.5) / units
    found = PairBets(scaled, 2, weights).log_evidence(margin, np.array([0, 1, 3]))
    expected = [pair_evidence(scaled.tolist(), 2, other, margin, weights) for other in (0, 1, 3)]
    assert np.exp(found) == pytest.approx(expected, rel=1e-9)


def test_a_stake_is_the_same_in_all_strata():
    """Effects of +0.2 and -0.2 in two strata: a product of mixtures per stratum would claim a winner, one mixture does not."""
    first = np.array([0.7] * 60 + [0.3] * 60)
    scaled = np.column_stack([first, np.full(120, 0.5)])
    found = math.exp(PairBets(scaled, 0, np.full(120, 1 / 120)).log_evidence(0.0, np.array([1]))[0])
    one = sum(weight * (1 + 0.2 * stake) ** 60 * (1 - 0.2 * stake) ** 60 for stake, weight in STATED)
    assert found == pytest.approx(one)
    assert found < 1
    apart = capital([0.2] * 60) * capital([-0.2] * 60)
    assert apart > 40


def test_capital_that_is_lost_is_gone_and_large_capital_does_not_overflow():
    assert math.exp(log_capital(np.full((70, 1), -1.0), 0.0)[0]) == pytest.approx(
        sum(w * (1 - s) ** 70 for s, w in STATED), rel=1e-9
    )
    many = log_capital(np.full((5000, 1), 1.0), 0.0)[0]
    assert many == pytest.approx(5000 * math.log(2) + math.log(2 / 3), rel=1e-6)


# The mean of an e-value


def worlds_of_two(units):
    """Joint distributions of two algorithms with the same mean: two or three points each."""
    yield [(0.5, (1.0, 0.0)), (0.5, (0.0, 1.0))]
    yield [(0.9, (0.6, 0.5)), (0.1, (0.0, 0.9))]
    yield [(0.99, (0.51, 0.5)), (0.01, (0.0, 0.99))]
    yield [(0.2, (1.0, 0.2)), (0.8, (0.5, 0.7))]


@pytest.mark.parametrize("units", [1, 2, 5])
@pytest.mark.parametrize("world", list(worlds_of_two(5)))
def test_the_mean_is_at_most_one_where_two_are_tied(units, world):
    assert sum(p * (x - y) for p, (x, y) in world) == pytest.approx(0.0, abs=1e-12)
    total = np.zeros(2)
    for outcome in itertools.product(world, repeat=units):
        probability = math.prod(p for p, _ in outcome)
        scaled = np.array([values for _, values in outcome])
        bets = LeaderBets(scaled, seed=1, cases=CASES[:units])
        total += probability * np.exp(bets.log_evidence(0.0, np.array([0, 1])))
    assert (total <= 1 + 1e-9).all()
    assert total == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("margin", [0.0, 0.2])
@pytest.mark.parametrize("units", [1, 3])
def test_the_mean_is_at_most_one_for_each_that_nobody_beats_by_more_than_the_margin(units, margin):
    """Three algorithms, two of them best; with the margin the third has a lead to lose."""
    best = [(0.5, (1.0, 0.0, 0.0)), (0.5, (0.0, 1.0, 0.6))]
    means = [sum(p * values[j] for p, values in best) for j in range(3)]
    assert means == [0.5, 0.5, 0.3]
    total = np.zeros(3)
    for outcome in itertools.product(best, repeat=units):
        scaled = np.array([values for _, values in outcome])
        evidence = LeaderBets(scaled, seed=1, cases=CASES[:units]).log_evidence(margin, np.arange(3))
        total += math.prod(p for p, _ in outcome) * np.exp(evidence)
    fulfils = [max(means) - mean <= margin + 1e-12 for mean in means]
    assert fulfils == [True, True, margin == 0.2]
    assert all(mean <= 1 + 1e-9 for mean, is_best in zip(total, fulfils, strict=True) if is_best)
    if margin == 0.0:
        assert total[2] > 1 or units == 1


@pytest.mark.parametrize("sizes", [(2, 2), (3, 1)])
def test_the_mean_of_pairs_is_at_most_one_where_strata_have_opposite_effects(sizes):
    """In one stratum the first is better by 0.4, in the other it is worse: both have the same weight."""
    strata = [
        [(0.5, (1.0, 0.2)), (0.5, (0.4, 0.4))],
        [(0.5, (0.0, 0.8)), (0.5, (0.5, 0.5))],
    ]
    weights = np.array([0.5 / sizes[0]] * sizes[0] + [0.5 / sizes[1]] * sizes[1])
    total = 0.0
    for outcome in itertools.product(*[strata[0]] * sizes[0], *[strata[1]] * sizes[1]):
        scaled = np.array([values for _, values in outcome])
        evidence = PairBets(scaled, 0, weights).log_evidence(0.0, np.array([1]))[0]
        total += math.prod(p for p, _ in outcome) * math.exp(evidence)
    assert total <= 1 + 1e-9


# The lead that is confirmed


@pytest.mark.parametrize("form", ["leader", "pairs"])
@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_the_confirmed_lead_is_the_largest_margin_at_which_all_others_are_excluded(form, margin):
    random = np.random.default_rng(6)
    level = random.uniform(0.2, 0.4, (60, 1))
    scaled = level + np.array([0.0, 0.4, 0.1, 0.15]) + random.normal(0, 0.03, (60, 4))
    bets = (
        LeaderBets(scaled, seed=1, cases=CASES[:60]) if form == "leader" else PairBets(scaled, 1, np.full(60, 1 / 60))
    )
    others, threshold = np.array([0, 2, 3]), (60.0 if form == "leader" else 120.0)
    found = confirmed_lead(bets, others, margin, threshold)
    excluded = [
        theta for theta in np.arange(0, 1, 0.001) if (bets.log_evidence(theta, others) >= math.log(threshold)).all()
    ]
    assert found == pytest.approx(max(excluded), abs=0.00101)
    assert found >= max(excluded)
    assert confirmed_lead(bets, others, found + 1e-6, threshold) is None


def test_evidence_falls_in_the_margin():
    scaled = coarse(2, 40, 4)
    bets = LeaderBets(scaled, seed=1, cases=CASES[:40])
    rows = np.array([bets.log_evidence(theta, np.arange(4)) for theta in np.arange(0.0, 0.95, 0.05)])
    assert (np.diff(rows, axis=0) <= 1e-12).all()


@pytest.mark.parametrize(
    ("share", "numbers"), [(0.05, [187, 76, 39]), (0.1 / 3, [207, 84, 43])], ids=["two algorithms", "more"]
)
def test_the_fewest_units_that_can_confirm_a_lead(share, numbers):
    leads = (0.02, 0.05, 0.10)
    assert [fewest_to_confirm(lead, share) for lead in leads] == numbers
    for lead, number in zip(leads, numbers, strict=True):
        rate = lead / (1 + lead)
        assert (1 - rate) ** number <= share / 2 < (1 - rate) ** (number - 1)


# Boards


def bounded(**changes):
    return {
        "metrics": [{"id": "value", "direction": "higher", "range": [0, 1], "policy": {"missing": 0}}],
        "uncertainty": {"bootstrap": 200},
        **changes,
    }


def far_apart(units=60, algorithms=3, seed=1):
    random = np.random.default_rng(seed)
    lead = np.zeros(algorithms)
    lead[0] = 0.3
    return (random.uniform(0.3, 0.5, (units, 1)) + lead + random.normal(0, 0.03, (units, algorithms))).round(3)


def is_confirmed_by_hand(values, margin=0.0):
    units, algorithms = values.shape
    names = list("abcde")[:algorithms]
    first = values.mean(axis=0).argmax()
    orders = orders_of(units, algorithms, 1, CASES[:units])
    return all(
        leader_evidence(values.tolist(), names, name, margin, orders) >= 2 / WINNER[algorithms]
        for place, name in enumerate(names)
        if place != first
    )


@pytest.mark.parametrize("algorithms", [2, 3, 5])
@pytest.mark.parametrize("units", [12, 13, 14, 15, 16, 18, 20, 25])
def test_a_board_is_confirmed_where_all_others_are_excluded(units, algorithms):
    """No stake gains more than the mean lead at stake 1, so fewer units than the stated number are never enough."""
    values = far_apart(units, algorithms)
    entry, _ = ranked(values, list("abcde")[:algorithms], **bounded())
    assert (entry["verdict"] == "confirmed") == is_confirmed_by_hand(values)
    if units < fewest_to_confirm(entry["lead"]["estimate"], WINNER[algorithms]):
        assert entry["verdict"] != "confirmed"


def test_boards_of_the_test_before_are_on_both_sides():
    verdicts = {ranked(far_apart(units), list("abc"), **bounded())[0]["verdict"] for units in (12, 25)}
    assert verdicts == {"significant", "confirmed"}


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_a_range_is_scaled_in_its_direction(direction):
    """Values of 0 to 50, of which the smaller may be better, are confirmed as their scaled values are."""
    values = far_apart(20)
    scaled = values if direction == "higher" else 1 - values
    missing = 0 if direction == "higher" else 50
    metric = {"id": "value", "direction": direction, "range": [0, 50], "policy": {"missing": missing}}
    entry, _ = ranked(scaled * 50, list("abc"), **bounded(metrics=[metric]))
    own, _ = ranked(values, list("abc"), **bounded())
    assert entry["verdict"] == own["verdict"] == "confirmed"
    assert entry["lead"]["interval"][0] == pytest.approx(50 * own["lead"]["interval"][0])


def test_the_margin_is_scaled_like_values():
    values = far_apart(25)
    found = {}
    for margin in (0.05, 0.1, 0.2, 0.28):
        entry, _ = ranked(values, list("abc"), **bounded(uncertainty={"bootstrap": 200, "margin": {"value": margin}}))
        found[margin] = entry["verdict"] == "confirmed"
        assert found[margin] == is_confirmed_by_hand(values, margin)
    assert found[0.05]
    assert not found[0.28]


@pytest.mark.parametrize("range_of_metric", [None, [0, None], [None, 1]])
def test_an_unbounded_metric_is_never_confirmed(range_of_metric):
    metric = {"id": "value", "direction": "higher", "policy": {"missing": 0}}
    if range_of_metric is not None:
        metric["range"] = range_of_metric
    entry, _ = ranked(far_apart(100), list("abc"), **bounded(metrics=[metric]))
    assert entry["verdict"] == "significant"
    assert entry["cases_to_confirm"] is None


def test_excluded_or_undefined_values_are_never_confirmed():
    table = results(far_apart(100), list("abc"))
    policy = {"missing": "exclude", "allow_gaming": True}
    metric = {"id": "value", "direction": "higher", "range": [0, 1], "policy": policy}
    document = {"problem": "table", "metrics": [metric], "uncertainty": {"bootstrap": 200}}
    assert rank(document, table)["rankings"][0]["verdict"] == "confirmed"
    gone = table["algorithm"].eq("b") & table["case"].eq("c003")
    entry = rank(document, table.assign(value=table["value"].where(~gone)))["rankings"][0]
    assert entry["verdict"] == "significant"
    everything = table["algorithm"].eq("b")
    entry = rank(document, table.assign(value=table["value"].where(~everything)))["rankings"][0]
    assert entry["winner"]["reason"] == "not_shown"


@pytest.mark.parametrize("value", [1.2, -0.1])
def test_a_value_outside_of_the_range_is_refused(value):
    values = far_apart(100)
    values[5, 2] = value
    with pytest.raises(ResultsError, match=f"algorithm 'c', case 'c005': the value {value} of value is outside"):
        ranked(values, list("abc"), **bounded())


@pytest.mark.parametrize(
    ("values", "direction", "bounds", "found"),
    [
        ([[0.0, 1.0]], "higher", (0.0, 1.0), (0.0, 1.0)),
        ([[-0.2, -1.0]], "lower", (1.0, 0.0), (-1.0, 0.0)),
        ([[0.2, 1.001]], "higher", (0.0, 1.0), None),
        ([[0.2, -0.001]], "higher", (0.0, 1.0), None),
        ([[0.2, 0.1]], "lower", (1.0, 0.0), None),
        ([[1.0 + 1e-12, 0.5]], "higher", (0.0, 1.0), (0.0, 1.0)),
        ([[0.2, 0.4]], "higher", (None, 1.0), None),
        ([[0.2, 0.4]], "higher", (0.0, None), None),
        ([[0.5, 0.5]], "higher", (0.5, 0.5), None),
        ([[0.5, 0.5]], "higher", (-math.inf, 1.0), None),
    ],
)
def test_a_range_counts_where_it_is_finite_and_holds_all_values(values, direction, bounds, found):
    worst, best = bounds
    metric = SimpleNamespace(worst=worst, best=best, higher_is_better=direction == "higher")
    part = SimpleNamespace(
        ranking=SimpleNamespace(scheme=SimpleNamespace(ranks_cases=False, aggregates_values=True)),
        part=SimpleNamespace(item=SimpleNamespace(table=SimpleNamespace(metric=metric))),
        values=np.array(values),
    )
    range_of_values = LinearPart.value_range.func(part)
    assert (None if range_of_values is None else (range_of_values.worst, range_of_values.best)) == found
    part.ranking.scheme.aggregates_values = False
    assert LinearPart.value_range.func(part) is None


def test_ranks_per_case_are_bounded_by_the_number_of_algorithms():
    """First in every case by one rank of two, so a lead of half the range or more."""
    values = far_apart(25)
    metric = {"id": "value", "direction": "higher", "policy": {"missing": 0}}
    entry, _ = ranked(
        values, list("abc"), **bounded(metrics=[metric], ranking={"scheme": "rank_then_aggregate", "ties": "average"})
    )
    ranks = (-values).argsort(axis=1).argsort(axis=1) + 1
    assert is_confirmed_by_hand((3 - ranks) / 2)
    assert entry["verdict"] == "confirmed"


def test_fixed_strata_are_confirmed_by_pairs_at_the_number_of_algorithms_by_the_share():
    """Boards on both sides of the threshold, and some above what one algorithm fewer would need."""
    sides = set()
    for units in range(20, 41):
        values, few = far_apart(units), units // 4
        cases = pd.DataFrame({"case": CASES[:units], "scanner": ["x"] * few + ["y"] * (units - few)})
        levels = {"levels": ["case", {"name": "scanner", "role": "fixed"}], "operator": "mean"}
        entry, _ = ranked(values, list("abc"), cases=cases, **bounded(aggregation=levels))
        weights = [0.5 / few] * few + [0.5 / (units - few)] * (units - few)
        evidence = min(pair_evidence(values.tolist(), 0, other, 0.0, weights) for other in (1, 2))
        assert (entry["verdict"] == "confirmed") == (evidence >= 3 / WINNER[3])
        sides.add((evidence >= 2 / WINNER[3], evidence >= 3 / WINNER[3]))
    assert sides == {(False, False), (True, False), (True, True)}


def test_evidence_may_confirm_where_bootstrap_t_does_not():
    """159 cases at +0.05 ± 0.002 and one failure of -0.85."""
    lead = np.array([0.05 + 0.002 * (-1) ** case for case in range(159)] + [-0.85])
    values = np.column_stack([np.full(160, 0.9) + np.minimum(lead, 0.1), np.full(160, 0.9)])
    values[-1] = [0.0, 0.85]
    assert capital(values[:, 0] - values[:, 1]) > 2 / WINNER[2]
    bounded_entry, _ = ranked(values, ["a", "b"], **bounded())
    assert (bounded_entry["verdict"], bounded_entry["winner"]["named"]) == ("confirmed", True)
    unbounded_entry, _ = ranked(
        values, ["a", "b"], metrics=[{"id": "value", "direction": "higher", "policy": {"missing": 0}}]
    )
    assert unbounded_entry["winner"]["reason"] == "not_shown"


def test_a_significant_leader_is_told_how_many_units_could_confirm_it():
    """The observed lead is 0.3 of the range within noise; 15 units are fewer than could confirm it."""
    entry, _ = ranked(far_apart(14), list("abc"), **bounded())
    assert entry["verdict"] == "significant"
    lead = entry["lead"]["estimate"]
    assert entry["cases_to_confirm"] == math.ceil(math.log(60) / math.log(1 + lead))
    confirmed, _ = ranked(far_apart(25), list("abc"), **bounded())
    assert (confirmed["verdict"], confirmed["cases_to_confirm"]) == ("confirmed", None)
