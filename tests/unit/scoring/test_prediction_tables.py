"""Prediction tables from strangers: errors are reported with file, case, value and remedy."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confinement.limits import ArchiveLimits, TableLimits
from evaluation.admission import Expectation, ExpectedCase
from evaluation.problems.tables import ExpectedTable
from executions.scoring.domain import prediction_tables
from executions.scoring.domain.report import Report
from tests.integration.submissions.test_tables import CASES, CLASSES, SCORES, boxes, labels, table
from tests.integration.submissions.world import zipped

IMAGES = ExpectedTable("image_classification", ("labels.csv",), CLASSES, ("auroc", "ece"))
CELLS = ExpectedTable(
    "object_detection", ("objects.csv", "objects.json"), ("cell",), ("average_precision",), ("boxes", 2)
)


def judged(folder: Path, files: dict[str, bytes], expected: ExpectedTable) -> Report:
    """Return the report of the child that reads the archive."""
    archive = folder / "archive.zip"
    archive.write_bytes(zipped(files))
    own = folder / "own"
    own.mkdir(exist_ok=True)
    wanted = Expectation(tuple(ExpectedCase(case) for case in CASES), table=expected)
    report = Report.of(prediction_tables.inspect(archive, wanted, ArchiveLimits(), own))
    assert not list(own.iterdir())
    return report


HOSTILE = [
    ({CASES[0]: 1.7}, "case image_01: '1.7' as p_malignant", "from 0 to 1"),
    ({CASES[0]: "nan"}, "case image_01: 'nan' as p_malignant", "from 0 to 1"),
    ({CASES[0]: "inf"}, "case image_01: 'inf' as p_malignant", "from 0 to 1"),
    ({CASES[0]: -0.1}, "case image_01: '-0.1' as p_malignant", "from 0 to 1"),
    ({CASES[0]: "high"}, "case image_01: 'high' as p_malignant", "from 0 to 1"),
    ({CASES[0]: "0.3"}, "do not sum to 1 but to 0.3 in row 2", "sum to 1"),
]


@pytest.mark.parametrize(("change", "message", "remedy"), HOSTILE)
def test_scores_that_are_none_are_told_with_file_case_value_and_remedy(tmp_path, change, message, remedy):
    report = judged(tmp_path, {"labels.csv": labels(SCORES | change)}, IMAGES)
    [finding] = report.troubled
    assert (finding.case, finding.status) == (CASES[0], "invalid")
    assert message in finding.message
    assert finding.message.startswith("labels.csv: ")
    assert remedy in finding.remedy


REFUSED = [
    ("images", {"answers.csv": labels()}, "no labels.csv among the files. Rename answers.csv to it"),
    ("images", {"a/labels.csv": labels(), "b/labels.csv": labels()}, "2 tables: a/labels.csv, b/labels.csv. Keep one"),
    ("images", {"labels.csv": b"case,label\nimage_01,benign\n"}, "no columns p_<class>, which auroc"),
    ("images", {"labels.csv": b"case,p_benign,p_cat\nimage_01,0,1\n"}, "p_cat of no class of the task"),
    ("images", {"labels.csv": b"\x00\xff"}, "bytes that are no text"),
    ("images", {"labels.csv": b"case,p_malignant\n" + b"x,0.5\n" * 1100}, "1,100 rows; expected at most 1,016"),
    ("images", {"labels.csv": b""}, "nothing in it"),
    ("cells", {"objects.csv": b"case,class,score,x,y\nimage_01,cell,1,2,3\n"}, "points with 2 axes; expected boxes"),
    ("cells", {"objects.csv": table(boxes(scored=False))}, "objects without a score, which average_precision"),
    ("cells", {"objects.csv": table(boxes()).replace(b"cell", b"cat")}, "the class 'cat'"),
    ("cells", {"objects.csv": table(boxes()[:1])}, "no object in any case"),
    ("cells", {"objects.json": b"[]"}, "no object in any case"),
    ("cells", {"objects.json": b"[" * 100_000}, "not as COCO writes it"),
]


@pytest.mark.parametrize(("problem", "files", "message"), REFUSED)
def test_a_table_that_cannot_be_taken_at_all_is_refused_with_a_reason(tmp_path, problem, files, message):
    report = judged(tmp_path, files, IMAGES if problem == "images" else CELLS)
    assert message in report.problem
    assert not report.members


def test_objects_of_a_case_are_limited(tmp_path):
    many = [["image_01", "cell", 0.5, 0, 0, 1, 1]] * (TableLimits().objects_of_case + 1)
    [finding] = judged(tmp_path, {"objects.csv": table([*boxes(), *many])}, CELLS).troubled
    assert finding.message == "objects.csv: case image_01: 5,003 objects; at most 5,000 are taken"


def test_no_row_is_an_answer_where_objects_are_looked_for(tmp_path):
    report = judged(tmp_path, {"OBJECTS.csv": table(boxes(cases=CASES[:2]))}, CELLS)
    assert (report.valid, report.findings[CASES[5]].message) == (8, "no object predicted")


CELL = st.sampled_from(
    ["image_01", "x", "", "cell", "0.5", "1", "-1", "nan", "1e400", "0x1", '"', "1_0", "\u0660", "9" * 50]
)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([("labels.csv", IMAGES), ("objects.csv", CELLS), ("objects.json", CELLS)]),
    st.lists(st.lists(CELL, min_size=1, max_size=8), max_size=6),
    st.sampled_from(["", "case,p_benign,p_malignant\n", "case,class,score,x_min,y_min,x_max,y_max\n", "case,label\n"]),
    st.binary(max_size=20),
)
def test_any_table_gives_a_report(tmp_path_factory, kind, rows, head, tail):
    name, expected = kind
    content = head.encode() + "\n".join(",".join(row) for row in rows).encode() + tail
    report = judged(tmp_path_factory.mktemp("table"), {name: content}, expected)
    assert report.inspected
    assert report.problem or set(report.findings) == set(CASES)
