"""Faulty and malicious tables: a bad cell or row costs its case, a bad table is rejected with a remedy."""

import json

import pytest

from evaluation import problems
from evaluation.assessment import AssessmentError, parse
from evaluation.cli import main
from evaluation.outcomes import Outcome
from evaluation.readers import ReadError
from evaluation.scoring import read_results, score_folders

KINDS = ("regression", "survival", "multilabel_classification", "failure_detection")
NO_NUMBERS = ("nan", "inf", "-inf", "1_000", "", "=1+1", "0x10", "1e999", "1,5".replace(",", ";"))


@pytest.fixture(params=KINDS)
def challenge(request, tmp_path):
    problem = problems.get(request.param)
    return problem, parse(problem.samples.write_challenge(tmp_path)), tmp_path


def scored(challenge):
    _problem, assessment, folder = challenge
    return score_folders(assessment, folder / "references", {"near": folder / "predictions/near"})


def change(path, row, cell, text):
    lines = [line.split(",") for line in path.read_text().splitlines()]
    lines[row][cell] = text
    path.write_text("".join(",".join(line) + "\n" for line in lines))


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_a_cell_that_is_no_number_is_told_and_never_a_zero(challenge, text):
    problem, _, folder = challenge
    before = scored(challenge)
    change(folder / "predictions/near" / problem.table_files[0], 1, 1, text)
    after = scored(challenge)
    [issue] = after.reasons.values()
    assert "row 2" in issue.message
    assert problem.table_files[0] in issue.message
    assert [row[:4] for row in after.rows] == [row[:4] for row in before.rows]
    assert {row.outcome for row in after.rows if not row.case} == {Outcome.OK}


def test_a_case_that_stands_there_twice_costs_that_case(challenge):
    problem, _, folder = challenge
    path = folder / "predictions/near" / problem.table_files[0]
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, lines[1]]) + "\n")
    [(key, issue)] = scored(challenge).reasons.items()
    assert key[1] == lines[1].split(",")[0]
    assert f"(rows 2 and {len(lines) + 1}); expected one row a case" in issue.message


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"case\n",
        b"\x00\x01\x02",
        b"case,case\na,1\n",
        b"name,x\na,1\n",
        b'case,"x\n',
        "cäse,ä\n".encode("latin-1"),
    ],
)
def test_a_table_that_is_none_makes_everything_missing_and_ends_nothing(challenge, content):
    problem, assessment, folder = challenge
    (folder / "predictions/near" / problem.table_files[0]).write_bytes(content)
    found = scored(challenge)
    assert ("near", "") in found.reasons
    whole = [row for row in found.rows if not row.case]
    assert {row.outcome for row in whole} == {Outcome.MISSING}
    # What a submission without any answer counts as can be told: a bound, a number, or the row's worst value.
    for row in whole:
        use = assessment.metric(row.metric)
        assert use.policy.missing != "worst" or use.worst is not None or row.worst is not None


def test_what_is_missing_altogether_is_ranked_last(challenge, capsys):
    problem, _, folder = challenge
    document = problem.samples.write_challenge(folder) | {"uncertainty": {"bootstrap": 10}}
    (folder / "assessment.json").write_text(json.dumps(document))
    (folder / "predictions/far" / problem.table_files[0]).write_text("")
    arguments = ["score", "assessment.json", "--references", "references", "--predictions", "predictions", "--each"]
    paths = [str(folder / word) if place in (1, 3, 5) else word for place, word in enumerate(arguments)]
    results, evidence = str(folder / "results.csv"), str(folder / "evidence.parquet")
    assert main([*paths, "--output", results, "--evidence", evidence]) == 0
    assert "worst" in read_results(results).columns
    capsys.readouterr()
    assert main(["rank", paths[1], "--results", results, "--evidence", evidence]) == 0
    for ranking in json.loads(capsys.readouterr().out)["rankings"]:
        assert [entry["name"] for entry in ranking["algorithms"]] == ["near", "far"]


@pytest.mark.parametrize("text", ["nan", "-1e400", "yes"])
def test_a_wrong_reference_ends_it_with_one_line(challenge, text, capsys):
    problem, _, folder = challenge
    document = problem.samples.write_challenge(folder)
    (folder / "assessment.json").write_text(json.dumps(document))
    name = problem.references.tables[0]
    change(folder / "references" / name, 1, 1, text)
    arguments = ["score", str(folder / "assessment.json"), "--references", str(folder / "references")]
    assert main([*arguments, "--predictions", str(folder / "predictions"), "--each"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert name in error
    assert "row 2" in error


def test_order_of_rows_and_further_columns_change_nothing(challenge):
    problem, _, folder = challenge
    before = scored(challenge)
    path = folder / "predictions/near" / problem.table_files[0]
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([f"{head},remark", *(f"{row},x" for row in reversed(rows))]) + "\n")
    assert scored(challenge).rows == before.rows


@pytest.mark.parametrize(
    ("kind", "change_of_document", "place"),
    [
        ("regression", {"settings": {"targets": {"age": {"range": [9, 1]}}}}, "settings.targets.age.range"),
        ("regression", {"settings": {"targets": {"weight": {}}}}, "settings.targets.weight"),
        ("regression", {"settings": {"unit": "a"}}, "settings.unit"),
        ("regression", {"regions": [{"name": "age", "labels": ["a", "b"]}]}, "labels"),
        ("survival", {"settings": {"times": [12, 6]}}, "settings.times"),
        ("survival", {"settings": {}}, "settings.times"),
        ("survival", {"metrics": [{"id": "brier_at_time", "options": {"time": 7}}]}, "options.time"),
        ("survival", {"settings": {"times": [6, 12], "ipcw": "mine"}}, "settings.ipcw"),
        ("failure_detection", {"settings": {"risk": "computed"}}, "settings.risk"),
        ("failure_detection", {"metrics": [{"id": "auroc_f"}]}, "threshold"),
        (
            "multilabel_classification",
            {"metrics": [{"id": "auroc", "options": {"positive_class": "a"}}]},
            "positive_class",
        ),
        (
            "image_classification",
            {"metrics": [{"id": "fbeta", "options": {"class_average": "micro"}}]},
            "class_average",
        ),
        ("image_classification", {"metrics": [{"id": "top_k_accuracy", "options": {"k": 2}}]}, "options.k"),
    ],
)
def test_settings_that_do_not_fit_are_refused_by_place(kind, change_of_document, place, tmp_path):
    document = problems.get(kind).samples.write_challenge(tmp_path)
    parsed = parse(document)
    assert parse(parsed.document) == parsed
    with pytest.raises(AssessmentError, match=place):
        parse(document | change_of_document)


@pytest.mark.parametrize("horizon", [47.9, 48, 100])
def test_a_horizon_beyond_the_follow_up_is_refused_with_the_largest(horizon, tmp_path):
    document = problems.get("survival").samples.write_challenge(tmp_path)
    document["metrics"] = [{"id": "time_dependent_auc", "options": {"time": horizon}}]
    assessment = parse(document)
    if horizon < 48:
        assert score_folders(assessment, tmp_path / "references", {}).rows == []
    else:
        with pytest.raises((ReadError, ValueError), match="the largest that can be used is"):
            score_folders(assessment, tmp_path / "references", {})
