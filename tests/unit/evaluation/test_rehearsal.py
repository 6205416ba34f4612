"""A design that the checks accept can be taken part in: sample submissions are accepted, scored and ranked.

`python -m tests.rehearsals --number 5000` rehearses more generated designs.
"""

import json
from pathlib import Path

import pytest

import evaluation.designs.examples
from evaluation.assessment import parse
from evaluation.cli import design as command
from evaluation.designs.catalogue import shipped
from evaluation.designs.compilation import compile_values
from evaluation.designs.document import from_json
from evaluation.problems import kind_of
from evaluation.rehearsal import rehearse, rehearse_assessment, running
from evaluation.rehearsal.running import FAILED_CALL
from tests.rehearsals.designs import KINDS, design
from tests.sizes import size

DESIGNS_PER_KIND = size(2, 5)
HIPPOCAMPUS = Path(evaluation.designs.examples.__file__).parent / "hippocampus.json"
RESAMPLES = 5


def accepted(kind):
    """The first designs of a kind that the checks accept."""
    index = KINDS.index(kind)
    while True:
        [values] = design(index).each_task()
        compilation = compile_values(values)
        if compilation.assessment is not None:
            yield index, compilation.assessment
        index += len(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)
def test_generated_designs_that_the_checks_accept_can_be_taken_part_in(kind):
    designs = accepted(kind)
    compared = 0
    for _ in range(DESIGNS_PER_KIND):
        index, assessment = next(designs)
        task = rehearse_assessment(assessment, resamples=RESAMPLES)
        assert task.obstacles == [], f"design {index}"
        if task.is_skipped:
            pytest.skip("the kind has no samples yet")
        assert not [reason for reason in task.comparison.not_compared if reason.startswith(FAILED_CALL)], index
        assert [submission.accepted for submission in task.submissions] == [True] * 3
        assert task.board
        compared += task.comparison.values
    assert compared


def hippocampus():
    return from_json(json.loads(HIPPOCAMPUS.read_text("utf-8")), catalogue=shipped())[0]


def test_a_value_that_scoring_computes_wrongly_is_named(monkeypatch):
    score = running.score

    def wrong(test_set, validated, name):
        rows, evidence = score(test_set, validated, name)
        return [row._replace(value=0.5) if row.case == "case-03" and row.value else row for row in rows], evidence

    monkeypatch.setattr(running, "score", wrong)
    [task] = rehearse(hippocampus()).tasks
    assert not task.is_passed
    obstacle = task.obstacles[0]
    assert (obstacle.step, obstacle.case, obstacle.parameter) == ("compare", "case-03", "metrics")
    assert "Scoring computed 0.5" in obstacle.message


def test_a_submission_that_is_refused_names_what_to_change(monkeypatch):
    document = {"problem": "image_classification", "regions": [{"name": "a"}, {"name": "b"}]}
    assessment = parse({**document, "metrics": [{"id": "auroc", "options": {"positive_class": "a"}}]})
    generate = type(kind_of(assessment).samples).write_registered

    def without_scores(self, assessment, folder, **options):
        generate(self, assessment, folder, **options)
        labels = (folder / "references/labels.csv").read_text()
        for path in (folder / "predictions").glob("*/labels.csv"):
            path.write_text(labels)

    monkeypatch.setattr(type(kind_of(assessment).samples), "write_registered", without_scores)
    [obstacle] = rehearse_assessment(assessment).obstacles
    assert obstacle.step == "submit"
    assert "no columns p_<class>" in obstacle.message
    assert obstacle.remedy


def test_the_command_prints_what_was_checked_and_fails_for_a_design_with_problems(tmp_path, capsys):
    path = tmp_path / "design.json"
    arguments = type("Options", (), {"act": "rehearse", "file": HIPPOCAMPUS, "json": False})
    assert command.run(arguments) == 0
    assert "3 sample submissions scored." in capsys.readouterr().out
    data = json.loads(HIPPOCAMPUS.read_text("utf-8"))
    del data["tasks"][0]["tie_handling"]
    path.write_text(json.dumps(data), encoding="utf-8")
    arguments.file, arguments.json = path, True
    assert command.run(arguments) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["tasks"][0]["obstacles"][0]["parameter"] == "tie_handling"
