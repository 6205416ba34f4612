"""Permissions of every role at every address of changes and launching; knowing an address grants no access."""

from datetime import date, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from challenges.models import Projection
from challenges.services import launch
from registry.changes.models import ChangeRequest
from registry.changes.services import Verdict, decide, object_to, request_change
from tests.integration.challenges import world as challenges
from tests.integration.changes.world import World, build, wanted

pytestmark = pytest.mark.django_db

ROLES = ("anonymous", "stranger", "member", "reader", "organizer", "chair", "administrator")
SIGN_IN, FORBIDDEN, OPEN, GO, REFUSED = 302, 403, 200, 302, 422
PUBLIC = dict.fromkeys(ROLES, OPEN)
DRIFT = {"anonymous": SIGN_IN, **dict.fromkeys(("reader", "organizer", "chair", "administrator"), OPEN)}
PAGES: dict[str, dict[str, int]] = {
    "changes/": PUBLIC,
    "changes.csv": PUBLIC,
    "changes/1/": PUBLIC,
    "drift/": DRIFT,
    "drift/?format=csv": DRIFT,
    "changes/new/": {"anonymous": SIGN_IN, "organizer": OPEN},
}
ACTS: dict[str, dict[str, int]] = {
    "changes/1/object/": {"anonymous": SIGN_IN, "member": REFUSED},
    "changes/1/decide/": {"anonymous": SIGN_IN, "chair": REFUSED, "administrator": REFUSED},
    "changes/1/withdraw/": {"anonymous": SIGN_IN, "organizer": GO},
}


@pytest.fixture
def world() -> World:
    made = build()
    made.draft("tie_handling", "dense")
    request_change(
        actor=made.organizer,
        registration=made.registration,
        wanted=[wanted("tie_handling")],
        wanted_on=date(2027, 1, 2),
    )
    return made


def signed_in(world: World, role: str) -> Client:
    client = Client()
    if role != "anonymous":
        client.force_login(getattr(world, role))
    return client


def test_every_role_at_every_address(world):
    found, expected = {}, {}
    for role in ROLES:
        client = signed_in(world, role)
        for address, row in PAGES.items():
            found[role, address] = client.get(f"/registry/{world.registration.identifier}/{address}").status_code
            expected[role, address] = row.get(role, FORBIDDEN)
        for address, row in ACTS.items():  # empty forms: whoever may act is told what is missing
            found[role, address] = client.post(f"/registry/{world.registration.identifier}/{address}").status_code
            expected[role, address] = row.get(role, FORBIDDEN)
    assert found == expected


def test_the_day_from_which_a_change_should_hold_is_shown(world):
    page = signed_in(world, "anonymous").get(f"/registry/{world.registration.identifier}/changes/1/").content.decode()
    assert '<time datetime="2027-01-02">2 January 2027</time>' in page
    record = signed_in(world, "anonymous").get(f"/registry/{world.registration.identifier}/")
    assert [label for label, _ in record.context["life"]] == ["Registered", "Launched", "Submissions opened"]


def test_what_participants_object_is_read_by_those_who_decide_and_who_ask(world):
    object_to(actor=world.member, request=ChangeRequest.objects.get(), text="This favours one team.")
    for role in ROLES:
        page = signed_in(world, role).get(f"/registry/{world.registration.identifier}/changes/1/").content.decode()
        assert ("This favours one team." in page) == (role in ("organizer", "chair", "administrator")), role
        assert "1 person has objected" in page or role in ("organizer", "chair", "administrator")


def test_a_chair_who_works_on_the_design_does_not_decide_about_it(world):
    world.design.collaborators.create(user=world.chair, role="reader")
    address = f"/registry/{world.registration.identifier}/changes/1/decide/"
    assert signed_in(world, "chair").post(address).status_code == FORBIDDEN


