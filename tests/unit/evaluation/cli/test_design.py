"""`python -m evaluation design`: a design can be checked, compiled and compared where no platform is."""

import json
import subprocess
import sys
from importlib import resources

import pytest

from evaluation.assessment import parse
from evaluation.cli import main


@pytest.fixture
def written(tmp_path):
    """Writes an example design, changed by a function, and gives its path."""

    def write(name, change=lambda document: None):
        text = resources.files("evaluation.designs.examples").joinpath(f"{name}.json").read_text(encoding="utf-8")
        document = json.loads(text)
        change(document)
        path = tmp_path / f"{name}-{len(list(tmp_path.iterdir()))}.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return str(path)

    return write


def test_a_design_without_errors_exits_with_0_and_lists_its_warnings(written, capsys):
    assert main(["design", "check", written("hippocampus")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Essential parameters filled: 54 of 54"
    assert any(line.startswith("warning (task-1) [data_centers] Single-centre data") for line in lines)


def test_a_design_with_errors_exits_with_1_and_names_the_parameter(written, capsys):
    path = written("hippocampus", lambda document: document["tasks"][0].pop("ranking_method"))
    assert main(["design", "check", path, "--phase", "submission", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["essential"]["filled"] < report["essential"]["total"]
    assert "ranking_method" in {item["parameter"] for item in report["findings"] if item["severity"] == "error"}


def test_what_is_compiled_is_the_assessment_that_the_challenge_runs(written, capsys):
    assert main(["design", "compile", written("hippocampus")]) == 0
    assessment = parse(json.loads(capsys.readouterr().out))
    assert assessment.problem == "semantic_segmentation"
    assert [metric.id for metric in assessment.metrics][:1] == ["dsc"]


def test_of_several_tasks_one_has_to_be_named(written, capsys):
    assert main(["design", "compile", written("msd")]) == 2
    assert "name a task with --task: task-1, task-2" in capsys.readouterr().err
    assert main(["design", "compile", written("msd"), "--task", "liver"]) == 2
    assert "no task 'liver'" in capsys.readouterr().err


def test_a_changed_value_is_a_difference_and_nothing_else(written, capsys):
    def later(document):
        document["challenge"]["challenge_year"] = 2031

    assert main(["design", "diff", written("hippocampus"), written("hippocampus", later), "--json"]) == 0
    differences = json.loads(capsys.readouterr().out)["differences"]
    assert differences == [{"task": None, "parameter": "challenge_year", "kind": "changed"}]
    assert main(["design", "diff", written("hippocampus"), written("hippocampus")]) == 0
    assert capsys.readouterr().out == "The two designs are the same.\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no json", "no JSON document"),
        (b"[" * 200_000, "no JSON document"),
        (b'{"tasks": []}', "has the keys challenge"),
    ],
)
def test_what_is_no_design_is_one_line(tmp_path, capsys, content, words):
    path = tmp_path / "design.json"
    path.write_bytes(content)
    assert main(["design", "check", str(path)]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_no_database_and_no_django_is_needed(written):
    code = (
        "import sys; from evaluation.cli import main; main(sys.argv[1:]); "
        "sys.exit('django is loaded' if 'django' in sys.modules else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "design", "check", written("hippocampus")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
