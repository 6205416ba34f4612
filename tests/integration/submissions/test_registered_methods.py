"""A phase accepts the submission methods that its design registers, and no others."""

import pytest
from django.test import Client
from django.urls import reverse

from challenges.models import Phase
from challenges.queries.submission_methods import refusal_of_uploads
from challenges.services import join_with_team, launch
from datastore.uploads.services.refusals import NotAllowedError
from submissions.measurements.queries import takes_tables
from submissions.services.submitting import create_upload
from tests.integration.challenges import world
from tests.integration.leaderboards.conftest import storage_folder, surroundings

__all__ = ["storage_folder", "surroundings"]
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "The rule is computed from the registered document. `test_scoring_path.py` submits on both databases."
    ),
]
OPEN = {"data_usage_agreement": None}


def launched(methods):
    found = world.registered({**OPEN, "submission_method": methods})
    challenge = launch(actor=found.owner, registration=found.registration)
    phase = Phase.objects.select_related("task__challenge").get(task__challenge=challenge, slug="final")
    member = world.person("ada")
    return phase, member, join_with_team(user=member, challenge=challenge, team_name="Ada's")


@pytest.mark.parametrize("methods", [["docker_container"], ["upload_code", "on_site"]])
def test_uploads_are_refused_where_the_design_registers_other_methods_only(methods):
    phase, member, team = launched(methods)
    with pytest.raises(NotAllowedError, match=r"Final phase accepts no uploads: its design registers “"):
        create_upload(user=member, phase=phase, team=team, file_name="p.zip", size=10)
    assert takes_tables(phase)

    client = Client()
    client.force_login(member)
    page = client.get(reverse("submissions:submit", args=[phase.challenge.slug]), {"phase": phase.pk})
    assert "accepts no uploads" in page.content.decode()


@pytest.mark.parametrize("methods", [["docker_container", "evaluation_platform"], ["api"], [{"other": "by courier"}]])
def test_uploads_are_accepted_where_one_is_registered_or_the_method_is_in_the_organizers_words(methods):
    phase, member, team = launched(methods)
    assert refusal_of_uploads(phase) == ""
    assert not takes_tables(phase)
    assert create_upload(user=member, phase=phase, team=team, file_name="p.zip", size=10)
