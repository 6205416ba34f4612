"""Document of a complete fit, of values and of hits in trials, with its remarks; the searches are scripted."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from evaluation.ranking import model_fits
from evaluation.ranking.laplace import LogisticFit
from evaluation.ranking.model_fits import (
    NoFitError,
    fit_hits,
    fit_linear,
    fit_linear_with_result,
    log_likelihood,
    logits,
)
from tests.unit.evaluation.test_ranking_model_fits import TABLE


def linear(monkeypatch, *, response=None, remarks=(), reml=None, **changes):
    """A linear fit with two effects, an intercept by patient and one by image, whose result is scripted."""
    normal = norm.ppf((np.arange(8) + 0.5) / 8)
    result = SimpleNamespace(
        fe_params=np.array([0.5, -0.1]),
        cov_params=lambda: np.diag([0.04, 0.01, 9.0, 9.0]),
        resid=normal,
        converged=True,
        scale=0.25,
        cov_re=np.array([[0.16]]),
        vcomp=np.array([0.09]),
        llf=-12.5,
    )
    for name, value in changes.items():
        setattr(result, name, value)
    asked = []
    monkeypatch.setattr(
        model_fits, "_fit", lambda *given, **settings: asked.append((given, settings)) or (result, list(remarks))
    )
    settings = {} if reml is None else {"reml": reml}
    table = TABLE if response is None else TABLE.assign(value=response)
    transform = "none" if response is None else "logit"
    arguments = {
        "value": "value",
        "fixed": ["smoke"],
        "random": ["patient", "image"],
        "transform": transform,
        **settings,
    }
    fit, found = fit_linear_with_result(table, **arguments)
    assert found is result
    assert fit_linear(table, **arguments) == fit
    return fit, asked[0]


def test_a_linear_fit_is_written_out(monkeypatch):
    fit, (given, settings) = linear(monkeypatch)
    assert fit["model"] == "value ~ smoke, random intercepts patient and image within patient"
    assert (fit["method"], fit["rows"], fit["dropped"]) == ("REML", 8, 0)
    assert fit["groups"] == {"patient": 4, "image": 8}
    assert [(term["term"], term["estimate"]) for term in fit["terms"]] == [("(Intercept)", 0.5), ("smoke", -0.1)]
    assert [term["std_error"] for term in fit["terms"]] == pytest.approx([0.2, 0.1])
    assert fit["terms"][0]["interval"] == pytest.approx([0.5 - 0.2 * norm.ppf(0.975), 0.5 + 0.2 * norm.ppf(0.975)])
    assert "odds_ratio" not in fit["terms"][0]
    assert fit["deviations"] == pytest.approx({"patient": 0.4, "image": 0.3, "residual": 0.5})
    assert (fit["odds"], fit["log_likelihood"], fit["converged"], fit["warnings"]) == (False, -12.5, True, [])
    assert fit["residuals"]["correlation"] > 0.985
    assert given[0].tolist() == TABLE["value"].tolist()
    assert settings == {"reml": True}


def test_plain_maximum_likelihood_is_named(monkeypatch):
    fit, (_, settings) = linear(monkeypatch, reml=False)
    assert (fit["method"], settings) == ("ML", {"reml": False})


def test_a_fit_of_logits_has_odds_and_says_whether_values_were_drawn_in(monkeypatch):
    inside, (given, _) = linear(monkeypatch, response=TABLE["value"])
    assert inside["model"].startswith("logit(value) ~ smoke, ")
    assert inside["odds"] is True
    assert inside["terms"][1]["odds_ratio"] == pytest.approx(np.exp(-0.1))
    assert inside["warnings"] == []
    assert given[0] == pytest.approx(logits(TABLE["value"].to_numpy())[0])
    one, (given, _) = linear(monkeypatch, response=[1.0, *TABLE["value"][1:]])
    assert one["warnings"] == ["1 of the values lie on 0 or 1; all were drawn in by half an observation"]
    assert given[0].max() == pytest.approx(np.log(15))  # 7.5 of 8


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"remarks": ["flat"]}, "flat"),
        ({"converged": False}, "the fit did not converge: its numbers cannot be trusted"),
        ({"resid": np.array([0.0] * 7 + [9.0])}, "the residuals are far from normal"),
        ({"vcomp": np.array([0.0])}, "a random intercept explains nothing"),
        ({"vcomp": np.array([24e-10])}, "a random intercept explains nothing"),
    ],
    ids=str,
)
def test_what_is_to_be_said_of_a_fit_is_said(monkeypatch, changes, said):
    fit, _ = linear(monkeypatch, **changes)
    assert [remark.startswith(said) for remark in fit["warnings"]] == [True]
    assert fit["converged"] is changes.get("converged", True)


def test_an_intercept_of_a_ten_thousandth_of_the_largest_deviation_explains_something(monkeypatch):
    for variance in (26e-10, 25e-10):
        assert linear(monkeypatch, vcomp=np.array([variance]))[0]["warnings"] == []


@pytest.mark.parametrize(("left", "exact"), [(0.9e-10, True), (1e-10, True), (1.1e-10, False)])
def test_a_model_that_leaves_no_residual_is_no_fit(monkeypatch, left, exact):
    # The values reach to 0.9: residuals may vary by a ten thousand millionth of that.
    residuals = 0.9 * left * np.linspace(0, 1, 8)
    if exact:
        with pytest.raises(NoFitError, match="leaves no residual"):
            linear(monkeypatch, resid=residuals)
    else:
        assert linear(monkeypatch, resid=residuals)[0]["warnings"] == []


def test_the_likelihood_of_a_model_comes_with_its_number_of_effects(monkeypatch):
    asked = []
    result = SimpleNamespace(llf=-3.5)
    monkeypatch.setattr(
        model_fits, "_fit", lambda *given, **settings: asked.append((given[0], settings)) or (result, [])
    )
    arguments = {"value": "value", "fixed": ["smoke", "site"], "random": ["patient"]}
    assert log_likelihood(TABLE, **arguments) == (-3.5, 4)
    assert log_likelihood(TABLE, **arguments, transform="logit") == (-3.5, 4)
    assert asked[0][0] == pytest.approx(TABLE["value"].to_numpy())
    assert asked[1][0] == pytest.approx(logits(TABLE["value"].to_numpy())[0])
    assert [settings for _, settings in asked] == [{"reml": False}] * 2


def hits_fit(monkeypatch, table=TABLE, **changes):
    fields = {
        "estimates": np.array([0.5, -0.1]),
        "covariance": np.diag([0.04, 0.01]),
        "deviations": {"patient": 0.4, "image": 0.001},
        "log_likelihood": -7.5,
        "converged": True,
        "message": "fine",
    }
    asked = []
    fit = LogisticFit(**(fields | changes))
    monkeypatch.setattr(model_fits, "fit_logistic", lambda *given: asked.append(given) or fit)
    return fit_hits(table, hits="hits", trials="pixels", fixed=["smoke"], random=["patient", "image"]), asked[0]


def test_a_fit_of_hits_is_written_out(monkeypatch):
    fit, (hits, trials, design, groups) = hits_fit(monkeypatch)
    assert fit["model"] == "hits of pixels ~ smoke, random intercepts patient, image, logit link"
    assert (fit["method"], fit["rows"], fit["dropped"]) == ("Laplace", 8, 0)
    assert fit["groups"] == {"patient": 4, "image": 8}
    assert [term["std_error"] for term in fit["terms"]] == pytest.approx([0.2, 0.1])
    assert fit["terms"][0]["odds_interval"][0] == pytest.approx(np.exp(0.5 - 0.2 * norm.ppf(0.975)))
    assert (fit["odds"], fit["converged"], fit["residuals"], fit["log_likelihood"]) == (True, True, None, -7.5)
    assert fit["warnings"] == []
    assert hits.tolist() == TABLE["hits"].tolist()
    assert trials.tolist() == TABLE["pixels"].tolist()
    assert design.tolist() == [[1, smoke] for smoke in TABLE["smoke"]]
    assert groups == {"patient": list("ppqqrrss"), "image": list("12345678")}


def test_what_a_fit_of_hits_leaves_out_or_does_not_reach_is_said(monkeypatch):
    assert hits_fit(monkeypatch, deviations={"patient": 0.4, "image": 0.0009})[0]["warnings"] == [
        "image explains nothing"
    ]
    unfinished = hits_fit(monkeypatch, converged=False, message="out of steps")[0]
    assert unfinished["warnings"] == ["the fit did not converge (out of steps): its numbers cannot be trusted"]
    assert unfinished["converged"] is False
    alike = hits_fit(monkeypatch, TABLE.assign(smoke=1), estimates=np.array([0.5]), covariance=np.eye(1))[0]
    assert alike["warnings"] == ["smoke is left out: it follows from the others"]
    assert [term["term"] for term in alike["terms"]] == ["(Intercept)"]


def test_odds_beyond_ten_million_millions_to_one_are_no_estimate(monkeypatch):
    assert hits_fit(monkeypatch, estimates=np.array([30.0, -30.0]))[0]["terms"][0]["estimate"] == 30.0
    for estimates in ([30.1, 0.0], [0.0, -30.1]):
        with pytest.raises(NoFitError, match="tells hits and misses apart completely"):
            hits_fit(monkeypatch, estimates=np.array(estimates))


def test_a_fit_of_hits_that_breaks_down_is_none(monkeypatch):
    def breaks(*_):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(model_fits, "fit_logistic", breaks)
    with pytest.raises(NoFitError, match="tells hits and misses apart completely"):
        fit_hits(TABLE, hits="hits", trials="pixels", fixed=["smoke"], random=["patient"])


@pytest.mark.parametrize(("hits", "said"), [([0] * 8, "none"), ([10] * 8, "all")])
def test_where_all_trials_end_alike_there_is_nothing_to_explain(monkeypatch, hits, said):
    with pytest.raises(NoFitError, match=f"^{said} of the trials are hits: there is nothing to explain"):
        hits_fit(monkeypatch, TABLE.assign(hits=hits))


def test_one_hit_or_one_miss_is_something_to_explain(monkeypatch):
    assert hits_fit(monkeypatch, TABLE.assign(hits=[0] * 7 + [1]))[0]["rows"] == 8
    assert hits_fit(monkeypatch, TABLE.assign(hits=[10] * 7 + [9]))[0]["rows"] == 8
