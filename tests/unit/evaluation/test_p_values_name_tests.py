"""Each p-value is shown with the name of its test, its sidedness and its adjustment."""

import re

import numpy as np
import pandas as pd
import pytest

from evaluation import report
from evaluation.assessment import parse
from evaluation.figures import better_map, forest_plot, significance_map
from evaluation.ranking import rank

UNITS, TEAMS = 40, ("unet", "vnet", "wnet")


@pytest.fixture(scope="module")
def challenge():
    generator = np.random.default_rng(5)
    cases = [f"case {number:02d}" for number in range(UNITS)]
    level = generator.normal(0.7, 0.05, UNITS)
    rows = [
        (team, case, float(np.clip(value, 0, 1)))
        for place, team in enumerate(TEAMS)
        for case, value in zip(cases, level - 0.02 * place + generator.normal(0, 0.02, UNITS), strict=True)
    ]
    results = pd.DataFrame(rows, columns=["algorithm", "case", "value"])
    metadata = pd.DataFrame({"case": cases, "dose": level * 100, "scanner": ["A", "B"] * (UNITS // 2)})
    assessment = parse(
        {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}], "uncertainty": {"bootstrap": 200}}
    )
    return assessment, results, metadata


NAMED = re.compile(
    r"(one-sided|two-sided) ((?:stratified )?Wilcoxon signed rank|sign-flip|bootstrap|Wald|t|z) tests?|Likelihood ratio test|one-sided, by the Bayesian"
)
STATED = re.compile(r"p = |p-value against|p-values are those|p ≤ ")


def test_every_p_value_of_a_report_names_its_test(challenge):
    assessment, results, metadata = challenge
    page = report(assessment, results, cases=metadata, characteristics=["dose"], mixed_model=True)
    texts = re.findall(r"<(?:p|li|figcaption|caption)[^>]*>(.*?)</(?:p|li|figcaption|caption)>", page, flags=re.DOTALL)
    stating = [text for text in texts if STATED.search(text)]
    assert len(stating) >= 3
    for text in stating:
        assert NAMED.search(text), text
        assert re.search(r"adjusted", text), text


def test_hover_texts_of_figures_name_tests(challenge):
    assessment, results, _ = challenge
    document = rank(assessment, results)
    cells = [cell for row in significance_map(document)["data"][0]["text"] for cell in row if "p = " in cell]
    assert len(cells) == 6
    assert all("one-sided Wilcoxon signed rank test, p = " in cell and "adjusted by Holm" in cell for cell in cells)
    own = [cell for row in better_map(document, metric="value")["data"][0]["text"] for cell in row if "p = " in cell]
    assert own
    assert all("one-sided sign-flip test, p = " in cell and "unadjusted" in cell for cell in own)


@pytest.mark.parametrize(("method", "name"), [("least squares", "two-sided t test"), ("REML", "two-sided Wald test")])
def test_a_forest_plot_names_the_test_of_each_term(method, name):
    term = {"term": "dose", "estimate": 0.1, "interval": [0.0, 0.2], "p": 0.04, "p_adjusted": 0.08}
    analysis = {"all": {"terms": [term], "odds": False, "method": method}, "characteristics": ["dose"]}
    texts = [text for trace in forest_plot(analysis)["data"] for text in trace["text"]]
    assert texts == [f"dose: 0.1 (0 to 0.2), {name}: p = 0.04 unadjusted, 0.08 adjusted by Holm’s method"]
