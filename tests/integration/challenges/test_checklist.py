"""The checklist of organizers: state, person and next step from the design to the report."""

import pytest
from django.urls import reverse

from challenges.models import Projection
from challenges.queries import phases_of
from challenges.queries.checklist import checklist_of
from challenges.services import launch
from datastore.datasets.models import Dataset
from tests.integration.challenges.world import registered
from tests.unit.challenges.world import build

pytestmark = pytest.mark.django_db


def states(challenge):
    return {row.step.title: row.state for row in checklist_of(challenge, phases_of(challenge))}


def test_a_launched_challenge_lists_its_next_step(client):
    world = registered()
    challenge = launch(actor=world.owner, registration=world.registration)
    rows = {row.step.title: row for row in checklist_of(challenge, phases_of(challenge))}
    assert list(rows) == [
        "Design registered",
        "Challenge launched",
        "Data for participants",
        "Test sets sealed",
        "Submissions opened",
        "Phases closed",
        "Report published",
    ]
    assert rows["Challenge launched"].person == world.owner.display_name
    assert rows["Data for participants"].state == "next"
    assert rows["Test sets sealed"].step.note == "0 of 2 phases"
    Dataset.objects.create(
        challenge=challenge, slug="a", name="A", split="training", licence="CC0", url="https://example.org/a"
    )
    assert states(challenge)["Data for participants"] == "done"
    assert states(challenge)["Test sets sealed"] == "next"
    assert (states(challenge)["Submissions opened"] == "done") == bool(
        Projection.objects.get(challenge=challenge).opened_at
    )


def test_only_organizers_see_it(client):
    world = build()
    for person, is_shown in ((world.organizer, True), (world.member, False)):
        client.force_login(person)
        page = client.get(reverse("challenges:detail", args=[world.challenge.slug])).content.decode()
        assert ("Checklist for organizers" in page) == is_shown
    client.force_login(world.organizer)
    page = client.get(reverse("challenges:organize", args=[world.challenge.slug])).content.decode()
    assert "Upload a test set" in page
    assert 'id="checklist"' in page
