"""Rehearsals of designs: requested on the page or by a frozen version, run by a worker, shown to insiders alone."""

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from designs import tasks
from designs.models import Collaborator, Rehearsal
from designs.queries.documents import document_of
from designs.queries.rehearsals import digest_of, rehearsal_of
from designs.services import freeze_version
from designs.services.designs import import_design
from registry.services import register_design
from reviews.services.filing import file_design
from tests.integration.challenges.world import document
from tests.unit.designs.world import design as blank_design
from tests.unit.designs.world import save
from tests.unit.registry.test_every_category import accepted
from tests.unit.reviews.world import build, make_call, make_design, person

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database("A rehearsal is computed in memory. The queue is tested on both databases."),
]


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


def run_all():
    for row in Rehearsal.objects.filter(state=Rehearsal.State.QUEUED):
        tasks.rehearse(row.pk)


def address(design):
    return reverse("designs:rehearsal", args=[design.slug])


def state_failed(design, digest):
    """A rehearsal of a document that found a problem."""
    problem = {"message": "The references have a class that the design does not name.", "parameter": "regions"}
    result = {"is_passed": False, "obstacles": [], "tasks": [{"obstacles": [problem]}]}
    return Rehearsal.objects.create(design=design, digest=digest, state=Rehearsal.State.DONE, result=result)


def test_the_button_rehearses_a_draft_and_the_page_shows_what_teams_would_get(client, owner, hippocampus, sent):
    client.force_login(owner)
    assert "No rehearsal yet" in client.get(address(hippocampus)).content.decode()
    assert client.post(address(hippocampus)).status_code == 302
    rehearsal = Rehearsal.objects.get()
    assert sent[-1] == ("designs.tasks.rehearse", rehearsal.pk)
    assert "Queued" in client.get(address(hippocampus)).content.decode()
    status = reverse("designs:rehearsal_status", args=[hippocampus.slug, rehearsal.pk])
    assert "HX-Refresh" not in client.get(status)
    tasks.rehearse(rehearsal.pk)
    assert client.get(status)["HX-Refresh"] == "true"
    rehearsal.refresh_from_db()
    assert rehearsal.is_passed
    page = client.get(address(hippocampus)).content.decode()
    for words in ("Passed", "3 sample submissions scored.", "equal a direct computation", "Good sample", "Submit page"):
        assert words in page
    [task] = rehearsal.result["tasks"]
    assert {value["metric"] for value in task["submissions"][0]["values"]}
    incomplete = task["submissions"][2]
    assert any("case-11" in finding for finding in incomplete["findings"])
    assert {value["outcomes"].get("missing") for value in incomplete["values"]} == {1}
    assert task["board"][0]["rank_interval"]
    [phases] = rehearsal.result["phases"]["by_task"].values()
    assert [phase["name"] for phase in phases]
    assert all(phase["rules"] for phase in phases)
    assert phases[0]["name"] in page


def test_a_blank_design_is_told_what_to_fill_in(client, owner):
    design = blank_design(owner)
    client.force_login(owner)
    client.post(address(design))
    run_all()
    page = client.get(address(design)).content.decode()
    assert "Failed" in page
    assert reverse("designs:task_section", args=[design.slug, "assessment", design.tasks.get().key])[:20] in page


def test_a_change_after_the_rehearsal_is_stated(client, owner, hippocampus):
    client.force_login(owner)
    client.post(address(hippocampus))
    run_all()
    save(hippocampus, "challenge_year", 2031)
    assert "Rehearsed in an earlier state" in client.get(address(hippocampus)).content.decode()


def test_organizers_and_reviewers_see_a_rehearsal_and_nobody_else_does(client, owner, hippocampus):
    reader, stranger = person("rita"), person("stan")
    Collaborator.objects.create(design=hippocampus, user=reader, role=Collaborator.Role.READER)
    client.force_login(owner)
    client.post(address(hippocampus))
    run_all()
    status = reverse("designs:rehearsal_status", args=[hippocampus.slug, Rehearsal.objects.get().pk])
    client.force_login(reader)
    assert client.get(address(hippocampus)).status_code == 200
    assert client.post(address(hippocampus)).status_code == 403
    client.force_login(stranger)
    assert {client.get(page).status_code for page in (address(hippocampus), status)} == {404}
    hippocampus.is_public = True
    hippocampus.save()
    assert {client.get(page).status_code for page in (address(hippocampus), status)} == {403}
    client.logout()
    assert client.get(status).status_code in (302, 403)
    assert client.get(address(hippocampus)).status_code == 302


def test_a_reviewer_sees_the_rehearsal_of_the_submitted_version(client):
    world = build()
    filing = world.file()
    run_all()
    world.assign()
    world.start()
    reviewer = world.panel["r1"].user
    client.force_login(reviewer)
    version = filing.versions.get().version
    assert rehearsal_of(world.design, version.digest).is_passed
    shown = reverse("reviews:rehearsal", args=[filing.call.slug, filing.number])
    page = client.get(shown).content.decode()
    assert "Rehearsal of version 1" in page
    assert "3 sample submissions scored." in page
    assert client.get(address(world.design)).status_code == 404
    for part, status in ((world.chair, 200), (world.owner, 200), (person("stan"), 404)):
        client.force_login(part)
        assert client.get(shown).status_code == status
    client.force_login(world.owner)
    own = client.get(f"{address(world.design)}?version={version.number}").content.decode()
    assert f"of version {version.number}" in own
    assert client.get(f"{address(world.design)}?version=99").status_code == 404


def test_a_frozen_version_is_rehearsed_once_per_document(owner, hippocampus, sent):
    version = freeze_version(actor=owner, design=hippocampus, name="First")
    [rehearsal] = Rehearsal.objects.all()
    assert rehearsal.digest == version.digest == digest_of(document_of(hippocampus))
    assert ("designs.tasks.rehearse", rehearsal.pk) in sent
    run_all()
    save(hippocampus, "challenge_year", 2031)
    freeze_version(actor=owner, design=hippocampus, name="Second")
    assert Rehearsal.objects.count() == 2
    blank = blank_design(person("bob"), title="Blank")
    freeze_version(actor=None, design=blank, name="Empty")
    assert not blank.rehearsals.exists()


def test_a_call_can_require_a_successful_rehearsal(owner):
    design = make_design(owner)
    call = make_call(person("charlie"), requires_rehearsal=True)
    with pytest.raises(ValidationError, match="requires a successful rehearsal"):
        file_design(actor=owner, call=call, design=design)
    rehearsal = state_failed(design, digest_of(document_of(design)))
    with pytest.raises(ValidationError, match="requires a successful rehearsal"):
        file_design(actor=owner, call=call, design=design)
    Rehearsal.objects.filter(pk=rehearsal.pk).update(result={**rehearsal.result, "is_passed": True})
    assert file_design(actor=owner, call=call, design=design).state == "submitted"


def test_a_design_whose_rehearsal_failed_is_not_registered(owner):
    design = make_design(owner)
    filing = file_design(actor=owner, call=make_call(person("charlie")), design=design)
    accepted(filing)
    Rehearsal.objects.all().delete()
    failed = state_failed(design, filing.versions.get().version.digest)
    with pytest.raises(
        ValidationError, match=r"rehearsal of this design failed: The references have a class.*rehearse again"
    ):
        register_design(design=design, actor=owner)
    failed.delete()
    assert register_design(design=design, actor=owner)
