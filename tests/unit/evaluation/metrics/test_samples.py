"""Classified cases: which classes there are, which codes labels get, what scores decide, and what is counted."""

import numpy as np
import pytest

from evaluation.metrics.samples import (
    SUM_SLACK,
    Samples,
    check_scores,
    decide,
    make_samples,
    sums_to_one,
    totals,
    weighted_count,
    weighted_sum,
)

THREE = Samples(
    classes=("a", "b", "c"),
    reference=np.array([0, 1, 2, 2]),
    decision=np.array([0, 2, 2, 1]),
    scores=np.array([[0.5, 0.25, 0.25], [0.0, 0.25, 0.75], [0.25, 0.0, 0.75], [0.0, 0.5, 0.5]]),
    missing=np.array([False, False, False, True]),
)
DRAWN = np.array([[1.0, 1, 1, 1], [3, 0, 2, 5]])


class TestClasses:
    @pytest.mark.parametrize(
        ("reference", "prediction", "options", "classes"),
        [
            ([0, 1], [1, 1], {}, (0, 1)),
            ([0, 0], [0, 0], {}, (0, 1)),
            ([1, 1], [1, 1], {}, (0, 1)),
            ([0, 2], [2, 2], {}, (0, 2)),
            ([-1, 0], [0, 0], {}, (-1, 0)),
            ([0, 1], [1, 2], {}, (0, 1, 2)),
            ([4095, 0], [0, 0], {}, (0, 4095)),
            ([4096, 0], [0, 4097], {}, (0, 4096, 4097)),
            (["b", "a"], ["a", "a"], {}, ("a", "b")),
            (["b"], ["b"], {"positive_class": "a"}, ("a", "b")),
            ([0], [0], {"positive_class": 1}, (0, 1)),
            ([0], [0], {"positive_class": 3}, (0, 3)),
            ([True, False], [True, True], {}, (0, 1)),
            ([1, 0], [1, 0], {"classes": [1, 0]}, (1, 0)),
            ([0, 1], [0.25, 0.75], {}, (0, 1)),
            ([0, 1], [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]], {}, (0, 1, 2)),
            (["x", "y"], [0.25, 0.75], {}, ("x", "y")),
        ],
    )
    def test_they_are_those_that_occur_or_numbers_from_0_on_where_no_other_occurs(
        self, reference, prediction, options, classes
    ):
        assert make_samples(reference, prediction, **options).classes == classes

    @pytest.mark.parametrize(
        ("reference", "prediction", "classes", "words"),
        [
            (["a", "a"], ["a", "a"], None, "only one class occurs"),
            ([2, 2], [2, 2], None, "only one class occurs"),
            ([0, 1], [0, 1], [0], "two different names"),
            ([0, 1], [0, 1], [0, 0], "two different names"),
            ([0, 1], [0, 1], [0, 1, 1], "two different names"),
            ([0, 1], [0, 2], [0, 1], "2 is not among the classes 0, 1"),
            ([0, -1], [0, 1], [0, 1], "-1 is not among the classes 0, 1"),
            (["a", "b"], ["a", "c"], ["a", "b"], "'c' is not among the classes a, b"),
            ([0, 1], [[0.5, 0.5], [1.0, 0.0]], [0, 1, 2], "2 columns of scores for 3 classes"),
            ([0, 1, 2], [0.5, 0.5, 0.5], [0, 1, 2], "decides between two classes, not 3"),
            ([0, 1], [0], None, "one entry a case"),
            ([[0, 1]], [[0, 1]], None, "one entry a case"),
            ([0, 1], [[0, 1], [1, 0]], None, "one label or score a case"),
            ([0, 1], [[[0.5, 0.5]], [[0.5, 0.5]]], None, "one label or score a case"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, reference, prediction, classes, words):
        with pytest.raises(ValueError, match=words):
            make_samples(reference, prediction, classes=classes)

    def test_codes_are_places_among_the_classes_whatever_the_type_of_the_labels(self):
        assert make_samples([2, 0, 1], [0, 0, 2], classes=[2, 1, 0]).reference.tolist() == [0, 2, 1]
        assert make_samples([2, 0, 1], [0, 0, 2], classes=[0, 1, 2]).reference.tolist() == [2, 0, 1]
        assert make_samples(["y", "x"], ["x", "x"]).decision.tolist() == [0, 0]
        assert make_samples([-1, 3], [3, 3]).reference.tolist() == [0, 1]
        assert make_samples([True, False], [True, True]).reference.tolist() == [1, 0]

    def test_names_are_found_among_the_classes_or_refused(self):
        assert THREE.codes(["c", "a"]) == [2, 0]
        with pytest.raises(ValueError, match="'d' is not among the classes a, b, c"):
            THREE.codes(["a", "d"])


class TestDecisions:
    def test_of_two_classes_a_score_from_the_threshold_on_decides_for_the_positive_one(self):
        scores = np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]])
        assert decide(scores).tolist() == [0, 1, 1]
        assert decide(scores, 0.6).tolist() == [0, 0, 1]
        # The positive class is the first: its scores are 0.75, 0.5 and 0.25.
        assert decide(scores, last_is_positive=False).tolist() == [0, 0, 1]
        assert decide(scores, 0.6, last_is_positive=False).tolist() == [0, 1, 1]

    def test_of_more_classes_the_greatest_score_decides_whatever_the_threshold(self):
        scores = np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4]])
        assert decide(scores, 0.9).tolist() == [1, 0]

    @pytest.mark.parametrize(
        ("positive", "decision", "of_second"),
        [(None, [0, 1, 1], [0.2, 0.5, 0.9]), ("b", [0, 1, 1], [0.2, 0.5, 0.9]), ("a", [1, 0, 0], [0.8, 0.5, 0.1])],
    )
    def test_one_score_a_case_is_that_of_the_positive_class(self, positive, decision, of_second):
        samples = make_samples(["a", "b", "b"], [0.2, 0.5, 0.9], positive_class=positive)
        assert samples.decision.tolist() == decision
        assert samples.scores[:, 1] == pytest.approx(of_second)
        assert samples.scores.sum(axis=1) == pytest.approx([1, 1, 1])

    def test_the_threshold_is_that_of_the_positive_class_also_where_scores_come_by_class(self):
        by_class = [[0.75, 0.25], [0.375, 0.625]]
        assert make_samples(["a", "b"], by_class, score_threshold=0.7).decision.tolist() == [0, 0]
        first = make_samples(["a", "b"], by_class, score_threshold=0.7, positive_class="a")
        assert first.decision.tolist() == [0, 1]
        assert make_samples(["a", "b"], by_class, score_threshold=0.7, positive_class="b").decision.tolist() == [0, 0]

    def test_without_decisions_only_scores_are_kept(self):
        samples = make_samples([0, 1], [0.25, 0.75], decided=False)
        assert samples.decision is None
        with pytest.raises(ValueError, match="needs decisions"):
            samples.matrix()

    def test_labels_have_no_scores(self):
        with pytest.raises(ValueError, match="needs scores, and there are only labels"):
            _ = make_samples([0, 1], [0, 1]).required_scores


