"""Values are equal to those of scikit-learn for all shared definitions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as sk

from evaluation import metrics

GENERATOR = np.random.default_rng(11)
CASES = 400
LABELS = GENERATOR.integers(0, 3, CASES)
VECTORS = GENERATOR.dirichlet([1, 1, 1], CASES)
DECISIONS = np.where(GENERATOR.random(CASES) < 0.6, LABELS, GENERATOR.integers(0, 3, CASES))
BINARY = GENERATOR.integers(0, 2, CASES)
SCORES = np.round(np.clip(0.3 * BINARY + 0.7 * GENERATOR.random(CASES), 0, 1), 2)
"""Two decimals, so that there are many ties."""


@pytest.mark.parametrize("code", [0, 1, 2])
def test_one_class_against_the_rest(code: int) -> None:
    truth, decided = np.equal(LABELS, code), np.equal(DECISIONS, code)
    options = {"positive_class": code}
    assert metrics.sensitivity(LABELS, DECISIONS, **options).value == sk.recall_score(truth, decided)
    assert metrics.specificity(LABELS, DECISIONS, **options).value == sk.recall_score(~truth, ~decided)
    assert metrics.ppv(LABELS, DECISIONS, **options).value == sk.precision_score(truth, decided)
    assert metrics.npv(LABELS, DECISIONS, **options).value == sk.precision_score(~truth, ~decided)
    for beta in (0.5, 1, 2):
        expected = sk.fbeta_score(truth, decided, beta=beta)
        assert metrics.fbeta(LABELS, DECISIONS, beta=beta, **options).value == pytest.approx(expected)
    positive, _ = sk.class_likelihood_ratios(truth, decided)
    assert metrics.lr_plus(LABELS, DECISIONS, **options).value == pytest.approx(positive)
    assert metrics.auroc(LABELS, VECTORS, **options).value == pytest.approx(sk.roc_auc_score(truth, VECTORS[:, code]))


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_means_over_classes(average: str) -> None:
    options = {"class_average": average}
    assert metrics.fbeta(LABELS, DECISIONS, **options).value == pytest.approx(
        sk.f1_score(LABELS, DECISIONS, average=average)
    )
    assert metrics.auroc(LABELS, VECTORS, **options).value == pytest.approx(
        sk.roc_auc_score(LABELS, VECTORS, average=average, multi_class="ovr")
    )


def test_all_classes_at_once() -> None:
    pair = LABELS, DECISIONS
    assert metrics.accuracy(*pair).value == sk.accuracy_score(*pair)
    assert metrics.balanced_accuracy(*pair).value == pytest.approx(sk.balanced_accuracy_score(*pair))
    assert metrics.youden_j(*pair).value == pytest.approx(sk.balanced_accuracy_score(*pair, adjusted=True))
    assert metrics.mcc(*pair).value == pytest.approx(sk.matthews_corrcoef(*pair))
    assert metrics.cohens_kappa(*pair).value == pytest.approx(sk.cohen_kappa_score(*pair))
    for weights in ("linear", "quadratic"):
        expected = sk.cohen_kappa_score(*pair, weights=weights)
        assert metrics.weighted_cohens_kappa(*pair, weights=weights).value == pytest.approx(expected)


def test_curves_with_many_ties() -> None:
    assert len(np.unique(SCORES)) < CASES / 2
    assert metrics.auroc(BINARY, SCORES).value == pytest.approx(sk.roc_auc_score(BINARY, SCORES))
    assert metrics.average_precision(BINARY, SCORES).value == pytest.approx(sk.average_precision_score(BINARY, SCORES))


@pytest.mark.parametrize("target", [0.05, 0.5, 0.731, 0.9, 1.0])
def test_working_points_lie_on_the_curve(target: float) -> None:
    fpr, tpr, _ = sk.roc_curve(BINARY, SCORES, drop_intermediate=False)
    best = tpr[1 - fpr >= target].max()
    assert metrics.sensitivity_at_specificity(BINARY, SCORES, target_specificity=target).value == pytest.approx(best)
    best = (1 - fpr)[tpr >= target].max()
    assert metrics.specificity_at_sensitivity(BINARY, SCORES, target_sensitivity=target).value == pytest.approx(best)
    precision, recall, _ = sk.precision_recall_curve(BINARY, SCORES)
    if (precision[:-1] >= target).any():
        best = recall[:-1][precision[:-1] >= target].max()
        assert metrics.sensitivity_at_ppv(BINARY, SCORES, target_ppv=target).value == pytest.approx(best)


def test_proper_scoring_rules() -> None:
    assert metrics.brier_score(BINARY, SCORES).value == pytest.approx(sk.brier_score_loss(BINARY, SCORES))
    expected = sk.brier_score_loss(LABELS, VECTORS, scale_by_half=False)
    assert metrics.brier_score(LABELS, VECTORS).value == pytest.approx(expected)
    assert metrics.brier_score(LABELS, VECTORS, scaling="halved").value == pytest.approx(expected / 2)
    assert metrics.nll(LABELS, VECTORS).value == pytest.approx(sk.log_loss(LABELS, VECTORS))
    skill = sk.d2_brier_score(LABELS, VECTORS)
    assert metrics.brier_skill_score(LABELS, VECTORS).value == pytest.approx(skill)


def test_binned_error_by_hand() -> None:
    """Equal-width bins of the positive score, written out."""
    edges = np.digitize(SCORES, np.linspace(0, 1, 11)[1:-1] + 1e-9)
    gaps = [abs((BINARY - SCORES)[edges == b].sum()) for b in range(10)]
    value = metrics.ece(BINARY, SCORES, n_bins=10, target="positive_class").value
    assert value == pytest.approx(sum(gaps) / CASES)


def test_kernel_error_by_hand() -> None:
    """The double sum over pairs, written out, with the blocks of the implementation made to matter."""
    from scipy.spatial.distance import pdist, squareform

    distances = pdist(VECTORS)
    width = np.median(distances)
    errors = np.eye(3)[LABELS] - VECTORS
    pairs = np.exp(-squareform(distances) / width) * (errors @ errors.T)
    unbiased = (pairs.sum() - np.trace(pairs)) / (CASES * (CASES - 1))
    assert metrics.kce(LABELS, VECTORS).value == pytest.approx(unbiased)
    smooth = np.exp(-((squareform(distances) / 0.3) ** 2) / 2) * (errors @ errors.T)
    value = metrics.kce(LABELS, VECTORS, kernel="gaussian", bandwidth=0.3, estimator="skce_biased").value
    assert value == pytest.approx(smooth.mean())


def test_kernel_density_by_hand() -> None:
    from scipy.stats import beta

    width = 0.05
    clipped = np.clip(SCORES, 1e-3, 1 - 1e-3)
    gaps = []
    for case in range(CASES):
        others = np.arange(CASES) != case
        kernel = beta.pdf(clipped[case], clipped[others] / width + 1, (1 - clipped[others]) / width + 1)
        gaps.append(abs((kernel * BINARY[others]).sum() / kernel.sum() - clipped[case]))
    assert metrics.ece_kde(BINARY, clipped, bandwidth=width).value == pytest.approx(np.mean(gaps))
