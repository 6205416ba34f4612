"""The same file submitted again: by form, by tus and by the interface, one after the other and at the same time."""

import base64
import hashlib
import io
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client

from accounts.services import issue_token
from challenges.models import Phase
from datastore.uploads.models import Upload
from datastore.uploads.services import refusals
from datastore.uploads.services.uploads import append
from datastore.uploads.storage import private
from submissions.models import Submission
from submissions.queries.quotas import quota
from submissions.queries.repeats import RULE
from submissions.services import states, submitting
from tests.integration.submissions.world import World, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)
TUS = {"Tus-Resumable": "1.0.0"}


@pytest.fixture
def ada(world: World) -> Client:
    client = Client()
    client.force_login(world.ada)
    return client


def by_form(client: Client, world: World, content: bytes, *, token: str = "", again: bool = False):
    archive = SimpleUploadedFile("predictions.zip", content, "application/zip")
    fields = {"phase": world.phase.pk, "archive": archive, "client_token": token, **({"again": "on"} if again else {})}
    return client.post("/challenges/blocks/submit/", fields)


def by_tus(client: Client, world: World, content: bytes, *, address="/challenges/blocks/uploads/", key="", **more: str):
    metadata = {"filename": "predictions.zip", "phase": str(world.phase.pk), **more}
    pairs = ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in metadata.items())
    headers = {**TUS, "Upload-Length": str(len(content)), "Upload-Metadata": pairs}
    created = client.post(address, headers={**headers, **({"Idempotency-Key": f'"{key}"'} if key else {})})
    if created.status_code != 201 or "Podium-Submission" in created:
        return created
    return client.patch(
        created["Location"],
        data=content,
        content_type="application/offset+octet-stream",
        headers={**TUS, "Upload-Offset": "0"},
    )


def concurrently(*acts):
    """Run all acts at the same time; returns what each returned or raised."""

    def run(act):
        try:
            return act()
        except Exception as error:  # noqa: BLE001 (the tests look at what was raised)
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def used(world: World) -> tuple[int, int]:
    counted = quota(world.phase, world.adas, world.ada)
    return counted.used_today, counted.unsuccessful_today


def test_the_form_shows_the_existing_submission(world: World, workers, ada: Client):
    content = zipped(predictions())
    first = by_form(ada, world, content)
    repeated = by_form(ada, world, content)
    submission = Submission.objects.get()
    assert first["Location"] == submission.get_absolute_url()
    assert repeated["Location"] == f"{submission.get_absolute_url()}?same-file=1"
    page = ada.get(repeated["Location"]).content.decode()
    assert "You submitted this file before" in page
    assert f'href="/challenges/blocks/submit/?phase={world.phase.pk}&amp;again=1"' in page
    assert used(world) == (1, 0)
    assert submission.runs.count() == 1
    assert 'id="same-file"' not in ada.get(submission.get_absolute_url()).content.decode()


def test_on_request_the_same_file_is_scored_again(world: World, workers, ada: Client):
    content = zipped(predictions())
    by_form(ada, world, content)
    form = ada.get(f"/challenges/blocks/submit/?phase={world.phase.pk}&again=1").content.decode()
    assert RULE in form
    assert 'name="again"' in form
    assert " checked" in form.partition('name="again"')[2].partition(">")[0]
    second = by_form(ada, world, content, again=True)
    assert "same-file" not in second["Location"]
    assert Submission.objects.filter(state="scored").count() == 2
    assert used(world) == (2, 0)
    # The third one is recognized again.
    assert "same-file=1" in by_form(ada, world, content)["Location"]


def test_the_last_answer_of_tus_names_the_existing_submission(world: World, workers, ada: Client):
    content = zipped(predictions())
    by_tus(ada, world, content)
    again = by_tus(ada, world, content)
    submission = Submission.objects.get()
    assert (again.status_code, again["Podium-Repeated"]) == (204, "true")
    assert again["Podium-Submission"] == f"{submission.get_absolute_url()}?same-file=1"
    repeating = Upload.objects.exclude(submission=submission).get()
    assert (repeating.state, repeating.repeats) == (Upload.State.COMPLETE, submission.pk)
    # Nothing of the second upload is kept, and the answer can be asked for again.
    assert not private().exists(f"submissions/{repeating.pk}/archive.zip")
    assert not repeating.path.exists()
    asked = ada.head(f"/challenges/blocks/uploads/{repeating.pk}/", headers=TUS)
    assert asked["Podium-Submission"] == again["Podium-Submission"]


def test_a_stated_digest_spares_the_upload_also_when_nothing_is_left(world: World, workers, ada: Client):
    Phase.objects.update(submissions_per_day=1)
    world.phase.refresh_from_db()
    content = zipped(predictions())
    by_tus(ada, world, content)
    digest = hashlib.sha256(content).hexdigest()
    for client, address in ((ada, "/challenges/blocks/uploads/"), (Client(), "/api/v1/challenges/blocks/uploads/")):
        if client is not ada:
            _, secret = issue_token(user=world.ada, name="test", scopes=["submit"], days=1)
            client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
        answer = by_tus(client, world, content, address=address, sha256=digest.upper())
        assert (answer.status_code, answer["Podium-Repeated"], "Location" in answer) == (200, "true", False)
    assert answer["Podium-Submission"] == f"/api/v1/submissions/{Submission.objects.get().pk}/"
    assert Upload.objects.count() == 1
    assert used(world) == (1, 0)
    refused = by_tus(ada, world, content, sha256=digest, again="true")
    assert (refused.status_code, b"used its one submission of today" in refused.content) == (403, True)
    assert by_tus(ada, world, content, sha256="abc").status_code == 400


