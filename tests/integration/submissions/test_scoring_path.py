"""The path from upload to result under all kinds of interruptions; jobs run in this process."""

import errno
import uuid
from datetime import timedelta
from unittest import mock

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from core.audit.models import Entry
from core.work import services as work
from core.work.queries import next_rows
from core.work.services import Lease, LeaseLostError, claim
from datastore.test_sets.queries import case_metadata_frame, case_names
from evaluation.scoring import semantic
from executions.scoring.domain import results
from executions.scoring.services import cases as scored_cases
from executions.scoring.services import scorer, writing
from submissions import hooks
from submissions.models import Chunk, Run, Submission
from submissions.queries import counted_runs, results_frame
from submissions.queries.progress import progress
from submissions.queries.work import SCORING
from submissions.services import scoring, states, sweeping, validation
from tests.integration.submissions.world import CASES, World, labels, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)
State = Submission.State


def scored(world: World, shift: int = 1, **more) -> Submission:
    submission = world.upload(zipped(predictions(shift)), **more)
    submission.refresh_from_db()
    assert submission.state == State.SCORED, (submission.log, submission.reason)
    return submission


def accepted(world: World) -> Submission:
    """A validated submission whose chunks wait: no worker has come yet."""
    submission = world.upload(zipped(predictions()))
    validation.validate(submission_id=submission.pk)
    submission.refresh_from_db()
    assert submission.state == State.ACCEPTED
    return submission


def test_a_complete_submission_is_scored_for_every_case_region_and_metric(world: World, workers):
    run = scored(world).runs.get()
    frame = results_frame(run)
    assert run.counts
    assert len(frame) == len(CASES) * 2 * 4
    assert set(frame["outcome"]) == {"ok"}
    assert set(frame["algorithm"]) == {"Ada's"}
    assert run.summary["missing_cases"] == 0
    dice = next(value for value in run.summary["values"] if (value["metric"], value["region"]) == ("dsc", "anterior"))
    assert dice["value"] == pytest.approx(2 / 3)


def test_the_digest_covers_what_was_predicted_and_nothing_else(world: World, workers):
    first = scored(world).runs.get()
    again = scored(world, team=world.bos).runs.get()
    other = scored(world, shift=2).runs.get()
    assert first.result_digest == again.result_digest != other.result_digest
    assert results.digest(results.rows_of(results.read(first.result_file))) == first.result_digest


def test_the_phase_is_told_once_for_each_result(world: World, workers, monkeypatch):
    told = []
    monkeypatch.setattr(hooks, "run_scored", [told.append])
    scored(world)
    assert told == [world.phase.pk]


def test_every_step_is_in_the_audit_log(world: World, workers):
    scored(world)
    acts = list(Entry.objects.order_by("sequence").values_list("act", flat=True))
    assert acts[-3:] == ["submission_received", "submission_accepted", "run_scored"]


def test_every_message_twice_and_in_any_order_changes_nothing(world: World, workers):
    submission = scored(world)
    run = submission.runs.get()
    for _ in range(2):
        validation.validate(submission_id=submission.pk)
        assert not scoring.score_next_chunk()
        scoring.finish_run(run_id=run.pk)
    assert submission.runs.get().result_digest == run.result_digest
    assert Entry.objects.filter(act="run_scored").count() == 1


def test_whoever_comes_second_while_a_run_is_finished_stores_no_other_result(world: World, workers, monkeypatch):
    """The first one empties the chunks; the second must not take that for a result without rows."""
    submission = accepted_without(world)
    with monkeypatch.context() as patch:
        patch.setattr(scoring, "finish_run", lambda **_: None)
        assert scoring.score_next_chunk()
    run, stored, reads = submission.runs.get(), [], []
    monkeypatch.setattr(results, "store", lambda _rows, name: stored.append(name))

    def overtaken(execute, sql, params, many, context):
        answer = execute(sql, params, many, context)
        if not reads:
            reads.append(sql)
            scoring.finish_run(run_id=run.pk)
        return answer

    with connection.execute_wrapper(overtaken):
        scoring.finish_run(run_id=run.pk)
    run.refresh_from_db()
    assert set(stored) == {run.result_file}


def take(pk: int) -> Lease | None:
    """Claim a chunk as a worker does."""
    return claim(SCORING, pk, give_up=lambda lease: pytest.fail(f"given up: {lease}"))


