"""Permissions to read, write and publish reports: every address, every person."""

from unittest import mock

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from challenges.models import Challenge
from reports.exposure.queries.facts import Audience
from reports.services import reports as services
from reports.urls import urlpatterns
from tests.integration.leaderboards import world
from tests.integration.marks import on_both
from tests.integration.reports.conftest import UNTYPESET, made, made_for_team, untypeset

pytestmark = pytest.mark.django_db

PEOPLE = ("anonymous", "stranger", "member", "other", "staff", "organizer")
OUTSIDERS = PEOPLE[:-1]
BOTH = ("member", "organizer")
"""People who are tested on both databases. They get all rows that anyone gets, by the same queries."""
EACH = on_both(PEOPLE, BOTH, "Members and organizers get all rows that anyone gets.")
EACH_OUTSIDER = on_both(OUTSIDERS, BOTH, "Members get all rows that outsiders get.")
OPEN = ("index", "exposure")
OF_A_REPORT = ("report", "paper", "progress", "file", "checklist_csv", "chapter")
DESK = ("desk", "item")
ACTS = ("make", "design", "publish", "withdraw")
SECRETS = ("0.900", "0.800", "unet", "Sealed, version")


@pytest.fixture(scope="module")
def reports(built):
    """Reports by who may read them; the one of the team is Ada's, whose member is `member`."""
    organizer = built.people["organizer"]
    with mock.patch(UNTYPESET, untypeset):
        return {
            "organizers": made(organizer, built.challenge),
            "public": made(organizer, built.challenge, Audience.PUBLIC),
            "team": made_for_team(built.people["member"], built.phases["revealed"], built.teams["Ada"]),
        }


def client_of(built, person: str) -> Client:
    client = Client()
    if person != "anonymous":
        client.force_login(built.people[person])
    return client


def address(name: str, number: int = 1, key: str = "revealed") -> str:
    arguments = {
        "report": [number],
        "paper": [number],
        "progress": [number],
        "file": [number, "html"],
        "checklist_csv": [number],
        "chapter": [number, "results"],
        "item": ["42"],
        "team": [key],
    }
    return reverse(f"reports:{name}", args=["liver", *arguments.get(name, [])])


def test_the_matrix_covers_every_address():
    assert {pattern.name for pattern in urlpatterns} == {*OPEN, *OF_A_REPORT, *DESK, *ACTS, "team"}


@pytest.mark.parametrize("person", EACH)
@pytest.mark.parametrize("name", OPEN)
def test_everybody_reads_the_first_pages(built, reports, person, name):
    assert client_of(built, person).get(address(name)).status_code == 200


@pytest.mark.parametrize("person", EACH_OUTSIDER)
def test_exposure_tells_outsiders_nothing_of_a_sealed_ranking(built, person):
    page = client_of(built, person).get(address("exposure")).content.decode()
    assert not any(secret in page for secret in SECRETS)
    assert "Sealed: 2 of 2 teams" not in page
    assert "Sealed: 2 of 2 teams" in client_of(built, "organizer").get(address("exposure")).content.decode()


@pytest.mark.parametrize("person", EACH)
@pytest.mark.parametrize("name", OF_A_REPORT)
def test_reports_are_for_those_they_were_made_for(built, reports, person, name):
    client = client_of(built, person)
    readers = {"organizers": {"organizer"}, "public": {"organizer"}, "team": {"organizer", "member"}}
    for kind, allowed in readers.items():
        has_it = name != "checklist_csv" or kind != "team"
        key = address(name, reports[kind].number).replace("/results/", "/team/" if kind == "team" else "/results/")
        assert client.get(key).status_code == (200 if person in allowed and has_it else 404), (kind, person)


