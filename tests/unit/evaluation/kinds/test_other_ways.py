"""Every metric of numbers a second time: by libraries where they exist, by plain loops where not, and with copies of cases."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as scikit

from evaluation import metrics
from evaluation.metrics import survival_values
from evaluation.metrics.confidence_values import BY_CONFIDENCE, optimum
from evaluation.metrics.paired_values import PAIRED

TIGHT = {"rel": 1e-9, "abs": 1e-12}
SEEDS = range(4)
OPTIONS = {
    "auroc_f": {"threshold": 0.3},
    "risk_at_coverage": {"coverage": 0.7},
    "coverage_at_risk": {"risk": 0.2},
}


def numbers(seed, count=40):
    """Numbers with ties on both sides."""
    random = np.random.default_rng(seed)
    truth = np.round(random.normal(50, 10, count))
    return truth, np.round(truth + random.normal(2, 6, count))


def risks(seed, count=30):
    random = np.random.default_rng(seed)
    risk = np.round(random.beta(2, 5, count), 2)
    confidence = np.round(1 - risk + random.normal(0, 0.2, count), 1)
    confidence[random.random(count) < 0.1] = -np.inf
    return risk, confidence


def people(seed, count=60):
    random = np.random.default_rng(seed)
    time = np.ceil(random.exponential(12, count))
    event = (random.random(count) < 0.6).astype(float)
    time[0], event[0] = 80, 0
    return time, event, np.round(random.normal(0, 1, count), 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_regression_by_libraries(seed):
    y, p = numbers(seed)
    difference = p - y
    expected = {
        "rmse": np.sqrt(scikit.mean_squared_error(y, p)),
        "absolute_bias": abs(difference.mean()),
        "pearson": stats.pearsonr(y, p).statistic,
        "spearman": stats.spearmanr(y, p).statistic,
        "kendall_tau_b": stats.kendalltau(y, p).statistic,
        "r2": scikit.r2_score(y, p),
        "ccc": 2 * np.cov(y, p, bias=True)[0, 1] / (y.var() + p.var() + (y.mean() - p.mean()) ** 2),
        "loa_width": 2 * 1.96 * difference.std(ddof=1),
    }
    for name, value in expected.items():
        assert getattr(metrics, name)(y, p).value == pytest.approx(value, **TIGHT), name
    assert np.mean([metrics.absolute_error(a, b).value for a, b in zip(y, p, strict=True)]) == pytest.approx(
        scikit.mean_absolute_error(y, p), **TIGHT
    )


@pytest.mark.parametrize("form", ["2,1", "3,1"])
@pytest.mark.parametrize("seed", SEEDS)
def test_intraclass_correlation_by_an_analysis_of_variance(seed, form):
    y, p = numbers(seed)
    table, n = np.stack([y, p], axis=1), len(y)
    rows = 2 * sum((table[i].mean() - table.mean()) ** 2 for i in range(n))
    columns = n * sum((table[:, j].mean() - table.mean()) ** 2 for j in range(2))
    error = (((table - table.mean()) ** 2).sum() - rows - columns) / (n - 1)
    rows /= n - 1
    below = rows + error + (2 * (columns - error) / n if form == "2,1" else 0)
    assert metrics.icc(y, p, form=form).value == pytest.approx((rows - error) / below, **TIGHT)


def loops_of_confidences(name, risk, confidence, options):
    """The definitions, case by case."""
    n = len(risk)
    order = sorted(set(confidence.tolist()), reverse=True)
    points = [(sum(confidence >= level) / n, risk[confidence >= level].mean()) for level in order]
    if name == "aurc":
        return np.mean([risk[confidence >= own].mean() for own in confidence])
    if name == "augrc":
        return (
            sum(
                risk[i] * ((confidence[i] > confidence[j]) + 0.5 * (confidence[i] == confidence[j]))
                for i in range(n)
                for j in range(n)
            )
            / n**2
        )
    if name == "risk_at_coverage":
        return next(value for share, value in points if share >= options["coverage"] - 1e-12)
    if name == "coverage_at_risk":
        return max([share for share, value in points if value <= options["risk"] + 1e-12], default=0)
    if name == "mae_quality":
        return np.mean(
            [max(1 - r, r) if np.isinf(k) else abs(k - (1 - r)) for r, k in zip(risk, confidence, strict=True)]
        )
    if name == "confidence_pearson":
        return stats.pearsonr(1 - risk, np.maximum(confidence, confidence[np.isfinite(confidence)].min())).statistic
    if name == "confidence_spearman":
        return stats.spearmanr(1 - risk, np.maximum(confidence, -100)).statistic
    if name == "auroc_f":
        return scikit.roc_auc_score(risk <= options["threshold"], np.maximum(confidence, -100))
    best = np.sort(risk)
    running = np.cumsum(best) / np.arange(1, n + 1)
    if name == "e_augrc":
        heights = np.concatenate([[0], np.cumsum(best) / n])
        return loops_of_confidences("augrc", risk, confidence, {}) - np.trapezoid(heights, np.arange(n + 1) / n)
    excess = loops_of_confidences("aurc", risk, confidence, {}) - running.mean()
    return excess if name == "e_aurc" else excess / (risk.mean() - running.mean())


@pytest.mark.parametrize("name", sorted(BY_CONFIDENCE))
@pytest.mark.parametrize("seed", SEEDS)
def test_confidences_by_loops_and_libraries(seed, name):
    risk, confidence = risks(seed)
    options = OPTIONS.get(name, {})
    expected = loops_of_confidences(name, risk, confidence, options)
    assert getattr(metrics, name)(risk, confidence, **options).value == pytest.approx(expected, **TIGHT)


def test_the_closed_form_of_the_generalized_curve_for_failures_that_are_or_are_not():
    """Traub et al. 2024: (1 - AUROC) a (1 - a) + (1 - a)² / 2 with accuracy a, also with ties."""
    random = np.random.default_rng(3)
    risk, confidence = (random.random(50) < 0.3).astype(float), np.round(random.random(50), 1)
    accuracy = 1 - risk.mean()
    auroc = metrics.auroc_f(risk, confidence, threshold=0.5).value
    expected = (1 - auroc) * accuracy * (1 - accuracy) + (1 - accuracy) ** 2 / 2
    assert metrics.augrc(risk, confidence).value == pytest.approx(expected, **TIGHT)


@pytest.mark.parametrize("rule", ["step", "trapezoid_flat", "trapezoid_truncated"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_order_with_copies_is_that_of_the_cases_written_out(seed, rule):
    risk, _ = risks(seed)
    times = np.random.default_rng(seed).integers(0, 4, len(risk))
    best = np.sort(np.repeat(risk, times))
    untied = -np.arange(len(best), dtype=float)
    found = optimum(risk, times[None].astype(float), rule)
    assert found.area[0] == pytest.approx(metrics.aurc(best, untied, rule=rule).value, **TIGHT)
    assert found.generalized[0] == pytest.approx(metrics.augrc(best, untied).value, **TIGHT)


def concordance(time, event, risk, weight, last):
    """Pairs one by one."""
    right = pairs = 0.0
    for i in range(len(time)):
        if not event[i] or time[i] >= last:
            continue
        for j in range(len(time)):
            if time[j] > time[i] or (time[j] == time[i] and not event[j]):
                pairs += weight[i]
                right += weight[i] * ((risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j]))
    return right / pairs


def staying(time, event, at, *, left):
    """Kaplan and Meier's estimate for censoring by a product over times, events leaving first."""
    product = 1.0
    for now in np.unique(time):
        if now > at or (left and now == at):
            break
        at_risk = (time >= now).sum() - ((time == now) & (event == 1)).sum()
        product *= 1 - ((time == now) & (event == 0)).sum() / at_risk if at_risk else 1
    return product