def test_a_chunk_is_claimed_by_one_worker_until_that_falls_silent(world: World):
    accepted(world)
    [pk] = next_rows(SCORING)
    first = take(pk)
    assert first is not None
    assert take(pk) is None
    assert next_rows(SCORING) == []
    Chunk.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert next_rows(SCORING) == [pk]
    second = take(pk)
    assert second is not None
    assert second.token != first.token


def test_a_heart_beat_renews_and_notices_a_lost_lease(world: World, settings):
    settings.PODIUM_LEASE_SECONDS = 0
    accepted(world)
    [pk] = next_rows(SCORING)
    lease = take(pk)
    before = Chunk.objects.get().lease_until
    settings.PODIUM_LEASE_SECONDS = 60
    lease.beat(lambda: {"cases_done": 2})
    chunk = Chunk.objects.get()
    assert chunk.lease_until > before + SCORING.longest_silence / 2
    assert chunk.cases_done == 2
    assert not lease.is_lost
    Chunk.objects.update(lease_token=uuid.uuid4())
    settings.PODIUM_LEASE_SECONDS = 0
    lease._renewal = 0
    with pytest.raises(LeaseLostError):
        lease.beat()
    assert lease.is_lost


def test_what_a_silent_worker_left_is_found_and_done(world: World, workers):
    submission = accepted_without(world)
    [pk] = next_rows(SCORING)
    take(pk)
    assert work.sweep()["scoring"] == 0
    long_ago = timezone.now() - timedelta(minutes=1)
    Chunk.objects.update(lease_until=long_ago, asked_at=long_ago)
    assert work.sweep()["scoring"] == 1
    submission.refresh_from_db()
    assert submission.state == State.SCORED


def accepted_without(world: World) -> Submission:
    """Accepted while no message reached a worker."""
    from celery import current_app

    current_app.conf.task_always_eager = False
    submission = accepted(world)
    current_app.conf.task_always_eager = True
    return submission


def test_a_message_that_never_arrived_is_sent_again(world: World, workers):
    from celery import current_app

    current_app.conf.task_always_eager = False
    submission = world.upload(zipped(predictions()))
    current_app.conf.task_always_eager = True
    assert work.sweep()["validation"] == 0
    Submission.objects.update(asked_at=timezone.now() - timedelta(minutes=1))
    assert work.sweep()["validation"] == 1
    submission.refresh_from_db()
    assert submission.state == State.SCORED


def test_work_that_a_machine_with_a_wrong_clock_sent_is_found_at_once(world: World, workers, monkeypatch):
    """Its messages can also be lost, and the sweep does not wait an hour until the wrong time is reached."""
    from celery import current_app

    real = timezone.now
    current_app.conf.task_always_eager = False
    with monkeypatch.context() as patch:
        patch.setattr(timezone, "now", lambda: real() + timedelta(hours=1))
        submission = accepted(world)
        sent = [submission.asked_at, Chunk.objects.get().asked_at]
    if connection.vendor == "postgresql":
        assert max(sent) <= real()
    current_app.conf.task_always_eager = True
    Submission.objects.update(asked_at=real() + timedelta(hours=1))
    Chunk.objects.update(asked_at=real() + timedelta(hours=1))
    assert work.sweep()["scoring"] == 1
    submission.refresh_from_db()
    assert submission.state == State.SCORED


def test_a_run_whose_last_worker_died_before_assembling_is_assembled(world: World, workers, monkeypatch):
    submission = accepted_without(world)
    with monkeypatch.context() as patch:
        patch.setattr(scoring, "finish_run", lambda **_: None)
        assert scoring.score_next_chunk()
    assert sweeping.sweep()["runs"] == 1
    submission.refresh_from_db()
    assert submission.state == State.SCORED


def test_work_waits_while_the_disk_is_full_and_none_fails(world: World, workers, settings, monkeypatch):
    """Full before a worker begins, while it reads, and when the result is written."""
    settings.PODIUM_WORK_RESERVE_BYTES = 10**18
    submission = world.upload(zipped(predictions()))
    submission.refresh_from_db()
    assert submission.state == State.RECEIVED
    settings.PODIUM_WORK_RESERVE_BYTES = 0
    full = OSError(errno.ENOSPC, "No space left on device")
    for module, name in ((validation, "_check_cases"), (scorer, "score_cases"), (writing, "write")):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, mock.Mock(side_effect=full))
            for _ in range(SCORING.errors + 1):
                Submission.objects.update(asked_at=None, lease_until=None, due_at=None)
                Chunk.objects.update(asked_at=None, lease_until=None, due_at=None)
                work.sweep()
                sweeping.sweep()
        submission.refresh_from_db()
        assert submission.state in (State.VALIDATING, State.ACCEPTED)
    assert sweeping.sweep()["runs"] == 1
    submission.refresh_from_db()
    assert submission.state == State.SCORED