class TestScores:
    def test_they_are_numbers_from_0_to_1(self):
        assert check_scores(np.array([0.0, 1.0])).tolist() == [0.0, 1.0]
        assert check_scores(np.zeros((0, 3))).shape == (0, 3)
        for wrong in ([-0.001, 0.5], [0.5, 1.001], [np.nan, 0.5], [0.5, np.inf]):
            with pytest.raises(ValueError, match="finite numbers from 0 to 1"):
                check_scores(np.array(wrong))

    def test_a_sum_may_miss_1_by_half_a_thousandth_a_class_either_way(self):
        assert SUM_SLACK == 0.0005
        rows = [[0.2509, 0.5, 0.25], [0.2491, 0.5, 0.25], [0.251, 0.5, 0.2506], [0.249, 0.5, 0.2494]]
        # Off by 0.0009, 0.0009, 0.0016 and 0.0016; 0.0015 is allowed for three classes.
        assert sums_to_one(np.array(rows)).tolist() == [True, True, False, False]
        with pytest.raises(ValueError, match="sum to 1"):
            check_scores(np.array(rows))
        # Two classes may be off by 0.001, which this just is not.
        assert sums_to_one(np.array([[0.75, 0.25 + 2 * SUM_SLACK - 1e-12]])).tolist() == [True]


