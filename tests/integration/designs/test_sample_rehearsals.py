"""Rehearsals with files of the organizers: read in a confined child, shown to those who write the design, then deleted."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from core.work.services import claim, sweep_kind
from designs import tasks
from designs.models import Collaborator, Rehearsal, SampleRehearsal
from designs.queries.work import SAMPLE_REHEARSALS
from designs.services.designs import import_design
from tests.integration.challenges.world import document
from tests.unit.designs.world import design as blank_design
from tests.unit.designs.world import person, save

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database("A rehearsal reads files in another process. The queue is tested on both databases."),
]

EXAMPLE = Path("examples/hippocampus")
CASES = [path.name for path in sorted((EXAMPLE / "references").glob("*.nii.gz"))[:4]]


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    jobs = []
    monkeypatch.setattr("core.work.services.enqueue", lambda *args, countdown=None: jobs.append(args))
    return jobs


@pytest.fixture
def owner():
    return person("ada")


@pytest.fixture
def hippocampus(owner):
    return import_design(actor=owner, title="Hippocampus", data=document())[0]


@pytest.fixture
def signed_in(client, owner):
    client.force_login(owner)
    return client


def zipped(folder, names=CASES, top=""):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as target:
        for name in names:
            target.write(EXAMPLE / folder / name, f"{top}{name}")
    return stream.getvalue()


def of_task(name, design):
    return reverse(f"designs:{name}", args=[design.slug, design.tasks.get().key])


def send(client, design, references, predictions):
    files = {
        "references": [SimpleUploadedFile(name, content) for name, content in references],
        "predictions": [SimpleUploadedFile(name, content) for name, content in predictions],
    }
    return client.post(of_task("rehearse_sample", design), files, follow=True)


def rehearsed(client, design, references, predictions):
    """Send files, run the rehearsal, and return it with its page."""
    send(client, design, references, predictions)
    rehearsal = SampleRehearsal.objects.first()
    tasks.rehearse_sample(rehearsal.pk)
    rehearsal.refresh_from_db()
    return rehearsal, client.get(of_task("sample", design)).content.decode()


def test_own_files_are_sealed_scored_and_ranked_and_then_deleted(signed_in, hippocampus, sent):
    assert (
        of_task("sample", hippocampus)
        in signed_in.get(reverse("designs:rehearsal", args=[hippocampus.slug])).content.decode()
    )
    send(
        signed_in,
        hippocampus,
        [("references.zip", zipped("references", top="study/references/"))],
        [("first.zip", zipped("predictions/unet-a")), ("second.zip", zipped("predictions/single-atlas", CASES[1:]))],
    )
    rehearsal = SampleRehearsal.objects.get()
    assert sent == [(SAMPLE_REHEARSALS.task, rehearsal.pk)]
    stored = [entry["stored"] for entry in rehearsal.files]
    assert all(storages["private"].exists(name) for name in stored)
    status = reverse("designs:sample_status", args=[hippocampus.slug, rehearsal.pk])
    assert "HX-Refresh" not in signed_in.get(status)
    tasks.rehearse_sample(rehearsal.pk)
    tasks.rehearse_sample(rehearsal.pk)
    rehearsal.refresh_from_db()
    assert (rehearsal.state, rehearsal.problem, rehearsal.files) == ("done", "", [])
    assert not any(storages["private"].exists(name) for name in stored)
    assert signed_in.get(status)["HX-Refresh"] == "true"
    assert rehearsal.result["is_passed"]
    assert rehearsal.result["cases"] == 4
    page = signed_in.get(of_task("sample", hippocampus)).content.decode()
    for text in ("2 sample submissions scored.", "first", "second", "1 message", "Sample leaderboard"):
        assert text in page
    assert not Rehearsal.objects.exists()


def test_what_teams_would_read_about_a_bad_file_is_shown_and_the_others_are_ranked(signed_in, hippocampus):
    rehearsal, page = rehearsed(
        signed_in,
        hippocampus,
        [(name, (EXAMPLE / "references" / name).read_bytes()) for name in CASES],
        [
            *((name, (EXAMPLE / "predictions/unet-a" / name).read_bytes()) for name in CASES),
            ("strange.zip", zipped("predictions/unet-b", top="other_")),
        ],
    )
    assert rehearsal.state == "done"
    assert not rehearsal.result["is_passed"]
    assert [each["accepted"] for each in rehearsal.result["submissions"]] == [True, False]
    assert {each["name"] for each in rehearsal.result["board"]} == {"Your predictions"}
    assert "File strange" in page


def test_tar_archives_are_read_and_hostile_ones_are_refused_with_a_reason(signed_in, hippocampus):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as target:
        for name in CASES:
            target.add(EXAMPLE / "references" / name, f"references/{name}")
    predictions = [("team.zip", zipped("predictions/unet-a"))]
    rehearsal, _ = rehearsed(signed_in, hippocampus, [("references.tar.gz", stream.getvalue())], predictions)
    assert rehearsal.result["is_passed"]
    outside = io.BytesIO()
    with zipfile.ZipFile(outside, "w") as target:
        target.writestr("../../escaped.nii.gz", b"no image")
    for name, content in (("references.zip", outside.getvalue()), ("references.zip", b"no archive")):
        rehearsal, page = rehearsed(signed_in, hippocampus, [(name, content)], predictions)
        assert (rehearsal.state, rehearsal.result) == ("failed", None)
        assert rehearsal.problem.startswith("references.zip: ")
        assert "Not rehearsed" in page
    twice = [("team.zip", zipped("predictions/unet-a")), ("team.tar", b"no archive")]
    rehearsal, _ = rehearsed(signed_in, hippocampus, [("r.zip", zipped("references"))], twice)
    assert "Two archives have the name team" in rehearsal.problem


def test_a_change_of_the_design_is_stated(signed_in, hippocampus):
    _, page = rehearsed(
        signed_in, hippocampus, [("r.zip", zipped("references"))], [("team.zip", zipped("predictions/unet-a"))]
    )
    assert "Rehearsed in an earlier state" not in page
    save(hippocampus, "challenge_year", 2031)
    assert "Rehearsed in an earlier state" in signed_in.get(of_task("sample", hippocampus)).content.decode()


def test_incomplete_requests_are_refused_and_store_nothing(signed_in, owner, hippocampus):
    files = [("team.zip", zipped("predictions/unet-a"))]
    references = [("r.zip", zipped("references"))]
    for given, message in (((references, []), "required"), (([], files), "required")):
        assert message in send(signed_in, hippocampus, *given).content.decode()
    blank = blank_design(owner)
    assert "names the fields that are open" in send(signed_in, blank, references, files).content.decode()
    assert not SampleRehearsal.objects.exists()
    send(signed_in, hippocampus, references, files)
    assert "is running" in send(signed_in, hippocampus, references, files).content.decode()
    assert SampleRehearsal.objects.count() == 1


def test_only_those_who_write_the_design_see_the_outcome_and_only_editors_send_files(client, owner, hippocampus):
    reader, stranger = person("rita"), person("stan")
    Collaborator.objects.create(design=hippocampus, user=reader, role=Collaborator.Role.READER)
    client.force_login(owner)
    references, files = [("r.zip", zipped("references"))], [("team.zip", zipped("predictions/unet-a"))]
    rehearsal, _ = rehearsed(client, hippocampus, references, files)
    pages = [of_task("sample", hippocampus), reverse("designs:sample_status", args=[hippocampus.slug, rehearsal.pk])]
    client.force_login(reader)
    assert {client.get(page).status_code for page in pages} == {200}
    assert send(client, hippocampus, references, files).status_code == 403
    client.force_login(stranger)
    assert {client.get(page).status_code for page in pages} == {404}
    assert send(client, hippocampus, references, files).status_code == 404
    hippocampus.is_public = True
    hippocampus.save()
    assert {client.get(page).status_code for page in pages} == {403}
    assert SampleRehearsal.objects.count() == 1


def test_a_lost_worker_ends_the_rehearsal_and_deletes_its_files(signed_in, hippocampus):
    send(signed_in, hippocampus, [("r.zip", zipped("references"))], [("team.zip", zipped("predictions/unet-a"))])
    rehearsal = SampleRehearsal.objects.get()
    stored = [entry["stored"] for entry in rehearsal.files]
    assert claim(SAMPLE_REHEARSALS, rehearsal.pk, give_up=lambda _: None) is not None
    SampleRehearsal.objects.update(lease_until="2020-01-01T00:00:00Z")
    sweep_kind(SAMPLE_REHEARSALS)
    tasks.rehearse_sample(rehearsal.pk)
    rehearsal.refresh_from_db()
    assert rehearsal.state == "failed"
    assert "The worker was lost" in rehearsal.problem
    assert not any(storages["private"].exists(name) for name in stored)
