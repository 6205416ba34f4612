"""Statements of certainty, recomputed from the specification: plainly, pair by pair and flip by flip.

Sections are those of the specification of the uncertainty of rankings.
"""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evaluation.aggregation import build_tables, check_results
from evaluation.assessment import parse
from evaluation.ranking import rank
from evaluation.ranking.evaluate import evaluate, make_plan
from tests.sizes import size
from tests.unit.evaluation.uncertainty.recomputed import (
    bootstrap_p,
    critical_t,
    flip_limit,
    hall,
    hall_limit,
    mean_and_error,
    shown_step_by_step,
    typical_skewness,
    unit_counts,
    with_what_follows,
)

NAMES = list("abcd")
UNITS = 8
CASES = [f"c{number:02d}" for number in range(UNITS)]
MEAN = {"scheme": "aggregate_then_rank", "operator": "mean"}
MEDIAN = {"scheme": "aggregate_then_rank", "operator": "median"}
RANKS = {"scheme": "rank_then_aggregate", "operator": "mean", "ties": "average"}
TESTS = {"scheme": "test_then_rank"}
BOTH = {"over": ["metric"], "ties": "average"}


def values_of(seed, *, spread=0.35, cases=UNITS):
    """Cases × algorithms of quite different quality, in hundredths, with a few equal values."""
    random = np.random.default_rng(seed)
    level = np.array([0.9, 0.6, 0.55, 0.2]) + random.normal(0, 0.1, 4)
    return np.round(level + random.normal(0, spread, (cases, 1)) + random.normal(0, spread / 3, (cases, 4)), 2)


class Board:
    def __init__(self, scheme, *columns, direction="higher", metadata=None, missing="exclude", **more):
        names = [f"metric{number}" for number in range(len(columns))]
        policy = {"missing": missing, **({"allow_gaming": True} if missing == "exclude" else {})}
        self.missing = missing
        self.rule = parse(
            {
                "problem": "external",
                "metrics": [{"id": name, "direction": direction, "policy": policy} for name in names],
                "ranking": {"combine": None, **scheme},
                **more,
            }
        )
        self.cases = [f"c{number:02d}" for number in range(len(columns[0]))]
        rows = [
            (NAMES[j], self.cases[i], name, values[i, j])
            for name, values in zip(names, columns, strict=True)
            for i in range(len(values))
            for j in range(4)
        ]
        table = pd.DataFrame(rows, columns=["algorithm", "case", "metric", "value"])
        self.document = rank(self.rule, table, cases=metadata)
        self.entry = self.document["overall"] or self.document["rankings"][0]
        uncertainty = self.rule.uncertainty
        self.plan = make_plan(self.rule, self.cases, metadata, bootstrap=uncertainty.bootstrap, seed=uncertainty.seed)
        self.evaluated = [
            evaluate(one, self.plan, self.rule.rankings[0], self.rule)
            for one in build_tables(self.rule, check_results(table))
        ]
        self.columns = columns
        self.sign = 1.0 if direction == "higher" else -1.0

    @property
    def order(self):
        return [NAMES.index(row["name"]) for row in self.entry["algorithms"]]

    def matrix(self, key):
        """A matrix of the document in the order of the names."""
        found = np.full((4, 4), np.nan)
        for row, i in enumerate(self.order):
            for column, j in enumerate(self.order):
                value = self.entry[key][row][column]
                found[i, j] = np.nan if value is None else value
        return found

    def of(self, key):
        return {row["name"]: row[key] for row in self.entry["algorithms"]}


def mid_ranks(values):
    """Section 3.4: the signed mid-rank of each difference among those that are not 0."""
    sizes = np.abs(values[values != 0])
    return np.array(
        [0 if v == 0 else math.copysign((sizes < abs(v)).sum() + ((sizes == abs(v)).sum() + 1) / 2, v) for v in values]
    )


def contributions(board):
    """Section 3.1: what each case adds to the difference of a pair."""
    values = board.sign * board.columns[0]
    if board.rule.rankings[0].scheme == "rank_then_aggregate":
        values = -np.array([stats.rankdata(-row) for row in values])
    weighted = values / len(values)
    noise = 1e-12 * np.abs(weighted).max()
    found = {}
    for j, other in itertools.permutations(range(4), 2):
        difference = weighted[:, j] - weighted[:, other]
        difference[np.abs(difference) <= noise] = 0.0
        found[j, other] = mid_ranks(difference) if board.rule.rankings[0].scheme == "test_then_rank" else difference
    return found


