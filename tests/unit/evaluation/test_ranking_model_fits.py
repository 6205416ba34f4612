"""Document of a fitted model: its columns and rows, terms, residuals, and the selected one of several searches."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

from evaluation.ranking import model_fits
from evaluation.ranking.model_fits import (
    NoFitError,
    _best_of_methods,
    _deviations,
    _nested_words,
    _residuals,
    design_of,
    independent,
    logits,
    normality,
    terms_of,
)

TABLE = pd.DataFrame(
    {
        "value": [0.1, 0.4, 0.5, 0.3, 0.7, 0.2, 0.9, 0.6],
        "smoke": [0, 1, 2, 3, 0, 1, 2, 3],
        "site": list("BABACABC"),
        "patient": list("ppqqrrss"),
        "image": [1, 2, 3, 4, 5, 6, 7, 8],
        "hits": [1, 4, 5, 3, 7, 2, 9, 6],
        "pixels": [10] * 8,
    }
)


def test_numbers_explain_as_they_are_and_anything_else_as_categories_against_the_first():
    frame, design, dropped = design_of(TABLE, "value", ["smoke", "site"], ["patient", "image"], extra="pixels")
    assert list(design.columns) == ["(Intercept)", "smoke", "site: B", "site: C"]
    assert design.to_numpy()[:3].tolist() == [[1, 0, 1, 0], [1, 1, 0, 0], [1, 2, 1, 0]]
    assert list(frame.columns) == ["y", "n", "r0", "r1"]
    assert frame.iloc[4].tolist() == [0.7, 10, "r", "5"]
    assert dropped == 0


def test_rows_with_a_gap_in_a_column_that_is_used_are_left_out_and_counted():
    holes = TABLE.astype({"smoke": float})
    holes.loc[[0, 1], "value"], holes.loc[2, "smoke"], holes.loc[3, "patient"], holes.loc[4, "hits"] = (
        None,
        None,
        None,
        None,
    )
    frame, design, dropped = design_of(holes, "value", ["smoke"], ["patient"])
    assert (len(frame), len(design), dropped) == (4, 4, 4)
    assert frame["y"].tolist() == [0.7, 0.2, 0.9, 0.6]
    assert list(frame.columns) == ["y", "r0"]
    assert design_of(holes, "value", ["smoke"], ["patient"], extra="hits")[2] == 5


@pytest.mark.parametrize("column", ["value", "smoke", "patient", "pixels"])
def test_a_column_that_is_not_there_is_named(column):
    with pytest.raises(ValueError, match=f"the data have no column '{column}'"):
        design_of(TABLE.drop(columns=column), "value", ["smoke"], ["patient"], extra="pixels")


def test_columns_that_follow_from_those_before_them_are_left_out():
    columns = {
        "(Intercept)": [1.0, 1, 1, 1],
        "a": [0.0, 1, 2, 3],
        "twice": [0.0, 2, 4, 6],
        "b": [0.0, 1, 0, 1],
        "c": [1.0, 0, 1, 0],
    }
    kept, said = independent(pd.DataFrame(columns))
    assert list(kept.columns) == ["(Intercept)", "a", "b"]
    assert said == ["twice is left out: it follows from the others", "c is left out: it follows from the others"]
    whole = pd.DataFrame(columns)[["(Intercept)", "a", "b"]]
    assert independent(whole) == (whole, [])


def test_terms_have_normal_intervals_and_p_values_unless_freedom_is_given():
    one, other = terms_of(["x", "y"], np.array([2.0, -3.0]), np.array([1.0, 2.0]), 0.9, odds=False)
    width = norm.ppf(0.95)
    assert one == {
        "term": "x",
        "estimate": 2.0,
        "std_error": 1.0,
        "statistic": 2.0,
        "p": pytest.approx(2 * norm.sf(2.0)),
        "interval": pytest.approx([2 - width, 2 + width]),
    }
    assert other["statistic"] == -1.5
    assert other["p"] == pytest.approx(2 * norm.sf(1.5))
    assert other["interval"] == pytest.approx([-3 - 2 * width, -3 + 2 * width])
    (student,) = terms_of(["x"], np.array([2.0]), np.array([1.0]), 0.9, odds=False, freedom=5)
    assert student["p"] == pytest.approx(2 * t.sf(2.0, 5))
    assert student["interval"] == pytest.approx([2 - t.ppf(0.95, 5), 2 + t.ppf(0.95, 5)])


def test_odds_ratios_are_the_powers_of_e_of_estimates_and_bounds():
    (term,) = terms_of(["x"], np.array([0.5]), np.array([0.25]), 0.95, odds=True)
    assert term["odds_ratio"] == pytest.approx(np.exp(0.5))
    assert term["odds_interval"] == pytest.approx(np.exp([0.5 - 0.25 * norm.ppf(0.975), 0.5 + 0.25 * norm.ppf(0.975)]))


def test_an_estimate_without_error_has_no_statistic():
    (term,) = terms_of(["x"], np.array([0.5]), np.array([0.0]), 0.95, odds=False)
    assert np.isnan(term["statistic"])
    assert np.isnan(term["p"])
    assert term["interval"] == [0.5, 0.5]


def test_logits_of_values_within_the_bounds_are_plain():
    result, edge = logits(np.array([0.5, 0.75, 0.2]))
    assert result == pytest.approx([0.0, np.log(3), np.log(0.25)])
    assert edge == 0


def test_with_values_on_the_bounds_all_are_drawn_in_by_half_an_observation():
    result, edge = logits(np.array([0.0, 1.0, 0.5, 0.75, 1.0]))
    # Times 4, plus 0.5, by 5: 0.1, 0.9, 0.5, 0.7, 0.9
    assert result == pytest.approx(np.log([1 / 9, 9, 1, 7 / 3, 9]))
    assert edge == 3


@pytest.mark.parametrize("outside", [-0.001, 1.001])
def test_beyond_the_bounds_there_are_no_logits(outside):
    with pytest.raises(ValueError, match="the logit needs values between 0 and 1"):
        logits(np.array([0.5, outside]))


def test_how_normal_residuals_are_is_told_by_moments_and_the_quantile_plot():
    residuals = np.array([3.0, -1.0, 0.0, 1.0, -3.0, 6.0])
    result = normality(residuals)
    centred = residuals - 1
    spread = (centred**2).mean() ** 0.5
    assert result["skewness"] == pytest.approx((centred**3).mean() / spread**3)
    assert result["excess_kurtosis"] == pytest.approx((centred**4).mean() / spread**4 - 3)
    theoretical, ordered = np.array(result["quantiles"]).T
    assert ordered.tolist() == [-3, -1, 0, 1, 3, 6]
    # Filliben's medians of order statistics: the ends at the sixth root of a half.
    assert theoretical[[0, 5]] == pytest.approx(norm.ppf([1 - 0.5 ** (1 / 6), 0.5 ** (1 / 6)]))
    assert result["correlation"] == pytest.approx(np.corrcoef(theoretical, ordered)[0, 1])


def test_of_many_residuals_two_hundred_points_from_first_to_last_are_kept():
    for count, kept in ((199, 199), (200, 200), (500, 200)):
        points = normality(np.arange(float(count)))["quantiles"]
        assert (len(points), points[0][1], points[-1][1]) == (kept, 0.0, count - 1)


def test_nested_intercepts_are_said_from_the_outside_in():
    assert _nested_words(["site"]) == "site"
    assert _nested_words(["site", "patient", "image"]) == "site and patient within site and image within patient"


def test_deviations_are_roots_of_variances_that_are_no_less_than_nothing():
    result = SimpleNamespace(scale=4.0, cov_re=np.array([[9.0]]), vcomp=np.array([0.25, -1e-9]))
    assert _deviations(result, ["site", "patient", "image"]) == {"site": 3, "patient": 0.5, "image": 0, "residual": 2}
    negative = SimpleNamespace(scale=1.0, cov_re=np.array([[-1e-9]]), vcomp=np.array([]))
    assert _deviations(negative, ["site"]) == {"site": 0, "residual": 1}


class WithoutResiduals:
    fe_params = np.array([2.0, 1.0])
    model = SimpleNamespace(endog=np.array([5.0, 3.0]), exog=np.array([[1.0, 1.0], [1.0, 0.0]]))

    @property
    def resid(self):
        message = "singular"
        raise ValueError(message)


def test_residuals_are_left_by_the_fixed_effects_where_intercepts_explain_nothing():
    assert _residuals(SimpleNamespace(resid=[1, 2])).tolist() == [1.0, 2.0]
    assert _residuals(WithoutResiduals()).tolist() == [2.0, 1.0]


class Scripted:
    """A model whose optimizers return scripted results."""

    def __init__(self, **found):
        self.found, self.asked = found, []

    def fit(self, *, reml, method):
        self.asked.append((method, reml))
        result = self.found.get(method, -9.0)
        if isinstance(result, Exception):
            raise result
        if callable(result):
            return result()
        return ended(result)


def ended(likelihood, *, converged=True, spread=1.0, scale=1.0):
    return SimpleNamespace(llf=likelihood, converged=converged, scale=scale, cov_re=np.array([[spread]]))


def test_two_optimisers_that_agree_are_enough():
    model = Scripted(lbfgs=-5.0, bfgs=-5.00009)
    result, remarks = _best_of_methods(model, reml=True)
    assert (result.llf, remarks) == (-5.0, [])
    assert model.asked == [("lbfgs", True), ("bfgs", True)]


def test_where_two_optimisers_differ_all_four_are_asked_and_the_likeliest_is_kept():
    model = Scripted(lbfgs=-5.0, bfgs=-5.001, powell=-4.0, cg=-4.5)
    assert _best_of_methods(model, reml=False)[0].llf == -4.0
    assert model.asked == [("lbfgs", False), ("bfgs", False), ("powell", False), ("cg", False)]
    just_apart = Scripted(lbfgs=0.0, bfgs=1e-4, powell=0.0, cg=0.0)
    assert _best_of_methods(just_apart, reml=False)[0].llf == 1e-4
    assert len(just_apart.asked) == 4


def test_a_fit_that_converged_is_kept_before_a_likelier_one_that_did_not():
    model = Scripted(lbfgs=-5.0, bfgs=lambda: ended(-3.0, converged=False))
    assert _best_of_methods(model, reml=True)[0].llf == -5.0


@pytest.mark.parametrize(
    "failing",
    [np.linalg.LinAlgError(), ValueError(), FloatingPointError(), np.nan, lambda: ended(9.0, spread=1e6)],
    ids=["no inverse", "wrong value", "overflow", "no likelihood", "runs away"],
)
def test_an_optimiser_that_fails_or_runs_away_is_passed_over(failing):
    model = Scripted(lbfgs=failing, bfgs=-5.0, powell=-5.0)
    assert _best_of_methods(model, reml=True)[0].llf == -5.0
    assert [method for method, _ in model.asked] == ["lbfgs", "bfgs", "powell"]


def test_a_spread_of_just_under_a_million_times_the_residual_is_kept():
    for scale in (1.0, 100.0, 0.01):
        model = Scripted(lbfgs=lambda scale=scale: ended(9.0, spread=999_999.0 * scale, scale=scale), bfgs=-5.0)
        assert _best_of_methods(model, reml=True)[0].llf == 9.0


def test_without_any_fit_there_is_none():
    model = Scripted(**dict.fromkeys(("lbfgs", "bfgs", "powell", "cg"), np.inf))
    with pytest.raises(NoFitError, match="did not converge with any optimiser"):
        _best_of_methods(model, reml=True)


def test_a_likelihood_that_is_flat_around_its_maximum_is_said_of_the_fit_that_is_kept():
    def flat():
        import warnings

        warnings.warn("The Hessian matrix is not positive definite.", stacklevel=1)
        warnings.warn("Another thing.", stacklevel=1)
        return ended(-4.0)

    assert _best_of_methods(Scripted(lbfgs=flat, bfgs=-4.00001), reml=True)[1] == [model_fits._FLAT]
    assert _best_of_methods(Scripted(lbfgs=flat, bfgs=-3.99999), reml=True)[1] == []


@pytest.mark.parametrize(
    ("random", "inner"),
    [
        (["patient"], None),
        (["patient", "image"], {"v1": "0 + C(r1)"}),
        (["a", "b", "c"], {"v1": "0 + C(r1)", "v2": "0 + C(r2)"}),
    ],
)
def test_effects_and_intercepts_within_the_outermost_one_are_handed_to_statsmodels(monkeypatch, random, inner):
    from statsmodels.regression.mixed_linear_model import MixedLM

    asked = []
    monkeypatch.setattr(
        MixedLM, "from_formula", lambda formula, **settings: asked.append((formula, settings)) or "model"
    )
    monkeypatch.setattr(model_fits, "_best_of_methods", lambda model, *, reml: ((model, reml), ["said"]))
    table = TABLE.assign(a="x", b="y", c="z")
    frame, design, _ = design_of(table, "value", ["smoke"], random)
    response = np.arange(8.0)
    assert model_fits._fit(response, design, frame, random, reml=True) == (("model", True), ["said"])
    ((formula, settings),) = asked
    assert formula == "y ~ 0 + x0 + x1"
    given = settings.pop("data")
    assert settings == {"groups": "r0", "re_formula": "1", "vc_formula": inner}
    assert given["y"].tolist() == response.tolist()
    assert given["x0"].tolist() == [1.0] * 8
    assert given["x1"].tolist() == table["smoke"].tolist()
    assert given["r0"].tolist() == table[random[0]].astype(str).tolist()
