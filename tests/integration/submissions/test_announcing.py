"""Announcing costs nothing and so it gets nothing: neither the disk, nor the turn of others."""

import io
from types import SimpleNamespace

import pytest

from accounts.models import User
from challenges.models import Task
from challenges.services import create_phase, join_with_team
from confinement.limits import MIB
from datastore.test_sets.services import arrivals
from datastore.uploads.models import Upload
from datastore.uploads.services import refusals, uploads
from submissions.services import submitting
from tests.integration.submissions.world import ASSESSMENT, World

pytestmark = pytest.mark.django_db(transaction=True)
GIB = 1024 * MIB


@pytest.fixture(autouse=True)
def disk(monkeypatch, settings):
    """A disk with 10 GiB of space for uploads, regardless of this machine."""
    settings.PODIUM_DISK_RESERVE_BYTES = 0
    settings.PODIUM_UPLOAD_ANNOUNCED_BYTES = 12 * GIB
    free = SimpleNamespace(bytes=10 * GIB)
    monkeypatch.setattr(uploads, "free_bytes", lambda: free.bytes)
    return free


def announce(world: World, team, size: int, **more) -> Upload:
    user = team.members.get().user
    return submitting.create_upload(user=user, phase=world.phase, team=team, file_name="p.zip", size=size, **more)


def test_what_one_team_announces_does_not_shut_out_another(world: World):
    announce(world, world.adas, 9 * GIB)
    assert announce(world, world.bos, 9 * GIB)
    assert arrivals.begin(user=world.organizer, phase=world.phase, file_name="r.zip", size=9 * GIB, reason="New.")


def test_a_team_announces_no_more_than_may_be_outstanding(world: World):
    announce(world, world.adas, 9 * GIB)
    with pytest.raises(refusals.QuotaExceededError, match=r"Your team has .* of which 9,663,676,416 bytes have not"):
        announce(world, world.adas, 4 * GIB)
    assert announce(world, world.adas, 3 * GIB)


def test_what_has_arrived_is_not_outstanding(world: World):
    first = announce(world, world.adas, 9 * GIB)
    Upload.objects.filter(pk=first.pk).update(offset=8 * GIB)
    assert announce(world, world.adas, 9 * GIB)


def test_one_upload_is_possible_however_small_the_bound(world: World, settings):
    settings.PODIUM_UPLOAD_ANNOUNCED_BYTES = 1
    assert announce(world, world.adas, 5 * GIB)


def test_a_person_announces_no_more_with_several_teams(world: World):
    announce(world, world.adas, 9 * GIB)
    task = Task.objects.create(challenge=world.challenge, slug="other", name="Other")
    times = {"opens_at": world.phase.opens_at, "closes_at": world.phase.closes_at}
    world.phase = create_phase(
        actor=world.organizer, task=task, assessment=ASSESSMENT, slug="other", name="Other", **times
    )
    other = join_with_team(user=world.ada, challenge=world.challenge, team_name="Ada's other", tasks=[task])
    with pytest.raises(refusals.QuotaExceededError, match="You yourself have unfinished uploads"):
        announce(world, other, 4 * GIB)


def test_references_are_bounded_alike(world: World):
    about = {"phase": world.phase, "file_name": "r.zip", "reason": "New."}
    arrivals.begin(user=world.organizer, size=9 * GIB, **about)
    with pytest.raises(refusals.QuotaExceededError, match="This challenge has unfinished uploads"):
        arrivals.begin(user=User.objects.create_user("helper", "h@example.org"), size=4 * GIB, **about)


def test_uploads_to_the_object_store_are_bounded_alike(world: World, monkeypatch):
    monkeypatch.setattr(submitting.multiparts, "begin", lambda upload: None)
    announce(world, world.adas, 9 * GIB, is_direct=True)
    with pytest.raises(refusals.QuotaExceededError, match="Your team has unfinished uploads"):
        announce(world, world.adas, 4 * GIB, is_direct=True)
    assert announce(world, world.bos, 9 * GIB, is_direct=True)
    assert uploads._kept_free(Upload.arriving_here()) == 0, "its bytes do not pass here"


def test_room_is_kept_for_as_much_again_as_has_arrived(world: World, disk):
    first = announce(world, world.adas, 9 * GIB)
    disk.bytes = 5 * GIB
    Upload.objects.filter(pk=first.pk).update(offset=4 * GIB)
    assert announce(world, world.bos, GIB)
    disk.bytes = 4 * GIB
    with pytest.raises(refusals.NoRoomError):
        announce(world, world.bos, GIB)


def test_what_could_never_fit_is_refused_at_once(world: World):
    with pytest.raises(refusals.NoRoomError):
        announce(world, world.adas, 11 * GIB)


def test_when_the_disk_gets_full_what_has_arrived_is_kept_and_goes_on_later(world: World, settings, monkeypatch):
    upload = announce(world, world.adas, 4 * MIB)
    free = [3 * MIB, 2 * MIB, MIB // 2, 10 * MIB, 10 * MIB, 10 * MIB]
    monkeypatch.setattr(uploads.os, "fstatvfs", lambda _: SimpleNamespace(f_bavail=free.pop(0), f_frsize=1))
    content = io.BytesIO(b"x" * 4 * MIB)
    with pytest.raises(refusals.NoRoomError, match="What has arrived is kept"):
        uploads.append(upload=upload, offset=0, read=content.read)
    upload.refresh_from_db()
    assert upload.offset == 2 * MIB
    content.seek(2 * MIB)
    assert uploads.append(upload=upload, offset=2 * MIB, read=content.read).is_whole
