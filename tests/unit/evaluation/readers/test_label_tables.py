"""Tables of labels come from strangers: what can be taken is taken, what cannot is named and never repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.readers import ReadError
from evaluation.readers.limits import Limits
from evaluation.readers.tables import read_columns, read_predicted_labels, read_reference_labels

if TYPE_CHECKING:
    from pathlib import Path

CASES = ("a", "b", "c", "d", "e")
CLASSES = ("benign", "malignant")


@pytest.fixture
def write(tmp_path: Path):
    def to_file(content: str | bytes) -> Path:
        path = tmp_path / "labels.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to_file


def test_a_reference_is_read_ascending_by_case(write) -> None:
    path = write("\ufeffcase,label,site\r\n b , 2 ,x\r\n\r\na,1,y\r\n")
    assert list(read_reference_labels(path).items()) == [("a", "1"), ("b", "2")]


def test_quoted_cells_may_hold_commas(write) -> None:
    assert read_reference_labels(write('"case","label"\n"a, left","1"\n')) == {"a, left": "1"}


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        ("", "table", "nothing in it"),
        ("\n \n", "table", "nothing in it"),
        ("case,label", "table", "no table"),
        ("case,label\n", "table", "no case"),
        ("case,label\na,1,3\n", "table", "row 2 has 3 cells and the header has 2"),
        ("case,label\na\n", "table", "row 2 has 1 cell and the header has 2"),
        ("name,label\na,1\n", "table", "no column case"),
        ("case,class\na,1\n", "table", "no column label"),
        ("case,case,label\na,a,1\n", "table", "two columns 'case'"),
        ("case,label\na,1\na,2\n", "table", "two rows for the case a"),
        ("case,label\na,\n", "table", "no label in row 2"),
        ("case,label\n,1\n", "table", "no case in row 2"),
        (b"case,label\n\xff\xfe,1\n", "table", "no table"),
        ("case,label\na,1\n".encode("utf-16"), "table", "bytes that are no text"),
        (b"\x89PNG\r\n\x1a\n\0\0", "table", "bytes that are no text"),
        ("case,label\n" + "a" * 1001 + ",1\n", "too_large", "a cell of 1,001 characters"),
        ("case,label" + ",x" * 2000 + "\n", "too_large", "too many columns"),
    ],
)
def test_a_reference_that_cannot_be_read(write, content: str | bytes, kind: str, words: str) -> None:
    with pytest.raises(ReadError, match=words) as caught:
        read_reference_labels(write(content))
    assert caught.value.kind == kind


def test_limits_hold(write, tmp_path: Path) -> None:
    path = write("case,label\na,1\nb,1\nc,1\n")
    for limits in (Limits(table_bytes=10), Limits(table_rows=2), Limits(table_columns=1), Limits(header_bytes=5)):
        with pytest.raises(ReadError) as caught:
            read_columns(path, limits=limits)
        assert caught.value.kind == "too_large"
    with pytest.raises(ReadError, match="no such file"):
        read_columns(tmp_path / "absent.csv")


def test_labels_of_an_algorithm(write) -> None:
    found = read_predicted_labels(write("case,label\nb,malignant\na,benign\nz,benign\nc,maligant\n"), CASES, CLASSES)
    assert found.decision.tolist() == [0, 1, -1, -1, -1]
    assert found.scores is None
    assert found.answered.tolist() == [True, True, False, False, False]
    assert found.absent == ("d", "e")
    assert found.unexpected == ("z",)
    assert [issue.message for issue in found.invalid.values()] == [
        "labels.csv: case c: the label 'maligant' in row 5, which the task does not know"
    ]


def test_a_case_that_stands_there_twice_has_no_answer(write) -> None:
    found = read_predicted_labels(write("case,label\na,benign\na,malignant\nb,benign\n"), CASES, CLASSES)
    assert found.answered.tolist() == [False, True, False, False, False]
    assert "more than one row" in found.invalid["a"].message


def test_whole_numbers_that_a_library_stored_with_a_point(write) -> None:
    found = read_predicted_labels(write("case,label\na,1.0\nb,2.00\nc,1.5\nd,x.0\n"), CASES, ("1", "2"))
    assert found.decision.tolist() == [0, 1, -1, -1, -1]


def test_scores_of_an_algorithm_in_the_order_of_the_classes(write) -> None:
    text = "p_malignant,case,p_benign\n0.25,a,0.75\n1,b,0\n1e-3,c,0.999\n"
    found = read_predicted_labels(write(text), CASES, CLASSES)
    assert found.decision is None
    assert found.scores[:3].tolist() == [[0.75, 0.25], [0.0, 1.0], [0.999, 0.001]]
    assert np.isnan(found.scores[3:]).all()


def test_of_two_classes_one_column_is_enough(write) -> None:
    found = read_predicted_labels(write("case,p_benign\na,0.25\n"), CASES, CLASSES)
    assert found.scores[0].tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ("nan,0.5", "no number from 0 to 1"),
        ("inf,0", "no number from 0 to 1"),
        ("1e999,0", "no number from 0 to 1"),
        ("-0.1,1.1", "no number from 0 to 1"),
        ("1_0,0", "no number from 0 to 1"),
        ("high,low", "no number from 0 to 1"),
        (",1", "no number from 0 to 1"),
        ("0.5,0.6", "do not sum to 1"),
        ("0,0", "do not sum to 1"),
    ],
)
def test_scores_that_are_no_probabilities_are_no_answer(write, cells: str, words: str) -> None:
    found = read_predicted_labels(write(f"case,p_benign,p_malignant\na,0.5,0.5\nb,{cells}\n"), CASES, CLASSES)
    assert found.answered.tolist() == [True, False, False, False, False]
    assert np.isnan(found.scores[1]).all()
    assert words in found.invalid["b"].message


def test_three_decimals_may_miss_the_sum(write) -> None:
    found = read_predicted_labels(write("case,p_x,p_y,p_z\na,0.333,0.333,0.333\n"), CASES, ("x", "y", "z"))
    assert found.answered[0]


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("case,p_normal", "the column p_normal of no class of the task"),
        ("case,site", "neither labels nor scores"),
        ("name,label", "no column case"),
    ],
)
def test_a_table_of_other_columns_is_refused(write, header: str, words: str) -> None:
    with pytest.raises(ReadError, match=words):
        read_predicted_labels(write(f"{header}\na,1\n"), CASES, CLASSES)


def test_of_more_classes_every_one_needs_a_score(write) -> None:
    with pytest.raises(ReadError, match="scores of 2 classes; expected one of each of the 3"):
        read_predicted_labels(write("case,p_x,p_y\na,0.5,0.5\n"), CASES, ("x", "y", "z"))


def test_an_error_does_not_name_what_the_reference_contains(write) -> None:
    for content in ("case,label\na,wrong\n", "case,p_wrong\na,1\n", "case,x\na,1\n"):
        try:
            words = [issue.message for issue in read_predicted_labels(write(content), CASES, CLASSES).invalid.values()]
        except ReadError as error:
            words = [error.message]
        assert words
        assert not any(name in word for word in words for name in CLASSES)


def test_a_million_wrong_rows_are_not_a_million_messages(write) -> None:
    cases = [f"{number:05d}" for number in range(3000)]
    path = write("case,label\n" + "".join(f"{case},wrong\n" for case in cases))
    found = read_predicted_labels(path, cases, CLASSES)
    assert not found.answered.any()
    assert len(found.invalid) == 100


@given(st.binary(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_bytes_give_a_table_or_one_error(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "labels.csv"
    for start in (b"", b"case,label\n", b"case,p_benign,label\na,"):
        path.write_bytes(start + content)
        found, messages = None, []
        try:
            found = read_predicted_labels(path, CASES, CLASSES)
        except ReadError as error:
            messages = [error.message]
        assert (found is None) == bool(messages)
        assert not any("\n" in message for message in messages)
        assert found is None or len(found.answered) == len(CASES)