def by_flips(board):
    """Sections 2, 3.2 and 3.3."""
    total = round(1 - board.rule.uncertainty.interval, 12)
    parts = {pair: own for pair, own in contributions(board).items() if own.any()}
    flips = list(itertools.product([1, -1], repeat=UNITS))
    norm = {pair: math.sqrt((own**2).sum()) for pair, own in parts.items()}
    flipped = {pair: np.array([(own * flip).sum() / norm[pair] for flip in flips]) for pair, own in parts.items()}
    observed = {pair: own.sum() / norm[pair] for pair, own in parts.items()}
    p_own = {pair: (own >= observed[pair] - 1e-9).mean() for pair, own in flipped.items()}
    typical = typical_skewness(parts)
    halls = {pair: hall(own, typical) for pair, own in parts.items()}
    shown, first = shown_step_by_step(observed, flipped, total / 3, halls, UNITS)
    return parts, p_own, with_what_follows(shown), first


FLIPS = list(itertools.product([1, -1], repeat=UNITS))


@cache
def counts_of(seed):
    return unit_counts([0] * UNITS, seed, CASES)


def after_one_more(board, first, other):
    """The difference of the first after one more failure of it, the costliest; infinite where a failure has no value."""
    if board.missing == "exclude":
        return math.inf
    values = board.sign * board.columns[0]
    differences = []
    for case in range(UNITS):
        failed = values.copy()
        failed[case, first] = board.sign * board.missing
        if board.rule.rankings[0].scheme == "rank_then_aggregate":
            failed = -np.array([stats.rankdata(-row) for row in failed])
        differences.append(float(np.mean(failed[:, first] - failed[:, other])))
    return min(differences)


def winner_of(board, parts, p_own, margin=0.0):
    """Section 2 of the rules of certainty: the level of the first, and why it is not named.

    Values are unbounded here, or are ranks of few units, so no lead is confirmed.
    """
    first, share = alone_first(board), 2 * 0.1 / 3
    if first is None:
        return None, "tie"
    others = [j for j in range(4) if j != first]
    if any((first, j) not in parts or p_own[first, j] > share / 2 + 1e-12 for j in others):
        return None, "not_shown"
    if board.rule.rankings[0].scheme == "test_then_rank":
        return first, "shown"
    weights = [1 / UNITS] * UNITS
    counts = counts_of(board.rule.uncertainty.seed)
    if any(bootstrap_p(parts[first, j], weights, [0] * UNITS, counts) > share / 2 for j in others):
        return None, "not_shown"
    if list(beats_everybody(board, first)):
        return None, "depends_on_entries"
    survives = all(after_one_more(board, first, j) > 0 for j in others)
    return (first, "shown") if survives else (None, "one_more_failure")


def ranks_of(board, scores, part=0):
    """Ranks of one row of scores as the scheme has them."""
    higher = board.evaluated[part].ranked.higher_is_better
    ties = board.rule.rankings[0].ties
    return stats.rankdata(-scores if higher else scores, method="average" if ties == "average" else ties)


def check_what_follows(board, shown, winner):
    """Section 3.5: the winner's step comes first, then sets hold the displayed rank."""
    if winner is not None:
        shown = {pair for pair in shown if winner not in pair} | {(winner, j) for j in range(4) if j != winner}
    found = board.matrix("shown_better")
    assert {(j, other) for j, other in itertools.permutations(range(4), 2) if found[j, other]} == shown
    ranks = board.of("rank")
    for j, name in enumerate(NAMES):
        low = 1 + sum((other, j) in shown for other in range(4))
        high = 4 - sum((j, other) in shown for other in range(4))
        expected = [min(low, math.floor(ranks[name])), max(high, math.ceil(ranks[name]))]
        assert board.of("rank_set")[name] == expected
        assert board.of("within_reach")[name] == (expected[0] == 1)
    letters = board.of("letters")
    for (j, one), (k, second) in itertools.combinations(enumerate(NAMES), 2):
        shared = bool(set(letters[one]) & set(letters[second]))
        assert shared == ((j, k) not in shown and (k, j) not in shown)
    assert board.entry["winner"]["algorithm"] == (None if winner is None else NAMES[winner])


