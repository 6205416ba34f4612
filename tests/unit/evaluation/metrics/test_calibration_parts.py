"""Calibration by hand: bins and their edges, kernels in pieces, bandwidths, and cases without an answer."""

import functools
import math
from unittest import mock

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import cdist, pdist

from evaluation import metrics
from evaluation.metrics import calibration_kernels as kernels
from evaluation.metrics.calibration_bins import (
    find_gaps,
    largest_gap,
    mean_gap,
    mean_squared_gap,
    over_cases,
    top_label,
)
from evaluation.metrics.calibration_scores import CALIBRATION, class_calibration_error
from evaluation.metrics.samples import Samples
from evaluation.outcomes import Flag, Outcome

ANSWERED = np.zeros(4, dtype=bool)
LAST_LACKS = np.array([False, False, False, True])
SCORES = np.array([0.0, 0.25, 0.5, 1.0])
HITS = np.array([False, True, True, True])


def gaps(scores=SCORES, hits=HITS, absent=ANSWERED, weights=None, **options):
    result = find_gaps(np.asarray(scores, dtype=float), np.asarray(hits, dtype=bool), absent, weights, **options)
    return result.size.tolist(), result.difference.tolist(), result.total.tolist()


def binary(reference, scores, missing=None):
    positive = np.asarray(scores, dtype=float)
    return Samples((0, 1), np.asarray(reference), None, np.stack([1 - positive, positive], axis=1), missing)


def random_samples(seed, count=30, classes=3, missing=0):
    random = np.random.default_rng(seed)
    scores = random.dirichlet(np.ones(classes), count)
    reference = random.integers(0, classes, count)
    absent = np.zeros(count, dtype=bool)
    absent[:missing] = True
    return Samples(tuple(range(classes)), reference, None, scores, absent if missing else None)


def number(values):
    return float(values.numbers[0])


