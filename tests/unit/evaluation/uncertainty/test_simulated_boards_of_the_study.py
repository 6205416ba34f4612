"""The coverage study, piece by piece: which cells there are, what is true in them, and what counts as kept."""

import math
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from evaluation.ranking import coverage
from evaluation.ranking.coverage import (
    Cell,
    Outcome,
    _assessment,
    _board,
    _draws,
    _error,
    _quality,
    _some,
    grid,
    keeps_bars,
    others,
    simulate,
    study,
    trades,
)
from evaluation.ranking.evaluate import make_plan
from evaluation.ranking.uncertainty.statements import Decision


def cell(field="all equal", scheme="mean", cases=20, teams=4, failures=0.0, unseen="none"):
    return Cell(cases, teams, field, failures, scheme, unseen)


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("all equal", [0.0, 0.0, 0.0, 0.0]),
        ("trade", [0.0, 0.0, 0.0, 0.0]),
        ("two best", [0.0, 0.0, -4.0, -4.0]),
        ("one best", [0.0, -0.3, -0.3, -0.3]),
        ("ladder 0.1", [0.0, -0.1, -0.2, -0.3]),
        ("ladder 0.02", [0.0, -0.02, -0.04, -0.06]),
    ],
)
def test_true_qualities_follow_the_field(field, expected):
    assert _quality(cell(field)).tolist() == pytest.approx(expected)


def test_cells_are_every_combination_of_the_registered_numbers():
    cells = grid()
    assert len(cells) == len(set(cells)) == 5 * 5 * 3 * 4 * 5
    assert cells[0] == Cell(5, 3, "all equal", 0.0, "mean")
    assert cells[1] == Cell(10, 3, "all equal", 0.0, "mean")
    assert Counter(one.cases for one in cells) == dict.fromkeys((5, 10, 20, 50, 200), 300)
    assert Counter(one.teams for one in cells) == dict.fromkeys((3, 5, 10, 20), 375)
    assert Counter(one.failures for one in cells) == dict.fromkeys((0.0, 0.02, 0.05), 500)
    assert {one.unseen for one in cells} == {"none"}
    assert (coverage.FULL_BOARDS, coverage.QUICK_BOARDS, coverage.QUICK_SHARE, coverage.CONTRASTED) == (
        1000,
        100,
        10,
        200,
    )


def test_other_cells_are_a_fifth_of_their_combinations_and_one_at_least():
    assert len(others()) == 5 * 5 * 3 * 4 * 4 // 5
    assert len(others(every=10)) == 24
    assert len(others(every=100_000)) == 1
    assert {one.cases for one in others()} == {7, 13, 30, 100}
    assert {one.teams for one in others()} == {2, 4, 7, 14}


def test_some_cells_are_chosen_once_and_stand_in_their_order():
    cells = grid()
    some = _some(cells, 7)
    assert len(some) == 7
    assert some == _some(cells, 7) == [one for one in cells if one in some]
    # The permutation is that of seed 0.
    assert some == [cells[index] for index in sorted(np.random.default_rng(0).permutation(1500)[:7])]
    assert _some(cells[:3], 3) == _some(cells[:3], 4) == cells[:3]


def test_trades_have_three_teams_and_both_ways_to_carry_what_nobody_has_seen():
    cells = trades()
    assert len(cells) == 4 * 3 * 2
    assert cells[:2] == [Cell(20, 3, "trade", 0.01, "mean"), Cell(20, 3, "trade", 0.01, "mean", "jeffreys")]
    assert {one.cases for one in cells} == {20, 50, 100, 200}
    assert {one.failures for one in cells} == {0.01, 0.02, 0.05}
    assert {one.cases for one in trades(quick=True)} == {20, 50}


# What counts as kept


def test_both_bars_hold_up_to_two_and_a_half_standard_errors():
    low = 0.93 - 2.5 * math.sqrt(0.93 * 0.07 / 400)
    high = 0.06 + 2.5 * math.sqrt(0.06 * 0.94 / 400)
    rest = {"named": 0.5, "width": 2.0, "resampling_covered": 0.5}
    assert Outcome(400, low + 1e-9, high - 1e-9, **rest).keeps_its_word()
    assert not Outcome(400, low - 1e-9, high - 1e-9, **rest).keeps_its_word()
    assert not Outcome(400, low + 1e-9, high + 1e-9, **rest).keeps_its_word()
    assert Outcome(400, low, high, **rest).keeps_its_word(), "just so is kept"
    assert _error(0.2, 100) == pytest.approx(0.04)


