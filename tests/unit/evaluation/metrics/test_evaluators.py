"""Evaluators of classified cases: matrices and frequencies that are taken, curves with unanswered cases, means over classes."""

import math

import numpy as np
import pytest

from evaluation import metrics
from evaluation.metrics import counting
from evaluation.metrics.evaluators import (
    OVERALL,
    PER_CLASS,
    average,
    cost_matrix,
    disagreement,
    find_working_point,
    prior_vector,
    rate,
    resolve_rule,
    square,
    stack,
)
from evaluation.metrics.samples import Samples
from evaluation.metrics.threshold_counts import count_thresholds, with_ends
from evaluation.metrics.values import Values, any_array, mean_of_classes, ratio
from evaluation.outcomes import Flag, Outcome, ok, undefined

BINARY = Samples(
    classes=("healthy", "ill"),
    reference=np.array([1, 0, 1, 0, 1]),
    decision=np.array([1, 1, 0, 0, 0]),
    scores=np.array([[0.1, 0.9], [0.2, 0.8], [0.4, 0.6], [0.6, 0.4], [1.0, 0.0]]),
    missing=np.array([False, False, False, False, True]),
)
ORDERED = Samples(
    classes=(0, 1, 2), reference=np.array([0, 0, 0, 1, 2, 2]), decision=np.array([0, 1, 0, 1, 0, 1]), scores=None
)


def numbers(values):
    return [None if math.isnan(number) else pytest.approx(float(number)) for number in values.numbers]


