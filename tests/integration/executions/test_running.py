"""Handing in an algorithm, running it, judging what it wrote: with an engine whose containers are functions of the test."""

import threading
import zipfile
from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from core.audit.models import Entry
from datastore.uploads.storage import local_path
from evaluation.checking import Severity
from executions.models import Batch, CaseOutcome, Execution
from executions.scoring.domain import results
from executions.scoring.domain.report import Report
from executions.services import executing, hosts, running
from submissions import tasks
from submissions.models import Run, Submission
from submissions.services import scoring, states, validation
from tests.integration.executions.world import execution_of, run_all
from tests.integration.submissions.world import CASES, labels, nifti

pytestmark = pytest.mark.django_db(transaction=True)


def judge(submission):
    validation.validate(submission_id=submission.pk)
    while scoring.score_next_chunk():
        pass
    submission.refresh_from_db()
    return submission


def test_an_algorithm_is_run_on_every_case_and_scored_like_predictions_that_are_uploaded(world, engine):
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    assert submission.state == Submission.State.RUNNING

    assert run_all() == len(CASES)

    execution = execution_of(submission)
    assert execution.state == Execution.State.DONE
    assert execution.counts == {"ok": len(CASES)}
    judge(submission)
    assert submission.state == Submission.State.SCORED
    run = submission.runs.get(counts=True)
    uploaded = world_predictions(world)
    assert run.summary["missing_cases"] == 0
    with zipfile.ZipFile(local_path(submission.predictions_file)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == uploaded


def world_predictions(world):
    """Return the predictions of an algorithm that copies its input."""
    cases = world.test_set.cases.all()
    return {f"{case.name}.nii.gz": local_path(case.image_file).read_bytes() for case in cases}


def test_the_container_sees_opaque_names_in_another_order_and_no_time(world, engine):
    seen = []
    engine.script = lambda work: (seen.extend(work.cases), [work.copy(case) for case in work.cases])
    image = world.image()
    engine.held.append(image.digest)
    world.hand_in(image)
    run_all()
    assert len(set(seen)) == len(CASES)
    assert all(name.startswith("c") and len(name) == 13 and name not in CASES for name in seen)


def test_a_case_that_fails_is_missing_with_its_cause_and_the_others_count(world, engine):
    answers = iter(["copy", "crash", "memory", "nothing"])

    def script(work):
        for case in work.cases:
            what = next(answers)
            if what == "copy":
                work.copy(case)
            elif what == "crash":
                work.log(b"Traceback: no such file\n")
                work.exit(1)
            elif what == "memory":
                work.out_of_memory()

    engine.script = script
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    run_all()
    execution = execution_of(submission)
    assert execution.counts == {"crashed": 1, "memory_exceeded": 1, "no_output": 1, "ok": 1}
    assert execution.outcome_words == "3 of 4 missing: 1 memory, 1 crashed, 1 no output"
    judge(submission)
    assert submission.state == Submission.State.SCORED
    run = submission.runs.get(counts=True)
    assert run.summary["missing_cases"] == 3
    assert sorted(run.case_notes.values()) == sorted(
        CaseOutcome.objects.exclude(outcome="ok").values_list("message", flat=True)
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"no image at all", "prediction.nii.gz"),
        (nifti(labels(shape=(12, 10, 9))), "12 × 10 × 9"),
        (nifti(labels() * 7), "label"),
    ],
)
def test_an_output_that_cannot_be_used_is_invalid_with_the_sentence_of_its_reader(world, engine, content, sentence):
    engine.script = lambda work: [work.write(case, "prediction.nii.gz", content) for case in work.cases]
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    run_all()
    assert execution_of(submission).counts == {"invalid_output": len(CASES)}
    outcome = CaseOutcome.objects.first()
    assert sentence in outcome.message
    judge(submission)
    tasks.finish(str(submission.runs.get().pk))
    submission.refresh_from_db()
    # It is scored, with every case missing: an algorithm that answers nothing is last and not left out.
    assert submission.state == Submission.State.SCORED
    run = submission.runs.get(counts=True)
    assert (run.summary["missing_cases"], run.cases_total) == (len(CASES), len(CASES))
    assert set(results.read(run.result_file)["outcome"]) == {"missing"}
    assert set(run.case_notes.values()) == {outcome.message}


def test_cases_that_shared_an_abnormal_end_are_run_once_more_each_alone(world, engine):
    world.set_plan(batch_cases=4)
    starts = []

    def script(work):
        starts.append(len(work.cases))
        for number, case in enumerate(work.cases):
            if number == 1:
                work.exit(9)
            work.copy(case)

    engine.script = script
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    run_all()
    execution = execution_of(submission)
    assert starts == [4, 1, 1, 1]
    assert execution.counts == {"ok": 4}
    assert CaseOutcome.objects.filter(execution=execution).count() == 4


