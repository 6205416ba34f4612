"""Organizing many teams: pages, search, choices, and distinguishable phases."""

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse

from challenges.models import Phase, Task, Team
from challenges.queries import phases_of

pytestmark = pytest.mark.django_db


def test_teams_come_in_pages_and_are_found_by_name(world, client):
    Team.objects.bulk_create(
        Team(challenge=world.challenge, name=f"Zebra {number:03}", slug=f"zebra-{number:03}") for number in range(60)
    )
    client.force_login(world.organizer)
    address = reverse("challenges:people", args=[world.challenge.slug])
    first, second = (client.get(address, {"teams": number}).content.decode() for number in (1, 2))
    assert ("Zebra 003" in first, "Zebra 059" in first) == (True, False)
    assert ("Zebra 003" in second, "Zebra 059" in second) == (False, True)
    assert 'href="?teams=2#teams"' in first
    found = client.get(address, {"q": "059"}).content.decode()
    assert ("Zebra 003" in found, "Zebra 059" in found) == (False, True)
    assert "No such team" in client.get(address, {"q": "nobody"}).content.decode()


@pytest.mark.parametrize("name", ["decide_people", "set_standing"])
def test_who_chose_nobody_is_told_so(world, client, name):
    client.force_login(world.organizer)
    answer = client.post(reverse(f"challenges:{name}", args=[world.challenge.slug]), {"decision": "approve"})
    assert "is selected" in str(next(iter(get_messages(answer.wsgi_request))))


def test_phases_of_several_tasks_are_named_with_their_task(world, client):
    [first, *_] = found = phases_of(world.challenge)
    assert {phase.label for phase in found} == {phase.name for phase in found}
    other = Task.objects.create(challenge=world.challenge, slug="other", name="Other organ", position=2)
    twin = Phase.objects.get(pk=first.pk)
    twin.pk, twin.task = None, other
    twin.save()
    assert f"Other organ: {first.name}" in {phase.label for phase in phases_of(world.challenge)}
    client.force_login(world.organizer)
    for page in ("challenges:organize", "results:organize", "results:work", "test_sets:test_sets"):
        assert f"Other organ: {first.name}" in client.get(reverse(page, args=[world.challenge.slug])).content.decode()
