"""Findings before sealing: what is found in an archive, who sees and accepts it, and that nothing open is sealed."""

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import User
from challenges.models import Organizer
from core.audit.models import Entry
from datastore.test_sets import vault
from datastore.test_sets.models import SanityFinding, TestSet, TestSetArchive
from datastore.test_sets.services import received_archives
from datastore.test_sets.services.findings import ACCEPTED, accept
from datastore.test_sets.services.replacing import TestSetError
from datastore.uploads.storage import private
from tests.integration.submissions.world import CASES, World, labels, nifti, zipped

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/challenges/blocks/organize/test-sets/archives/"


def received(world: World) -> TestSetArchive:
    """Send an archive with planted faults: two equal references, a stray voxel, and an empty reference."""
    stray, empty = labels(2), np.zeros_like(labels(1))
    stray[0, 0, 0] = stray.max()
    contents = dict(zip(CASES, (labels(1), labels(1), stray, empty), strict=True))
    files = {f"references/{case}.nii.gz": nifti(content) for case, content in contents.items()}
    sent = SimpleUploadedFile("references.zip", zipped(files), content_type="application/zip")
    archive = received_archives.receive(user=world.organizer, phase=world.phase, archive=sent, reason="Corrected.")
    received_archives.work_off(archive_id=archive.pk)
    archive.refresh_from_db()
    return archive


def planted(archive: TestSetArchive) -> list[tuple[str, str, str]]:
    return list(archive.findings.order_by("position").values_list("check_id", "case", "region"))


def test_planted_faults_are_found_and_keep_the_archive_from_being_sealed(client, world: World):
    archive = received(world)
    label = str(labels(1).max())
    found = planted(archive)
    assert ("empty_reference", CASES[3], "") in found
    assert ("tiny_components", CASES[2], label) in found
    assert [case for check, case, _ in found if check == "same_reference"] == [CASES[0], CASES[1]]
    assert {check for check, _, _ in found} == {"empty_reference", "tiny_components", "same_reference"}
    with pytest.raises(TestSetError, match="4 open findings: accept them before you seal"):
        received_archives.confirm(archive=archive, actor=world.organizer)
    client.force_login(world.organizer)
    page = client.get(f"{PAGE}{archive.pk}/findings/").content.decode()
    assert "Overlap and distances are undefined in this case" in page  # the first check with open findings
    assert CASES[3] in page
    # One without an answer, several with one.
    first = archive.findings.get(check_id="empty_reference")
    client.post(f"{PAGE}{archive.pk}/findings/accept/", {"finding": first.pk})
    client.post(f"{PAGE}{archive.pk}/findings/accept/", {"check": "same_reference"})
    assert archive.findings.filter(answered_at=None).count() == 3
    client.post(f"{PAGE}{archive.pk}/findings/accept/", {"check": "same_reference", "answer": "Two time points."})
    assert archive.findings.filter(answered_at=None).count() == 1
    accept(actor=world.organizer, archive=archive, check_id="tiny_components", answer="A calcification.")
    assert client.post(f"{PAGE}{archive.pk}/seal/").status_code == 302
    received_archives.work_off(archive_id=archive.pk)
    archive.refresh_from_db()
    assert (archive.state, archive.test_set.version) == (TestSetArchive.State.SEALED, 2)
    # The answers stay with the version and in the log; the pictures do not.
    answers = dict(archive.findings.values_list("check_id", "answer"))
    assert answers["same_reference"] == "Two time points."
    assert not any(private().exists(name) for name in archive.files)
    page = client.get(f"{PAGE}{archive.pk}/findings/?check=same_reference").content.decode()
    assert "Two time points." in page
    entries = Entry.objects.filter(act=ACCEPTED).order_by("sequence")
    assert [entry.facts["findings"] for entry in entries] == [1, 2, 1]
    assert entries[1].facts["cases"] == [CASES[0], CASES[1]]
    with pytest.raises(TestSetError, match="is decided"):
        accept(actor=world.organizer, archive=archive, answer="Too late.")


def test_findings_are_for_owners_and_their_pictures_for_the_sender(client, world: World):
    archive = received(world)
    finding = archive.findings.exclude(picture="").earliest("position")
    assert finding.picture.endswith(vault.SUFFIX)
    make = User.objects.create_user
    people = {"anonymous": None, "participant": world.ada, "owner": world.organizer}
    people["administrator"] = make("root", "root@example.org", "a long password", is_staff=True, is_superuser=True)
    for role in (Organizer.Role.OWNER, Organizer.Role.MANAGER, Organizer.Role.MODERATOR):
        people[f"other {role}"] = make(f"o-{role}", f"{role}@example.org", "a long password")
        Organizer.objects.create(challenge=world.challenge, user=people[f"other {role}"], role=role)
    found = {}
    for role, user in people.items():
        client.logout()
        if user is not None:
            client.force_login(user)
        answers = [
            client.get(f"{PAGE}{archive.pk}/findings/"),
            client.get(f"{PAGE}{archive.pk}/findings/{finding.pk}.png"),
        ]
        found[role] = tuple(answer.status_code for answer in answers)
        if role not in ("owner", "other owner", "administrator"):
            found[role] += (client.post(f"{PAGE}{archive.pk}/findings/accept/", {"finding": finding.pk}).status_code,)
            assert not any(case.encode() in answer.content for case in CASES for answer in answers)
    assert found == {
        "anonymous": (302, 302, 302),
        "participant": (404, 404, 404),
        "owner": (200, 200),
        "administrator": (200, 404),
        "other owner": (200, 404),
        "other manager": (403, 403, 403),
        "other moderator": (404, 404, 404),
    }
    assert SanityFinding.objects.filter(answered_at=None).count() == archive.findings.count()
    assert TestSet.objects.get(phase=world.phase).version == 1
