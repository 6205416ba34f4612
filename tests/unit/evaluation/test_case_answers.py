"""Answers for a case, line by line: they match the tables, and without the reference they reveal nothing of it."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from evaluation import problems
from evaluation.assessment import parse
from evaluation.problems.tables import TableProblem

TABLES = [
    problem.id
    for problem in problems.scored_problems()
    if problem.answer_view is not None and isinstance(problem, TableProblem)
]


def rows(path: Path) -> dict[str, list[dict[str, str]]]:
    """The rows of each case of a table."""
    found: dict[str, list[dict[str, str]]] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["case"], []).append(row)
    return found


@pytest.fixture
def told(tmp_path):
    """Return a function for the lines about the first example case of a kind, with the rows of its tables."""

    def tell(name, answered=True):
        problem = problems.get(name)
        assessment = parse(problem.samples.write_challenge(tmp_path, cases=12))
        references = problem.open_references(assessment, tmp_path / "references")
        opened = problem.open_predictions(assessment, tmp_path / "predictions/near", references)
        case = references.cases[0]
        answer = problem.answer_view.numbers_of(opened.predictions[case], references.shared) if answered else None
        reference = problem.prepare(references.table, case, references.shared)
        lines = problem.answer_view.lines(assessment, references.shared, answer, reference)
        [known] = [
            path for path in (tmp_path / "references").glob("*.csv") if path.name not in ("cases.csv", "censoring.csv")
        ]
        [given] = (tmp_path / "predictions/near").glob("*.csv")
        return lines, rows(given)[case], rows(known)[case]

    return tell


@pytest.mark.parametrize("name", TABLES)
def test_every_kind_with_a_table_tells_what_was_answered_and_what_is_right(told, name):
    lines, given, _ = told(name)
    assert lines.lines
    assert all(line.what and line.prediction for line in lines.lines)
    assert any(line.reference for line in lines.lines)
    said = " ".join(line.prediction for line in lines.lines)
    if problems.get(name).metrics.rates_objects:
        assert sum(float(line.prediction) for line in lines.lines) == len(given)
        return
    cells = [cell for row in given for column, cell in row.items() if column != "case"]
    numbers = [f"{float(cell):.4g}" for cell in cells if _is_number(cell)]
    assert any(words in said for words in [*numbers, *cells])


@pytest.mark.parametrize("name", TABLES)
def test_without_the_reference_nothing_of_it_is_told(told, name):
    lines, _, _ = told(name)
    secret = lines.document(with_reference=True)
    bare = lines.document(with_reference=False)
    assert secret["has_reference"]
    assert not bare["has_reference"]
    assert [line.what for line in bare["lines"]] == [line.what for line in lines.lines]
    assert all((line.reference, line.difference) == ("", "") for line in bare["lines"])
    json.dumps(bare)


@pytest.mark.parametrize("name", TABLES)
def test_a_case_without_an_answer_has_a_dash(told, name):
    lines, _, _ = told(name, answered=False)
    assert {line.prediction for line in lines.lines} == {"–"}


def test_landmarks_lie_as_far_apart_as_the_tables_say(told):
    lines, given, known = told("landmarks")
    places = {row["landmark"]: np.array([float(row[axis]) for axis in "xyz" if row.get(axis)]) for row in given}
    for row in known:
        line = next(line for line in lines.lines if line.what == row["landmark"])
        there = np.array([float(row[axis]) for axis in "xyz" if row.get(axis)])
        assert line.difference == f"{np.linalg.norm(places[row['landmark']] - there):.4g} mm"


def test_a_class_is_named_as_the_tables_name_it(told):
    lines, _, known = told("image_classification")
    assert lines.lines[0].what == "decided for"
    assert lines.lines[0].reference == known[0]["label"]


def test_numbers_of_a_target_are_subtracted(told):
    lines, given, known = told("regression")
    columns = [column for column in known[0] if column != "case"]
    for line, column in zip(lines.lines, columns, strict=True):
        difference = float(given[0][column]) - float(known[0][column])
        assert line.difference.startswith(f"{difference:.4g}")


def test_of_very_many_lines_the_first_are_shown_and_the_others_counted():
    from evaluation.problems.case_answers import LINES, CaseAnswer, CaseAnswers

    told = CaseAnswers.of("Label", [CaseAnswer(str(number), "yes") for number in range(LINES + 5)])
    assert (len(told.lines), told.more) == (LINES, 5)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