def test_neither_the_interface_nor_a_letter_names_hidden_cases_to_the_team(world, engine, client):
    from accounts.notifications.models import Email

    engine.script = lambda work: work.copy(work.cases[0]) if len(engine.starts) == 1 else work.exit(1)
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    run_all()
    judge(submission)
    address = f"/api/v1/submissions/{submission.pk}/"
    client.force_login(world.ada)
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer.json()["valid_cases"] == 1
    assert not any(case in answer.content.decode() for case in CASES)
    client.force_login(world.organizer)
    assert len(client.get(address).json()["findings"]) == 3
    assert not any(case in mail.text for mail in Email.objects.all() for case in CASES)


def test_a_fault_on_our_side_is_repeated_and_never_an_outcome(world, engine):
    faults = iter(["the disk is full", "the engine ended with 125"])

    def script(work):
        if (text := next(faults, "")) != "":
            work.fault(text)
        for case in work.cases:
            work.copy(case)

    engine.script = script
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    for _ in range(4):
        run_all()
        Batch.objects.update(due_at=None)
    execution = execution_of(submission)
    assert execution.state == Execution.State.DONE
    assert execution.counts == {"ok": len(CASES)}


def test_a_container_that_others_killed_is_run_again_and_a_program_that_ends_so_by_itself_has_crashed(world, engine):
    kills = iter([True])

    def script(work):
        if next(kills, False):
            work.exit(137)
        for case in work.cases:
            work.copy(case)

    engine.script = script
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    for _ in range(2):
        run_all()
        Batch.objects.update(due_at=None)
    assert execution_of(submission).counts == {"ok": len(CASES)}

    world.set_plan(attempts_after_fault=1)
    engine.script = lambda work: work.exit(137)
    other = world.hand_in(image)
    for _ in range(2):
        run_all()
        Batch.objects.update(due_at=None)
    assert execution_of(other).counts == {"crashed": len(CASES)}


def test_after_the_registered_number_of_faults_the_execution_fails_and_costs_nothing(world, engine):
    world.set_plan(attempts_after_fault=1)
    engine.script = lambda work: work.fault("the engine ended with 125")
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    for _ in range(3):
        run_all()
        Batch.objects.update(due_at=None)
    execution = execution_of(submission)
    assert execution.state == Execution.State.FAILED
    assert execution.compute_seconds == 0
    submission.refresh_from_db()
    assert submission.state == Submission.State.FAILED
    assert not CaseOutcome.objects.exists()

    # An organizer has it run again once the machine is well.
    engine.script = lambda work: [work.copy(case) for case in work.cases]
    states.repeat(submission=submission, actor=world.organizer)
    run_all()
    assert judge(submission).state == Submission.State.SCORED


def test_whoever_lost_the_lease_stores_nothing_and_the_case_counts_once(world, engine):
    def script(work):
        Batch.objects.filter(state=Batch.State.RUNNING).update(lease_token=None, lease_until=None, state="waiting")
        for case in work.cases:
            work.copy(case)

    engine.script = script
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    assert running.run_next_batch()
    assert not CaseOutcome.objects.exists()
    engine.script = lambda work: [work.copy(case) for case in work.cases]
    run_all()
    assert execution_of(submission).counts == {"ok": len(CASES)}
    assert CaseOutcome.objects.count() == len(CASES)


def test_a_run_that_is_stopped_ends_its_container_and_stores_nothing(world, engine, settings):
    settings.PODIUM_LEASE_SECONDS = 1
    begun = threading.Event()

    def script(work):
        begun.set()
        work.sleep(60)

    engine.script = script
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)

    def stop():
        begun.wait(10)
        executing.cancel(execution=execution_of(submission), actor=world.ada)

    worker = threading.Thread(target=stop)
    worker.start()
    assert running.run_next_batch()
    worker.join()
    assert not engine.containers()
    assert not any(hosts.leases().iterdir())
    submission.refresh_from_db()
    assert submission.state == Submission.State.WITHDRAWN
    assert not CaseOutcome.objects.exists()
    assert Entry.objects.filter(act="execution_cancelled").count() == 1
    assert run_all() == 0


def test_what_a_killed_worker_left_is_removed_and_its_cases_are_run_by_another(world, engine):
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    left = hosts.leases() / "5f3a0000-0000-4000-8000-000000000000"
    (left / "output" / "deep").mkdir(parents=True)
    batch = Batch.objects.order_by("index").first()
    Batch.objects.filter(pk=batch.pk).update(
        state=Batch.State.RUNNING, lease_token=left.name, lease_until=timezone.now() - timedelta(seconds=1), attempts=1
    )
    run_all()
    assert not left.exists()
    assert execution_of(submission).counts == {"ok": len(CASES)}


