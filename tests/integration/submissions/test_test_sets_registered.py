"""A sealed test set that a registration promises is replaced after an approved change only."""

from datetime import timedelta

import pytest
from django.utils import timezone

from challenges.models import Phase
from registry.changes.services import Verdict, decide, request_change
from registry.models import ChangeRequest
from submissions.models import TestSet
from submissions.services.test_set_archives import take_archive
from submissions.services.test_sets import TestSetError
from tests.integration.registry.changes import world as registered
from tests.integration.submissions.test_test_set_archives import packed, references

# In one transaction: decisions about changes cannot be deleted, so that the database could not be emptied afterwards.
pytestmark = pytest.mark.django_db


def test_a_registered_challenge_needs_an_approved_change(tmp_path):
    world = registered.build()
    phase = Phase.objects.filter(task__challenge=world.challenge).earliest("pk")
    path = packed(tmp_path, references())
    owner = world.organizer
    first = take_archive(phase=phase, path=path, actor=owner)

    def replace() -> TestSet:
        return take_archive(phase=phase, path=path, actor=owner, replaces=True, reason="One reference was wrong.")

    with pytest.raises(TestSetError, match=f"registry/{world.registration.identifier}/changes/"):
        replace()
    world.draft("annotation_instructions_test", "Annotated a second time by somebody else.")
    request = request_change(
        actor=owner, registration=world.registration, wanted=[registered.wanted("annotation_instructions_test")]
    )
    if request.state == ChangeRequest.State.OPEN:
        ChangeRequest.objects.filter(pk=request.pk).update(objections_until=timezone.now() - timedelta(minutes=1))
        request.refresh_from_db()
        agreed = Verdict(approve=True, reason="Agreed.")
        decide(actor=world.chair, request=request, verdicts={change.pk: agreed for change in request.changes.all()})
    assert replace().version == first.version + 1
    with pytest.raises(TestSetError, match="Ask for a change"):  # one change, one replacement
        replace()