class TestMatricesAndFrequencies:
    def test_a_matrix_is_square_finite_and_not_negative(self):
        assert square([[0, 1], [2, 0]], 2, "costs").tolist() == [[0, 1], [2, 0]]
        for wrong in (
            [[0, 1]],
            [[0, 1, 2], [1, 0, 2]],
            [[0, -0.1], [1, 0]],
            [[0, math.inf], [1, 0]],
            [[0, math.nan], [1, 0]],
        ):
            with pytest.raises(ValueError, match="costs: 2 rows and columns of finite numbers >= 0"):
                square(wrong, 2, "costs")

    def test_disagreement_grows_with_the_distance_of_two_classes(self):
        assert disagreement("unweighted", 3).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
        assert disagreement("linear", 3).tolist() == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
        assert disagreement("quadratic", 3).tolist() == [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
        assert disagreement("custom", 2, [[0, 3], [1, 0]]).tolist() == [[0, 3], [1, 0]]
        with pytest.raises(ValueError, match="the diagonal is 0"):
            disagreement("custom", 2, [[0, 3], [1, 1]])
        with pytest.raises(ValueError, match="'cubic' is none of unweighted, linear, quadratic, custom"):
            disagreement("cubic", 2)
        assert cost_matrix("zero_one", 2).tolist() == [[0, 1], [1, 0]]
        assert cost_matrix([[0, 5], [1, 0]], 2).tolist() == [[0, 5], [1, 0]]

    def test_frequencies_are_those_of_the_data_set_equal_ones_or_one_number_a_class(self):
        assert prior_vector("dataset", 4) is None
        assert prior_vector("uniform", 4).tolist() == [0.25] * 4
        assert prior_vector([0, 1], 2).tolist() == [0, 1]
        assert prior_vector([0.25, 0.7500005], 2).tolist() == [0.25, 0.7500005]

    @pytest.mark.parametrize(
        "wrong",
        [
            "other",
            [1.0],
            [0.5, 0.25, 0.25],
            [-0.5, 1.5],
            [0.25, 0.74],
            [0.25, 0.750002],
            [math.nan, 1.0],
            [math.inf, 0.0],
        ],
    )
    def test_other_frequencies_are_refused(self, wrong):
        with pytest.raises(ValueError, match="priors: dataset, uniform or 2 numbers >= 0 that sum to 1"):
            prior_vector(wrong, 2)


class TestRates:
    CURVE = count_thresholds(np.array([True, False, True, False]), np.array([0.9, 0.8, 0.6, 0.4]))

    def test_at_every_threshold(self):
        nan = math.nan
        expected = {
            "sensitivity": [0, 1 / 2, 1 / 2, 1, 1],
            "specificity": [1, 1, 1 / 2, 1 / 2, 0],
            "ppv": [nan, 1, 1 / 2, 2 / 3, 1 / 2],
            "npv": [1 / 2, 2 / 3, 1 / 2, 1, nan],
        }
        for name, values in expected.items():
            assert rate(name, with_ends(self.CURVE))[0] == pytest.approx(values, nan_ok=True), name

    def test_a_target_that_zigzags_is_met_at_its_best(self):
        assert [resolve_rule("auto", name) for name in ("sensitivity", "specificity", "fppi")] == ["tight"] * 3
        assert [resolve_rule("auto", name) for name in ("ppv", "npv")] == ["best"] * 2
        assert (resolve_rule("tight", "ppv"), resolve_rule("best", "sensitivity")) == ("tight", "best")

    def test_the_threshold_of_a_working_point_is_named(self):
        answered = Samples(BINARY.classes, BINARY.reference, None, BINARY.scores)
        point = find_working_point(answered, [1], None, reported="ppv", target="sensitivity", at_least=0.6)
        # Two of three are found from 0.6 on, with one false alarm.
        assert (numbers(point.values), point.thresholds.tolist()) == ([2 / 3], [0.6])
        nothing = find_working_point(answered, [1], None, reported="sensitivity", target="specificity", at_least=1.0)
        assert (numbers(nothing.values), nothing.thresholds.tolist()) == ([1 / 3], [0.9])

    @pytest.mark.parametrize(
        ("name", "lacking"),
        [
            ("sensitivity_at_specificity", (0, 1)),
            ("specificity_at_sensitivity", (0, 1)),
            ("ppv_at_sensitivity", (1,)),
            ("npv_at_sensitivity", (0, 1)),
            ("sensitivity_at_ppv", (1,)),
            ("sensitivity_at_npv", (0, 1)),
        ],
    )
    def test_the_reference_is_to_blame_where_it_lacks_the_class_that_a_rate_divides_by(self, name, lacking):
        """Sensitivity and PPV need positive cases, Specificity and NPV negative ones."""
        target = name.split("_at_")[1]
        for absent in (0, 1):
            reference = [1 - absent] * 3
            result = getattr(metrics, name)(reference, [0.1, 0.5, 0.9], **{f"target_{target}": 0.5})
            if absent in lacking:
                assert (result.outcome, result.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)
            else:
                assert result.outcome is Outcome.OK


class TestAveragePrecision:
    EVALUATE = staticmethod(PER_CLASS["average_precision"])

    def test_an_unanswered_positive_case_is_found_at_no_threshold(self):
        # Hits at ranks 1 and 3 of those that were answered, of three positive cases: (1 + 2/3) / 3.
        assert numbers(self.EVALUATE(BINARY, [1], None)) == [(1 + 2 / 3) / 3]
        assert numbers(self.EVALUATE(BINARY, [1], None, ties="sequential")) == [(1 + 2 / 3) / 3]

    def test_an_unanswered_negative_case_is_a_false_alarm_at_the_top(self):
        # Of the healthy, case 4 is a false alarm before all others; they are found at ranks 2 and 4: (1/2 + 2/4) / 2,
        # the scores of the healthy being 0.1, 0.2, 0.4 and 0.6, so that ranks are 1 (case 4), 2 (case 3), 3, 4 (case 1), 5.
        assert numbers(self.EVALUATE(BINARY, [0], None)) == [(1 / 2 + 2 / 4) / 2]

    @pytest.mark.parametrize("ties", ["grouped", "sequential"])
    def test_copies_are_cases_of_their_own(self, ties):
        drawn = np.array([[1.0, 1, 1, 1, 1], [2, 1, 0, 0, 1], [0, 2, 1, 1, 3], [0, 1, 0, 1, 0]])
        result = self.EVALUATE(BINARY, [1], drawn, ties=ties)
        # First: as above. Second: two hits at the top, of three positive cases. Third: a hit behind two false alarms, of four.
        assert numbers(result) == [(1 + 2 / 3) / 3, 2 / 3, 1 / 3 / 4, None]
        assert result.result(3).flag is Flag.REFERENCE

    def test_equal_scores_one_by_one_stand_in_the_order_of_the_cases(self):
        tied = Samples((0, 1), np.array([1, 0, 1]), None, np.full((3, 2), 0.5))
        # Hit, false alarm, hit: (1 + 2/3) / 2; together, 2/3 at the only threshold.
        assert numbers(self.EVALUATE(tied, [1], None, ties="sequential")) == [(1 + 2 / 3) / 2]
        assert numbers(self.EVALUATE(tied, [1], None)) == [2 / 3]
        # The second case three times: hit, three false alarms, hit.
        drawn = np.array([[1.0, 3, 1]])
        assert numbers(self.EVALUATE(tied, [1], drawn, ties="sequential")) == [(1 + 2 / 5) / 2]
        assert numbers(self.EVALUATE(tied, [1], drawn)) == [2 / 5]
        # The third case twice, without the first: a false alarm, then two hits one after the other.
        twice = np.array([[0.0, 1, 2]])
        assert numbers(self.EVALUATE(tied, [1], twice, ties="sequential")) == [(1 / 2 + 2 / 3) / 2]
        assert numbers(self.EVALUATE(tied, [1], twice)) == [2 / 3]


class TestOrderedClasses:
    DRAWN = np.array([[1.0, 1, 1, 1, 1, 1], [0, 2, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0]])

    def test_mean_distances_over_cases_and_over_classes(self):
        # Off by 0, 1, 0, 0, 2 and 1; drawn: twice 1 and once 2.
        assert numbers(OVERALL["ordinal_mae"](ORDERED, self.DRAWN)) == [4 / 6, 4 / 3, None]
        # By class 1/3, 0 and 3/2; drawn: 1 and 2, of the classes 0 and 2.
        assert numbers(OVERALL["macro_ordinal_mae"](ORDERED, self.DRAWN)) == [(1 / 3 + 3 / 2) / 3, 3 / 2, None]
        for name in ("ordinal_mae", "macro_ordinal_mae"):
            assert OVERALL[name](ORDERED, self.DRAWN).result(2).flag is Flag.REFERENCE

    def test_agreement_of_orders_takes_the_places_of_classes(self):
        result = OVERALL["kendall_tau_b"](ORDERED, None)
        assert numbers(result) == [metrics.kendall_tau_b(ORDERED.reference, ORDERED.decision).value]
        drawn = np.array([[1.0, 2, 1, 0, 1, 3]])
        copies = np.repeat(np.arange(6), drawn[0].astype(int))
        expected = metrics.kendall_tau_b(ORDERED.reference[copies], ORDERED.decision[copies]).value
        assert numbers(OVERALL["kendall_tau_b"](ORDERED, drawn)) == [expected]


class TestTopK:
    def test_a_class_is_among_the_k_best_or_shares_a_place_with_others(self):
        scores = [[0.4, 0.3, 0.2, 0.1], [0.4, 0.3, 0.2, 0.1], [0.4, 0.3, 0.15, 0.15], [0.25] * 4]
        samples = Samples((0, 1, 2, 3), np.array([1, 2, 3, 0]), None, np.array(scores))
        # At 1: second, third, third or fourth, one of four. At 3: the third case has one of two places left, the last 3 of 4.
        assert numbers(OVERALL["top_k_accuracy"](samples, None, k=1)) == [(0 + 0 + 0 + 1 / 4) / 4]
        assert numbers(OVERALL["top_k_accuracy"](samples, None, k=2)) == [(1 + 0 + 0 + 2 / 4) / 4]
        assert numbers(OVERALL["top_k_accuracy"](samples, None, k=3)) == [(1 + 1 + 1 / 2 + 3 / 4) / 4]
        drawn = np.array([[2.0, 0, 1, 0], [0, 0, 0, 0]])
        result = OVERALL["top_k_accuracy"](samples, drawn, k=3)
        assert numbers(result) == [(2 + 1 / 2) / 3, None]
        assert result.result(1).flag is Flag.REFERENCE

    def test_a_case_without_an_answer_is_wrong(self):
        scores = np.array([[0.5, 0.3, 0.2], [np.nan, np.nan, np.nan]])
        samples = Samples((0, 1, 2), np.array([0, 0]), None, scores, np.array([False, True]))
        assert numbers(OVERALL["top_k_accuracy"](samples, None, k=1)) == [1 / 2]

    def test_five_unless_said_otherwise(self):
        scores = np.tile([0.25, 0.2, 0.15, 0.14, 0.13, 0.08, 0.05], (7, 1))
        assert metrics.top_k_accuracy(np.arange(7), scores).value == pytest.approx(5 / 7)
        samples = Samples(tuple(range(7)), np.arange(7), None, scores)
        assert numbers(OVERALL["top_k_accuracy"](samples, None)) == [5 / 7]


class TestMeansOverClasses:
    def test_a_class_for_which_the_prediction_is_to_blame_counts_as_the_worst(self):
        # PPV of class 0: 2 of 3; of class 1: 1 of 3; of class 2: never called, which the prediction is to blame for.
        groups = [[0], [1], [2]]
        assert numbers(average(PER_CLASS["ppv"], ORDERED, groups, None, class_average="macro")) == [(2 / 3 + 1 / 3) / 3]
        weighted = average(PER_CLASS["ppv"], ORDERED, groups, None, class_average="weighted")
        assert numbers(weighted) == [(3 * 2 / 3 + 1 / 3) / 6]
        worst = average(PER_CLASS["ppv"], ORDERED, groups, None, class_average="macro", worst=-1.0)
        assert numbers(worst) == [(2 / 3 + 1 / 3 - 1) / 3]

    def test_classes_that_the_reference_lacks_are_left_out(self):
        values = [
            Values([0.5, 0.5]),
            Values([1.0, 1.0]),
            Values([0.25, 0.0]).undefine([False, True], Outcome.DEGENERATE, Flag.REFERENCE),
        ]
        occurs = np.array([[1.0, 0, 3], [1, 3, 4]])
        assert numbers(mean_of_classes(values, occurs, 0.0, weighted=False)) == [(0.5 + 0.25) / 2, (0.5 + 1) / 2]
        assert numbers(mean_of_classes(values, occurs, 0.0, weighted=True)) == [(0.5 + 3 * 0.25) / 4, (0.5 + 3) / 4]
        none = mean_of_classes([Values([0.5])], np.zeros((1, 1)), 0.0, weighted=False)
        assert (none.result().outcome, none.result().flag) == (Outcome.DEGENERATE, Flag.REFERENCE)


class TestValues:
    def test_joined_batches_keep_outcomes_flags_and_thresholds(self):
        first = Values([1.0, 2.0]).undefine([False, True], Outcome.DEGENERATE, Flag.UNBOUNDED)
        second = Values(3.0)
        first.thresholds, second.thresholds = np.array([0.5, 0.6]), np.array([0.7])
        joined = stack([first, second])
        assert numbers(joined) == [1.0, None, 3.0]
        assert joined.thresholds.tolist() == [0.5, 0.6, 0.7]
        assert (joined.result(1).outcome, joined.result(1).flag) == (Outcome.DEGENERATE, Flag.UNBOUNDED)
        assert joined.result(2) == ok(3.0)
        second.thresholds = None
        assert stack([first, second]).thresholds is None
        assert len(stack([])) == 0

    def test_results_and_batches_are_one_another(self):
        results = [ok(0.5), undefined(Outcome.DEGENERATE, Flag.REFERENCE), undefined(Outcome.MISSING)]
        batch = Values.of_results(results)
        assert [batch.result(index) for index in range(3)] == results
        assert [batch.result(index).flag for index in range(3)] == [Flag.NONE, Flag.REFERENCE, Flag.NONE]
        assert batch.has(Outcome.DEGENERATE).tolist() == [False, True, False]
        assert batch.has(Outcome.DEGENERATE, Flag.NONE).tolist() == [False, False, False]
        assert batch.has(Outcome.DEGENERATE, Flag.REFERENCE).tolist() == [False, True, False]
        assert batch.result() == ok(0.5)

    def test_division_by_0_warns_nobody(self):
        assert ratio([1, -1, 0, 3], [0, 0, 0, 2]) == pytest.approx([math.inf, -math.inf, math.nan, 1.5], nan_ok=True)
        assert any_array(5).shape == (1,)


class TestCountsOfOneClass:
    COUNTS = counting.Counts.of(tp=[3, 0, 2], fp=[1, 0, 0], fn=[2, 0, 1], tn=[4, 5, 0])

    def test_predictive_values_at_another_prevalence(self):
        # Sensitivity 3/5, 1 - Specificity 1/5: at 0.1, 0.06 true and 0.18 false alarms.
        result = counting.ppv(self.COUNTS, 0.1)
        assert numbers(result) == [0.06 / 0.24, None, None]
        assert [result.result(i).flag for i in (1, 2)] == [Flag.REFERENCE, Flag.REFERENCE]
        # Specificity 4/5, 1 - Sensitivity 2/5: 0.72 rightly and 0.04 wrongly called negative.
        assert numbers(counting.npv(self.COUNTS, 0.1)) == [0.72 / 0.76, None, None]
        silent = counting.ppv(counting.Counts.of(0, 0, 2, 3), 0.1).result()
        assert (silent.outcome, silent.flag) == (Outcome.DEGENERATE, Flag.NONE)
        # As many true as false alarms.
        assert numbers(counting.ppv(counting.Counts.of(2, 2, 2, 2), 0.5)) == [0.5]
        # No patient at all at a prevalence of 0, and nobody else at 1.
        assert numbers(counting.ppv(self.COUNTS, 0.0))[0] == 0.0
        assert numbers(counting.ppv(self.COUNTS, 1.0))[0] == 1.0

    def test_a_correction_is_added_to_every_cell(self):
        # 3/5 over 1/5; with 0.5 more in each cell, 3.5/6 over 1.5/6.
        assert numbers(counting.lr_plus(self.COUNTS))[0] == 3.0
        assert numbers(counting.lr_plus(self.COUNTS, 0.5))[0] == 3.5 / 1.5
        perfect = counting.Counts.of(3, 0, 0, 4)
        assert counting.lr_plus(perfect).result().flag is Flag.UNBOUNDED
        assert numbers(counting.lr_plus(perfect, 0.5)) == [(3.5 / 4) / (0.5 / 5)]
        silent = counting.lr_plus(counting.Counts.of(0, 0, 3, 4)).result()
        assert (silent.outcome, silent.flag) == (Outcome.DEGENERATE, Flag.NONE)
        assert numbers(counting.lr_plus(counting.Counts.of(0, 2, 3, 4))) == [0.0]

    def test_beta_weighs_misses(self):
        # TP 3, FP 1, FN 2; with beta 2: 5 * 3 / (5 * 3 + 4 * 2 + 1), with beta 1/2: 1.25 * 3 / (1.25 * 3 + 0.25 * 2 + 1).
        assert numbers(counting.fbeta(self.COUNTS, 2.0))[0] == 15 / 24
        assert numbers(counting.fbeta(self.COUNTS, 0.5))[0] == 3.75 / 5.25
        assert numbers(counting.fbeta(self.COUNTS))[0] == 6 / 9
        assert counting.fbeta(self.COUNTS).result(1).outcome is Outcome.BOTH_EMPTY

    def test_net_benefit_takes_false_alarms_at_the_odds_of_the_threshold(self):
        # Three hits less a quarter of one false alarm, of ten cases.
        assert numbers(counting.net_benefit(self.COUNTS, 0.2))[0] == (3 - 0.25) / 10
        none = counting.net_benefit(counting.Counts.of(0, 0, 0, 0), 0.2).result()
        assert (none.outcome, none.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)

    def test_scores_are_cut_at_the_threshold_probability_and_labels_are_taken_as_they_are(self):
        # From 0.4 on: two hits and two false alarms of five; the fifth case has no answer.
        result = PER_CLASS["net_benefit"](BINARY, [1], None, threshold_probability=0.4)
        assert numbers(result) == [(2 - 2 * (0.4 / 0.6)) / 5]
        labels = Samples(BINARY.classes, BINARY.reference, BINARY.decision, None)
        assert numbers(PER_CLASS["net_benefit"](labels, [1], None, threshold_probability=0.4)) == [(1 - 0.4 / 0.6) / 5]


class TestCountsOfAllClasses:
    # Rows 3, 4 and 0 cases of the reference; decided 4, 1 and 2 times.
    MATRIX = np.array([[[2.0, 0, 1], [2, 1, 1], [0, 0, 0]]])
    NOTHING = np.zeros((1, 3, 3))

    def test_of_the_classes_that_occur(self):
        assert numbers(counting.accuracy(self.MATRIX)) == [3 / 7]
        assert numbers(counting.balanced_accuracy(self.MATRIX)) == [(2 / 3 + 1 / 4) / 2]
        assert numbers(counting.youden_j(self.MATRIX)) == [2 / 3 + 1 / 4 - 1]
        three = np.array([[[2.0, 0, 1], [2, 1, 1], [0, 1, 3]]])
        total = 2 / 3 + 1 / 4 + 3 / 4
        assert numbers(counting.youden_j(three)) == [(total - 1) / 2]
        assert numbers(counting.youden_j(three, "sum")) == [total - 2]

    def test_correlation_and_agreement(self):
        # (3 * 7 - (3 * 4 + 4 * 1)) / sqrt((49 - 16 - 1 - 4) * (49 - 9 - 16)).
        assert numbers(counting.mcc(self.MATRIX)) == [5 / math.sqrt(28 * 24)]
        # By distance, 2 + 2 + 1 is seen; by chance, 3 cases would be 1 + 2 * 2 off and 4 cases 4 + 2, all in sevenths.
        assert numbers(counting.weighted_cohens_kappa(self.MATRIX, disagreement("linear", 3))) == [1 - 5 / (39 / 7)]

    def test_costs_at_the_frequencies_of_the_data_or_at_given_ones(self):
        costs = np.array([[0.0, 1, 2], [5, 0, 1], [1, 1, 0]])
        # Class 0: 2 of 3 cases right, one at 2. Class 1: two at 5, one at 1, of 4.
        assert numbers(counting.expected_cost(self.MATRIX, costs, None, normalized=False)) == [13 / 7]
        given = np.array([0.25, 0.75, 0.0])
        expected = 0.25 * 2 / 3 + 0.75 * 11 / 4
        assert numbers(counting.expected_cost(self.MATRIX, costs, given, normalized=False)) == [expected]
        # The best constant decision is 1: 0.25 * 1, against 0.75 * 5 and 0.25 * 2 + 0.75 * 1.
        assert numbers(counting.expected_cost(self.MATRIX, costs, given, normalized=True)) == [expected / 0.25]
        lacking = counting.expected_cost(self.MATRIX, costs, np.array([0.25, 0.5, 0.25]), normalized=False).result()
        assert (lacking.outcome, lacking.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)
        free = counting.expected_cost(self.MATRIX, np.zeros((3, 3)), None, normalized=True).result()
        assert (free.outcome, free.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)

    def test_one_class_alone_or_none_is_the_references_doing(self):
        one = np.array([[[2.0, 1, 0], [0, 0, 0], [0, 0, 0]]])
        formulas = [
            counting.balanced_accuracy,
            counting.youden_j,
            counting.mcc,
            lambda matrix: counting.weighted_cohens_kappa(matrix, disagreement("linear", 3)),
        ]
        for formula in formulas:
            for matrix in (one, self.NOTHING):
                result = formula(matrix).result()
                assert (result.outcome, result.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)
        assert counting.accuracy(self.NOTHING).result().flag is Flag.REFERENCE
        assert (
            counting.expected_cost(self.NOTHING, np.ones((3, 3)), None, normalized=False).result().flag
            is Flag.REFERENCE
        )
        constant = counting.mcc(np.array([[[2.0, 0], [3, 0]]])).result()
        assert (constant.outcome, constant.flag) == (Outcome.DEGENERATE, Flag.NONE)
        nothing_to_disagree_on = counting.weighted_cohens_kappa(self.MATRIX, np.zeros((3, 3))).result()
        assert (nothing_to_disagree_on.outcome, nothing_to_disagree_on.flag) == (Outcome.DEGENERATE, Flag.NONE)
