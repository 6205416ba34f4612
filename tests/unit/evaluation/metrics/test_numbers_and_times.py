"""Numbers against numbers and times to events, by hand: copies of cases, what is constant, censoring, and pairs in pieces."""

import math
from unittest import mock

import numpy as np
import pytest

from evaluation import metrics
from evaluation.metrics import paired_values, survival_values
from evaluation.metrics.paired_values import PAIRED, average_ranks, correlate, is_constant, moments
from evaluation.metrics.survival_values import (
    Censoring,
    Followed,
    brier_terms,
    censoring_survival,
    event_free_survival,
    followed,
)
from evaluation.outcomes import Flag, Outcome

TRUTH = np.array([1.0, 2.0, 2.0, 5.0])
GUESS = np.array([2.0, 2.0, 4.0, 4.0])
# Once each; the last twice and the third three times; the last alone, twice; nobody.
DRAWN = np.array([[1.0, 1, 1, 1], [0, 0, 3, 2], [0, 0, 0, 2], [0, 0, 0, 0]])


def numbers(values):
    return [None if math.isnan(number) else pytest.approx(float(number), abs=1e-12) for number in values.numbers]


def reasons(values):
    return [(values.result(i).outcome, values.result(i).flag) for i in range(len(values))]


FINE = (Outcome.OK, Flag.NONE)
BY_REFERENCE = (Outcome.DEGENERATE, Flag.REFERENCE)
BY_PREDICTION = (Outcome.DEGENERATE, Flag.NONE)


class TestMoments:
    def test_number_means_and_sums_about_the_means_of_copies(self):
        of = moments(TRUTH, GUESS, DRAWN)
        # Second: (2, 4) three times and (5, 4) twice: mean 3.2, squares 3 * 1.44 + 2 * 3.24.
        assert of.number.tolist() == [4, 5, 2, 0]
        assert of.mean_x[:3] == pytest.approx([2.5, 3.2, 5.0])
        assert of.mean_y[:3] == pytest.approx([3.0, 4.0, 4.0])
        assert of.xx[:3] == pytest.approx([2.25 + 0.25 + 0.25 + 6.25, 10.8, 0.0])
        assert of.yy[:3] == pytest.approx([4.0, 0.0, 0.0])
        assert of.xy[:3] == pytest.approx([1.5 + 0.5 - 0.5 + 2.5, 0.0, 0.0], abs=1e-12)
        assert of.is_constant_x.tolist() == [False, False, True, True]
        assert of.is_constant_y.tolist() == [False, True, True, True]

    def test_a_large_offset_costs_no_digits(self):
        of = moments(TRUTH + 1e9, GUESS - 1e9, DRAWN[:1])
        assert (of.xx[0], of.yy[0], of.xy[0]) == pytest.approx((9.0, 4.0, 4.0), rel=1e-9)
        assert of.mean_x == pytest.approx([1e9 + 2.5])

    def test_values_are_constant_where_all_that_were_drawn_are_equal_exactly(self):
        nearly = np.array([1.0, 1.0 + 2**-50, 1e6])
        weights = np.array([[1.0, 1, 0], [2, 0, 0], [0, 0, 0], [1, 0, 1]])
        assert is_constant(nearly, weights, np.array([0.0, 0.0, 0.0, 1e12])).tolist() == [False, True, True, False]
        # Near 0 is what rounding may leave of the squares: a billionth of them.
        assert is_constant(np.array([1e9]), np.array([[2.0]]), np.array([1e8])).tolist() == [True]
        # What is far from 0 is not looked up.
        assert is_constant(np.array([1.0, 1.0]), np.array([[1.0, 1]]), np.array([1.0])).tolist() == [False]

    def test_ranks_are_those_among_what_was_drawn_and_equal_values_share_theirs(self):
        assert average_ranks(TRUTH, DRAWN[:2])[0].tolist() == [1, 2.5, 2.5, 4]
        # Three cases of value 2 have the ranks 1 to 3, two of value 5 the ranks 4 and 5.
        assert average_ranks(TRUTH, DRAWN[:2])[1].tolist()[1:] == [2, 2, 4.5]
        assert average_ranks(np.zeros(0), np.zeros((1, 0))).shape == (1, 0)

    def test_a_correlation_stays_within_its_range_and_blames_the_first_before_the_second(self):
        yes, no = np.array([True]), np.array([False])
        one = np.ones(1)
        assert numbers(correlate(one, one, one * 1.0000001, no, no)) == [1.0]
        assert numbers(correlate(one, one, one * -1.0000001, no, no)) == [-1.0]
        assert numbers(correlate(one * 4, one * 9, one * 3, no, no)) == [0.5]
        assert reasons(correlate(one, one, one, yes, yes)) == [BY_REFERENCE]
        assert reasons(correlate(one, one, one, no, yes)) == [BY_PREDICTION]