def test_a_chair_decides_in_the_browser(world):
    ChangeRequest.objects.update(objections_until=timezone.now() - timedelta(minutes=1))
    change = ChangeRequest.objects.get().changes.get()
    client = signed_in(world, "chair")
    address = f"/registry/{world.registration.identifier}/changes/1/"
    data = {f"change-{change.pk}-outcome": "refuse", f"change-{change.pk}-reason": ""}
    refused = client.post(f"{address}decide/", data)
    assert refused.status_code == REFUSED
    assert "say why it is refused" in refused.content.decode()
    data = {f"change-{change.pk}-outcome": "approve", f"change-{change.pk}-reason": "Agreed."}
    page = client.post(f"{address}decide/", data, follow=True).content.decode()
    assert "version 2.0" in page
    csv = client.get(f"/registry/{world.registration.identifier}/changes.csv").content.decode().splitlines()
    assert csv[1].startswith("1,")
    assert "tie_handling,task-1,critical,approved" in csv[1]


def test_an_organizer_asks_in_the_browser_parameter_by_parameter(world):
    decide(
        actor=world.chair,
        request=ChangeRequest.objects.get(),
        verdicts={ChangeRequest.objects.get().changes.get().pk: Verdict(approve=False, reason="No.")},
    )
    client = signed_in(world, "organizer")
    address = f"/registry/{world.registration.identifier}/changes/new/"
    page = client.get(address).content.decode()
    assert "Tied positions" in page
    assert client.post(address, {"task-1.tie_handling-chosen": "on"}).status_code == OPEN
    assert ChangeRequest.objects.count() == 1
    filled = {
        "task-1.tie_handling-chosen": "on",
        "task-1.tie_handling-reason": "It was wrong.",
        "task-1.tie_handling-effect": "None.",
    }
    response = client.post(address, filled, follow=True)
    assert "Waiting for a decision" in response.content.decode()
    assert ChangeRequest.objects.get(number=2).changes.get().reason == "It was wrong."


@pytest.mark.parametrize("requests", [1, 4])
def test_the_list_costs_the_same_whatever_its_length(world, requests, django_assert_max_num_queries):
    for number in range(2, requests + 1):
        ChangeRequest.objects.filter(state="open").update(state="withdrawn")
        request_change(actor=world.organizer, registration=world.registration, wanted=[wanted("tie_handling")])
        assert ChangeRequest.objects.filter(number=number).exists()
    client = Client()
    address = f"/registry/{world.registration.identifier}/changes/"
    client.get(address)
    with django_assert_max_num_queries(16):
        client.get(address)


@pytest.mark.parametrize(
    ("role", "answer"),
    [
        ("anonymous", SIGN_IN),
        ("stranger", FORBIDDEN),
        ("member", FORBIDDEN),
        ("reader", FORBIDDEN),
        ("chair", FORBIDDEN),
        ("organizer", OPEN),
        ("administrator", OPEN),
    ],
)
def test_who_launches(role, answer):
    world = build(launched=False)
    address = f"/challenges/launch/{world.registration.identifier}/"
    client = signed_in(world, role)
    assert client.get(address).status_code == answer
    response = client.post(address, {"slug": "mine"})
    assert Projection.objects.exists() == (answer == OPEN)
    assert response.status_code == (GO if answer == OPEN else answer)
    if answer == OPEN:
        assert client.get(address).status_code == GO  # to the challenge: it is launched once


@pytest.mark.parametrize(("role", "answer"), [("anonymous", SIGN_IN), ("stranger", 404), ("organizer", OPEN)])
def test_the_gate_is_asked_by_organizers(role, answer):
    world = build(launched=False)
    made = challenges.registered(slug="held", comment_until=timezone.now() + timedelta(days=3))
    challenge = launch(actor=made.owner, registration=made.registration, slug="held")
    world.organizer = made.owner
    client = signed_in(world, role)
    response = client.post(f"/challenges/{challenge.slug}/organize/open/", follow=role == "organizer")
    assert response.status_code == answer
    if role == "organizer":
        page = response.content.decode()
        assert "submissions open after it" in page
        assert "The launch gate is closed" in page
