"""Phases that rank times: a start has its machine to itself, all are on one class of machine, and nothing unmeasured is ranked."""

import pytest

from confinement.containers.hardware import host_class
from core.work.services import claim
from evaluation.running.registered import Registered
from executions.models import Batch, CaseOutcome, Execution, RunHost
from executions.queries.slots import class_of, devices_for, nowhere
from executions.queries.work import RUNNING
from executions.services import hosts, running
from tests.integration.executions.costs_world import costly
from tests.integration.executions.world import execution_of, run_all
from tests.integration.submissions.world import ASSESSMENT, CASES

pytestmark = pytest.mark.django_db(transaction=True)

ROOM = {"cpus": 8, "memory_mib": 8192, "gpus": [], "host_class": "x86_64, Fast, 8 cores"}
OTHER = {**ROOM, "host_class": "x86_64, Slow, 2 cores"}


def handed_in(world, engine, **plan):
    world.set_plan(**plan)
    image = world.image()
    engine.held.append(image.digest)
    return world.hand_in(image)


def takes_a_moment(work):
    """Long enough to be looked at while it runs."""
    work.sleep(0.1)
    for case in work.cases:
        work.copy(case)


def fits_here(batch, host, offered):
    return devices_for(batch, host, offered) is not None


def begin(batch, host="here"):
    """Have a worker of a machine hold a batch."""
    lease = claim(RUNNING, batch.pk, give_up=lambda lost: None)
    lease.rows.update(host=host, state=Batch.State.RUNNING)
    return lease


def test_nothing_is_begun_beside_a_start_that_wants_its_machine_to_itself(world, engine):
    handed_in(world, engine, exclusive=True)
    first, second, *_ = Batch.objects.all()

    assert fits_here(first, "here", ROOM)
    begin(first)
    assert not fits_here(second, "here", ROOM)
    assert fits_here(second, "another machine", ROOM)


def test_it_is_not_begun_beside_others_either(world, engine, tmp_path):
    handed_in(world, engine)
    begin(Batch.objects.first())
    handed_in(world, engine, exclusive=True)
    wants_all = Batch.objects.filter(execution__plan__exclusive=True).first()

    assert not fits_here(wants_all, "here", ROOM)


def test_others_that_came_later_do_not_keep_it_waiting_for_ever(world, engine):
    handed_in(world, engine, exclusive=True)
    first = Batch.objects.first()
    blocker = begin(first, host=hosts.here().name)
    handed_in(world, engine, exclusive=False)

    # The machine is being emptied: what is next wants it to itself, and nothing that fits beside is begun before.
    assert not running.run_next_batch()
    blocker.complete(state=Batch.State.DONE)
    assert running.run_next_batch()


def test_all_starts_of_a_phase_are_on_the_class_of_machine_that_the_first_was_on(world, engine):
    submission = handed_in(world, engine, exclusive=True)
    run_all()
    assert execution_of(submission).counts == {"ok": len(CASES)}
    assert class_of(world.phase.pk) == host_class()

    again = handed_in(world, engine, exclusive=True)
    batch = Batch.objects.filter(execution__subject=again.pk).first()
    assert not fits_here(batch, "here", OTHER)
    assert fits_here(batch, "here", {**ROOM, "host_class": host_class()})
    RunHost.objects.update(slots=OTHER)
    assert host_class() in nowhere(Registered.of(batch.execution.plan), world.phase.pk)


def test_two_machines_that_begin_at_once_do_not_make_two_classes(world, engine):
    handed_in(world, engine, exclusive=True)
    RunHost.objects.create(name="slow", slots=OTHER)
    first, second, *_ = Batch.objects.all()
    begin(first, host="slow")

    assert class_of(world.phase.pk) == OTHER["host_class"]
    assert not fits_here(second, "here", ROOM)


def test_a_start_that_was_not_alone_is_run_again_and_never_counted(world, engine):
    answers = iter([False, True])
    engine.is_alone, engine.script = (lambda name: next(answers, True)), takes_a_moment
    submission = handed_in(world, engine, exclusive=True)

    turns = run_all()
    Batch.objects.update(due_at=None)
    turns += run_all()

    assert turns == len(CASES) + 1
    assert execution_of(submission).counts == {"ok": len(CASES)}
    assert all(batch.report["exclusive"] for batch in Batch.objects.all())


def test_where_it_never_is_alone_the_run_fails_on_our_side(world, engine):
    engine.is_alone, engine.script = (lambda name: False), takes_a_moment
    submission = handed_in(world, engine, exclusive=True, attempts_after_fault=0)
    run_all()

    execution = execution_of(submission)
    assert execution.state == Execution.State.FAILED
    assert "cannot be compared" in execution.log
    assert not CaseOutcome.objects.filter(execution=execution).exists()


def test_a_cost_that_this_machine_does_not_measure_is_a_fault_of_ours(world, engine, tmp_path):
    cpu = {"id": "run_cpu_time", "by": "run", "worst": 20}
    costly(world, tmp_path, assessment={**ASSESSMENT, "metrics": [{"id": "dsc"}, cpu]})

    def script(work):
        work.cpu_seconds = None
        for case in work.cases:
            work.copy(case)

    engine.script = script
    submission = handed_in(world, engine, exclusive=True, attempts_after_fault=0)
    run_all()

    execution = execution_of(submission)
    assert execution.state == Execution.State.FAILED
    assert "Processor time could not be measured on this machine" in execution.log


def test_without_a_cost_that_is_ranked_nothing_has_to_be_measured(world, engine):
    def script(work):
        work.cpu_seconds = None
        for case in work.cases:
            work.copy(case)

    engine.script = script
    submission = handed_in(world, engine, attempts_after_fault=0)
    run_all()

    assert execution_of(submission).counts == {"ok": len(CASES)}


def test_the_class_of_a_machine_names_what_its_times_depend_on(tmp_path):
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: Fast  CPU @ 3 GHz\n")
    for number, model in enumerate(("Card B", "Card A", "Card A")):
        folder = tmp_path / "driver/nvidia/gpus" / str(number)
        folder.mkdir(parents=True)
        (folder / "information").write_text(f"Model: \t\t {model}\nIRQ: 3\n")

    words = host_class(tmp_path)

    assert ", Fast CPU @ 3 GHz, " in words
    assert words.endswith(", 2 × Card A, 1 × Card B")


@pytest.mark.parametrize("ended", [False, True])
def test_a_team_reads_what_was_measured_of_hidden_cases_when_all_are_done(world, engine, client, ended):
    submission = handed_in(world, engine)
    running.run_next_batch()
    if ended:
        run_all()
    client.force_login(world.ada)
    page = client.get(f"/challenges/blocks/runs/{execution_of(submission).pk}/")

    assert page.status_code == 200
    assert ("Time of a case" in page.content.decode()) is ended
