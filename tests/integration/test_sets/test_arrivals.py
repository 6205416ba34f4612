"""Reference archives that arrive in pieces: resumed, encrypted at once, limited, and passed on exactly once."""

import hashlib
import io
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from challenges.models import Organizer
from datastore.test_sets import vault
from datastore.test_sets.models import TestSet, TestSetArchive, TestSetUpload
from datastore.test_sets.services import arrivals
from datastore.uploads.services import refusals
from datastore.uploads.storage import private
from submissions.services import submitting
from tests.integration.submissions.world import World, zipped
from tests.integration.test_sets.test_archives import references
from tests.integration.uploads.test_tus import TUS, encoded, patch

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/challenges/blocks/organize/test-sets/"


def begin(client, world: World, size: int, **metadata: str):
    told = encoded(filename="references.zip", **{"reason": "Drawn anew.", **metadata})
    return client.post(
        f"{PAGE}{world.phase.pk}/uploads/", headers={**TUS, "Upload-Length": str(size), "Upload-Metadata": told}
    )


@pytest.fixture
def owner(client, world: World):
    client.force_login(world.organizer)
    return client


def test_an_archive_arrives_in_pieces_and_is_sealed_once(owner, world: World, workers):
    content = zipped(references(1))
    created = begin(owner, world, len(content))
    assert created.status_code == 201
    address, third = created["Location"], len(content) // 3
    assert patch(owner, address, 0, content[:third])["Upload-Offset"] == str(third)
    upload = TestSetUpload.objects.get()
    # Nothing of it lies open, neither where pieces arrive nor where they are kept.
    assert upload.path.stat().st_size == 0
    with private().open(upload.pieces[0]) as stored:
        assert stored.read(3) == b"age"
    page = owner.get(f"{PAGE}?phase={world.phase.pk}").content.decode()
    assert "An upload is unfinished" in page
    assert patch(owner, address, 5, content[third:]).status_code == 409
    wrong = patch(owner, address, third, content[third:], **{"Upload-Checksum": "sha256 AAAA"})
    assert wrong.status_code == 460
    resumed = owner.head(address, headers=TUS)
    assert (resumed["Upload-Offset"], resumed["Upload-Length"]) == (str(third), str(len(content)))
    done = patch(owner, address, third, content[third:])
    assert done["Podium-Page"] == f"{PAGE}?phase={world.phase.pk}#sending"
    assert owner.head(address, headers=TUS)["Podium-Page"] == done["Podium-Page"]
    [kept] = TestSetArchive.objects.all()
    assert (kept.state, kept.test_set) == (TestSetArchive.State.READ, None)
    owner.post(
        f"{PAGE}archives/{kept.pk}/findings/accept/", {"check": "same_reference", "answer": "Meant to be equal."}
    )
    owner.post(f"{PAGE}archives/{kept.pk}/seal/")
    kept.refresh_from_db()
    assert (kept.state, kept.reason, kept.test_set.version) == (TestSetArchive.State.SEALED, "Drawn anew.", 2)
    assert not any(private().exists(name) for name in kept.pieces)
    assert TestSet.objects.filter(phase=world.phase).count() == 2


def test_pieces_joined_again_are_what_was_sent(world: World, monkeypatch):
    content = hashlib.sha256(b"seed").digest() * 999
    upload = arrivals.begin(
        user=world.organizer, phase=world.phase, file_name="a.zip", size=len(content), reason="Anew."
    )
    for start in range(0, len(content), 10_000):
        piece = content[start : start + 10_000]
        upload = arrivals.go_on(upload=upload, offset=start, read=io.BytesIO(piece).read)
    assert len(upload.pieces) == 4
    with vault.joined(upload.pieces, total=len(content)) as whole:
        assert whole.read_bytes() == content
    monkeypatch.setattr(arrivals, "PIECE_BYTES", 1000)
    other = arrivals.begin(user=world.organizer, phase=world.phase, file_name="a.zip", size=5000, reason="Anew.")
    with pytest.raises(refusals.TooLargeError, match="A piece may have 1,000 bytes"):
        arrivals.go_on(upload=other, offset=0, read=io.BytesIO(bytes(5000)).read)
    other.refresh_from_db()
    assert (other.offset, other.pieces) == (0, [])


def test_bounds_hold_before_a_byte_arrives(owner, world: World, settings):
    assert begin(owner, world, 0).status_code == 400
    assert begin(owner, world, 10, reason=" ").status_code == 400  # a replacement has a reason
    settings.PODIUM_UPLOAD_MAX_BYTES = 5
    assert begin(owner, world, 10).status_code == 413
    settings.PODIUM_UPLOAD_MAX_BYTES = 10**6
    codes = [begin(owner, world, 10).status_code for _ in range(arrivals.UNDER_WAY + 1)]
    assert codes == [201] * arrivals.UNDER_WAY + [403]
    # Teams' uploads are counted apart.
    assert submitting.create_upload(user=world.ada, phase=world.phase, team=world.adas, file_name="p.zip", size=10)


def test_only_owners_send_and_only_who_began_goes_on(client, world: World):
    make = User.objects.create_user
    people = {"participant": world.ada, "owner": world.organizer, "anonymous": None}
    for role in (Organizer.Role.OWNER, Organizer.Role.MANAGER, Organizer.Role.MODERATOR):
        name = f"second {role}"
        people[name] = make(name.replace(" ", "-"), f"{role}@example.org", "a long password")
        Organizer.objects.create(challenge=world.challenge, user=people[name], role=role)
    upload = arrivals.begin(user=world.organizer, phase=world.phase, file_name="a.zip", size=5, reason="Anew.")
    found = {}
    for name, user in people.items():
        client.logout()
        if user is not None:
            client.force_login(user)
        address = f"{PAGE}uploads/{upload.pk}/"
        found[name] = (begin(client, world, 10).status_code, client.head(address, headers=TUS).status_code)
    assert found == {
        "participant": (404, 404),
        "owner": (201, 200),
        "anonymous": (403, 403),
        "second owner": (201, 404),
        "second manager": (403, 403),
        "second moderator": (404, 404),
    }


def test_what_waits_is_handed_on_and_what_is_left_is_deleted(client, world: World):
    def whole() -> TestSetUpload:
        upload = arrivals.begin(user=world.organizer, phase=world.phase, file_name="a.zip", size=3, reason="Anew.")
        return arrivals.go_on(upload=upload, offset=0, read=io.BytesIO(b"abc").read)

    first, second = whole(), whole()
    kept = arrivals.finish(upload=first)
    assert arrivals.finish(upload=first) == kept
    with pytest.raises(refusals.BusyError):
        arrivals.finish(upload=second)
    client.force_login(world.organizer)  # nothing is left to be sent, so the browser is told that it is done
    assert client.head(f"{PAGE}uploads/{second.pk}/", headers=TUS)["Upload-Offset"] == "3"
    assert "Archive queued" in client.get(f"{PAGE}?phase={world.phase.pk}").content.decode()
    TestSetArchive.objects.filter(pk=kept.pk).update(state=TestSetArchive.State.REFUSED)
    TestSetUpload.objects.update(updated_at=timezone.now() - timedelta(minutes=5))
    assert arrivals.finish_whole() == 1
    second.refresh_from_db()
    assert (second.state, second.archive.state) == (TestSetUpload.State.COMPLETE, TestSetArchive.State.WAITING)
    third = whole()
    [piece] = third.pieces
    TestSetUpload.objects.filter(pk=third.pk).update(expires_at=timezone.now() - timedelta(minutes=1))
    assert arrivals.expire() == 1
    assert not private().exists(piece)
    assert not third.path.exists()
