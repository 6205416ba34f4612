"""Every value that the metrics reference computes on E1, E2, E3, E6 and E7, to its four decimals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evaluation import metrics

from .fixtures import (
    E1,
    E2,
    E3_LABELS,
    E3_SCORES,
    E6_LABELS,
    E6_SCORES,
    E7_LABELS,
    E7_SCORES,
    from_counts,
    from_matrix,
)

BA_COSTS = [[0, 1 / (2 * 0.75)], [1 / (2 * 0.25), 0]]
MISS_FIVE = [[0, 1], [5, 0]]
THREE_COSTS = [[0, 1, 2], [2, 0, 1], [5, 3, 0]]
E1_VALUES = [
    (metrics.sensitivity, {}, 0.8),
    (metrics.specificity, {}, 0.8667),
    (metrics.ppv, {}, 0.6667),
    (metrics.ppv, {"target_prevalence": 0.25}, 0.6667),
    (metrics.ppv, {"target_prevalence": 0.5}, 0.8571),
    (metrics.ppv, {"target_prevalence": 0.01}, 0.0571),
    (metrics.npv, {}, 0.9286),
    (metrics.npv, {"target_prevalence": 0.25}, 0.9286),
    (metrics.npv, {"target_prevalence": 0.5}, 0.8125),
    (metrics.npv, {"target_prevalence": 0.01}, 0.9977),
    (metrics.lr_plus, {}, 6.0),
    (metrics.fbeta, {}, 0.7273),
    (metrics.fbeta, {"beta": 2}, 0.7692),
    (metrics.fbeta, {"beta": 0.5}, 0.6897),
    (metrics.net_benefit, {"threshold_probability": 0.2}, 0.175),
    (metrics.net_benefit, {"threshold_probability": 0.9}, -0.7),
    (metrics.accuracy, {}, 0.85),
    (metrics.balanced_accuracy, {}, 0.8333),
    (metrics.youden_j, {}, 0.6667),
    (metrics.youden_j, {"multiclass_form": "sum"}, 0.6667),
    (metrics.mcc, {}, 0.6299),
    (metrics.cohens_kappa, {}, 0.625),
    (metrics.weighted_cohens_kappa, {"weights": "unweighted"}, 0.625),
    (metrics.expected_cost, {}, 0.15),
    (metrics.expected_cost_normalized, {}, 0.6),
    (metrics.expected_cost, {"costs": MISS_FIVE}, 0.35),
    (metrics.expected_cost_normalized, {"costs": MISS_FIVE}, 0.4667),
    (metrics.expected_cost, {"costs": BA_COSTS}, 0.1667),
    (metrics.expected_cost, {"priors": "uniform"}, 0.1667),
]
E2_VALUES = [
    (metrics.fbeta, {"positive_class": 0}, 0.8197),
    (metrics.fbeta, {"positive_class": 1}, 0.5882),
    (metrics.fbeta, {"positive_class": 2}, 0.6),
    (metrics.fbeta, {"class_average": "macro"}, 0.6693),
    (metrics.fbeta, {"class_average": "weighted"}, 0.7059),
    (metrics.sensitivity, {"positive_class": 0}, 0.8333),
    (metrics.sensitivity, {"positive_class": 1}, 0.5),
    (metrics.sensitivity, {"positive_class": 2}, 0.75),
    (metrics.accuracy, {}, 0.7083),
    (metrics.balanced_accuracy, {}, 0.6944),
    (metrics.youden_j, {"multiclass_form": "sum"}, 0.0833),
    (metrics.youden_j, {}, 0.5417),
    (metrics.mcc, {}, 0.5387),
    (metrics.cohens_kappa, {}, 0.53125),
    (metrics.weighted_cohens_kappa, {"weights": "linear"}, 0.58),
    (metrics.weighted_cohens_kappa, {}, 0.6283),
    (metrics.weighted_cohens_kappa, {"weights": "unweighted"}, 0.53125),
    (metrics.expected_cost, {}, 0.2917),
    (metrics.expected_cost_normalized, {}, 0.5833),
    (metrics.expected_cost, {"costs": THREE_COSTS}, 0.5333),
    (metrics.expected_cost_normalized, {"costs": THREE_COSTS}, 0.5333),
]
E3_VALUES = [
    (metrics.auroc, {}, 0.8333),
    (metrics.average_precision, {}, 0.8304),
    (metrics.average_precision, {"interpolation": "coco_101"}, 0.8320),
    (metrics.sensitivity_at_specificity, {"target_specificity": 0.8}, 0.75),
    (metrics.specificity_at_sensitivity, {"target_sensitivity": 0.75}, 0.8333),
    (metrics.specificity_at_sensitivity, {"target_sensitivity": 0.9}, 0.5),
    (metrics.ppv_at_sensitivity, {"target_sensitivity": 0.75}, 0.75),
    (metrics.sensitivity_at_ppv, {"target_ppv": 0.7}, 0.75),
    (metrics.npv_at_sensitivity, {"target_sensitivity": 0.75}, 0.8333),
    (metrics.npv_at_sensitivity, {"target_sensitivity": 0.75, "rule": "best"}, 1.0),
    (metrics.sensitivity_at_npv, {"target_npv": 0.8}, 1.0),
]
E6_VALUES = [
    (metrics.brier_score, {}, 0.1570),
    (metrics.brier_score, {"task_form": "multiclass"}, 0.3140),
    (metrics.brier_skill_score, {}, 0.3720),
    (metrics.brier_skill_score, {"task_form": "multiclass"}, 0.3720),
    (metrics.root_brier_score, {}, 0.3962),
    (metrics.nll, {}, 0.4623),
    (metrics.ece, {"n_bins": 5}, 0.1),
    (metrics.ece, {"n_bins": 5, "bin_edge": "left_closed"}, 0.18),
    (metrics.ece, {"n_bins": 10}, 0.16),
    (metrics.ece, {"n_bins": 20}, 0.24),
    (metrics.ece, {"n_bins": 5, "target": "positive_class"}, 0.14),
    (metrics.mce, {"n_bins": 5}, 0.25),
    (metrics.mce, {"n_bins": 10}, 0.3),
    (metrics.tce, {"n_bins": 5}, 0.1419),
    (metrics.ece_kde, {"bandwidth": 0.1}, 0.1085),
]
E7_VALUES = [
    (metrics.brier_score, {}, 0.4033),
    (metrics.brier_skill_score, {}, 0.34),
    (metrics.root_brier_score, {}, 0.6351),
    (metrics.nll, {}, 0.6986),
    (metrics.ece, {"n_bins": 5}, 0.2),
    (metrics.mce, {"n_bins": 5}, 0.4),
    (metrics.tce, {"n_bins": 5}, 0.2291),
    (metrics.cwce, {"n_bins": 5, "positive_class": 0}, 0.3223),
    (metrics.cwce, {"n_bins": 5, "positive_class": 1}, 0.2630),
    (metrics.cwce, {"n_bins": 5, "positive_class": 2}, 0.2121),
    (metrics.cwce, {"n_bins": 5}, 0.2696),
    (metrics.cwce, {"n_bins": 5, "norm": "l1"}, 0.2333),
    (metrics.kce, {}, -0.0209),
    (metrics.kce, {"estimator": "skce_biased"}, 0.0498),
    (metrics.kce, {"estimator": "kce_biased"}, 0.2232),
    (metrics.ece_kde, {"bandwidth": 0.1}, 0.7428),
    (metrics.ece_kde, {"bandwidth": 0.5}, 0.6424),
]
CASES = [
    *((from_counts(E1), *value) for value in E1_VALUES),
    *((from_matrix(E2), *value) for value in E2_VALUES),
    *(((E3_LABELS, E3_SCORES), *value) for value in E3_VALUES),
    *(((E6_LABELS, E6_SCORES), *value) for value in E6_VALUES),
    *(((E7_LABELS, E7_SCORES), *value) for value in E7_VALUES),
]


@pytest.mark.parametrize(("data", "metric", "options", "expected"), CASES)
def test_reference_value(data: Any, metric: Any, options: dict[str, Any], expected: float) -> None:
    assert metric(*data, **options).value == pytest.approx(expected, abs=5.1e-5)


def test_always_the_commonest_class_scores_as_the_reference_says() -> None:
    labels, _ = from_matrix(E2)
    constant = np.zeros_like(labels)
    assert metrics.accuracy(labels, constant, classes=(0, 1, 2)).value == 0.5
    assert metrics.balanced_accuracy(labels, constant, classes=(0, 1, 2)).value == pytest.approx(1 / 3)
    assert metrics.expected_cost_normalized(labels, constant, classes=(0, 1, 2)).value == 1.0


def test_treating_everybody_is_a_baseline_of_net_benefit() -> None:
    labels, _ = from_counts(E1)
    everybody = np.ones_like(labels)
    for risk, expected in ((0.2, 0.0625), (0.9, -6.5)):
        assert metrics.net_benefit(labels, everybody, threshold_probability=risk).value == pytest.approx(expected)


def test_custom_kappa_weights_have_no_lower_bound() -> None:
    labels = from_matrix([[0, 1], [9, 0]])
    weights = [[0, 1], [0, 0]]
    assert metrics.weighted_cohens_kappa(*labels, weights="custom", weight_matrix=weights).value == -9.0


def test_grouped_ties_are_the_order_free_choice() -> None:
    """.9/hit, .8/miss, .8/hit: 0.8333 grouped; one by one 0.8333 or 1 by the order of the file."""
    scores = [0.9, 0.8, 0.8]
    assert metrics.average_precision([1, 0, 1], scores).value == pytest.approx(0.8333, abs=5e-5)
    assert metrics.average_precision([1, 1, 0], scores).value == pytest.approx(0.8333, abs=5e-5)
    one_by_one = {"ties": "sequential"}
    assert metrics.average_precision([1, 0, 1], scores, **one_by_one).value == pytest.approx(0.8333, abs=5e-5)
    assert metrics.average_precision([1, 1, 0], scores, **one_by_one).value == 1.0


class TestWhereTheSourceIsWrong:
    """Expressions that the source prints wrongly give other numbers than ours on the same data (reference, section 15)."""

    def test_the_printed_kappa_divides_by_n_once(self) -> None:
        reference, prediction = from_counts(E1)
        expected = (np.bincount(reference) * np.bincount(prediction)).sum()
        assert expected / 200**2 == 0.6
        assert expected / 200 == 120.0
        assert metrics.cohens_kappa(reference, prediction).value == pytest.approx((0.85 - 0.6) / (1 - 0.6))

    def test_the_printed_multi_class_mcc_is_kappa(self) -> None:
        for matrix, printed in ((E2, 0.53125), ([[5, 1, 0], [2, 6, 1], [0, 1, 4]], 0.616858)):
            table = np.array(matrix, dtype=float)
            total, chance = table.sum(), (table.sum(0) * table.sum(1)).sum()
            without_root = (np.trace(table) * total - chance) / (total**2 - chance)
            assert without_root == pytest.approx(printed, abs=5e-7)
            assert metrics.cohens_kappa(*from_matrix(matrix)).value == pytest.approx(without_root)
            assert metrics.mcc(*from_matrix(matrix)).value != pytest.approx(without_root, abs=1e-4)

    def test_the_printed_second_form_of_f_beta_weighs_both_errors(self) -> None:
        printed = 5 * 40 / (5 * 40 + 4 * (20 + 10))
        assert metrics.fbeta(*from_counts(E1), beta=2).value != pytest.approx(printed, abs=0.05)

    def test_cost_and_f_beta_are_joined_by_a_sum(self) -> None:
        f2 = metrics.fbeta(*from_counts(E1), beta=2).value
        cost = metrics.expected_cost(*from_counts(E1), costs=[[0, 1], [4, 0]]).value
        assert cost == pytest.approx(0.3)
        assert (1 - f2) * (4 * 0.25 + 60 / 200) == pytest.approx(cost)
        assert (1 - f2) * (4 * 0.25 * 60 / 200) == pytest.approx(0.0692, abs=5e-5)

    def test_the_effective_prior_has_a_plus_in_its_denominator(self) -> None:
        theta = (0.25 / 0.75) * 5
        effective = theta / (1 + theta)
        assert (effective, theta / (1 - theta)) == pytest.approx((0.625, -2.5))
        scaled = effective * (10 / 50) + (1 - effective) * (20 / 150)
        cost = metrics.expected_cost(*from_counts(E1), costs=MISS_FIVE).value
        assert scaled == pytest.approx(cost / 2.0) == pytest.approx(0.175)

    def test_the_printed_likelihood_forgets_the_negative_cases(self) -> None:
        printed = -(E6_LABELS * np.log(E6_SCORES)).mean()
        assert printed == pytest.approx(0.1807, abs=5e-5)
        assert metrics.nll(E6_LABELS, E6_SCORES).value == pytest.approx(0.4623, abs=5e-5)

    def test_the_trapezoid_is_no_average_precision(self) -> None:
        order = np.argsort(-E3_SCORES, kind="stable")
        last = [0, 1, 2, 3, 5, 6, 7, 8, 9]
        hits = np.cumsum(E3_LABELS[order])[last]
        recall, precision = hits / 4, hits / (np.array(last) + 1)
        trapezoid = np.trapezoid(np.append(precision[0], precision), np.append(0, recall))
        assert trapezoid == pytest.approx(0.8110, abs=5e-5)
        assert metrics.average_precision(E3_LABELS, E3_SCORES).value == pytest.approx(0.8304, abs=5e-5)

    def test_a_kernel_of_ones_sees_no_miscalibration(self) -> None:
        errors = np.eye(3)[E7_LABELS] - E7_SCORES
        assert np.abs(errors @ np.ones((3, 3)) @ errors.T).max() < 1e-12
        assert metrics.kce(E7_LABELS, E7_SCORES).value == pytest.approx(-0.0209, abs=5e-5)

    def test_zero_is_perfect_for_the_kernel_estimate(self) -> None:
        labels = np.repeat([0, 1], 50)
        assert metrics.ece_kde(labels, labels.astype(float), bandwidth=0.05).value == pytest.approx(0, abs=1e-9)

    def test_j_of_the_source_and_its_normalised_form_differ_beyond_two_classes(self) -> None:
        labels, _ = from_matrix(E2)
        constant = np.zeros_like(labels)
        known = {"classes": (0, 1, 2)}
        assert metrics.youden_j(labels, constant, **known).value == pytest.approx(0.0)
        assert metrics.youden_j(labels, constant, multiclass_form="sum", **known).value == pytest.approx(2 - 3)


def test_identities_between_metrics() -> None:
    """Section 16, item 2."""
    for data in (from_counts(E1), from_matrix(E2)):
        accuracy, balanced = metrics.accuracy(*data).value, metrics.balanced_accuracy(*data).value
        assert metrics.expected_cost(*data).value == pytest.approx(1 - accuracy)
        assert metrics.expected_cost(*data, priors="uniform").value == pytest.approx(1 - balanced)
        unweighted = metrics.weighted_cohens_kappa(*data, weights="unweighted").value
        assert metrics.cohens_kappa(*data).value == pytest.approx(unweighted)
    sens, spec, ppv, npv = (
        metric(*from_counts(E1)).value
        for metric in (metrics.sensitivity, metrics.specificity, metrics.ppv, metrics.npv)
    )
    j = metrics.youden_j(*from_counts(E1)).value
    assert j == pytest.approx(sens + spec - 1) == pytest.approx(2 * (sens + spec) / 2 - 1)
    roots = np.sqrt(ppv * sens * spec * npv) - np.sqrt((1 - ppv) * (1 - sens) * (1 - spec) * (1 - npv))
    assert metrics.mcc(*from_counts(E1)).value == pytest.approx(roots)
    by_prevalence = 2 * 0.25 * 0.75 * j / (0.25**2 + 0.75**2 + 0.5 * (0.25 * sens - 0.75 * spec))
    assert metrics.cohens_kappa(*from_counts(E1)).value == pytest.approx(by_prevalence)
