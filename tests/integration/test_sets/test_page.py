"""The organizers' page of test sets: who may open it, who may download, and that every look is written down."""

import csv
import io
import re

import pytest
from django.urls import reverse

from accounts.models import User
from challenges.models import Organizer
from challenges.services import create_challenge
from core.audit.models import Entry
from datastore.test_sets.queries.access_log import DOWNLOADED, SEEN
from tests.integration.challenges import world as challenge_world
from tests.integration.submissions.test_tables import LABELS, add_phase
from tests.integration.submissions.world import CASES, World, build, labels, nifti, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/challenges/blocks/organize/test-sets/"


@pytest.fixture
def people(world: World) -> dict[str, User | None]:
    make = User.objects.create_user
    people: dict[str, User | None] = {"anonymous": None, "participant": world.ada, "owner": world.organizer}
    people["stranger"] = make("stella", "stella@example.org", "a long password")
    people["staff"] = make("stan", "stan@example.org", "a long password", is_staff=True)
    people["administrator"] = make("root", "root@example.org", "a long password", is_staff=True, is_superuser=True)
    for role in (Organizer.Role.MANAGER, Organizer.Role.MODERATOR):
        people[str(role)] = make(str(role), f"{role}@example.org", "a long password")
        Organizer.objects.create(challenge=world.challenge, user=people[str(role)], role=role)
    return people


def test_every_role_at_every_address(client, world: World, people):
    phase = world.phase.pk
    reads = ["", f"?phase={phase}&version=1", f"{phase}/access.csv", f"{phase}/1/cases.csv", f"{phase}/1/decoys.csv"]
    download = f"{PAGE}{phase}/1/references/case_001/"
    found, wanted = {}, {}
    for role, user in people.items():
        client.logout()
        if user is not None:
            client.force_login(user)
        runs_it = role in ("owner", "manager", "administrator")
        hidden = 302 if role == "anonymous" else 404
        for address in reads:
            found[role, address] = client.get(f"{PAGE}{address}").status_code
            wanted[role, address] = 200 if runs_it else hidden
        # Whoever administers the platform is no named organizer, and gets no reference in the browser.
        found[role, "download"] = client.post(download).status_code
        wanted[role, "download"] = 200 if role in ("owner", "manager") else hidden
    assert found == wanted
    entries = Entry.objects.filter(act=DOWNLOADED).order_by("sequence")
    assert [entry.actor.username for entry in entries] == [world.organizer.username, "manager"]


def test_a_download_is_the_reference_and_needs_a_deliberate_act(client, world: World):
    client.force_login(world.organizer)
    address = f"{PAGE}{world.phase.pk}/1/references/case_001/"
    assert client.get(address).url == PAGE
    response = client.post(address)
    assert response.content == nifti(labels())
    assert 'filename="blocks-case_001.nii.gz"' in response["Content-Disposition"]
    for missing in (f"{PAGE}{world.phase.pk}/2/references/case_001/", f"{PAGE}{world.phase.pk}/1/references/case_099/"):
        assert client.post(missing).status_code == 404
    assert Entry.objects.filter(act=DOWNLOADED).count() == 1


def test_no_test_set_of_another_challenge(client, world: World):
    create_challenge(
        actor=None, organizers=[world.organizer], slug="other", title="Other", summary="Another.", is_public=True
    )
    client.force_login(world.organizer)
    base = "/challenges/other/organize/test-sets/"
    assert client.get(base).status_code == 200  # says that there is no phase
    for address in (f"{base}?phase={world.phase.pk}", f"{base}{world.phase.pk}/1/cases.csv"):
        assert client.get(address).status_code == 404
    assert client.post(f"{base}{world.phase.pk}/1/references/case_001/").status_code == 404


def test_pictures_with_the_reference_are_written_down_until_it_is_revealed(client, tmp_path, db, workers):
    world = build(tmp_path / "references", reveals_cases=True)
    submission = world.upload(zipped(predictions()))
    address = f"{submission.get_absolute_url()}cases/case_001/"
    for user in (world.ada, world.organizer):
        client.force_login(user)
        client.get(address)
        client.get(f"{address}picture.png")
    entry = Entry.objects.get(act=SEEN)  # the team's own picture shows no reference
    assert (entry.actor, entry.facts) == (world.organizer, {"phase": "First", "version": 1, "case": "case_001"})
    log = client.get(f"{PAGE}{world.phase.pk}/access.csv").content.decode()
    assert [row["case"] for row in csv.DictReader(io.StringIO(log))] == ["case_001"]
    assert b"saw a picture with the reference" in client.get(PAGE).content
    world.phase.closed_at = submission.created_at
    world.phase.save()
    client.get(f"{address}picture.png")
    assert Entry.objects.filter(act=SEEN).count() == 1


def test_the_case_list_is_the_sealed_manifest(client, world: World):
    case = world.test_set.cases.get(name="case_001")
    case.metadata = {"site": "=cmd()", "age": -4}
    case.save()
    client.force_login(world.organizer)
    rows = list(csv.DictReader(io.StringIO(client.get(f"{PAGE}{world.phase.pk}/1/cases.csv").content.decode())))
    assert [row["case"] for row in rows] == list(CASES)
    assert rows[0]["reference_sha256"] == case.reference_sha256
    assert (rows[0]["site"], rows[0]["age"], rows[1]["site"]) == ("'=cmd()", "-4", "")


def test_the_page_asks_as_often_for_many_cases_and_looks(
    client, world: World, django_assert_max_num_queries, django_assert_num_queries
):
    client.force_login(world.organizer)
    client.get(PAGE)
    with django_assert_max_num_queries(31) as first:
        client.get(PAGE)
    asked = len(first)  # before the next request empties the log of queries
    for case in CASES:
        client.post(f"{PAGE}{world.phase.pk}/1/references/{case}/")
    with django_assert_num_queries(asked):
        client.get(PAGE)


def test_what_was_launched_leads_to_its_missing_test_set(client):
    registered = challenge_world.registered()
    client.force_login(registered.owner)
    page = client.post(
        reverse("challenges:launch", args=[registered.registration.identifier]), {"slug": "launched"}, follow=True
    ).content.decode()
    assert "A phase takes submissions when its test set is sealed." in page
    # The figure that waits for the organizer is the link to where an archive is sent.
    waits = page.split("Sealed test sets", 1)[1].split("</dd>", 1)[0]
    assert "needs action" in waits
    address = re.search(r'href="([^"]+)">0 of \d+', waits)[1]
    assert b"Upload an archive" in client.get(address).content
    home = client.get("/").content.decode()
    assert "Test set missing" in home


def test_the_page_asks_for_what_the_kind_of_problem_needs(client, world: World):
    def asked() -> str:
        text = client.get(f"{PAGE}?phase={world.phase.pk}").content.decode()
        return " ".join(re.sub(r"<[^>]*>", "", text).split())

    client.force_login(world.organizer)
    assert "You can add a folder images. You can add a table cases.csv" in asked()
    world.phase = add_phase(world, "images", LABELS)
    text = asked()
    assert "Pack a folder references with the table of all cases, and a table cases.csv with a column case" in text
    assert "You can add other characteristics as columns, and a folder images." in text