def alone_first(board):
    ranks = board.of("rank")
    best = [j for j, name in enumerate(NAMES) if ranks[name] == min(ranks.values())]
    return best[0] if len(best) == 1 else None


def beats_everybody(board, first):
    """Section 9.1: ranked with each other one alone, by the same scheme."""
    for other in set(range(4)) - {first}:
        pair = sorted((first, other))
        names = [NAMES[j] for j in pair]
        rows = [
            (names[place], board.cases[i], f"metric{number}", values[i, j])
            for number, values in enumerate(board.columns)
            for i in range(len(values))
            for place, j in enumerate(pair)
        ]
        table = pd.DataFrame(rows, columns=["algorithm", "case", "metric", "value"])
        made = rank(board.rule, table, bootstrap=0)
        entry = made["overall"] or made["rankings"][0]
        places = {row["name"]: row["rank"] for row in entry["algorithms"]}
        if places[NAMES[first]] >= places[NAMES[other]]:
            yield NAMES[other]


@pytest.mark.parametrize("scheme", [MEAN, RANKS, TESTS], ids=["mean", "ranks", "tests"])
@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("seed", size((0, 3), range(4)))
def test_flips(scheme, direction, seed):
    values = values_of(seed)
    if seed == 3:
        values[:, 2] = values[:, 1]  # two that are identical
    board = Board(scheme, values, direction=direction, uncertainty={"bootstrap": 200, "interval": 0.9})
    parts, p_own, shown, _ = by_flips(board)
    said = board.matrix("p_own")
    for pair in itertools.permutations(range(4), 2):
        assert said[pair] == (pytest.approx(p_own[pair]) if pair in parts else 1.0), pair
    first = alone_first(board)
    against = sorted(beats_everybody(board, first)) if first is not None and scheme is not MEAN else []
    assert board.entry["sensitivity"]["head_to_head"] == against
    winner, reason = winner_of(board, parts, p_own)
    assert board.entry["winner"]["reason"] == reason
    check_what_follows(board, shown, winner)
    assert board.entry["sets"]["method"] == "sign_flips"
    assert board.entry["sets"]["units"] == UNITS


def test_boards_of_flips_are_decided_in_every_way():
    """Boards of the comparison by counting include named winners and open ones."""
    reasons = set()
    for scheme, direction, seed in itertools.product([MEAN, RANKS, TESTS], ["higher", "lower"], size((0, 1), range(4))):
        board = Board(scheme, values_of(seed), direction=direction, uncertainty={"bootstrap": 200, "interval": 0.9})
        reasons.add(board.entry["winner"]["reason"])
    assert {"shown", "not_shown"} <= reasons


@pytest.mark.parametrize(("scheme", "missing", "named"), [
    (MEAN, 0.2, True), (MEAN, -0.5, False), (MEAN, -3.0, False), (RANKS, 0.2, None), (RANKS, -3.0, None),
])  # fmt: skip
@pytest.mark.parametrize("seed", size((0,), range(3)))
def test_one_more_failure_of_the_first_must_not_cost_the_first_place(scheme, missing, named, seed):
    values = values_of(seed, spread=0.1)
    values[:, 0] = values[:, 1] + 0.13 + 0.02 * np.cos(np.arange(UNITS))
    board = Board(scheme, values, missing=missing, uncertainty={"bootstrap": 200, "interval": 0.9})
    parts, p_own, shown, _ = by_flips(board)
    winner, reason = winner_of(board, parts, p_own)
    assert board.entry["winner"]["reason"] == reason
    if named is not None:
        assert (winner is not None) == named
    check_what_follows(board, shown, winner)
    if reason == "one_more_failure":
        assert board.entry["verdict"] == "leaning"


