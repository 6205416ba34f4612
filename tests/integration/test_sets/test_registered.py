"""A sealed test set that a registration promises is replaced after an approved change only."""

from datetime import timedelta

import pytest
from django.utils import timezone

from challenges.models import Phase
from core.audit.models import Entry
from datastore.test_sets.models import TestSet
from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.arrivals import begin
from datastore.test_sets.services.sealing import TestSetError
from datastore.uploads.services.refusals import UploadError
from registry.changes.models import ChangeRequest
from registry.changes.services import Verdict, decide, request_change
from tests.integration.changes import world as registered
from tests.integration.test_sets.test_archives import packed, references

# In one transaction: decisions about changes cannot be deleted, so that the database could not be emptied afterwards.
pytestmark = pytest.mark.django_db


def test_a_registered_challenge_needs_an_approved_change(tmp_path, client):
    world = registered.build()
    phase = Phase.objects.filter(task__challenge=world.challenge).earliest("pk")
    path = packed(tmp_path, references())
    owner = world.organizer
    first = take_archive(phase=phase, path=path, actor=owner)

    def replace() -> TestSet:
        return take_archive(phase=phase, path=path, actor=owner, replaces=True, reason="One reference was wrong.")

    with pytest.raises(TestSetError, match=f"registry/{world.registration.identifier}/changes/"):
        replace()
    client.force_login(owner)
    here = f"/challenges/{world.challenge.slug}/organize/test-sets/?phase={phase.pk}"
    assert "A replacement needs an approved change" in client.get(here).content.decode()
    with pytest.raises(UploadError, match="Ask for a change"):  # before a byte is sent
        begin(user=owner, phase=phase, file_name="a.zip", size=5, reason="One reference was wrong.")
    world.draft("annotation_instructions_test", "Annotated a second time by somebody else.")
    request = request_change(
        actor=owner, registration=world.registration, wanted=[registered.wanted("annotation_instructions_test")]
    )
    if request.state == ChangeRequest.State.OPEN:
        ChangeRequest.objects.filter(pk=request.pk).update(objections_until=timezone.now() - timedelta(minutes=1))
        request.refresh_from_db()
        agreed = Verdict(approve=True, reason="Agreed.")
        decide(actor=world.chair, request=request, verdicts={change.pk: agreed for change in request.changes.all()})
    second = replace()
    assert second.version == first.version + 1
    assert (first.change_request, second.change_request) == (None, request)
    facts = Entry.objects.filter(act="test_set_sealed").latest("sequence").facts
    assert facts["change_request"] == request.number
    # The record of the registration shows both digests, and for the second the change that allowed it.
    page = client.get(f"/registry/{world.registration.identifier}/").content.decode()
    assert first.manifest_digest in page
    assert second.manifest_digest in page
    assert f"/registry/{world.registration.identifier}/changes/{request.number}/" in page
    organized = client.get(here).content.decode()
    assert f"Change request {request.number}" in organized
    with pytest.raises(TestSetError, match="Ask for a change"):  # one change, one replacement
        replace()