def outcome(width, covered=1.0):
    return Outcome(1000, covered, 0.0, 0.0, width, 0.5)


def test_where_two_are_far_ahead_sets_are_narrower_than_all_ranks():
    seven = cell("two best", cases=7, teams=3)
    assert not keeps_bars(seven, outcome(3.0))
    assert keeps_bars(seven, outcome(2.999))
    assert not keeps_bars(seven, outcome(2.0, covered=0.5)), "the other bars hold all the same"
    assert keeps_bars(cell("two best", cases=6, teams=3), outcome(3.0)), "six cases are too few"
    assert keeps_bars(cell("two best", cases=7, teams=2), outcome(2.0)), "of two, both are ahead"
    assert keeps_bars(cell("one best", cases=7, teams=3), outcome(3.0))
    medians = cell("two best", scheme="median", cases=7, teams=14)
    assert keeps_bars(medians, outcome(14.0))
    assert not keeps_bars(cell("two best", scheme="median", cases=8, teams=14), outcome(14.0))


# How boards are made


def test_the_assessment_of_a_cell_is_its_scheme_with_failures_that_count():
    read = _assessment(cell(unseen="jeffreys"))
    assert read.metrics[0].policy.missing == -8.0
    assert read.uncertainty.unseen_failures == "jeffreys"
    registered = {
        name: _assessment(cell(scheme=name)).rankings[0]
        for name in ("mean", "rank, then mean", "median", "test, then rank", "mean of ranks over 4 metrics")
    }
    assert [(own.scheme, own.operator.kind, bool(own.combine)) for own in registered.values()] == [
        ("aggregate_then_rank", "mean", False),
        ("rank_then_aggregate", "mean", False),
        ("aggregate_then_rank", "median", False),
        ("test_then_rank", "mean", False),
        ("aggregate_then_rank", "mean", True),
    ]


def test_pairs_that_are_tested_in_each_sample_are_drawn_less_often():
    assert [_draws(_assessment(cell(scheme=name))) for name in ("mean", "median", "test, then rank")] == [
        1000,
        1000,
        100,
    ]


def board(one, seed=3):
    read = _assessment(one)
    plan = make_plan(
        read, [f"c{number}" for number in range(one.cases)], None, bootstrap=0, seed=1, leave_one_out=False
    )
    return _board(one, np.random.default_rng(seed), _quality(one), read, plan)


def test_values_are_quality_what_cases_have_in_common_and_noise():
    (part,) = board(cell("ladder 0.1", cases=4000)).elementary
    values = part.item.table.values
    assert values.mean(axis=0) == pytest.approx([0.0, -0.1, -0.2, -0.3], abs=0.06)
    assert values.std(axis=0) == pytest.approx([math.hypot(0.7, 0.7)] * 4, abs=0.05)
    assert (values[:, 0] - values[:, 1]).std() == pytest.approx(0.7 * math.sqrt(2), abs=0.04)
    assert part.item.missing == (0, 0, 0, 0)


def test_failures_have_their_value_in_every_metric():
    ranking = board(cell(scheme="mean of ranks over 4 metrics", cases=1000, failures=0.05))
    failed = [part.item.table.values == -8.0 for part in ranking.elementary]
    assert len(failed) == 4
    assert all((own == failed[0]).all() for own in failed)
    assert failed[0].mean() == pytest.approx(0.05, abs=0.01)
    assert [part.item.table.metric.name for part in ranking.elementary] == [
        f"metric {number}" for number in (1, 2, 3, 4)
    ]
    assert (ranking.elementary[0].item.table.values != ranking.elementary[1].item.table.values).any()


def test_whoever_trades_fails_alone_and_truly_ties():
    (part,) = board(cell("trade", teams=3, cases=20_000, failures=0.05)).elementary
    values = part.item.table.values
    failed = values == -8.0
    assert failed.mean(axis=0) == pytest.approx([0.05, 0.0, 0.0], abs=0.005)
    # What is gained on the other cases: 0.05 × 8 / 0.95.
    assert values[~failed[:, 0], 0].mean() == pytest.approx(0.4 / 0.95, abs=0.04)
    assert values.mean(axis=0) == pytest.approx([0.0] * 3, abs=0.06)


# What comes of the boards of a cell


def decided(monkeypatch, decisions, one, boards, ranks=((1.0, 2.0, 3.0),), contrasted=200):
    """The outcome of a cell whose boards were decided like this."""
    coming = iter(decisions)
    asked = []

    def made(_, random, quality, assessment, plan):
        asked.append(plan.bootstrap)
        return SimpleNamespace(ranks=np.array([ranks[0], *ranks]))

    monkeypatch.setattr(coverage, "_board", made)
    monkeypatch.setattr(coverage, "decide", lambda _: next(coming))
    monkeypatch.setattr(coverage, "CONTRASTED", contrasted)
    return simulate(one, boards, 1), asked


