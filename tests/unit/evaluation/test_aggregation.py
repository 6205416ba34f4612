"""Every outcome counts as the policy states, and nothing is dropped silently."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evaluation.aggregation import ResultsError, build_tables, check_results
from evaluation.assessment import parse
from evaluation.ranking import rank

COLUMNS = ["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"]


def assessment(*metrics, **settings):
    return parse(
        {
            "problem": "semantic_segmentation",
            "regions": [{"name": "r", "labels": [1]}],
            "metrics": list(metrics) or [{"id": "dsc"}],
            **settings,
        }
    )


def tables(found, *rows):
    return build_tables(found, check_results(pd.DataFrame(rows, columns=COLUMNS)))


def column(table, number=0):
    """Return the values that the cases count for one algorithm."""
    return table.values[:, number].tolist()  # noqa: PD011  (no data frame)


def test_words_of_a_policy_become_the_bounds_of_the_metric():
    rows = [
        ("a", "1", "r", "dsc", np.nan, "both_empty", 50.0),
        ("a", "2", "r", "dsc", np.nan, "ref_empty", 50.0),
        ("a", "3", "r", "dsc", np.nan, "pred_empty", 50.0),
        ("a", "4", "r", "dsc", np.nan, "missing", 50.0),
        ("a", "5", "r", "dsc", 0.7, "ok", 50.0),
    ]
    table = tables(assessment(), *rows)[0]
    assert column(table) == [1.0, 0.0, 0.0, 0.0, 0.7]
    assert dict(table.outcomes[0]) == {"both_empty": 1, "ref_empty": 1, "pred_empty": 1, "missing": 1, "ok": 1}


def test_a_missing_distance_counts_as_the_diagonal_of_its_own_image_even_if_no_row_mentions_it():
    rows = [
        ("a", "1", "r", "assd", 1.0, "ok", 100.0),
        ("a", "2", "r", "assd", 2.0, "ok", 200.0),
        ("b", "1", "r", "assd", np.nan, "missing", 100.0),
    ]
    table = tables(assessment({"id": "assd"}), *rows)[0]
    assert table.algorithms == ("a", "b")
    assert column(table, 1) == [100.0, 200.0]
    assert table.inserted == (("2", "b"),)


def test_without_a_diagonal_anywhere_the_case_is_named():
    with pytest.raises(ResultsError, match=r"no row of case '1' gives image_diagonal"):
        tables(assessment({"id": "assd"}), ("a", "1", "r", "assd", np.nan, "missing", np.nan))


def test_a_number_stands_for_itself():
    use = {"id": "assd", "policy": {"missing": 42, "pred_empty": 7}}
    rows = [("a", "1", "r", "assd", np.nan, "missing", 9.0), ("a", "2", "r", "assd", np.nan, "pred_empty", 9.0)]
    assert column(tables(assessment(use), *rows)[0]) == [42.0, 7.0]


def test_what_the_reference_alone_leaves_undefined_is_left_out_for_everyone():
    rows = pd.DataFrame(
        [("a", "1", "r", "dsc", np.nan, "degenerate", 9.0), ("a", "2", "r", "dsc", np.nan, "degenerate", 9.0)],
        columns=COLUMNS,
    ).assign(flag=["reference", ""])
    values = column(build_tables(assessment(), check_results(rows))[0])
    assert np.isnan(values[0])
    assert values[1] == 0.0


def test_an_infinitely_good_value_is_ranked_first_and_stored_as_no_number():
    found = parse(
        {"problem": "image_classification", "metrics": [{"id": "lr_plus"}], "ranking": {"scheme": "one_score"}}
    )
    rows = pd.DataFrame(
        [("a", "", "x", "lr_plus", 8.0, "ok", ""), ("b", "", "x", "lr_plus", None, "degenerate", "unbounded")],
        columns=["algorithm", "case", "region", "metric", "value", "outcome", "flag"],
    )
    entry = rank(found, rows)["rankings"][0]
    assert [(a["name"], a["rank"], a["score"]) for a in entry["algorithms"]] == [("b", 1, None), ("a", 2, 8)]


def test_a_metric_whose_input_nobody_handed_in_is_wrong_for_the_task():
    with pytest.raises(ResultsError, match="lacks an input that metric 'dsc' needs"):
        tables(assessment(), ("a", "1", "r", "dsc", np.nan, "not_applicable", 9.0))


def test_one_submission_that_lacks_an_input_counts_as_missing_and_stops_nobody():
    table = tables(
        assessment(),
        ("a", "1", "r", "dsc", 0.8, "ok", 9.0),
        ("b", "1", "r", "dsc", np.nan, "not_applicable", 9.0),
    )[0]
    assert [column(table, 0)[0], column(table, 1)[0]] == [0.8, 0.0]


def test_the_last_rank_of_a_case_is_marked_and_not_a_value():
    use = {"id": "dsc", "policy": {"missing": "worst_rank"}}
    found = assessment(use, ranking={"scheme": "rank_then_aggregate"})
    rows = [("a", "1", "r", "dsc", 0.0, "ok", 9.0), ("b", "1", "r", "dsc", np.nan, "missing", 9.0)]
    table = tables(found, *rows)[0]
    assert table.last_rank.tolist() == [[False, True]]
    assert np.isnan(column(table, 1)[0])
    document = rank(found, pd.DataFrame(rows, columns=COLUMNS))
    assert [a["rank"] for a in document["rankings"][0]["algorithms"]] == [1, 2]


def test_a_replaced_value_ties_with_a_genuine_one_but_the_last_rank_does_not():
    rows = [("a", "1", "r", "dsc", 0.0, "ok", 9.0), ("b", "1", "r", "dsc", np.nan, "missing", 9.0)]
    ranked = {"scheme": "rank_then_aggregate"}
    replaced = rank(assessment({"id": "dsc"}, ranking=ranked), pd.DataFrame(rows, columns=COLUMNS))
    assert [a["rank"] for a in replaced["rankings"][0]["algorithms"]] == [1, 1]


def test_dropping_cases_lets_an_algorithm_rise_which_is_why_it_has_to_be_said_openly():
    use = {"id": "dsc", "policy": {"missing": "exclude", "allow_gaming": True}}
    rows = [
        ("honest", "1", "r", "dsc", 0.9, "ok", 9.0),
        ("honest", "2", "r", "dsc", 0.5, "ok", 9.0),
        ("choosy", "1", "r", "dsc", 0.8, "ok", 9.0),
        ("choosy", "2", "r", "dsc", np.nan, "missing", 9.0),
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    assert rank(assessment(use), table)["rankings"][0]["winners"] == ["choosy"]
    assert rank(assessment(), table)["rankings"][0]["winners"] == ["honest"]


def test_an_algorithm_without_any_value_is_ranked_last_and_never_vanishes():
    use = {"id": "dsc", "policy": {"missing": "exclude", "allow_gaming": True}}
    rows = [("a", str(case), "r", "dsc", 0.5, "ok", 9.0) for case in range(4)]
    rows += [("b", str(case), "r", "dsc", np.nan, "missing", 9.0) for case in range(4)]
    entry = rank(assessment(use), pd.DataFrame(rows, columns=COLUMNS), bootstrap=20)["rankings"][0]
    last = entry["algorithms"][-1]
    assert (last["name"], last["rank"], last["score"], last["rank_interval"]) == ("b", 2, None, [2, 2])


def test_an_algorithm_without_a_value_in_a_sample_is_last_in_that_sample():
    use = {"id": "dsc", "policy": {"missing": "exclude", "allow_gaming": True}}
    rows = [("a", str(case), "r", "dsc", 0.5, "ok", 9.0) for case in range(4)]
    rows += [("b", "0", "r", "dsc", 0.9, "ok", 9.0)]
    entry = rank(assessment(use), pd.DataFrame(rows, columns=COLUMNS), bootstrap=2000)["rankings"][0]
    b = next(a for a in entry["algorithms"] if a["name"] == "b")
    never_drawn = (3 / 4) ** 4
    assert b["rank_frequencies"][1] / 2000 == pytest.approx(never_drawn, abs=0.04)


def test_a_metric_or_region_without_rows_is_named():
    rows = [("a", "1", "r", "dsc", 0.5, "ok", 9.0)]
    with pytest.raises(ResultsError, match="no rows of metric 'iou'"):
        tables(assessment({"id": "dsc"}, {"id": "iou"}), *rows)
    other = parse(
        {
            "problem": "semantic_segmentation",
            "regions": [{"name": "r", "labels": [1]}, {"name": "s", "labels": [2]}],
            "metrics": [{"id": "dsc"}],
        }
    )
    with pytest.raises(ResultsError, match="in region 's'"):
        tables(other, *rows)


@pytest.mark.parametrize(
    ("cases", "words"),
    [
        (None, "give a case table"),
        (pd.DataFrame({"case": ["1"], "site": ["x"]}), "no 'site' for case '2'"),
        (pd.DataFrame({"case": ["1", "1"], "site": ["x", "y"]}), "lists a case twice"),
        (pd.DataFrame({"case": ["1", "2"], "scanner": ["x", "y"]}), "needs the case column 'site'"),
    ],
)
def test_a_case_column_that_is_needed_has_to_be_there_for_every_case(cases, words):
    rows = [(a, c, "r", "dsc", 0.5, "ok", 9.0) for a in "ab" for c in "12"]
    found = assessment(uncertainty={"resample": ["site"]})
    with pytest.raises(ResultsError, match=words):
        rank(found, pd.DataFrame(rows, columns=COLUMNS), cases=cases)


def test_rows_with_and_without_a_case_of_one_metric_are_refused():
    with pytest.raises(ResultsError, match="one row a case"):
        tables(assessment({"id": "dsc"}), ("a", "1", "r", "dsc", 0.5, "ok", 1.0), ("a", "", "r", "dsc", 0.5, "ok", 1.0))


def test_a_metric_with_one_value_over_everything_has_one_table_though_others_are_measured_by_region():
    rows = [("a", "1", "", "dsc", 0.5, "ok", 1.0), ("a", "1", "r", "iou", 0.25, "ok", 1.0)]
    found = tables(assessment({"id": "dsc"}, {"id": "iou"}), *rows)
    assert [(table.metric.name, table.region, column(table)) for table in found] == [
        ("dsc", None, [0.5]),
        ("iou", "r", [0.25]),
    ]


def test_what_has_no_policy_is_counted_and_its_first_case_named():
    document = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher"}],
        "ranking": {"scheme": "aggregate_then_rank"},
    }
    rows = pd.DataFrame([("a", "1", 0.5), ("a", "2", 0.6), ("a", "3", 0.7), ("b", "1", 0.4)])
    rows.columns = ["algorithm", "case", "value"]
    message = r"2 values of metric 'value' are missing \(first: case '2', algorithm 'b'\); set policy.missing"
    with pytest.raises(ResultsError, match=message):
        build_tables(parse(document), check_results(rows))


def test_values_of_cases_stand_at_their_case_beside_values_of_the_whole_data_set():
    found = parse(
        {
            "problem": "object_detection",
            "regions": [{"name": "r", "labels": ["r"]}],
            "metrics": [
                {"id": "average_precision", "options": {"localization_criterion": "loc_box_iou"}},
                {"id": "sensitivity", "options": {"scale": "image"}},
            ],
        }
    )
    whole, of_case = (use.name for use in found.metrics)
    rows = [("a", "", "r", whole, 0.9, "ok", np.nan)]
    rows += [("a", case, "r", of_case, value, "ok", np.nan) for case, value in (("1", 0.1), ("2", 0.2), ("3", 0.3))]
    first, second = tables(found, *rows)
    assert (first.cases, column(first)) == (("",), [0.9])
    assert (second.cases, column(second)) == (("1", "2", "3"), [0.1, 0.2, 0.3])
