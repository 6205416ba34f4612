"""Common guarantees of every kind of problem, whose names no other module knows."""

import ast
import json
import re
from pathlib import Path

import pytest

from evaluation import problems
from evaluation.assessment import parse
from evaluation.catalogue import all_metrics
from evaluation.cli import main
from evaluation.designs.compilation.problems import problem_of
from evaluation.problems.base import Problem
from evaluation.problems.metric_rules import MetricRules
from evaluation.problems.offered_metrics import kinds_with
from evaluation.problems.parts import KindPart
from evaluation.scoring import read_results, score_folders
from tests.sources import parsed

ROOT = Path(__file__).parents[4]
SCORED = [problem.id for problem in problems.scored_problems()]

NAMING = {
    "platform/registry/services/statistics.py": "words of published lists, of which some are also names of kinds",
}
"""Modules that name a kind of problem by its id, and why. May only shrink: the place of a kind is `evaluation/problems/`."""
OWN_PLACES = ("evaluation/problems/", "evaluation/metrics/", "evaluation/ranking/schemes/", "evaluation/advice/data/")
# A table is also a block of a document, and a failure of a reader; a registration is also that of a design; landmarks are also
# what metrics take, and a file of references; external is also an icon.
NAMES = {problem.id for problem in problems.all_problems()} - {"table", "registration", "landmarks", "external"}


def sources(*patterns):
    for folder in ("evaluation", "platform", "client", "confinement", "templates"):
        for pattern in patterns:
            for path in sorted((ROOT / folder).rglob(pattern)):
                name = path.relative_to(ROOT).as_posix()
                if not name.startswith(OWN_PLACES) and "/migrations/" not in name:
                    yield name, path.read_text("utf-8")


def words_of_code(text):
    """Return the string literals of a module without its docstrings."""
    tree = parsed(text)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    told = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
    }


def test_no_module_outside_names_a_kind():
    naming = {name for name, text in sources("*.py") if NAMES & words_of_code(text)}
    assert naming == set(NAMING)


def test_no_module_compares_the_problem_of_an_assessment():
    compared = re.compile(r"\.problem\s*(==|!=|in\b|not in\b)\s*[\"'(\[]|\[\"problem\"\]\s*(==|!=)")
    assert [name for name, text in sources("*.py", "*.html") if compared.search(text)] == []


def test_no_page_names_a_kind():
    assert [name for name, text in sources("*.html") if any(f'"{kind}"' in text for kind in NAMES)] == []


@pytest.mark.parametrize("problem", problems.all_problems(), ids=lambda problem: problem.id)
def test_ids_and_categories_are_of_one_kind_only(problem):
    others = [other for other in problems.all_problems() if other is not problem]
    assert problems.get(problem.id) is problem
    assert problem.id not in {other.id for other in others}
    assert not problem.category or problem.category not in {other.category for other in others}
    assert len(set(problem.task_categories)) == len(problem.task_categories)


def test_a_category_of_several_kinds_is_the_first_unless_metrics_say_otherwise():
    assert [kind.id for kind in problems.kinds_of_task_category("classification")] == [
        "image_classification",
        "multilabel_classification",
    ]
    assert problems.of_task_category("classification").id == problem_of("classification", set())
    assert problem_of("classification", {"hamming_loss", "auroc"}) == "multilabel_classification"
    assert problem_of("segmentation", {"augrc"}) == "failure_detection"
    assert problem_of("segmentation", {"augrc", "dsc"}) == "segmentation_with_confidence"
    assert problem_of("segmentation", {"augrc", "rmse"}) == "semantic_segmentation"


@pytest.mark.parametrize("name", SCORED)
def test_a_kind_that_is_scored_has_metrics(name):
    assert any(name in kinds_with(metric) for metric in all_metrics())


@pytest.mark.parametrize("name", SCORED)
def test_its_example_is_scored_and_ranked(name, tmp_path, capsys):
    document = problems.get(name).samples.write_challenge(tmp_path)
    (tmp_path / "assessment.json").write_text(json.dumps(document | {"uncertainty": {"bootstrap": 20}}))
    arguments = ["score", "assessment.json", "--references", "references", "--predictions", "predictions"]
    paths = [str(tmp_path / word) if word in {*arguments[1::2], "assessment.json"} else word for word in arguments]
    outputs = ["--output", str(tmp_path / "results.csv"), "--evidence", str(tmp_path / "evidence.parquet")]
    assert main([*paths, "--each", *outputs]) == 0
    assert capsys.readouterr().err == ""
    results = read_results(tmp_path / "results.csv")
    assert set(results["algorithm"]) == {"near", "far"}
    assert set(results["outcome"]) == {"ok"}
    evidence = ["--evidence", str(tmp_path / "evidence.parquet")] if problems.get(name).evidence.is_pooled else []
    assert main(["rank", paths[1], "--results", str(tmp_path / "results.csv"), *evidence]) == 0
    json.loads(capsys.readouterr().out)


