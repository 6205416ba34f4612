"""Permissions of every role × every address × every state of the phase; knowing an address grants no access."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase
from core.audit.models import Entry
from datastore.uploads.services import refusals
from submissions.models import Submission
from tests.integration.submissions.world import World, build, predictions, zipped
from tests.sizes import size

pytestmark = pytest.mark.django_db(transaction=True)

ROLES = ("anonymous", "stranger", "other team", "own team", "organizer", "staff", "administrator")
SIGN_IN, HIDDEN, FORBIDDEN, OPEN, GO = 302, 404, 403, 200, 302

# What each role gets: anonymous, stranger, other team, own team, organizer, staff, administrator.
EVERYBODY_HIDDEN_BUT = {"own team": OPEN, "organizer": OPEN, "administrator": OPEN}
MATRIX: dict[str, dict[str, int]] = {
    "submit/": {
        "stranger": GO,  # to joining
        "other team": OPEN,
        "own team": OPEN,
        "organizer": FORBIDDEN,
        "staff": GO,
        "administrator": GO,
    },
    "submissions/": {
        "stranger": FORBIDDEN,
        "other team": OPEN,
        "own team": OPEN,
        "organizer": FORBIDDEN,
        "staff": FORBIDDEN,
        "administrator": FORBIDDEN,
    },
    "submissions/own.csv": {
        "stranger": FORBIDDEN,
        "other team": OPEN,
        "own team": OPEN,
        "organizer": FORBIDDEN,
        "staff": FORBIDDEN,
        "administrator": FORBIDDEN,
    },
    "submissions/compare.csv?before={id}&after={id}": {
        "stranger": FORBIDDEN,
        "own team": "cases",
        "organizer": FORBIDDEN,
        "staff": FORBIDDEN,
        "administrator": FORBIDDEN,
    },
    "submissions/{id}/": EVERYBODY_HIDDEN_BUT,
    "submissions/{id}/status/": EVERYBODY_HIDDEN_BUT,
    "submissions/{id}/results.csv": {"own team": "cases", "organizer": OPEN, "administrator": OPEN},
    # Of instances only, see test_object_parts.py: here there is nothing, whoever asks.
    "submissions/{id}/objects.csv": {},
    "submissions/{id}/cases/case_001/": {"own team": "cases", "organizer": OPEN, "administrator": OPEN},
    "submissions/{id}/cases/case_001/picture/": {"own team": "cases", "organizer": OPEN, "administrator": OPEN},
    "submissions/{id}/cases/case_001/picture.png": {"own team": "cases", "organizer": OPEN, "administrator": OPEN},
    "submissions/{id}/cases/case_001/viewer.json": {"own team": "cases", "organizer": OPEN, "administrator": OPEN},
    "submissions/{id}/cases/case_001/sheets/image/z/": {"own team": "cases", "organizer": OPEN, "administrator": OPEN},
    "submissions/{id}/cases/case_001/sheets/prediction/x/": {
        "own team": "cases",
        "organizer": OPEN,
        "administrator": OPEN,
    },
    # To administer the platform is not to be named among the organizers.
    "submissions/{id}/cases/case_001/sheets/reference/y/": {"organizer": OPEN},
    "submissions/{id}/cases/case_001/sheets/nothing/z/": {},
    "organize/submissions/": {"organizer": OPEN, "administrator": OPEN},
    "organize/monitor/": {"organizer": OPEN},
    "organize/submissions/{id}/archive/": {"organizer": OPEN, "administrator": OPEN},
    "organize/phases/{phase}/results.csv": {"organizer": OPEN, "administrator": OPEN},
    "organize/cases/case_001/": {"organizer": OPEN, "administrator": OPEN},
}
ACTS: dict[str, dict[str, int]] = {
    "submissions/{id}/decide/": {"own team": GO},
    "organize/submissions/{id}/repeat/": {"organizer": GO, "administrator": GO},
}
STATES = {
    "cases": (Phase.Results.CASES, False),
    "aggregate": (Phase.Results.AGGREGATE, False),
    "validation": (Phase.Results.VALIDATION, False),
    "closed": (Phase.Results.VALIDATION, True),
}


@pytest.fixture
def people(world: World) -> dict[str, User | None]:
    make = User.objects.create_user
    return {
        "anonymous": None,
        "stranger": make("stella", "stella@example.org", "a long password"),
        "other team": world.bo,
        "own team": world.ada,
        "organizer": world.organizer,
        "staff": make("stan", "stan@example.org", "a long password", is_staff=True),
        "administrator": make("root", "root@example.org", "a long password", is_staff=True, is_superuser=True),
    }


def expected(row: dict, role: str, state: str) -> int:
    if role == "anonymous":
        return SIGN_IN
    answer = row.get(role, HIDDEN)
    if answer == "cases":
        return OPEN if state in ("cases", "closed") else HIDDEN
    return answer


ONE_STATE = "validation"
"""The state that is tested on both databases. The queries of a page are the same in each state."""
TEAMS = ("other team", "own team")
ASKING = dict.fromkeys(STATES, ROLES) | size(dict.fromkeys(("cases", "aggregate"), TEAMS), {})
"""Roles by state. In the short form, teams alone ask in the two open states that differ for teams alone."""


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(
            state,
            marks=[] if state == ONE_STATE else pytest.mark.any_database("The queries are the same in each state."),
        )
        for state in STATES
    ],
)
def test_every_role_at_every_address(client, world: World, people, workers, state: str):
    submission = world.upload(zipped(predictions()))
    client.force_login(world.organizer)
    client.get(f"/challenges/blocks/submissions/{submission.pk}/cases/case_001/")  # has the picture drawn
    results, closed = STATES[state]
    world.phase.results = results
    world.phase.closed_at = timezone.now() if closed else None
    world.phase.save()
    found, wanted = {}, {}
    for role in ASKING[state]:
        client.logout()
        if people[role] is not None:
            client.force_login(people[role])
        for address, row in MATRIX.items():
            path = "/challenges/blocks/" + address.format(id=submission.pk, phase=world.phase.pk)
            response = client.get(path)
            if response.streaming:  # the client has closed all others
                response.close()
            found[role, address] = response.status_code
            wanted[role, address] = expected(row, role, state)
        for address, row in ACTS.items():
            response = client.post("/challenges/blocks/" + address.format(id=submission.pk))
            found[role, address] = response.status_code
            wanted[role, address] = expected(row, role, state)
    assert found == wanted


def test_a_challenge_that_is_not_public_is_hidden_from_its_own_teams_even(client, world: World, workers):
    submission = world.upload(zipped(predictions()))
    world.challenge.is_public = False
    world.challenge.save()
    client.force_login(world.ada)
    for rest in ("submit/", "submissions/", f"submissions/{submission.pk}/"):
        assert client.get(f"/challenges/blocks/{rest}").status_code == 404


def test_a_submission_is_not_found_under_another_challenge(client, world: World, workers):
    from challenges.services import create_challenge

    submission = world.upload(zipped(predictions()))
    create_challenge(
        actor=None, organizers=[world.organizer], slug="other", title="Other", summary="Another.", is_public=True
    )
    client.force_login(world.organizer)
    assert client.get(f"/challenges/other/submissions/{submission.pk}/").status_code == 404


@pytest.mark.parametrize(("results", "scores", "cases"), [("cases", 1, 1), ("aggregate", 1, 0), ("validation", 0, 0)])
def test_a_team_sees_of_its_result_what_the_phase_shows(client, world: World, workers, results, scores, cases):
    world.phase.results = results
    world.phase.save()
    submission = world.upload(zipped(predictions()))
    client.force_login(world.ada)
    page = client.get(submission.get_absolute_url()).content.decode()
    assert ("Aggregated scores" in page) == scores
    assert ("Results by case" in page) == cases


def test_the_log_of_a_failure_is_for_organizers(client, world: World, workers):
    submission = world.upload(zipped(predictions()))
    Submission.objects.update(log="reference voxel 17 is 2")
    submission.runs.update(log="scorer said: reference voxel 18 is 1")
    client.force_login(world.ada)
    assert b"reference voxel" not in client.get(submission.get_absolute_url()).content
    client.force_login(world.organizer)
    assert client.get(submission.get_absolute_url()).content.count(b"reference voxel") == 2


@pytest.mark.parametrize(
    ("reveals", "closed", "with_reference"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_a_team_sees_the_reference_only_after_a_phase_that_reveals_it(
    client, tmp_path, db, workers, reveals, closed, with_reference
):
    world = build(tmp_path / "references", reveals_cases=reveals)
    submission = world.upload(zipped(predictions()))
    if closed:
        world.phase.closed_at = timezone.now()
        world.phase.save()
    address = f"{submission.get_absolute_url()}cases/case_001/picture.png"
    client.force_login(world.ada)
    client.get(f"{submission.get_absolute_url()}cases/case_001/")
    seen = client.get(address).content
    plan = client.get(f"{submission.get_absolute_url()}cases/case_001/viewer.json").json()
    sheet = f"{submission.get_absolute_url()}cases/case_001/sheets/reference/z/"
    assert [set(strip["sheets"]) for strip in plan["strips"]] == [
        {"image", "prediction"} | ({"reference"} if with_reference else set())
    ] * 3
    assert (client.get(sheet).status_code == OPEN) == with_reference
    client.force_login(world.organizer)
    full = client.get(address).content
    assert (seen == full) == with_reference
    looks = Entry.objects.count()
    assert client.get(sheet).status_code == OPEN
    assert Entry.objects.count() > looks - closed  # noted while references are not open
    # Administrators are not named among the organizers: they see a reference when teams do.
    client.force_login(User.objects.create_superuser("root", "root@example.org", "a long password"))
    client.get(f"{submission.get_absolute_url()}cases/case_001/")
    assert (client.get(address).content == full) == with_reference


def test_a_phase_that_has_not_opened_takes_nothing(client, world: World):
    world.phase.opens_at = timezone.now() + timedelta(hours=1)
    world.phase.closes_at = timezone.now() + timedelta(hours=2)
    world.phase.save()
    client.force_login(world.ada)
    assert "is not open yet" in client.get("/challenges/blocks/submit/").content.decode()
    with pytest.raises(refusals.PhaseNotOpenError):
        world.upload(zipped(predictions()))
