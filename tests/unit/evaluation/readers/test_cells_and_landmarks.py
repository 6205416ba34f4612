"""Cells as names and numbers, landmarks of one case and of all, and tables of numbers: bounds, rows and names in messages."""

import math

import pytest

from evaluation.readers import ReadError
from evaluation.readers.cells import Table, read_table
from evaluation.readers.landmark_tables import read_landmarks, read_points
from evaluation.readers.number_tables import read_number_table
from evaluation.readers.registration_cases import landmarks_of

LONG = "n" * 70


def written(folder, text, name="table.csv"):
    (folder / name).write_text(text)
    return folder / name


def refused(read, *arguments, **options):
    with pytest.raises(ReadError) as error:
        read(*arguments, **options)
    return error.value.kind, error.value.found, error.value.expected


class TestCells:
    def test_a_table_has_as_many_rows_as_its_columns_have_cells(self):
        assert [len(Table("t", columns)) for columns in ({}, {"a": []}, {"a": ["1", "2"], "b": ["3", "4"]})] == [
            0,
            0,
            2,
        ]
        assert "a" in Table("t", {"a": []})
        assert "b" not in Table("t", {"a": []})

    def test_an_empty_name_is_told_with_its_row_below_the_head(self):
        assert Table("t", {"a": ["x", "y"]}).text("a") == ["x", "y"]
        assert refused(Table("t", {"a": ["", "y"]}).text, "a") == ("table", "nothing as a in row 2", "")
        assert refused(Table("t", {"a": ["x", "", ""]}).text, "a")[1] == "nothing as a in row 3"

    def test_numbers_within_their_bounds_are_taken(self):
        table = Table("t", {"a": ["-2", "3.5", "1e2", " 7"]})
        assert table.numbers("a") == [-2.0, 3.5, 100.0, 7.0]
        assert table.numbers("a", low=-2, high=100) == [-2.0, 3.5, 100.0, 7.0]

    @pytest.mark.parametrize(
        ("bounds", "wrong", "words"),
        [
            ({}, [3, 4, 5, 6], "a number"),
            ({"low": 1.5}, [0, 3, 4, 5, 6], "a number from 1.5"),
            ({"low": 1, "high": 2}, [2, 3, 4, 5, 6], "a number from 1 to 2"),
            ({"high": 2}, [2, 3, 4, 5, 6], "a number"),
        ],
    )
    def test_others_are_0_and_told_with_their_row(self, bounds, wrong, words):
        cells = ["1", "2", "3", "inf", "nan", "1_0", LONG]
        values, errors = Table("t", {"a": cells}).numbers_or_errors("a", **bounds)
        assert values == [0.0 if row in wrong else float(cell) for row, cell in enumerate(cells)]
        assert {row: (error.found, error.expected) for row, error in errors.items()} == {
            row: (f"{cells[row][:40]!r} as a in row {row + 2}", words) for row in wrong
        }
        first = wrong[0]
        refusal = refused(Table("t", {"a": cells}).numbers, "a", **bounds)
        assert refusal == ("table", f"{cells[first]!r} as a in row {first + 2}", words)

    def test_all_columns_that_lack_are_named(self, tmp_path):
        path = written(tmp_path, "a,b\n1,2\n")
        assert refused(read_table, path, ("c", "a", "d")) == (
            "table",
            "no column c, d; the columns are a, b",
            "the columns c, a, d",
        )
        assert read_table(path).columns == {"a": ["1"], "b": ["2"]}
        assert refused(read_table, written(tmp_path, ""))[2] == "the columns case"
        assert refused(read_table, written(tmp_path, ""), ("x", "y"))[2] == "the columns x, y"