class TestCounts:
    def test_the_matrix_has_rows_of_the_reference_and_columns_of_decisions(self):
        assert THREE.matrix().tolist() == [[[1, 0, 0], [0, 0, 1], [0, 1, 1]]]
        assert THREE.matrix(DRAWN)[1].tolist() == [[3, 0, 0], [0, 0, 0], [0, 5, 2]]

    def test_one_class_against_the_rest_where_a_case_without_an_answer_is_wrong(self):
        # Of c: case 2 is found, case 1 falsely called, case 3 without an answer and so missed, case 0 left alone.
        counts = THREE.counts([2])
        assert [float(number[0]) for number in counts] == [1, 1, 1, 1]
        # Of a: found; the case without an answer belongs to the rest, and is called a.
        assert [float(number[0]) for number in THREE.counts([0])] == [1, 1, 0, 2]
        assert [float(number[1]) for number in THREE.counts([0], DRAWN)] == [3, 5, 0, 2]
        # Of b and c together: cases 1 and 2 are found, 3 is missed.
        assert [float(number[0]) for number in THREE.counts([1, 2])] == [2, 0, 1, 1]

    def test_a_score_that_equals_the_threshold_is_a_positive_decision(self):
        answered = Samples(("a", "b"), np.array([0, 1, 1]), None, np.array([[0.5, 0.5], [0.5, 0.5], [0.75, 0.25]]))
        assert [float(number[0]) for number in answered.counts_at([1], 0.5)] == [1, 1, 1, 0]
        assert [float(number[0]) for number in answered.counts_at([1], 0.51)] == [0, 0, 2, 1]
        assert [float(number[0]) for number in answered.counts_at([1], 0.5, np.array([[1.0, 4, 2]]))] == [4, 1, 2, 0]

    def test_a_case_without_an_answer_has_the_worst_score_of_each_class(self):
        # Case 3 belongs to c: the worst score is 0 for c and 1 for others.
        assert THREE.score_of([2]).tolist() == [0.25, 0.75, 0.75, 0.0]
        assert THREE.score_of([1]).tolist() == [0.25, 0.25, 0.0, 1.0]
        assert THREE.absent.tolist() == [False, False, False, True]

    def test_scores_of_several_classes_are_added_and_never_exceed_1(self):
        scores = np.array([[0.5, 0.25, 0.25], [0.0, 0.5005, 0.5005]])
        answered = Samples(("a", "b", "c"), np.array([0, 1]), None, scores)
        assert answered.score_of([1, 2]).tolist() == [0.5, 1.0]
        assert answered.absent.tolist() == [False, False]
        nobody_missing = Samples(("a", "b", "c"), np.array([0, 1]), None, scores, np.zeros(2, dtype=bool))
        assert nobody_missing.score_of([1, 2]).tolist() == [0.5, 1.0]

    def test_how_often_classes_stand_in_the_reference(self):
        assert THREE.counts_of_reference([2]).tolist() == [2]
        assert THREE.counts_of_reference([0, 2], DRAWN).tolist() == [3, 10]

    def test_totals_of_groups_and_sums_over_cases(self):
        groups = np.array([0, 2, 2, 0])
        assert totals(groups, 4, None).tolist() == [[2, 0, 2, 0]]
        assert totals(groups, 4, DRAWN).tolist() == [[2, 0, 2, 0], [8, 0, 2, 0]]
        numbers = np.array([1.0, 10, 100, 1000])
        assert weighted_sum(numbers, None).tolist() == [1111]
        assert weighted_sum(numbers, DRAWN).tolist() == [1111, 5203]
        assert weighted_count(4, None).tolist() == [4]
        assert weighted_count(4, DRAWN).tolist() == [4, 10]
