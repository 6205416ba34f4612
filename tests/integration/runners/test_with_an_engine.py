"""The runner program with a real engine: an image is downloaded, run on every case and judged; nothing is left."""

import pytest
from podium_client.runner.machine import Machine as RunnerMachine

from confinement.containers.probe import REQUIREMENTS
from executions.models import Execution
from executions.runners.models import RunnerRun
from tests.integration.executions.test_with_an_engine import COPY, machine, sent
from tests.integration.executions.world import execution_of, run_all
from tests.integration.runners.world import SLOTS, Program, conclude_all, issued, until
from tests.integration.submissions.world import CASES

__all__ = ["machine"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.engine,
    pytest.mark.any_database("Containers are tested, and no query."),
]


class WithPodman(Program):
    """The program with the engine of the test session."""

    def machine(self):
        return RunnerMachine(
            self.folder, self.engine, SLOTS, dict.fromkeys(REQUIREMENTS, True), versions=self.engine.versions()
        )


def test_predictions_of_a_runner_have_the_digest_of_those_of_a_worker(world, live_server, machine, settings, tmp_path):
    archive = sent(world, tmp_path, COPY)
    folder = machine.folder / "runner"
    folder.mkdir(mode=0o711)
    program = WithPodman(live_server.url, folder, machine.engine, {})
    _, secret = issued(world, concurrency=2)
    by_runner = world.hand_in(archive)
    program.start(secret)
    until(lambda: RunnerRun.objects.filter(state="returned").count() == len(CASES), seconds=120)
    program.stop()
    conclude_all()
    execution = execution_of(by_runner)
    assert (execution.state, execution.counts) == (Execution.State.DONE, {"ok": len(CASES)}), program.lines
    assert machine.engine.containers() == []
    assert list((folder / "runs").iterdir()) == []
    assert all(row["peak_memory_mib"] is None or row["peak_memory_mib"] > 0 for row in rows_of(execution))

    from executions.services import hosts

    settings.PODIUM_RUN_FOLDER = str(machine.folder)
    before = hosts.here()
    hosts.take_up(hosts.Host(engine=machine.engine, problem="", versions=machine.engine.versions()))
    try:
        hosts.tell()
        by_worker = world.hand_in(archive)
        run_all()
    finally:
        hosts.take_up(before)
    assert execution_of(by_worker).predictions_digest == execution.predictions_digest


def rows_of(execution):
    return [outcome.row for outcome in execution.outcomes.all()]
