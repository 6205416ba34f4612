"""A results table in the form of the contract, or one message that states the wrong row and the reason."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evaluation.aggregation import ResultsError, build_tables, check_results
from evaluation.aggregation.columns import codes_of, metadata_column, present
from evaluation.aggregation.tables import Coded
from evaluation.assessment import parse
from evaluation.assessment.policy_values import constant
from evaluation.outcomes import Outcome


def dsc(*regions: str, **more):
    return parse(
        {
            "problem": "semantic_segmentation",
            "regions": [{"name": name, "labels": [index + 1]} for index, name in enumerate(regions or ("r",))],
            "metrics": [{"id": "dsc"}],
            **more,
        }
    )


def results(*rows, columns=("algorithm", "case", "region", "metric", "value")):
    return pd.DataFrame(list(rows), columns=list(columns))


class TestColumns:
    @pytest.mark.parametrize("column", ["algorithm", "case", "value"])
    def test_a_column_that_is_needed_is_named_with_those_that_are_there(self, column):
        table = results(("a", "1", "r", "dsc", 0.5)).drop(columns=column)
        with pytest.raises(ResultsError, match=f"no column '{column}'; they have "):
            check_results(table)

    def test_no_rows(self):
        with pytest.raises(ResultsError, match="no rows"):
            check_results(results())

    def test_a_row_without_an_algorithm(self):
        with pytest.raises(ResultsError, match="some rows name no algorithm"):
            check_results(results(("a", "1", "r", "dsc", 0.5), (None, "2", "r", "dsc", 0.5)))

    def test_without_a_column_of_outcomes_no_value_is_missing(self):
        checked = check_results(results(("a", "1", "r", "dsc", 0.5), ("a", "2", "r", "dsc", None)))
        assert checked["outcome"].tolist() == ["ok", "missing"]
        assert checked["value"].tolist() == pytest.approx([0.5, np.nan], nan_ok=True)
        assert checked["task"].tolist() == ["", ""]
        assert checked["image_diagonal"].isna().all()

    def test_an_unknown_outcome_is_named(self):
        with pytest.raises(ResultsError, match="unknown outcome 'lost'; known are ok, both_empty"):
            check_results(results(("a", "1", 0.5, "lost"), columns=("algorithm", "case", "value", "outcome")))

    def test_of_several_unknown_outcomes_the_first_by_name_is_told(self):
        rows = [("a", "1", 0.5, "okay"), ("a", "2", 0.5, "gone"), ("a", "3", 0.5, "lost"), ("a", "4", 0.5, "ok")]
        with pytest.raises(ResultsError, match="unknown outcome 'gone'; known are"):
            check_results(results(*rows, columns=("algorithm", "case", "value", "outcome")))

    def test_every_outcome_is_known_and_keeps_its_row(self):
        outcomes = [outcome.value for outcome in Outcome]
        rows = [("a", str(case), 0.5, outcome) for case, outcome in enumerate(outcomes)]
        checked = check_results(results(*rows, columns=("algorithm", "case", "value", "outcome")))
        assert checked["outcome"].tolist() == outcomes
        assert checked["value"].notna().tolist() == [outcome == "ok" for outcome in outcomes]

    def test_a_row_that_is_ok_without_a_value_is_told_by_what_it_names(self):
        columns = ("algorithm", "case", "region", "metric", "value", "outcome")
        whole = results(("b", "7", "r", "dsc", None, "ok"), columns=columns)
        with pytest.raises(ResultsError, match=r"first: algorithm 'b', case '7', region 'r', metric 'dsc'$"):
            check_results(whole)
        with pytest.raises(ResultsError, match=r"^1 rows have .*, first: algorithm 'b', metric 'dsc'$"):
            check_results(whole.assign(case="", region=""))

    def test_ok_without_a_value_names_the_first_row(self):
        rows = [("a", "1", 0.5, "ok"), ("b", "7", None, "ok"), ("c", "8", None, "ok")]
        with pytest.raises(
            ResultsError, match="2 rows have the outcome ok but no value, first: algorithm 'b', case '7'"
        ):
            check_results(results(*rows, columns=("algorithm", "case", "value", "outcome")))

    def test_a_value_beside_another_outcome_than_ok_is_dropped(self):
        rows = [("a", "1", 0.5, "missing"), ("a", "2", 0.25, "ok")]
        checked = check_results(results(*rows, columns=("algorithm", "case", "value", "outcome")))
        assert checked["value"].tolist() == pytest.approx([np.nan, 0.25], nan_ok=True)

    def test_whole_numbers_as_names_stay_whole_where_one_is_absent(self):
        checked = check_results(results(("a", 7.0, "r", "dsc", 0.5), ("a", np.nan, "r", "dsc", 0.5)))
        assert checked["case"].tolist() == ["7", ""]
        fractions = check_results(results(("a", 7.5, "r", "dsc", 0.5), ("a", 8.0, "r", "dsc", 0.5)))
        assert fractions["case"].tolist() == ["7.5", "8.0"]

    @pytest.mark.parametrize(
        ("value", "words"), [("high", "row 2: 'high' is not a number"), ("inf", "row 2: infinite")]
    )
    def test_a_value_that_is_no_number_is_named_with_its_row(self, value, words):
        with pytest.raises(ResultsError, match=f"column 'value', {words}"):
            check_results(results(("a", "1", "r", "dsc", "0.5"), ("a", "2", "r", "dsc", value)))

    @pytest.mark.parametrize(("column", "row"), [("value", 2), ("image_diagonal", 3), ("worst", 1)])
    def test_of_several_cells_that_are_no_number_the_first_is_named(self, column, row):
        cells = ["0.5"] * 5
        cells[row - 1], cells[3], cells[4] = "first", "second", "0.75"
        table = results(*[("a", str(case), "r", "dsc", "0.5") for case in range(5)]).assign(**{column: cells})
        with pytest.raises(ResultsError, match=f"^column '{column}', row {row}: 'first' is not a number$"):
            check_results(table)

    @pytest.mark.parametrize("column", ["value", "image_diagonal", "worst"])
    def test_of_several_infinite_numbers_the_first_is_named(self, column):
        table = results(*[("a", str(case), "r", "dsc", 0.5) for case in range(4)])
        with pytest.raises(ResultsError, match=f"^column '{column}', row 2: infinite values are not ranked"):
            check_results(table.assign(**{column: [0.5, np.inf, 0.5, -np.inf]}))

    def test_what_lies_beside_the_values_is_kept_as_numbers(self):
        table = results(*[("a", case, "r", "dsc", 0.5) for case in "12"])
        checked = check_results(table.assign(image_diagonal=["30", ""], worst=[None, 7], flag=[None, "reference"]))
        assert checked["image_diagonal"].tolist() == pytest.approx([30.0, np.nan], nan_ok=True)
        assert checked["worst"].tolist() == pytest.approx([np.nan, 7.0], nan_ok=True)
        assert checked["flag"].tolist() == ["", "reference"]
        assert check_results(table)["worst"].isna().all()
        assert check_results(table)["flag"].tolist() == ["", ""]

    def test_whole_numbers_as_values_are_numbers(self):
        checked = check_results(results(("a", 1, "r", "dsc", 3), ("a", 2, "r", "dsc", -4)))
        assert checked["value"].tolist() == [3.0, -4.0]
        assert checked["case"].tolist() == ["1", "2"]

    def test_infinity_as_a_number_is_named_with_its_row(self):
        with pytest.raises(ResultsError, match="column 'value', row 2: infinite values"):
            check_results(results(("a", "1", "r", "dsc", 0.5), ("a", "2", "r", "dsc", -np.inf)))

    @pytest.mark.parametrize("blank", ["", " ", "NA", "NaN", "nan", None])
    def test_blank_cells_are_absent_values(self, blank):
        checked = check_results(results(("a", "1", "r", "dsc", "0.5"), ("a", "2", "r", "dsc", blank)))
        assert checked["value"].tolist() == pytest.approx([0.5, np.nan], nan_ok=True)

    def test_categories_that_no_row_has_are_forgotten(self):
        column = pd.Series(pd.Categorical(["c", "a", None], categories=["a", "b", "c", "d"]))
        table = results(("x", "1", "r", "dsc", 0.1), ("x", "2", "r", "dsc", 0.2), ("x", "3", "r", "dsc", 0.3))
        checked = check_results(table.assign(region=column))
        assert checked["region"].tolist() == ["c", "a", ""]
        assert list(checked["region"].cat.categories) == ["", "a", "c"]

    def test_numbers_and_names_ascend(self):
        codes, names = codes_of(pd.Series(["b", "a", "b"]))
        assert (codes.tolist(), names) == ([1, 0, 1], ("a", "b"))
        rare = pd.Series(pd.Categorical.from_codes([2, 0], categories=["a", "b", "c"]))
        codes, names = present(rare)
        assert (codes.tolist(), names) == ([1, 0], ("a", "c"))

    def test_names_ascend_as_text_whatever_they_were(self):
        """This also applies to numbers as categories: 10 comes before 9, and the absent name before both."""
        column = pd.Series(pd.Categorical([9, 10, None, 9]))
        checked = check_results(results(*[("x", case, "r", "dsc", 0.5) for case in "1234"]).assign(region=column))
        codes, names = codes_of(checked["region"])
        assert (codes.tolist(), names) == ([2, 1, 0, 2], ("", "10", "9"))

    def test_an_empty_text_and_nothing_are_the_same_name(self):
        checked = check_results(results(*[("x", "1", name, "dsc", 0.5) for name in ("", None, "r")]))
        codes, names = codes_of(checked["region"])
        assert (codes.tolist(), names) == ([0, 0, 1], ("", "r"))

    def test_where_every_category_stands_in_a_row_numbers_stay_as_they_are(self):
        codes, names = present(pd.Series(pd.Categorical(["b", "a", "c", "b"])))
        assert (codes.tolist(), names) == ([1, 0, 2, 1], ("a", "b", "c"))


class TestMetadata:
    def test_values_stand_in_the_order_of_the_wanted_cases(self):
        cases = pd.DataFrame({"case": [2, 1], "site": ["y", "x"]})
        assert metadata_column(cases, ["1", "2", "1"], "site").tolist() == ["x", "y", "x"]

    def test_the_first_wanted_case_without_a_value_is_named(self):
        cases = pd.DataFrame({"case": ["1", "2", "3"], "site": ["x", None, ""]})
        with pytest.raises(ResultsError, match="the case table gives no 'site' for case '3'"):
            metadata_column(cases, ["1", "3", "2"], "site")
        assert metadata_column(cases, ["1"], "site").tolist() == ["x"]

    def test_whole_numbers_of_a_column_with_gaps_are_told_as_such(self):
        cases = pd.DataFrame({"case": [1.0, 2.0, np.nan], "age": [63.0, np.nan, 5.5]})
        assert metadata_column(cases, ["1"], "age").tolist() == ["63.0"]
        assert metadata_column(cases.assign(age=[63.0, np.nan, 5.0]), ["1"], "age").tolist() == ["63"]

    def test_a_table_without_a_column_of_cases_is_none(self):
        with pytest.raises(ResultsError, match="needs the case column 'site'"):
            metadata_column(pd.DataFrame({"site": ["x"]}), ["1"], "site")


class TestTables:
    def test_two_rows_of_the_same_value_are_refused_and_named(self):
        rows = [("a", "1", "r", "dsc", 0.5)] * 2 + [("a", str(case), "r", "dsc", 0.5) for case in range(2, 9)]
        with pytest.raises(ResultsError, match=r"several rows .*; cases: 1$"):
            build_tables(dsc(), check_results(results(*rows)))

    @pytest.mark.parametrize(("doubled", "cases"), [(5, "0, 1, 2, 3, 4"), (6, "0, 1, 2, 3, 4, …")])
    def test_many_doubles_suggest_a_forgotten_task_column(self, doubled, cases):
        rows = [("a", str(case), "r", "dsc", 0.5) for case in (*range(8), *range(doubled))]
        with pytest.raises(
            ResultsError, match=f"cases: {cases}; so many suggest that a column which tells tasks apart"
        ):
            build_tables(dsc(), check_results(results(*rows)))

    @pytest.mark.parametrize(("cases", "hint"), [(5, True), (6, False)])
    def test_a_fifth_of_the_cases_is_many(self, cases, hint):
        rows = [("a", str(case), "r", "dsc", 0.5) for case in (*range(cases), 0)]
        with pytest.raises(ResultsError) as caught:
            build_tables(dsc(), check_results(results(*rows)))
        assert ("tells tasks apart" in str(caught.value)) == hint

    def test_tasks_and_regions_have_tables_of_their_own(self):
        columns = ("task", "algorithm", "case", "region", "metric", "value")
        rows = [(t, a, c, r, "dsc", 0.1 * ord(t) + ord(a) + ord(c) + ord(r)) for t in "TU" for a in "ab" for c in "12"
                for r in "rs"]  # fmt: skip
        tables = build_tables(dsc("r", "s"), check_results(results(*rows, columns=columns)))
        assert [(table.task, table.region) for table in tables] == [("T", "r"), ("T", "s"), ("U", "r"), ("U", "s")]
        for table in tables:
            wanted = [[0.1 * ord(table.task) + ord(a) + ord(c) + ord(table.region) for a in "ab"] for c in "12"]
            np.testing.assert_allclose(table.values, wanted)
            assert not table.per_dataset
        only = build_tables(dsc("r", "s"), check_results(results(*rows, columns=columns)), regions=["s"])
        assert [(table.task, table.region) for table in only] == [("T", "s"), ("U", "s")]
        assert build_tables(dsc("r", "s"), check_results(results(*rows, columns=columns)), metrics=["iou"]) == []

    def test_metrics_and_regions_keep_their_own_rows(self):
        rule = parse(
            {
                "problem": "semantic_segmentation",
                "regions": [{"name": "r", "labels": [1]}, {"name": "s", "labels": [2]}],
                "metrics": [{"id": "dsc"}, {"id": "iou"}, {"id": "cldice"}],
            }
        )
        names = ("dsc", "iou", "cldice")
        rows = [("a", "1", region, name, len(name) + ord(region)) for name in names for region in "rs"]
        tables = build_tables(rule, check_results(results(*rows)))
        assert [(table.metric.name, table.region) for table in tables] == [(n, r) for n in names for r in "rs"]
        for table in tables:
            np.testing.assert_array_equal(table.values, [[len(table.metric.name) + ord(table.region)]])

    def test_the_task_without_a_metric_is_named(self):
        columns = ("task", "algorithm", "case", "region", "metric", "value")
        rows = [("T", "a", "1", "r", "dsc", 0.5), ("U", "a", "1", "r", "iou", 0.5)]
        with pytest.raises(ResultsError, match="the results of task U have no rows of metric 'dsc'"):
            build_tables(dsc(), check_results(results(*rows, columns=columns)))

    def test_the_diagonal_of_a_case_comes_from_whichever_row_knows_it(self):
        columns = ("algorithm", "case", "region", "metric", "value", "image_diagonal")
        rows = [("a", "1", "r", "dsc", 0.5, None), ("b", "1", "r", "dsc", 0.5, 30.0), ("a", "2", "r", "dsc", 0.5, None)]
        table = build_tables(dsc(), check_results(results(*rows, columns=columns)))[0]
        assert table.diagonals.tolist() == pytest.approx([30.0, np.nan], nan_ok=True)
        assert table.inserted == (("2", "b"),)


class TestPolicy:
    def test_outcomes_are_counted_for_each_algorithm(self):
        coded = Coded(np.array([[0, 1], [2, 1], [0, 0]]), ("ok", "missing", "ref_empty"), np.zeros((3, 2), int), ("",))
        assert [dict(counter) for counter in coded.counters()] == [{"ok": 2, "ref_empty": 1}, {"ok": 1, "missing": 2}]
        assert coded.having("ref_empty").tolist() == [[False, False], [True, False], [False, False]]
        assert not coded.having("both_empty").any()
        assert coded.flagged("").all()

    def test_a_word_without_a_fixed_number_is_an_error(self):
        metric = dsc().metrics[0]
        assert [constant(value, metric) for value in ("worst", "perfect", 0.25)] == [0.0, 1.0, 0.25]
        assert np.isnan(constant("exclude", metric))
        with pytest.raises(ValueError, match="policy 'image_diagonal' of metric 'dsc' has no fixed number"):
            constant("image_diagonal", metric)

    def test_a_lower_metric_that_is_unbounded_is_the_best_downwards(self):
        rule = parse({"problem": "object_detection", "metrics": [{"id": "fppi", "policy": {"missing": 9}}]})
        columns = ("algorithm", "case", "region", "metric", "value", "outcome", "flag")
        rows = [("a", "", "", "fppi", 1.0, "ok", ""), ("b", "", "", "fppi", None, "degenerate", "unbounded")]
        table = build_tables(rule, check_results(results(*rows, columns=columns)))[0]
        np.testing.assert_array_equal(table.values, [[1.0, -np.inf]])
        assert table.per_dataset
        assert table.cases == ("",)
        assert np.isnan(table.diagonals).tolist() == [True]


class TestWorstOfACase:
    """Metrics without a worst end take it from the rows (column `worst`)."""

    @staticmethod
    def table_of(*rows):
        assessment = parse({"problem": "regression", "metrics": [{"id": "rmse"}]})
        columns = ("algorithm", "case", "metric", "value", "outcome", "flag", "worst")
        return build_tables(assessment, check_results(results(*rows, columns=columns)))[0]

    def test_whoever_is_missing_counts_as_the_worst_that_a_row_gives(self):
        table = self.table_of(
            ("a", None, "rmse", 1.0, "ok", None, 5.0), ("b", None, "rmse", None, "missing", None, None)
        )
        assert np.array_equal(table.values, [[1.0, 5.0]])

    def test_where_no_row_gives_one_the_metric_is_named(self):
        with pytest.raises(ResultsError, match="'rmse' counts a missing value as the worst one"):
            self.table_of(("a", None, "rmse", 1.0, "ok", None, None), ("b", None, "rmse", None, "missing", None, None))

    def test_where_the_reference_leaves_nobody_a_value_the_missing_have_none_either(self):
        table = self.table_of(
            ("a", None, "rmse", None, "degenerate", "reference", None),
            ("b", None, "rmse", None, "missing", None, None),
        )
        assert np.isnan(table.values).all()