def sets(low, high, winner=None, *, by_draws=True):
    return Decision(winner, np.array(low), np.array(high), by_draws)


ONE_BEST = cell("one best", teams=3)  # true ranks 1, and 2 to 3 of two that are equal


def test_sets_cover_that_hold_every_true_rank_at_both_ends(monkeypatch):
    decisions = [
        sets([1, 2, 2], [1, 3, 3]),  # just so
        sets([1, 1, 1], [3, 3, 3]),
        sets([2, 2, 2], [3, 3, 3]),  # not the first
        sets([1, 3, 2], [1, 3, 3]),  # one of those that tie is not behind both
        sets([1, 2, 2], [1, 3, 2]),
    ]
    verdict, _ = decided(monkeypatch, decisions, ONE_BEST, 5)
    assert verdict.covered == pytest.approx(2 / 5)
    # Mean widths: (1 + 2 + 2)/3, 3, 2, (1 + 1 + 2)/3, (1 + 2 + 1)/3.
    assert verdict.width == pytest.approx((5 / 3 + 3 + 2 + 4 / 3 + 4 / 3) / 5)
    assert (verdict.boards, verdict.named, verdict.false_winner) == (5, 0.0, 0.0)


def test_without_sets_every_rank_is_held(monkeypatch):
    verdict, _ = decided(monkeypatch, [Decision(None, None, None, by_draws=True)], ONE_BEST, 1)
    assert (verdict.covered, verdict.width) == (1.0, 3.0)


def test_a_winner_is_false_who_is_not_the_only_best(monkeypatch):
    low, high = [1, 1, 1], [3, 3, 3]
    decisions = [sets(low, high, winner) for winner in (0, 1, None, 0)]
    verdict, _ = decided(monkeypatch, decisions, ONE_BEST, 4)
    assert (verdict.named, verdict.false_winner) == (0.75, 0.25)
    equal, _ = decided(monkeypatch, decisions, cell("all equal", teams=3), 4)
    assert (equal.named, equal.false_winner) == (0.75, 0.75)


def test_boards_that_flips_decide_are_resampled_for_the_contrast_alone(monkeypatch):
    """The first is resampled before anybody knows how it will be decided."""
    flips = [sets([1, 1, 1], [3, 3, 3], by_draws=False)] * 5
    _, asked = decided(monkeypatch, flips, ONE_BEST, 5, contrasted=2)
    assert asked == [1000, 1000, 0, 0, 0]
    draws = [sets([1, 1, 1], [3, 3, 3])] * 3
    _, asked = decided(monkeypatch, draws, ONE_BEST, 3, contrasted=1)
    assert asked == [1000, 1000, 1000]


@pytest.mark.parametrize(
    ("ranks", "held"),
    [
        (((1.0, 2.0, 3.0), (1.0, 3.0, 2.0)), 1.0),
        (((1.0, 2.0, 3.0),), 0.0),  # the two that are equal have both places
        (((2.0, 1.0, 3.0), (2.0, 3.0, 1.0)), 0.0),
    ],
)
def test_resampling_holds_what_its_range_of_ranks_holds(monkeypatch, ranks, held):
    verdict, _ = decided(monkeypatch, [sets([1, 1, 1], [3, 3, 3])], ONE_BEST, 1, ranks=ranks)
    assert verdict.resampling_covered == held


def test_a_study_goes_in_a_drawn_order_and_tells_how_far_it_is():
    cells = grid()[:5]
    asked, told = [], []

    def one(own, boards, seed):
        asked.append((own, boards, seed))
        return None if own is cells[2] else outcome(float(own.cases))

    made = study(cells, 7, 9, lambda done, of: told.append((done, of)), one)
    order = np.random.default_rng(0).permutation(5)
    assert asked == [(cells[index], 7, 9) for index in order]
    assert told == [(number, 5) for number in range(1, 6)]
    assert [own for own, _ in made] == [own for own in cells if own is not cells[2]]
    assert all(result.width == own.cases for own, result in made)
    assert study(cells, 7, 9, None, lambda *_: None) == []


def test_the_same_cell_and_seed_give_the_same_boards():
    one = cell("ladder 0.1")
    assert simulate(one, 8, 5) == simulate(one, 8, 5)
    assert simulate(one, 8, 5) != simulate(one, 8, 6)
