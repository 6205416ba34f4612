"""Rankings and effects from fitted models: levels, contrasts, groups, adjusted p-values.

The fits are scripted.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, norm

from evaluation.ranking import mixed_model
from evaluation.ranking.mixed_model import (
    NoFitError,
    adjust,
    algorithm_effect,
    model_ranking,
    multiplicity_words,
    strengths_and_weaknesses,
)

TABLE = pd.DataFrame(
    {
        "algorithm": list("aabbcc"),
        "case": [1, 2] * 3,
        "patient": ["p"] * 6,
        "smoke": [0.0, 1.0] * 3,
        "value": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        "hits": [1, 2, 3, 4, 5, 6],
        "pixels": [9] * 6,
    }
)


def test_the_global_test_compares_likelihoods_with_and_without_the_algorithms(monkeypatch):
    asked = []

    def likelihood(data, *, fixed, **settings):
        asked.append((len(data), fixed, settings))
        return (-10.0, 4) if "algorithm" in fixed else (-13.0, 2)

    monkeypatch.setattr(mixed_model, "log_likelihood", likelihood)
    holes = TABLE.astype({"smoke": object})
    holes.loc[0, "value"], holes.loc[1, "smoke"], holes.loc[2, "patient"], holes.loc[3, "hits"] = None, None, None, None
    result = algorithm_effect(holes, value="value", fixed=["smoke"], random=["patient"], transform="logit")
    assert result == {"statistic": 6.0, "df": 2, "p": pytest.approx(chi2.sf(6.0, 2))}
    settings = {"value": "value", "random": ["patient"], "transform": "logit"}
    # Both by the three rows without a gap in what is used.
    assert asked == [(3, ["algorithm", "smoke"], settings), (3, ["smoke"], settings)]


def test_a_model_with_algorithms_is_never_less_likely(monkeypatch):
    monkeypatch.setattr(
        mixed_model, "log_likelihood", lambda _, *, fixed, **__: (-9.0 - len(fixed) / 1e9, 1 + len(fixed))
    )
    result = algorithm_effect(TABLE, value="value", fixed=[], random=["patient"])
    assert result == {"statistic": 0.0, "df": 1, "p": 1.0}


# Differences of b and c from a, with the covariance of intercept and differences.
EFFECTS = np.array([0.5, 0.3, -0.2])
COVARIANCE = np.array([[0.010, -0.004, -0.002], [-0.004, 0.020, 0.003], [-0.002, 0.003, 0.030]])


def ranked(monkeypatch, effects=EFFECTS, covariance=COVARIANCE, data=TABLE, **settings):
    beyond = np.full((len(effects) + 1, len(effects) + 1), 99.0)  # what belongs to the random intercept
    beyond[: len(effects), : len(effects)] = covariance
    result = SimpleNamespace(fe_params=effects, cov_params=lambda: beyond)
    asked = []
    monkeypatch.setattr(
        mixed_model, "fit_linear_with_result", lambda given, **how: asked.append(how) or ({"rows": len(given)}, result)
    )
    monkeypatch.setattr(mixed_model, "algorithm_effect", lambda given, **how: asked.append(how) or {"p": 0.25})
    return model_ranking(data, **settings), asked


# Levels a 0.5, b 0.8, c 0.3. Variances of levels: 0.01; 0.01 + 0.02 - 0.008; 0.01 + 0.03 - 0.004.
# Of differences: a - b 0.02, a - c 0.03, b - c 0.02 + 0.03 - 0.006.
P_VALUES = {("b", "a"): 0.3 / 0.02**0.5, ("a", "c"): 0.2 / 0.03**0.5, ("b", "c"): 0.5 / 0.044**0.5}


def test_algorithms_are_ranked_by_their_levels(monkeypatch):
    ranks, asked = ranked(monkeypatch, higher_is_better=True)
    assert [row["name"] for row in ranks["algorithms"]] == ["b", "a", "c"]
    assert [row["rank"] for row in ranks["algorithms"]] == [1, 2, 3]
    assert [row["estimate"] for row in ranks["algorithms"]] == pytest.approx([0.8, 0.5, 0.3])
    assert [row["std_error"] for row in ranks["algorithms"]] == pytest.approx([0.022**0.5, 0.1, 0.036**0.5])
    assert (ranks["fit"], ranks["global_test"], ranks["group_rule"]) == (
        {"rows": 6},
        {"p": 0.25},
        "not_significantly_worse",
    )
    model = {"value": "value", "random": ("case",), "transform": "none"}
    assert asked == [{**model, "fixed": ["algorithm"]}, {**model, "fixed": [], "algorithm": "algorithm"}]


def test_lower_levels_come_first_where_lower_is_better(monkeypatch):
    ranks, _ = ranked(monkeypatch, higher_is_better=False)
    assert [row["name"] for row in ranks["algorithms"]] == ["c", "a", "b"]
    assert {(contrast["better"], contrast["worse"]) for contrast in ranks["contrasts"]} == {
        ("a", "b"),
        ("c", "a"),
        ("c", "b"),
    }


def test_every_pair_is_contrasted_and_p_values_are_adjusted_by_holm(monkeypatch):
    ranks, _ = ranked(monkeypatch, higher_is_better=True)
    contrasts = {(contrast["better"], contrast["worse"]): contrast for contrast in ranks["contrasts"]}
    assert set(contrasts) == set(P_VALUES)
    for pair, statistic in P_VALUES.items():
        assert contrasts[pair]["p"] == pytest.approx(2 * norm.sf(statistic))
    assert [contrasts[pair]["difference"] for pair in P_VALUES] == pytest.approx([0.3, 0.2, 0.5])
    # 0.0171 for b and c is the least, then 0.0339 for b and a, then 0.2482: times 3, 2 and 1.
    for pair, factor in {("b", "c"): 3, ("b", "a"): 2, ("a", "c"): 1}.items():
        assert contrasts[pair]["p_adjusted"] == pytest.approx(factor * contrasts[pair]["p"])


def test_adjusted_p_values_do_not_fall_and_stay_below_one(monkeypatch):
    ranks, _ = ranked(monkeypatch, np.array([0.5, 0.1, 0.0]), np.diag([0.01, 0.01, 0.0101]), higher_is_better=True)
    contrasts = {(contrast["better"], contrast["worse"]): contrast for contrast in ranks["contrasts"]}
    smallest = 3 * 2 * norm.sf(1.0)  # b before a by 0.1 with an error of 0.1
    assert contrasts["b", "a"]["p_adjusted"] == pytest.approx(smallest)
    assert contrasts["b", "c"]["p_adjusted"] == pytest.approx(max(smallest, 2 * 2 * norm.sf(0.1 / 0.0201**0.5)))
    assert ranks["contrasts"][-2]["p_adjusted"] == 1.0


@pytest.mark.parametrize(
    ("alpha", "groups"),
    [(0.05, [1, 1, 1]), (0.06, [1, 1, None]), (0.07, [1, None, None]), (0.0, [1, 1, 1])],
)
def test_the_first_group_are_those_that_are_not_significantly_worse_than_the_first(monkeypatch, alpha, groups):
    # Adjusted: 0.0514 for c and 0.0678 for a, both below b.
    ranks, _ = ranked(monkeypatch, higher_is_better=True, alpha=alpha)
    assert [row["group"] for row in ranks["algorithms"]] == groups


def test_a_p_value_at_the_level_is_significant(monkeypatch):
    ranks, _ = ranked(monkeypatch, higher_is_better=True)
    level = next(contrast["p_adjusted"] for contrast in ranks["contrasts"] if contrast["worse"] == "a")
    assert [row["group"] for row in ranked(monkeypatch, higher_is_better=True, alpha=level)[0]["algorithms"]] == [
        1,
        None,
        None,
    ]


def test_being_worse_than_another_than_the_first_takes_nobody_out_of_its_group(monkeypatch):
    # a is first, and with its large error nobody is worse; c is worse than b.
    covariance = np.array([[1.0, -0.999, -0.999], [-0.999, 1.0, 0.999], [-0.999, 0.999, 1.0]])
    ranks, _ = ranked(monkeypatch, np.array([0.5, -0.1, -1.0]), covariance, higher_is_better=True)
    contrasts = {(contrast["better"], contrast["worse"]): contrast["p_adjusted"] for contrast in ranks["contrasts"]}
    assert contrasts["b", "c"] < 0.05
    assert [row["group"] for row in ranks["algorithms"]] == [1, 1, 1]


def test_levels_that_are_equal_but_for_rounding_share_a_rank_in_the_order_of_names(monkeypatch):
    ranks, _ = ranked(monkeypatch, np.array([0.5, 1e-11, 0.1]), higher_is_better=True)
    assert [(row["name"], row["rank"]) for row in ranks["algorithms"]] == [("c", 1), ("a", 2), ("b", 2)]


@pytest.mark.parametrize(("apart", "ranks"), [(4e-10, [1, 1]), (4e-9, [1, 2])])
def test_levels_are_told_apart_by_their_first_nine_digits(monkeypatch, apart, ranks):
    data = TABLE[TABLE["algorithm"] != "c"]
    result, _ = ranked(monkeypatch, np.array([0.5, apart]), np.eye(2) / 100, data=data, higher_is_better=True)
    assert [row["rank"] for row in result["algorithms"]] == ranks


def test_unless_told_a_twentieth_is_the_level(monkeypatch):
    # A difference of 2 of its errors has a p-value of 0.0455, one of 1.91 has 0.0561; one pair needs no adjusting.
    for gap, group in ((2.0, None), (1.91, 1)):
        effects, covariance = np.array([0.5, -gap / 10]), np.diag([0.01, 0.01])
        data = TABLE[TABLE["algorithm"] != "c"]
        ranks, _ = ranked(monkeypatch, effects, covariance, data=data, higher_is_better=True)
        assert [row["group"] for row in ranks["algorithms"]] == [1, group]


def test_rows_without_an_algorithm_name_none(monkeypatch):
    data = pd.concat([TABLE, TABLE.head(1).assign(algorithm=None)])
    assert len(ranked(monkeypatch, data=data, higher_is_better=True)[0]["algorithms"]) == 3


def fits(monkeypatch, name, failing=()):
    asked = []

    def fit(data, **settings):
        who = "".join(sorted(set(data["algorithm"])))
        if who in failing:
            message = f"{who} has none"
            raise NoFitError(message)
        asked.append((who, settings))
        return {"terms": [{"term": "(Intercept)", "p": 0.001}, {"term": "smoke", "p": 0.02}]}

    monkeypatch.setattr(mixed_model, name, fit)
    return asked


def test_effects_on_values_are_looked_at_over_all_algorithms_and_for_each(monkeypatch):
    asked = fits(monkeypatch, "fit_linear", failing=["b"])
    result = strengths_and_weaknesses(TABLE, characteristics=["smoke"], random=["patient", "case"])
    how = {"value": "value", "transform": "logit"}
    assert asked == [
        ("abc", {"fixed": ["algorithm", "smoke"], "random": ["patient", "case"], **how}),
        ("a", {"fixed": ["smoke"], "random": ["patient"], **how}),
        ("c", {"fixed": ["smoke"], "random": ["patient"], **how}),
    ]
    assert set(result["by_algorithm"]) == {"a", "c"}
    assert result["no_fit"] == {"b": "b has none"}
    assert result["characteristics"] == ["smoke"]
    assert result["looked_at"] == "One characteristic was looked at, so nothing had to be adjusted"
    assert "p_adjusted" not in result["all"]["terms"][0]
    for fit in (result["all"], *result["by_algorithm"].values()):
        assert fit["terms"][1]["p_adjusted"] == 0.02


def test_algorithms_of_which_no_group_has_several_rows_are_left_to_the_fit_of_all(monkeypatch):
    asked = fits(monkeypatch, "fit_linear")
    result = strengths_and_weaknesses(TABLE, characteristics=["smoke"], random=["case"], transform="none")
    assert [who for who, _ in asked] == ["abc"]
    assert (result["by_algorithm"], result["no_fit"]) == ({}, {})


@pytest.mark.parametrize(("hits", "trials"), [("hits", None), (None, "pixels"), (None, None)])
def test_hits_without_trials_leave_the_values_to_be_explained(monkeypatch, hits, trials):
    asked = fits(monkeypatch, "fit_linear")
    strengths_and_weaknesses(TABLE, characteristics=["smoke"], random=["case"], hits=hits, trials=trials)
    assert len(asked) == 1


def test_hits_in_trials_have_the_algorithm_as_one_more_intercept_and_each_the_outermost_alone(monkeypatch):
    asked = fits(monkeypatch, "fit_hits", failing=["c"])
    result = strengths_and_weaknesses(
        TABLE, characteristics=["smoke"], random=["patient", "case"], value=None, hits="hits", trials="pixels"
    )
    how = {"hits": "hits", "trials": "pixels", "fixed": ["smoke"]}
    assert asked == [
        ("abc", {**how, "random": ["patient", "case", "algorithm"]}),
        ("a", {**how, "random": ["patient"]}),
        ("b", {**how, "random": ["patient"]}),
    ]
    assert result["no_fit"] == {"c": "c has none"}


def test_the_model_of_all_algorithms_has_to_have_a_fit(monkeypatch):
    fits(monkeypatch, "fit_linear", failing=["abc"])
    with pytest.raises(NoFitError, match="abc has none"):
        strengths_and_weaknesses(TABLE, characteristics=["smoke"], random=["case"])


def test_terms_of_characteristics_are_adjusted_together_within_each_fit():
    def fit(*terms):
        return {"terms": [{"term": name, "p": p} for name, p in terms]}

    whole = fit(("(Intercept)", 1e-9), ("algorithm: b", 1e-9), ("site: B", 0.01), ("site: C", 0.04), ("smoke", 0.03))
    single = fit(("smoke", 0.02), ("site: B", 0.5))
    said = adjust([whole, single], ["site", "smoke"])
    # 3 · 0.01, then 2 · 0.03, then 0.04, raised to the one before; 2 · 0.02 and 0.5.
    adjusted = {term["term"]: term.get("p_adjusted") for term in whole["terms"]}
    assert adjusted == pytest.approx(
        {"(Intercept)": None, "algorithm: b": None, "site: B": 0.03, "site: C": 0.06, "smoke": 0.06}
    )
    assert [term["p_adjusted"] for term in single["terms"]] == pytest.approx([0.04, 0.5])
    assert said == multiplicity_words(2, 3)


@pytest.mark.parametrize(
    ("characteristics", "terms", "begins"),
    [
        (1, 1, "One characteristic was looked at, so nothing had to be adjusted"),
        (1, 2, "1 characteristic with 2 effects was looked at; p-values and stars are adjusted"),
        (2, 2, "2 characteristics with 2 effects were looked at; p-values and stars are adjusted"),
        (2, 0, "2 characteristics with 0 effects were looked at; p-values"),
    ],
)
def test_how_many_were_looked_at_is_said(characteristics, terms, begins):
    assert multiplicity_words(characteristics, terms).startswith(begins)
