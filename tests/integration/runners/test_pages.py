"""Pages of runners: operators and organizers issue and revoke tokens, and see the state of each machine."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.notifications.models import Notification
from core.audit.models import Entry
from executions.models import Execution, RunHost
from executions.runners.models import Runner
from executions.runners.services import issuing, reporting, stuck
from tests.integration.runners.attacks import report_of_runner
from tests.integration.runners.world import issued

pytestmark = pytest.mark.django_db
FORM = {"name": "gpu-1", "concurrency": 2, "days": 90, "labels": "room 4, quiet", "hardware_class": ""}


def token_in(response):
    return re.search(r"podium_runner_[\w-]{43}", response.content.decode()).group()


def test_an_organizer_adds_a_machine_and_sees_its_token_once(world, client):
    client.force_login(world.organizer)
    page = reverse("runners:challenge", args=[world.challenge.slug])
    response = client.post(page, FORM)
    secret = token_in(response)
    again = client.get(page).content.decode()
    assert secret not in again
    assert "Never connected" in again
    runner = issuing.use(secret)
    assert (runner.name, runner.challenge, runner.concurrency, runner.labels) == (
        "gpu-1",
        world.challenge,
        2,
        ["room 4", "quiet"],
    )
    assert secret not in str(Runner.objects.values().get())
    entry = Entry.objects.get(act="runner_issued")
    assert (entry.actor_id, entry.scope, entry.facts["scope"]) == (world.organizer.pk, world.challenge.slug, "blocks")
    assert secret not in str(entry.facts)


def test_teams_read_whether_machines_of_the_organizers_can_read_their_algorithms(world, client):
    client.force_login(world.ada)
    page = f"/challenges/blocks/submit/?phase={world.phase.pk}"
    sentence = "Such a machine can read its image and weights."
    issued(world)
    assert sentence not in client.get(page).content.decode()
    runner, _ = issued(world, challenge=world.challenge)
    assert sentence in client.get(page).content.decode()
    Runner.objects.filter(pk=runner.pk).update(revoked_at=timezone.now())
    assert sentence not in client.get(page).content.decode()


def test_a_second_valid_runner_has_another_name(world, client):
    client.force_login(world.organizer)
    page = reverse("runners:challenge", args=[world.challenge.slug])
    client.post(page, FORM)
    assert "A valid runner is called gpu-1." in client.post(page, FORM).content.decode()


@pytest.mark.parametrize("person", ["ada", None])
def test_nobody_else_sees_or_adds_runners(world, client, person):
    runner, _ = issued(world, challenge=world.challenge)
    if person:
        client.force_login(getattr(world, person))
    status = 404 if person else 302
    for name, args in (("challenge", [world.challenge.slug]), ("installation", [])):
        assert client.get(reverse(f"runners:{name}", args=args)).status_code == status
        assert client.post(reverse(f"runners:{name}", args=args), FORM).status_code == status
    for name in ("revoke", "accept"):
        assert client.post(reverse(f"runners:{name}", args=[runner.pk])).status_code == status
    assert Runner.objects.get().is_valid


def test_an_organizer_manages_no_runner_of_the_installation(world, client):
    runner, _ = issued(world)
    client.force_login(world.organizer)
    assert client.post(reverse("runners:revoke", args=[runner.pk])).status_code == 404
    assert client.get(reverse("runners:installation")).status_code == 404


def test_an_operator_sees_all_runners_and_revokes(world, client, admin_user):
    client.force_login(admin_user)
    response = client.post(reverse("runners:installation"), FORM)
    secret = token_in(response)
    runner = issuing.use(secret)
    assert runner.challenge is None
    issued(world, challenge=world.challenge, name="of the organizers")
    text = client.get(reverse("runners:installation")).content.decode()
    assert "of the organizers" in text
    assert "All challenges" in text
    client.post(reverse("runners:revoke", args=[runner.pk]))
    assert issuing.use(secret) is None
    assert Entry.objects.filter(act="runner_revoked", subject_id=str(runner.pk)).exists()


def test_a_token_ends_by_itself(world):
    _, secret = issued(world)
    Runner.objects.update(created_at=timezone.now() - timedelta(days=9), expires_at=timezone.now() - timedelta(days=1))
    assert issuing.use(secret) is None


def test_changed_hardware_needs_the_consent_of_a_person(world, client):
    runner, _ = issued(world, challenge=world.challenge)
    reporting.report(runner, report_of_runner())
    changed = reporting.report(runner, report_of_runner(cpus=64))
    assert changed.problem.startswith("The hardware changed since the first contact (cpus).")
    client.force_login(world.organizer)
    page = reverse("runners:challenge", args=[world.challenge.slug])
    assert "Accept hardware" in client.get(page).content.decode()
    client.post(reverse("runners:accept", args=[runner.pk]))
    assert reporting.report(runner, report_of_runner(cpus=64)).problem == ""
    assert "Ready" in client.get(page).content.decode()


def test_runs_without_a_machine_are_reported_within_fifteen_minutes(world, admin_user):
    world.hand_in(world.image())
    assert stuck.report_stuck() == 0
    Execution.objects.update(queued_at=timezone.now() - timedelta(minutes=11))
    assert stuck.report_stuck() == stuck.report_stuck() == 1
    told = {row.user.get_username(): row for row in Notification.objects.filter(kind=stuck.KIND)}
    assert set(told) == {"olga", admin_user.get_username()}
    assert told["olga"].subject == "Blocks: 1 run cannot begin"
    assert "No machine runs algorithms at the moment." in told["olga"].text
    assert stuck.PATIENCE + timedelta(minutes=1) < timedelta(minutes=15)


def test_runs_that_a_machine_can_run_are_not_reported(world, admin_user):
    world.hand_in(world.image())
    runner, _ = issued(world, challenge=world.challenge)
    reporting.report(runner, report_of_runner())
    Execution.objects.update(queued_at=timezone.now() - timedelta(minutes=11))
    assert stuck.report_stuck() == 0
    RunHost.objects.update(seen_at=timezone.now() - timedelta(minutes=5))
    assert stuck.report_stuck() == 1
