"""Stability of a ranking: shares of resamples, exclusions, pairwise contests, and nearly identical algorithms."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from evaluation.ranking.scores import rank
from evaluation.ranking.stability import (
    first_places,
    head_to_head,
    measure,
    near_duplicates,
    order_among,
    percentiles,
    rank_frequencies,
    resampling_range,
    tau_histogram,
    tau_summary,
    teams_left_out,
)

NAN = np.nan


def test_a_ranking_is_measured_by_its_resamples():
    # Full data: 1, 2, 3. In one of four resamples the first two change places, in one they share the first.
    ranks = np.array([1.0, 2.0, 3.0])
    sampled = np.array([[1, 2, 3], [2, 1, 3], [1, 2, 3], [1.5, 1.5, 3]])
    scores = np.array([[0.9, 0.8, NAN], [0.7, 0.8, NAN], [0.8, 0.7, NAN], [0.8, 0.8, NAN]])
    result = measure(ranks, sampled, scores, 0.5)
    # The first and the third of four in order, from 1, 1, 1.5, 2 and 1, 1.5, 2, 2 and 3s, as whole numbers.
    assert result.rank_interval.tolist() == [[1, 2], [1, 2], [3, 3]]
    assert result.rank_median.tolist() == [1.25, 1.75, 3]
    # Quarters of 0.7, 0.8, 0.8, 0.9 and of 0.7, 0.8, 0.8, 0.8 at positions 0.75 and 2.25.
    assert result.score_interval[:2].ravel().tolist() == pytest.approx([0.775, 0.825, 0.775, 0.8])
    assert np.isnan(result.score_interval[2]).all()
    assert result.frequencies.tolist() == [[3, 1, 0], [2, 2, 0], [0, 0, 4]]
    assert result.share_first.tolist() == [0.75, 0.5, 0]
    assert result.winner_stays == 0.75
    assert (result.others_first, result.others_first_1_percent) == (0.5, 0.5)
    # τ-b beside 1, 2, 3: 1, 1/3 with one pair turned round, and 2 / √(3 · 2) with one pair tied.
    assert result.kendall_tau["mean"] == pytest.approx((1 + 1 / 3 + 1 + 2 / 6**0.5) / 4)
    assert result.kendall_tau["undefined"] == 0


def test_a_fractional_rank_counts_at_its_floor():
    assert rank_frequencies(np.array([[1.5, 1.5, 3.0], [2.9, 1.0, 2.0]])).tolist() == [[1, 1, 0], [2, 0, 0], [0, 1, 1]]
    assert rank_frequencies(np.array([[2.0, 1.0]])).tolist() == [[0, 1], [1, 0]]


def firsts(*rows):
    return np.array(rows, dtype=bool)


def test_winners_that_move_together_stay_and_others_have_no_single_share():
    together = firsts([1, 1, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0])
    assert first_places(np.array([1.0, 1.0, 3.0]), together) == (0.75, 1.0, 1.0)
    apart = firsts([1, 1, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0])
    assert first_places(np.array([1.0, 1.0, 3.0]), apart) == (None, 0.0, 0.0)


def test_where_all_share_the_first_place_there_are_no_others():
    assert first_places(np.array([1.0, 1.0]), firsts([1, 1], [1, 1])) == (1.0, None, None)
    assert first_places(np.array([1.5, 1.5]), firsts([1, 0], [1, 1])) == (None, None, None)


def test_an_other_counts_as_often_first_from_one_resample_of_a_hundred():
    first = np.zeros((200, 4), dtype=bool)
    first[:, 0] = True
    first[:2, 1] = first[:1, 2] = True
    assert first_places(np.array([1.0, 2, 3, 4]), first) == (1.0, pytest.approx(2 / 3), pytest.approx(1 / 3))


def test_tau_is_summarised_over_the_resamples_that_have_one():
    summary = tau_summary(np.array([0.0, 1.0, NAN, 0.5, 0.75, NAN, -0.25]))
    counts = summary.pop("histogram")
    # Five numbers in order: -0.25, 0, 0.5, 0.75, 1.
    assert summary == {"mean": 0.4, "median": 0.5, "q25": 0.0, "q75": 0.75, "min": -0.25, "undefined": 2}
    # 80 bins from -1 to 1: each is 1/40 wide, so -0.25 opens bin 30.
    assert {position: count for position, count in enumerate(counts) if count} == {30: 1, 40: 1, 60: 1, 70: 1, 79: 1}


def test_without_any_tau_nothing_is_summarised():
    summary = tau_summary(np.array([NAN, NAN]))
    assert summary.pop("histogram") == [0] * 80
    assert summary == {"mean": None, "median": None, "q25": None, "q75": None, "min": None, "undefined": 2}


@pytest.mark.parametrize(
    ("tau", "place"),
    [
        (-1.0, 0),
        (-0.976, 0),
        (-0.974, 1),
        (-0.3, 28),  # (1 - 0.3) · 40 is a hair beside 28
        (0.0, 40),
        (0.999, 79),
        (1.0, 79),
        (-1 + 27.9999997 / 40, 28),
        (-1 + 27.999996 / 40, 27),
    ],
)
def test_a_value_on_an_edge_of_a_bin_counts_above_it_also_when_it_is_off_by_rounding(tau, place):
    assert np.flatnonzero(tau_histogram(np.array([tau]))).tolist() == [place]


def test_percentiles_lie_between_the_numbers_that_are_there():
    rows = np.array([[5.0, 1.0, NAN], [1.0, NAN, NAN], [2.0, 3.0, NAN]])
    result = percentiles(rows, [0.0, 0.25, 1.0])
    assert result[:, 0].tolist() == [1.0, 1.5, 5.0]
    assert result[:, 1].tolist() == [1.0, 1.5, 3.0]
    assert np.isnan(result[:, 2]).all()


def test_between_two_infinities_is_no_percentile():
    assert np.isnan(percentiles(np.array([[-np.inf], [np.inf]]), [0.5])).all()


def test_positions_of_percentiles_are_exact_to_a_billionth():
    rows = np.array([[0.0], [1e9]])
    assert percentiles(rows, [0.5000000004, 0.500000004]).ravel().tolist() == pytest.approx([5e8, 5e8 + 4], abs=0.1)
    # 0.7 times ten is a hair below 7 in some orders of adding; of eleven numbers this is the eighth.
    assert percentiles(np.arange(11.0)[:, None], [0.1 * 7]).tolist() == [[7.0]]


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (1.0, [1, 10]),
        (0.8, [1, 9]),
        (0.6, [2, 8]),
        (0.79, [2, 9]),
        (0.0, [5, 5]),
        (0.8 - 8e-11, [1, 9]),  # less than half a billionth beyond one of ten
        (0.8 - 8e-10, [2, 9]),
        (0.8 + 8e-11, [1, 9]),
        (0.8 + 8e-10, [1, 10]),
    ],
)
def test_the_range_holds_the_middle_share_of_ten_resamples(interval, expected):
    sampled = np.arange(10.0, 0.0, -1.0)[:, None]
    assert resampling_range(sampled, interval).tolist() == [expected]


def test_the_range_of_fractional_ranks_is_rounded_outwards():
    sampled = np.array([[1.5, 2.5], [2.5, 1.0], [2.5, 1.0]])
    assert resampling_range(sampled, 1.0).tolist() == [[1, 3], [1, 3]]


class Board:
    """Algorithms ranked by the mean of their ranks on every case, among those that take part."""

    def __init__(self, *values, reranked=True, names=None):
        self.elementary = [np.array(matrix, dtype=float) for matrix in values]
        count = self.elementary[0].shape[1]
        self.algorithms = names or [f"a{number:03d}" for number in range(count)]
        self.reranked = reranked
        ranks = order_among(self, np.arange(count))
        self.ranks = np.array([ranks, count + 1 - ranks])  # on all cases, and in a resample

    def scores_among(self, part, columns):
        return rank(part[:, columns], higher_is_better=True, ties="average").mean(axis=0)

    def final(self, given):
        return rank(np.round(np.sum(given, axis=0), 9), higher_is_better=False)


# Three cases on which everyone beats one and loses to one of three, and a fourth is last.
CIRCLE = [[4, 3, 2, 1], [2, 4, 3, 1], [3, 2, 4, 1]]


def test_among_some_only_their_own_order_counts():
    board = Board(CIRCLE)
    assert board.ranks[0].tolist() == [1, 1, 1, 4]
    # a000 beats a001 on the first and the last case, and a001 beats a002 on two of three.
    assert order_among(board, np.array([0, 1])).tolist() == [1, 2]
    assert order_among(board, np.array([2, 1])).tolist() == [2, 1]


def test_head_to_head_are_those_that_tie_or_beat_the_first_alone():
    assert head_to_head(Board(CIRCLE), 0) == [2]
    assert head_to_head(Board(CIRCLE), 2) == [1]
    assert head_to_head(Board(CIRCLE), 3) == [0, 1, 2]
    assert head_to_head(Board([[2, 1, 1], [1, 2, 0]]), 0) == [1]
    assert head_to_head(Board(CIRCLE, CIRCLE), 1) == [0]
    assert head_to_head(Board(CIRCLE, reranked=False), 0) == []


def test_whoever_changes_first_place_or_order_by_leaving_is_named_with_what_changes():
    result = teams_left_out(Board(CIRCLE))
    # Without one of three in a circle, one of the other two wins; without the last nothing changes.
    assert result == [
        {"without": "a000", "winners": ["a001"], "winner_changes": True, "reversed": []},
        {"without": "a001", "winners": ["a002"], "winner_changes": True, "reversed": []},
        {"without": "a002", "winners": ["a000"], "winner_changes": True, "reversed": []},
    ]
    assert teams_left_out(Board(CIRCLE, reranked=False)) == []
    assert teams_left_out(Board([[2, 1], [2, 1]])) == []


def test_a_pair_whose_order_turns_round_is_named_whether_or_not_the_winner_changes():
    # On three cases b is between a and c, on two a is last: mean ranks 1.8, 1.6 and 2.6. Without c, a beats b on three of five.
    values = np.array([[3.0, 2.0, 1.0]] * 3 + [[1.0, 3.0, 2.0]] * 2)
    changed = {"without": "c", "winners": ["a"], "winner_changes": True, "reversed": [["b", "a"]]}
    assert teams_left_out(Board(values, names=["a", "b", "c"])) == [changed]
    above_all = np.column_stack([values, np.full(5, 9.0)])
    kept = {"without": "c", "winners": ["d"], "winner_changes": False, "reversed": [["b", "a"]]}
    assert teams_left_out(Board(above_all, names=["a", "b", "c", "d"])) == [kept]


def test_two_that_are_tied_without_a_third_did_not_turn_round():
    # With c, b has mean rank 1.5 and a has 2; without c both are first once.
    board = Board([[3, 2, 1], [1, 3, 2]], names=["a", "b", "c"])
    tied = {"without": "c", "winners": ["a", "b"], "winner_changes": True, "reversed": []}
    assert [removal for removal in teams_left_out(board) if removal["without"] == "c"] == [tied]


# Places of twelve algorithms, the last of which is the last.
PLACES = np.array([7, 3, 11, 1, 9, 5, 2, 10, 6, 4, 8, 12])


class TurnedRound(Board):
    """A board on which all others change places as soon as the last algorithm is gone."""

    def scores_among(self, part, columns):
        return PLACES[columns] if len(PLACES) - 1 in columns else -PLACES[columns]


def test_of_many_reversed_pairs_the_first_fifty_are_named_by_rank():
    board = TurnedRound(np.zeros((1, 12)))
    (removal,) = teams_left_out(board)
    by_place = [f"a{column:03d}" for column in np.argsort(PLACES)]
    pairs = [[by_place[one], by_place[other]] for one in range(11) for other in range(one + 1, 11)]
    assert len(pairs) == 55
    assert (removal["without"], removal["winners"], removal["reversed"]) == ("a011", [by_place[10]], pairs[:50])


def test_nobody_is_left_out_in_turn_of_more_than_a_hundred():
    values = np.arange(101.0)[None]
    assert teams_left_out(Board(values[:, :100])) == []
    assert teams_left_out(Board(values)) is None


def part_of_board(pairs, count=4, *, per_dataset=False, inside=None):
    near = np.zeros((count, count), dtype=bool)
    for one, other in pairs:
        near[one, other] = near[other, one] = True
    table = SimpleNamespace(per_dataset=per_dataset)
    return SimpleNamespace(item=SimpleNamespace(table=table, alike=near), inside=inside)


def duplicates(*parts, count=4, order=None):
    ranking = SimpleNamespace(algorithms=list(range(count)), elementary=parts)
    return near_duplicates(ranking, list(range(count)) if order is None else order)


def test_algorithms_that_are_alike_in_half_of_the_rankings_are_listed_best_first():
    assert duplicates(part_of_board([(0, 2)])) == [[0, 2]]
    assert duplicates(part_of_board([(0, 2)]), order=[3, 2, 1, 0]) == [[2, 0]]
    assert duplicates(part_of_board([(0, 2)]), part_of_board([])) == [[0, 2]]
    assert duplicates(part_of_board([(0, 2)]), part_of_board([]), part_of_board([])) == []
    assert duplicates(part_of_board([(0, 2)]), part_of_board([(0, 2)]), part_of_board([(1, 3)])) == [[0, 2]]
    assert duplicates(part_of_board([(0, 1), (2, 3)])) == [[0, 1], [2, 3]]


def test_an_algorithm_stands_in_one_list_only():
    # 1 is like 0 and like 2; 0 comes first and takes 1, so that 2 is left with 3.
    assert duplicates(part_of_board([(0, 1), (1, 2), (2, 3)])) == [[0, 1], [2, 3]]
    assert duplicates(part_of_board([(0, 1), (1, 2)])) == [[0, 1]]


def test_rankings_of_the_whole_data_set_and_of_a_part_of_the_cases_tell_no_duplicates():
    whole, inside = part_of_board([(0, 1)], per_dataset=True), part_of_board([(0, 1)], inside=np.array([True]))
    assert duplicates(whole, inside) == []
    assert duplicates(whole, inside, part_of_board([(2, 3)])) == [[2, 3]]


@pytest.mark.parametrize(("count", "found"), [(3, []), (4, [[0, 1]]), (200, [[0, 1]]), (201, [])])
def test_duplicates_are_looked_for_among_four_to_two_hundred_algorithms(count, found):
    assert duplicates(part_of_board([(0, 1)], count), count=count) == found
