"""Numbers about the lead of the first: each against its definition, by loops, exhaustive search or other samples."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evaluation.ranking.uncertainty.false_claims import of_leads, resampled_leads
from evaluation.ranking.uncertainty.leads import break_even, fewest_to_unseat
from evaluation.ranking.uncertainty.settling import MOST, units_to_settle, units_to_show
from tests.unit.evaluation.uncertainty.boards import ranked
from tests.unit.evaluation.uncertainty.recomputed import MeanBoard, fewest_removed, mean_and_error, unit_counts

EXCLUDED = {"missing": "exclude", "allow_gaming": True}
NAMES = list("abc")


def metric(missing=0, **more):
    policy = EXCLUDED if missing == "exclude" else {"missing": missing}
    return [{"id": "value", "direction": "higher", "policy": policy, **more}]


def board(seed, units=9, algorithms=3, lead=0.05, spread=0.02):
    random = np.random.default_rng(seed)
    level = random.uniform(0.6, 0.7, (units, 1)) + np.array([lead, 0.0, -0.03])[:algorithms]
    return (level + random.normal(0, spread, (units, algorithms))).round(4)


# The margin


def with_margin(values, margin, metrics):
    uncertainty = {"bootstrap": 200, **({} if margin is None else {"margin": {"value": margin}})}
    return ranked(values, NAMES, metrics=metrics, uncertainty=uncertainty)[0]


@pytest.mark.parametrize("missing", [0.4, "exclude"])
@pytest.mark.parametrize("bounds", [{}, {"range": [0, 1]}], ids=["unbounded", "bounded"])
@pytest.mark.parametrize("units", [9, 60])
def test_a_winner_is_named_exactly_where_the_lower_end_of_the_lead_is_above_the_margin(units, bounds, missing):
    values, metrics = board(1, units, lead=0.25 if bounds else 0.08), metric(missing, **bounds)
    entry = with_margin(values, None, metrics)
    assert entry["winner"]["named"]
    low = entry["lead"]["interval"][0]
    assert low > 0
    for margin, named in ((low - 1e-6, True), (low / 2, True), (low + 1e-6, False)):
        assert with_margin(values, margin, metrics)["winner"]["named"] == named
    assert (entry["verdict"] == "confirmed") == (bool(bounds) and units == 60)


def test_the_interval_of_a_lead_that_one_more_failure_would_cost_is_not_above_the_margin():
    """Section 4.1: the headline has the lower end h, the smallest limit over all others, named or not."""
    values, metrics = board(1, 9, lead=0.08), metric(0.4)
    low = with_margin(values, None, metrics)["lead"]["interval"][0]
    entry = with_margin(values, low + 1e-6, metrics)
    assert entry["winner"]["reason"] == "one_more_failure"
    assert entry["lead"]["interval"][0] == pytest.approx(low)


# The failure rate that would cancel the lead


@pytest.mark.parametrize(("low", "estimate", "cost", "rates"), [
    (0.006, 0.024, 0.84, (0.007, 0.027)), (0.0, 0.02, 0.5, (0.0, 0.038)), (-0.01, -0.002, 0.5, (0.0, 0.0)),
])  # fmt: skip
def test_rates_that_cancel_a_lead(low, estimate, cost, rates):
    found = break_even(
        SimpleNamespace(lower=np.array([low]), estimates=np.array([estimate]), margin=0.0), np.array([cost])
    )
    shown = tuple(math.floor(rate * 1000) / 1000 for rate in (found.rate, found.estimate))
    assert shown == rates
    for lead, rate in ((max(low, 0.0), found.rate), (max(estimate, 0.0), found.estimate)):
        assert (1 - rate) * lead == pytest.approx(rate * cost)


def test_the_smallest_rate_over_all_others_that_a_failure_costs_against_is_stated():
    lead = SimpleNamespace(lower=np.array([0.01, 0.02, 0.03]), estimates=np.array([0.05, 0.06, 0.04]), margin=0.005)
    found = break_even(lead, np.array([0.2, 0.9, 0.9]))
    assert (found.other, found.cost) == (1, 0.9)
    assert found.rate == pytest.approx(0.015 / 0.915)
    assert found.estimate == pytest.approx(0.055 / 0.955)
    # A failure that costs nothing against another one never cancels the lead over it.
    assert break_even(lead, np.array([0.2, 0.0, 0.9])).other == 0
    assert break_even(lead, np.array([0.0, 0.0, -0.1])) is None


@pytest.mark.parametrize("failed", [0, 1, 2])
@pytest.mark.parametrize("margin", [0.0, 0.01])
def test_the_safe_rate_is_that_of_the_cases_without_a_failure(failed, margin):
    """A case fails if its value is that of a failure, whatever its outcome."""
    values = board(2, 10, lead=0.25)
    values[:failed, 0] = 0.3
    entry, _ = ranked(values, NAMES, metrics=metric(0.3), uncertainty={"bootstrap": 200, "margin": {"value": margin}})
    kept = values[failed:]
    own = MeanBoard(kept, failed=0.3, margin=margin)
    own.counts = unit_counts([0] * len(kept), 1, [f"c{case:03d}" for case in range(failed, 10)])
    rates, estimates = {}, {}
    for other, (by_flips, by_draws, _) in zip(own.others, own.lower_limits(), strict=True):
        low = min(by_flips, by_draws) - margin
        observed = sum(own.difference(0, other)) - margin
        cost = sum(kept[:, other] - 0.3) / len(kept)
        rates[NAMES[other]] = max(low, 0) / (max(low, 0) + cost)
        estimates[NAMES[other]] = observed / (observed + cost)
    over = min(rates, key=rates.get)
    said = entry["break_even_failure_rate"]
    assert said["over"] == over
    assert said["rate"] == pytest.approx(rates[over])
    assert said["estimate"] == pytest.approx(estimates[over])
    assert (said["failed"], said["of"]) == (failed, 10)
    assert said["upper"] == pytest.approx(stats.beta.ppf(0.95, failed + 1, 10 - failed))
    assert said["rate"] < said["estimate"]


def test_without_a_value_of_a_failure_there_is_no_rate():
    entry, _ = ranked(board(1), NAMES, metrics=metric("exclude"))
    assert entry["break_even_failure_rate"] is None
    assert entry["false_claim_probability"]["with_one_unseen_failure"] is None


# Cases that unseat the leader


@pytest.mark.parametrize("units", [3, 6, 8, 10])
@pytest.mark.parametrize("seed", range(8))
def test_the_fewest_cases_that_unseat_are_those_of_an_exhaustive_search(seed, units):
    random = np.random.default_rng(seed)
    differences = np.round(random.normal(0.03, 0.08, (units, 2)) * random.lognormal(0, 0.5, (units, 1)), 2) / units
    differences += np.maximum(0.0, 0.005 - differences.sum(axis=0)) / units  # the first leads
    found = fewest_to_unseat(differences, np.zeros(units, dtype=int), np.full(units, 1 / units))
    expected = fewest_removed(differences.tolist())
    assert (None if found is None else found[0]) == expected
    if found is not None:
        assert found[2]
        ordered = sorted(differences[:, found[1]], reverse=True)
        assert sum(ordered[found[0] :]) <= 1e-12


def test_a_tie_unseats():
    differences = np.array([[0.2], [0.1], [-0.1]])
    assert fewest_to_unseat(differences, np.zeros(3, dtype=int), np.full(3, 1 / 3)) == (1, 0, True)
    always = np.full((4, 1), 0.1)
    assert fewest_to_unseat(always, np.zeros(4, dtype=int), np.full(4, 0.25)) is None


@pytest.mark.parametrize("seed", range(6))
def test_with_strata_the_number_is_enough_and_never_below_the_fewest(seed):
    random = np.random.default_rng(seed)
    strata = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1])
    weights = np.array([0.1] * 5 + [0.125] * 4)
    plain = random.normal(0.04, 0.06, (9, 2))
    differences = plain * weights[:, None]
    differences += weights[:, None] * np.maximum(0.0, 0.01 - differences.sum(axis=0))

    def remains(kept, other):
        total = 0.0
        for stratum in (0, 1):
            inside = [unit for unit in kept if strata[unit] == stratum]
            if not inside:
                return math.inf  # a stratum is never empty
            total += 0.5 * sum(differences[unit, other] for unit in inside) / sum(weights[unit] for unit in inside)
        return total

    def fewest(other):
        for number in range(1, 9):
            for gone in itertools.combinations(range(9), number):
                if remains([unit for unit in range(9) if unit not in gone], other) <= 1e-12:
                    return number
        return math.inf

    best = min(fewest(other) for other in range(2))
    found = fewest_to_unseat(differences, strata, weights)
    if found is None:
        assert best == math.inf
        return
    number, other, is_exact = found
    assert best <= number <= best + 1
    assert not is_exact
    assert any(
        remains([unit for unit in range(9) if unit not in gone], other) <= 1e-12
        for gone in itertools.combinations(range(9), number)
    )


def test_the_board_names_who_would_take_the_place():
    values = board(4, 8, lead=0.02)
    entry, _ = ranked(values, NAMES, metrics=metric("exclude"))
    first = values.mean(axis=0).argmax()
    others = [j for j in range(3) if j != first]
    assert entry["fewest_cases_to_unseat"] == {
        "units": fewest_removed([[row[first] - row[j] for j in others] for row in values]),
        "algorithm": "b",
        "is_exact": True,
    }


# Cases needed to settle


@pytest.mark.parametrize("margin", [0.0, 0.01])
@pytest.mark.parametrize("strata", [[0] * 12, [0] * 7 + [1] * 5], ids=["one", "two"])
def test_numbers_that_would_settle_and_their_ranges(strata, margin):
    """Normal approximation: (quantile of the level + quantile of power 0.8) × standard error / lead, squared; at least 6.

    Hall's statistic of the expected values must reach the same quantile, and the present number of units does not suffice.
    """
    random = np.random.default_rng(3)
    weights = [0.5 / strata.count(stratum) if len(set(strata)) > 1 else 1 / 12 for stratum in strata]
    differences = random.normal([0.05, 0.02, -0.01], 0.06, (12, 3)) * np.array(weights)[:, None]
    cases, level = [f"c{unit}" for unit in range(12)], 0.025
    found = units_to_settle(
        differences, np.array(weights), np.array(strata), level=level, margin=margin, seed=4, cases=cases
    )
    quantile = stats.norm.isf(level) + stats.norm.ppf(0.8)

    def needed(own, counts):
        mean, error, _ = mean_and_error(own, weights, strata, counts)
        lead = mean - margin
        if lead <= 0:
            return math.inf
        plain = max(6, math.ceil(12 * (quantile * error / lead) ** 2))
        return max(plain, by_hall(lead / (error * math.sqrt(12)), skewness, quantile))

    def by_hall(ratio, skewness, quantile):
        number = 1
        while (
            math.sqrt(number)
            * (ratio + skewness * ratio**2 / 3 + skewness**2 * ratio**3 / 27 + skewness / (6 * number))
            < quantile
            and number <= MOST
        ):
            number += 1
        return number

    draws = unit_counts(strata, 4, cases, draws=400)
    for column, settled in enumerate(found):
        own = differences[:, column]
        skewness = stats.skew(own, bias=False)
        estimate = max(13, needed(own, [1] * 12))
        drawn = sorted(needed(own, row) for row in draws)
        low, high = min(drawn[19], estimate), max(drawn[379], estimate)
        stated = [None if number > MOST else number for number in (estimate, low, high)]
        assert [settled.estimate, settled.low, settled.high] == stated
    assert MOST == 10_000


def test_skewed_differences_need_more_units_than_symmetric_ones():
    lead, deviation = np.array([0.05]), np.array([0.1])
    plain, mild, strong = (
        units_to_show(lead, deviation, level=0.025, skewness=np.array([skewness]))[0] for skewness in (0.0, -1.0, -4.0)
    )
    assert plain == units_to_show(lead, deviation, level=0.025)[0] == 32
    assert plain < mild < strong


@pytest.mark.parametrize("seed", range(8))
def test_the_number_needed_is_never_one_with_which_the_guard_left_the_comparison_open(seed):
    """Rare bad cases of the leader make t large, but the guard against skewness and the further failure decide."""
    random = np.random.default_rng(seed)
    values = np.clip(0.9 + random.normal(0, 0.002, (30, 2)) + np.array([0.02, 0.0]), 0, 1)
    values[random.choice(30, 2, replace=False), 0] -= 0.1
    entry, _ = ranked(values, ("a", "b"), metrics=metric(0), uncertainty={"bootstrap": 200})
    assert not entry["winner"]["named"]
    for needed in entry["cases_to_settle"]:
        assert needed["estimate"] is None or needed["estimate"] > 30


def test_the_number_needed_allows_for_one_more_failure():
    """The lead of 0.02 must exceed the loss of 0.88 by a failure, divided by the number of units."""
    random = np.random.default_rng(5)
    values = np.clip(0.86 + random.normal(0, 0.004, (20, 2)) + np.array([0.02, 0.0]), 0, 1)
    entry, _ = ranked(values, ("a", "b"), metrics=metric(0), uncertainty={"bootstrap": 200})
    lead = float(values[:, 0].mean() - values[:, 1].mean())
    assert entry["winner"]["reason"] == "one_more_failure"
    for needed in entry["cases_to_settle"]:
        assert needed["estimate"] == math.floor(values[:, 0].max() / lead) + 1


def test_only_open_comparisons_are_settled_on_a_board():
    entry, _ = ranked(board(4, 20, lead=0.01), NAMES, metrics=metric("exclude"), uncertainty={"bootstrap": 200})
    better = {row["name"]: entry["shown_better"][0][place] for place, row in enumerate(entry["algorithms"])}
    first = entry["algorithms"][0]["name"]
    names = [needed["algorithm"] for needed in entry["cases_to_settle"]]
    assert sorted(names) == sorted(name for name, is_better in better.items() if not is_better and name != first)
    assert names
    for needed in entry["cases_to_settle"]:
        low, high = needed["interval"]
        assert low is None or needed["estimate"] is None or low <= needed["estimate"]
        assert high is None or (needed["estimate"] is not None and needed["estimate"] <= high)
    named, _ = ranked(board(4, 20, lead=0.3), NAMES, metrics=metric("exclude"), uncertainty={"bootstrap": 200})
    assert named["cases_to_settle"] == []


# Probability that the claim is false


def by_dirichlet(values, strata, weights, failure=None, draws=40_000, seed=0):
    """Draws of the lead over the best of the others: Dirichlet weights of the units within each stratum."""
    random = np.random.default_rng(seed)
    total = np.zeros((draws, values.shape[1]))
    for stratum in sorted(set(strata)):
        inside = [unit for unit, own in enumerate(strata) if own == stratum]
        own, share = values[inside], sum(weights[unit] for unit in inside)
        if failure is not None and stratum == strata[0]:
            own = np.vstack([own, failure])
        total += share * (random.dirichlet(np.ones(len(own)), draws) @ own)
    return total.min(axis=1)


@pytest.mark.parametrize("margin", [0.0, 0.02])
@pytest.mark.parametrize("seed", range(4))
def test_probabilities_of_two_are_those_of_the_bayesian_bootstrap(seed, margin):
    values = board(seed, 12, 2, lead=0.01, spread=0.03)
    entry, _ = ranked(
        values, NAMES[:2], metrics=metric(0.4), uncertainty={"bootstrap": 200, "margin": {"value": margin}}
    )
    first = int(values.mean(axis=0).argmax())
    lead = values[:, [first]] - values[:, [1 - first]]
    drawn = by_dirichlet(lead, [0] * 12, [1 / 12] * 12)
    said = entry["false_claim_probability"]
    assert said["method"] == "bayesian_bootstrap"
    assert said["better"] == pytest.approx((drawn > margin).mean(), abs=0.06)
    assert said["worse"] == pytest.approx((drawn < -margin).mean(), abs=0.06)
    assert said["better"] + said["equivalent"] + said["worse"] == pytest.approx(1.0)
    failure = np.array([0.4 - values[:, 1 - first].mean()])
    unseen = by_dirichlet(lead, [0] * 12, [1 / 12] * 12, failure)
    assert said["with_one_unseen_failure"] == pytest.approx((unseen <= margin).mean(), abs=0.06)
    assert said["with_one_unseen_failure"] > 1 - said["better"]


def test_bayesian_bootstrap_within_strata_and_units_of_several_cases():
    random = np.random.default_rng(1)
    strata = [0] * 6 + [1] * 4
    weights = [0.5 / 6] * 6 + [0.5 / 4] * 4
    plain = random.normal(0.02, 0.05, (10, 2))
    found = resampled_leads(
        plain * np.array(weights)[:, None], np.array(weights), np.array(strata), seed=1, cases=list("abcdefghij")
    )
    drawn = by_dirichlet(plain, strata, weights)
    assert len(found) == 1000
    for quantile in (0.1, 0.25, 0.5, 0.75, 0.9):
        assert (found <= np.quantile(drawn, quantile)).mean() == pytest.approx(quantile, abs=0.06)
    # Patients of different size: weights of units are exponential, and the mean is a ratio.
    sizes = np.array([1, 5, 2, 2, 4, 1, 3, 3, 2, 2]) / 25
    found = resampled_leads(plain * sizes[:, None], sizes, np.zeros(10, dtype=int), seed=1, cases=list("abcdefghij"))
    share = np.random.default_rng(0).exponential(size=(40_000, 10)) * sizes
    drawn = ((share @ plain) / share.sum(axis=1, keepdims=True)).min(axis=1)
    for quantile in (0.1, 0.5, 0.9):
        assert (found <= np.quantile(drawn, quantile)).mean() == pytest.approx(quantile, abs=0.06)


def test_shares_of_leads_are_three_and_sum_to_one():
    found = of_leads(np.array([0.2, 0.05, -0.05, 0.0, -0.06, 0.06]), 0.05)
    assert (found.better, found.equivalent, found.worse) == pytest.approx((2 / 6, 3 / 6, 1 / 6))
    exact = of_leads(np.array([0.1, 0.0, -0.1]), 0.0)
    assert (exact.better, exact.equivalent, exact.worse) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


# Where there is no lead


@pytest.mark.parametrize(
    ("values", "changes"),
    [
        (board(1)[:, :1], {}),
        (np.repeat(board(1)[:, :1], 2, axis=1), {}),
        (board(1)[:4], {}),
        (board(1), {"uncertainty": {"bootstrap": 0}}),
    ],
    ids=["one algorithm", "a tie", "too few units", "not resampled"],
)
def test_without_a_lead_there_are_no_numbers(values, changes):
    entry, _ = ranked(values, NAMES[: values.shape[1]], **changes)
    for key in ("lead", "break_even_failure_rate", "false_claim_probability", "fewest_cases_to_unseat"):
        assert entry[key] is None, key
    assert entry["cases_to_confirm"] is None
    assert not entry["winner"]["named"]


def test_possible_clusters_leave_no_winner_and_no_interval():
    values = board(1, 40, lead=0.2)
    cases = pd.DataFrame({"case": [f"c{case:03d}" for case in range(40)]})
    cases["Patient_ID"] = [f"p{case // 2}" for case in range(40)]
    entry, _ = ranked(values, NAMES, cases=cases, metrics=metric("exclude"))
    assert entry["winner"]["reason"] == entry["sets"]["reason"] == "possible_clusters"
    assert entry["verdict"] in ("leaning", "open")
    assert {row["rank_set"][0] for row in entry["algorithms"]} == {1}
    assert all(row["difference_from_first"] is None for row in entry["algorithms"])
    declared, _ = ranked(
        values, NAMES, cases=cases, metrics=metric("exclude"), uncertainty={"independent_of": ["Patient_ID"]}
    )
    assert declared["winner"]["named"]
