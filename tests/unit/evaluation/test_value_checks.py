"""Values outside the range of a metric, values that overflow, names that differ in spaces, and missing values that win."""

import pandas as pd
import pytest

from evaluation import rank
from evaluation.aggregation import ResultsError

RANGED = {
    "problem": "table",
    "metrics": [{"id": "value", "direction": "higher", "range": [0, 1], "policy": {"missing": 0}}],
}
FREE = {"problem": "table", "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}]}
LOWER = {
    "problem": "table",
    "metrics": [{"id": "value", "direction": "lower", "range": [0, None], "policy": {"missing": 100}}],
}


def table(**columns):
    rows = [(name, f"c{case}", value) for name, values in columns.items() for case, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["algorithm", "case", "value"])


@pytest.mark.parametrize(
    ("assessment", "value", "words"),
    [
        (RANGED, 1.7, "algorithm 'b', case 'c1': the value 1.7 of value is outside its range 0 to 1"),
        (RANGED, -0.2, "algorithm 'b', case 'c1': the value -0.2 of value is outside its range 0 to 1"),
        (
            RANGED,
            72.0,
            "the value 72 of value is outside its range 0 to 1. If the values are in per cent, divide them by 100",
        ),
        (FREE, 1e308, "algorithm 'b', case 'c1': the value 1e+308 is too large to compute with"),
        (LOWER, -1.0, "the value -1 of value is outside its range from 0"),
    ],
)
def test_an_impossible_value_is_refused_with_its_place(assessment, value, words):
    with pytest.raises(ResultsError) as refusal:
        rank(assessment, table(a=[0.5, 0.6, 0.7], b=[0.4, value, 0.6]), bootstrap=20)
    assert words in str(refusal.value)


def test_values_at_the_ends_of_the_range_are_accepted_with_rounding():
    document = rank(RANGED, table(a=[1.0, 1.0 + 1e-12, 0.7], b=[0.0, -1e-12, 0.6]), bootstrap=20)
    assert document["rankings"][0]["winners"] == ["a"]
    assert "notes" not in document


def test_a_catalogue_metric_has_its_known_range():
    assessment = {
        "problem": "semantic_segmentation",
        "regions": [{"name": "all", "labels": [1]}],
        "metrics": [{"id": "dsc"}],
    }
    results = table(a=[0.5, 0.6], b=[50.0, 1.7]).assign(metric="dsc", region="all", outcome="ok")
    with pytest.raises(ResultsError, match=r"algorithm 'b', case 'c0', region 'all': the value 50 of dsc is outside"):
        rank(assessment, results, bootstrap=20)


def test_names_that_differ_in_case_or_spaces_are_noted():
    notes = rank(FREE, table(**{"UNet": [0.5, 0.6], "unet ": [0.4, 0.5], "other": [0.1, 0.2]}), bootstrap=20)["notes"]
    assert notes == ["The names 'UNet', 'unet ' differ only in case or spaces. Each is an algorithm of its own."]


def test_a_missing_value_that_counts_as_better_than_measured_ones_is_noted():
    notes = rank(FREE, table(a=[-0.5, 0.6], b=[None, 0.5]), bootstrap=20)["notes"]
    assert notes == ["A missing value of value counts as 0, although 1 measured value is below 0."]
    assert "notes" not in rank(FREE, table(a=[-0.5, 0.6], b=[0.4, 0.5]), bootstrap=20)
    possible = {**FREE, "metrics": [{**FREE["metrics"][0], "range": [-1, 1]}]}
    for values in ([0.4, 0.5], [None, 0.5]):
        assert rank(possible, table(a=[0.5, 0.6], b=values), bootstrap=20)["notes"] == [
            "A missing value of value counts as 0, although values down to -1 are possible. Withholding a bad case then pays."
        ]
    notes = rank(LOWER, table(a=[120.0, 300.0], b=[None, 0.5]), bootstrap=20)["notes"]
    assert notes == ["A missing value of value counts as 100, although 2 measured values are above 100."]
