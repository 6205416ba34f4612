"""The tus protocol as its specification and tus-js-client use it."""

import base64
import hashlib
import io
from datetime import timedelta

import pytest
from django.utils import timezone

from datastore.uploads.models import Upload
from datastore.uploads.services import refusals, uploads
from submissions.models import Submission
from submissions.services import submitting
from tests.integration.submissions.world import World, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)
TUS = {"Tus-Resumable": "1.0.0"}


def encoded(**metadata: str) -> str:
    return ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in metadata.items())


def begin(client, world: World, size: int, **headers: str):
    metadata = encoded(filename="predictions.zip", phase=str(world.phase.pk))
    return client.post(
        f"/challenges/{world.challenge.slug}/uploads/",
        headers={**TUS, "Upload-Length": str(size), "Upload-Metadata": metadata, **headers},
    )


def patch(client, address: str, offset: int, piece: bytes, **headers: str):
    return client.patch(
        address,
        data=piece,
        content_type="application/offset+octet-stream",
        headers={**TUS, "Upload-Offset": str(offset), **headers},
    )


@pytest.fixture
def ada(client, world: World):
    client.force_login(world.ada)
    return client


def test_options_names_version_and_extensions(ada, world: World):
    response = ada.options(f"/challenges/{world.challenge.slug}/uploads/")
    assert response.status_code == 204
    assert response["Tus-Version"] == "1.0.0"
    assert set(response["Tus-Extension"].split(",")) == {"creation", "checksum", "termination", "expiration"}
    assert int(response["Tus-Max-Size"]) > 0


def test_another_version_is_answered_with_412(ada, world: World):
    assert begin(ada, world, 10, **{"Tus-Resumable": "0.2.0"}).status_code == 412


def test_an_upload_in_three_pieces_becomes_one_submission(ada, world: World, workers):
    content = zipped(predictions())
    created = begin(ada, world, len(content))
    assert created.status_code == 201
    assert "Upload-Expires" in created
    address = created["Location"]
    third = len(content) // 3
    offset = 0
    for piece in (content[:third], content[third : 2 * third], content[2 * third :]):
        head = ada.head(address, headers=TUS)
        assert (head.status_code, head["Upload-Offset"], head["Upload-Length"]) == (200, str(offset), str(len(content)))
        assert head["Cache-Control"] == "no-store"
        answer = patch(ada, address, offset, piece)
        assert answer.status_code == 204
        offset += len(piece)
        assert answer["Upload-Offset"] == str(offset)
    submission = Submission.objects.get()
    assert answer["Podium-Submission"] == submission.get_absolute_url()
    assert submission.state == Submission.State.SCORED
    assert submission.archive_sha256 == hashlib.sha256(content).hexdigest()


def test_a_piece_at_the_wrong_offset_is_a_conflict(ada, world: World):
    address = begin(ada, world, 100)["Location"]
    assert patch(ada, address, 0, b"x" * 10).status_code == 204
    assert patch(ada, address, 0, b"x" * 10).status_code == 409
    assert patch(ada, address, 20, b"x" * 10).status_code == 409
    assert ada.head(address, headers=TUS)["Upload-Offset"] == "10"


def test_more_bytes_than_declared_are_refused_and_thrown_away(ada, world: World):
    address = begin(ada, world, 10)["Location"]
    assert patch(ada, address, 0, b"x" * 11).status_code == 413
    assert ada.head(address, headers=TUS)["Upload-Offset"] == "0"


def test_another_content_type_is_refused(ada, world: World):
    address = begin(ada, world, 10)["Location"]
    response = ada.patch(address, data=b"x", content_type="text/plain", headers={**TUS, "Upload-Offset": "0"})
    assert response.status_code == 415


@pytest.mark.parametrize("algorithm", ["sha256", "sha1"])
def test_a_piece_with_the_right_checksum_is_kept(ada, world: World, algorithm: str):
    address = begin(ada, world, 100)["Location"]
    digest = base64.b64encode(hashlib.new(algorithm, b"piece").digest()).decode()
    assert patch(ada, address, 0, b"piece", **{"Upload-Checksum": f"{algorithm} {digest}"}).status_code == 204


def test_a_damaged_piece_is_thrown_away(ada, world: World):
    address = begin(ada, world, 100)["Location"]
    digest = base64.b64encode(hashlib.sha256(b"other").digest()).decode()
    assert patch(ada, address, 0, b"piece", **{"Upload-Checksum": f"sha256 {digest}"}).status_code == 460
    assert ada.head(address, headers=TUS)["Upload-Offset"] == "0"


@pytest.mark.parametrize("header", ["md5 AAAA", "sha256 ???", "sha256"])
def test_a_checksum_that_cannot_be_read_is_refused(ada, world: World, header: str):
    address = begin(ada, world, 100)["Location"]
    assert patch(ada, address, 0, b"piece", **{"Upload-Checksum": header}).status_code in (400, 460)


@pytest.mark.parametrize("length", ["", "-1", "0", "many", "9" * 30, "1e3"])
def test_a_length_that_is_none_is_refused(ada, world: World, length: str):
    assert begin(ada, world, 1, **{"Upload-Length": length}).status_code == 400


def test_a_file_beyond_the_limit_is_refused_before_anything_is_stored(ada, world: World, settings):
    settings.PODIUM_UPLOAD_MAX_BYTES = 1000
    response = begin(ada, world, 1001)
    assert response.status_code == 413
    assert b"at most 1,000 are accepted" in response.content
    assert not Upload.objects.exists()