def lower_end_of_lead(board, first, parts, margin):
    """Section 4.1: the smallest of the limits by flips and bootstrap-t and the lead after one more failure."""
    share, weights = 2 * 0.1 / 3, [1 / UNITS] * UNITS
    ends = []
    for j in set(range(4)) - {first}:
        d = parts[first, j]
        observed, error, _ = mean_and_error(d, weights, [0] * UNITS, [1] * UNITS)
        statistics = []
        for row in counts_of(board.rule.uncertainty.seed):
            mean, its_error, varies = mean_and_error(d, weights, [0] * UNITS, row)
            statistics.append((mean - observed) / its_error if varies else math.copysign(math.inf, mean - observed))
        # A difference of x is rejected if at most this number of resamples is as large as (D - x) / error.
        allowed = math.floor(share / 2 * (len(statistics) + 1) + 1e-9) - 1
        by_draws = observed - sorted(statistics, reverse=True)[allowed] * error
        ends.append(min(flip_limit(FLIPS, d, weights, share / 2), by_draws, after_one_more(board, first, j)))
    return min(ends)


@pytest.mark.parametrize("missing", ["exclude", 0.1])
@pytest.mark.parametrize("margin", [None, 0.05, 0.2])
@pytest.mark.parametrize("seed", size((0,), range(3)))
def test_differences_from_the_first_and_their_margins(seed, margin, missing):
    """Section 4.1: roots of the quadratic moved to Hall's limits, and one lower end that agrees with the verdict."""
    more = {"bootstrap": 200, "interval": 0.9, **({} if margin is None else {"margin": {"metric0": margin}})}
    board = Board(MEAN, values_of(seed, spread=0.1), missing=missing, uncertainty=more)
    delta = margin or 0.0
    first = alone_first(board)
    weights = np.full(UNITS, 1 / UNITS)
    parts = {pair: own for pair, own in contributions(board).items() if own.any()}
    moved = {pair: own - delta * weights for pair, own in parts.items()}
    norm = {pair: math.sqrt((own**2).sum()) for pair, own in moved.items()}
    flipped = {pair: np.array([(own * flip).sum() / norm[pair] for flip in FLIPS]) for pair, own in moved.items()}
    observed = {pair: own.sum() / norm[pair] for pair, own in moved.items()}
    typical = typical_skewness(parts)
    halls = {pair: hall(own, typical) for pair, own in moved.items()}
    shown, critical = shown_step_by_step(observed, flipped, 0.1 / 3, halls, UNITS)
    shown = with_what_follows(shown)
    lead = lower_end_of_lead(board, first, parts, delta)
    named = lead > delta
    assert board.entry["winner"]["named"] == named
    if named:
        shown = {pair for pair in shown if first not in pair} | {(first, j) for j in range(4) if j != first}
    found = board.matrix("shown_better")
    assert {pair for pair in itertools.permutations(range(4), 2) if found[pair]} == shown
    guard = critical_t(critical, UNITS)
    for row, other in zip(board.entry["algorithms"], board.order, strict=True):
        told = row["difference_from_first"]
        if other == first:
            assert told is None
            continue
        d = parts[first, other]
        a, b, c = (weights**2).sum(), (weights * d).sum(), (d**2).sum()
        leading = 1 - critical**2 * a
        assert leading > 0
        half, product = d.sum() - critical**2 * b, d.sum() ** 2 - critical**2 * c
        low, high = sorted([(half - s * math.sqrt(half**2 - leading * product)) / leading for s in (1, -1)])
        low = min(low, hall_limit(UNITS * d, guard, typical))
        high = max(high, hall_limit(UNITS * d, -guard, typical))
        if named:
            low = max(low, lead)
        elif (first, other) in shown:
            low = max(low, delta)
        else:
            assert low <= delta + 1e-12
        assert told["estimate"] == pytest.approx(d.sum())
        assert told["interval"] == pytest.approx([low, high])
        assert told["level"] == 0.9
        equivalent = margin is not None and -margin < low and high < margin
        expected = "better" if (first, other) in shown else "equivalent" if equivalent else "undecided"
        assert told["verdict"] == expected
    assert board.entry["margin"] == margin
    over = min(set(range(4)) - {first}, key=lambda j: parts[first, j].sum())
    said = board.entry["lead"]
    assert (said["over"], said["estimate"]) == (NAMES[over], pytest.approx(parts[first, over].sum()))
    upper = board.of("difference_from_first")[NAMES[over]]["interval"][1]
    assert said["interval"] == pytest.approx([lead if named else min(lead, delta), upper])


# Section 4: everything that is no mean


