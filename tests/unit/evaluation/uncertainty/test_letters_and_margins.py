"""Letters, intervals of differences, and what a margin makes of them, each against its definition."""

import itertools
import math

import numpy as np
import pytest

from evaluation.ranking.resampling import Contributions
from evaluation.ranking.uncertainty import pairs
from evaluation.ranking.uncertainty.pairs import _name, difference, flip_intervals, legible, letters
from tests.unit.evaluation.uncertainty.recomputed import critical_t, hall_limit


def matrix(count, *shown):
    better = np.zeros((count, count), dtype=bool)
    for one, other in shown:
        better[one, other] = True
    return better


def columns(words):
    """Return the algorithms that have each letter, in the order of the letters."""
    every = sorted({letter for word in words for letter in word})
    return [[index for index, word in enumerate(words) if letter in word] for letter in every]


def cliques(better):
    """Return the largest sets of mutually indistinguishable algorithms, by exhaustive search."""
    count = len(better)
    alike = ~(better | better.T)
    sets = [
        set(members)
        for size in range(1, count + 1)
        for members in itertools.combinations(range(count), size)
        if all(alike[one, other] for one, other in itertools.combinations(members, 2))
    ]
    return sorted(sorted(own) for own in sets if not any(own < other for other in sets))


@pytest.mark.parametrize("seed", range(12))
def test_a_letter_stands_for_as_many_as_can_share_one(seed):
    random = np.random.default_rng(seed)
    better = np.triu(random.random((6, 6)) < 0.15 + 0.05 * seed, 1)
    words = letters(better)
    assert columns(words) == cliques(better)
    assert letters(better.T) == words, "who of two is better does not matter"


def test_letters_go_by_who_stands_first():
    assert letters(matrix(3)) == ["a", "a", "a"]
    assert letters(matrix(3, (0, 1), (0, 2), (1, 2))) == ["a", "b", "c"]
    assert letters(matrix(4, (0, 2), (0, 3), (1, 3))) == ["a", "ab", "bc", "c"]
    assert letters(np.zeros((0, 0), dtype=bool)) == []


def test_exactly_as_many_letters_as_are_allowed_are_given(monkeypatch):
    """Three distinguishable algorithms need three letters."""
    better = matrix(3, (0, 1), (0, 2), (1, 2))
    monkeypatch.setattr(pairs, "MOST_COLUMNS", 3)
    assert letters(better) == ["a", "b", "c"]
    monkeypatch.setattr(pairs, "MOST_COLUMNS", 2)
    assert letters(better) is None


def test_no_more_than_five_hundred_letters_and_matrices_of_two_hundred():
    assert (pairs.MOST_COLUMNS, pairs.MOST_IN_MATRICES) == (500, 200)


def test_after_z_comes_aa():
    assert [_name(number) for number in (0, 1, 25, 26, 27, 51, 52, 701, 702)] == [
        *("a", "b", "z", "aa", "ab", "az", "ba", "zz", "aaa"),
    ]


def test_words_are_legible_where_every_character_is_a_letter_of_its_own():
    assert legible(["a", "xyz"])
    assert not legible(["aa"])
    assert not legible(["a", None])
    assert not legible(["ba"])
    assert legible([""])


# Differences


def contributed(plain):
    units, teams = plain.shape
    weights = np.array([0.1, 0.2, 0.3, 0.4])[:units]
    return Contributions(plain, None, np.ones(teams, dtype=bool), weights, np.ones(plain.shape))


PLAIN = np.array([[0.30, 0.10, 0.05], [0.25, 0.20, 0.0], [0.30, 0.05, 0.1], [0.20, 0.15, 0.1]])


def is_inside(x, d, w, critical):
    """Return whether contributions minus x times their weights are within the critical value.

    The critical value is that of the self-normalized sum.
    """
    rest = d - x * w
    return abs(rest.sum()) <= critical * math.sqrt((rest**2).sum())


