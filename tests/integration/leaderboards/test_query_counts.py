"""Pages read what is stored: the same number of queries however many teams there are."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.integration.leaderboards import world

pytestmark = pytest.mark.django_db

MOST = 12
"""Session, person, challenge, its navigation and the ranking itself."""


def queries_of(client: Client, name: str, *arguments: str, **asked: str) -> int:
    address = reverse(f"leaderboards:{name}", args=["liver", *arguments])
    assert client.get(address, asked).status_code == 200
    with CaptureQueriesContext(connection) as made:
        client.get(address, asked)
    return len(made)


@pytest.mark.parametrize("person", ["anonymous", "member", "organizer"])
def test_pages_cost_the_same_number_of_queries_for_any_number_of_teams(person):
    built = world.build(teams=("Ada",), ranked=("open", "sealed", "revealed"))
    client = Client()
    if person != "anonymous":
        client.force_login(built.people[person])
    pages = {
        "table": ("current", "open"),
        "sealed": ("current", "sealed"),
        "history": ("history", "open"),
        "version": ("version", "open", "1"),
        "closed": ("current", "revealed"),
        "closed version": ("version", "revealed", "1"),
    }
    few = {name: queries_of(client, *place) for name, place in pages.items()}
    few["stability"] = queries_of(client, "current", "open", view="stability")
    for name in ("Ben", "Cleo", "Dora"):
        world.join(built, name, level=0.7)
    many = {name: queries_of(client, *place) for name, place in pages.items()}
    many["stability"] = queries_of(client, "current", "open", view="stability")
    assert many == few
    assert max(many.values()) <= MOST
