"""Rules that people accept: the page shows the stored text and correctly reports later changes."""

import pytest
from django.test import Client

from challenges.models import Participation
from challenges.queries.people import terms_of
from challenges.services import join_with_team, launch
from challenges.services.participation import set_terms, take_part
from tests.integration.challenges import world
from web.templatetags.text import plain

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Stored texts of rules are compared in Python. `test_taking_part.py` stores acceptances on both databases."
    ),
]


@pytest.fixture
def challenge():
    registered = world.registered()
    return launch(actor=registered.owner, registration=registered.registration)


def page(client, address):
    return client.get(address).content.decode()


def test_the_text_that_is_shown_is_the_text_that_is_stored(challenge):
    person, client = world.person("max"), Client()
    client.force_login(person)
    shown = page(client, f"/challenges/{challenge.slug}/join/")
    take_part(user=person, challenge=challenge, terms=terms_of(challenge), affiliation="Home")
    join_with_team(user=person, challenge=challenge, team_name="Blue")
    stored = Participation.objects.get(user=person).rules_text
    team, detail = (page(client, f"/challenges/{challenge.slug}/{name}") for name in ("team/", ""))
    interface = client.get(f"/api/v1/challenges/{challenge.slug}/").json()["rules_text"]
    assert stored == challenge.rules_text == interface
    paragraphs = stored.split("\n\n")
    assert len(paragraphs) > 5
    for text in (shown, team, detail):
        assert [part for part in paragraphs if part not in " ".join(plain(text).split())] == []


def test_terms_that_were_never_accepted_have_not_changed(challenge):
    person, client = world.person("max"), Client()
    client.force_login(person)
    join_with_team(user=person, challenge=challenge, team_name="Blue")
    before = page(client, f"/challenges/{challenge.slug}/team/")
    assert "You have not accepted the terms yet" in before
    assert "have changed" not in before
    take_part(user=person, challenge=challenge, terms=terms_of(challenge), affiliation="Home")
    accepted = page(client, f"/challenges/{challenge.slug}/team/")
    assert "not accepted the terms yet" not in accepted
    assert "have changed" not in accepted
    set_terms(actor=None, challenge=challenge, agreement=challenge.agreement, requires_approval=False, team_size=3)
    after = page(client, f"/challenges/{challenge.slug}/team/")
    assert "The terms have changed since you accepted them" in after
    assert "You accepted version 1." in after
