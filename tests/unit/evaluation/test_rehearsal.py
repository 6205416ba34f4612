"""A design that the checks accept can be taken part in: sample submissions are accepted, scored and ranked.

`python -m tests.rehearsals --number 5000` rehearses more generated designs.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import evaluation.designs.examples
from evaluation.assessment import parse
from evaluation.cli import design as command
from evaluation.cli import main
from evaluation.designs.catalogue import shipped
from evaluation.designs.compilation import compile_values
from evaluation.designs.document import from_json
from evaluation.problems import kind_of
from evaluation.rehearsal import OwnSample, rehearse, rehearse_assessment, rehearse_sample, running
from evaluation.rehearsal.running import FAILED_CALL
from evaluation.scoring import score_folders
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
    own = {"references": None, "predictions": None, "task": None}
    arguments = type("Options", (), {"act": "rehearse", "file": HIPPOCAMPUS, "json": False, **own})
    assert command.run(arguments) == 0
    assert "3 sample submissions scored." in capsys.readouterr().out
    data = json.loads(HIPPOCAMPUS.read_text("utf-8"))
    del data["tasks"][0]["tie_handling"]
    path.write_text(json.dumps(data), encoding="utf-8")
    arguments.file, arguments.json = path, True
    assert command.run(arguments) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["tasks"][0]["obstacles"][0]["parameter"] == "tie_handling"


EXAMPLE = Path(evaluation.designs.examples.__file__).parents[3] / "examples/hippocampus"


def own_sample(tmp_path, *names, cases=4):
    """Some references of the hippocampus, and the predictions of named algorithms for them."""
    (tmp_path / "references").mkdir()
    files = sorted((EXAMPLE / "references").glob("*.nii.gz"))[:cases]
    for file in files:
        shutil.copy(file, tmp_path / "references")
    for name in names:
        (tmp_path / name).mkdir()
        for file in files:
            shutil.copy(EXAMPLE / "predictions" / name / file.name, tmp_path / name)
    return OwnSample(tmp_path / "references", {name: tmp_path / name for name in names})


def test_an_own_sample_is_scored_like_the_same_files_on_the_command_line(tmp_path):
    [values] = hippocampus().each_task()
    assessment = compile_values(values).assessment
    sample = own_sample(tmp_path, "unet-a", "single-atlas")
    task = rehearse_sample(assessment, sample, resamples=RESAMPLES)
    assert (task.obstacles, task.cases, task.summary) == ([], 4, "2 sample submissions scored.")
    assert {standing.name for standing in task.board} == {"unet-a", "single-atlas"}
    for submission in task.submissions:
        rows = score_folders(assessment, sample.references, {"": sample.submissions[submission.name]}).rows
        assert submission.values
        for value in submission.values:
            use = next(use for use in assessment.metrics if use.title == value.metric)
            scored = [row.value for row in rows if (row.metric, row.region) == (use.name, value.region)]
            assert value.value == pytest.approx(sum(scored) / 4)


def test_refused_and_incomplete_submissions_of_an_own_sample_do_not_stop_the_others(tmp_path):
    [values] = hippocampus().each_task()
    sample = own_sample(tmp_path, "unet-a", "unet-b", "single-atlas")
    first, *_ = sorted((tmp_path / "unet-b").iterdir())
    first.unlink()
    for file in (tmp_path / "single-atlas").iterdir():
        file.rename(file.with_name(f"other_{file.name}"))
    task = rehearse_sample(compile_values(values).assessment, sample, resamples=RESAMPLES)
    assert [submission.accepted for submission in task.submissions] == [True, True, False]
    [obstacle] = task.obstacles
    assert (obstacle.step, obstacle.file) == ("submit", "single-atlas")
    incomplete = task.submissions[1]
    assert any(first.name.removesuffix(".nii.gz") in finding for finding in incomplete.findings)
    assert {value.outcomes.get("missing") for value in incomplete.values} == {1}
    assert {standing.name for standing in task.board} == {"unet-a", "unet-b"}


def test_references_of_an_own_sample_that_cannot_be_sealed_are_named(tmp_path):
    [values] = hippocampus().each_task()
    assessment = compile_values(values).assessment
    sample = own_sample(tmp_path, "unet-a")
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    [obstacle] = rehearse_sample(assessment, replace(sample, references=nothing)).obstacles
    assert (obstacle.step, obstacle.message) == ("seal", "No file of these is a reference of this kind of problem.")
    broken = min(sample.references.iterdir())
    broken.write_bytes(b"no image")
    [obstacle] = rehearse_sample(assessment, sample).obstacles
    assert (obstacle.step, obstacle.file) == ("seal", broken.name)


def test_the_command_rehearses_an_own_sample_and_names_what_is_wrong(tmp_path, capsys):
    sample = own_sample(tmp_path, "unet-a")
    arguments = ["design", "rehearse", str(HIPPOCAMPUS), "--references", str(sample.references), "--predictions"]
    assert main([*arguments, str(tmp_path / "unet-a")]) == 0
    assert "1 sample submission scored." in capsys.readouterr().out
    for rest, message in (
        ([str(tmp_path / "absent")], "folder not found"),
        ([str(tmp_path / "unet-a"), str(tmp_path / "unet-a")], "same name"),
    ):
        assert main([*arguments, *rest]) == 2
        assert message in capsys.readouterr().err
    assert main(["design", "rehearse", str(HIPPOCAMPUS), "--references", str(sample.references)]) == 2
    assert "together" in capsys.readouterr().err


@pytest.mark.parametrize("convention", ["voxel", "mm_lps", "mm_ras"])
def test_registration_of_images_with_two_axes_is_rehearsed(convention):
    metric = {"id": "hausdorff_percentile", "options": {"spacing": [1.0, 1.5]}}
    regions = [{"name": "a", "labels": [1]}, {"name": "b", "labels": [3]}]
    document = {"problem": "registration", "settings": {"field": convention}, "regions": regions}
    task = rehearse_assessment(parse({**document, "metrics": [{"id": "tre"}, metric]}), resamples=RESAMPLES)
    assert task.obstacles == []
    assert task.comparison.values
    assert not [reason for reason in task.comparison.not_compared if reason.startswith(FAILED_CALL)]


def test_a_threshold_of_a_registered_class_decides_both_classes_of_an_average():
    """Design 365 of `tests.rehearsals`, in which the direct computation took a decision for each class on its own."""
    [values] = design(365).each_task()
    task = rehearse_assessment(compile_values(values).assessment, resamples=RESAMPLES)
    assert task.obstacles == []
