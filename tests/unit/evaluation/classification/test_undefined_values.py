"""Undefined metric values are reported, including whether the reference alone is the cause."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evaluation import metrics
from evaluation.metrics.values import Values
from evaluation.outcomes import Flag, Outcome, Result

NO_POSITIVE = [0, 0, 0, 0]
NO_NEGATIVE = [1, 1, 1, 1]
SCORES = [0.1, 0.4, 0.6, 0.9]
BY_REFERENCE = (None, Outcome.DEGENERATE, Flag.REFERENCE)
BY_PREDICTION = (None, Outcome.DEGENERATE, Flag.NONE)


def described(result: Result) -> tuple[float | None, Outcome, Flag]:
    return (*result, result.flag)


@pytest.mark.parametrize(
    ("metric", "reference", "options"),
    [
        (metrics.sensitivity, NO_POSITIVE, {}),
        (metrics.specificity, NO_NEGATIVE, {}),
        (metrics.ppv, NO_POSITIVE, {"target_prevalence": 0.1}),
        (metrics.npv, NO_NEGATIVE, {"target_prevalence": 0.1}),
        (metrics.lr_plus, NO_POSITIVE, {}),
        (metrics.lr_plus, NO_NEGATIVE, {"continuity_correction": 0.5}),
        (metrics.balanced_accuracy, NO_POSITIVE, {}),
        (metrics.youden_j, NO_POSITIVE, {}),
        (metrics.mcc, NO_NEGATIVE, {}),
        (metrics.cohens_kappa, NO_NEGATIVE, {}),
        (metrics.weighted_cohens_kappa, NO_NEGATIVE, {}),
        (metrics.expected_cost, NO_NEGATIVE, {"priors": "uniform"}),
        (metrics.expected_cost_normalized, NO_NEGATIVE, {"priors": [0.5, 0.5]}),
        (metrics.expected_cost_normalized, NO_NEGATIVE, {}),
        (metrics.auroc, NO_POSITIVE, {}),
        (metrics.auroc, NO_NEGATIVE, {}),
        (metrics.average_precision, NO_POSITIVE, {}),
        (metrics.sensitivity_at_specificity, NO_NEGATIVE, {"target_specificity": 0.5}),
        (metrics.specificity_at_sensitivity, NO_POSITIVE, {"target_sensitivity": 0.5}),
        (metrics.ppv_at_sensitivity, NO_POSITIVE, {"target_sensitivity": 0.5}),
        (metrics.npv_at_sensitivity, NO_NEGATIVE, {"target_sensitivity": 0.5}),
        (metrics.brier_skill_score, NO_POSITIVE, {}),
    ],
)
def test_an_absent_class_is_nobodys_fault(metric: Any, reference: list[int], options: dict[str, Any]) -> None:
    assert described(metric(reference, SCORES, **options)) == BY_REFERENCE


@pytest.mark.parametrize("metric", [metrics.cohens_kappa, metrics.weighted_cohens_kappa, metrics.mcc])
@pytest.mark.parametrize("prediction", [[1, 1, 1, 1], [0, 1, 1, 1]])
def test_agreement_on_one_class_is_undefined_whatever_was_decided(metric: Any, prediction: list[int]) -> None:
    """Otherwise the perfect answer would be excluded and a faulty one would have a value."""
    assert described(metric(NO_NEGATIVE, prediction)) == BY_REFERENCE


@pytest.mark.parametrize(
    "metric",
    [
        metrics.accuracy,
        metrics.balanced_accuracy,
        metrics.mcc,
        metrics.cohens_kappa,
        metrics.expected_cost,
        metrics.auroc,
        metrics.average_precision,
        metrics.brier_score,
        metrics.nll,
        metrics.ece,
        metrics.mce,
        metrics.tce,
        metrics.cwce,
        metrics.kce,
        metrics.ece_kde,
    ],
)
def test_without_a_case_nothing_is_defined(metric: Any) -> None:
    empty: Any = np.zeros(0)
    assert described(metric(empty.astype(int), empty, classes=(0, 1))) == BY_REFERENCE


@pytest.mark.parametrize("metric", [metrics.kce, metrics.ece_kde])
def test_kernels_need_a_pair(metric: Any) -> None:
    assert described(metric([1], [0.5])) == BY_REFERENCE


def test_nothing_called_positive_is_the_predictions_fault() -> None:
    assert described(metrics.ppv([1, 0], [0, 0])) == BY_PREDICTION
    assert described(metrics.npv([1, 0], [1, 1])) == BY_PREDICTION
    assert described(metrics.ppv([1, 0], [0, 0], target_prevalence=0.1)) == BY_PREDICTION
    assert described(metrics.lr_plus([1, 0], [0, 0])) == BY_PREDICTION


def test_nothing_there_and_nothing_called_is_no_error() -> None:
    for metric in (metrics.ppv, metrics.fbeta):
        assert metric(NO_POSITIVE, NO_POSITIVE).outcome is Outcome.BOTH_EMPTY
    assert metrics.npv(NO_NEGATIVE, NO_NEGATIVE).outcome is Outcome.BOTH_EMPTY
    assert metrics.fbeta(NO_POSITIVE, [1, 0, 0, 0]).value == 0.0
    assert metrics.fbeta([1, 0, 0, 0], NO_POSITIVE).value == 0.0


def test_an_infinite_likelihood_ratio_is_flagged_and_not_stored() -> None:
    assert described(metrics.lr_plus([1, 0], [1, 0])) == (None, Outcome.DEGENERATE, Flag.UNBOUNDED)
    assert metrics.lr_plus([1, 0], [1, 0], continuity_correction=0.5).value == pytest.approx(3.0)


def test_a_constant_decision_has_no_correlation_but_a_kappa() -> None:
    assert described(metrics.mcc([0, 1, 1], [1, 1, 1])) == BY_PREDICTION
    assert metrics.cohens_kappa([0, 1, 1], [1, 1, 1]).value == 0.0
    assert metrics.balanced_accuracy([0, 1, 1], [1, 1, 1]).value == 0.5


def test_a_target_that_no_threshold_meets() -> None:
    reference, scores = [1, 0, 0, 0], [0.2, 0.9, 0.8, 0.7]
    assert described(metrics.sensitivity_at_ppv(reference, scores, target_ppv=0.9)) == BY_PREDICTION


def test_a_specificity_of_one_is_always_reachable() -> None:
    assert metrics.sensitivity_at_specificity([1, 0], [0.1, 0.9], target_specificity=1.0).value == 0.0
    assert metrics.specificity_at_sensitivity([1, 0], [0.1, 0.9], target_sensitivity=1.0).value == 0.0


def test_all_scores_alike_rank_nobody() -> None:
    assert metrics.auroc([0, 1, 1], [0.3, 0.3, 0.3]).value == 0.5
    assert metrics.average_precision([0, 1, 1], [0.3, 0.3, 0.3]).value == pytest.approx(2 / 3)


def test_a_class_that_never_occurs_is_left_out_of_means_for_everyone() -> None:
    known = {"classes": ("a", "b", "c")}
    reference = ["a", "a", "b", "b"]
    for answer in (["a", "a", "b", "b"], ["a", "a", "b", "c"]):
        expected = {"b": 1.0, "c": 0.75}[answer[-1]]
        assert metrics.balanced_accuracy(reference, answer, **known).value == expected
        macro = metrics.sensitivity(reference, answer, class_average="macro", **known)
        assert macro.value == expected
    ppv = metrics.ppv(reference, ["a", "a", "b", "c"], class_average="macro", **known)
    assert ppv.value == 1.0


def test_a_class_that_is_never_called_counts_as_the_worst_in_a_mean() -> None:
    assert metrics.ppv(["a", "b", "c"], ["a", "b", "b"], class_average="macro").value == pytest.approx(0.5)
    weighted = metrics.ppv(["a", "b", "b", "c"], ["a", "b", "b", "b"], class_average="weighted")
    assert weighted.value == pytest.approx((1 + 2 * (2 / 3) + 0) / 4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.sensitivity([1, 0], [1]), "one entry a case"),
        (lambda: metrics.sensitivity([1, 0], [[1, 0], [0, 1]]), "one label or score a case"),
        (lambda: metrics.sensitivity([0, 1, 2], [0, 1, 2]), "name the positive_class"),
        (lambda: metrics.sensitivity([0, 1], [0, 1], positive_class=7, classes=(0, 1)), "not among the classes"),
        (lambda: metrics.sensitivity(["a", "b"], ["a", "z"], classes=("a", "b")), "not among the classes"),
        (lambda: metrics.sensitivity(["a"], ["a"]), "only one class occurs"),
        (lambda: metrics.sensitivity([0], [0], classes=(0, 0)), "two different names"),
        (lambda: metrics.sensitivity([0, 1, 2], [0.5, 0.5, 0.5]), "between two classes"),
        (lambda: metrics.sensitivity([0, 1], [0, 1], class_average="mean"), "class_average is"),
        (lambda: metrics.auroc([0, 1], [0.5, np.nan]), "finite numbers from 0 to 1"),
        (lambda: metrics.auroc([0, 1], [0.5, 1.5]), "finite numbers from 0 to 1"),
        (lambda: metrics.auroc([0, 1], [0.5, -np.inf]), "finite numbers from 0 to 1"),
        (lambda: metrics.nll([0, 1], [[0.5, 0.6], [0.5, 0.5]]), "sum to 1"),
        (lambda: metrics.nll([0, 1], [[0.5, 0.5]] * 2, classes=(0, 1, 2)), "2 columns of scores for 3 classes"),
        (lambda: metrics.ece([0, 1, 2], np.eye(3), target="positive_class"), "for two classes"),
        (lambda: metrics.ece([0, 1], [0.5, 0.5], n_bins=0), "n_bins"),
        (lambda: metrics.ece([0, 1], [0.5, 0.5], binning="other"), "binning"),
        (lambda: metrics.ece([0, 1], [0.5, 0.5], bin_edge="other"), "bin_edge"),
        (lambda: metrics.brier_score([0, 1, 2], np.eye(3), task_form="binary"), "two classes"),
        (lambda: metrics.cwce([0, 1], [0.5, 0.5], norm="l3"), "norm"),
        (lambda: metrics.cwce([0, 1], [0.5, 0.5], class_weights=[1, 1]), "sum to 1"),
        (lambda: metrics.cwce([0, 1], [0.5, 0.5], class_weights="dataset"), "class_weights"),
        (lambda: metrics.kce([0, 1], [0.5, 0.5], kernel="other"), "no estimator"),
        (lambda: metrics.kce([0, 1], [0.5, 0.5], bandwidth=0), "bandwidth"),
        (lambda: metrics.ece_kde([0, 1], [0.5, 0.5], bandwidth="median"), "bandwidth"),
        (lambda: metrics.ece_kde([0, 1], [0.5, 0.5], norm="l0"), "norm"),
        (lambda: metrics.nll([0, 1], [0.5, 0.5], epsilon=0), "epsilon"),
        (lambda: metrics.net_benefit([0, 1], [0, 1], threshold_probability=1.0), "threshold_probability"),
        (lambda: metrics.ppv([0, 1], [0, 1], target_prevalence=2), "target_prevalence"),
        (lambda: metrics.fbeta([0, 1], [0, 1], beta=0), "beta"),
        (lambda: metrics.lr_plus([0, 1], [0, 1], continuity_correction=-1), "continuity_correction"),
        (lambda: metrics.youden_j([0, 1], [0, 1], multiclass_form="other"), "multiclass_form"),
        (lambda: metrics.weighted_cohens_kappa([0, 1], [0, 1], weights="other"), "weights"),
        (lambda: metrics.weighted_cohens_kappa([0, 1], [0, 1], weights="custom"), "weight_matrix"),
        (
            lambda: metrics.weighted_cohens_kappa([0, 1], [0, 1], weights="custom", weight_matrix=np.ones((2, 2))),
            "diagonal",
        ),
        (lambda: metrics.expected_cost([0, 1], [0, 1], costs=np.ones((3, 3))), "2 rows and columns"),
        (lambda: metrics.expected_cost([0, 1], [0, 1], costs=[[0, -1], [1, 0]]), "2 rows and columns"),
        (lambda: metrics.expected_cost([0, 1], [0, 1], priors=[0.5, 0.6]), "sum to 1"),
        (lambda: metrics.expected_cost([0, 1], [0, 1], priors="other"), "priors"),
        (lambda: metrics.average_precision([0, 1], [0, 1], interpolation="other"), "interpolation"),
        (lambda: metrics.average_precision([0, 1], [0, 1], ties="other"), "ties"),
        (lambda: metrics.sensitivity_at_ppv([0, 1], [0, 1], target_ppv=1.1), "target_ppv"),
        (lambda: metrics.sensitivity_at_ppv([0, 1], [0, 1], target_ppv=0.5, rule="other"), "rule"),
        (lambda: metrics.kce(np.zeros(50_001, dtype=int), np.zeros(50_001)), "at most 50,000"),
    ],
)
def test_what_cannot_be_measured_is_an_error_that_says_why(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_the_first_reason_that_is_named_stays() -> None:
    values = Values([1.0, 2.0]).undefine([True, False], Outcome.DEGENERATE, Flag.REFERENCE)
    values.undefine(True, Outcome.MISSING)
    assert described(values.result(0)) == BY_REFERENCE
    assert described(values.result(1)) == (None, Outcome.MISSING, Flag.NONE)


def test_scores_near_a_bin_edge_are_rounded_before_they_are_binned() -> None:
    """0.28 * 25 is 7.000000000000001 in floating point; the score belongs to the bin that ends there."""
    assert 0.28 * 25 > 7
    value = metrics.ece([1, 0], [0.26, 0.28], n_bins=25, target="positive_class").value
    assert value == pytest.approx((0.74 - 0.28) / 2)
    assert 0.55 * 20 == 11, "the reference names this product as an example, but it is exact"
    assert metrics.mce([1, 1, 0, 0], [1.0, 1.0, 0.0, 0.0], n_bins=7).value == 0.0


def test_bins_of_equal_mass_keep_equal_scores_together() -> None:
    scores = [0.6, 0.6, 0.6, 0.6, 0.7, 0.8, 0.9, 1.0]
    labels = [1, 0, 1, 0, 1, 1, 1, 1]
    value = metrics.ece(labels, scores, n_bins=2, binning="equal_mass", target="positive_class").value
    assert value == pytest.approx((abs(2 - 2.4) + abs(4 - 3.4)) / 8)
    four = metrics.ece(labels, scores, n_bins=4, binning="equal_mass", target="positive_class").value
    assert four == pytest.approx((abs(2 - 2.4) + abs(2 - 1.5) + abs(2 - 1.9)) / 8)
    left = {"binning": "equal_mass", "target": "positive_class", "bin_edge": "left_closed"}
    assert metrics.ece(labels, scores, n_bins=4, **left).value == pytest.approx(
        (abs(2 - 2.4) + abs(2 - 1.5) + abs(2 - 1.9)) / 8
    )