class TestNumbersOfCopies:
    @pytest.mark.parametrize(
        ("name", "values", "why"),
        [
            # Errors 1, 0, 2 and -1.
            ("rmse", [math.sqrt(6 / 4), math.sqrt((3 * 4 + 2) / 5), 1.0, None], [FINE, FINE, FINE, BY_REFERENCE]),
            ("absolute_bias", [0.5, (3 * 2 - 2) / 5, 1.0, None], [FINE, FINE, FINE, BY_REFERENCE]),
            ("pearson", [4 / 6, None, None, None], [FINE, BY_PREDICTION, BY_REFERENCE, BY_REFERENCE]),
            # Ranks 1, 2.5, 2.5, 4 and 1.5, 1.5, 3.5, 3.5.
            ("spearman", [3 / math.sqrt(4.5 * 4), None, None, None], [FINE, BY_PREDICTION, BY_REFERENCE, BY_REFERENCE]),
            # Three of six pairs agree, none disagrees; five are untied by truth, four by guess.
            ("kendall_tau_b", [3 / math.sqrt(20), None, None, None], [FINE, BY_PREDICTION, BY_REFERENCE, BY_REFERENCE]),
            ("r2", [1 - 6 / 9, 1 - 14 / 10.8, None, None], [FINE, FINE, BY_REFERENCE, BY_REFERENCE]),
            ("ccc", [8 / (9 + 4 + 4 * 0.25), 0.0, 0.0, None], [FINE, FINE, FINE, BY_REFERENCE]),
            # Squares of errors about their mean: 6 - 4 * 0.25 over 3; 14 - 5 * 0.64 over 4; none.
            ("loa_width", [3.92 * math.sqrt(5 / 3), 3.92 * math.sqrt(10.8 / 4), 0.0, None], [FINE, FINE, FINE, BY_REFERENCE]),
        ],
    )  # fmt: skip
    def test_by_hand(self, name, values, why):
        result = PAIRED[name](TRUTH, GUESS, DRAWN)
        assert numbers(result) == values
        assert reasons(result) == why

    def test_intraclass_correlation_of_copies(self):
        # Rows 1.5, 2, 3 and 4.5 about 2.75: 2 * 5.25 / 3. Columns 2.5 and 3: 4 * 0.125. The rest: 13.5 - 10.5 - 0.5 over 3.
        rows, columns, error = 10.5 / 3, 0.5, 2.5 / 3
        agreement = (rows - error) / (rows + error + 2 * (columns - error) / 4)
        result = PAIRED["icc"](TRUTH, GUESS, DRAWN)
        assert numbers(result)[0] == agreement
        assert numbers(PAIRED["icc"](TRUTH, GUESS, DRAWN, form="3,1"))[0] == (rows - error) / (rows + error)
        # Two cases that are one: rows and the rest do not vary, the columns do; one case alone says nothing.
        assert reasons(result)[2:] == [FINE, BY_REFERENCE]
        alone = PAIRED["icc"](TRUTH, GUESS, np.array([[1.0, 0, 0, 0]]))
        assert reasons(alone) == [BY_REFERENCE]
        same = PAIRED["icc"](np.array([2.0, 2.0]), np.array([2.0, 2.0]), np.ones((1, 2)))
        assert reasons(same) == [BY_REFERENCE]

    def test_limits_of_agreement_need_two_cases(self):
        assert reasons(PAIRED["loa_width"](TRUTH, GUESS, np.array([[1.0, 0, 0, 0], [1, 1, 0, 0]]))) == [
            BY_REFERENCE,
            FINE,
        ]
        assert reasons(PAIRED["ccc"](np.ones(2), np.ones(2), np.ones((1, 2)))) == [BY_REFERENCE]
        assert numbers(PAIRED["ccc"](np.ones(2), np.zeros(2), np.ones((1, 2)))) == [0.0]

    def test_pairs_in_pieces_are_the_same_pairs(self):
        random = np.random.default_rng(3)
        truth, guess = random.integers(0, 6, (2, 23)).astype(float)
        weights = random.integers(0, 3, (4, 23)).astype(float)
        whole = PAIRED["kendall_tau_b"](truth, guess, weights).numbers
        for most in (1, 23 * 4, 23 * 7):
            with mock.patch.object(paired_values, "_PAIRS_AT_ONCE", most):
                assert PAIRED["kendall_tau_b"](truth, guess, weights).numbers == pytest.approx(whole, rel=1e-12)

    def test_without_a_case_nothing_is_defined(self):
        for name, kernel in PAIRED.items():
            assert reasons(kernel(np.zeros(0), np.zeros(0), np.zeros((1, 0)))) == [BY_REFERENCE], name

    def test_errors_of_one_case(self):
        assert metrics.absolute_error(10, 7.5).value == 2.5
        assert metrics.squared_error(10, 7.5).value == 6.25
        assert metrics.absolute_percentage_error(-10, -7.5).value == 25.0
        assert metrics.absolute_percentage_error(10, 12.5).value == 25.0
        nothing = metrics.absolute_percentage_error(0, 1)
        assert (nothing.outcome, nothing.flag) == BY_REFERENCE


