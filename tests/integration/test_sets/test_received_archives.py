"""Archives of references from the browser: who may send them, what becomes of them, and that each is decided once."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from challenges.models import Organizer
from core.work.queries import lost
from datastore.test_sets import vault
from datastore.test_sets.models import TestSet, TestSetArchive
from datastore.test_sets.queries.work import CHECKING
from datastore.test_sets.services import arrivals, received_archives
from datastore.test_sets.services.findings import accept
from datastore.uploads.storage import private
from tests.integration.submissions.world import CASES, World, labels, nifti, zipped

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/challenges/blocks/organize/test-sets/"


def archive(shift: int = 1, cases=CASES) -> SimpleUploadedFile:
    """References that are identical for all cases, so that there are findings to accept."""
    files = {f"references/{case}.nii.gz": nifti(labels(shift)) for case in cases}
    return SimpleUploadedFile("references.zip", zipped(files), content_type="application/zip")


def roles_of(world: World) -> dict[str, User | None]:
    """Return all relevant people by role."""
    make = User.objects.create_user
    people = {"anonymous": None, "participant": world.ada, "owner": world.organizer}
    people["administrator"] = make("root", "root@example.org", "a long password", is_staff=True, is_superuser=True)
    for role in (Organizer.Role.MANAGER, Organizer.Role.MODERATOR):
        people[str(role)] = make(str(role), f"{role}@example.org", "a long password")
        Organizer.objects.create(challenge=world.challenge, user=people[str(role)], role=role)
    return people


def test_owners_decide_about_what_was_read_and_the_sender_alone_sees_a_picture_of_it(client, world: World):
    kept = received_archives.receive(user=world.organizer, phase=world.phase, archive=archive(), reason="Anew.")
    received_archives.work_off(archive_id=kept.pk)
    found = {}
    for role, user in roles_of(world).items():
        client.logout()
        if user is not None:
            client.force_login(user)
        picture = client.get(f"{PAGE}archives/{kept.pk}/previews/0.png").status_code
        if role in {"owner", "administrator"}:
            found[role] = picture
        else:
            acts = (client.post(f"{PAGE}archives/{kept.pk}/{act}/").status_code for act in ("seal", "discard"))
            found[role] = (picture, *acts)
    assert found == {
        "anonymous": (302, 302, 302),
        "participant": (404, 404, 404),
        "owner": 200,
        "administrator": 404,
        "manager": (403, 403, 403),
        "moderator": (404, 404, 404),
    }
    kept.refresh_from_db()
    assert kept.state == TestSetArchive.State.READ


def test_owners_send_archives_and_those_who_organize_see_them(client, world: World):
    people = roles_of(world)
    address = f"{PAGE}{world.phase.pk}/archives/"
    found = {}
    for role, user in people.items():
        client.logout()
        if user is not None:
            client.force_login(user)
        # Without a file the form comes back to whoever may send it.
        found[role] = (client.get(address).status_code, client.post(address).status_code)
    assert found == {
        "anonymous": (302, 302),
        "participant": (404, 404),
        "owner": (200, 422),
        "administrator": (200, 422),
        "manager": (200, 403),
        "moderator": (404, 404),
    }


def test_an_archive_is_kept_encrypted_until_a_worker_has_sealed_it(client, world: World):
    client.force_login(world.organizer)
    address = f"{PAGE}{world.phase.pk}/archives/"
    content = archive()
    response = client.post(address, {"archive": content, "reason": "Labels were swapped."})
    assert response["Location"] == f"{PAGE}?phase={world.phase.pk}#sending"
    kept = TestSetArchive.objects.get()
    [piece] = kept.pieces
    assert piece.endswith(vault.SUFFIX)
    with private().open(piece) as stored:
        assert stored.read(2) != b"PK"
    assert b"waiting for a worker" in client.get(PAGE).content
    again = client.post(address, {"archive": archive(), "reason": "Once more."})
    assert (again.status_code, b"being checked. Wait until" in again.content) == (422, True)
    for _ in range(2):  # a message that comes twice changes nothing
        received_archives.work_off(archive_id=kept.pk)
    kept.refresh_from_db()
    assert (kept.state, kept.test_set) == (TestSetArchive.State.READ, None)
    assert TestSet.objects.filter(phase=world.phase).count() == 1
    again = client.post(address, {"archive": archive(), "reason": "Once more."})
    assert b"was read and is not sealed yet. Seal or discard it first." in again.content
    accept(actor=world.organizer, archive=kept, answer="Meant to be equal.")
    assert client.post(f"{PAGE}archives/{kept.pk}/seal/").status_code == 302
    assert client.post(f"{PAGE}archives/{kept.pk}/discard/", follow=True).status_code == 200  # too late, and said so
    for _ in range(2):
        received_archives.work_off(archive_id=kept.pk)
    kept.refresh_from_db()
    assert (kept.state, kept.confirmed_by) == (TestSetArchive.State.SEALED, world.organizer)
    assert (kept.state, kept.test_set.version, kept.test_set.is_active) == ("sealed", 2, True)
    assert TestSet.objects.filter(phase=world.phase).count() == 2
    assert not any(private().exists(name) for name in kept.files)
    page = client.get(PAGE).content.decode()
    assert "Labels were swapped." in page
    assert "sealed as" in page


def test_what_was_read_is_shown_before_anything_is_sealed(client, world: World):
    client.force_login(world.organizer)
    kept = received_archives.receive(user=world.organizer, phase=world.phase, archive=archive(), reason="Anew.")
    received_archives.work_off(archive_id=kept.pk)
    kept.refresh_from_db()
    voxels = 3 * 5 * 4  # each of the two blocks
    assert [(entry["name"], entry["cases"], entry["count"]) for entry in kept.reading["classes"]] == [
        ("anterior", len(CASES), len(CASES) * voxels),
        ("whole", len(CASES), len(CASES) * 2 * voxels),
    ]
    text = " ".join(client.get(PAGE).content.decode().split())
    for said in (
        "<dt>Cases that count</dt><dd>4</dd>",
        "case_001, case_002, case_003, case_010</dd>",
        "Nothing is sealed yet.",
        "4 open</span> Accept each finding",
        "Review findings",
        "Voxels",
    ):
        assert said in text
    assert TestSet.objects.get(phase=world.phase).version == 1
    [preview] = kept.reading["previews"]
    picture = f"{PAGE}archives/{kept.pk}/previews/0.png"
    assert client.get(picture).content.startswith(b"\x89PNG")
    assert preview["file"].endswith(vault.SUFFIX)
    # Whoever else organizes sees the numbers and no reference.
    other = User.objects.create_user("omar", "omar@example.org", "a long password")
    Organizer.objects.create(challenge=world.challenge, user=other, role=Organizer.Role.OWNER)
    client.force_login(other)
    assert client.get(picture).status_code == 404
    accept(actor=other, archive=kept, answer="Meant to be equal.")
    page = client.get(PAGE).content
    assert (b"Seal 4 cases" in page, b"previews/0.png" in page) == (True, False)


def test_an_archive_that_was_not_meant_is_discarded_with_all_of_it(client, world: World):
    kept = received_archives.receive(user=world.organizer, phase=world.phase, archive=archive(), reason="Anew.")
    received_archives.work_off(archive_id=kept.pk)
    kept.refresh_from_db()
    client.force_login(world.ada)
    assert client.post(f"{PAGE}archives/{kept.pk}/discard/").status_code == 404
    client.force_login(world.organizer)
    client.post(f"{PAGE}archives/{kept.pk}/discard/")
    kept.refresh_from_db()
    assert (kept.state, kept.test_set) == (TestSetArchive.State.DISCARDED, None)
    assert not any(private().exists(name) for name in kept.files)
    assert TestSet.objects.get(phase=world.phase).version == 1
    page = client.get(f"{PAGE}{world.phase.pk}/archives/").content
    assert b"references.zip: discarded" in page
    received_archives.work_off(archive_id=kept.pk)  # a late message finds nothing to do
    assert TestSet.objects.count() == 1


def test_an_archive_that_nobody_decides_about_is_discarded_in_the_end(world: World):
    kept = received_archives.receive(user=world.organizer, phase=world.phase, archive=archive(), reason="Anew.")
    received_archives.work_off(archive_id=kept.pk)
    assert arrivals.expire() == 0
    TestSetArchive.objects.update(finished_at=timezone.now() - timedelta(days=90))
    assert arrivals.expire() == 1
    kept.refresh_from_db()
    assert kept.state == TestSetArchive.State.DISCARDED
    assert not any(private().exists(name) for name in kept.files)


def test_what_is_wrong_with_an_archive_is_for_organizers_and_seals_nothing(client, world: World):
    client.force_login(world.organizer)
    address = f"{PAGE}{world.phase.pk}/archives/"
    broken = SimpleUploadedFile("references.zip", b"no archive", content_type="application/zip")
    assert client.post(address, {"archive": broken}).status_code == 422  # a replacement without a reason
    broken.seek(0)
    client.post(address, {"archive": broken, "reason": "Anew."})
    kept = TestSetArchive.objects.get()
    received_archives.work_off(archive_id=kept.pk)
    kept.refresh_from_db()
    assert kept.state == TestSetArchive.State.REFUSED
    assert "not a readable ZIP or TAR archive" in kept.problems
    assert not any(private().exists(name) for name in kept.pieces)
    assert b"not a readable ZIP or TAR archive" in client.get(PAGE).content
    client.force_login(world.ada)
    assert b"references.zip" not in client.get("/challenges/blocks/submit/").content


def test_lost_archives_are_found_and_given_up_after_some_attempts(client, world: World, monkeypatch):
    kept = received_archives.receive(user=world.organizer, phase=world.phase, archive=archive(), reason="Anew.")
    TestSetArchive.objects.update(asked_at=None)
    assert list(lost(CHECKING)) == [kept]

    def broken(**_: object) -> None:
        raise OSError("The disk is gone.")

    monkeypatch.setattr(received_archives, "read_archive", broken)
    for _ in range(CHECKING.attempts + 1):
        received_archives.work_off(archive_id=kept.pk)
        TestSetArchive.objects.update(lease_until=None)
    kept.refresh_from_db()
    assert (kept.state, kept.problems) == (TestSetArchive.State.REFUSED, received_archives.OUR_FAULT)
    assert TestSet.objects.get(phase=world.phase).version == 1


def test_who_lost_the_lease_seals_nothing(world: World, monkeypatch):
    kept = received_archives.receive(user=world.organizer, phase=world.phase, archive=archive(), reason="Anew.")
    received_archives.work_off(archive_id=kept.pk)
    kept.refresh_from_db()
    accept(actor=world.organizer, archive=kept, answer="Meant to be equal.")
    received_archives.confirm(archive=kept, actor=world.organizer)
    take = received_archives.take_archive

    def slow(**arguments: object) -> None:
        TestSetArchive.objects.update(lease_token=None)
        take(**arguments)

    monkeypatch.setattr(received_archives, "take_archive", slow)
    received_archives.work_off(archive_id=kept.pk)
    assert TestSet.objects.get(phase=world.phase).version == 1


def test_the_database_holds_one_open_archive_a_phase_and_a_reason(world: World):
    kept = received_archives.receive(user=world.organizer, phase=world.phase, archive=archive(), reason="Anew.")
    with pytest.raises(IntegrityError), transaction.atomic():
        TestSetArchive.objects.create(phase=world.phase, user=world.organizer, size=1, replaces=False)
    with pytest.raises(IntegrityError), transaction.atomic():
        TestSetArchive.objects.filter(pk=kept.pk).update(reason="")
