"""Uploads that go straight to the object store: begun, sent in parts, resumed, ended once, and refused."""

import base64
import hashlib
import json
import os
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import User
from datastore.uploads import contributions
from datastore.uploads.models import Multipart, Upload
from datastore.uploads.services import multiparts, uploads
from datastore.uploads.storage import local_path, private, scratch
from submissions.models import Submission
from submissions.services import submitting, sweeping
from tests.integration.submissions.test_quota import concurrently
from tests.integration.submissions.world import World, predictions, zipped
from tests.integration.uploads import object_store
from tests.integration.uploads.object_store import PART, bucket, store, stored

pytestmark = pytest.mark.django_db(transaction=True)
UPLOADS = "/api/v1/challenges/blocks/direct-uploads/"
__all__ = ["bucket", "store", "stored"]


@pytest.fixture
def ada(client, world: World, bucket):
    client.force_login(world.ada)
    return client


@pytest.fixture(scope="module")
def archive() -> bytes:
    """An archive of right predictions, small enough for one part."""
    return zipped(predictions())


@pytest.fixture(scope="module")
def large() -> bytes:
    """The same in two parts: what belongs to no case makes it large."""
    return zipped(predictions() | {"notes.bin": os.urandom(PART)})


def post(client, address, content):
    return client.post(address, json.dumps(content), content_type="application/json")


def begin(client, world: World, size: int, **more):
    return post(client, UPLOADS, {"phase": world.phase.pk, "filename": "predictions.zip", "size": size} | more)


def digest(content: bytes) -> str:
    return base64.b64encode(hashlib.sha256(content).digest()).decode()


def in_parts(content: bytes) -> list[bytes]:
    return [content[at : at + PART] for at in range(0, len(content), PART)]


def addresses(client, address: str, pieces: dict[int, bytes]):
    parts = [{"number": number, "sha256": digest(piece)} for number, piece in pieces.items()]
    return post(client, f"{address}parts/", {"parts": parts})


def put(client, address: str, pieces: dict[int, bytes]) -> None:
    for given in addresses(client, address, pieces).json()["parts"]:
        answer = requests.put(given["url"], data=pieces[given["number"]], headers=given["headers"], timeout=10)
        assert answer.status_code == 200


def end(client, address: str, content: bytes):
    return post(client, f"{address}end/", {"sha256": [digest(piece) for piece in in_parts(content)]})


def sent(client, world: World, content: bytes) -> str:
    address = begin(client, world, len(content)).json()["address"]
    put(client, address, dict(enumerate(in_parts(content), 1)))
    return address


def objects(store, bucket) -> list[str]:
    return [entry["Key"] for entry in store.list_objects_v2(Bucket=bucket, Prefix="incoming/").get("Contents", [])]


def under_way(store, bucket) -> int:
    return len(store.list_multipart_uploads(Bucket=bucket).get("Uploads", []))


def test_an_archive_is_sent_in_parts_goes_on_after_a_break_and_is_scored(
    ada, world: World, store, bucket, stored, large, workers
):
    begun = begin(ada, world, len(large))
    assert (begun.status_code, begun.json()["arrived"], begun.json()["part_bytes"]) == (201, [], PART)
    address, pieces = begun.json()["address"], dict(enumerate(in_parts(large), 1))
    put(ada, address, {2: pieces[2]})
    # The laptop was closed: another visit asks what has arrived.
    state = ada.get(address).json()
    assert [(part["number"], part["size"]) for part in state["arrived"]] == [(2, len(pieces[2]))]
    early = end(ada, address, large)
    assert (early.status_code, early.json()["detail"]) == (
        409,
        "1 of 2 parts have not arrived yet; the first is 1.",
    )
    put(ada, address, {1: pieces[1]})
    ended = end(ada, address, large).json()
    submission = Submission.objects.get()
    assert (ended["state"], ended["page"]) == ("complete", submission.get_absolute_url())
    assert (submission.state, submission.archive_size) == (Submission.State.SCORED, len(large))
    # The worker has read it: this is the digest of the content, which nobody had claimed before.
    assert submission.archive_sha256 == hashlib.sha256(large).hexdigest()
    assert objects(store, bucket) == [submission.archive_file]
    # Organizers get it from there, block by block.
    ada.force_login(world.organizer)
    download = ada.get(f"/challenges/blocks/organize/submissions/{submission.pk}/archive/")
    assert b"".join(download.streaming_content) == large