class TestBins:
    def test_an_edge_belongs_to_the_bin_below_it_or_above_it(self):
        # Four bins of width 1/4: 0.25, 0.5 and 1 are edges. The last number is of cases without an answer.
        assert gaps(n_bins=4) == ([[2, 1, 0, 1, 0]], [[0.75, 0.5, 0, 0, 0]], [4])
        assert gaps(n_bins=4, bin_edge="left_closed") == ([[1, 1, 1, 1, 0]], [[0, 0.75, 0.5, 0, 0]], [4])
        assert gaps(n_bins=1) == ([[4, 0]], [[1.25, 0]], [4])

    def test_a_case_without_an_answer_stands_in_a_bin_of_its_own_with_the_greatest_gap(self):
        assert gaps(n_bins=4, absent=LAST_LACKS) == ([[2, 1, 0, 0, 1]], [[0.75, 0.5, 0, 0, -1]], [4])
        massed = gaps(n_bins=2, absent=LAST_LACKS, binning="equal_mass")
        assert massed == ([[2, 1, 1]], [[0.75, 0.5, -1]], [4])

    def test_copies_count_as_often_as_they_were_drawn(self):
        drawn = np.array([[1.0, 1, 1, 1], [0, 2, 0, 3]])
        size, difference, total = gaps(n_bins=4, weights=drawn)
        assert (size[1], difference[1], total) == ([2, 0, 0, 3, 0], [1.5, 0, 0, 0, 0], [4, 5])
        size, difference, total = gaps(n_bins=4, weights=drawn, absent=LAST_LACKS)
        assert (size[1], difference[1], total) == ([2, 0, 0, 0, 3], [1.5, 0, 0, 0, -3], [4, 5])
        size, difference, total = gaps(n_bins=2, weights=drawn, absent=LAST_LACKS, binning="equal_mass")
        assert (size[1], difference[1], total) == ([2, 0, 3], [1.5, 0, -3], [4, 5])

    @pytest.mark.parametrize(
        ("scores", "edge", "sizes"),
        [
            # Shares of lower scores 0, 1/4, 1/2 and 3/4, times two.
            ([0.1, 0.2, 0.3, 0.4], "right_closed", [2, 2, 0]),
            ([0.1, 0.2, 0.3, 0.4], "left_closed", [2, 2, 0]),
            # Three equal scores stay together: nothing is lower, one is higher.
            ([0.2, 0.2, 0.2, 0.4], "right_closed", [3, 1, 0]),
            ([0.2, 0.2, 0.2, 0.4], "left_closed", [0, 4, 0]),
            ([0.1, 0.3, 0.3, 0.3], "right_closed", [4, 0, 0]),
            ([0.1, 0.3, 0.3, 0.3], "left_closed", [1, 3, 0]),
            # What differs in the tenth decimal is equal, and what differs in the ninth is not.
            ([0.2, 0.2 + 4e-10, 0.2 - 4e-10, 0.4], "right_closed", [3, 1, 0]),
            ([0.2, 0.2 + 2e-9, 0.2 + 4e-9, 0.4], "right_closed", [2, 2, 0]),
        ],
    )
    def test_bins_of_equal_mass_go_by_the_share_of_lower_or_of_higher_scores(self, scores, edge, sizes):
        size, _, _ = gaps(scores, n_bins=2, binning="equal_mass", bin_edge=edge)
        assert size == [sizes]

    def test_bins_of_equal_mass_of_nobody_are_empty(self):
        nobody = np.ones(4, dtype=bool)
        assert gaps(n_bins=2, binning="equal_mass", absent=nobody) == ([[0, 0, 4]], [[0, 0, -4]], [4])
        # The lowest score was not drawn; of the others, two thirds and one third of what was drawn is higher.
        without_lowest = gaps(
            n_bins=2, binning="equal_mass", bin_edge="left_closed", weights=np.array([[0.0, 1, 1, 1]])
        )
        assert without_lowest == ([[1, 2, 0]], [[0.75, 0.5, 0]], [3])
        nothing_drawn = gaps(n_bins=2, binning="equal_mass", weights=np.zeros((1, 4)))
        assert nothing_drawn == ([[0, 0, 0]], [[0, 0, 0]], [0])

    def test_gaps_as_a_mean_a_mean_square_and_a_maximum(self):
        result = find_gaps(SCORES, HITS, ANSWERED, None, n_bins=4)
        assert mean_gap(result) == pytest.approx([(0.75 + 0.5) / 4])
        assert mean_squared_gap(result) == pytest.approx([(0.75**2 / 2 + 0.5**2) / 4])
        assert largest_gap(result) == pytest.approx([0.5])

    def test_fifteen_bins_closed_at_the_right_unless_said_otherwise(self):
        # 1/5 and 2/5 are edges of 15 bins, the ends of the third and the sixth.
        by_default = find_gaps(np.array([0.2, 0.4]), np.array([True, True]), np.zeros(2, dtype=bool), None)
        assert np.flatnonzero(by_default.size[0]).tolist() == [2, 5]
        assert by_default.size.shape == (1, 16)

    def test_values_are_undefined_without_a_case(self):
        result = over_cases(np.array([0.5, np.nan]), np.array([2.0, 0.0]))
        assert number(result) == 0.5
        assert (result.result(1).outcome, result.result(1).flag) == (Outcome.DEGENERATE, Flag.REFERENCE)

    def test_the_winning_score_and_whether_it_is_right(self):
        two = binary([1, 0, 0, 1], [0.75, 0.5, 0.25, 0.25])
        scores, right = top_label(two)
        # Of two equal scores the positive class wins.
        assert (scores.tolist(), right.tolist()) == ([0.75, 0.5, 0.75, 0.75], [True, False, True, False])
        three = Samples((0, 1, 2), np.array([0, 1]), None, np.array([[0.4, 0.4, 0.2], [0.4, 0.4, 0.2]]))
        scores, right = top_label(three)
        assert (scores.tolist(), right.tolist()) == ([0.4, 0.4], [True, False])