def test_when_the_disk_is_full_uploads_wait(ada, world: World, settings):
    settings.PODIUM_DISK_RESERVE_BYTES = 10**18
    response = begin(ada, world, 1000)
    assert response.status_code == 503
    assert response["Retry-After"] == "60"


def test_a_cancelled_upload_is_gone(ada, world: World):
    address = begin(ada, world, 100)["Location"]
    path = Upload.objects.get().path
    assert path.exists()
    assert ada.delete(address, headers=TUS).status_code == 204
    assert not path.exists()
    assert ada.head(address, headers=TUS).status_code == 410


def test_an_upload_without_progress_expires(ada, world: World):
    address = begin(ada, world, 100)["Location"]
    Upload.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert uploads.expire() == 1
    assert patch(ada, address, 0, b"x").status_code == 410


def test_a_team_has_few_uploads_under_way(ada, world: World):
    answers = [begin(ada, world, 100).status_code for _ in range(4)]
    assert answers == [201, 201, 201, 403]


def test_what_arrived_before_the_line_broke_is_kept(world: World):
    upload = submitting.create_upload(user=world.ada, phase=world.phase, team=world.adas, file_name="p.zip", size=100)
    pieces = iter([b"x" * 30, b"y" * 20])

    def read(_: int) -> bytes:
        try:
            return next(pieces)
        except StopIteration:
            raise ConnectionResetError("gone") from None

    with pytest.raises(ConnectionResetError):
        uploads.append(upload=upload, offset=0, read=read)
    upload.refresh_from_db()
    assert upload.offset == 50
    assert upload.path.read_bytes() == b"x" * 30 + b"y" * 20


def test_two_requests_do_not_write_to_one_upload(world: World):
    upload = submitting.create_upload(user=world.ada, phase=world.phase, team=world.adas, file_name="p.zip", size=100)

    def read(_: int) -> bytes:
        with pytest.raises(refusals.BusyError):
            uploads.append(upload=upload, offset=0, read=io.BytesIO(b"z").read)
        return b""

    uploads.append(upload=upload, offset=0, read=read)


def test_finishing_twice_makes_one_submission(world: World):
    content = zipped(predictions())
    first = world.upload(content)
    assert submitting.finish(upload=first.upload) == first
    assert Submission.objects.count() == 1


def test_a_last_piece_that_is_sent_again_is_answered_as_before(ada, world: World):
    content = zipped(predictions())
    address = begin(ada, world, len(content))["Location"]
    answer = patch(ada, address, 0, content)
    again = patch(ada, address, len(content), b"", **{"Content-Type": "application/offset+octet-stream"})
    assert (again.status_code, again["Podium-Submission"]) == (204, answer["Podium-Submission"])
    head = ada.head(address, headers=TUS)
    assert (head["Upload-Offset"], head["Podium-Submission"]) == (str(len(content)), answer["Podium-Submission"])
    assert Submission.objects.count() == 1


def test_an_end_that_was_interrupted_is_made_up_for(ada, world: World):
    """The bytes are whole but the process died before the submission was made: asking for the state finishes it."""
    content = zipped(predictions())
    upload = submitting.create_upload(
        user=world.ada, phase=world.phase, team=world.adas, file_name="p.zip", size=len(content)
    )
    uploads.append(upload=upload, offset=0, read=io.BytesIO(content).read)
    assert not Submission.objects.exists()
    head = ada.head(f"/challenges/{world.challenge.slug}/uploads/{upload.pk}/", headers=TUS)
    assert head["Podium-Submission"] == Submission.objects.get().get_absolute_url()


def test_an_upload_belongs_to_who_began_it(client, world: World):
    client.force_login(world.ada)
    address = begin(client, world, 100)["Location"]
    client.force_login(world.bo)
    for answer in (
        client.head(address, headers=TUS),
        patch(client, address, 0, b"x"),
        client.delete(address, headers=TUS),
    ):
        assert answer.status_code == 404
    client.logout()
    assert patch(client, address, 0, b"x").status_code == 403


def test_the_token_against_forged_requests_is_asked_for(world: World):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(world.ada)
    assert begin(client, world, 100).status_code == 403
    client.get(f"/challenges/{world.challenge.slug}/submit/")
    token = client.cookies["csrftoken"].value
    assert begin(client, world, 100, **{"X-CSRFToken": token}).status_code == 201


def test_nothing_is_taken_outside_of_the_phase(ada, world: World):
    world.phase.closes_at = timezone.now() - timedelta(hours=2)
    world.phase.save()
    response = begin(ada, world, 100)
    assert response.status_code == 403
    assert b"First closed on" in response.content


def test_an_upload_that_ends_after_the_phase_is_late(world: World):
    content = zipped(predictions())
    upload = submitting.create_upload(
        user=world.ada, phase=world.phase, team=world.adas, file_name="p.zip", size=len(content)
    )
    uploads.append(upload=upload, offset=0, read=io.BytesIO(content).read)
    world.phase.closed_at = timezone.now()
    world.phase.save()
    assert submitting.finish(upload=upload).is_late


def test_an_upload_that_ends_long_after_the_phase_is_refused(world: World, settings):
    settings.PODIUM_UPLOAD_GRACE_MINUTES = 0
    content = zipped(predictions())
    upload = submitting.create_upload(
        user=world.ada, phase=world.phase, team=world.adas, file_name="p.zip", size=len(content)
    )
    uploads.append(upload=upload, offset=0, read=io.BytesIO(content).read)
    world.phase.closed_at = timezone.now()
    world.phase.save()
    with pytest.raises(refusals.PhaseNotOpenError):
        submitting.finish(upload=upload)
    with pytest.raises(refusals.GoneError, match="closed on"):
        submitting.finish(upload=upload)
    assert not Submission.objects.exists()
