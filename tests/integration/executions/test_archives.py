"""Upload of images and weights: resumable, checked, stored once, deleted when no longer needed."""

import base64
import gzip
import hashlib
import io
import tarfile
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from confinement.containers import making
from datastore.uploads.services.refusals import NotAllowedError, QuotaExceededError, TooLargeError, UploadError
from datastore.uploads.storage import private
from executions.models import AlgorithmArchive, AlgorithmUpload, Blob, Execution
from executions.services import arriving, checking, deleting, storing
from submissions.models import Submission
from tests.integration.executions.world import execution_of

pytestmark = pytest.mark.django_db(transaction=True)


def image_bytes(tmp_path, text="echo well", *, ending=".tar.gz", kind="docker"):
    base = making.layer([making.Entry("bin/sh", b"not really a shell" * 4000, 0o755)])
    own = making.layer([making.Entry("opt/run.sh", text.encode(), 0o755)])
    image = making.image([base, own], entrypoint=["/bin/sh", "/opt/run.sh"])
    path = tmp_path / f"image{ending}"
    making.write(path, image, kind=kind)
    return path.read_bytes(), image.image_id


def send(world, content, *, team=None, kind="image", name="image.tar.gz"):
    team = team or world.adas
    archive = arriving.send_file(
        user=team.members.get().user,
        phase=world.phase,
        team=team,
        kind=kind,
        file_name=name,
        read=io.BytesIO(content).read,
        size=len(content),
    )
    checking.check(archive_id=archive.pk)
    archive.refresh_from_db()
    return archive


def weights(text=b"weights"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        info = tarfile.TarInfo("model.bin")
        info.size = len(text)
        tar.addfile(info, io.BytesIO(text))
    return gzip.compress(out.getvalue())


def test_an_image_is_known_by_its_configuration_however_it_was_packed(world, tmp_path):
    content, image_id = image_bytes(tmp_path)
    other, _ = image_bytes(tmp_path, ending=".tar.zst", kind="oci")
    first, second = send(world, content), send(world, other, name="image.tar.zst")
    assert first.state == second.state == AlgorithmArchive.State.READY
    assert first.digest == second.digest == image_id
    assert not private().exists(f"algorithms/incoming/{first.upload_id}")


def test_two_teams_store_what_they_share_once(world, tmp_path):
    content, _ = image_bytes(tmp_path)
    other, _ = image_bytes(tmp_path, "echo better")
    send(world, content)
    before = Blob.objects.count()
    send(world, content, team=world.bos)
    assert Blob.objects.count() == before
    send(world, other, team=world.bos)
    # Another configuration and another upper layer; the base is shared.
    assert Blob.objects.count() == before + 2


def test_what_is_no_image_is_refused_with_a_sentence_and_what_waits_for_it_too(world, tmp_path):
    archive = arriving.send_file(
        user=world.ada,
        phase=world.phase,
        team=world.adas,
        kind="image",
        file_name="image.tar",
        read=io.BytesIO(b"no archive at all" * 100).read,
        size=1700,
    )
    submission = world.hand_in(archive)
    assert execution_of(submission).state == Execution.State.WAITING
    checking.check(archive_id=archive.pk)
    archive.refresh_from_db()
    submission.refresh_from_db()
    assert archive.state == AlgorithmArchive.State.REFUSED
    assert archive.reason
    assert (submission.state, submission.reason) == (Submission.State.REFUSED, archive.reason)


def test_what_was_handed_in_before_its_check_had_ended_begins_when_it_has(world, tmp_path):
    content, image_id = image_bytes(tmp_path)
    archive = arriving.send_file(
        user=world.ada,
        phase=world.phase,
        team=world.adas,
        kind="image",
        file_name="image.tar.gz",
        read=io.BytesIO(content).read,
        size=len(content),
    )
    submission = world.hand_in(archive)
    checking.check(archive_id=archive.pk)
    execution = execution_of(submission)
    assert execution.state == Execution.State.QUEUED
    assert execution.image.digest == image_id
    assert execution.batches.count() == 4


def test_a_phase_that_takes_algorithms_takes_no_predictions_and_tells_no_case(world, client):
    from submissions.services.submitting import create_upload

    with pytest.raises(NotAllowedError, match="takes algorithms, not predictions"):
        create_upload(user=world.ada, phase=world.phase, team=world.adas, file_name="a.zip", size=10)
    client.force_login(world.ada)
    answer = client.get(f"/api/v1/challenges/blocks/phases/{world.phase.pk}/expectation/")
    assert answer.status_code == 404
    assert "case_001" not in answer.content.decode()


def test_weights_are_known_by_what_they_hold(world):
    first, second = send(world, weights(), kind="model"), send(world, weights(b"others"), kind="model")
    assert first.state == AlgorithmArchive.State.READY
    assert first.digest != second.digest
    assert Blob.objects.count() == 2


def test_an_upload_goes_on_where_it_broke_off_and_becomes_one_archive(world, engine, client, tmp_path):
    content, image_id = image_bytes(tmp_path)
    client.force_login(world.ada)
    tus = {"Tus-Resumable": "1.0.0"}

    def metadata(**values):
        return ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in values.items())

    begun = client.post(
        reverse("executions:uploads", args=["blocks", world.phase.pk]),
        headers=tus
        | {"Upload-Length": str(len(content)), "Upload-Metadata": metadata(filename="a.tar.gz", kind="image")},
    )
    assert begun.status_code == 201
    address, offset, half = begun["Location"], 0, len(content) // 3 + 1
    while offset < len(content):
        piece = content[offset : offset + half]
        sum_ = base64.b64encode(hashlib.sha256(piece).digest()).decode()
        damaged = client.patch(
            address,
            piece[::-1],
            content_type="application/offset+octet-stream",
            headers=tus | {"Upload-Offset": str(offset), "Upload-Checksum": f"sha256 {sum_}"},
        )
        assert damaged.status_code == 460
        assert client.head(address, headers=tus)["Upload-Offset"] == str(offset)
        answer = client.patch(
            address,
            piece,
            content_type="application/offset+octet-stream",
            headers=tus | {"Upload-Offset": str(offset), "Upload-Checksum": f"sha256 {sum_}"},
        )
        assert answer.status_code == 204
        offset = int(answer["Upload-Offset"])
    assert answer["Podium-Page"] == f"{reverse('submissions:submit', args=['blocks'])}?phase={world.phase.pk}"
    archive = AlgorithmArchive.objects.get()
    assert arriving.finish(upload=archive.upload) == archive
    checking.check(archive_id=archive.pk)
    archive.refresh_from_db()
    assert archive.digest == image_id
    client.force_login(world.bo)
    assert client.head(address, headers=tus).status_code == 404


