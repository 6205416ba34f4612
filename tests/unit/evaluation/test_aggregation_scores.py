"""Units from which a score is aggregated, so that its noise matches its units and its quantile."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evaluation.aggregation import ResultsError
from evaluation.aggregation.feedback import scores_of
from evaluation.assessment import parse

# Cases 1 and 2 are of patient p, case 3 of q (both at site x), cases 4 to 6 of patient r at site y.
CASES = pd.DataFrame(
    {
        "case": ["6", "5", "4", "3", "2", "1"],
        "patient": ["r", "r", "r", "q", "p", "p"],
        "site": ["y", "y", "y", "x", "x", "x"],
    }
)
VALUES = {"1": 0.1, "2": 0.3, "3": 0.8, "4": 0.5, "5": 0.6, "6": 1.0}


def assessment(*metrics, **aggregation):
    return parse(
        {
            "problem": "semantic_segmentation",
            "regions": [{"name": "r", "labels": [1]}],
            "metrics": list(metrics) or [{"id": "dsc"}],
            "aggregation": aggregation,
        }
    )


def results(values=None, *, metric="dsc", outcome="missing"):
    """Rows of one run; a case without a value has the outcome."""
    rows = [
        ("own", case, "r", metric, value, "ok" if value is not None else outcome, 50.0)
        for case, value in (values or VALUES).items()
    ]
    return pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"])


def summary(*names, value=0.55):
    return [{"metric": name, "region": "r", "value": value} for name in names]


def units_of(found, table=None, cases=CASES):
    (score,) = scores_of(found, results() if table is None else table, cases, summary(found.metrics[0].name))
    return score.units.to_dict()


def test_of_values_of_cases_the_units_are_the_cases_and_no_table_of_cases_is_needed():
    assert units_of(assessment(), cases=None) == VALUES


def test_the_value_is_that_of_the_summary_and_the_direction_that_of_the_metric():
    rule = assessment({"id": "dsc"}, {"id": "assd"})
    table = pd.concat([results(), results({"1": 2.0, "2": 3.0}, metric="assd")])
    first, second = scores_of(rule, table, None, [*summary("dsc"), *summary("assd", value=None)])
    assert (first.metric, first.region, first.value, first.higher_is_better) == ("dsc", "r", 0.55, True)
    assert (second.metric, second.region, second.value, second.higher_is_better) == ("assd", "r", None, False)


def test_a_summary_of_other_metrics_is_an_error():
    with pytest.raises(ValueError, match="shorter"):
        scores_of(assessment(), results(), None, [])


def test_the_mean_is_taken_case_by_case_within_a_patient():
    # The mean of 0.1 and 0.3 for p, the only value of q, and the mean of 0.5, 0.6 and 1.0 for r.
    assert units_of(assessment(levels=["case", "patient"])) == pytest.approx({"p": 0.2, "q": 0.8, "r": 0.7})


def test_of_three_levels_the_outermost_are_the_units_and_every_patient_of_a_site_counts_alike():
    # For x the mean of its patients' 0.2 and 0.8, while that of its three cases would be 0.4; for y its only patient.
    assert units_of(assessment(levels=["case", "patient", "site"])) == pytest.approx({"x": 0.5, "y": 0.7})


def test_of_a_quantile_every_level_is_a_quantile():
    # Medians of patients: 0.2, 0.8 and 0.6; that of x lies in the middle of the first two.
    levels = ["case", "patient", "site"]
    assert units_of(assessment(levels=levels, operator="median")) == pytest.approx({"x": 0.5, "y": 0.6})
    assert units_of(assessment(levels=levels, operator="max")) == pytest.approx({"x": 0.8, "y": 1.0})


@pytest.mark.parametrize(("metric", "position"), [("dsc", 0.05), ("assd", 0.95)])
def test_a_percentile_is_counted_from_the_worse_end_of_the_metric(metric, position):
    rule = assessment({"id": metric}, operator={"percentile": 5})
    (score,) = scores_of(rule, results(metric=metric), None, summary(metric))
    assert score.quantile == pytest.approx(position)


def test_the_mean_has_no_quantile():
    (score,) = scores_of(assessment(), results(), None, summary("dsc"))
    assert score.quantile is None


@pytest.mark.parametrize("outcome", ["missing", "not_applicable"])
def test_a_case_without_a_value_counts_as_missing_even_if_no_case_has_its_input(outcome):
    """Of one run alone, an input that is lacking everywhere stops nothing: the worst value of the metric counts."""
    assert units_of(assessment(), results({"1": 0.5, "2": None}, outcome=outcome)) == {"1": 0.5, "2": 0.0}
    assert units_of(assessment(), results({"1": None, "2": None}, outcome=outcome)) == {"1": 0.0, "2": 0.0}


def test_a_case_that_is_left_out_is_no_unit():
    rule = assessment({"id": "dsc", "policy": {"both_empty": "exclude"}})
    assert units_of(rule, results({"1": 0.5, "2": None, "3": 0.25}, outcome="both_empty")) == {"1": 0.5, "3": 0.25}


def test_a_patient_whose_cases_are_all_left_out_is_no_unit():
    rule = assessment({"id": "dsc", "policy": {"both_empty": "exclude"}}, levels=["case", "patient"])
    assert units_of(rule, results({"1": 0.5, "2": None, "3": None}, outcome="both_empty")) == {"p": 0.5}


def test_one_value_of_the_whole_data_set_has_no_units():
    rule = parse({"problem": "regression", "metrics": [{"id": "r2"}], "aggregation": {"levels": ["case", "site"]}})
    rows = pd.DataFrame([("own", "", "r2", 0.9, "ok")], columns=["algorithm", "case", "metric", "value", "outcome"])
    (score,) = scores_of(rule, rows, None, [{"metric": "r2", "region": None, "value": 0.9}])
    assert (score.value, score.region, len(score.units)) == (0.9, None, 0)


def test_a_level_that_the_table_of_cases_does_not_have_is_named():
    with pytest.raises(ResultsError, match="needs the case column 'site'"):
        units_of(assessment(levels=["case", "site"]), cases=CASES.drop(columns="site"))


def test_the_table_that_was_handed_in_stays_as_it_is():
    table = results({"1": 0.5, "2": None}, outcome="not_applicable")
    scores_of(assessment(), table, None, summary("dsc"))
    assert table["outcome"].tolist() == ["ok", "not_applicable"]
    assert np.isnan(table["value"][1])