class TestScores:
    REFERENCE = np.array([0, 1, 2])
    SCORES = np.array([[0.5, 0.5, 0.0], [0.25, 0.5, 0.25], [0.0, 0.0, 1.0]])
    THREE = Samples((0, 1, 2), REFERENCE, None, SCORES)
    LACKING = Samples((0, 1, 2), REFERENCE, None, SCORES, np.array([False, False, True]))

    def test_squared_errors_over_the_vector_or_of_the_positive_class(self):
        squares = [0.25 + 0.25, 0.0625 + 0.25 + 0.0625, 0.0]
        assert number(CALIBRATION["brier_score"](self.THREE, None)) == pytest.approx(sum(squares) / 3)
        halved = CALIBRATION["brier_score"](self.THREE, None, scaling="halved")
        assert number(halved) == pytest.approx(sum(squares) / 6)
        two = binary([1, 0], [0.75, 0.5])
        positive = (0.0625 + 0.25) / 2
        assert number(CALIBRATION["brier_score"](two, None)) == positive
        assert number(CALIBRATION["brier_score"](two, None, scaling="halved")) == positive
        assert number(CALIBRATION["brier_score"](two, None, task_form="multiclass")) == 2 * positive
        both = CALIBRATION["brier_score"](two, None, task_form="multiclass", scaling="halved")
        assert number(both) == positive
        assert number(CALIBRATION["root_brier_score"](two, None)) == pytest.approx(math.sqrt(positive))
        assert number(CALIBRATION["root_brier_score"](two, None, task_form="multiclass")) == pytest.approx(
            math.sqrt(2 * positive)
        )

    def test_a_case_without_an_answer_is_as_wrong_as_can_be(self):
        assert number(CALIBRATION["brier_score"](self.LACKING, None)) == pytest.approx((0.5 + 0.375 + 2) / 3)
        two = binary([1, 0], [0.75, np.nan], np.array([False, True]))
        assert number(CALIBRATION["brier_score"](two, None)) == pytest.approx((0.0625 + 1) / 2)
        expected = -(math.log(0.5) + math.log(0.5) + math.log(1e-6)) / 3
        assert number(CALIBRATION["nll"](self.LACKING, None, epsilon=1e-6)) == pytest.approx(expected)

    def test_the_logarithm_of_the_true_class_is_clipped_at_both_ends(self):
        # Scores 0.5, 0.5 and 1, which is clipped to 1 - 0.1.
        assert number(CALIBRATION["nll"](self.THREE, None, epsilon=0.1)) == pytest.approx(
            -(2 * math.log(0.5) + math.log(0.9)) / 3
        )
        in_bits = CALIBRATION["nll"](self.THREE, None, epsilon=0.1, log_base="2")
        assert number(in_bits) == pytest.approx((2 - math.log2(0.9)) / 3)
        certain_error = binary([0], [1.0])
        assert number(CALIBRATION["nll"](certain_error, None)) == pytest.approx(-math.log(1e-15))

    def test_skill_is_measured_against_a_constant_forecast(self):
        # Shares of the data set: a third each, with the error 2/3 for everybody.
        brier = (0.5 + 0.375) / 3
        assert number(CALIBRATION["brier_skill_score"](self.THREE, None)) == pytest.approx(1 - brier / (2 / 3))
        # A forecast of (1/2, 1/4, 1/4): 3/8 plus 1 less twice the own share.
        custom = (3 / 8 + 1 - 2 * 1 / 2 + 2 * (3 / 8 + 1 - 2 / 4)) / 3
        result = CALIBRATION["brier_skill_score"](self.THREE, None, baseline_priors=[0.5, 0.25, 0.25])
        assert number(result) == pytest.approx(1 - brier / custom)
        two = binary([1, 0, 0, 0], [0.75, 0.25, 0.25, 0.25])
        assert number(CALIBRATION["brier_skill_score"](two, None)) == pytest.approx(1 - 0.0625 / (3 / 16))
        as_vector = CALIBRATION["brier_skill_score"](two, None, task_form="multiclass")
        assert number(as_vector) == pytest.approx(1 - 0.0625 / (3 / 16))
        drawn = np.array([[1.0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]])
        of_samples = CALIBRATION["brier_skill_score"](two, drawn)
        assert of_samples.numbers[0] == pytest.approx(1 - 0.0625 / 0.25)
        assert [of_samples.result(index).flag for index in (1, 2)] == [Flag.REFERENCE] * 2

    def test_class_wise_errors_are_those_of_each_class_weighted(self):
        errors = [class_calibration_error(self.THREE, [code], None, n_bins=2) for code in range(3)]
        # Bins up to 0.5 and above: of class 0 all three in the first, with 1 - 0.5, 0 - 0.25 and 0; of class 1 also all
        # three, with -0.5, 0.5 and 0; of class 2 the first two with -0.25 together, and 0.
        by_hand = [0.25 / 3, 0.0, math.sqrt(0.25**2 / 2 / 3)]
        assert [number(error) for error in errors] == pytest.approx(by_hand, abs=1e-12)
        plain = [number(class_calibration_error(self.THREE, [code], None, n_bins=2, norm="l1")) for code in range(3)]
        assert plain == pytest.approx([0.25 / 3, 0.0, 0.25 / 3], abs=1e-12)
        together = CALIBRATION["cwce"](self.THREE, None, n_bins=2, class_weights=[0.5, 0.25, 0.25])
        assert number(together) == pytest.approx(math.sqrt(0.5 * by_hand[0] ** 2 + 0.25 * by_hand[2] ** 2))
        mean = CALIBRATION["cwce"](self.THREE, None, n_bins=2, norm="l1")
        assert number(mean) == pytest.approx(2 * 0.25 / 9)

    def test_there_are_fifteen_bins_unless_said_otherwise(self):
        samples = random_samples(12, count=60)
        of_first = functools.partial(class_calibration_error, samples, [0], None)
        for evaluate in (
            of_first,
            *(functools.partial(CALIBRATION[name], samples, None) for name in ("ece", "mce", "tce", "cwce")),
        ):
            assert number(evaluate()) == number(evaluate(n_bins=15))
            assert number(evaluate()) not in (number(evaluate(n_bins=14)), number(evaluate(n_bins=16)))

    def test_classes_taken_together_have_the_sum_of_their_scores(self):
        # Of classes 1 and 2: scores 0.5, 0.75 and 1; the first is none of them.
        result = class_calibration_error(self.THREE, [1, 2], None, n_bins=2, norm="l1")
        assert number(result) == pytest.approx((0.5 + 0.25) / 3)