@pytest.mark.parametrize("person", EACH)
@pytest.mark.parametrize("name", OF_A_REPORT)
def test_everybody_reads_the_published_report(built, reports, person, name):
    services.publish(actor=built.people["organizer"], report=reports["public"])
    assert client_of(built, person).get(address(name, reports["public"].number)).status_code == 200
    services.withdraw(actor=built.people["organizer"], challenge=built.challenge)
    expected = 200 if person == "organizer" else 404
    assert client_of(built, person).get(address(name, reports["public"].number)).status_code == expected


@pytest.mark.parametrize("person", EACH)
@pytest.mark.parametrize("name", DESK)
def test_only_organizers_come_to_the_desk(built, reports, person, name):
    expected = {"anonymous": 302, "organizer": 200}.get(person, 403)
    assert client_of(built, person).get(address(name)).status_code == expected


@pytest.mark.parametrize("person", EACH)
@pytest.mark.parametrize("name", [*ACTS, "item"])
def test_only_organizers_act(built, reports, person, name):
    values = {"audience": "public", "number": reports["public"].number, "text": "New.", "based_on": "", "revision": 0}
    response = client_of(built, person).post(address(name), values)
    if person in ("anonymous", "organizer"):
        assert response.status_code == 302
        assert ("/accounts/login/" in response.url) == (person == "anonymous")
    else:
        assert response.status_code == 403


@pytest.mark.parametrize(
    ("person", "status"),
    [("anonymous", 302), ("stranger", 403), ("staff", 403), ("member", 200), ("other", 200), ("organizer", 200)],
)
def test_teams_ask_for_their_own_report_alone(built, reports, person, status):
    client = client_of(built, person)
    assert client.get(address("team")).status_code == status
    assert client.get(address("team"), {"team": "nobody"}).status_code == (404 if person == "organizer" else status)
    if person == "other":
        client.post(address("team"), {"team": "ada"})
        last = built.challenge.reports.filter(kind="team").latest("number")
        assert last.team == built.teams["Ben"]


@pytest.mark.parametrize("person", EACH_OUTSIDER)
@pytest.mark.parametrize("name", [*OPEN, *OF_A_REPORT])
def test_challenge_that_is_not_public_has_no_reports_for_others(built, reports, person, name):
    services.publish(actor=built.people["organizer"], report=reports["public"])
    Challenge.objects.update(is_public=False)
    assert client_of(built, person).get(address(name, reports["public"].number)).status_code == 404


def queries_of(client: Client, place: str) -> int:
    assert client.get(place).status_code == 200
    with CaptureQueriesContext(connection) as made_queries:
        client.get(place)
    return len(made_queries)


def test_pages_cost_the_same_number_of_queries_for_any_number_of_teams_and_reports(built, reports):
    numbers = {kind: report.number for kind, report in reports.items()}
    pages = {
        ("organizer", name): address(name, numbers["organizers"])
        for name in (*OPEN, *DESK, *OF_A_REPORT, "team")
        if name != "file"
    }
    pages |= {
        ("member", "index"): address("index"),
        ("member", "exposure"): address("exposure"),
        ("member", "team"): address("team"),
        ("member", "report"): address("report", numbers["team"]),
        ("member", "chapter"): address("chapter", numbers["team"]).replace("/results/", "/team/"),
    }
    clients = {person: client_of(built, person) for person in ("organizer", "member")}
    few = {place: queries_of(clients[place[0]], page) for place, page in pages.items()}
    for name in ("Cleo", "Dora"):
        world.join(built, name, level=0.7)
        services.request_report(
            actor=built.people["organizer"], challenge=built.challenge, audience=Audience.ORGANIZERS
        )
    many = {place: queries_of(clients[place[0]], page) for place, page in pages.items()}
    assert many == few, {place: (few[place], many[place]) for place in many if few[place] != many[place]}
    # The exposure report reads the facts of each of the three phases; everything else reads what is stored.
    # Four queries compare the rankings that a report was made from with the current ones.
    assert max(count for (_, name), count in many.items() if name != "exposure") <= 20, many
