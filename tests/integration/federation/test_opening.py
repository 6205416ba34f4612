"""Phases that can be evaluated at sites: only those without submissions, and they accept none afterwards."""

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from datastore.uploads.services.refusals import NotAllowedError
from federation.domain.registered import rules_from
from federation.forms import OpenForm
from federation.models import Federation
from federation.services.federations import open_federation
from submissions.models import Submission
from tests.integration.submissions import world as submissions_world

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def central(tmp_path):
    """A phase with a team that may hand in."""
    return submissions_world.build(tmp_path)


def hand_in(world):
    return world.upload(submissions_world.zipped(submissions_world.predictions()))


def page_of(world):
    client = Client()
    client.force_login(world.organizer)
    return client, f"/challenges/{world.challenge.slug}/organize/sites/"


def test_a_phase_with_submissions_is_neither_offered_nor_opened(central):
    hand_in(central)
    client, address = page_of(central)
    page = client.get(address).content.decode()
    assert "Evaluate at sites</button>" not in page
    assert "1 submission was handed in to this phase" in page
    asked = client.post(f"{address}open/", {"phase": central.phase.pk, "terms": "Cases stay."})
    assert asked.status_code == 422
    assert "1 submission was handed in to this phase" in asked.content.decode()
    with pytest.raises(ValidationError, match="a ranking over sites would leave them out"):
        open_federation(actor=central.organizer, phase=central.phase)
    assert not Federation.objects.exists()


def test_terms_of_several_lines_are_taken_as_browsers_send_them(central):
    form = OpenForm(
        {"phase": central.phase.pk, "terms": "Cases stay.\r\n\r\nSums leave."}, phases=[(central.phase.pk, "x")]
    )
    assert form.is_valid(), form.errors
    assert form.cleaned_data["terms"] == "Cases stay.\n\nSums leave."


def test_what_was_refused_or_withdrawn_stands_against_nothing(central):
    hand_in(central)
    Submission.objects.update(state=Submission.State.WITHDRAWN)
    client, address = page_of(central)
    assert "Evaluate at sites</button>" in client.get(address).content.decode()


def test_nothing_is_handed_in_to_a_phase_that_is_evaluated_at_sites(central):
    Federation.objects.create(phase=central.phase, rules=rules_from({}, site_column="site"), terms="Cases stay.")
    with pytest.raises(NotAllowedError, match="is evaluated at sites"):
        hand_in(central)
    assert not Submission.objects.exists()
