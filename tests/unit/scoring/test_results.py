"""The result of a run as rows, table, file and digest."""

import random

import pandas as pd
import pytest

from evaluation.aggregation.summary import summarize
from evaluation.assessment import parse
from evaluation.boards import case_lines
from executions.scoring.domain import results
from executions.scoring.domain.results import CaseRow
from submissions.models import Run
from submissions.queries.results import best

ASSESSMENT = parse(
    {
        "schema": 1,
        "problem": "semantic_segmentation",
        "regions": [{"name": "a", "labels": [1]}],
        "metrics": [{"id": "dsc"}, {"id": "assd"}],
        "aggregation": {"levels": ["case"], "operator": "mean"},
        "ranking": {"scheme": "aggregate_then_rank", "operator": "mean"},
    }
)
ROWS = [
    CaseRow("c1", "a", "dsc", 0.1 + 0.2, "ok", 10.0),
    CaseRow("c1", "a", "assd", 2.0, "ok", 10.0),
    CaseRow("c2", "a", "dsc", None, "missing", 10.0),
    CaseRow("c2", "a", "assd", None, "missing", 10.0),
    CaseRow("c3", "a", "dsc", 0.9, "ok", 10.0),
    CaseRow("c3", "a", "assd", 1.0, "ok", 10.0),
]


def test_the_digest_does_not_depend_on_the_order_of_rows():
    shuffled = random.Random(1).sample(ROWS, len(ROWS))
    assert results.digest(shuffled) == results.digest(ROWS)


@pytest.mark.parametrize("change", [{"value": 0.30000000000000010}, {"outcome": "degenerate"}, {"flag": "reference"}])
def test_the_digest_depends_on_every_value(change: dict):
    assert results.digest([ROWS[0]._replace(**change), *ROWS[1:]]) != results.digest(ROWS)


def test_a_stored_result_is_read_back_exactly(settings, tmp_path):
    private = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = {**settings.STORAGES, "private": private}
    results.store(ROWS, "results/one.parquet")
    table = results.read("results/one.parquet", algorithm="ada")
    assert list(table.columns) == list(results.COLUMNS)
    assert set(table["algorithm"]) == {"ada"}
    assert results.rows_of(table) == results.in_order(ROWS)


def test_the_csv_is_the_contracts_table():
    text = results.to_csv(results.frame(ROWS[:1] + ROWS[2:3], algorithm="ada"))
    assert text.splitlines() == [
        "algorithm,case,region,metric,value,outcome,image_diagonal",
        "ada,c1,a,dsc,0.30000000000000004,ok,10",
        "ada,c2,a,dsc,,missing,10",
    ]


def test_a_summary_counts_a_missing_case_as_the_assessment_says():
    summary = summarize(ASSESSMENT, results.frame(ROWS, algorithm="ada"))
    dice, distance = summary["values"]
    assert dice["value"] == pytest.approx((0.1 + 0.2 + 0 + 0.9) / 3)
    assert distance["value"] == pytest.approx((2 + 10 + 1) / 3)
    assert (summary["cases"], summary["missing_cases"]) == (3, 1)
    assert dice["outcomes"] == {"ok": 2, "missing": 1}


def test_many_correct_empty_answers_do_not_hide_the_other_cases():
    rows = [CaseRow(f"h{n}", "a", metric, None, "both_empty", 10.0) for n in range(8) for metric in ("dsc", "assd")]
    found = summarize(ASSESSMENT, results.frame([*ROWS, *rows], algorithm="ada"))["values"]
    assert found[0]["value"] == pytest.approx((0.1 + 0.2 + 0 + 0.9 + 8) / 11)
    assert found[0]["others"] == {"cases": 3, "value": pytest.approx((0.1 + 0.2 + 0 + 0.9) / 3)}
    assert found[1]["others"]["value"] == pytest.approx((2 + 10 + 1) / 3)
    lines = case_lines.summary_lines(ASSESSMENT, {"values": found})
    assert lines[0]["gaps"] == "8 both empty, 1 missing; 0.4000 over the 3 cases with something to find"
    assert "others" not in summarize(ASSESSMENT, results.frame(ROWS, algorithm="ada"))["values"][0]


def test_the_worst_cases_come_first():
    frame = results.frame(ROWS)
    lines = case_lines.lines(frame, case_lines.columns(ASSESSMENT, frame), {"c2": "there is no file"})
    assert [line.case for line in lines] == ["c2", "c1", "c3"]
    assert lines[0].note == "there is no file"
    assert [cell.text for cell in lines[0].cells] == ["missing", "missing"]
    assert [cell.text for cell in lines[2].cells] == ["0.900", "1.00"]


def test_columns_stand_in_the_order_of_the_assessment():
    columns = case_lines.columns(ASSESSMENT, results.frame(ROWS))
    assert [(column.title, column.unit, column.higher_is_better) for column in columns] == [
        ("DSC", "", True),
        ("ASSD", "mm", False),
    ]


def run_with(dice: float | None, distance: float | None) -> Run:
    return Run(summary={"values": [{"metric": "dsc", "value": dice}, {"metric": "assd", "value": distance}]})


def test_the_best_of_a_teams_runs_has_the_best_mean_rank_and_of_equals_the_last():
    higher = {"dsc": True, "assd": False}
    first, second, third = run_with(0.8, 2.0), run_with(0.9, 1.0), run_with(0.7, 3.0)
    assert best([first, second, third], higher) is second
    equal = run_with(0.9, 1.0)
    assert best([second, equal, first], higher) is equal
    assert best([run_with(None, None), third], higher) is third


def test_an_empty_table_is_a_header():
    table = pd.DataFrame(columns=list(results.COLUMNS))
    assert results.to_csv(table) == "algorithm,case,region,metric,value,outcome,image_diagonal\n"


def test_all_values_of_a_column_have_the_same_number_of_digits():
    values = {"dsc": (0.5, 0.123456, 1.0), "assd": (2.0, 10.52, 123.4567)}
    rows = [
        CaseRow(f"c{place}", "a", metric, value, "ok", 10.0)
        for metric, own in values.items()
        for place, value in enumerate(own)
    ]
    frame = results.frame(rows)
    lines = sorted(case_lines.lines(frame, case_lines.columns(ASSESSMENT, frame), {}), key=lambda line: line.case)
    assert [line.cells[0].text for line in lines] == ["0.500", "0.123", "1.000"]
    assert [line.cells[1].text for line in lines] == ["2.00", "10.52", "123.46"]