def test_a_table_of_values_is_ranked(tmp_path, capsys):
    document = problems.get("table").samples.write_challenge(tmp_path)
    (tmp_path / "assessment.json").write_text(json.dumps(document))
    assert main(["rank", str(tmp_path / "assessment.json"), "--results", str(tmp_path / "results.csv")]) == 0
    [ranking] = json.loads(capsys.readouterr().out)["rankings"]
    assert ranking["algorithms"][0]["name"] == "good"


@pytest.mark.parametrize("name", SCORED)
def test_a_missing_case_is_a_row_or_a_wrong_answer_and_never_left_out(name, tmp_path):
    problem = problems.get(name)
    assessment = parse(problem.samples.write_challenge(tmp_path))
    whole = score_folders(assessment, tmp_path / "references", {"near": tmp_path / "predictions/near"})
    for path in sorted((tmp_path / "predictions/near").iterdir()):
        if problem.table_files:
            head, first, *rest = path.read_text().splitlines()
            broken = ",".join([first.split(",")[0], *("?" for _ in first.split(",")[1:])])
            path.write_text("\n".join([head, broken, *rest]) + "\n")
        else:
            path.unlink()
        break
    holed = score_folders(assessment, tmp_path / "references", {"near": tmp_path / "predictions/near"})
    assert [row[:4] for row in holed.rows] == [row[:4] for row in whole.rows]
    assert [row.value for row in holed.rows] != [row.value for row in whole.rows]


@pytest.mark.parametrize("name", SCORED)
def test_what_a_child_reports_is_believed_only_if_it_is_possible(name, tmp_path):
    problem = problems.get(name)
    if not problem.evidence.is_pooled:
        pytest.skip("adds nothing to values of the whole data set")
    document = problem.samples.write_challenge(tmp_path)
    if name == "semantic_segmentation":
        document["metrics"] = [*document["metrics"], {"id": "aggregated_dsc"}]
    assessment = parse(document)
    references = problem.open_references(assessment, tmp_path / "references")
    opened = problem.open_predictions(assessment, tmp_path / "predictions/near", references)
    case = references.cases[0]
    reference = references.prepare(case)
    pieces = problem.score(assessment, case, reference, opened.predictions[case]).pieces
    assert problem.plausibility.is_possible(assessment, case, reference, pieces)
    assert problem.evidence.restore_reference(reference, problem.evidence.remove_reference(reference, pieces)) == pieces
    for key, numbers in pieces.items():
        lies = [
            numbers._replace(counts=[*numbers.counts, 1]),
            numbers._replace(values=[*numbers.values, 0.5]),
            numbers._replace(counts=[-1, *numbers.counts[1:]]),
        ]
        assert not any(
            problem.plausibility.is_possible(assessment, case, reference, pieces | {key: lie}) for lie in lies
        )
    assert not problem.plausibility.is_possible(assessment, case, reference, {})


def test_the_core_of_a_kind_has_at_most_twenty_members():
    members = {name for name in [*vars(Problem), *Problem.__annotations__] if not name.startswith("_")}
    parts = {name for name in members if isinstance(getattr(Problem, name, None), KindPart)} | {"answer_view"}
    assert len(parts) == 11
    assert len(members - parts) <= 20


@pytest.mark.parametrize("problem", problems.all_problems(), ids=lambda problem: problem.id)
def test_a_part_refers_to_the_kind_that_returns_it(problem):
    parts = [name for name in dir(type(problem)) if isinstance(getattr(type(problem), name), KindPart)]
    assert len(parts) >= 10
    assert all(getattr(problem, name).kind is problem for name in parts)
    assert not any(hasattr(getattr(type(problem), name), "kind") for name in parts)


def test_a_part_takes_attributes_of_its_class_only():
    assert MetricRules().can_be_undefined
    assert not MetricRules(can_be_undefined=False).can_be_undefined
    with pytest.raises(TypeError, match="MetricRules has no attribute can_be_nothing"):
        MetricRules(can_be_nothing=True)


def named(problem_id):
    problem = Problem()
    problem.id = problem_id
    return problem


def test_a_kind_is_added_once_and_taken_away_again():
    kind = named("weather")
    problems.register(kind)
    try:
        assert problems.get("weather") is kind
        with pytest.raises(problems.ProblemError, match="taken"):
            problems.register(named("weather"))
        with pytest.raises(problems.ProblemError, match="taken"):
            problems.register(named("table"))
    finally:
        problems.unregister("weather")
    with pytest.raises(problems.ProblemError, match="no kind of problem has the id 'weather'"):
        problems.get("weather")
    with pytest.raises(problems.ProblemError, match="not added"):
        problems.unregister("table")
