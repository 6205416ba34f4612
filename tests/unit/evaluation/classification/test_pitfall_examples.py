"""The worked examples of image classification in the pitfall catalogue, to the digits given there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation import metrics
from evaluation.catalogue import get
from evaluation.metrics.classification import sensitivity
from evaluation.outcomes import Outcome
from evaluation.problems.offered_metrics import default_policy

from .fixtures import from_counts, from_matrix

EXAMPLES = {entry["id"]: entry for entry in json.loads((Path(__file__).parent / "pitfall_examples.json").read_text())}
NOT_RECOMPUTABLE = {"EX-CLS-IMBALANCE-AUROC-AP", "EX-CLS-INTERDEPENDENCE"}
"""Examples whose inputs appear only in figures; each has a stand-in that meets the stated values."""


def inputs(name: str) -> Any:
    return EXAMPLES[name]["inputs"]


def computed(name: str) -> Any:
    return EXAMPLES[name]["computed"]


def of_counts(metric: str, counts: dict[str, int], **options: Any) -> float | None:
    return get(metric).compute(*from_counts(counts), **options).value


COUNTED = [
    ("EX-ID-BA-J", "", inputs("EX-ID-BA-J")["probe"]),
    ("EX-ID-PREVALENCE-CORRECTION", "", inputs("EX-ID-PREVALENCE-CORRECTION")["probe"]),
    ("EX-CLS-NO-SKILL-BASELINES", "random_guess.", inputs("EX-CLS-NO-SKILL-BASELINES")["prevalence_aware_random_guess"]),
    ("EX-CLS-BA-499FP", "", inputs("EX-CLS-BA-499FP")["used"]),
    ("EX-CLS-POSITIVE-CLASS", "original.", inputs("EX-CLS-POSITIVE-CLASS")["original"]),
    ("EX-CLS-POSITIVE-CLASS", "swapped.", inputs("EX-CLS-POSITIVE-CLASS")["labels_swapped"]),
    ("EX-CLS-PREVALENCE-DEPENDENCY", "prevalence_50.", inputs("EX-CLS-PREVALENCE-DEPENDENCY")["prevalence_50"]),
    ("EX-CLS-PREVALENCE-DEPENDENCY", "prevalence_90.", inputs("EX-CLS-PREVALENCE-DEPENDENCY")["prevalence_90"]),
    *(
        ("EX-CLS-PREVALENCE-RANKING", f"{share}.{number}.", inputs("EX-CLS-PREVALENCE-RANKING")[share][f"prediction_{number}"])
        for share in ("prevalence_40", "prevalence_50", "prevalence_60")
        for number in (1, 2)
    ),
    *(
        ("EX-CLS-PREVALENCE50-MCC-CAVEAT", f"{number}.", inputs("EX-CLS-PREVALENCE50-MCC-CAVEAT")[f"prediction_{number}"])
        for number in (1, 2)
    ),
    *(
        (name, f"{number + 1}.", counts)
        for name in ("EX-CLS-SAME-LRPLUS", "EX-CLS-SAME-BA")
        for number, counts in enumerate(inputs(name)["predictions"])
    ),
    *(
        ("EX-CLS-KAPPA-MAX", f"{number}.", inputs("EX-CLS-KAPPA-MAX")[f"prediction_{number}"])
        for number in (1, 2)
    ),
    *(("EX-CLS-FN-FP-PENALTY", f"{name}.", inputs("EX-CLS-FN-FP-PENALTY")[name]) for name in ("many_fn", "many_fp")),
    *(
        ("EX-CLS-NET-BENEFIT", f"{name}.", inputs("EX-CLS-NET-BENEFIT")[name])
        for name in ("biopsy_all", "biopsy_marker")
    ),
]  # fmt: skip
NOT_OUR_METRICS = {
    "j_from_ba", "ppv_formula", "npv_formula", "one_over_C", "cohens_kappa_max", "n",
    "expected_cost_fixed_prior", "expected_cost_sample_prior",
}  # fmt: skip


@pytest.mark.parametrize(("name", "prefix", "counts"), COUNTED)
def test_metrics_of_a_table_of_counts(name: str, prefix: str, counts: dict[str, int]) -> None:
    wanted = {key.removeprefix(prefix): value for key, value in computed(name).items() if key.startswith(prefix)}
    checked = 0
    for metric, value in wanted.items():
        if metric in NOT_OUR_METRICS or "." in metric:
            continue
        options = {"threshold_probability": 0.1} if metric == "net_benefit" else {}
        assert of_counts(metric, counts, **options) == pytest.approx(value, abs=5.1e-7), metric
        checked += 1
    assert checked


@pytest.mark.parametrize(("name", "prefix", "counts"), COUNTED)
def test_values_that_the_source_states(name: str, prefix: str, counts: dict[str, int]) -> None:
    for key, stated in EXAMPLES[name]["expected"].items():
        metric = key.removeprefix(prefix)
        if key.startswith(prefix) and metric not in NOT_OUR_METRICS and "." not in metric:
            assert round(of_counts(metric, counts), stated["digits"]) == stated["value"]


def test_a_majority_vote_is_as_accurate_as_the_majority_is_large() -> None:
    counts = inputs("EX-CLS-IMBALANCE-MAJORITY")["prediction_2"]
    assert of_counts("accuracy", counts) == 0.97
    assert of_counts("balanced_accuracy", counts) == 0.5
    assert of_counts("sensitivity", counts) == of_counts("fbeta", counts) == of_counts("cohens_kappa", counts) == 0.0
    for undefined in ("mcc", "ppv"):
        assert get(undefined).compute(*from_counts(counts)).outcome is Outcome.DEGENERATE
    # The source prints 0 for MCC, which is what the default policy makes of the outcome.
    assert default_policy(get("mcc"), "image_classification")["degenerate"] == 0.0


def test_a_guess_gives_the_baseline_of_every_metric() -> None:
    example = inputs("EX-CLS-NO-SKILL-BASELINES")
    constant = example["constant_scores"]
    assert metrics.auroc(constant["y"], constant["score"]).value == 0.5
    labels = from_matrix(example["three_class_constant_guess"])
    assert metrics.balanced_accuracy(*labels, classes=(0, 1, 2)).value == pytest.approx(1 / 3)


def test_multi_threshold_metrics_of_a_majority_vote() -> None:
    scores = 0.495 - 0.004 * np.arange(100)
    labels = np.zeros(100, dtype=int)
    labels[np.array(inputs("EX-CLS-IMBALANCE-AUROC-AP-STANDIN")["positive_ranks_1_based"]) - 1] = 1
    wanted = computed("EX-CLS-IMBALANCE-AUROC-AP-STANDIN")
    assert metrics.auroc(labels, scores).value == pytest.approx(wanted["auroc"], abs=5e-7)
    assert metrics.average_precision(labels, scores).value == pytest.approx(wanted["average_precision"], abs=5e-6)


def test_a_class_hierarchy_hides_in_one_number() -> None:
    reference, prediction = from_matrix(inputs("EX-CLS-CLASS-HIERARCHY")["matrix"])
    wanted = computed("EX-CLS-CLASS-HIERARCHY")
    assert metrics.accuracy(reference, prediction).value == wanted["multiclass.accuracy"]
    assert metrics.accuracy(reference > 0, prediction > 0).value == wanted["binary.accuracy"]
    for code, name in enumerate(inputs("EX-CLS-CLASS-HIERARCHY")["classes"]):
        assert metrics.accuracy(reference == code, prediction == code).value == wanted[f"{name}.accuracy"]


@pytest.mark.parametrize("name", ["EX-CLS-INTERDEPENDENCE-STANDIN", "EX-CLS-STRATIFICATION"])
def test_strata_hide_in_one_accuracy(name: str) -> None:
    given, wanted = inputs(name), computed(name)
    strata = given.get("strata_used_for_illustration") or {
        "with": given["with_cooccurring_class"],
        "without": given["without"],
    }
    answers = {key: np.arange(stratum["n"]) < stratum["correct"] for key, stratum in strata.items()}
    for key, right in answers.items():
        assert metrics.accuracy(np.ones(len(right), dtype=int), right).value == pytest.approx(
            wanted[f"accuracy_{key}"], abs=5e-7
        )
    together = np.concatenate(list(answers.values()))
    assert metrics.accuracy(np.ones(len(together), dtype=int), together).value == pytest.approx(
        wanted["accuracy"], abs=5e-7
    )


def test_classes_of_unequal_weight() -> None:
    given, wanted = inputs("EX-CLS-UNEQUAL-CLASS-WEIGHTS"), computed("EX-CLS-UNEQUAL-CLASS-WEIGHTS")
    shares = list(given["accuracy"].values())
    counts = [[round(10 * share) if i == j else 0 for j in range(3)] for i, share in enumerate(shares)]
    for i, share in enumerate(shares):
        counts[i][(i + 1) % 3] = 10 - round(10 * share)
    labels = from_matrix(counts)
    assert metrics.balanced_accuracy(*labels).value == pytest.approx(wanted["macro"], abs=5e-7)
    priors = list(given["weights"].values())
    assert 1 - metrics.expected_cost(*labels, priors=priors).value == pytest.approx(wanted["weighted"])


def test_predictive_values_at_the_prevalence_of_the_population() -> None:
    reference, prediction = from_counts({"TP": 45, "FP": 10, "FN": 5, "TN": 40})
    wanted = computed("EX-CLS-PREVALENCE-CORRECTION")
    for place, share in (("study", 0.5), ("population", 0.005)):
        for name in ("ppv", "npv"):
            value = get(name).compute(reference, prediction, target_prevalence=share).value
            assert value == pytest.approx(wanted[f"{name}_{place}"], abs=5.1e-7)


def test_expected_cost_depends_on_prevalence_only_through_its_priors() -> None:
    wanted = computed("EX-CLS-PREVALENCE-DEPENDENCY")
    for share in ("prevalence_50", "prevalence_90"):
        counts = inputs("EX-CLS-PREVALENCE-DEPENDENCY")[share]
        assert of_counts("expected_cost", counts, priors=[0.5, 0.5]) == pytest.approx(
            wanted[f"{share}.expected_cost_fixed_prior"]
        )
        assert of_counts("expected_cost", counts) == pytest.approx(wanted[f"{share}.expected_cost_sample_prior"])


def test_discrimination_is_not_calibration() -> None:
    given, wanted = inputs("EX-CLS-DISCRIMINATION-VS-CALIBRATION"), computed("EX-CLS-DISCRIMINATION-VS-CALIBRATION")
    data = given["y"], given["score"]
    assert metrics.auroc(*data).value == 1.0
    assert metrics.brier_score(*data).value == pytest.approx(wanted["brier_score"], abs=5e-7)
    assert metrics.ece(*data, n_bins=10).value == pytest.approx(wanted["ece_top_label_10bins"], abs=5e-7)


def test_brier_has_no_sense_of_order() -> None:
    given = inputs("EX-CLS-BRIER-ORDINAL")
    label = [int(np.argmax(given["reference"]))]
    values = [metrics.brier_score(label, [given[f"prediction_{number}"]]).value for number in (1, 2)]
    assert values == [2.0, 2.0]


@pytest.mark.parametrize("bins", [3, 5, 10])
def test_the_number_of_bins_decides_the_error(bins: int) -> None:
    given, wanted = inputs("EX-CLS-ECE-BINS"), computed("EX-CLS-ECE-BINS")
    data = given["correct"], given["confidence"]
    assert metrics.ece(*data, n_bins=bins, target="positive_class").value == pytest.approx(wanted[f"ece_{bins}"])
    # MCE is of the winning score; a third class that nobody has keeps a low score from being a verdict for the other.
    scores = np.array(given["confidence"])
    vectors = np.stack([scores, (1 - scores) / 25, *[(1 - scores) / 25] * 24], axis=1)
    labels = np.where(np.array(given["correct"]) == 1, 0, 1)
    assert metrics.mce(labels, vectors, n_bins=bins).value == pytest.approx(wanted[f"mce_{bins}"])
    assert metrics.ece(labels, vectors, n_bins=bins).value == pytest.approx(wanted[f"ece_{bins}"])


def test_top_label_and_class_wise_calibration_miss_what_canonical_sees() -> None:
    given = inputs("EX-CLS-CALIBRATION-DEFINITIONS")
    vectors, labels = [], []
    for vector, rates in zip(given["g"], given["conditional_class_distribution"], strict=True):
        for label, rate in enumerate(rates):
            times = round(10 * rate)
            vectors += [vector] * times
            labels += [label] * times
    assert metrics.ece(labels, vectors).value == pytest.approx(0.0, abs=1e-12)
    assert metrics.tce(labels, vectors).value == pytest.approx(0.0, abs=1e-8)
    assert metrics.cwce(labels, vectors).value == pytest.approx(0.0, abs=1e-8)
    # With so narrow a kernel only equal vectors inform one another, which is the definition itself.
    narrow = metrics.kce(labels, vectors, estimator="skce_biased", bandwidth=0.001).value
    assert narrow == pytest.approx((0.1**2 + 0.1**2) / 6)
    leave_one_out = metrics.ece_kde(labels, vectors, bandwidth=0.001).value
    assert leave_one_out > computed("EX-CLS-CALIBRATION-DEFINITIONS")["canonical.mean_l1"]


def test_a_perfect_model_has_an_error_on_few_cases() -> None:
    wanted = computed("EX-CLS-ECE-SAMPLE-SIZE")
    generator = np.random.default_rng(0)
    means = []
    for count in inputs("EX-CLS-ECE-SAMPLE-SIZE")["n"][:3]:
        errors = []
        for _ in range(200):
            scores = generator.random(count)
            labels = (generator.random(count) < scores).astype(int)
            errors.append(metrics.ece(labels, scores, n_bins=10, target="positive_class").value)
        means.append(np.mean(errors))
        assert means[-1] == pytest.approx(wanted[f"mean_ece_n{count}"], abs=5e-7)
    assert means == sorted(means, reverse=True)


@pytest.mark.parametrize("name", ["EX-CLS-ORDINAL-FIVE", "EX-CLS-ORDINAL-THREE"])
def test_only_weights_notice_a_near_miss(name: str) -> None:
    given, wanted = inputs(name), computed(name)
    size = len(given["classes"])
    steps = (np.subtract.outer(np.arange(size), np.arange(size)) / (size - 1)) ** 2
    for number in (1, 2):
        data = given["reference"], given[f"prediction_{number}"]
        for metric in ("accuracy", "mcc", "weighted_cohens_kappa"):
            value = get(metric).compute(*data, classes=given["classes"]).value
            assert value == pytest.approx(wanted[f"{number}.{metric}"], abs=5.1e-7), metric
        cost = metrics.expected_cost(*data, costs=steps, classes=given["classes"]).value
        assert cost == pytest.approx(wanted[f"{number}.expected_cost_quadratic"], abs=5.1e-7)


def test_a_shift_of_labels_moves_kappa_but_not_accuracy() -> None:
    given, wanted = inputs("EX-CLS-LABEL-SHIFT"), computed("EX-CLS-LABEL-SHIFT")
    for number in (1, 2):
        counts = given[f"counts_data_set_{number}"]
        # 84 % right, 4 % for each other class: whole numbers when taken 25 times.
        matrix = [[round(n * (21 if i == j else 1)) for j in range(5)] for i, n in enumerate(counts)]
        data = from_matrix(matrix)
        for metric in ("accuracy", "mcc", "balanced_accuracy", "weighted_cohens_kappa"):
            assert get(metric).compute(*data).value == pytest.approx(wanted[f"{number}.{metric}"], abs=5.1e-7), metric


def test_kappa_cannot_reach_one_with_unequal_margins() -> None:
    given, wanted = inputs("EX-CLS-KAPPA-MAX"), computed("EX-CLS-KAPPA-MAX")
    for number in (1, 2):
        counts = given[f"prediction_{number}"]
        predicted = counts["TP"] + counts["FP"]
        hits = min(15, predicted)
        best = {"TP": hits, "FP": predicted - hits, "FN": 15 - hits, "TN": 85 - predicted + hits}
        assert of_counts("cohens_kappa", best) == pytest.approx(wanted[f"{number}.cohens_kappa_max"], abs=5e-7)


def test_mcc_cannot_reach_minus_one_with_given_margins() -> None:
    worst = inputs("EX-CLS-MCC-LOWER-BOUND")["worst_case"]
    assert of_counts("mcc", worst) == pytest.approx(computed("EX-CLS-MCC-LOWER-BOUND")["min_mcc"], abs=5e-7)


def test_a_perfect_auroc_of_each_class_does_not_make_one_threshold_work() -> None:
    given, wanted = inputs("EX-CLS-GLOBAL-THRESHOLD"), computed("EX-CLS-GLOBAL-THRESHOLD")
    labels = np.array(given["labels"])
    for number in (1, 2, 3):
        is_class = (labels == number).astype(int)
        scores = np.array(given["scores"][f"class_{number}"])
        # The scores stand sorted by class, so each class's own are where its cases are.
        assert metrics.auroc(is_class, _own_first(scores, is_class)).value == wanted[f"class_{number}.auroc"]
        decided = _own_first(scores, is_class)
        found = sensitivity(is_class, decided, score_threshold=0.8).value
        assert found == wanted[f"class_{number}.sensitivity_at_t80"]
        balanced = metrics.balanced_accuracy(is_class, decided, score_threshold=0.8).value
        assert balanced == wanted[f"class_{number}.balanced_accuracy_at_t80"]
        accuracy = metrics.accuracy(is_class, decided, score_threshold=0.8).value
        assert accuracy == pytest.approx(wanted[f"class_{number}.accuracy_at_t80"], abs=5e-7)


def _own_first(scores: np.ndarray, is_class: np.ndarray) -> np.ndarray:
    assert scores[is_class == 1].min() > scores[is_class == 0].max()
    return scores


def test_rescaled_scores_keep_their_order_and_lose_their_meaning() -> None:
    given, wanted = inputs("EX-CLS-SCORE-RESCALING"), computed("EX-CLS-SCORE-RESCALING")
    for name in ("internal", "external"):
        data = given["y"], given[name]
        assert metrics.auroc(*data).value == wanted[f"{name}.auroc"]
        assert sensitivity(*data).value == wanted[f"{name}.sensitivity"]
        assert metrics.brier_score(*data).value == pytest.approx(wanted[f"{name}.brier_score"], abs=5e-7)


def test_one_of_six_cases_moves_auroc_by_a_ninth() -> None:
    given, wanted = inputs("EX-CLS-SMALL-SAMPLE-AUROC"), computed("EX-CLS-SMALL-SAMPLE-AUROC")
    values = []
    for number in (1, 2):
        scores = given[f"data_set_{number}"]
        values.append(metrics.auroc([1, 1, 1, 0, 0, 0], scores["positive"] + scores["negative"]).value)
        assert values[-1] == pytest.approx(wanted[f"{number}.auroc"], abs=5e-7)
    assert values[0] - values[1] == pytest.approx(wanted["auroc_difference"], abs=5e-7)


def test_every_example_of_image_classification_is_used_or_named() -> None:
    text = Path(__file__).read_text() + (Path(__file__).parent / "test_worked_examples.py").read_text()
    elsewhere = {"EX-ERRATA-MULTICLASS-MCC"}
    """`test_the_printed_multi_class_mcc_is_kappa` takes its matrix."""
    for name in set(EXAMPLES) - NOT_RECOMPUTABLE - elsewhere:
        if not name.startswith("EX-AGG-"):
            assert text.count(name) >= 1, name