def deviations(board):
    full = [item.ranked.scores[0] for item in board.evaluated]
    return full, [
        item.ranked.scores[1 : 1 + board.plan.bootstrap] - own for item, own in zip(board.evaluated, full, strict=True)
    ]


def final(board, scores):
    """Ranks of one draw: of the only metric, or of mean ranks over metrics."""
    ranks = [ranks_of(board, np.array([float(f"{x:.12g}") for x in own]), part) for part, own in enumerate(scores)]
    if len(ranks) == 1:
        return ranks[0]
    return stats.rankdata([float(f"{x:.12g}") for x in np.mean(ranks, axis=0)], method="average")


def not_before(board, inflation):
    full, drawn = deviations(board)
    total = np.zeros((4, 4))
    for b in range(board.plan.bootstrap):
        ranks = final(board, [own + inflation * deviation[b] for own, deviation in zip(full, drawn, strict=True)])
        total += ranks[:, None] >= ranks[None, :]
    return total / board.plan.bootstrap


def by_draws(board, units):
    """Sections 2 and 4: sets step by step, and the two conditions for a winner."""
    draws = board.plan.bootstrap
    growth, freedom = math.sqrt(units / (units - 1)), units - 1
    extreme = stats.norm.ppf(1 - 1 / (draws + 1))
    critical = lambda p: growth * stats.t.ppf(1 - p, freedom)  # noqa: E731
    full, drawn = deviations(board)
    same = {
        (j, other)
        for j, other in itertools.permutations(range(4), 2)
        if all(
            own[j] == own[other] and (dev[:, j] == dev[:, other]).all() for own, dev in zip(full, drawn, strict=True)
        )
    }
    ranks = final(board, full)
    before = {(j, other) for j, other in itertools.permutations(range(4), 2) if ranks[j] < ranks[other]}
    alive, shown, first = set(itertools.permutations(range(4), 2)) - same, set(), None
    while alive:
        inflation = max(1.0, critical(0.1 / 3 / len(alive)) / extreme)
        first = inflation if first is None else first
        share = not_before(board, inflation)
        new = {pair for pair in alive & before if share[pair] == 0}
        if not new:
            break
        shown |= new
        alive -= new
    leader = alone_first(board)
    p = 2 * 0.1 / 3 / 2
    wins = leader is not None
    if wins:
        one, two = not_before(board, critical(p) / extreme), not_before(board, critical(p) / stats.norm.ppf(1 - p))
        for j in set(range(4)) - {leader}:
            pair = (leader, j)
            wins &= pair in before and pair not in same and one[pair] == 0 and two[pair] <= p
    own = (not_before(board, 1.0) * draws + 1) / (draws + 1)
    return with_what_follows(shown), leader if wins else None, own, first, same


def limit_by_draws(board, first):
    """Limit of the lead over the best of the others, from the two conditions for a winner by draws."""
    draws, p = board.plan.bootstrap, 2 * 0.1 / 3 / 2
    full, drawn = deviations(board)
    critical = math.sqrt(UNITS / (UNITS - 1)) * stats.t.ppf(1 - p, UNITS - 1)
    ends = []
    for j in set(range(4)) - {first}:
        estimate = full[0][first] - full[0][j]
        moved = np.sort(drawn[0][:, first] - drawn[0][:, j])
        ends.append(estimate + critical / stats.norm.ppf(1 - 1 / (draws + 1)) * moved[0])
        ends.append(estimate + critical / stats.norm.ppf(1 - p) * moved[math.floor(p * draws + 1e-9)])
    return min(ends)