def test_a_repeated_request_with_the_same_key_returns_the_same_upload(world: World, workers, ada: Client):
    content = zipped(predictions())
    first = by_tus(ada, world, content, key="k 1", again="true")
    # The first answer was lost: the same request, and nothing has to be sent.
    repeated = by_tus(ada, world, content, key="k 1", again="true")
    assert (repeated.status_code, repeated["Upload-Offset"]) == (201, str(len(content)))
    assert repeated["Podium-Submission"] == first["Podium-Submission"]
    assert (Upload.objects.count(), Submission.objects.count()) == (1, 1)
    other = by_tus(ada, world, content + b"x", key="k 1")
    assert (other.status_code, b"belongs to another upload" in other.content) == (422, True)
    assert by_tus(ada, world, content, key="é").status_code == 400
    # A key of an upload that was cancelled can be used again.
    Upload.objects.update(state=Upload.State.CANCELLED)
    assert by_tus(ada, world, content + b"x", key="k 1").status_code == 204


def test_a_form_sent_twice_is_one_submission_also_on_request(world: World, workers, ada: Client):
    content = zipped(predictions())
    addresses = {by_form(ada, world, content, token="form-1", again=True)["Location"] for _ in range(2)}
    assert len(addresses) == Submission.objects.count() == 1
    # Back to the form, and another file.
    by_form(ada, world, zipped(predictions(2)), token="form-1", again=True)
    assert Submission.objects.count() == 2


@pytest.mark.parametrize("token", ["", "form-1"])
def test_two_forms_at_the_same_time_are_one_submission(world: World, ada: Client, token: str):
    content = zipped(predictions())
    clients = [Client(), Client()]
    for client in clients:
        client.force_login(world.ada)
    answers = concurrently(*(lambda client=client: by_form(client, world, content, token=token) for client in clients))
    assert [answer.status_code for answer in answers] == [302, 302]
    assert len({answer["Location"].partition("?")[0] for answer in answers}) == 1
    assert Submission.objects.count() == 1
    assert used(world) == (1, 0)


def test_two_uploads_that_end_at_the_same_time_are_one_submission(world: World):
    content = zipped(predictions())
    waiting = []
    for _ in range(3):
        upload = submitting.create_upload(
            user=world.ada, phase=world.phase, team=world.adas, file_name="p.zip", size=len(content)
        )
        waiting.append(append(upload=upload, offset=0, read=io.BytesIO(content).read))
    ended = concurrently(*(lambda upload=upload: submitting.finish(upload=upload) for upload in waiting))
    assert len({submission.pk for submission in ended}) == Submission.objects.count() == 1


def test_the_same_key_at_the_same_time_begins_one_upload(world: World):
    facts = {"user": world.ada, "phase": world.phase, "team": world.adas, "file_name": "p.zip", "size": 10}
    begun = concurrently(*[lambda: submitting.create_upload(**facts, client_token="k")] * 3)
    assert len({upload.pk for upload in begun}) == Upload.objects.count() == 1
    with pytest.raises(refusals.TokenReusedError):
        submitting.create_upload(**{**facts, "size": 11}, client_token="k")


@pytest.mark.parametrize("end", ["withdrawn", "failed", "refused"])
def test_what_was_withdrawn_or_failed_may_come_again(world: World, workers, end: str):
    content = zipped(predictions(cases=("case_001",))) if end == "withdrawn" else zipped(predictions())
    first = world.upload(content, again=False)
    first.refresh_from_db()
    if end == "withdrawn":
        states.withdraw(submission=first, actor=world.ada)
    else:
        states._move(first, end, reason="for a reason")
    second = world.upload(content, again=False)
    # The page of a refused submission says what is wrong with the file.
    assert (second.pk == first.pk) == (end == "refused")


def test_people_and_phases_are_apart(world: World, workers):
    content = zipped(predictions())
    first = world.upload(content, again=False)
    assert world.upload(content, again=False) == first
    assert world.upload(content, team=world.bos, again=False) != first
    assert world.upload(zipped(predictions(2)), again=False) != first


def test_a_digest_that_was_stated_wrongly_is_not_kept(world: World, workers, monkeypatch):
    monkeypatch.setattr(submitting, "HASHED_HERE", 0)
    content = zipped(predictions())
    first = world.upload(content, again=False, sha256="ab" * 32)
    first.refresh_from_db()
    assert (first.state, first.content_key) == ("scored", "")
    digest = hashlib.sha256(content).hexdigest()
    second = world.upload(content, again=False, sha256=digest)
    second.refresh_from_db()
    assert (second.pk == first.pk, second.content_key) == (False, f"sha256:{digest}")
    assert world.upload(content, again=False, sha256=digest) == second


def test_a_form_sent_again_before_its_first_request_has_a_file_loses_nothing(world: World, ada: Client, monkeypatch):
    """The second request of a double click finds the upload of the first one, whose file is not there yet."""
    content, first = zipped(predictions()), threading.Event()
    create, tries = submitting.create_upload, []

    def create_upload(**facts: Any) -> Upload:
        upload = create(**facts)
        tries.append(upload.pk)
        if len(tries) == 1:
            upload.path.unlink()
            second = threading.Timer(0.5, lambda: upload.path.touch(mode=0o600))
            second.start()
            first.set()
            second.join()
        else:
            first.wait(10)
        return upload

    monkeypatch.setattr(submitting, "create_upload", create_upload)
    clients = [Client(), Client()]
    for client in clients:
        client.force_login(world.ada)
    answers = concurrently(*(lambda c=client: by_form(c, world, content, token="form-1") for client in clients))
    assert [answer.status_code for answer in answers] == [302, 302]
    assert len(set(tries)) == 1
    assert Submission.objects.count() == 1
