"""The rows of single cases, judged on their own and made one table."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.problems import case_tables
from evaluation.problems.case_tables import CaseTable, case_table, join, read_case
from evaluation.problems.tables import ExpectedTable
from evaluation.readers import Limits, ReadError
from evaluation.readers.confidences import ConfidenceRules
from evaluation.readers.instance_tables import InstanceRules

BOXES = ExpectedTable("object_detection", ("objects.csv", "objects.json"), ("nodule", "mass"), ("froc",), ("boxes", 2))
COLUMNS = "class,score,x_min,y_min,x_max,y_max"
ROW = "nodule,0.5,1,1,4,4"


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_the_case_is_set_here_and_columns_may_stand_in_any_order(tmp_path: Path) -> None:
    a = written(tmp_path, "a.csv", "score,class\n0.5,nodule\n0.25,mass\n")
    b = written(tmp_path, "b.csv", "case,class,score\na,nodule,1\n\n")
    c = written(tmp_path, "c.csv", "class,score,note\n")

    assert join({"one": a, "two": b, "three": c}, tmp_path / "all.csv") == 3

    with (tmp_path / "all.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [
            ["case", "score", "class"],
            ["one", "0.5", "nodule"],
            ["one", "0.25", "mass"],
            ["two", "1", "nodule"],
        ]


def test_a_table_of_no_rows_has_the_columns_that_are_asked_for(tmp_path: Path) -> None:
    empty = written(tmp_path, "a.csv", "anything\n")
    assert join({"one": empty}, tmp_path / "all.csv", columns=("class", "score")) == 0
    assert (tmp_path / "all.csv").read_text() == "case,class,score\n"
    assert join({}, tmp_path / "none.csv", columns=("class",)) == 0
    assert (tmp_path / "none.csv").read_text() == "case,class\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "nothing"),
        (",,\n1,2,3\n", "nothing"),
        ("class,class\n", "the column 'class' twice"),
        ("class,score\nnodule\n", "1 cells in row 2"),
        ("class,score\nnodule,1,2\n", "3 cells in row 2"),
        (b"class\n\xff\xfe\n", "no CSV"),
        ('class\n"open\n', "no CSV"),
        ("class\n" + "x" * 200_000 + "\n", "no CSV"),
        ("class\n1\n2\n3\n4\n", "more than 3 rows"),
        ("class\n" + "12345678\n" * 3, "at most 30"),
    ],
)
def test_what_is_no_table_is_refused_by_name(tmp_path: Path, text: str | bytes, told: str) -> None:
    path = written(tmp_path, "objects.csv", text)
    limits = Limits(table_rows=3, table_bytes=30) if told.startswith(("more than 3", "at most")) else Limits()
    with pytest.raises(ReadError, match=told) as caught:
        list(read_case(path, limits=limits))
    assert "objects.csv" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{COLUMNS}\n{ROW}\n", ""),
        (f"{COLUMNS}\n", ""),
        (f"case,{COLUMNS}\nanother,{ROW}\n", ""),
        (f"{COLUMNS}\nnodule,0.5,4,1,1,4\n", "a box without extent in row 2"),
        (f"{COLUMNS}\nnodule,2,1,1,4,4\n", "score"),
        (f"{COLUMNS}\ncyst,0.5,1,1,4,4\n", "the class 'cyst'"),
        ("class,score,x,y\nnodule,0.5,1,1\n", "points with 2 axes"),
        ("class,x_min,y_min,x_max,y_max\nnodule,1,1,4,4\n", "froc"),
        (f"{COLUMNS}\n" + f"{ROW}\n" * 4, "4 objects"),
    ],
)
def test_rows_of_a_case_are_judged_as_those_of_an_uploaded_table(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "scratch").mkdir()
    table = CaseTable(BOXES, most_of_case=3)
    refusal = table.judge("c0ffee", written(tmp_path, "boxes.csv", text), tmp_path / "scratch")
    assert told in refusal if told else not refusal, refusal
    assert not refusal or refusal.startswith("boxes.csv")
    assert not refusal or refusal.endswith(
        ("Correct the table and send it again.", "Keep those with the highest scores.")
    )
    assert not list((tmp_path / "scratch").iterdir())


def test_without_a_row_a_class_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    table = CaseTable(ExpectedTable("image_classification", ("labels.csv",), ("a", "b"), ()))
    path = written(tmp_path, "labels.csv", "label\n")
    assert table.judge("c0ffee", path, tmp_path / "scratch") == "labels.csv: no row. Write a row for the case."


def test_the_table_beside_an_image_is_refused_only_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    table = CaseTable(rules=ConfidenceRules())
    path = written(tmp_path, "confidence.csv", "confidence\n0.75\n")
    assert table.judge("c0ffee", path, tmp_path / "scratch") == ""
    assert table.judge("c0ffee", written(tmp_path, "confidence.csv", "confidence\nvery\n"), tmp_path / "scratch") == ""
    other = written(tmp_path, "confidence.csv", "sure\n1\n")
    assert "no column confidence" in table.judge("c0ffee", other, tmp_path / "scratch")


@pytest.mark.parametrize(
    "table",
    [
        CaseTable(BOXES, most_of_case=5_000),
        CaseTable(rules=ConfidenceRules(), most_of_case=None),
        CaseTable(rules=InstanceRules(("a", "b"), need_class=True, need_scores=("ap",))),
        CaseTable(rules=InstanceRules(None)),
        CaseTable(rules=InstanceRules(("a", "b"), need_scores=("ap",), any_score=True)),
        CaseTable(replace(BOXES, scores="any", need_labels=("accuracy",))),
    ],
)
def test_what_the_interface_says_of_a_table_is_read_back(table: CaseTable) -> None:
    document = table.described()
    description = document.get("table") or document["beside"]
    assert description["file"] == table.file
    assert "case" not in description["columns"]
    assert case_table(document) == table


@pytest.mark.parametrize(
    "document",
    [
        {"table": {}},
        {"table": 3},
        {"problem": "object_detection", "table": {"files": 3}},
        {"instances": []},
        {"beside": 3},
    ],
)
def test_a_damaged_document_is_told(document: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=case_tables.KEY):
        case_table(document)


def test_an_interface_of_images_tells_of_no_table() -> None:
    assert case_table({}) is None
