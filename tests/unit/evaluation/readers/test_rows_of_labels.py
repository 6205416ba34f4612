"""Tables of labels and scores, cell by cell: valid answers, and exact messages about others."""

import numpy as np
import pytest

from evaluation.readers import ReadError
from evaluation.readers.limits import Limits
from evaluation.readers.tables import read_columns, read_predicted_labels, read_reference_labels

CASES = ("a", "b", "c")
LONG = "x" * 70


@pytest.fixture
def write(tmp_path):
    def to_file(text):
        path = tmp_path / "labels.csv"
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return to_file


def refused(read, *arguments, **options):
    with pytest.raises(ReadError) as error:
        read(*arguments, **options)
    return error.value.kind, error.value.found, error.value.expected


def reasons(found):
    return {case: issue.message.partition(": ")[2] for case, issue in found.invalid.items()}


class TestColumns:
    def test_names_and_cells_have_no_space_around_them(self, write):
        columns = read_columns(write("\ufeff case , label,x\r\n a ,\t1 , y z \r\n"))
        assert {name: cells.to_pylist() for name, cells in columns.items()} == {
            "case": ["a"],
            "label": ["1"],
            "x": ["y z"],
        }

    def test_words_that_mean_nothing_elsewhere_are_words_here(self, write):
        columns = read_columns(write("case,label\nNA,null\n1e5,007\n"))
        assert [cells.to_pylist() for cells in columns.values()] == [["NA", "1e5"], ["null", "007"]]

    def test_an_empty_table_is_told_what_it_should_have(self, write):
        assert refused(read_columns, write(" \r\n")) == ("table", "nothing in it", "the columns case, label")
        refusal = refused(read_columns, write(""), expected=("x", "y", "z"))
        assert refusal == ("table", "nothing in it", "the columns x, y, z")

    def test_a_head_of_as_many_bytes_as_are_allowed(self, write):
        path = write("case,label\na,1\n")
        assert list(read_columns(path, limits=Limits(header_bytes=10))) == ["case", "label"]
        refusal = refused(read_columns, path, limits=Limits(header_bytes=9, table_columns=1234))
        assert refusal == ("too_large", "too many columns", "at most 1,234")

    def test_a_row_may_be_longer_than_a_block_is_usually(self, write):
        names, cells = ([f"{letter * 200}{number}" for number in range(1900)] for letter in "nc")
        columns = read_columns(write(",".join(names) + "\n" + ",".join(cell * 4 for cell in cells) + "\n"))
        assert [cell.to_pylist() for cell in columns.values()] == [[cell * 4] for cell in cells]

    def test_the_first_column_that_stands_there_twice_is_named_up_to_a_length(self, write):
        assert refused(read_columns, write("x,y,x,y\n1,2,3,4\n")) == ("table", "two columns 'x'", "every column once")
        assert refused(read_columns, write(f"{LONG},{LONG}\n1,2\n"))[1] == f"two columns {LONG[:40]!r}"

    def test_a_row_with_another_number_of_cells_is_named(self, write):
        refusal = refused(read_columns, write(f"case,label\nb,1\na,1,{5 * LONG}\n"))
        assert refusal == ("table", "row 3 has 3 cells and the header has 2", "CSV in UTF-8, one line a case")

    def test_a_name_of_a_column_that_no_table_has_is_refused(self, write):
        refusal = refused(read_columns, write('"' + "x" * 140_000 + '",b\n1,2\n'))
        assert (refusal[0], refusal[1].startswith("no table (field larger than field limit")) == ("table", True)

    def test_a_cell_may_be_empty_under_any_limit(self, write):
        limits = Limits(cell_characters=0)
        assert read_columns(write('case\n""\n'), limits=limits)["case"].to_pylist() == [""]
        assert read_columns(write("case,label\n"), limits=limits)["case"].to_pylist() == []
        refusal = refused(read_columns, write("case\nab\n"), limits=limits)
        assert refusal == ("too_large", "a cell of 2 characters", "at most 0")

    def test_sizes_beyond_the_limits_are_told(self, write):
        path = write("case,label\n" + "a,1\n" * 1200)
        refusal = refused(read_columns, path, limits=Limits(table_rows=1199))
        assert refusal == ("too_large", "1,200 rows", "at most 1,199")
        refusal = refused(read_columns, path, limits=Limits(table_bytes=4810))
        assert refusal == ("too_large", "4,811 bytes", "at most 4,810")


