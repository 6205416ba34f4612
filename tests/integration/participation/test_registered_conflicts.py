"""Registered organizers and label access, compared with the people who join."""

import pytest
from django.core.exceptions import ValidationError

from accounts.models import User
from challenges.models import Concern, Team
from challenges.queries.conflicts import registered_people
from challenges.queries.people import terms_of
from challenges.services import launch
from challenges.services.participation import set_terms, take_part
from tests.integration.challenges import world

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Conflicts are read from one registered document. `test_taking_part.py` stores teams on both databases."
    ),
]


@pytest.fixture
def challenge():
    registered = world.registered(
        {
            "organizing_team": [{"name": "Olga Orlova", "affiliation": "DKFZ Heidelberg", "role": "lead_organizer"}],
            "test_label_access": [{"who": "Bern Reading Centre", "from": "2026-01-01"}, {"who": "Carl Labeller"}],
            "organizer_participation_policy": "allowed_ranked_no_award",
            "data_usage_agreement": "Only for this challenge.",
        }
    )
    return launch(actor=registered.owner, registration=registered.registration, slug="hippo")


def test_the_registered_policy_says_what_an_upheld_concern_means(challenge):
    people = registered_people(challenge)
    assert [person.name for person in people.organizers] == ["Olga Orlova"]
    assert [person.name for person in people.label_access] == ["Bern Reading Centre", "Carl Labeller"]
    assert people.consequence == Team.Standing.NO_AWARD


def test_the_registered_agreement_is_part_of_the_terms_and_is_not_edited_by_hand(challenge, client):
    assert terms_of(challenge).agreement == "Only for this challenge."
    with pytest.raises(ValidationError, match="part of the registered design"):
        set_terms(actor=None, challenge=challenge, agreement="Something else.", requires_approval=False, team_size=None)
    client.force_login(challenge.organizers.get(username="olga-hippo"))
    page = client.get(f"/challenges/{challenge.slug}/organize/people/").content.decode()
    assert "Only for this challenge.</textarea>" in page
    assert "allowed ranked no award" in page


@pytest.mark.parametrize(
    ("name", "affiliation", "kinds"),
    [
        ("Zoe Zhang", "Imaging, DKFZ, Heidelberg", {"organizer"}),
        ("Carl Labeller", "Somewhere else", {"labels"}),
        ("Zoe Zhang", "Reading Centre Bern", {"labels"}),
        ("Zoe Zhang", "Somewhere else", set()),
    ],
)
def test_who_joins_is_compared_with_the_registered_people(challenge, name, affiliation, kinds):
    first, last = name.split()
    user = User.objects.create_user("zoe", "zoe@example.org", "a long password", first_name=first, last_name=last)
    take_part(user=user, challenge=challenge, terms=terms_of(challenge), affiliation=affiliation)
    assert set(Concern.objects.values_list("kind", flat=True)) == kinds
