"""Designs over the REST interface: the same documents and permissions as the pages, errors as problem documents."""

import pytest
from django.urls import reverse

from designs import services
from designs.models import Collaborator, FieldChange
from designs.queries import document_of
from designs.services.examples import example_document, load_example_design
from tests.unit.designs.world import design, person, save

pytestmark = pytest.mark.django_db
JSON = "application/json"


@pytest.fixture
def owner():
    return person("ada")


@pytest.fixture
def hippocampus(owner):
    stored = design(owner)
    save(stored, "challenge_name", "Hippocampus 2026")
    services.freeze_version(actor=owner, design=stored, name="First")
    return stored


@pytest.fixture
def people(owner, hippocampus):
    """People who can encounter a private design, by their role in it."""
    known = {"owner": owner, "stranger": person("eve"), "visitor": None}
    for role in ("editor", "reader"):
        known[role] = person(role)
        Collaborator.objects.create(design=hippocampus, user=known[role], role=role)
    return known


def at(design, tail=""):
    return f"/api/v1/designs/{design.slug}/{tail}"


READ = ["", "versions/", "versions/1/", "differences/", "checks/", "completeness/", "export/json/", "export/md/",
        "fields/challenge_name/", "assessment/task-1/"]  # fmt: skip
# What each role gets from reading, saving a field, and freezing a version.
ROLES = {
    "owner": (200, 200, 201),
    "editor": (200, 200, 403),
    "reader": (200, 403, 403),
    "stranger": (404, 404, 404),
    "visitor": (404, 401, 401),
}


@pytest.mark.parametrize("role", ROLES)
def test_every_role_gets_what_the_rules_say(client, hippocampus, people, role):
    read, save_, freeze = ROLES[role]
    if people[role] is not None:
        client.force_login(people[role])
    for tail in READ:
        # The one task cannot be compiled yet, which is a conflict and no secret.
        expected = 409 if tail.startswith("assessment") and read == 200 else read
        answer = client.get(at(hippocampus, tail))
        assert answer.status_code == expected, tail
        if expected >= 400:
            assert answer["Content-Type"] == "application/problem+json"
            assert b"Hippocampus 2026" not in answer.content
    field = at(hippocampus, "fields/challenge_name/")
    assert client.patch(field, {"value": "Another name"}, content_type=JSON).status_code == save_
    assert client.post(at(hippocampus, "versions/"), {"name": "Second"}, content_type=JSON).status_code == freeze
    listed = {row["slug"] for row in client.get("/api/v1/designs/").json()["results"]}
    assert (hippocampus.slug in listed) == (read == 200)


def test_a_public_design_shows_outsiders_nothing_personal_and_nothing_embargoed(client, owner):
    stored, _ = load_example_design(name="hippocampus", owner=owner)
    save(stored, "award_policy", "A secret prize", state="embargoed_until", event="results_release")
    services.freeze_version(actor=owner, design=stored, name="First")
    for tail in ("", "versions/1/", "differences/", "export/json/", "export/md/", "fields/award_policy/",
                 "fields/organizing_team/", "fields/contact_person/"):  # fmt: skip
        answer = client.get(at(stored, tail))
        assert answer.status_code == 200, tail
        assert b"organizer@example.org" not in answer.content, tail
        assert b"secret prize" not in answer.content, tail
    assert len(client.get(at(stored, "fields/award_policy/")).json()["digest"]) == 64
    assert client.get(at(stored, "assessment/task-1/")).json()["problem"] == "semantic_segmentation"
    client.force_login(owner)
    assert client.get(at(stored, "fields/award_policy/")).json()["value"] == "A secret prize"


def test_a_field_is_saved_by_its_type_and_kept_in_the_history(client, owner, hippocampus):
    client.force_login(owner)
    field = at(hippocampus, "fields/number_test_cases/?task=task-1")
    saved = client.patch(field, {"value": 45, "revision": 0}, content_type=JSON).json()
    assert (saved["value"], saved["state"], saved["revision"]) == (45, "provided", 1)
    refused = client.patch(field, {"value": "many"}, content_type=JSON)
    assert refused.status_code == 400
    assert refused["Content-Type"] == "application/problem+json"
    assert refused.json()["errors"]["value"]
    assert FieldChange.objects.filter(parameter="number_test_cases").count() == 1