def test_ending_twice_at_once_again_and_sweeping_make_one_submission(ada, world: World, archive):
    address = sent(ada, world, archive)
    upload, digests = Upload.objects.get(), [digest(piece) for piece in in_parts(archive)]
    ended = concurrently([lambda: submitting.finish(upload=upload, digests=digests)] * 2)
    assert len({entry.pk for entry in ended if isinstance(entry, Submission)}) == 1
    Upload.objects.update(updated_at=timezone.now() - timedelta(minutes=5))
    sweeping.sweep()
    page = Submission.objects.get().get_absolute_url()
    assert (end(ada, address, archive).json()["page"], ada.get(address).json()["page"]) == (page, page)


def test_an_end_that_was_interrupted_is_made_up_for(ada, world: World, archive):
    """The store has put the parts together but the process died before the submission was made."""
    address = sent(ada, world, archive)
    multipart = Multipart.objects.select_related("upload").get()
    multiparts.put_together(multipart=multipart, digests=[digest(piece) for piece in in_parts(archive)])
    assert not Submission.objects.exists()
    Upload.objects.update(updated_at=timezone.now() - timedelta(minutes=5))
    sweeping.sweep()
    assert end(ada, address, archive).json()["page"] == Submission.objects.get().get_absolute_url()


def test_while_the_store_puts_the_parts_together_nothing_is_thrown_away(ada, world: World, store, bucket):
    """Assembly of many parts takes minutes, during which the store knows neither the upload nor the object."""
    address = begin(ada, world, 1000).json()["address"]
    multipart = Multipart.objects.get()
    store.abort_multipart_upload(Bucket=bucket, Key=multipart.name, UploadId=multipart.store_id)
    Multipart.objects.update(checksum="begun by another request")
    assert ada.get(address).json()["is_ending"]
    busy = end(ada, address, b"x")
    assert (busy.status_code, "Ask again" in busy.json()["detail"]) == (423, True)
    Upload.objects.update(updated_at=timezone.now() - timedelta(hours=1))
    assert end(ada, address, b"x").status_code == 410
    assert Upload.objects.get().state == Upload.State.REFUSED


def test_an_address_takes_one_part_of_one_upload_for_a_short_while(ada, world: World):
    address = begin(ada, world, PART + 1).json()["address"]
    piece = b"x" * PART
    [given] = addresses(ada, address, {1: piece}).json()["parts"]
    signed = parse_qs(urlsplit(given["url"]).query)
    assert signed["X-Amz-SignedHeaders"] == ["content-length;host;x-amz-checksum-sha256"]
    assert (signed["X-Amz-Expires"], signed["partNumber"]) == (["600"], ["1"])
    assert signed["uploadId"] == [Multipart.objects.get().store_id]
    assert given["headers"] == {"x-amz-checksum-sha256": digest(piece)}
    assert addresses(ada, address, {3: b"x"}).json()["detail"] == "There is no part 3: the file has parts 1 to 2."
    assert addresses(ada, address, dict.fromkeys(range(1, 18), b"x")).status_code == 400
    assert post(ada, f"{address}parts/", {"parts": [{"number": 1, "sha256": "?" * 44}]}).status_code == 400


def test_what_the_store_promises_is_tried_and_what_it_does_not_keep_is_said(store, bucket, settings, capsys):
    settings.PODIUM_ADDRESS = "https://podium.example.org"
    with pytest.raises(CommandError, match="do not work safely"):
        call_command("check_direct_uploads")
    said = capsys.readouterr().err
    assert ("other content than the signed digest" in said) != object_store.IS_STRICT
    assert ("signatures are not verified" in said) != object_store.IS_STRICT
    assert ("Browsers may not send to it from https://podium.example.org" in said) == object_store.IS_STRICT
    rule = {
        "AllowedOrigins": ["https://podium.example.org"],
        "AllowedMethods": ["PUT"],
        "AllowedHeaders": ["x-amz-checksum-sha256"],
    }
    store.put_bucket_cors(Bucket=bucket, CORSConfiguration={"CORSRules": [rule]})
    if object_store.IS_STRICT:
        call_command("check_direct_uploads")
        assert "work, also from pages of podium.example.org" in capsys.readouterr().out


