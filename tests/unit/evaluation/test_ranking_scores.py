"""Rounding, ranking and aggregating: every rule, every boundary, with values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.assessment import Operator
from evaluation.ranking.scores import (
    _means,
    _slices,
    aggregate,
    largest_of,
    operator_name,
    operator_phrase,
    ordinal,
    rank,
    row_medians,
    settled,
    snap,
)

NAN = np.nan


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (9.12345678901234, 9.12345678901),
        (1.23456789012345, 1.23456789012),
        (10.1234567890123, 10.1234567890),
        (15.1234567890123, 15.1234567890),
        (0.000123456789012345, 0.000123456789012),
        (123456789012.4, 123456789012.0),
        (123456789012345.0, 123456789012000.0),
        (1234567890123.0, 1234567890120.0),
        (-7.77777777777777, -7.77777777778),
    ],
)
def test_twelve_significant_digits_are_kept_of_numbers_of_every_size(value, expected):
    assert snap(value) == expected


def test_as_many_digits_are_kept_as_are_asked_for():
    assert snap([1234.5, 0.0012345], 2).tolist() == [1200.0, 0.0012]


def test_powers_of_ten_stay_what_they_are():
    powers = [10.0**exponent for exponent in range(-11, 22)]
    assert snap(powers).tolist() == powers


def test_nothing_infinities_zero_and_numbers_beyond_all_use_stay_as_they_are():
    extremes = [1.23456789012345678e-281, 0.99999999999999e-280, 5.123456789012345678e281, 9.99999999999999e290]
    given = np.array([np.inf, -np.inf, 0.0, 1e-280, *extremes])
    assert snap(given).tolist() == given.tolist()
    assert np.isnan(snap(NAN))


def test_the_smallest_and_largest_numbers_that_are_rounded_lie_within_280_powers_of_ten():
    assert snap(5.0000000000004e-280) == pytest.approx(5e-280, rel=1e-15, abs=0)
    assert snap(5.0000000000004e280) == pytest.approx(5e280, rel=1e-15, abs=0)


@pytest.mark.parametrize(
    ("largest", "expected"),
    [
        (1.0, 1.1234567890123),
        (9.99, 1.1234567890123),
        (10.0, 1.123456789012),
        (0.5, 1.12345678901235),
        (1e13, 1.0),
        (1e15, 0.0),
    ],
)
def test_a_difference_keeps_the_digits_that_the_numbers_it_is_made_of_had(largest, expected):
    assert settled(np.array([1.12345678901234567]), largest).tolist() == [expected]


@pytest.mark.parametrize("largest", [0.0, np.inf, NAN, 1e-280, 5e-281, 2e-290, 1e281, 5e281])
def test_beside_no_number_and_beyond_all_use_nothing_is_rounded(largest):
    given = np.array([1.123456789012345678e-290, 0.123456789012345678])
    assert settled(given, largest).tolist() == given.tolist()


@pytest.mark.parametrize("largest", [5e-280, 5e280])
def test_rounding_beside_numbers_of_extreme_size_keeps_fourteen_of_their_digits(largest):
    noisy = largest * (1 + 4e-15)
    assert noisy != largest
    assert settled(np.array([noisy]), largest)[0] == pytest.approx(largest, rel=1e-15, abs=0)


def test_beside_numbers_of_more_than_fourteen_digits_whole_tens_are_kept():
    assert settled(np.array([123.0]), 1e14).tolist() == [120.0]


def test_what_is_no_number_stays_so_beside_numbers_that_are_rounded():
    assert settled(np.array([NAN, np.inf]), 1.0).tolist() == pytest.approx([NAN, np.inf], nan_ok=True)


# Two rows: 9 before twice 8 before 7, and 1 before three times 0.
ROWS = np.array([[8.0, 9.0, 7.0, 8.0], [0.0, 0.0, 1.0, 0.0]])


@pytest.mark.parametrize(
    ("ties", "higher", "lower"),
    [
        ("min", [[2, 1, 4, 2], [2, 2, 1, 2]], [[2, 4, 1, 2], [1, 1, 4, 1]]),
        ("max", [[3, 1, 4, 3], [4, 4, 1, 4]], [[3, 4, 1, 3], [3, 3, 4, 3]]),
        ("dense", [[2, 1, 3, 2], [2, 2, 1, 2]], [[2, 3, 1, 2], [1, 1, 2, 1]]),
        ("average", [[2.5, 1, 4, 2.5], [3, 3, 1, 3]], [[2.5, 4, 1, 2.5], [2, 2, 4, 2]]),
    ],
)
def test_ties_share_the_place_that_their_rule_says_in_every_row(ties, higher, lower):
    assert rank(ROWS, higher_is_better=True, ties=ties).tolist() == higher
    assert rank(ROWS, higher_is_better=False, ties=ties).tolist() == lower
    assert rank(ROWS[0], higher_is_better=True, ties=ties).tolist() == higher[0]
    assert rank(ROWS[None], higher_is_better=True, ties=ties).tolist() == [higher]


def test_the_rule_for_ties_has_to_be_known():
    with pytest.raises(ValueError, match="unknown rule for ties: 'least'"):
        rank([1.0, 1.0], higher_is_better=True, ties="least")
    with pytest.raises(ValueError, match="unknown rule for missing ranks: 'gone'"):
        rank([1.0, NAN], higher_is_better=True, missing_rank="gone")


# Places 1 and twice 2 of those that are there (max: twice 3), two are missing; in the second row nobody is missing, in the
# third everybody is.
GAPS = np.array([[0.5, NAN, 0.9, NAN, 0.5], [0.5, 0.4, 0.3, 0.2, 0.1], [NAN] * 5])


@pytest.mark.parametrize(
    ("ties", "missing_rank", "first", "third"),
    [
        ("min", "toolkit", [2, 3, 1, 3, 2], 1),
        ("dense", "toolkit", [2, 3, 1, 3, 2], 1),
        ("max", "toolkit", [3, 5, 1, 5, 3], 5),
        ("average", "toolkit", [2.5, 4, 1, 4, 2.5], 3),
        ("min", "last", [2, 5, 1, 5, 2], 5),
        ("average", "last", [2.5, 5, 1, 5, 2.5], 5),
        ("min", "shared_last", [2, 4, 1, 4, 2], 1),
        ("max", "shared_last", [3, 4, 1, 4, 3], 1),
    ],
)
def test_the_missing_come_where_their_rule_puts_them(ties, missing_rank, first, third):
    document = rank(GAPS, higher_is_better=True, ties=ties, missing_rank=missing_rank)
    assert document.tolist() == [first, [1, 2, 3, 4, 5], [third] * 5]


@pytest.mark.parametrize(("missing_rank", "place"), [("toolkit", 3), ("last", 4), ("shared_last", 4)])
def test_of_the_missing_only_those_that_are_marked_take_a_place(missing_rank, place):
    marked = np.zeros(GAPS.shape, dtype=bool)
    marked[0, 3] = marked[0, 4] = marked[2, 0] = True  # 0.5 is there, so its mark says nothing
    document = rank(GAPS, higher_is_better=True, missing_rank=missing_rank, last_rank=marked)
    assert document[0].tolist() == pytest.approx([2, NAN, 1, place, 2], nan_ok=True)
    assert document[1].tolist() == [1, 2, 3, 4, 5]
    assert document[2].tolist() == pytest.approx([1, NAN, NAN, NAN, NAN], nan_ok=True)


NEARLY = 1e-13


def test_scores_that_differ_by_noise_are_tied_only_where_rounding_is_asked_for():
    noisy = np.array([[0.5, 0.5 + NEARLY, 0.7], [0.1, 0.2, 0.3], [0.7, 0.6, 0.7 - NEARLY]])
    assert rank(noisy, higher_is_better=True, rounded=True).tolist() == [[2, 2, 1], [3, 2, 1], [1, 3, 1]]
    assert rank(noisy, higher_is_better=True).tolist() == [[3, 2, 1], [3, 2, 1], [1, 3, 2]]


def test_rounding_for_ranks_leaves_the_scores_that_were_given_alone():
    noisy = np.array([[0.5, 0.5 + NEARLY, 0.7]])
    before = noisy.copy()
    assert rank(noisy, higher_is_better=False, rounded=True).tolist() == [[1, 1, 3]]
    assert noisy.tolist() == before.tolist()


@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_noise_is_told_by_the_size_of_the_scores_beside_it(sign):
    # The gap of 1e-7 is large beside 1 and nothing beside a million, of which 12 digits reach to 1e-5.
    scores = sign * np.array([[0.0, 1.0, 1e6, 1e6 + 1e-7]])
    assert rank(scores, higher_is_better=sign < 0, rounded=True).tolist() == [[1, 2, 3, 3]]
    small = sign * np.array([[1e-7, 2e-7, 2e-7 + 1e-14, 3e-7]])
    assert rank(small, higher_is_better=sign < 0, rounded=True).tolist() == [[1, 2, 3, 4]]


def test_what_is_noise_is_told_by_the_largest_score_where_the_highest_is_best_too():
    assert rank([[0.0, 1.0, 1e6, 1e6 + 1e-7]], higher_is_better=True, rounded=True).tolist() == [[4, 3, 1, 1]]
    assert rank([[0.0, 0.0, 0.0]], higher_is_better=True, rounded=True).tolist() == [[1, 1, 1]]


def test_rounded_ranks_know_equal_scores_the_missing_and_the_infinite():
    scores = np.array([[0.5, 0.5, NAN], [0.5, NAN, 0.5 + NEARLY], [-np.inf, np.inf, np.inf], [1.0, 2.0, 3.0]])
    assert rank(scores, higher_is_better=True, rounded=True).tolist() == [
        [1, 1, 2],
        [1, 3 - 1, 1],
        [3, 1, 1],
        [3, 2, 1],
    ]


def test_one_algorithm_alone_is_first_in_every_row():
    assert rank([[0.3], [0.4]], higher_is_better=True, rounded=True).tolist() == [[1], [1]]
    assert rank([0.3], higher_is_better=True).tolist() == [1]


MEAN, MEDIAN = Operator("mean"), Operator("median")
# Cases × algorithms; the third algorithm repeats the first, the fourth has no value at all.
VALUES = np.array([[0.1, 0.9, 0.1, NAN], [0.4, NAN, 0.4, NAN], [0.7, 0.3, 0.7, NAN]])
# Samples: everything once; the first case three times; the second alone; nothing.
COUNTS = np.array([[1.0, 3.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]])


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        # Of 0.1, 0.4 and 0.7, and of 0.9 and 0.3
        (MEAN, [[0.4, 0.6], [0.1, 0.9], [0.4, NAN], [NAN, NAN]]),
        (MEDIAN, [[0.4, 0.6], [0.1, 0.9], [0.4, NAN], [NAN, NAN]]),
        (Operator("min"), [[0.1, 0.3], [0.1, 0.9], [0.4, NAN], [NAN, NAN]]),
        (Operator("max"), [[0.7, 0.9], [0.1, 0.9], [0.4, NAN], [NAN, NAN]]),
        # Position 2 · 0.25 = 0.5 between 0.1 and 0.4; position 0.25 between 0.3 and 0.9
        (Operator("percentile", 25.0), [[0.25, 0.45], [0.1, 0.9], [0.4, NAN], [NAN, NAN]]),
    ],
)
def test_values_are_aggregated_as_often_as_their_cases_were_drawn(operator, expected):
    scores = aggregate(VALUES, COUNTS, operator, higher_is_better=True)
    for sample, (first, second) in zip(scores.tolist(), expected, strict=True):
        assert sample == pytest.approx([first, second, first, NAN], nan_ok=True, abs=1e-13)


@pytest.mark.parametrize(
    ("first", "second"), [([0.77, 0.94, 0.55], [0.78, 0.93, 0.55]), ([0.14, 0.19, 0.02], [0.15, 0.18, 0.02])]
)
def test_equal_means_of_different_values_are_equal_scores_and_share_a_rank(first, second):
    scores = aggregate(np.column_stack([first, second]), np.ones((3, 1)), MEAN, higher_is_better=True)
    assert scores[0, 0] == scores[0, 1], (
        "aggregate must round its result (snap, settled), see docs/ranking.md, section 2"
    )
    assert rank(scores, higher_is_better=True).tolist() == [[1.0, 1.0]]


def test_a_percentile_counts_from_the_worse_end_unless_it_says_low():
    values, once = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]), np.ones((5, 1))
    worse, low = Operator("percentile", 25.0), Operator("percentile", 25.0, "low")
    assert aggregate(values, once, worse, higher_is_better=True).tolist() == [[1.0]]
    assert aggregate(values, once, worse, higher_is_better=False).tolist() == [[3.0]]
    assert aggregate(values, once, low, higher_is_better=False).tolist() == [[1.0]]


def test_order_statistics_count_a_case_that_is_drawn_twice_as_two():
    # 5, 5, 1, 3: sorted 1, 3, 5, 5, median 4; the share of 0.9 lies at 2.7, between 5 and 5; of 0.5 with 1, 1, 3 at 1
    values, counts = np.array([[5.0], [1.0], [3.0]]), np.array([[2.0, 0.0], [1.0, 2.0], [1.0, 1.0]])
    assert aggregate(values, counts, MEDIAN, higher_is_better=True).tolist() == [[4.0], [1.0]]
    assert aggregate(values, counts, Operator("percentile", 90.0), higher_is_better=True).tolist() == [[5.0], [2.6]]


def test_there_may_be_more_algorithms_than_cases():
    scores = aggregate(np.array([[0.1, 0.2, 0.3]]), np.ones((1, 2)), MEDIAN, higher_is_better=True)
    assert scores.tolist() == [[0.1, 0.2, 0.3]] * 2


def test_more_draws_than_a_short_number_holds_are_counted_in_full():
    # 20,000 draws of each of two values and one of a third: the middle one of 40,001 in order is the 20,001st
    values, counts = np.array([[0.2], [0.8], [0.5]]), np.array([[20_000.0], [20_000.0], [1.0]])
    assert aggregate(values, counts, MEDIAN, higher_is_better=True).tolist() == [[0.5]]
    assert aggregate(values, counts, Operator("max"), higher_is_better=True).tolist() == [[0.8]]


def test_a_mean_keeps_what_is_left_when_large_values_cancel_out():
    tiny = 2.0**-60
    assert _means(np.array([[1.0], [-1.0], [tiny]]), np.ones((3, 1))).tolist() == [[tiny / 3]]


def test_a_value_that_is_drawn_very_often_alone_is_its_own_mean():
    # 2^26 draws take 27 of 52 bits; two parts of 25 bits hold the 50 bits of this value
    value = 1 + 2.0**-49
    assert _means(np.array([[value], [NAN]]), np.array([[2.0**26], [1.0]])).tolist() == [[value]]


@pytest.mark.parametrize(("total", "bits"), [(1.0, 51), (2.0, 50), (3.0, 50), (4.0, 49)])
def test_values_are_cut_into_whole_parts_that_leave_room_for_the_number_of_draws(total, bits):
    # 3 is 0.75 · 2², 0.1875 is 0.75 · 2^-2: of the larger size, with the bits that the draws leave of 52
    high, low, fraction, scale = _slices(np.array([3.0, 0.1875, 0.0]), total)
    assert high.tolist() == [0.75 * 2.0**bits, 0.75 * 2.0 ** (bits - 4), 0.0]
    assert low.tolist() == [0.0, 0.0, 0.0]
    assert (fraction, scale) == (2.0**-bits, 2.0 ** (2 - bits))


def test_what_the_whole_parts_leave_over_is_kept_in_a_second_part():
    # 0.1875 + 2^-55 has its last bit at 2^-53 of a power of two; with 50 bits in the first part 1/8 is left: 2^47 of 2^50
    high, low, fraction, scale = _slices(np.array([0.1875 + 2.0**-55]), 3.0)
    assert (high.tolist(), low.tolist()) == ([0.75 * 2.0**50], [2.0**47])
    assert (high[0] + low[0] * fraction) * scale == 0.1875 + 2.0**-55


def test_the_size_of_the_largest_number_is_nothing_where_there_is_none():
    assert largest_of(np.array([[NAN, -0.5], [0.25, NAN]])) == 0.5
    assert largest_of(np.array([NAN])) == 0.0
    assert largest_of(np.empty((0, 2))) == 0.0


def test_the_median_of_a_row_is_the_middle_number_or_half_way_between_two():
    whole = np.array([[3.0, 1.0, 2.0], [9.0, 9.0, 1.0]])
    assert row_medians(whole).tolist() == [[2.0], [9.0]]
    assert row_medians(np.array([[4.0, 1.0, 2.0, 9.0]])).tolist() == [[3.0]]
    assert row_medians(np.array([[4.0], [5.0]])).tolist() == [[4.0], [5.0]]


def test_the_median_of_a_row_leaves_out_what_is_not_a_number():
    rows = np.array([[1.0, 2.0, NAN, NAN], [7.0, 1.0, 3.0, NAN], [5.0, NAN, NAN, NAN], [NAN] * 4, [1.0, 2.0, 4.0, 8.0]])
    assert row_medians(rows).ravel().tolist() == pytest.approx([1.5, 3.0, 5.0, NAN, 3.0], nan_ok=True)
    assert row_medians(rows[:1, :3]).tolist() == [[1.5]]
    assert row_medians(rows).shape == (5, 1)


def test_the_median_of_rows_without_columns_is_not_a_number():
    medians = row_medians(np.empty((2, 0)))
    assert medians.shape == (2, 1)
    assert np.isnan(medians).all()


def test_a_median_between_two_that_are_infinite_is_infinite_or_none():
    rows = np.array([[np.inf, np.inf], [-np.inf, np.inf]])
    assert row_medians(rows).ravel().tolist() == pytest.approx([np.inf, NAN], nan_ok=True)
    assert row_medians(np.column_stack([rows, [NAN, NAN]])).ravel().tolist() == pytest.approx(
        [np.inf, NAN], nan_ok=True
    )


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "0th"),
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (10, "10th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (21, "21st"),
        (22, "22nd"),
        (93, "93rd"),
        (111, "111th"),
        (113, "113th"),
        (2.5, "2.5th"),
        (97.5, "97.5th"),
    ],
)
def test_ordinal_numbers_end_as_people_say_them(number, said):
    assert ordinal(number) == said


@pytest.mark.parametrize(
    ("operator", "phrase", "name"),
    [
        (MEAN, "the mean", "mean"),
        (MEDIAN, "the median", "median"),
        (Operator("min"), "the smallest", "min"),
        (Operator("max"), "the largest", "max"),
        (Operator("percentile", 5.0), "the 5th percentile counted from the worse end", "5 % percentile"),
        (Operator("percentile", 2.5, "low"), "the 2.5th percentile", "2.5 % percentile"),
        (Operator("percentile", 0.0), "the 0th percentile counted from the worse end", "0 % percentile"),
    ],
)
def test_operators_are_named_in_sentences_and_in_heads_of_columns(operator, phrase, name):
    assert (operator_phrase(operator), operator_name(operator)) == (phrase, name)
