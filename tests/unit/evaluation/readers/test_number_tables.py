"""Tables with one row per case and numeric columns: an invalid cell is reported and affects nothing else."""

from evaluation.readers.number_tables import read_number_table


def written(folder, *rows):
    path = folder / "values.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_numbers_empty_cells_and_wrong_ones_are_told_apart(tmp_path):
    table = read_number_table(written(tmp_path, "case,age", "a,61", "b,", "c,old"), ("age",))
    assert table.numbers == {"a": {"age": 61.0}, "b": {}, "c": {}}
    assert table.empty == {("b", "age")}
    assert "'old' as age in row 4" in table.wrong["c", "age"].message


def test_a_number_outside_the_bounds_of_its_column_is_wrong_and_others_have_no_bounds(tmp_path):
    path = written(tmp_path, "case,share,age", "a,0,-3", "b,1,200", "c,1.5,40")
    table = read_number_table(path, ("share", "age"), bounds={"share": (0, 1)})
    assert table.numbers == {"a": {"share": 0, "age": -3}, "b": {"share": 1, "age": 200}, "c": {"age": 40}}
    assert "'1.5' as share in row 4; expected a number from 0 to 1" in table.wrong["c", "share"].message


def test_a_case_in_two_rows_has_no_numbers_and_both_rows_are_named(tmp_path):
    table = read_number_table(written(tmp_path, "case,age", "a,61", "b,50", "a,62"), ("age",))
    assert table.numbers == {"a": {}, "b": {"age": 50.0}}
    assert "a second row for the case a (rows 2 and 4)" in table.twice["a"].message