def test_a_worker_copies_no_more_than_was_announced(store, bucket):
    store.put_object(Bucket=bucket, Key="incoming/x", Body=b"four")
    with pytest.raises(ValueError, match="more than 3 bytes"):
        local_path("incoming/x", limit=3)
    assert not any(scratch("copies").iterdir())
    assert local_path("incoming/x", limit=4).read_bytes() == b"four"


def test_the_system_check_names_what_cannot_work(bucket, settings):
    settings.PODIUM_TLS = True
    assert [found.id for found in contributions.storage_is_reached_over_tls()] == ["submissions.W001"]
    settings.PODIUM_S3_PUBLIC_ENDPOINT = "https://uploads.example.org"
    assert contributions.storage_is_reached_over_tls() == contributions.bucket_is_named() == []
    settings.STORAGES = settings.STORAGES | {"private": {"BACKEND": "django.core.files.storage.FileSystemStorage"}}
    assert [found.id for found in contributions.bucket_is_named()] == ["submissions.E001"]


def test_after_the_end_a_part_is_taken_no_more(ada, world: World, archive):
    address = begin(ada, world, len(archive)).json()["address"]
    pieces = dict(enumerate(in_parts(archive), 1))
    given = addresses(ada, address, pieces).json()["parts"]
    for part in given:
        requests.put(part["url"], data=pieces[part["number"]], headers=part["headers"], timeout=10)
    end(ada, address, archive)
    late = requests.put(given[0]["url"], data=pieces[1], headers=given[0]["headers"], timeout=10)
    assert late.status_code >= 400
    assert requests.get(given[0]["url"], timeout=10).content != archive
    with private().open(Submission.objects.get().archive_file) as stored:
        assert stored.read() == archive
    assert addresses(ada, address, {1: pieces[1]}).status_code == 410


def test_a_file_that_changed_on_the_way_becomes_no_submission(ada, world: World, store, bucket, archive):
    """A store that lists digests is not requested to assemble the file.

    With other stores the assembled file is compared and deleted.
    """
    address = sent(ada, world, archive)
    changed = end(ada, address, b"X" + archive[1:])
    if object_store.IS_STRICT:
        told = "Part 1 is not what its sender has; send it again."
        assert (changed.status_code, changed.json()["detail"]) == (409, told)
    else:
        told = "What arrived is not what was announced. Please upload the file again."
        assert (changed.status_code, changed.json()["detail"]) == (410, told)
        assert (Upload.objects.get().state, objects(store, bucket)) == (Upload.State.REFUSED, [])
    assert not Submission.objects.exists()


def test_bounds_hold_before_anything_is_begun_at_the_store(ada, world: World, store, bucket, settings):
    settings.PODIUM_UPLOAD_MAX_BYTES = 1000
    assert (begin(ada, world, 0).status_code, begin(ada, world, 1001).status_code) == (400, 413)
    settings.PODIUM_DISK_RESERVE_BYTES = 10**18
    assert begin(ada, world, 1000).status_code == 503
    settings.PODIUM_DISK_RESERVE_BYTES = 0
    assert [begin(ada, world, 1000).status_code for _ in range(4)] == [201, 201, 201, 403]
    type(world.phase).objects.update(closes_at=timezone.now() - timedelta(hours=2))
    closed = begin(ada, world, 1000)
    assert (closed.status_code, "First closed on" in closed.json()["detail"]) == (403, True)
    assert under_way(store, bucket) == 3


@pytest.mark.parametrize("way", ["cancelled", "expired"])
def test_what_ended_leaves_nothing_at_the_store(ada, world: World, store, bucket, way):
    address = begin(ada, world, PART + 1).json()["address"]
    put(ada, address, {1: b"x" * PART})
    if way == "cancelled":
        assert ada.delete(address).status_code == 204
    else:
        Upload.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        sweeping.sweep()
    assert under_way(store, bucket) == 0
    assert addresses(ada, address, {1: b"x" * PART}).status_code == 410
    assert not Multipart.objects.filter(is_open=True).exists()


def test_what_the_store_could_not_delete_is_deleted_by_the_sweep(ada, world: World, store, bucket, settings):
    begin(ada, world, 1000)
    away = object_store.storage("http://127.0.0.1:9", bucket)
    here = settings.STORAGES
    settings.STORAGES = here | {"private": away}
    assert begin(ada, world, 1000).status_code == 503
    uploads.cancel(upload=Upload.objects.filter(state=Upload.State.RECEIVING).get())
    assert Multipart.objects.filter(is_open=True).count() == 2
    settings.STORAGES = here
    sweeping.sweep()
    assert not Multipart.objects.filter(is_open=True).exists()
    assert under_way(store, bucket) == 0