def test_bounds_are_asked_before_the_first_byte(world, settings):
    world.set_plan(image_gib=0.001)
    with pytest.raises(TooLargeError, match="accepted as image"):
        send(world, b"x" * 2_000_000)
    settings.PODIUM_IMAGE_TEAM_BYTES = 10
    with pytest.raises(QuotaExceededError):
        send(world, b"x" * 11)
    with pytest.raises(UploadError):
        send(world, b"")
    assert not AlgorithmUpload.objects.exists()
    with pytest.raises(NotAllowedError):
        arriving.begin(user=world.organizer, phase=world.phase, team=world.adas, kind="image", file_name="a", size=1)


def test_a_part_that_nobody_needs_is_deleted_after_the_days_of_grace_unless_it_is_needed_again(
    world, tmp_path, settings
):
    content, _ = image_bytes(tmp_path)
    archive = send(world, content)
    files = list(Blob.objects.values_list("file", flat=True))
    deleting.delete_archive(archive=archive, actor=world.ada)
    assert storing.collect() == 0
    Blob.objects.update(unused_since=timezone.now() - timedelta(days=settings.PODIUM_BLOB_DAYS + 1))
    again = send(world, content)
    assert storing.collect() == 0
    assert Blob.objects.filter(unused_since=None).count() == len(files)
    deleting.delete_archive(archive=again, actor=world.ada)
    storing.collect()
    Blob.objects.update(unused_since=timezone.now() - timedelta(days=settings.PODIUM_BLOB_DAYS + 1))
    assert storing.collect() == len(files)
    assert not any(private().exists(file) for file in files)


def test_what_stands_behind_a_run_is_not_deleted(world, tmp_path):
    from django.core.exceptions import ValidationError

    content, _ = image_bytes(tmp_path)
    archive = send(world, content)
    world.hand_in(archive)
    with pytest.raises(ValidationError, match="It was used by a run"):
        deleting.delete_archive(archive=archive, actor=world.ada)
