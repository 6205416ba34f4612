"""The runner program with a platform that it reaches by HTTP alone: its engine is a function of the test."""

import zipfile

import pytest

from datastore.uploads.storage import local_path
from executions.models import Batch, Execution, RunHost
from executions.runners.models import Runner, RunnerRun
from executions.runners.services import issuing
from submissions.models import Submission
from tests.integration.executions.test_running import judge, world_predictions
from tests.integration.executions.world import execution_of
from tests.integration.runners.world import conclude_all, image_of, issued, until
from tests.integration.submissions.world import CASES

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("The interface is tested. Its queries are those of a worker."),
]


def test_a_runner_executes_every_case_and_the_result_is_that_of_a_worker(world, program, tmp_path):
    runner, secret = issued(world, concurrency=2)
    submission = world.hand_in(image_of(world, tmp_path))
    program.start(secret)
    until(lambda: RunnerRun.objects.filter(state="returned").count() == len(CASES))
    program.stop()

    assert conclude_all() == len(CASES)
    execution = execution_of(submission)
    assert execution.state == Execution.State.DONE
    assert execution.counts == {"ok": len(CASES)}
    judge(submission)
    assert submission.state == Submission.State.SCORED
    with zipfile.ZipFile(local_path(submission.predictions_file)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == world_predictions(world)
    assert set(runner.runs.values_list("state", flat=True)) == {"done"}
    assert not any(run.outputs_file and local_path(run.outputs_file).exists() for run in runner.runs.all())
    row = execution.outcomes.first().row
    assert (row["host_class"], row["attempt"]) == ("x86_64, Test, 4 cores", 1)
    assert program.engine.loaded == [execution.image.digest]
    assert list((program.folder / "runs").iterdir()) == list((program.folder / "downloads").iterdir()) == []


def test_a_runner_says_what_it_offers_and_whether_it_gets_work(world, program):
    runner, secret = issued(world)
    assert program.serve(secret, is_check=True) == 0
    assert program.lines == [
        "Runner gpu-1 is ready for all challenges (stand-in, 4 cores, 4096 MiB, 0 GPUs).",
    ]
    host = RunHost.objects.get(name=runner.host)
    assert (host.is_ready, str(host)) == (True, "gpu-1")


def test_a_runner_without_a_guarantee_gets_no_work_and_the_reason(world, program, tmp_path):
    _, secret = issued(world)
    world.hand_in(image_of(world, tmp_path))
    program.holds["R1"] = False
    assert program.once(secret) == 1
    assert "gets no work. Guarantees that do not hold: R1 (no network but its own loopback)" in program.lines[-1]
    assert not RunnerRun.objects.exists()


def test_a_fault_of_the_machine_repeats_the_batch_and_counts_for_nobody(world, program, tmp_path):
    _, secret = issued(world)
    world.hand_in(image_of(world, tmp_path))
    program.engine.script = lambda work: work.fault("the disk is gone")
    assert program.once(secret) == 0
    conclude_all()
    run = RunnerRun.objects.get()
    assert (run.state, run.reason) == ("faulty", "the disk is gone")
    batch = run.batch
    assert (batch.state, batch.attempts) == (Batch.State.WAITING, 1)
    assert batch.failure == "Runner gpu-1: the disk is gone"


def test_a_stopped_runner_releases_its_run_and_another_one_begins_at_once(world, program, tmp_path):
    _, secret = issued(world)
    world.hand_in(image_of(world, tmp_path))
    program.engine.script = lambda work: work.sleep(60)
    program.start(secret)
    until(lambda: bool(program.engine.starts))
    program.stop()
    assert RunnerRun.objects.get().state == "released"
    batch = Batch.objects.order_by("index").first()
    assert (batch.state, batch.attempts, batch.failure) == (Batch.State.WAITING, 0, "The runner was stopped.")
    assert program.engine.alive == {}


def test_an_interrupted_upload_goes_on_after_a_restart_of_the_runner(world, program, tmp_path, monkeypatch):
    from podium_client.runner import working

    _, secret = issued(world)
    submission = world.hand_in(image_of(world, tmp_path))

    def breaks_off(self, run, folder):
        self.link.send(run, 0, (folder / "outputs.bin").read_bytes()[:10])
        self._stopping.set()
        raise working.EndedError("the machine is restarted")

    with monkeypatch.context() as patch:
        patch.setattr(working.Worker, "_deliver", breaks_off)
        program.once(secret)
    [run] = RunnerRun.objects.all()
    assert (run.state, run.received) == ("leased", 10)

    program.stopping.clear()
    starts = len(program.engine.starts)
    program.once(secret)
    run.refresh_from_db()
    assert run.state == "returned"
    assert f"Run {run.pk}: delivered after the restart" in program.lines
    assert len(program.engine.starts) == starts + 1  # of the next run, not of this one
    conclude_all()
    assert execution_of(submission).outcomes.count() == 2


def test_a_runner_of_a_challenge_gets_runs_of_that_challenge_only(world, program, tmp_path):

    image = image_of(world, tmp_path)
    world.hand_in(image)
    from challenges.services import create_challenge

    other = create_challenge(
        actor=world.organizer,
        organizers=[world.organizer],
        slug="other",
        title="Other",
        summary="Other.",
        is_public=True,
    )
    _, secret = issued(world, challenge=other)
    assert program.once(secret) == 0
    assert "No run is waiting." in program.lines
    _, secret = issued(world, challenge=world.challenge)
    program.once(secret)
    assert RunnerRun.objects.get().runner.challenge == world.challenge


def test_a_revoked_token_ends_the_runner_with_a_clear_message(world, program):
    from podium_client.runner.link import TokenError

    runner, secret = issued(world)
    issuing.revoke(runner=Runner.objects.get(pk=runner.pk), actor=world.organizer)
    with pytest.raises(TokenError, match="was revoked"):
        program.once(secret)