def test_a_worker_that_lost_its_lease_stores_nothing(world: World, monkeypatch):
    accepted(world)
    real = scorer.score_cases

    def overtaken(*args, **kwargs):
        yield from real(*args, **kwargs)
        Chunk.objects.update(lease_token=uuid.uuid4())

    monkeypatch.setattr(scorer, "score_cases", overtaken)
    assert scoring.score_next_chunk()
    chunk = Chunk.objects.get()
    assert (chunk.state, chunk.rows) == (Chunk.State.SCORING, None)
    assert Run.objects.get().state == Run.State.SCORING


def test_cases_for_which_the_time_did_not_suffice_are_left_to_another_turn(world: World, workers, monkeypatch):
    budgets = iter([0.0, 0.001])
    monkeypatch.setattr(scoring, "task_budget", lambda: next(budgets, 100.0))
    submission = scored(world)
    run = submission.runs.get()
    assert run.chunks.count() > 1
    assert len(results_frame(run)) == len(CASES) * 2 * 4


def test_an_error_of_ours_is_tried_again_and_then_ends_the_run_with_a_log_for_organizers(
    world: World, workers, monkeypatch
):
    def broken(*_args, **_kwargs):
        raise RuntimeError("reference of case_001 has 17 voxels")

    with monkeypatch.context() as patch:
        patch.setattr(semantic, "score_case", broken)
        scorer.references._kept.clear()
        submission = accepted_without(world)
        for _ in range(3):
            Chunk.objects.update(lease_until=None, due_at=None)
            assert scoring.score_next_chunk()
    submission.refresh_from_db()
    run = submission.runs.get()
    assert (submission.state, run.state, run.counts) == (State.FAILED, Run.State.FAILED, False)
    assert "17 voxels" in run.log
    assert "17 voxels" not in submission.reason + run.message
    assert not Chunk.objects.exclude(state=Chunk.State.DONE).exists()
    states.repeat(submission=submission, actor=world.organizer)
    submission.refresh_from_db()
    assert submission.state == State.SCORED


def test_a_case_that_kills_its_process_is_missing_and_the_rest_is_scored(world: World, workers, monkeypatch):
    import os
    import signal

    real = semantic.score_case
    parent = os.getpid()

    def deadly(assessment, case, reference, prediction, **more):
        if case == "case_002" and os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGSEGV)
        return real(assessment, case, reference, prediction, **more)

    monkeypatch.setattr(semantic, "score_case", deadly)
    run = scored(world).runs.get()
    frame = results_frame(run)
    assert set(frame[frame["outcome"] == "missing"]["case"]) == {"case_002"}
    assert "the reader broke off" in run.case_notes["case_002"]
    assert "SIGSEGV" in run.log


@pytest.mark.parametrize("lie", ["other case", "not a number", "too few", "infinite", "outcome", "diagonal"])
def test_rows_that_a_child_made_up_are_not_believed(world: World, workers, monkeypatch, lie: str):
    real = semantic.score_case

    def lying(assessment, case, reference, prediction, **more):
        honest = real(assessment, case, reference, prediction, **more)
        if prediction is None or case != "case_003":
            return honest
        first = honest[0]
        forged = {
            "other case": first._replace(case="case_001"),
            "not a number": first._replace(value="1"),
            "infinite": first._replace(value=1e308 * 10),
            "outcome": first._replace(outcome="both_empty"),
            "diagonal": first._replace(image_diagonal=1.0),
        }
        honest[0:1] = [forged[lie]] if lie in forged else []
        return honest

    submission = accepted_without(world)
    [pk] = next_rows(SCORING)
    chunk = Chunk.objects.select_related("run").get(pk=pk)
    cases = list(chunk.run.test_set.cases.all())
    run = chunk.run
    assessment = run.submission.phase.assessment
    case = next(case for case in cases if case.name == "case_003")
    value = {"rows": [list(row) for row in forged_rows(lying, assessment, case)], "reason": ""}
    from confinement.sandbox import Answer

    prepared = scorer.references.get(assessment, case, algorithm="")
    answer = scored_cases.scored_of(assessment, Answer("case_003", value=value), "case_003.nii.gz", prepared)
    assert [row.outcome for row in answer.rows] == ["missing"] * 8
    assert answer.details
    assert submission.runs.get().state == Run.State.QUEUED