@pytest.mark.parametrize(
    "scheme", [MEDIAN, {**MEAN, "combine": BOTH}, {**RANKS, "combine": BOTH}], ids=["median", "means", "ranks"]
)
@pytest.mark.parametrize("seed", size((0,), range(3)))
def test_draws(scheme, seed):
    columns = [values_of(seed, spread=0.15)]
    if "combine" in scheme:
        columns.append(values_of(seed + 10, spread=0.25))
    board = Board(scheme, *columns, uncertainty={"bootstrap": 200, "interval": 0.9})
    assert board.entry["sets"]["method"] == "draws"
    shown, winner, own, first, same = by_draws(board, UNITS)
    said = board.matrix("p_own")
    for pair in itertools.permutations(range(4), 2):
        assert said[pair] == (1.0 if pair in same else pytest.approx(own[pair])), pair
    leader = alone_first(board)
    against = [] if leader is None or scheme is MEDIAN else sorted(beats_everybody(board, leader))
    assert board.entry["sensitivity"]["head_to_head"] == against
    check_what_follows(board, shown, None if against else winner)
    if scheme is MEDIAN:
        limit = limit_by_draws(board, leader)
        assert (limit > 0) == (winner is not None)
        full, drawn = deviations(board)
        lead = board.order[0]
        for row, other in list(zip(board.entry["algorithms"], board.order, strict=True))[1:]:
            dev = drawn[0][:, lead] - drawn[0][:, other]
            estimate = full[0][lead] - full[0][other]
            told = row["difference_from_first"]
            assert told["estimate"] == pytest.approx(estimate)
            low, high = estimate + first * dev.min(), estimate + first * dev.max()
            if board.entry["winner"]["named"]:
                low = max(low, limit)
            elif (lead, other) in shown:
                low = max(low, 0.0)
            else:
                assert low <= 0
            assert told["interval"] == pytest.approx([low, high])


def shrunken(board, leader):
    """Section 10: for each elementary ranking its sign, centres, scales and deviations, where larger is better."""
    growth = math.sqrt(UNITS / (UNITS - 1))
    for item, full, drawn in zip(board.evaluated, *deviations(board), strict=True):
        sign = 1 if item.ranked.higher_is_better else -1
        s, dev = sign * full, sign * drawn * growth
        variance = np.array([np.mean((dev[:, j] - np.median(dev, axis=1)) ** 2) for j in range(4)])
        variance_of_draws = variance / growth**2
        apart = np.array([math.sqrt(np.mean((dev[:, leader] - dev[:, j]) ** 2)) for j in range(4)])
        group = [
            j
            for j in range(4)
            if abs(s[leader] - s[j]) <= 3 * apart[j] and variance_of_draws[j] <= 4 * np.median(variance_of_draws)
        ]
        centre, scale = s.copy(), np.ones(4)
        if len(group) >= 3:
            own = dev[:, group] - dev[:, group].mean(axis=1, keepdims=True)
            error = sum(np.mean(own[:, place] ** 2) for place in range(len(group))) / (len(group) - 1)
            observed = np.var(s[group], ddof=1)
            rho = max(0.0, 1 - error / observed)
            middle = np.mean(s[group])
            for j in group:
                centre[j], scale[j] = middle + rho * (s[j] - middle), math.sqrt(rho)
        yield sign, centre, scale, dev


@pytest.mark.parametrize("margin", [None, 0.1])
@pytest.mark.parametrize("scheme", [MEAN, MEDIAN], ids=["mean", "median"])
@pytest.mark.parametrize("seed", size((0, 1), range(4)))
def test_probabilities_of_the_claim_are_from_the_shrunken_model(seed, scheme, margin):
    """Three probabilities of the true lead over the best of the others, without the draw for fresh units."""
    changes = {} if margin is None or scheme is MEDIAN else {"margin": {"metric0": margin}}
    board = Board(scheme, values_of(seed, spread=0.4), uncertainty={"bootstrap": 200, **changes})
    leader = alone_first(board)
    found = board.entry["false_claim_probability"]
    if leader is None:
        assert found is None
        return
    ((_, centre, scale, dev),) = shrunken(board, leader)
    leads = []
    for draw in dev:
        true = centre + scale * draw
        leads.append(true[leader] - max(true[j] for j in range(4) if j != leader))
    edge = (margin or 0.0) if changes else 0.0
    assert found["method"] == "shrunken_draws"
    assert found["better"] == pytest.approx(sum(lead > edge for lead in leads) / len(leads))
    assert found["worse"] == pytest.approx(sum(lead < -edge for lead in leads) / len(leads))
    assert found["better"] + found["equivalent"] + found["worse"] == pytest.approx(1)