def test_what_a_save_leaves_out_stays_as_it_is(client, owner, hippocampus):
    client.force_login(owner)
    field = at(hippocampus, "fields/data_license/")
    client.patch(field, {"value": "cc_by"}, content_type=JSON)
    client.patch(field, {"details": "Version 4.0"}, content_type=JSON)
    assert client.get(field).json() | {"revision": 0} == {
        "parameter": "data_license", "task": None, "value": "cc_by", "details": "Version 4.0", "state": "provided",
        "reason": "", "until": "", "event": "", "digest": "", "revision": 0,
    }  # fmt: skip
    client.patch(field, {"state": "to_be_provided_by", "until": "2027-01-31"}, content_type=JSON)
    after = client.get(field).json()
    assert (after["value"], after["details"], after["until"]) == (None, "Version 4.0", "2027-01-31")


def test_a_save_over_another_persons_save_is_a_conflict(client, owner, hippocampus):
    client.force_login(owner)
    field = at(hippocampus, "fields/challenge_name/")
    seen = client.get(field).json()["revision"]
    save(hippocampus, "challenge_name", "Theirs")
    answer = client.patch(field, {"value": "Mine", "revision": seen}, content_type=JSON)
    assert answer.status_code == 409
    assert answer["Content-Type"] == "application/problem+json"
    assert document_of(hippocampus).values().get("challenge_name") == "Theirs"


def test_differences_come_by_word_row_and_unit(client, owner, hippocampus):
    save(hippocampus, "number_test_cases", 40)
    services.freeze_version(actor=owner, design=hippocampus, name="Second")
    save(hippocampus, "number_test_cases", 45)
    save(hippocampus, "challenge_name", "Hippocampus 2027")
    client.force_login(owner)
    found = {entry["parameter"]: entry for entry in client.get(at(hippocampus, "differences/")).json()}
    assert found["number_test_cases"]["number"] == {"before": 40, "after": 45, "words": "+5, +12.5 %"}
    assert {"kind": "added", "text": "2027"} in [
        {**run, "text": run["text"].strip()} for run in found["challenge_name"]["words"]
    ]
    assert client.get(at(hippocampus, "differences/?from=1&to=1")).json() == []
    assert client.get(at(hippocampus, "differences/?from=9")).status_code == 404
    assert client.get(at(hippocampus, "differences/?from=first")).status_code == 400


def test_checks_and_completeness_say_what_the_pages_say(client, owner):
    stored, _ = load_example_design(name="nuclei", owner=owner)
    client.force_login(owner)
    found = client.get(at(stored, "checks/?phase=submission")).json()
    assert {entry["severity"] for entry in found} == {"warning", "info"}
    assert client.get(at(stored, "checks/?phase=lunch")).status_code == 400
    measured = client.get(at(stored, "completeness/")).json()
    assert measured["passes"] is True
    assert measured["gate"]["share"] == 1
    assert measured["history"]["median"] == 62
    assert measured["drafts"] is None


def test_designs_are_started_over_the_interface_from_an_export(client, owner):
    client.force_login(owner)
    data = {"title": "Again", "document": {"challenge": example_document("nuclei")["challenge"], "tasks": []}}
    made = client.post("/api/v1/designs/", data, content_type=JSON)
    assert made.status_code == 201
    assert made.json()["role"] == "owner"
    assert made.json()["document"]["challenge"]["challenge_acronym"] == "NUCLEI-SEG"
    bad = {"title": "Again", "document": {"challenge": {"weather": "fine"}}}
    assert client.post("/api/v1/designs/", bad, content_type=JSON).status_code == 400
    client.logout()
    assert client.post("/api/v1/designs/", data, content_type=JSON).status_code == 401


def test_the_schema_names_every_address_and_every_parameter(client):
    text = client.get(reverse("api:schema")).content.decode()
    for tail in ("", "fields/{parameter}/", "versions/", "versions/{number}/", "differences/", "checks/",
                 "completeness/", "assessment/{task}/", "export/{ending}/"):  # fmt: skip
        assert f"/api/v1/designs/{{slug}}/{tail}:" in text, tail
    assert "- missing_data_handling\n" in text


@pytest.mark.parametrize("designs", [1, 4])
def test_the_list_makes_the_same_number_of_queries(client, owner, django_assert_num_queries, designs):
    for number in range(designs):
        design(owner, title=f"Design {number}", tasks=("a", "b"))
    client.force_login(owner)
    with django_assert_num_queries(6):
        assert client.get("/api/v1/designs/").json()["count"] == designs
