"""Acts of organizers on data sets, rankings, designs and reports about cases, through the API."""

import json

import pytest
from django.test import Client

from challenges.models import Phase
from datastore.datasets.models import Dataset, DatasetVersion
from datastore.test_sets.models import CaseReport, TestCase
from designs.models import Rehearsal, Simulation
from designs.services import simulations
from leaderboards.models import Freeze, RankingRequest
from registry.drift.models import DriftRequest
from tests.fuzz import world

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return world.build()


@pytest.fixture
def send(made):
    """Send a request as a role; returns the status and the JSON."""

    def request(role, method, address, content=None):
        headers = made.headers(role)
        response = Client().generic(
            method, f"/api/v1/{address}", json.dumps(content or {}), "application/json", headers=headers
        )
        return response.status_code, response.json() if response.content else None

    return request


def test_data_sets_from_the_first_draft_to_a_withdrawn_version(made, send):
    [slug] = made.values("/challenges/", "slug")
    sets = f"challenges/{slug}/data-sets/"
    content = {"name": "Training images", "split": "training", "access": "agreement", "licence": "CC BY 4.0"}
    status, answer = send("organizer", "POST", sets, content)
    assert status == 201
    dataset = Dataset.objects.get(slug=answer["id"])
    assert (dataset.challenge.slug, dataset.licence) == (slug, "CC BY 4.0")
    version = f"{sets}{dataset.slug}/versions/1/"
    status, answer = send("organizer", "POST", f"{version}release/")
    assert status == 400
    assert "file" in str(answer["errors"])
    status, answer = send("organizer", "GET", sets)
    assert [(entry["slug"], [v["number"] for v in entry["versions"]]) for entry in answer] == [(dataset.slug, [1])]
    assert send("organizer", "POST", sets, content | {"url": "ftp://example.org"})[0] == 400
    DatasetVersion.objects.filter(dataset=dataset).update(released_at="2026-11-01T00:00Z", digest="0" * 64)
    assert send("organizer", "POST", f"{version}withdraw/", {"reason": ""})[0] == 400
    assert send("organizer", "POST", f"{version}withdraw/", {"reason": "Wrong labels."})[0] == 200
    assert dataset.versions.get().withdrawal == "Wrong labels."
    status, answer = send("organizer", "POST", f"{sets}{dataset.slug}/versions/")
    assert (status, answer["id"]) == (201, "2")
    for role, expected in (("anonymous", 401), ("stranger", 404), ("participant", 404)):
        assert send(role, "POST", sets, content)[0] == expected
        assert send(role, "GET", sets)[0] == expected


def test_a_ranking_is_frozen_and_computed_again(made, send):
    [slug] = made.values("/challenges/", "slug")
    key = made.values("/challenges/", "key")[0]
    phase = Phase.objects.get(slug=key, task__challenge__slug=slug)
    board = f"challenges/{slug}/rankings/{key}/"
    status, answer = send("organizer", "POST", f"{board}freeze/", {"hours": 48})
    assert (status, answer["message"]) == (200, "The public ranking is frozen 48 hours before the end.")
    assert Freeze.objects.get(phase=phase).hours == 48
    assert send("organizer", "POST", f"{board}freeze/", {"hours": 0})[0] == 400
    before = RankingRequest.objects.filter(phase=phase).count()
    assert send("organizer", "POST", f"{board}request/")[0] == 200
    assert RankingRequest.objects.filter(phase=phase).count() >= max(before, 1)
    assert send("participant", "POST", f"{board}freeze/", {"hours": 1})[0] == 403


