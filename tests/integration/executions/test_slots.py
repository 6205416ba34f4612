"""Shared resources of a machine: each GPU serves one start at a time, and team compute time is limited."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.notifications.models import Notification
from challenges.models import Phase
from datastore.uploads.services.refusals import QuotaExceededError
from executions.models import AlgorithmArchive, Batch, Execution
from executions.queries.progress import standing
from executions.services import deleting, hosts, running
from tests.integration.executions.world import execution_of, run_all
from tests.integration.submissions.world import CASES

pytestmark = pytest.mark.django_db(transaction=True)


def ready(world, engine, **plan):
    world.set_plan(**plan)
    image = world.image()
    engine.held.append(image.digest)
    return image


def test_two_starts_at_once_get_two_devices_and_a_third_waits(world, engine, settings):
    settings.PODIUM_RUN_GPUS = ["GPU-a", "GPU-b"]
    hosts.tell()
    world.hand_in(ready(world, engine, gpus=1, cpus=0.1, memory_mib=16))

    leases = [running.claim_here() for _ in range(3)]

    assert [lease and lease.rows.get().gpus for lease in leases] == [["GPU-a"], ["GPU-b"], None]
    leases[0].hand_back(timedelta(0), failure="", state=Batch.State.WAITING)
    assert running.claim_here().rows.get().gpus == ["GPU-a"]


def test_a_start_gets_as_many_devices_as_are_registered_and_the_container_those(world, engine, settings):
    settings.PODIUM_RUN_GPUS = ["0", "1", "2"]
    hosts.tell()
    world.hand_in(ready(world, engine, gpus=2))

    run_all()

    assert {tuple(start.gpus) for start in engine.starts} == {("0", "1")}
    execution = Execution.objects.get()
    rows = [outcome.row for outcome in execution.outcomes.all()]
    assert all(row["gpu_seconds"] == pytest.approx(2 * row["wall_seconds"], abs=1e-5) for row in rows)
    assert execution.compute_seconds == pytest.approx(sum(row["gpu_seconds"] for row in rows), abs=1e-4)


def test_without_need_of_a_device_none_is_taken(world, engine, settings):
    settings.PODIUM_RUN_GPUS = ["0"]
    hosts.tell()
    world.hand_in(ready(world, engine))
    run_all()

    assert {tuple(start.gpus) for start in engine.starts} == {()}


def spend(execution, hours):
    Execution.objects.filter(pk=execution.pk).update(compute_seconds=hours * 3600)


def test_the_compute_time_of_all_teams_ends_what_is_new_and_nothing_that_runs(world, engine, client):
    image = ready(world, engine, budget_hours=2)
    first = execution_of(world.hand_in(image))
    other = world.image(team=world.bos, digit="b")
    engine.held.append(other.digest)
    second = world.hand_in(other, team=world.bos)
    assert running.run_next_batch()
    begun = Execution.objects.get(state=Execution.State.RUNNING)
    spend(begun, 2)

    run_all()

    waiting = Execution.objects.exclude(pk=begun.pk).get()
    assert Execution.objects.get(pk=begun.pk).state == Execution.State.DONE
    assert waiting.state == Execution.State.QUEUED
    assert "used up (2.0 h of 2.0 h used by all teams)" in standing(waiting.subject).text
    assert {first.pk, execution_of(second).pk} == {begun.pk, waiting.pk}
    with pytest.raises(QuotaExceededError, match="used up"):
        world.hand_in(world.image(digit="c"))
    client.force_login(world.ada)
    page = client.get(reverse("submissions:submit", args=["blocks"])).content.decode()
    assert "2.0 h of 2.0 h used by all teams" in page
    assert 'id="hand-in-form"' not in page
    world.set_plan(budget_hours=3)
    run_all()
    assert Execution.objects.get(pk=waiting.pk).state == Execution.State.DONE


def test_organizers_are_told_once_at_four_fifths_and_once_at_the_end(world, engine):
    image = ready(world, engine, budget_hours=1)
    execution = execution_of(world.hand_in(image))
    messages = Notification.objects.filter(kind="compute_time_near_its_end")
    for hours, number in ((0.1, 0), (0.85, 1), (0.9, 1), (1.2, 2)):
        spend(execution, hours)
        assert running.run_next_batch()
        assert messages.count() == number
    assert set(messages.values_list("user__username", flat=True)) == {"olga"}
    assert sum("No new runs start" in text for text in messages.values_list("text", flat=True)) == 1


def test_what_no_run_has_used_is_deleted_some_days_after_the_last_phase_and_what_stands_behind_a_result_stays(
    world, engine
):
    used, unused = ready(world, engine), world.image(digit="b")
    world.hand_in(used)
    run_all()
    AlgorithmArchive.objects.update(created_at=timezone.now() - timedelta(days=30))
    assert deleting.give_up_unused() == 0
    Phase.objects.filter(pk=world.phase.pk).update(
        opens_at=timezone.now() - timedelta(days=40), closes_at=timezone.now() - timedelta(days=8)
    )

    assert deleting.give_up_unused() == 1

    assert list(AlgorithmArchive.objects.filter(removed_at=None)) == [used]
    assert AlgorithmArchive.objects.get(pk=unused.pk).digest
    assert len(CASES) == used.executions.get().cases_total