def test_the_same_algorithm_gives_the_same_digest_whatever_happened_on_the_way(world, engine):
    image = world.image()
    engine.held.append(image.digest)
    first, second = world.hand_in(image), world.hand_in(world.image(team=world.bos, digit="b"), team=world.bos)
    engine.held.append(f"sha256:{'b' * 64}")
    world_faults = iter([True, False, True])

    def script(work):
        if next(world_faults, False):
            work.fault("the host was lost")
        for case in work.cases:
            work.copy(case)

    engine.script = script
    for _ in range(4):
        run_all()
        Batch.objects.update(due_at=None)
    one, other = execution_of(first), execution_of(second)
    assert one.state == other.state == Execution.State.DONE
    assert one.predictions_digest == other.predictions_digest
    assert one.identity != other.identity


def test_compute_time_is_reserved_counted_and_refused_with_the_figures(world, engine):
    from datastore.uploads.services.refusals import QuotaExceededError

    # Four cases of 20 s at most are 80 s: two at once do not fit into 0.03 h.
    world.set_plan(compute_hours=0.03)
    image = world.image()
    engine.held.append(image.digest)
    first = world.hand_in(image)
    assert execution_of(first).reserved_seconds == 80
    with pytest.raises(
        QuotaExceededError, match=r"needs up to 1\.3 min of compute time, and your team has 0\.5 min left"
    ):
        world.hand_in(image)
    assert Submission.objects.count() == 1
    run_all()
    done = execution_of(first)
    assert done.reserved_seconds == 0
    assert 0 < done.compute_seconds < 20
    world.hand_in(image)


def test_a_batch_that_does_not_fit_beside_what_runs_here_waits(world, engine, settings):
    world.set_plan(cpus=2)
    settings.PODIUM_RUN_CPUS = 3
    image = world.image()
    engine.held.append(image.digest)
    world.hand_in(image)
    first = Batch.objects.order_by("index").first()
    Batch.objects.filter(pk=first.pk).update(
        state=Batch.State.RUNNING,
        host=hosts.here().name,
        lease_token="5f3a0000-0000-4000-8000-000000000000",
        lease_until=timezone.now() + timedelta(minutes=1),
    )
    assert run_all() == 0
    settings.PODIUM_RUN_CPUS = 4
    assert run_all() == len(CASES) - 1


def test_an_algorithm_that_needs_a_gpu_waits_for_a_machine_with_one_and_says_so(world, engine, settings):
    from executions.queries.progress import standing

    world.set_plan(gpus=1)
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    assert run_all() == 0
    assert standing(submission.pk).text == "It needs 1 GPU; no machine here has that."
    settings.PODIUM_RUN_GPUS = ["0"]
    hosts.tell()
    assert run_all() == len(CASES)
    assert [list(start.gpus) for start in engine.starts] == [["0"]] * len(CASES)


def test_a_run_that_counts_leaves_a_table_of_runs_and_its_provenance(world, engine):
    from evaluation.running.table import read_runs

    engine.script = lambda work: (work.log(b"hello\n"), [work.copy(case) for case in work.cases])
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    run_all()
    execution = execution_of(submission)
    table = read_runs(local_path(execution.runs_file))
    assert list(table["case"]) == sorted(CASES)
    assert set(table["outcome"]) == {"ok"}
    assert (table["log_bytes"] == 6).all()
    assert execution.provenance["image"] == image.digest
    assert execution.provenance["versions"]["engine"] == ["stand-in 1"]
    judge(submission)
    assert Run.objects.get(counts=True).provenance["execution"]["identity"] == execution.identity


def test_the_bundle_says_what_the_predictions_of_each_team_were_made_with(world, engine):
    from leaderboards.models import RankingVersion
    from leaderboards.services.bundles import _executions
    from leaderboards.services.rankings import rank_phase, request_ranking

    for team, digit in ((world.adas, "a"), (world.bos, "b")):
        image = world.image(team=team, digit=digit)
        engine.held.append(image.digest)
        submission = world.hand_in(image, team=team)
        run_all()
        judge(submission)
    request_ranking(world.phase.pk)
    rank_phase(phase_id=world.phase.pk)
    found = _executions(RankingVersion.objects.get())["executions"]
    assert len(found) == 2
    assert {own["image"] for own in found.values()} == {f"sha256:{digit * 64}" for digit in "ab"}
    assert all(own["runs"].startswith("sha256:") and own["identity"] for own in found.values())


def test_predictions_that_look_like_a_mistake_are_scored_with_a_note(world, engine):
    """A container cannot answer questions: files that would hold an upload are scored with notes."""

    def script(work):
        for case in work.cases:
            work.write(case, work.interface["outputs"][0]["file"], nifti((labels(1) > 0).astype(np.uint8) + 1))

    engine.script = script
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    run_all()
    judge(submission)
    assert submission.state == Submission.State.SCORED
    assert submission.runs.get(counts=True).summary["missing_cases"] == 0
    questions = {question.id: question.severity for question in Report.of(submission.report).questions}
    assert questions["no_background"] == Severity.NOTE
    assert set(questions.values()) == {Severity.NOTE}
