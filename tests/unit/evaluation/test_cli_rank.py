"""`rank` on the command line: documents out, long tables in, and one clear line for what cannot be used."""

from __future__ import annotations

import json

import pytest

from evaluation.cli import main
from evaluation.ranking import digest
from tests.unit.evaluation.ranking_vectors import FOLDER, vectors

LONG = {
    "problem": "table",
    "metrics": [{"id": "value", "direction": "lower", "policy": {"missing": 100}}],
    "uncertainty": {"bootstrap": 50},
}


@pytest.fixture
def assessment(tmp_path):
    path = tmp_path / "assessment.json"
    path.write_text(json.dumps(LONG))
    return path


def run(capsys, *arguments):
    code = main(["rank", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_long_table_of_challenger_is_ranked_and_inserted_pairs_are_told(assessment, capsys, tmp_path):
    table = FOLDER / "ex2_distance_ties_missing.csv"
    output = tmp_path / "ranking.json"
    columns = "task=task,algorithm=algorithm,case=case,value=value"
    code, out, err = run(capsys, assessment, "--results", table, "--columns", columns, "--output", output)
    assert code == 0
    document = json.loads(output.read_text())
    assert out.split()[0] == digest(document)
    assert "4 pairs without a row were inserted as missing" in err
    expected = vectors("ex2_distance_ties_missing")["tasks"]["distance"]["rankings"]["mean_then_rank/ties=min/na=worst"]
    entry = document["rankings"][0]
    assert {a["name"]: a["rank"] for a in entry["algorithms"]} == expected["rank"]
    assert entry["task"] == "distance"
    assert len(entry["inserted"]) == 4
    assert sum(a["missing"] for a in entry["algorithms"]) == 11


def test_columns_may_have_any_names_and_a_task_column_may_be_left_out(assessment, capsys, tmp_path):
    text = (FOLDER / "ex1_simulated.csv").read_text().splitlines()
    random = ["team,image,dice"] + [
        ",".join([line.split(",")[2], line.split(",")[1], line.split(",")[3]])
        for line in text
        if line.startswith("random")
    ]
    (tmp_path / "long.csv").write_text("\n".join(random))
    code, out, _ = run(
        capsys,
        assessment,
        "--results",
        tmp_path / "long.csv",
        "--columns",
        "algorithm=team,case=image,value=dice",
        "--bootstrap",
        10,
        "--seed",
        7,
    )
    document = json.loads(out)
    assert (code, document["seed"], document["bootstrap"], len(document["rankings"])) == (0, 7, 10, 1)
    assert document["rankings"][0]["cases"] == 120


def test_identifiers_stay_text_whatever_they_look_like(assessment, capsys, tmp_path):
    (tmp_path / "long.csv").write_text("algorithm,case,value\n007,1e3,1\n7,1e3,2\n007,0010,1\n7,0010,2\n")
    code, out, _ = run(capsys, assessment, "--results", tmp_path / "long.csv")
    names = [a["name"] for a in json.loads(out)["rankings"][0]["algorithms"]]
    assert (code, names) == (0, ["007", "7"])


def test_a_file_without_an_algorithm_column_is_that_of_its_name(assessment, capsys, tmp_path):
    for name, value in (("first", 1), ("second", 2)):
        (tmp_path / f"{name}.csv").write_text(f"case,value\na,{value}\nb,{value}\n")
    code, out, _ = run(capsys, assessment, "--results", tmp_path / "first.csv", tmp_path / "second.csv")
    assert code == 0
    assert [a["name"] for a in json.loads(out)["rankings"][0]["algorithms"]] == ["first", "second"]


def test_long_tables_go_out_as_they_come_in(assessment, capsys, tmp_path):
    table = FOLDER / "ex2_distance_ties_missing.csv"
    long = tmp_path / "long.csv"
    code, first, _ = run(capsys, assessment, "--results", table, "--long-table", long)
    assert code == 0
    assert long.read_text().splitlines()[0] == "task,algorithm,case,value"
    code, second, _ = run(capsys, assessment, "--results", long)
    ranks = [{a["name"]: a["rank"] for a in json.loads(text)["rankings"][0]["algorithms"]} for text in (first, second)]
    assert (code, ranks[0]) == (0, ranks[1])


GOOD = "algorithm,case,value\na,1,1\na,2,2\nb,1,1\nb,2,3\n"


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (None, (), "No such file"),
        ("", (), "not a CSV table"),
        ("algorithm,case\na,1\n", (), "no column 'value'"),
        ("algorithm,case,value\n", (), "no rows"),
        ("algorithm,case,value\na,1,high\n", (), "'high' is not a number"),
        ("algorithm,case,value\na,1,inf\n", (), "infinite values are not ranked"),
        ("algorithm,case,value\na,1,1\na,1,2\n", (), "a column which tells tasks apart was forgotten"),
        ("algorithm,case,value\n,1,1\n", (), "name no algorithm"),
        ("algorithm,case,value,outcome\na,1,1,fine\n", (), "unknown outcome 'fine'"),
        ("algorithm,case,value,outcome\na,1,,ok\n", (), "outcome ok but no value"),
        (GOOD, ("--columns", "team=algorithm"), "--columns: 'team=algorithm'"),
        (GOOD, ("--columns", "algorithm=team"), "has no column 'team'"),
        (GOOD, ("--bootstrap", "-1"), "--bootstrap: -1"),
        (GOOD, ("--seed", "-1"), "--seed: -1"),
        (GOOD, ("--cases", "missing.csv"), "No such file"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_2(assessment, capsys, *, table, options, words):
    path = assessment.parent / "results.csv"
    if table is not None:
        path.write_text(table)
    code, out, err = run(capsys, assessment, "--results", path, *options)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_missing_values_need_a_policy_before_anything_is_ranked(capsys, tmp_path):
    (tmp_path / "assessment.json").write_text(
        json.dumps({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]})
    )
    (tmp_path / "results.csv").write_text("algorithm,case,value\na,1,1\na,2,2\nb,1,1\nb,2,\n")
    code, _, err = run(capsys, tmp_path / "assessment.json", "--results", tmp_path / "results.csv")
    assert code == 2
    assert "set policy.missing of the metric before ranking" in err


@pytest.mark.parametrize(
    ("text", "words"), [("{", "not a JSON document"), ("[]", "an object with the keys"), ("{}", "problem")]
)
def test_an_assessment_that_is_none_is_one_line_and_2(capsys, tmp_path, text, words):
    (tmp_path / "assessment.json").write_text(text)
    code, _, err = run(capsys, tmp_path / "assessment.json", "--results", tmp_path / "results.csv")
    assert code == 2
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["unknown"], [], ["rank"], ["rank", "a.json", "--results"]])
def test_a_wrong_call_is_one_line_and_2_too(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