def test_an_upload_that_ends_long_after_the_phase_is_refused_and_deleted(
    ada, world: World, store, bucket, archive, settings
):
    settings.PODIUM_UPLOAD_GRACE_MINUTES = 0
    address = sent(ada, world, archive)
    type(world.phase).objects.update(closed_at=timezone.now())
    refused = end(ada, address, archive)
    assert (refused.status_code, "closed on" in refused.json()["detail"]) == (403, True)
    assert (Upload.objects.get().state, objects(store, bucket)) == (Upload.State.REFUSED, [])


def test_another_size_than_was_announced_makes_no_submission(ada, world: World, store, bucket, archive):
    """A store that does not hold a sender to the signed length gives what it has; the size is compared all the same."""
    address = sent(ada, world, archive)
    Upload.objects.update(size=len(archive) + 1)
    assert end(ada, address, archive).status_code == 409
    assert not Submission.objects.exists()


def test_where_it_is_not_offered_senders_are_told(ada, world: World, settings):
    settings.PODIUM_S3_DIRECT = False
    assert begin(ada, world, 1000).status_code == 501
    page = ada.get("/challenges/blocks/submit/")
    assert (b"data-direct" in page.content, "connect-src" in page["Content-Security-Policy"]) == (False, False)


def test_only_the_submit_page_may_connect_to_the_store(ada, settings):
    settings.PODIUM_S3_PUBLIC_ENDPOINT = "https://uploads.example.org"
    page = ada.get("/challenges/blocks/submit/")
    assert b'data-direct="/api/v1/challenges/blocks/direct-uploads/"' in page.content
    assert "connect-src 'self' https://uploads.example.org;" in f"{page['Content-Security-Policy']};"
    assert "connect-src" not in ada.get("/challenges/blocks/submissions/")["Content-Security-Policy"]


def test_every_role_at_every_address(client, world: World, bucket):
    """Knowing the address of another's upload is no right; administrators do not act for a team."""
    make = User.objects.create_user
    roles = {
        "anonymous": None,
        "stranger": make("stella", "stella@example.org", "a long password"),
        "other team": world.bo,
        "own team": world.ada,
        "organizer": world.organizer,
        "administrator": make("root", "root@example.org", "a long password", is_staff=True, is_superuser=True),
    }
    client.force_login(world.ada)
    address = begin(client, world, 1000).json()["address"]
    wanted = {
        "anonymous": (401, 401, 401, 401, 401),
        "stranger": (403, 403, 403, 403, 403),
        "other team": (201, 404, 404, 404, 404),
        "own team": (201, 200, 200, 409, 204),
        "organizer": (403, 403, 403, 403, 403),
        "administrator": (403, 403, 403, 403, 403),
    }
    found = {}
    for role, person in sorted(roles.items(), key=lambda entry: entry[0] == "own team"):
        client.logout()
        if person is not None:
            client.force_login(person)
        found[role] = (
            begin(client, world, 1000).status_code,
            client.get(address).status_code,
            addresses(client, address, {1: b"x"}).status_code,
            end(client, address, b"x").status_code,
            client.delete(address).status_code,
        )
    assert found == wanted


def test_a_session_needs_its_csrf_token_and_a_token_its_scope(world: World, bucket):
    from accounts.services import issue_token

    browser = Client(enforce_csrf_checks=True)
    browser.force_login(world.ada)
    assert begin(browser, world, 1000).status_code == 403
    for scopes, status in ((["read"], 403), (["submit"], 201)):
        _, secret = issue_token(user=world.ada, name="t", scopes=scopes, days=1)
        program = Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {secret}"})
        assert begin(program, world, 1000).status_code == status


def test_an_upload_of_one_kind_is_not_gone_on_with_as_the_other(ada, world: World):
    direct = begin(ada, world, 1000).json()["address"].rstrip("/").rpartition("/")[2]
    tus = {"Tus-Resumable": "1.0.0"}
    assert ada.head(f"/challenges/blocks/uploads/{direct}/", headers=tus).status_code == 404
    plain = submitting.create_upload(user=world.ada, phase=world.phase, team=world.adas, file_name="p.zip", size=10)
    assert ada.get(f"{UPLOADS}{plain.pk}/").status_code == 404