def forged_rows(score, assessment, case):
    from evaluation.readers import LabelImage

    reference = scorer.references.get(assessment, case, algorithm="")
    image = LabelImage(labels(1), reference.geometry)
    return [
        results.CaseRow(row.case, row.region, row.metric, row.value, str(row.outcome), row.image_diagonal)
        for row in score(assessment, case.name, reference, image)
    ]


def test_another_run_gives_the_same_digest_and_replaces_the_first(world: World, workers):
    submission = scored(world)
    states.repeat(submission=submission, actor=world.organizer)
    first, second = submission.runs.order_by("number")
    assert (first.state, first.counts) == (Run.State.SUPERSEDED, False)
    assert (second.state, second.counts, second.trigger) == (Run.State.SCORED, True, Run.Trigger.RERUN)
    assert first.result_digest == second.result_digest
    assert results_frame(first).equals(results_frame(second))


def test_the_first_result_stands_while_another_run_is_under_way(world: World, workers):
    from celery import current_app

    submission = scored(world)
    current_app.conf.task_always_eager = False
    states.repeat(submission=submission, actor=world.organizer)
    assert [run.number for run in counted_runs(world.phase)] == [1]
    assert progress(submission).title == "Scoring again"
    with pytest.raises(ValidationError, match="still being worked on"):
        states.repeat(submission=submission, actor=world.organizer)


def test_the_database_refuses_a_second_counted_and_a_second_unfinished_run(world: World, workers):
    run = scored(world).runs.get()
    fields = {"submission": run.submission, "test_set": run.test_set, "assessment_digest": "0" * 64, "cases_total": 4}
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.create(
            **fields,
            number=2,
            state="scored",
            counts=True,
            finished_at=timezone.now(),
            result_file="x",
            result_digest="y",
        )
    Run.objects.create(**fields, number=3)
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.create(**fields, number=4)
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.filter(number=3).update(state="scored")


def test_progress_counts_the_cases_that_are_done(world: World):
    submission = accepted(world)
    assert (progress(submission).title, progress(submission).total) == ("Waiting to be scored", 4)
    [pk] = next_rows(SCORING)
    take(pk).tell(cases_done=3)
    Run.objects.update(state=Run.State.SCORING)
    now = progress(submission)
    assert (now.title, now.done, now.total, now.is_moving) == ("Scoring", 3, 4, True)


def test_the_team_with_least_work_under_way_is_next(world: World):
    accepted(world)
    accepted(world)
    bos = world.upload(zipped(predictions()), team=world.bos)
    validation.validate(submission_id=bos.pk)
    first, second, third = Chunk.objects.order_by("pk")
    assert next_rows(SCORING) == [first.pk, second.pk, third.pk]
    take(first.pk)
    assert next_rows(SCORING) == [third.pk, second.pk]


@pytest.mark.parametrize(("counts", "expected"), [("last", 2), ("best", 1)])
def test_one_submission_of_a_team_counts(world: World, workers, counts: str, expected: int):
    world.phase.counts = counts
    world.phase.save()
    scored(world, shift=0)
    scored(world, shift=2)
    scored(world, shift=1, team=world.bos)
    found = {run.submission.team.name: run.submission.number for run in counted_runs(world.phase)}
    assert found == {"Ada's": expected, "Bo's": 1}


def test_a_late_submission_does_not_count(world: World, workers):
    submission = scored(world)
    Submission.objects.filter(pk=submission.pk).update(is_late=True)
    assert counted_runs(world.phase) == []


def test_cases_are_listed_with_their_metadata(world: World):
    world.test_set.cases.filter(name="case_002").update(metadata={"site": "Utrecht"})
    assert case_names(world.phase) == list(CASES)
    frame = case_metadata_frame(world.phase)
    assert frame.set_index("case").loc["case_002", "site"] == "Utrecht"