# Seven people: events at 2, 3, 3 and 6, censored at 3, 5 and 8.
PEOPLE = followed([[2, 1], [3, 1], [3, 0], [3, 1], [5, 0], [6, 1], [8, 0]])
EVERYBODY = np.ones(7, dtype=bool)
RISK = np.array([5.0, 1.0, 2.0, 4.0, 3.0, 3.0, 1.0])


class TestSurvival:
    def test_events_leave_before_those_who_are_censored_at_the_same_time(self):
        censoring = censoring_survival(PEOPLE)
        assert (censoring.times.tolist(), censoring.last) == ([2, 3, 5, 6, 8], 8.0)
        # At 3 six are there, two leave by events, one of four is censored; at 5 one of three; at 8 the last one.
        assert censoring.survival == pytest.approx([1, 3 / 4, 3 / 4 * 2 / 3, 1 / 2, 0])
        assert censoring.at([1, 2, 3, 4.9, 5, 9]) == pytest.approx([1, 1, 3 / 4, 3 / 4, 1 / 2, 0])
        assert censoring.before([2, 3, 5, 8, 8.1]) == pytest.approx([1, 1, 3 / 4, 1 / 2, 0])

    def test_nobody_is_censored_where_all_leave_by_events(self):
        censoring = censoring_survival(followed([[1, 1], [2, 1]]))
        assert censoring.survival.tolist() == [1, 1]
        assert censoring_survival(Followed(np.zeros(0), np.zeros(0, dtype=bool))).last == 0.0

    def test_survival_without_the_event(self):
        result = event_free_survival(PEOPLE)
        assert (result.times.tolist(), result.at_risk.tolist()) == ([2, 3, 5, 6, 8], [7, 6, 3, 2, 1])
        assert result.survival == pytest.approx([6 / 7, 6 / 7 * 4 / 6, 4 / 7, 2 / 7, 2 / 7])

    def test_pairs_of_an_event_and_somebody_under_observation_for_longer(self):
        # Event at 2, risk 5: six later ones, all lower. Event at 3, risk 1: later are the censored at 3 (risk 2) and those
        # of risk 3, 3 and 1: only the last is equal. Event at 3, risk 4: the same four, all lower. At 6, risk 3: one lower.
        right = 6 + 0.5 + 4 + 1
        concordance = survival_values.harrell_c(PEOPLE, RISK, EVERYBODY, np.ones((1, 7)))
        assert numbers(concordance) == [right / (6 + 4 + 4 + 1)]
        # Two events at one time are no pair.
        both = survival_values.harrell_c(followed([[3, 1], [3, 1]]), RISK[:2], EVERYBODY[:2], np.ones((1, 2)))
        assert reasons(both) == [BY_REFERENCE]

    def test_whoever_has_no_answer_is_in_no_pair_in_the_right_order(self):
        answered = EVERYBODY.copy()
        answered[0] = False
        concordance = survival_values.harrell_c(PEOPLE, RISK, answered, np.ones((1, 7)))
        assert numbers(concordance) == [(0.5 + 4 + 1) / 15]
        answered[:] = True
        answered[6] = False
        # The last one is a later one of four pairs, of which one was equal and three were right.
        assert numbers(survival_values.harrell_c(PEOPLE, RISK, answered, np.ones((1, 7)))) == [(11.5 - 3.5) / 15]

    def test_events_before_a_limit_are_weighted_by_how_likely_they_were_to_be_seen(self):
        censoring = censoring_survival(PEOPLE)
        # Before 3 everybody is under observation, and before 6 half of them, so that the event at 6 weighs four times.
        arguments = (PEOPLE, RISK, EVERYBODY, np.ones((1, 7)), censoring)
        assert numbers(survival_values.uno_c(*arguments)) == [(10.5 + 4 * 1) / (14 + 4)]
        assert numbers(survival_values.uno_c(*arguments, tau=6)) == [10.5 / 14]
        assert numbers(survival_values.uno_c(*arguments, tau=6.1)) == [14.5 / 18]
        assert numbers(survival_values.uno_c(*arguments, tau=3)) == [6 / 6]
        assert reasons(survival_values.uno_c(*arguments, tau=2)) == [BY_REFERENCE]

    def test_early_events_against_those_who_are_there_afterwards(self):
        censoring = censoring_survival(PEOPLE)
        arguments = (PEOPLE, RISK, EVERYBODY, np.ones((1, 7)), censoring)
        # Until 3: risks 5, 1 and 4 against 3, 3 and 1.
        assert numbers(survival_values.time_dependent_auc(*arguments, time=3)) == [(3 + 0.5 + 3) / 9]
        # Until 6 also 3, with the weight 2, against 1 alone.
        assert numbers(survival_values.time_dependent_auc(*arguments, time=6)) == [(1 + 0.5 + 1 + 2 * 1) / (3 + 2)]
        assert reasons(survival_values.time_dependent_auc(*arguments, time=8)) == [BY_REFERENCE]
        assert reasons(survival_values.time_dependent_auc(*arguments, time=1)) == [BY_REFERENCE]

    def test_terms_of_the_brier_score(self):
        censoring = censoring_survival(PEOPLE)
        survival = np.array([0.25, 0.5, 0.9, 0.5, 0.75, 0.5, 0.5])
        terms = brier_terms(PEOPLE, survival, EVERYBODY, censoring, 3.0)
        # Events until 3 at the weight 1, those there afterwards at 4/3, the one who is censored at 3 not at all.
        expected = [0.25**2, 0.5**2, 0, 0.5**2, 4 / 3 * 0.25**2, 4 / 3 * 0.5**2, 4 / 3 * 0.5**2]
        assert terms == pytest.approx(expected)
        lacking = EVERYBODY.copy()
        lacking[[0, 4]] = False
        terms = brier_terms(PEOPLE, survival, lacking, censoring, 3.0)
        assert terms == pytest.approx([1, *expected[1:4], 4 / 3, *expected[5:]])
        drawn = np.array([[2.0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0]])
        result = survival_values.brier_at_time(PEOPLE, survival, EVERYBODY, drawn, censoring, time=3.0)
        assert numbers(result) == [(2 * expected[0] + expected[4]) / 3, None]
        assert reasons(result)[1] == BY_REFERENCE

    def test_the_integral_is_made_of_trapezoids_over_the_span(self):
        uncensored = followed([[2, 1], [9, 1]])
        survival = np.array([[0.5, 0.5, 0.5], [1.0, 0.5, 0.0]])
        # At 1 both are there: (0.25 + 0) / 2; at 3 and 7 the second: (0.25 + 0.25) / 2 and (0.25 + 1) / 2.
        at_times = [0.125, 0.25, 0.625]
        area = 2 * (at_times[0] + at_times[1]) / 2 + 4 * (at_times[1] + at_times[2]) / 2
        table = np.stack(uncensored, axis=1)
        assert metrics.integrated_brier_score(table, survival, times=[1, 3, 7]).value == pytest.approx(area / 6)

    def test_people_other_than_the_cases_may_tell_of_censoring(self):
        reference = [[2, 1], [4, 1], [6, 0]]
        others = [[1, 0], [3, 1], [5, 0], [7, 1]]
        # G is 3/4 from 1 on: the event at 2 and whoever is there at 3 weigh 4/3.
        result = metrics.brier_at_time(reference, [0.5, 0.5, 0.5], time=3, censoring=others)
        assert result.value == pytest.approx(0.25 * 4 / 3)
        assert metrics.brier_at_time(reference, [0.5, 0.5, 0.5], time=3).value == pytest.approx(0.25)
        # G before 4 is 3/4, before 2 as well; of those that are compared at 4 one is right.
        assert metrics.time_dependent_auc(reference, [1, 3, 2], time=4, censoring=others).value == pytest.approx(0.5)
        # At 2 and 4: of (2, 4), (2, 6) and (4, 6) only the last is right, all with the same weight.
        assert metrics.uno_c(reference, [1, 3, 2], censoring=others).value == pytest.approx(1 / 3)

    @pytest.mark.parametrize("times", [[1], [3, 1], [1, 1], [[1, 2], [3, 4]], []])
    def test_times_are_two_ascending_numbers_at_least(self, times):
        with pytest.raises(ValueError, match="times are two ascending numbers at least"):
            metrics.integrated_brier_score([[2, 1], [3, 0]], np.full((2, max(len(times), 1)), 0.5), times=times)

    def test_there_is_one_probability_a_case_and_time(self):
        for wrong in ([[0.5], [0.5]], [0.5, 0.5], [[0.5, 1.1], [0.5, 0.5]]):
            with pytest.raises(ValueError, match=r"of shape \(2, 2\)"):
                metrics.integrated_brier_score([[2, 1], [3, 0]], wrong, times=[1, 2])

    def test_pairs_in_pieces_are_the_same_pairs(self):
        random = np.random.default_rng(4)
        time, event = random.integers(1, 9, 21).astype(float), random.random(21) < 0.6
        risk, weights = random.integers(0, 5, 21).astype(float), random.integers(0, 3, (3, 21)).astype(float)
        known, everybody = Followed(time, event), np.ones(21, dtype=bool)
        whole = survival_values.harrell_c(known, risk, everybody, weights).numbers
        for most in (1, 21 * 2, 21 * 5):
            with mock.patch.object(survival_values, "_PAIRS_AT_ONCE", most):
                assert survival_values.harrell_c(known, risk, everybody, weights).numbers == pytest.approx(
                    whole, rel=1e-12
                )

    def test_censoring_is_a_step_function_that_begins_at_1(self):
        steps = Censoring(np.array([2.0, 4.0]), np.array([0.5, 0.25]), 4.0)
        assert steps.at([0, 2, 3, 4, 9]).tolist() == [1, 0.5, 0.5, 0.25, 0.25]
        assert steps.before([0, 2, 3, 4, 9]).tolist() == [1, 1, 0.5, 0.5, 0.25]