class TestReferences:
    def test_the_first_row_without_a_case_or_label_is_named(self, write):
        path = write("case,label\na,1\nb,\n,1\n")
        assert refused(read_reference_labels, path) == ("table", "no label in row 3", "both in every row")
        assert refused(read_reference_labels, write("case,label\na,1\n,\n"))[1] == "no case in row 3"

    def test_the_first_case_that_comes_again_is_named(self, write):
        path = write("case,label\nc,1\na,1\nb,1\na,2\nc,1\n")
        assert refused(read_reference_labels, path) == ("table", "two rows for the case a", "one row a case")

    def test_the_first_column_that_lacks_is_named(self, write):
        assert refused(read_reference_labels, write("x,y\n1,2\n"))[1:] == (
            "no column case; the columns are x, y",
            "the columns case, label",
        )
        assert refused(read_reference_labels, write("case,y\n1,2\n"))[1] == "no column label; the columns are case, y"


class TestLabels:
    def test_without_a_row_every_case_is_absent(self, write):
        answers = read_predicted_labels(write("case,label,p_x\n"), CASES, ("x", "y"))
        assert (answers.decision.tolist(), answers.answered.tolist()) == ([-1] * 3, [False] * 3)
        assert (np.isnan(answers.scores).all(), answers.scores.shape) == (True, (3, 2))
        assert (answers.absent, answers.unexpected, answers.invalid) == (CASES, (), {})

    def test_a_case_that_the_task_does_not_know_is_no_answer_to_the_only_one(self, write):
        answers = read_predicted_labels(write("case,label\nz,x\n"), ("a",), ("x", "y"))
        assert (answers.decision.tolist(), answers.absent, answers.unexpected) == ([-1], ("a",), ("z",))
        both = read_predicted_labels(write("case,label\nz,x\na,y\nz,x\n"), ("a",), ("x", "y"))
        assert (both.decision.tolist(), both.absent, both.unexpected) == ([1], (), ("z", "z"))

    @pytest.mark.parametrize(
        ("label", "position"),
        [
            ("1", 0), ("1.0", 0), ("1.000", 0), ("2.0", 1), ("x.0", 2), ("1.", -1), ("1.05", -1), ("1.50", -1),
            (".0", -1), ("1,0", -1), ("-1.0", -1), ("y.0", -1), ("x", -1), ("1.0.0", -1), ("01", -1),
        ],
    )  # fmt: skip
    def test_a_class_of_digits_may_have_a_point_and_zeros(self, write, label, position):
        answers = read_predicted_labels(write(f'case,label\na,"{label}"\n'), CASES, ("1", "2", "x.0"))
        assert answers.decision.tolist() == [position, -1, -1]
        assert answers.answered.tolist() == [position >= 0, False, False]

    def test_a_strange_label_is_told_up_to_a_length_with_its_row(self, write):
        answers = read_predicted_labels(write(f"case,label\na,x\nb,{LONG}\n"), CASES, ("x", "y"))
        assert reasons(answers) == {"b": f"case b: the label {LONG[:40]!r} in row 3, which the task does not know"}

    def test_a_case_of_several_rows_is_no_answer_whatever_they_say(self, write):
        path = write("case,label,p_x\na,x,0.5\nb,x,0.5\na,x,0.5\nc,odd,2\nc,x,1\nc,x,1\n")
        answers = read_predicted_labels(path, CASES, ("x", "y"))
        assert (answers.decision.tolist(), answers.answered.tolist()) == ([-1, 0, -1], [False, True, False])
        assert np.isnan(answers.scores).all(axis=1).tolist() == [True, False, True]
        assert reasons(answers) == {"a": "case a: more than one row (2)", "c": "case c: more than one row (3)"}

    def test_the_reasons_of_the_first_cases_are_kept(self, write):
        cases = tuple("abcdefghi")
        rows = "a,x,1\nb,odd,1\nc,x,2\nd,x,1\nd,x,1\ne,odd,1\nf,x,2\ng,x,1\ng,x,1\n"
        answers = read_predicted_labels(write(f"case,label,p_x\n{rows}"), cases, ("x", "y"), named=3)
        assert list(answers.invalid) == ["b", "c", "d"]
        assert answers.answered.tolist() == [True] + [False] * 8
        assert answers.absent == ("h", "i")
        assert list(read_predicted_labels(write(f"case,label,p_x\n{rows}"), cases, ("x", "y")).invalid) == list(
            "bcdefg"
        )


