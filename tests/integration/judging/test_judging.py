"""A scoring image of the organizers: trial, scoring, rows next to the built-in metrics, and its faults.

A fault of the image never counts as a fault of a team.
"""

import re

import pytest

from core.audit.models import Entry
from executions.judging.models import Judgement, Trial
from executions.judging.queries import lacking, trial_that_counts
from executions.judging.services import judging, trying
from executions.scoring.domain import results
from executions.services import hosts
from submissions.models import Run, Submission
from tests.containers.scorers import BROKEN
from tests.integration.judging.world import IMAGE, OTHER, dice
from tests.integration.submissions.world import CASES, labels, nifti, predictions

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Images and their messages are tested. `judging/test_pages.py` writes the same rows on both databases."
    ),
]


def test_a_scorer_that_makes_dice_anew_gives_the_rows_of_the_built_in_metric(world):
    world.image()
    files = predictions(2) | {"case_002.nii.gz": nifti(labels(0, case="case_002"))}
    del files["case_003.nii.gz"]
    submission = world.hand_in(files)

    assert submission.state == Submission.State.SCORED
    table = results.read(submission.runs.get(counts=True).result_file)
    own = table[table["metric"] == "own dice"].set_index(["case", "region"])
    built_in = table[table["metric"] == "dsc"].set_index(["case", "region"])
    assert len(own) == len(built_in) == len(CASES) * 2
    for place, row in built_in.iterrows():
        assert own.loc[place, "outcome"] == row["outcome"]
        if row["outcome"] == "ok":
            assert own.loc[place, "value"] == pytest.approx(row["value"], abs=1e-12)
    assert set(own.loc["case_003", "outcome"]) == {"missing"}


def test_the_result_names_the_image_and_its_trial(world):
    world.image()
    run = world.hand_in(predictions()).runs.get(counts=True)

    trial = trial_that_counts(world.phase)
    facts = run.provenance["scorer"]
    assert (facts["image"], facts["self_test"]) == (IMAGE, trial.report_digest)
    assert facts["metrics"] == ["own dice"]
    assert facts["interface"] == "podium-score-1"


def test_the_image_sees_neither_teams_nor_names_of_cases(world, engine):
    world.image()
    engine.starts.clear()
    seen = []

    def script(work):
        seen.extend(work.cases)
        seen.extend(path.name for path in work.input.rglob("*"))
        dice()(work)

    engine.script = script
    world.hand_in(predictions())
    # A name that was drawn may hold any three letters from a to f, those of a person among them.
    told = [name for name in seen if not re.fullmatch(r"c[0-9a-f]{12}", name)]
    assert len(told) < len(seen)
    assert not [name for name in told if "case_0" in name or "ada" in name.lower()]
    assert {name for name in seen if name.endswith(".gz")} == {"labels.nii.gz"}


def test_a_prediction_in_another_format_is_shown_like_any_other(world, engine, tmp_path):
    import SimpleITK

    world.image()
    files = predictions(1)
    (tmp_path / "one.nii.gz").write_bytes(files.pop("case_001.nii.gz"))
    SimpleITK.WriteImage(SimpleITK.ReadImage(str(tmp_path / "one.nii.gz")), str(tmp_path / "one.mha"))
    submission = world.hand_in(files | {"case_001.mha": (tmp_path / "one.mha").read_bytes()})

    table = results.read(submission.runs.get(counts=True).result_file)
    rows = table[table["case"].isin(["case_001", "case_002"]) & (table["metric"] == "own dice")]
    assert set(rows["outcome"]) == {"ok"}
    assert rows.groupby("region")["value"].nunique().eq(1).all()


def test_nothing_is_complete_before_the_image_has_passed_and_goes_on_once_it_has(world):
    submission = world.hand_in(predictions())
    run = submission.runs.get()
    assert run.state == Run.State.SCORING
    assert "has not been sent" in lacking(world.phase)
    part = Judgement.objects.get()
    assert (part.state, part.attempts) == (Judgement.State.WAITING, 0)

    world.image()
    assert lacking(world.phase) == ""
    Judgement.objects.update(due_at=None)
    world.work()
    run.refresh_from_db()
    assert run.state == Run.State.SCORED


@pytest.mark.parametrize("mode", ["random", "value for missing", "percent", "by its place"])
def test_a_broken_scorer_is_refused_with_the_reason(world, engine, mode):
    engine.script = dice(mode)
    world.image()

    trial = Trial.objects.get()
    number, words = BROKEN[mode]
    assert trial.state == Trial.State.REFUSED
    [says] = [check["says"] for check in trial.checks if check["number"] == number]
    assert words in says
    assert trial_that_counts(world.phase) is None
    assert "is refused" in lacking(world.phase)
    assert Entry.objects.get(act="scorer_tried").facts["passed"] is False


def test_a_scorer_that_takes_too_long_is_refused_for_it(world, engine):
    def script(work):
        work.sleep(600)

    engine.script = script
    trial_of = world.image(is_tried=False)
    trial = Trial.objects.get(archive=trial_of)
    Trial.objects.update(
        declared=trial.declared | {"limits": trial.declared["limits"] | {"case_seconds": 0.2, "start_seconds": 0}}
    )
    world.tried()
    trial.refresh_from_db()
    assert "time limit" in trial.checks[7]["says"]


def test_an_image_that_is_not_the_registered_one_computes_nothing(world):
    world.image(OTHER)
    assert Trial.objects.get().state == Trial.State.PASSED
    assert "has not been sent" in lacking(world.phase)


def test_a_run_fails_on_our_side_when_the_image_gives_no_rows(world, engine):
    world.image()
    engine.script = dice("exit status")
    submission = world.hand_in(predictions())
    Judgement.objects.update(due_at=None)
    world.work()

    submission.refresh_from_db()
    assert submission.state == Submission.State.FAILED
    assert "does not count" in submission.reason
    run = submission.runs.get()
    assert run.state == Run.State.FAILED
    assert "exit status 4" in run.log
    assert Judgement.objects.get().state == Judgement.State.FAILED


def test_a_fault_of_the_engine_is_tried_again_and_counts_once(world, engine):
    world.image()
    good, calls = dice(), []

    def script(work):
        calls.append(work.start.name)
        if len(calls) == 1:
            work.fault("the engine went away")
        good(work)

    engine.script = script
    submission = world.hand_in(predictions())
    Judgement.objects.update(due_at=None)
    world.work()
    submission.refresh_from_db()
    assert submission.state == Submission.State.SCORED
    assert len(calls) == 2
    assert Judgement.objects.get().state == Judgement.State.DONE


def test_a_machine_that_only_runs_algorithms_is_never_shown_a_reference(world, engine):
    hosts.take_up(hosts.Host(engine=engine, problem="", queues=frozenset({"run"})))
    world.image()
    assert Trial.objects.get().state == Trial.State.WAITING
    assert not judging.judge_next()
    assert engine.starts == []


def test_another_declaration_needs_another_trial(world):
    world.image()
    assert trial_that_counts(world.phase) is not None
    Trial.objects.update(declared_digest="0" * 64)
    assert trial_that_counts(world.phase) is None
    trying.begin_missing_trials(phase=world.phase)
    world.tried()
    assert trial_that_counts(world.phase) is not None
