"""Model of one algorithm: its characteristics, its minimum number of cases, and every key of its document."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from scipy.stats import norm, t

from evaluation.ranking import own_effects as module
from evaluation.ranking.own_effects import own_effects

# Twelve cases whose values are 0.5 and 0.02 for each degree of smoke, beside residuals as normal as twelve can be.
SMOKE = np.array([0.0, 1.0, 2.0] * 4)
NOISE = norm.ppf((np.arange(12) + 0.5) / 12)[[0, 6, 11, 7, 1, 5, 10, 2, 8, 3, 9, 4]] / 50
CASES = pd.DataFrame({"value": 0.5 + 0.02 * SMOKE + NOISE, "smoke": SMOKE, "case": range(12)})


def closed_form(response, characteristic):
    """Slope, intercept, their errors, and the spread of what is left, of a straight line by least squares."""
    centred = characteristic - characteristic.mean()
    slope = centred @ response / (centred @ centred)
    intercept = response.mean() - slope * characteristic.mean()
    left = response - intercept - slope * characteristic
    variance = left @ left / (len(response) - 2)
    error = np.sqrt(variance / (centred @ centred))
    of_intercept = np.sqrt(variance * (1 / len(response) + characteristic.mean() ** 2 / (centred @ centred)))
    return (intercept, slope), (of_intercept, error), left


def test_a_straight_line_is_written_out_in_full():
    fit = own_effects(CASES, characteristics=["smoke"], interval=0.9)
    estimates, errors, left = closed_form(CASES["value"].to_numpy(), SMOKE)
    assert [term["estimate"] for term in fit["terms"]] == pytest.approx(estimates)
    assert [term["std_error"] for term in fit["terms"]] == pytest.approx(errors)
    half = t.ppf(0.95, 10) * errors[1]
    assert fit["terms"][1]["interval"] == pytest.approx([estimates[1] - half, estimates[1] + half])
    assert "odds_ratio" not in fit["terms"][1]
    assert (fit["model"], fit["method"]) == ("value ~ smoke", "least squares")
    assert (fit["rows"], fit["dropped"], fit["groups"], fit["characteristics"]) == (12, 0, {}, ["smoke"])
    assert (fit["odds"], fit["converged"], fit["warnings"]) == (False, True, [])
    assert fit["deviations"] == {"residual": pytest.approx(np.sqrt(left @ left / 10))}
    # The normal likelihood at its maximum, with the mean square of what is left.
    assert fit["log_likelihood"] == pytest.approx(-6 * (np.log(2 * np.pi * (left @ left) / 12) + 1))
    assert fit["residuals"]["correlation"] > 0.97


def test_logits_have_odds_and_say_whether_values_were_drawn_in():
    fit = own_effects(CASES, characteristics=["smoke"], transform="logit")
    estimates, _, _ = closed_form(logit(CASES["value"].to_numpy()), SMOKE)
    assert (fit["model"], fit["odds"], fit["warnings"]) == ("logit(value) ~ smoke", True, [])
    assert fit["terms"][1]["odds_ratio"] == pytest.approx(np.exp(estimates[1]))
    edge = CASES.assign(value=np.where(CASES["case"] == 3, 1.0, CASES["value"]))
    said = own_effects(edge, characteristics=["smoke"], transform="logit")["warnings"]
    assert said[0] == "1 of the values lie on 0 or 1; all were drawn in by half an observation"
    estimates, _, _ = closed_form(logit((edge["value"].to_numpy() * 11 + 0.5) / 12), SMOKE)
    drawn_in = own_effects(edge, characteristics=["smoke"], transform="logit")["terms"]
    assert [term["estimate"] for term in drawn_in] == pytest.approx(estimates)
    assert own_effects(edge, characteristics=["smoke"])["warnings"] == said[1:]


def test_values_that_lie_on_the_line_leave_nothing_to_be_normal_and_no_likelihood():
    fit = own_effects(CASES.assign(value=2.0 * SMOKE), characteristics=["smoke"])
    assert (fit["residuals"], fit["log_likelihood"], fit["warnings"]) == (None, None, [])


def test_residuals_that_are_far_from_normal_are_said_to_be():
    lone = CASES.assign(value=np.where(CASES["case"] == 5, 9.0, CASES["value"]))
    assert own_effects(lone, characteristics=["smoke"])["warnings"] == [
        "the residuals are far from normal: intervals and p-values are rough"
    ]


def test_another_column_may_hold_the_values():
    fit = own_effects(CASES.rename(columns={"value": "dsc"}), characteristics=["smoke"], value="dsc")
    assert fit["model"] == "dsc ~ smoke"


def test_eight_more_cases_than_terms_are_enough():
    assert own_effects(CASES.head(10), characteristics=["smoke"])["rows"] == 10
    with pytest.raises(ValueError, match="9 cases are too few for 2 terms"):
        own_effects(CASES.head(9), characteristics=["smoke"])


def test_cases_with_a_gap_are_left_out_and_counted():
    holes = CASES.copy()
    holes.loc[0, "value"], holes.loc[1, "smoke"] = None, None
    fit = own_effects(holes, characteristics=["smoke"])
    assert (fit["rows"], fit["dropped"]) == (10, 2)


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (["x"] * 12, "lamp is left out: it does not vary"),
        ([1.0] * 12, "lamp is left out: it does not vary"),
        (["x"] * 10 + ["y"] * 2, "lamp is left out: one of its categories has fewer than 3 cases"),
        ((3 - SMOKE).tolist(), "lamp is left out: it follows from the others"),
        (["x"] * 9 + ["y"] * 3, None),
        ([0.0] * 11 + [1.0], None),
        (list(range(12)), None),
    ],
    ids=str,
)
def test_a_characteristic_enters_unless_it_tells_nothing_of_its_own(column, said):
    fit = own_effects(CASES.assign(lamp=column), characteristics=["smoke", "lamp"])
    assert fit["characteristics"] == (["smoke"] if said else ["smoke", "lamp"])
    assert [remark for remark in fit["warnings"] if remark.startswith("lamp")] == ([said] if said else [])


def test_without_any_characteristic_there_is_no_model():
    with pytest.raises(ValueError, match="no characteristic of the cases can explain anything"):
        own_effects(CASES.assign(smoke=1.0), characteristics=["smoke"])


def test_groups_with_several_cases_and_more_than_one_of_them_have_an_intercept(monkeypatch):
    asked = []

    def fit_linear(data, **settings):
        asked.append((len(data), settings))
        return {"warnings": ["said of the fit"], "dropped": 0}

    monkeypatch.setattr(module, "fit_linear", fit_linear)
    grouped = CASES.assign(site="A", half=["l", "r"] * 6, patient=[f"p{case // 2}" for case in range(12)], same=1.0)
    grouped.loc[0, "value"] = None
    groups = ["site", "half", "patient", "case"]
    fit = own_effects(grouped, characteristics=["smoke", "same"], groups=groups, transform="logit", interval=0.8)
    settings = {
        "fixed": ["smoke"],
        "random": ["half", "patient"],
        "value": "value",
        "transform": "logit",
        "interval": 0.8,
    }
    assert asked == [(11, settings)]
    assert fit == {
        "warnings": ["same is left out: it does not vary", "said of the fit"],
        "dropped": 1,
        "characteristics": ["smoke"],
    }
