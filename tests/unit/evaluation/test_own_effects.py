"""Effects of characteristics on one algorithm's values match the closed form, without indeterminable effects."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from evaluation.ranking.own_effects import own_effects

CASES = 30


@pytest.fixture(scope="module")
def cases():
    generator = np.random.default_rng(7)
    smoke = generator.normal(size=CASES)
    site = np.array(["A", "B", "C"] * (CASES // 3))
    value = 0.8 - 0.05 * smoke + 0.03 * (site == "B") + generator.normal(scale=0.02, size=CASES)
    return pd.DataFrame({"case": range(CASES), "value": value, "smoke": smoke, "site": site})


def test_estimates_and_intervals_are_those_of_least_squares(cases):
    fit = own_effects(cases, characteristics=["smoke", "site"])
    design = np.column_stack([np.ones(CASES), cases["smoke"], cases["site"] == "B", cases["site"] == "C"]).astype(float)
    inverse = np.linalg.inv(design.T @ design)
    expected = inverse @ design.T @ cases["value"]
    residual = cases["value"] - design @ expected
    errors = np.sqrt(np.diag(inverse) * (residual @ residual) / (CASES - 4))
    assert [term["term"] for term in fit["terms"]] == ["(Intercept)", "smoke", "site: B", "site: C"]
    for term, estimate, error in zip(fit["terms"], expected, errors, strict=True):
        half = t.ppf(0.975, CASES - 4) * error
        assert term["estimate"] == pytest.approx(estimate)
        assert term["interval"] == pytest.approx([estimate - half, estimate + half])
        assert term["p"] == pytest.approx(2 * t.sf(abs(estimate / error), CASES - 4))
    assert fit["method"] == "least squares"


def test_what_cannot_be_told_apart_is_left_out_and_said(cases):
    table = cases.assign(twice=2 * cases["smoke"], same=1.0, rare=["x"] + ["y"] * (CASES - 1))
    fit = own_effects(table, characteristics=["smoke", "twice", "same", "rare"])
    assert fit["characteristics"] == ["smoke"]
    assert [remark.split(" is")[0] for remark in fit["warnings"][:3]] == ["twice", "same", "rare"]
    with pytest.raises(ValueError, match="no characteristic"):
        own_effects(table, characteristics=["same"])
    with pytest.raises(ValueError, match="too few for 2 terms"):
        own_effects(cases.head(9), characteristics=["smoke"])


def test_gaps_are_counted_and_cases_of_one_patient_share_an_intercept(cases):
    table = cases.assign(patient=[f"P{index // 3}" for index in range(CASES)])
    table.loc[0, "value"] = np.nan
    fit = own_effects(table, characteristics=["smoke"], groups=["patient", "case"])
    assert fit["dropped"] == 1
    assert list(fit["groups"]) == ["patient"]
    assert fit["method"] == "REML"
