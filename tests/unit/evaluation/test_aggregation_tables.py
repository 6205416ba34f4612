"""Tables that results become, their order, and the counted value of a missing result in each of their cases."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evaluation.aggregation import ResultsError, build_tables, check_results
from evaluation.aggregation.tables import depends_on_case
from evaluation.assessment import parse


def segmentation(*metrics, regions=("r",)):
    return parse(
        {
            "problem": "semantic_segmentation",
            "regions": [{"name": name, "labels": [label]} for label, name in enumerate(regions, start=1)],
            "metrics": list(metrics) or [{"id": "dsc"}],
        }
    )


def regression(*metrics):
    return parse({"problem": "regression", "metrics": [{"id": name} for name in metrics]})


def tables(found, rows, columns, **choice):
    return build_tables(found, check_results(pd.DataFrame(rows, columns=columns.split())), **choice)


VALUES = "algorithm case region metric value"
OUTCOMES = "algorithm case region metric value outcome"
DIAGONALS = "algorithm case region metric value outcome image_diagonal"
WORST = "algorithm case metric value outcome flag worst"


class TestPenalties:
    """Value per case of each policy name or number."""

    @pytest.mark.parametrize(
        ("value", "of_cases"),
        [("worst", [0.0, 0.0]), ("perfect", [1.0, 1.0]), (0.25, [0.25, 0.25]), ("exclude", [np.nan, np.nan])],
    )
    def test_a_number_or_an_end_of_the_range_is_the_same_in_every_case(self, value, of_cases):
        table = tables(segmentation(), [("a", case, "r", "dsc", 0.5) for case in "12"], VALUES)[0]
        np.testing.assert_array_equal(table.penalties(value), of_cases)
        assert not depends_on_case(value, table.metric)

    def test_the_image_diagonal_is_that_of_each_case_and_unknown_where_no_row_gives_it(self):
        rows = [("a", "1", "r", "assd", 0.5, "ok", 30.0), ("a", "2", "r", "assd", 0.5, "ok", None)]
        table = tables(segmentation({"id": "assd"}), rows, DIAGONALS)[0]
        np.testing.assert_array_equal(table.penalties("image_diagonal"), [30.0, np.nan])
        assert depends_on_case("image_diagonal", table.metric)

    def test_the_worst_of_a_metric_without_a_worst_end_is_that_of_each_case(self):
        rows = [("a", "1", "absolute_error", 1.0, "ok", "", 7.0), ("a", "2", "absolute_error", 2.0, "ok", "", 9.0)]
        table = tables(regression("absolute_error"), rows, WORST)[0]
        np.testing.assert_array_equal(table.penalties("worst"), [7.0, 9.0])
        np.testing.assert_array_equal(table.penalties("perfect"), [0.0, 0.0])
        assert depends_on_case("worst", table.metric)


class TestWorst:
    def test_of_several_rows_of_a_case_the_worst_counts_in_the_direction_of_the_metric(self):
        rows = [
            (name, "", metric, 0.5, "ok", "", worst)
            for metric, given in (("rmse", (5.0, 7.0, None)), ("r2", (-2.0, -3.0, None)))
            for name, worst in zip("abc", given, strict=True)
        ]
        rows += [("d", "", metric, None, "missing", "", None) for metric in ("rmse", "r2")]
        lower, higher = tables(regression("rmse", "r2"), rows, WORST)
        np.testing.assert_array_equal(lower.values, [[0.5, 0.5, 0.5, 7.0]])
        np.testing.assert_array_equal(higher.values, [[0.5, 0.5, 0.5, -3.0]])

    def test_every_case_has_its_own(self):
        rows = [("a", case, "absolute_error", 1.0, "ok", "", 10.0 * int(case)) for case in "123"]
        rows += [("b", case, "absolute_error", None, "missing", "", None) for case in "123"]
        table = tables(regression("absolute_error"), rows, WORST)[0]
        np.testing.assert_array_equal(table.values, [[1.0, 10.0], [1.0, 20.0], [1.0, 30.0]])

    def test_the_first_case_that_needs_one_and_has_none_is_named(self):
        rows = [("a", case, "absolute_error", 1.0, "ok", "", 9.0 if case == "1" else None) for case in "123"]
        rows += [("b", case, "absolute_error", None, "missing", "", None) for case in "123"]
        message = "no worst value of its own; no row of case '2' gives it in the column worst$"
        with pytest.raises(ResultsError, match=message):
            tables(regression("absolute_error"), rows, WORST)

    def test_of_the_whole_data_set_no_case_is_named(self):
        rows = [("a", "", "rmse", 1.0, "ok", "", None), ("b", "", "rmse", None, "missing", "", None)]
        with pytest.raises(ResultsError, match=r"no worst value of its own; no row gives it in the column worst$"):
            tables(regression("rmse"), rows, WORST)

    def test_a_case_that_the_reference_leaves_undefined_for_one_needs_none(self):
        rows = [
            ("a", "1", "absolute_error", 1.0, "ok", "", 9.0),
            ("a", "2", "absolute_error", None, "degenerate", "reference", None),
            ("b", "1", "absolute_error", None, "missing", "", None),
        ]
        table = tables(regression("absolute_error"), rows, WORST)[0]
        np.testing.assert_array_equal(table.values, [[1.0, 9.0], [np.nan, np.nan]])


class TestDiagonals:
    def test_the_first_case_without_one_is_named(self):
        rows = [("a", case, "r", "assd", None, "missing", 9.0 if case == "1" else None) for case in "123"]
        message = "metric 'assd' counts a missing value as the image diagonal, but no row of case '2' gives image_diag"
        with pytest.raises(ResultsError, match=message):
            tables(segmentation({"id": "assd"}), rows, DIAGONALS)

    def test_the_longest_counts_where_rows_differ_and_the_metric_of_the_row_does_not_matter(self):
        rows = [
            ("a", "1", "r", "dsc", 0.5, "ok", 40.0),
            ("a", "1", "r", "assd", None, "missing", 30.0),
            ("b", "1", "r", "assd", 1.0, "ok", None),
        ]
        result = segmentation({"id": "dsc"}, {"id": "assd"})
        distances = tables(result, [*rows, ("b", "1", "r", "dsc", 0.5, "ok", None)], DIAGONALS)[1]
        np.testing.assert_array_equal(distances.values, [[40.0, 1.0]])

    def test_values_of_the_whole_data_set_beside_those_of_cases_leave_diagonals_at_their_cases(self):
        rule = parse(
            {
                "problem": "object_detection",
                "metrics": [
                    {"id": "fppi", "policy": {"missing": 9}},
                    {"id": "sensitivity", "options": {"scale": "image"}},
                ],
            }
        )
        whole, of_case = (use.name for use in rule.metrics)
        rows = [("a", "", "", whole, 1.0, "ok", 99.0), ("a", "1", "", of_case, 0.5, "ok", 10.0)]
        rows += [("a", "2", "", of_case, 0.5, "ok", 20.0)]
        first, second = tables(rule, rows, DIAGONALS)
        np.testing.assert_array_equal(first.diagonals, [np.nan])
        np.testing.assert_array_equal(second.diagonals, [10.0, 20.0])


class TestPolicies:
    def test_a_value_that_is_infinitely_good_does_not_hide_another_of_the_same_outcome(self):
        rule = parse({"problem": "image_classification", "metrics": [{"id": "lr_plus", "policy": {"degenerate": 3}}]})
        rows = [
            (name, "", "x", "lr_plus", None, "degenerate", flag)
            for name, flag in (("a", "unbounded"), ("b", ""), ("c", "reference"))
        ]
        table = tables(rule, rows, "algorithm case region metric value outcome flag")[0]
        np.testing.assert_array_equal(table.values, [[np.inf, 3.0, np.nan]])

    def test_the_first_of_several_submissions_without_an_input_is_named(self):
        rows = [(name, case, "r", "dsc", None, "not_applicable") for name in "bca" for case in "12"]
        with pytest.raises(ResultsError, match="the submission of 'a' lacks an input that metric 'dsc' needs"):
            tables(segmentation(), rows, OUTCOMES)

    def test_one_value_among_those_without_an_input_is_enough_to_rank(self):
        use = {"id": "dsc", "policy": {"missing": 0.125}}
        rows = [(name, case, "r", "dsc", None, "not_applicable") for name in "ab" for case in "12"]
        rows[3] = ("b", "2", "r", "dsc", 0.5, "ok")
        table = tables(segmentation(use), rows, OUTCOMES)[0]
        np.testing.assert_array_equal(table.values, [[0.125, 0.125], [0.125, 0.5]])
        assert [dict(counter) for counter in table.outcomes] == [{"not_applicable": 2}, {"not_applicable": 1, "ok": 1}]

    def test_the_last_rank_of_several_outcomes_is_marked_at_each(self):
        use = {"id": "dsc", "policy": {"missing": "worst_rank", "pred_empty": "worst_rank", "ref_empty": 0.25}}
        rule = parse(
            {
                "problem": "semantic_segmentation",
                "regions": [{"name": "r", "labels": [1]}],
                "metrics": [use],
                "ranking": {"scheme": "rank_then_aggregate"},
            }
        )
        rows = [("a", "1", "r", "dsc", None, "pred_empty"), ("a", "2", "r", "dsc", None, "ref_empty")]
        table = tables(rule, [*rows, ("b", "1", "r", "dsc", 0.5, "ok")], OUTCOMES)[0]
        assert table.last_rank.tolist() == [[True, False], [False, True]]
        np.testing.assert_array_equal(table.values, [[np.nan, 0.5], [0.25, np.nan]])

    def test_the_outcome_that_is_first_by_name_is_the_one_that_is_told(self):
        rule = parse(
            {
                "problem": "table",
                "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}],
                "ranking": {"scheme": "aggregate_then_rank"},
            }
        )
        rows = [("a", "1", 0.5, "ok"), ("a", "2", None, "pred_empty"), ("b", "1", None, "pred_empty")]
        message = r"2 values of metric 'value' are pred_empty \(first: case '1', algorithm 'b'\); set policy.pred_empty"
        with pytest.raises(ResultsError, match=message):
            tables(rule, rows, "algorithm case value outcome")


class TestRegions:
    """Regions for which a metric has tables, and their order."""

    CLASSES = "algorithm case region metric value"

    @staticmethod
    def classification(*names):
        return parse(
            {
                "problem": "image_classification",
                "regions": [{"name": name, "labels": [name]} for name in names],
                "metrics": [{"id": "fbeta", "options": {"beta": 1}}, {"id": "accuracy"}],
            }
        )

    def regions_of(self, found, measured, **choice):
        f_beta, accuracy = (use.name for use in found.metrics)
        rows = [("a", "", name, f_beta, 0.5) for name in measured] + [("a", "", "", accuracy, 0.5)]
        return [(table.metric.name, table.region) for table in tables(found, rows, self.CLASSES, **choice)]

    def test_of_the_whole_data_set_those_of_the_document_come_first_in_its_order_and_then_others_by_name(self):
        result = self.classification("z", "y", "x")
        f_beta, accuracy = (use.name for use in result.metrics)
        assert self.regions_of(result, ["b", "x", "a", "z"]) == [
            (f_beta, "z"),
            (f_beta, "x"),
            (f_beta, "a"),
            (f_beta, "b"),
            (accuracy, None),
        ]

    def test_a_choice_of_regions_keeps_what_is_measured_over_everything(self):
        result = self.classification("z", "y")
        f_beta, accuracy = (use.name for use in result.metrics)
        assert self.regions_of(result, ["y", "z"], regions=["y"]) == [(f_beta, "y"), (accuracy, None)]
        assert self.regions_of(result, ["y", "z"], regions=[]) == [(accuracy, None)]

    def test_of_cases_those_of_the_document_are_asked_for_in_its_order_and_no_others(self):
        rows = [("a", "1", name, "dsc", 0.5) for name in "tsr"]
        built = tables(segmentation(regions=("s", "r")), rows, VALUES)
        assert [table.region for table in built] == ["s", "r"]

    def test_where_a_document_names_none_they_come_by_name(self):
        rule = parse({"problem": "object_detection", "metrics": [{"id": "sensitivity", "options": {"scale": "image"}}]})
        rows = [("a", "1", name, rule.metrics[0].name, 0.5) for name in "sr"]
        assert [table.region for table in tables(rule, rows, VALUES)] == ["r", "s"]

    def test_one_that_is_not_asked_for_may_lack(self):
        result = segmentation(regions=("s", "r"))
        rows = [("a", "1", "r", "dsc", 0.5)]
        assert [table.region for table in tables(result, rows, VALUES, regions=["r"])] == ["r"]
        with pytest.raises(ResultsError, match=r"^the results have no rows of metric 'dsc' in region 's'$"):
            tables(result, rows, VALUES)

    def test_rows_of_a_case_of_a_metric_of_the_whole_data_set_are_refused(self):
        with pytest.raises(
            ResultsError, match="metric 'r2' gives one row without a case for each algorithm and region"
        ):
            tables(regression("r2"), [("a", "1", "r2", 0.5)], "algorithm case metric value")

    def test_one_row_without_a_case_among_those_of_cases_is_refused_in_whichever_region(self):
        rows = [("a", case, name, "dsc", 0.5) for name in "rs" for case in "12"] + [("b", "", "s", "dsc", 0.5)]
        with pytest.raises(ResultsError, match="metric 'dsc' gives one row a case for each algorithm and region"):
            tables(segmentation(regions=("r", "s")), rows, VALUES)


class TestOneMetric:
    """A table of external values has one metric, regardless of its columns."""

    FOUND = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "lower", "policy": {"missing": 0}}],
        "ranking": {"scheme": "aggregate_then_rank"},
    }

    def test_names_of_metrics_and_regions_are_not_read(self):
        rows = [("a", "1", "r", "x", 0.5), ("a", "2", "s", "y", 0.25), ("b", "2", "", "", 0.75)]
        (table,) = tables(parse(self.FOUND), rows, VALUES)
        assert (table.metric.name, table.region, table.task) == ("value", None, None)
        np.testing.assert_array_equal(table.values, [[0.5, 0.0], [0.25, 0.75]])
        assert table.inserted == (("1", "b"),)

    def test_two_rows_that_differ_in_the_name_of_the_metric_alone_stand_twice(self):
        with pytest.raises(ResultsError, match="several rows for the same case"):
            tables(parse(self.FOUND), [("a", "1", "r", "x", 0.5), ("a", "1", "r", "y", 0.25)], VALUES)


class TestTasks:
    ROWS = (("T", "a", "1", 0.5), ("U", "b", "2", 0.25), ("", "c", "3", 0.75), ("U", "a", "2", 1.0))

    def test_every_task_has_the_algorithms_and_cases_of_its_own_rows_alone(self):
        rows = [(task, name, case, "r", "dsc", value) for task, name, case, value in self.ROWS]
        built = tables(segmentation(), rows, "task algorithm case region metric value")
        assert [(table.task, table.algorithms, table.cases) for table in built] == [
            (None, ("c",), ("3",)),
            ("T", ("a",), ("1",)),
            ("U", ("a", "b"), ("2",)),
        ]
        for table, wanted in zip(built, ([[0.75]], [[0.5]], [[1.0, 0.25]]), strict=True):
            np.testing.assert_array_equal(table.values, wanted)

    def test_the_task_that_lacks_a_region_is_named(self):
        columns = "task algorithm case region metric value"
        rows = [("T", "a", "1", "r", "dsc", 0.5), ("T", "a", "1", "s", "dsc", 0.5), ("U", "a", "1", "r", "dsc", 0.5)]
        with pytest.raises(ResultsError, match="the results of task U have no rows of metric 'dsc' in region 's'"):
            tables(segmentation(regions=("r", "s")), rows, columns)
