"""Pages read what is stored: the same number of queries however many teams there are."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from accounts.notifications.models import Notification
from challenges.models import Member, Phase
from submissions.services.messages import tell_scored
from tests.integration.leaderboards import world

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Django composes as many queries for both databases. `test_pages.py` executes them on both."
    ),
]

MOST = 14
"""Session, person, challenge, its navigation and the ranking itself."""


def queries_of(client: Client, name: str, *arguments: str, **asked: str) -> int:
    address = reverse(f"leaderboards:{name}", args=["liver", *arguments])
    assert client.get(address, asked).status_code == 200
    with CaptureQueriesContext(connection) as made:
        client.get(address, asked)
    return len(made)


def test_pages_cost_the_same_number_of_queries_for_any_number_of_teams():
    built = world.build(teams=("Ada",), ranked=("open", "sealed", "revealed"))
    clients = {"anonymous": Client(), "member": Client(), "organizer": Client()}
    for person in ("member", "organizer"):
        clients[person].force_login(built.people[person])
    pages = {
        "table": ("current", "open"),
        "sealed": ("current", "sealed"),
        "history": ("history", "open"),
        "version": ("version", "open", "1"),
        "closed": ("current", "revealed"),
        "closed version": ("version", "revealed", "1"),
    }

    def costs() -> dict[tuple[str, str], int]:
        found = {}
        for person, client in clients.items():
            found |= {(person, name): queries_of(client, *place) for name, place in pages.items()}
            found[person, "stability"] = queries_of(client, "current", "open", view="stability")
        return found

    few = costs()
    for name in ("Ben", "Cleo", "Dora"):
        world.join(built, name, level=0.7)
    many = costs()
    assert many == few
    assert max(many.values()) <= MOST


def test_teams_are_told_of_their_results_in_the_same_number_of_queries_for_any_number_of_submissions():
    built = world.build(teams=("Ada",), ranked=("open",))

    def told() -> tuple[int, int]:
        Notification.objects.all().delete()
        with CaptureQueriesContext(connection) as made:
            tell_scored(Phase.objects.select_related("task__challenge").get(slug="open"), is_last=True)
        return Notification.objects.exclude(email=None).count(), len(made)

    once, few = told()
    for number in range(5):
        person = User.objects.create(username=f"p{number}", email=f"p{number}@example.org")
        team = world.join(built, f"Team {number}", level=0.5)
        Member.objects.create(team=team, challenge=built.challenge, user=person)
    assert once == 1
    assert told() == (6, few)
    assert few <= 20
    ranks = {row.text.split(" rank")[1][:6] for row in Notification.objects.all()}
    assert len(ranks) > 1