@pytest.mark.parametrize("seed", SEEDS)
def test_survival_by_loops(seed):
    time, event, risk = people(seed)
    reference = np.stack([time, event], axis=1)
    weight = np.array([1 / staying(time, event, own, left=True) for own in time])
    assert metrics.harrell_c(reference, risk).value == pytest.approx(
        concordance(time, event, risk, np.ones(len(time)), np.inf), **TIGHT
    )
    assert metrics.uno_c(reference, risk, tau=20).value == pytest.approx(
        concordance(time, event, risk, weight**2, 20), **TIGHT
    )
    early, late = (event == 1) & (time <= 9), time > 9
    pairs = [
        (weight[i], (risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j]))
        for i in np.flatnonzero(early)
        for j in np.flatnonzero(late)
    ]
    expected = sum(w * right for w, right in pairs) / sum(w for w, _ in pairs)
    assert metrics.time_dependent_auc(reference, risk, time=9).value == pytest.approx(expected, **TIGHT)
    survival = 1 / (1 + np.exp(risk))
    terms = np.where(early, survival**2 * weight, late * (1 - survival) ** 2 / staying(time, event, 9, left=False))
    assert metrics.brier_at_time(reference, survival, time=9).value == pytest.approx(terms.mean(), **TIGHT)


def test_who_is_seen_until_the_time_and_no_longer_is_no_later_one_of_a_pair():
    """An event exactly at the time counts as early.

    It belongs to the same group as earlier events and is not compared with them.
    """
    reference = np.array([[3.0, 1], [9.0, 1], [9.0, 0], [12.0, 1]])
    assert metrics.time_dependent_auc(reference, [2.0, 4.0, 9.0, 3.0], time=9).value == pytest.approx(0.5)