def kernel_error(samples, estimator, kernel, width):
    """Pair by pair; a pair with a case that lacks an answer counts 2."""
    count = len(samples)
    scores = np.where(samples.absent[:, None], 0.0, samples.scores)
    table = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            if samples.absent[i] or samples.absent[j]:
                table[i, j] = 2
                continue
            distance = math.dist(scores[i], scores[j]) / width
            similarity = math.exp(-distance) if kernel == "laplacian" else math.exp(-(distance**2) / 2)
            errors = [(samples.reference[k] == np.arange(scores.shape[1])) - scores[k] for k in (i, j)]
            table[i, j] = similarity * (errors[0] @ errors[1])
    if estimator == "skce_unbiased":
        return (table.sum() - np.trace(table)) / (count * (count - 1))
    squared = max(table.sum() / count**2, 0)
    return math.sqrt(squared) if estimator == "kce_biased" else squared


class TestKernels:
    @pytest.mark.parametrize("missing", [0, 2])
    @pytest.mark.parametrize("kernel", ["laplacian", "gaussian"])
    @pytest.mark.parametrize("estimator", ["skce_unbiased", "skce_biased", "kce_biased"])
    def test_errors_are_compared_pair_by_pair_also_in_pieces(self, estimator, kernel, missing):
        samples = random_samples(1, count=17, missing=missing)
        expected = kernel_error(samples, estimator, kernel, 0.4)
        options = {"estimator": estimator, "kernel": kernel, "bandwidth": 0.4}
        assert number(kernels.kce(samples, None, **options)) == pytest.approx(expected, abs=1e-12)
        with mock.patch.object(kernels, "_BLOCK", 17 * 5):
            assert number(kernels.kce(samples, None, **options)) == pytest.approx(expected, abs=1e-12)

    def test_by_default_without_bias_with_a_laplacian_as_wide_as_the_median_distance_of_answered_cases(self):
        samples = random_samples(2, count=12, missing=3)
        width = float(np.median(pdist(samples.scores[3:])))
        expected = kernel_error(samples, "skce_unbiased", "laplacian", width)
        assert number(kernels.kce(samples, None)) == pytest.approx(expected, rel=1e-9)

    def test_two_cases_are_needed(self):
        samples = random_samples(3, count=3)
        result = kernels.kce(samples, np.array([[1.0, 0, 0], [2, 0, 0]]), bandwidth=1.0)
        assert (result.result(0).outcome, result.result(0).flag) == (Outcome.DEGENERATE, Flag.REFERENCE)
        assert result.result(1).outcome is Outcome.OK

    def test_more_cases_than_can_be_compared_are_refused(self):
        assert kernels.MOST_CASES == 50_000
        with mock.patch.object(kernels, "MOST_CASES", 3):
            assert kernels.kce(random_samples(3, count=3), None).result().outcome is Outcome.OK
            with pytest.raises(ValueError, match="4 cases; a kernel compares every pair, so at most 3 are taken"):
                kernels.kce(random_samples(3, count=4), None)

    @pytest.mark.parametrize("count", [2, 3, 6, 7, 40])
    def test_the_median_distance_in_pieces(self, count):
        vectors = np.random.default_rng(count).dirichlet(np.ones(3), count)
        for most in (1, 3 * count):
            with mock.patch.object(kernels, "_BLOCK", most):
                assert kernels.median_distance(vectors) == pytest.approx(np.median(pdist(vectors)), rel=1e-9)
        # However many distances stand in one bin of the histogram.
        for bins in (2, 4, 7):
            with mock.patch.object(kernels, "_HISTOGRAM", bins):
                assert kernels.median_distance(vectors) == pytest.approx(np.median(pdist(vectors)), rel=1e-9)
        # Far apart as can be: two corners have the greatest distance there is.
        assert kernels.median_distance(np.eye(3)) == pytest.approx(math.sqrt(2))