@pytest.mark.parametrize("critical", [0.5, 1.0, 1.3])
def test_an_interval_holds_every_difference_that_is_not_refuted_by_both_statistics(critical):
    """Each end is that of the self-normalized sum, or the limit of Hall's statistic where that is further out."""
    board = contributed(PLAIN)
    result = flip_intervals(board, 0, critical)
    moved = 0
    for other, (estimate, (low, high)) in enumerate(result):
        d = PLAIN[:, 0] - PLAIN[:, other]
        assert estimate == pytest.approx(d.sum())
        if other == 0:
            assert (low, high) == pytest.approx((0.0, 0.0))
            continue
        guard = critical_t(critical, 4)
        for edge, outwards, quantile in ((low, -1e-6, guard), (high, 1e-6, -guard)):
            of_hall = hall_limit(4 * d, quantile)
            assert not is_inside(edge + outwards, d, board.unit_weights, critical)
            if is_inside(edge - outwards, d, board.unit_weights, critical):
                assert (edge - of_hall) * outwards >= -1e-12
            else:
                assert edge == pytest.approx(of_hall)
                moved += 1
    assert bool(moved) == (critical == 1.3)


def test_a_difference_whose_sign_flips_cannot_bound_has_no_interval():
    """Weights of squares 0.01, 0.04, 0.09 and 0.16 sum to 0.3: at the root of 1/0.3 and beyond every x is within."""
    limit = math.sqrt(1 / 0.3)
    assert [interval for _, interval in flip_intervals(contributed(PLAIN), 0, limit * 1.000001)] == [None] * 3
    assert None not in [interval for _, interval in flip_intervals(contributed(PLAIN), 0, limit * 0.999)]
    even = Contributions(np.array([[0.5, 0.0]] * 4), None, np.ones(2, dtype=bool), np.full(4, 0.5), np.ones((4, 2)))
    assert flip_intervals(even, 0, 1.0)[1] == (2.0, None), "at exactly 1 there is no bound either"


@pytest.mark.parametrize(
    ("interval", "margin", "is_better", "limit", "ends", "verdict"),
    [
        # No winner: the lower end is that of the interval, except for a pair of a later round of step-down.
        ((0.02, 0.3), 0.0, True, None, [0.02, 0.3], "better"),
        ((-0.02, 0.3), 0.0, True, None, [0.0, 0.3], "better"),
        ((0.05, 0.3), 0.1, True, None, [0.1, 0.3], "better"),
        ((-0.02, 0.3), 0.0, False, None, [-0.02, 0.3], "undecided"),
        # A winner: the limit of the lead over the best of the others applies in every row.
        ((-0.02, 0.3), 0.0, True, 0.04, [0.04, 0.3], "better"),
        ((0.06, 0.3), 0.0, True, 0.04, [0.06, 0.3], "better"),
        ((0.06, 0.3), 0.1, True, 0.12, [0.12, 0.3], "better"),
        # Not significantly better: the lower end is never above the margin.
        ((0.02, 0.3), 0.0, False, None, [0.0, 0.3], "undecided"),
        ((0.11, 0.3), 0.1, False, None, [0.1, 0.3], "undecided"),
        ((-0.09, 0.09), 0.1, False, None, [-0.09, 0.09], "equivalent"),
        ((-0.1, 0.09), 0.1, False, None, [-0.1, 0.09], "undecided"),
        ((-0.09, 0.1), 0.1, False, None, [-0.09, 0.1], "undecided"),
        ((-0.3, -0.2), 0.1, False, None, [-0.3, 0.05], "undecided"),
        ((-0.05, 0.2), 0.1, False, None, [-0.05, 0.2], "undecided"),
        # Without a bound there is no interval.
        (None, 0.0, True, 0.1, None, "better"),
        (None, 0.1, False, None, None, "undecided"),
    ],
)
def test_the_lower_end_is_above_the_margin_where_the_first_is_better(interval, margin, is_better, limit, ends, verdict):
    found = difference(0.05, interval, margin=margin, is_better=is_better, limit=limit, level=0.95)
    assert found == {"estimate": 0.05, "interval": ends, "level": 0.95, "verdict": verdict}