def test_designs_are_rehearsed_and_simulated(made, send, monkeypatch):
    slug = made.values("/designs/", "slug")[0]
    address = f"designs/{slug}/rehearsal/"
    assert send("organizer", "GET", address)[0] == 404
    status, answer = send("organizer", "POST", address)
    assert (status, answer["id"]) == (201, str(Rehearsal.objects.get().pk))
    status, answer = send("organizer", "GET", address)
    assert (answer["state"], answer["result"]) == ("queued", None)
    simulation = f"designs/{slug}/tasks/task-1/simulation/"
    assert send("organizer", "POST", simulation, {"cases": 1, "teams": 3})[0] == 400
    status, answer = send("organizer", "POST", simulation, {"cases": 20, "teams": 3})
    assert (status, Simulation.objects.count()) == (400, 0)
    assert "The ranking cannot be executed yet." in answer["errors"]["non_field_errors"]
    requested = []

    def accept(*, actor, task, options):
        requested.append(options)
        return Simulation.objects.create(task=task, assessment={}, options=options, requested_by=actor)

    monkeypatch.setattr(simulations, "request_simulation", accept)
    status, answer = send("organizer", "POST", simulation, {"cases": 20, "teams": 3})
    assert (status, answer["id"], requested) == (201, str(Simulation.objects.get().pk), [{"cases": 20, "teams": 3}])
    assert send("organizer", "GET", simulation)[1]["options"] == {"cases": 20, "teams": 3}
    assert send("stranger", "POST", address)[0] in (403, 404)


def test_reports_about_cases_are_answered_by_organizers_only(made, send):
    [slug] = made.values("/challenges/", "slug")
    case = TestCase.objects.filter(test_set__phase__task__challenge__slug=slug).select_related("test_set").first()
    person = Phase.objects.first().challenge.organizers.first()
    report = CaseReport.objects.create(
        phase=case.test_set.phase, case=case.name, category="reference", text="Wrong.", user=person
    )
    reports = f"challenges/{slug}/case-reports/"
    status, answer = send("organizer", "GET", reports)
    assert (status, [(entry["id"], entry["case"]) for entry in answer]) == (200, [(report.pk, case.name)])
    assert send("organizer", "POST", f"{reports}{report.pk}/exclude/")[0] == 400
    content = {"state": "confirmed", "answer": "The reference misses a lesion."}
    assert send("organizer", "POST", f"{reports}{report.pk}/", {"state": "confirmed"})[0] == 400
    assert send("organizer", "POST", f"{reports}{report.pk}/", content)[0] == 200
    report.refresh_from_db()
    assert (report.state, report.answer) == ("confirmed", content["answer"])
    for role, expected in (("anonymous", 401), ("stranger", 404), ("participant", 404)):
        assert send(role, "GET", reports)[0] == expected
        assert send(role, "POST", f"{reports}{report.pk}/", content)[0] == expected


def test_a_text_is_compared_with_the_registration(made, send):
    [identifier] = made.values("/registry/", "identifier")
    address = f"registry/{identifier}/drift-checks/"
    assert send("organizer", "POST", address, {"title": "Website"})[0] == 400
    status, answer = send("organizer", "POST", address, {"title": "Website", "text": "Ranked by the mean Dice score."})
    assert status == 201, answer
    assert DriftRequest.objects.get().title == "Website"
    assert send("organizer", "GET", address) == (200, [])
    for role, expected in (("anonymous", 401), ("stranger", 403)):
        assert send(role, "POST", address, {"title": "x", "text": "y"})[0] == expected
        assert send(role, "GET", address)[0] == expected


def test_the_recommender_is_answered(made, send):
    slug = made.values("/designs/", "slug")[0]
    address = f"designs/{slug}/tasks/task-1/advice/"
    status, answer = send("organizer", "POST", address, {"act": "guess"})
    assert (status, list(answer["errors"])) == (400, ["act"])
    assert send("organizer", "POST", address, {"act": "answer", "item": "unknown", "answer": "yes"})[0] == 400
    assert send("organizer", "POST", f"designs/{slug}/tasks/none/advice/", {"act": "take"})[0] == 404
    assert send("stranger", "POST", address, {"act": "take"})[0] in (403, 404)