@pytest.mark.parametrize(
    "scheme", [MEAN, MEDIAN, {**MEAN, "combine": BOTH}, RANKS], ids=["mean", "median", "means", "ranks"]
)
@pytest.mark.parametrize("seed", size((0,), range(3)))
def test_first_again(scheme, seed):
    """Section 10."""
    columns = [values_of(seed, spread=0.5)]
    if "combine" in scheme:
        columns.append(values_of(seed + 20, spread=0.5))
    board = Board(scheme, *columns, uncertainty={"bootstrap": 200})
    leader = alone_first(board)
    if leader is None:
        assert board.entry["first_again"] is None
        return
    fresh = []
    for sign, centre, scale, dev in shrunken(board, leader):
        fresh.append([sign * (centre + scale * dev[b] + dev[(b + 1) % len(dev)]) for b in range(len(dev))])
    first = 0
    for draw in zip(*fresh, strict=True):
        ranks = final(board, draw)
        first += ranks[leader] == ranks.min()
    assert board.entry["first_again"] == pytest.approx(first / board.plan.bootstrap)


@pytest.mark.parametrize("scheme", [RANKS, {**MEAN, "combine": BOTH}, TESTS], ids=["ranks", "means", "tests"])
@pytest.mark.parametrize("seed", size((0,), range(3)))
def test_leaving_out_each_team(scheme, seed):
    """Section 9.2."""
    columns = [values_of(seed, spread=0.6)]
    if "combine" in scheme:
        columns.append(values_of(seed + 5, spread=0.6))
    board = Board(scheme, *columns, uncertainty={"bootstrap": 0})
    before = board.of("rank")
    expected = {}
    for gone in range(4):
        kept = [j for j in range(4) if j != gone]
        rows = [
            (NAMES[j], board.cases[i], f"metric{number}", values[i, j])
            for number, values in enumerate(columns)
            for i in range(UNITS)
            for j in kept
        ]
        made = rank(board.rule, pd.DataFrame(rows, columns=["algorithm", "case", "metric", "value"]), bootstrap=0)
        after = {row["name"]: row["rank"] for row in (made["overall"] or made["rankings"][0])["algorithms"]}
        old = {name: before[name] for name in after}
        winners = sorted(name for name in after if after[name] == min(after.values()))
        changes = winners != sorted(name for name in old if old[name] == min(old.values()))
        turned = sorted([p, q] for p, q in itertools.permutations(after, 2) if old[p] < old[q] and after[p] > after[q])
        if changes or turned:
            expected[NAMES[gone]] = (winners, changes, turned)
    said = {
        team["without"]: (team["winners"], team["winner_changes"], sorted(team["reversed"]))
        for team in board.entry["sensitivity"]["teams"]
    }
    assert said == expected


def near(columns):
    """Section 9.3: the pairs that are nearly the same in at least half of the rankings."""
    votes = np.zeros((4, 4))
    for values in columns:
        residual = values - np.median(values, axis=1, keepdims=True)
        gaps = {
            pair: np.median(np.abs(values[:, pair[0]] - values[:, pair[1]]))
            for pair in itertools.combinations(range(4), 2)
        }
        for (j, other), gap in gaps.items():
            agree = np.isclose(values[:, j], values[:, other], rtol=1e-9, atol=0).mean() >= 0.5
            alike = stats.spearmanr(residual[:, j], residual[:, other]).statistic >= 0.95
            if agree or (alike and gap <= 0.1 * np.median(list(gaps.values()))):
                votes[j, other] += 1
                votes[other, j] += 1
    return votes >= len(columns) / 2


@pytest.mark.parametrize("kind", ["equal on half", "equal on fewer", "close", "none"])
def test_near_duplicates_are_gathered_best_first(kind):
    values = values_of(1, spread=0.4)
    if kind.startswith("equal"):
        values[: 4 if kind == "equal on half" else 3, 3] = values[: 4 if kind == "equal on half" else 3, 0]
    elif kind == "close":
        values[:, 3] = values[:, 0] - 0.001
    board = Board(MEAN, values, uncertainty={"bootstrap": 0})
    alike = near([values])
    lists, taken = [], set()
    for j in board.order:
        if j in taken:
            continue
        members = [other for other in board.order if other not in taken and (other == j or alike[j, other])]
        if len(members) > 1:
            lists.append([NAMES[other] for other in members])
            taken |= set(members)
    assert board.entry["sensitivity"]["duplicates"] == lists
    assert bool(lists) == (kind in ("equal on half", "close"))
    left = [NAMES[j] for j in board.order if NAMES[j] not in {name for names in lists for name in names[1:]}]
    assert board.entry["sensitivity"]["without_duplicates"] == (left if lists else None)