class TestLandmarks:
    def test_they_have_as_many_coordinates_as_the_table_columns(self, tmp_path):
        plane = read_landmarks(written(tmp_path, "case,landmark,x,y\nc,B,1,2\nc,A,3,4\nd,C,5,6\n"))
        assert (plane.axes, plane.points) == (2, {"c": {"B": (1, 2), "A": (3, 4)}, "d": {"C": (5, 6)}})
        assert (plane.names, plane.dropped) == (["A", "B", "C"], {})
        space = read_landmarks(written(tmp_path, "case,landmark,z,x,y\nc,A,3,1,2\n"))
        assert (space.axes, space.points) == (3, {"c": {"A": (1, 2, 3)}})

    def test_a_second_row_is_told_up_to_a_length_of_its_names(self, tmp_path):
        text = f"case,landmark,x,y\nc,A,1,2\n{LONG},{LONG},1,2\nd,A,1,2\n{LONG},{LONG},1,2\n"
        refusal = refused(read_landmarks, written(tmp_path, text))
        words = f"a second row for the landmark {LONG[:60]} of the case {LONG[:60]} (rows 3 and 5)"
        assert refusal == ("table", words, "one row a landmark and case")

    def test_wrong_rows_are_left_out_and_told(self, tmp_path):
        text = f"case,landmark,x,y\nc,A,1,2\n{LONG},A,1,high\n{LONG},,1,2\nd,,1,2\nd,A,low,2\ne,A,wide,deep\n"
        table = read_landmarks(written(tmp_path, text), by_row=True)
        assert {case: [issue.message for issue in issues] for case, issues in table.dropped.items()} == {
            LONG: [
                f"table.csv: case {LONG[:60]}: 'high' as y in row 3; expected a number",
                f"table.csv: case {LONG[:60]}: nothing as landmark in row 4",
            ],
            "d": [
                "table.csv: case d: nothing as landmark in row 5",
                "table.csv: case d: 'low' as x in row 6; expected a number",
            ],
            "e": ["table.csv: case e: 'wide' as x in row 7; expected a number"],
        }
        remedies = {issue.remedy for issues in table.dropped.values() for issue in issues}
        assert remedies == {"Correct the row and upload the table again."}
        assert table.points == {"c": {"A": (1, 2)}, LONG: {}, "d": {}, "e": {}}
        assert refused(read_landmarks, written(tmp_path, text))[1] == "'high' as y in row 3"

    def test_points_of_one_case_have_each_name_once(self, tmp_path):
        assert read_points(written(tmp_path, "landmark,x,y\nA,1,2\n")) == ({"A": (1.0, 2.0)}, 2)
        assert read_points(written(tmp_path, "landmark,x,y,z\n")) == ({}, 3)
        refusal = refused(read_points, written(tmp_path, f"landmark,x,y\nA,1,2\n{LONG},1,2\n{LONG},3,4\n"))
        assert refusal == ("table", f"a second row for the landmark {LONG[:60]} (row 4)", "one row a landmark")
        assert (
            refused(read_points, written(tmp_path, "landmark,x,y\nA,1,2\n,1,2\n"))[1] == "nothing as landmark in row 3"
        )

    def test_of_landmarks_without_partners_the_first_by_name_is_told_up_to_a_length(self, tmp_path):
        def parts(fixed, moving):
            return {
                name: written(tmp_path, "landmark,x,y\n" + "".join(f"{own},1,2\n" for own in names), f"{name}.csv")
                for name, names in (("fixed_landmarks", fixed), ("moving_landmarks", moving))
            }

        refusal = refused(landmarks_of, parts(["c", "b", "d"], ["d", "a"]), "c1", 2)
        words = "the landmark a stands in one of both tables only"
        assert refusal == ("table", words, "the same names in both")
        assert refused(landmarks_of, parts(["x"], ["x", LONG]), "c1", 2)[1] == words.replace(" a ", f" {LONG[:60]} ")
        with pytest.raises(ReadError) as error:
            landmarks_of(parts(["a"], []), "c1", 2)
        assert error.value.file == "c1/moving_landmarks.csv"
        fixed, moving = landmarks_of(parts([], []), "c1", 2)
        assert (fixed.shape, moving.shape) == ((0, 2), (0, 2))


class TestNumbers:
    def test_required_columns_come_first_and_further_ones_as_asked_for(self, tmp_path):
        path = written(tmp_path, "b,case,a,c\n2,x,1,3\n")
        assert read_number_table(path).columns == ()
        assert read_number_table(path, ("a",)).numbers == {"x": {"a": 1.0}}
        assert read_number_table(path, ("a",), ("c", "d")).numbers == {"x": {"a": 1.0, "c": 3.0}}
        everything = read_number_table(path, ("a",), None)
        assert (everything.columns, everything.numbers) == (("a", "b", "c"), {"x": {"a": 1.0, "b": 2.0, "c": 3.0}})
        assert (everything.name, everything.cases, everything.rows) == ("table.csv", ("x",), {"x": 2})
        assert refused(read_number_table, path, ("a", "d"))[1:] == (
            "no column d; the columns are b, case, a, c",
            "the columns case, a, d",
        )

    def test_cases_and_rows_are_told_in_the_order_of_the_file(self, tmp_path):
        table = read_number_table(written(tmp_path, f"case,a\nz,1\n{LONG},2\ny,3\n{LONG},4\n{LONG},5\n"), ("a",))
        assert (table.cases, table.rows) == (("z", LONG, "y"), {"z": 2, LONG: 3, "y": 4})
        assert {case: (error.found, error.expected) for case, error in table.twice.items()} == {
            LONG: (f"a second row for the case {LONG[:40]} (rows 3 and 5)", "one row a case")
        }
        assert table.numbers == {"z": {"a": 1.0}, LONG: {}, "y": {"a": 3.0}}

    def test_numbers_at_their_bounds_are_taken(self, tmp_path):
        path = written(tmp_path, "case,a,b\nx,0,-1e300\ny,1,1e300\nz,-0.1,\n")
        table = read_number_table(path, ("a", "b"), bounds={"a": (0, 1)})
        assert table.numbers == {"x": {"a": 0.0, "b": -1e300}, "y": {"a": 1.0, "b": 1e300}, "z": {}}
        assert (table.empty, set(table.wrong)) == ({("z", "b")}, {("z", "a")})
        assert read_number_table(path, ("a",), bounds={"a": (-math.inf, 0.5)}).numbers["z"] == {"a": -0.1}

    def test_a_reference_is_refused_for_a_case_in_two_rows_before_a_wrong_cell(self, tmp_path):
        table = read_number_table(written(tmp_path, "case,a\nx,odd\ny,1\ny,2\n"), ("a",))
        assert refused(table.refuse)[1] == "a second row for the case y (rows 3 and 4)"
        assert (
            refused(read_number_table(written(tmp_path, "case,a\nx,odd\n"), ("a",)).refuse)[1] == "'odd' as a in row 2"
        )