@pytest.mark.parametrize("arrays", [([[1.0, 2.0]], [[1.0, 2.0]]), ([1.0, 2.0, 3.0], [2.0]), ([[1.0]], [1.0])])
def test_numbers_are_one_a_case_on_both_sides(arrays):
    with pytest.raises(ValueError, match="expected one number a case"):
        metrics.pearson(*arrays)


@pytest.mark.parametrize("arrays", [([np.nan], [1.0]), ([1.0], [np.inf])])
def test_numbers_are_finite_on_both_sides(arrays):
    with pytest.raises(ValueError, match="have to be finite"):
        metrics.pearson(*arrays)


@pytest.mark.parametrize("survival", [[0.5, 1.1], [-0.1, 0.5], [0.5, np.nan], [0.5], [[0.5, 0.5]]], ids=str)
def test_survival_is_one_probability_a_case(survival):
    with pytest.raises(ValueError, match="expected numbers from 0 to 1"):
        metrics.brier_at_time([[3.0, 1], [9.0, 1]], survival, time=5)


def test_a_score_on_the_threshold_is_a_positive_decision():
    """One hit of two cases, at equal odds of benefit and harm."""
    assert metrics.net_benefit([1, 0], [0.5, 0.1], threshold_probability=0.5).value == pytest.approx(0.5)


def test_without_censoring_the_scores_are_the_plain_ones():
    time, _, risk = people(7)
    reference = np.stack([time, np.ones(len(time))], axis=1)
    survival = 1 / (1 + np.exp(risk))
    plain = ((survival - (time > 9)) ** 2).mean()
    assert metrics.brier_at_time(reference, survival, time=9).value == pytest.approx(plain, **TIGHT)
    auc = scikit.roc_auc_score(time <= 9, risk)
    assert metrics.time_dependent_auc(reference, risk, time=9).value == pytest.approx(auc, **TIGHT)


@pytest.mark.parametrize("seed", SEEDS)
def test_several_labels_by_scikit_learn(seed):
    random = np.random.default_rng(seed)
    truth, decided = random.integers(0, 2, (2, 25, 4))
    assert metrics.subset_accuracy(truth, decided).value == pytest.approx(scikit.accuracy_score(truth, decided))
    assert metrics.hamming_loss(truth, decided).value == pytest.approx(scikit.hamming_loss(truth, decided))