def density_error(samples, width, norm):
    """Case by case, with scipy's density; 1 for a case without an answer (of more classes 2, or the root of 2)."""
    answered = np.flatnonzero(~samples.absent)
    size = samples.scores.shape[1]
    worst = 1.0 if size == 2 else (2.0 if norm == "l1" else math.sqrt(2))
    total = worst * samples.absent.sum()
    for i in answered:
        others = [j for j in answered if j != i]
        at = np.maximum(samples.scores[i], 1e-15)
        kernel = np.array([stats.dirichlet.pdf(at / at.sum(), samples.scores[j] / width + 1) for j in others])
        gap = [
            abs(kernel[samples.reference[others] == code].sum() / kernel.sum() - samples.scores[i, code])
            for code in ([1] if size == 2 else range(size))
        ]
        total += gap[0] if size == 2 else sum(gap) if norm == "l1" else math.sqrt(sum(part**2 for part in gap))
    return total / len(samples)


class TestDensities:
    @pytest.mark.parametrize("missing", [0, 2])
    @pytest.mark.parametrize("norm", ["l1", "l2"])
    @pytest.mark.parametrize("classes", [2, 3])
    def test_gaps_are_those_of_a_density_from_the_other_cases_also_in_pieces(self, classes, norm, missing):
        samples = random_samples(4, count=14, classes=classes, missing=missing)
        expected = density_error(samples, 0.2, norm)
        options = {"bandwidth": 0.2, "norm": norm}
        assert number(kernels.ece_kde(samples, None, **options)) == pytest.approx(expected, rel=1e-9)
        with mock.patch.object(kernels, "_BLOCK", 14 * 4):
            assert number(kernels.ece_kde(samples, None, **options)) == pytest.approx(expected, rel=1e-9)

    def test_copies_of_a_case_are_others_to_it(self):
        samples = random_samples(5, count=6)
        times = np.array([2, 1, 1, 0, 3, 1])
        rows = np.repeat(np.arange(6), times)
        copies = Samples(samples.classes, samples.reference[rows], None, samples.scores[rows])
        error = kernels.ece_kde(samples, times[None].astype(float), bandwidth=0.2)
        assert number(error) == pytest.approx(density_error(copies, 0.2, "l1"), rel=1e-9)

    def test_without_a_pair_or_an_answer_there_is_no_density(self):
        samples = random_samples(6, count=4)
        error = kernels.ece_kde(samples, np.array([[1.0, 0, 0, 0], [0, 0, 0, 0]]), bandwidth=0.2)
        assert [error.result(index).flag for index in (0, 1)] == [Flag.REFERENCE] * 2
        all_lack = random_samples(6, count=4, missing=4)
        assert number(kernels.ece_kde(all_lack, None)) == 2.0
        one_answered = random_samples(6, count=4, missing=3)
        # Three as wrong as can be, and one that has no other to be compared with and is left out.
        assert number(kernels.ece_kde(one_answered, None)) == 2.0

    @pytest.mark.parametrize("seed", range(4))
    def test_the_bandwidth_is_the_likeliest_of_a_grid(self, seed):
        random = np.random.default_rng(seed)
        vectors = (
            random.dirichlet(np.full(3, 2.0), 11) if seed else np.repeat(random.dirichlet(np.ones(2), 5), 3, axis=0)
        )
        grid = 10 ** np.linspace(-3, 0, 13)

        def likelihood(width):
            table = np.array(
                [[stats.dirichlet.logpdf(at / at.sum(), centre / width + 1) for centre in vectors] for at in vectors]
            )
            np.fill_diagonal(table, -np.inf)
            return sum(np.logaddexp.reduce(row) for row in table)

        expected = max(grid, key=likelihood)
        assert kernels.likeliest_bandwidth(vectors) == pytest.approx(expected, rel=1e-9)
        with mock.patch.object(kernels, "_BLOCK", len(vectors) * 4):
            assert kernels.likeliest_bandwidth(vectors) == pytest.approx(expected, rel=1e-9)

    def test_of_too_many_cases_as_many_evenly_spaced_in_the_order_of_their_scores_decide(self):
        vectors = np.random.default_rng(7).dirichlet(np.ones(3), 9)
        ordered = vectors[np.argsort(vectors[:, 0])]
        with mock.patch.object(kernels, "_FOR_BANDWIDTH", 5):
            assert kernels.likeliest_bandwidth(vectors) == kernels.likeliest_bandwidth(ordered[[0, 2, 4, 6, 8]])
        with mock.patch.object(kernels, "_FOR_BANDWIDTH", 9):
            assert kernels.likeliest_bandwidth(vectors) == kernels.likeliest_bandwidth(ordered)

    def test_the_order_of_scores_is_that_of_the_first_class_first(self):
        # The first and the last by the first class are alike; by the last class they would not be.
        vectors = np.array([[0.30, 0.10, 0.60], [0.32, 0.60, 0.08], [0.34, 0.30, 0.36], [0.36, 0.10, 0.54]])
        with mock.patch.object(kernels, "_FOR_BANDWIDTH", 2):
            chosen = kernels.likeliest_bandwidth(vectors)
        assert chosen == kernels.likeliest_bandwidth(vectors[[0, 3]])
        assert chosen != kernels.likeliest_bandwidth(vectors[[0, 1]])

    def test_one_case_alone_has_the_bandwidth_1(self):
        assert kernels.likeliest_bandwidth(np.array([[0.5, 0.5]])) == 1.0
        assert kernels.likeliest_bandwidth(np.zeros((0, 2))) == 1.0
        two = kernels.likeliest_bandwidth(np.array([[0.5, 0.5], [0.5, 0.5]]))
        assert two == pytest.approx(0.001)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.nll([0, 1], [0.5, 0.5], epsilon=0.5), "epsilon"),
        (lambda: metrics.kce([0, 1], [0.5, 0.5], estimator="biased"), "no estimator 'biased'"),
        (lambda: metrics.kce([0, 1], [0.5, 0.5], bandwidth=-1), "bandwidth"),
        (
            lambda: metrics.kce([0, 1], [0.5, 0.5], bandwidth=math.inf),
            "bandwidth is median or a number above 0, not inf",
        ),
        (lambda: metrics.ece_kde([0, 1], [0.5, 0.5], bandwidth=0), "bandwidth is auto or a number above 0, not 0"),
        (lambda: metrics.cwce([0, 1], [0.5, 0.5], norm="l0"), "norm is l2 or l1"),
    ],
)
def test_settings_at_the_edge_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_settings_within_the_edge_are_taken():
    assert metrics.nll([0, 1], [0.5, 0.5], epsilon=0.49).value == pytest.approx(math.log(2))
    assert metrics.ece([0, 1], [0.25, 0.75], n_bins=1).value == pytest.approx(0.25)
    distance = cdist([[0.75, 0.25]], [[0.25, 0.75]])[0, 0]
    # One pair: errors (0.25, -0.25) and (-0.25, 0.25).
    assert metrics.kce([0, 1], [0.25, 0.75], bandwidth=2).value == pytest.approx(-0.125 * math.exp(-distance / 2))
