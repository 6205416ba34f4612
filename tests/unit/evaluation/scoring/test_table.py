import pytest

from evaluation.outcomes import Flag, Outcome
from evaluation.readers import ReadError
from evaluation.scoring import Row, read_results, write_results

ROWS = [
    Row("x", "007", "core", "dsc", 0.1 + 0.2, Outcome.OK, 20.5),
    Row("x", "NA", "core", "dsc", None, Outcome.MISSING, 20.5),
    Row("x", "", "", "accuracy", 2 / 3, Outcome.OK, None),
]
HEADER = "algorithm,case,region,metric,value,outcome,image_diagonal\n"


def test_columns_are_those_of_the_contract(tmp_path):
    write_results(ROWS, tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text().splitlines()[:2] == [
        "algorithm,case,region,metric,value,outcome,image_diagonal",
        "x,007,core,dsc,0.30000000000000004,ok,20.5",
    ]


def test_what_is_read_is_what_was_written(tmp_path):
    write_results(ROWS, tmp_path / "r.csv")
    table = read_results(tmp_path / "r.csv")
    assert table["case"].tolist() == ["007", "NA", ""]
    assert table["value"].tolist()[::2] == [0.1 + 0.2, 2 / 3]
    assert table["value"].isna().tolist() == [False, True, False]
    assert table["image_diagonal"].isna().tolist() == [False, False, True]
    assert table["outcome"].tolist() == ["ok", "missing", "ok"]


def test_flags_have_a_column_only_if_there_are_any(tmp_path):
    flagged = Row("x", "", "sick", "lr_plus", None, Outcome.DEGENERATE, None, Flag.UNBOUNDED)
    write_results([flagged], tmp_path / "r.csv")
    assert read_results(tmp_path / "r.csv")["flag"].tolist() == ["unbounded"]
    write_results(ROWS, tmp_path / "r.csv")
    assert "flag" not in (tmp_path / "r.csv").read_text()


def test_several_tables_become_one(tmp_path):
    write_results(ROWS[:1], tmp_path / "a.csv")
    write_results(ROWS[1:], tmp_path / "b.csv")
    assert len(read_results(tmp_path / "a.csv", tmp_path / "b.csv")) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no table"),
        ("algorithm,case\nx,1\n", "no column region, metric, value, outcome, image_diagonal"),
        (HEADER + "x,1,core,dsc,0.5,fine,1\n", "the outcome 'fine' in row 2"),
        (HEADER + "x,1,core,dsc,,ok,1\n", "no value with the outcome ok in row 2"),
        (HEADER + "x,1,core,dsc,1,missing,1\n", "a value without ok in row 2"),
        (HEADER + "x,1,core,dsc,nan,ok,1\n", "'nan' as value in row 2"),
        (HEADER + "x,1,core,dsc,inf,ok,1\n", "'inf' as value in row 2"),
        (HEADER + "x,1,core,dsc,high,ok,1\n", "'high' as value in row 2"),
        (HEADER + "x,1,core,dsc,1,ok,1\nx,1,core,dsc,1,ok,1\n", "two rows for x / 1 / core / dsc"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(tmp_path, text, message):
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(ReadError) as caught:
        read_results(tmp_path / "r.csv")
    assert message in str(caught.value)