@pytest.mark.parametrize("seed", SEEDS)
def test_ordered_classes_by_scikit_learn(seed):
    random = np.random.default_rng(seed)
    truth, decided = random.integers(0, 4, (2, 50))
    assert metrics.ordinal_mae(truth, decided, classes=range(4)).value == pytest.approx(
        scikit.mean_absolute_error(truth, decided)
    )
    of_classes = [scikit.mean_absolute_error(truth[truth == c], decided[truth == c]) for c in np.unique(truth)]
    assert metrics.macro_ordinal_mae(truth, decided, classes=range(4)).value == pytest.approx(np.mean(of_classes))
    scores = random.dirichlet(np.ones(4), 50)
    assert metrics.top_k_accuracy(truth, scores, k=2).value == pytest.approx(
        scikit.top_k_accuracy_score(truth, scores, k=2, labels=range(4))
    )


def test_values_under_multiplicities_are_those_of_copies():
    random = np.random.default_rng(11)
    y, p = numbers(11)
    risk, confidence = risks(11, len(y))
    time, event, hazard = people(11, len(y))
    weights = random.integers(0, 4, (6, len(y))).astype(float)
    known = survival_values.Followed(time, event == 1)
    censoring = survival_values.censoring_survival(known)
    answered = random.random(len(y)) < 0.9
    cases = [(PAIRED[name], (y, p), {}) for name in PAIRED]
    cases += [(BY_CONFIDENCE[name], (risk, confidence), OPTIONS.get(name, {})) for name in BY_CONFIDENCE]
    for function, arrays, options in cases:
        together = function(*arrays, weights, **options)
        for row, times in enumerate(weights.astype(int)):
            copies = [np.repeat(values, times) for values in arrays]
            alone = function(*copies, np.ones((1, times.sum())), **options).result()
            assert together.result(row).value == pytest.approx(alone.value, rel=1e-9, abs=1e-11), function.__name__
    for name, extra, options in (
        ("harrell_c", (), {}),
        ("uno_c", (censoring,), {"tau": 30}),
        ("time_dependent_auc", (censoring,), {"time": 9}),
        ("brier_at_time", (censoring,), {"time": 9}),
    ):
        values = 1 / (1 + np.exp(hazard)) if name == "brier_at_time" else hazard
        function = getattr(survival_values, name)
        together = function(known, values, answered, weights, *extra, **options)
        for row, times in enumerate(weights.astype(int)):
            of = [np.repeat(array, times) for array in (*known, values, answered)]
            copies = survival_values.Followed(of[0], of[1])
            alone = function(copies, of[2], of[3], np.ones((1, times.sum())), *extra, **options).result()
            assert together.result(row).value == pytest.approx(alone.value, **TIGHT), name


def test_order_of_cases_and_a_rising_function_of_confidences_change_nothing():
    risk, confidence = risks(5)
    shuffled = np.random.default_rng(5).permutation(len(risk))
    for name in sorted(BY_CONFIDENCE):
        function, options = getattr(metrics, name), OPTIONS.get(name, {})
        value = function(risk, confidence, **options).value
        assert function(risk[shuffled], confidence[shuffled], **options).value == pytest.approx(value, **TIGHT)
        if name not in ("confidence_pearson", "mae_quality"):
            assert function(risk, np.exp(5 * confidence) - 3, **options).value == pytest.approx(value, **TIGHT)


def test_a_confidence_without_bound_is_as_far_off_as_a_quality_can_be():
    """A quality of 0.2 is 0.8 from one end, a quality of 0.9 as much from the other; 0.7 stated for 0.7 is right."""
    risk, confidence = np.array([0.8, 0.1, 0.3]), np.array([-np.inf, np.inf, 0.7])
    assert metrics.mae_quality(risk, confidence).value == pytest.approx((0.8 + 0.9 + 0) / 3, **TIGHT)
