"""Tables as spreadsheet programs and data frames write them in several locales: every equal table reads the same."""

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evaluation.problems.registry import get
from evaluation.readers import ReadError
from evaluation.readers.number_cells import as_number
from evaluation.readers.number_tables import read_number_table
from evaluation.readers.object_tables import read_objects
from evaluation.readers.tables import read_columns, read_predicted_labels

REPORTS = Path(__file__).parents[3] / "data" / "reports"
CASES, CLASSES = ("p01", "p02", "p03"), ("benign", "malignant")
SCORES = pd.DataFrame({"case": CASES, "p_benign": [0.9, 0.25, 0.7], "p_malignant": [0.1, 0.75, 0.3]})


def _excel(frame, path, **options):
    frame.to_csv(path, index=False, encoding="utf-8-sig", lineterminator="\r\n", **options)


WRITERS = {
    "US": _excel,
    "German": lambda frame, path: _excel(frame, path, sep=";", decimal=","),
    "tabs": lambda frame, path: _excel(frame, path, sep="\t"),
    "tabs and decimal commas": lambda frame, path: _excel(frame, path, sep="\t", decimal=","),
    "quoted decimal commas": lambda frame, path: _excel(frame, path, decimal=",", quoting=1),
    "upper case": lambda frame, path: _excel(frame.rename(columns=str.upper), path),
    "title case": lambda frame, path: _excel(frame.rename(columns=str.title), path, sep=";"),
}


def _separator_line(frame, path):
    frame.to_csv(path, index=False, sep=";", decimal=",")
    path.write_bytes(b"sep=;\r\n" + path.read_bytes())


WRITERS["sep= line"] = _separator_line


@pytest.mark.parametrize("writer", WRITERS)
class TestWriters:
    def test_classes(self, tmp_path, writer):
        WRITERS[writer](SCORES, tmp_path / "labels.csv")
        answers = read_predicted_labels(tmp_path / "labels.csv", CASES, CLASSES)
        np.testing.assert_array_equal(answers.scores, SCORES[["p_benign", "p_malignant"]].to_numpy())
        assert answers.answered.all()

    def test_numbers(self, tmp_path, writer):
        frame = pd.DataFrame({"case": CASES, "age": [71.25, -0.5, 1234.5]})
        WRITERS[writer](frame, tmp_path / "values.csv")
        table = read_number_table(tmp_path / "values.csv", ("age",))
        assert [table.numbers[case]["age"] for case in CASES] == [71.25, -0.5, 1234.5]

    def test_boxes(self, tmp_path, writer):
        frame = pd.DataFrame(
            {
                "case": ["a", "b"],
                "class": ["x", "x"],
                "score": [0.5, 0.125],
                "x_min": [1.5, 2.0],
                "y_min": [0.0, 1.0],
                "x_max": [10.25, 1000.5],
                "y_max": [20.0, 30.0],
            }
        )
        WRITERS[writer](frame, tmp_path / "objects.csv")
        table = read_objects(tmp_path / "objects.csv", scored=True)
        assert table.objects["b"].boxes.tolist() == [[2.0, 1.0, 1000.5, 30.0]]
        assert table.objects["a"].scores.tolist() == [0.5]


@pytest.mark.parametrize("program", ["openpyxl", "xlsxwriter"])
@pytest.mark.parametrize("name", ["labels.xlsx", "labels.csv", "out/Labels.XLSX"])
def test_a_workbook_is_a_table_under_either_ending(tmp_path, program, name):
    target = tmp_path / name
    target.parent.mkdir(exist_ok=True)
    shutil.copy(REPORTS / "workbooks" / f"{program}.xlsx", target)
    path = get("image_classification").find_table(tmp_path)
    answers = read_predicted_labels(path, ("p01", "p02", "p03", "p04"), CLASSES)
    assert answers.scores[:, 0].tolist() == [0.9, 0.2, 0.7, 0.1]
    assert answers.unexpected == ()


@pytest.mark.parametrize("content", [b"PK\x03\x04nothing", b"PK\x03\x04" + bytes(200)])
def test_an_archive_that_is_no_workbook_is_named(tmp_path, content):
    (tmp_path / "labels.csv").write_bytes(content)
    with pytest.raises(ReadError, match="an archive that is no Excel workbook"):
        read_columns(tmp_path / "labels.csv")


@pytest.mark.parametrize(
    ("encoding", "words"), [("utf-8", "defines entities"), ("utf-16", "not in UTF-8"), ("cp500", "no Excel workbook")]
)
def test_entities_in_a_workbook_are_refused(tmp_path, encoding, words):
    text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
    with zipfile.ZipFile(tmp_path / "labels.csv", "w") as archive:
        archive.writestr("xl/workbook.xml", text.encode(encoding))
    with pytest.raises(ReadError, match=words):
        read_columns(tmp_path / "labels.csv")


def test_per_cent_and_thousands(tmp_path):
    (tmp_path / "a.csv").write_text('case,share,length\na,"93,5 %","1,234.5"\nb,12%,"1,000,000"\n')
    table = read_number_table(tmp_path / "a.csv", ("share", "length"))
    assert table.numbers == {"a": {"share": 0.935, "length": 1234.5}, "b": {"share": 0.12, "length": 1_000_000.0}}


def test_names_that_look_like_numbers_stay_names(tmp_path):
    (tmp_path / "a.csv").write_text("case;label;score\n1,5;12 %;0,5\n")
    columns = {name: cells.to_pylist() for name, cells in read_columns(tmp_path / "a.csv").items()}
    assert columns == {"case": ["1,5"], "label": ["12 %"], "score": ["0.5"]}


@pytest.mark.parametrize(
    ("cell", "comma", "number"),
    [
        ("1 234,5", True, 1234.5),
        ("1\u202f234,5", True, 1234.5),
        ("1\u00a0234", True, 1234.0),
        ("1.234.567", True, 1234567.0),
        ("1.234", True, 1.234),
        ("1.234,5", False, 1234.5),
        ("0,935", False, 0.935),
        ("12,34", False, 12.34),
        ("1,000", False, None),
        ("1,000", True, 1.0),
        ("1,2,3", False, None),
        ("1,23,456", False, None),
        ("12 34", True, None),
        ("-5 %", False, -0.05),
        ("%", False, None),
        ("", False, None),
    ],
)
def test_notations_of_numbers(cell, comma, number):
    assert as_number(cell, comma=comma) == number