class TestScores:
    @pytest.mark.parametrize(("column", "expected"), [("p_x", [0.25, 0.75]), ("p_y", [0.75, 0.25])])
    def test_of_two_classes_the_other_has_the_rest(self, write, column, expected):
        answers = read_predicted_labels(write(f"case,{column}\na,0.25\n"), CASES, ("x", "y"))
        assert answers.scores[0].tolist() == expected

    def test_columns_stand_in_any_order_and_beside_others(self, write):
        answers = read_predicted_labels(write("p_z,p_x,case,note,p_y\n0.2,0.5,b,hm,0.3\n"), CASES, ("x", "y", "z"))
        assert answers.scores[1].tolist() == [0.5, 0.3, 0.2]
        assert (answers.answered.tolist(), answers.decision) == ([False, True, False], None)

    def test_label_and_scores_answer_only_together(self, write):
        path = write("case,label,p_x\na,odd,0.5\nb,y,1.5\nc,x,0\n")
        answers = read_predicted_labels(path, CASES, ("x", "y"))
        assert (answers.decision.tolist(), answers.answered.tolist()) == ([-1, -1, 0], [False, False, True])
        assert answers.scores[2].tolist() == [0.0, 1.0]
        assert np.isnan(answers.scores[:2]).all()
        assert reasons(answers) == {
            "a": "case a: the label 'odd' in row 2, which the task does not know",
            "b": "case b: '1.5' as p_x, a score that is no number from 0 to 1, in row 3",
        }

    @pytest.mark.parametrize(
        ("cells", "words"),
        [
            ("1,0.6", "scores that do not sum to 1 but to 1.6"),
            ("0,0.6", "scores that do not sum to 1 but to 0.6"),
            ("0.3333333,0.3", "scores that do not sum to 1 but to 0.633333"),
            ("0.5,-0.5", "'-0.5' as p_y, a score that is no number from 0 to 1,"),
            ("-1,2", "'-1' as p_x, a score that is no number from 0 to 1,"),
            ("0.5,1.5", "'1.5' as p_y, a score that is no number from 0 to 1,"),
            (f"0.5,{LONG}", f"{LONG[:40]!r} as p_y, a score that is no number from 0 to 1,"),
            ("0.5,0_5", "'0_5' as p_y, a score that is no number from 0 to 1,"),
        ],
    )
    def test_what_is_wrong_with_a_row_is_told(self, write, cells, words):
        answers = read_predicted_labels(write(f"case,p_x,p_y\na,0.5,0.5\nb,{cells}\n"), CASES, ("x", "y"))
        assert reasons(answers) == {"b": f"case b: {words} in row 3"}

    @pytest.mark.parametrize(
        ("cells", "fits"),
        [
            ("0.5,0.5009", True), ("0.5,0.4991", True), ("0.5,0.5011", False), ("0.5,0.4989", False),
            ("0.5,0.4,0.1014", True), ("0.5,0.4,0.0986", True), ("0.5,0.4,0.1016", False), ("0.5,0.4,0.0984", False),
        ],
    )  # fmt: skip
    def test_half_a_thousandth_a_class_may_be_missed(self, write, cells, fits):
        classes = ("x", "y", "z")[: cells.count(",") + 1]
        path = write("case," + ",".join(f"p_{name}" for name in classes) + f"\na,{cells}\n")
        assert read_predicted_labels(path, CASES, classes).answered.tolist() == [fits, False, False]

    def test_of_500_classes_that_is_a_quarter(self, write):
        classes = [f"{number:03d}" for number in range(500)]
        head = "case," + ",".join(f"p_{name}" for name in classes)
        rows = [f"{case},{first}" + ",0" * 499 for case, first in (("a", 0.75), ("b", 0.7499))]
        answers = read_predicted_labels(write("\n".join([head, *rows])), CASES, classes)
        assert answers.answered.tolist() == [True, False, False]

    def test_rows_without_probabilities_cost_no_other(self, write):
        path = write("case,p_x,p_y\na,2,-1\nc,0.5,0.5\nb,nan,0.5\n")
        assert read_predicted_labels(path, CASES, ("x", "y")).answered.tolist() == [False, False, True]

    def test_a_strange_column_is_told_up_to_a_length(self, write):
        refusal = refused(read_predicted_labels, write(f"case,p_{LONG}\na,1\n"), CASES, ("x", "y"))
        assert refusal == ("table", f"the column p_{LONG[:58]} of no class of the task", "")

    def test_a_table_without_either_is_told_what_it_may_have(self, write):
        refusal = refused(read_predicted_labels, write("case,x\na,1\n"), CASES, ("x", "y"))
        assert refusal == ("table", "neither labels nor scores", "label or p_<class> columns")

    def test_of_three_classes_one_column_is_not_enough(self, write):
        refusal = refused(read_predicted_labels, write("case,p_x\na,1\n"), CASES, ("x", "y", "z"))
        assert refusal == ("table", "scores of 1 classes", "one of each of the 3 classes")


def test_a_row_with_an_unknown_label_is_named_with_its_cell(write):
    found = read_predicted_labels(write("case,label\na,cat\nb,cow\nc,dog\n"), CASES, ("cat", "dog"))
    assert (found.invalid["b"].row, found.invalid["b"].cell) == (3, "cow")
