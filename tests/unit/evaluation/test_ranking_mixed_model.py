"""Mixed models agree with lme4's fits of the same data and report when they should not be trusted."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from evaluation.ranking.mixed_model import (
    NoFitError,
    algorithm_effect,
    fit_hits,
    fit_linear,
    model_ranking,
    strengths_and_weaknesses,
)
from evaluation.ranking.model_fits import _errors
from tests.unit.evaluation.ranking_vectors import FOLDER

REFERENCE = json.loads((FOLDER / "mixed_model.json").read_text())
NAMES = {
    "(Intercept)": "(Intercept)",
    "algorithm: A2": "algorithmA2",
    "algorithm: A3": "algorithmA3",
    "algorithm: A4": "algorithmA4",
    "smoke": "smoke",
    "motion": "motion",
}


@pytest.fixture(scope="module")
def data():
    return pd.read_csv(FOLDER / "mixed_model.csv")


def test_the_linear_model_agrees_with_lme4(data):
    fit = fit_linear(
        data, value="value", fixed=["algorithm", "smoke", "motion"], random=["patient", "image"], transform="logit"
    )
    expected = REFERENCE["linear"]
    for term in fit["terms"]:
        name = NAMES[term["term"]]
        assert term["estimate"] == pytest.approx(expected["estimate"][name], abs=1e-5)
        assert term["std_error"] == pytest.approx(expected["std_error"][name], rel=0.005)
    assert fit["deviations"]["patient"] == pytest.approx(expected["sd_patient"], abs=1e-4)
    assert fit["deviations"]["image"] == pytest.approx(expected["sd_image_in_patient"], abs=1e-4)
    assert fit["deviations"]["residual"] == pytest.approx(expected["sd_residual"], abs=1e-4)
    assert fit["converged"]
    assert fit["warnings"] == []
    assert (fit["rows"], fit["groups"]) == (336, {"patient": 14, "image": 84})
    assert -2 * fit["log_likelihood"] == pytest.approx(expected["reml_criterion"], abs=0.01)


def test_the_global_test_of_the_algorithms_agrees_with_lme4(data):
    settings = {"value": "value", "random": ["patient", "image"], "transform": "logit"}
    test = algorithm_effect(data, fixed=["smoke", "motion"], **settings)
    expected = REFERENCE["linear"]["algorithm_effect_likelihood_ratio"]
    assert test["statistic"] == pytest.approx(expected["chisq"], abs=1e-3)
    assert test["df"] == expected["df"]
    assert test["p"] == pytest.approx(expected["p"], rel=1e-3)


def test_the_model_of_pixels_agrees_with_lme4(data):
    fit = fit_hits(
        data, hits="hits", trials="pixels", fixed=["smoke", "motion"], random=["patient", "image", "algorithm"]
    )
    expected = REFERENCE["binomial"]
    for term in fit["terms"]:
        assert term["estimate"] == pytest.approx(expected["estimate_log_odds_ratio"][term["term"]], abs=1e-3)
        assert term["std_error"] == pytest.approx(expected["std_error"][term["term"]], rel=0.02)
        assert term["odds_ratio"] == pytest.approx(np.exp(term["estimate"]))
    assert fit["deviations"]["image"] == pytest.approx(expected["sd_image"], abs=1e-3)
    assert fit["deviations"]["patient"] == pytest.approx(expected["sd_patient"], abs=1e-3)
    assert fit["deviations"]["algorithm"] == pytest.approx(expected["sd_algorithm"], abs=1e-3)
    assert fit["log_likelihood"] == pytest.approx(expected["log_likelihood"], abs=1e-3)


def test_a_plain_regression_would_claim_too_much_certainty(data):
    fit = fit_linear(data, value="value", fixed=["smoke"], random=["patient", "image"], transform="logit")
    naive = REFERENCE["linear"]["naive_ols_std_error"]["(Intercept)"]
    assert fit["terms"][0]["std_error"] > 1.5 * naive


def test_a_ranking_from_the_model_groups_what_it_cannot_tell_apart(data):
    found = model_ranking(data, higher_is_better=True, random=["patient", "image"], transform="logit")
    assert [a["name"] for a in found["algorithms"]] == ["A2", "A4", "A1", "A3"]
    assert [a["rank"] for a in found["algorithms"]] == [1, 2, 3, 4]
    assert found["algorithms"][0]["group"] == 1
    assert found["algorithms"][3]["group"] is None
    assert found["global_test"]["p"] < 1e-6
    adjusted = {(c["better"], c["worse"]): (c["p"], c["p_adjusted"]) for c in found["contrasts"]}
    assert len(adjusted) == 6
    assert all(raw <= holm for raw, holm in adjusted.values())
    lower = model_ranking(data, higher_is_better=False, random=["patient", "image"], transform="logit")
    assert [a["name"] for a in lower["algorithms"]] == ["A3", "A1", "A4", "A2"]


def test_estimates_of_a_balanced_table_are_the_means_of_the_algorithms():
    generator = np.random.default_rng(1)
    rows = [(a, f"c{c}", generator.normal(index, 1) + c / 5) for c in range(20) for index, a in enumerate("xyz")]
    table = pd.DataFrame(rows, columns=["algorithm", "case", "value"])
    found = model_ranking(table, higher_is_better=True)
    means = table.groupby("algorithm")["value"].mean()
    for algorithm in found["algorithms"]:
        assert algorithm["estimate"] == pytest.approx(means[algorithm["name"]], abs=1e-6)


def test_strengths_and_weaknesses_over_all_algorithms_and_for_each(data):
    found = strengths_and_weaknesses(data, characteristics=["smoke", "motion"], random=["patient", "image"])
    effects = {term["term"]: term for term in found["all"]["terms"]}
    assert effects["smoke"]["odds_ratio"] < 1
    assert effects["motion"]["p"] < 0.001
    assert set(found["by_algorithm"]) == {"A1", "A2", "A3", "A4"}
    for fit in found["by_algorithm"].values():
        assert [term["term"] for term in fit["terms"]] == ["(Intercept)", "smoke", "motion"]
        assert list(fit["groups"]) == ["patient"]
    pixels = strengths_and_weaknesses(
        data[data["patient"] < "P08"], characteristics=["motion"], random=["image"], hits="hits", trials="pixels"
    )
    assert pixels["all"]["odds"]
    assert pixels["all"]["terms"][1]["estimate"] < 0


def test_gaps_are_left_out_and_counted_and_bounds_are_told(data):
    broken = data.copy()
    broken.loc[0, "smoke"] = np.nan
    broken.loc[1, "value"] = 1.0
    fit = fit_linear(broken, value="value", fixed=["smoke"], random=["patient"], transform="logit")
    assert (fit["rows"], fit["dropped"]) == (335, 1)
    assert any("lie on 0 or 1" in remark for remark in fit["warnings"])
    with pytest.raises(ValueError, match="no column 'fog'"):
        fit_linear(data, value="value", fixed=["fog"], random=["patient"])
    with pytest.raises(ValueError, match="between 0 and 1"):
        fit_linear(data.assign(value=2.0), value="value", fixed=[], random=["patient"], transform="logit")


def test_residuals_that_are_not_normal_are_said_to_be():
    generator = np.random.default_rng(4)
    rows = [(f"p{p}", a, float(generator.pareto(1.2))) for p in range(30) for a in "ab" for _ in range(3)]
    table = pd.DataFrame(rows, columns=["patient", "algorithm", "value"])
    fit = fit_linear(table, value="value", fixed=["algorithm"], random=["patient"])
    assert fit["residuals"]["correlation"] < 0.95
    assert any("far from normal" in remark for remark in fit["warnings"])


def eight_cases(value):
    rows = [(a, f"c{case}", float(case % 2)) for a in "abc" for case in range(8)]
    table = pd.DataFrame(rows, columns=["algorithm", "case", "smoke"])
    return table.assign(value=value(table), hits=0, trials=1)


@pytest.mark.parametrize("value", [0.5, "algorithms", "cases"], ids=str)
def test_values_without_chance_have_no_fit_instead_of_errors_of_nothing(value):
    given = {
        "algorithms": lambda table: table["algorithm"].map({"a": 0.5, "b": 0.6, "c": 0.7}),
        "cases": lambda table: table["case"].str[1:].astype(float) / 10,
    }
    table = eight_cases(given.get(value, lambda table: np.full(len(table), value)))
    with pytest.raises(NoFitError, match=r"did not converge|leaves no residual"):
        strengths_and_weaknesses(table, characteristics=["smoke"], random=["case"], transform="none")


@pytest.mark.parametrize("variances", [[1.0, -1.0], [1.0, 0.0], [1.0, np.nan], [1.0, np.inf]], ids=str)
def test_a_variance_that_is_no_positive_number_is_no_fit(variances):
    with pytest.raises(NoFitError, match="did not converge"):
        _errors(np.diag(variances))


def test_standard_errors_are_the_roots_of_the_variances():
    assert _errors(np.array([[4.0, 1.0], [1.0, 9.0]])).tolist() == [2.0, 3.0]


def test_hits_that_a_characteristic_tells_apart_completely_have_no_fit():
    table = eight_cases(lambda table: table["smoke"])
    settings = {"characteristics": ["smoke"], "random": ["case"], "value": None, "hits": "hits", "trials": "trials"}
    with pytest.raises(NoFitError, match="none of the trials are hits"):
        strengths_and_weaknesses(table, **settings)
    with pytest.raises(NoFitError, match="all of the trials are hits"):
        strengths_and_weaknesses(table.assign(hits=1), **settings)
    with pytest.raises(NoFitError, match="did not converge"):
        strengths_and_weaknesses(table.assign(hits=table["smoke"].astype(int)), **settings)


def test_one_algorithm_without_a_fit_leaves_the_others_theirs(data):
    first = data[data["patient"] < "P08"]
    table = first.assign(hits=first["hits"].where(first["algorithm"] != "A2", first["pixels"]))
    found = strengths_and_weaknesses(
        table, characteristics=["motion"], random=["image"], value=None, hits="hits", trials="pixels"
    )
    assert set(found["by_algorithm"]) == {"A1", "A3", "A4"}
    assert found["no_fit"] == {"A2": "all of the trials are hits: there is nothing to explain"}


def test_what_another_optimiser_said_is_not_told_of_the_fit_that_is_kept():
    generator = np.random.default_rng(0)
    rows = [(a, f"c{c}", f"p{c % 4}", generator.uniform(0.3, 0.9)) for a in "abc" for c in range(8)]
    table = pd.DataFrame(rows, columns=["algorithm", "case", "patient", "value"])
    fit = fit_linear(table, value="value", fixed=["algorithm"], random=["patient", "case"])
    assert fit["converged"]
    assert not any("fail" in remark or "converge" in remark for remark in fit["warnings"])


def test_a_characteristic_that_follows_from_others_is_left_out_and_that_is_said(data):
    # Before, the fit ran beyond all numbers, and report and page failed on it.
    table = data.assign(site=np.where(data["smoke"] > data["smoke"].median(), "A", "B"))
    table["lamp"] = np.where(table["site"] == "A", "on", "off")
    settings = {"random": ["patient", "image"]}
    alone = strengths_and_weaknesses(table, characteristics=["motion", "site"], **settings)
    both = strengths_and_weaknesses(table, characteristics=["motion", "site", "lamp"], **settings)
    for one, two in ((alone["all"], both["all"]), (alone["by_algorithm"]["A1"], both["by_algorithm"]["A1"])):
        assert [term["term"] for term in two["terms"]] == [term["term"] for term in one["terms"]]
        assert "lamp: on is left out: it follows from the others" in two["warnings"]
        estimates = [term["estimate"] for term in one["terms"]]
        assert [term["estimate"] for term in two["terms"]] == pytest.approx(estimates)
