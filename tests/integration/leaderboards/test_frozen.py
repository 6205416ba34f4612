"""A frozen ranking: organizers see the current version, others the one from some hours before the end."""

import copy
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from core.audit.models import Entry
from leaderboards import urls as leaderboards
from leaderboards.models import Freeze, Standing
from leaderboards.services import rankings
from reports import urls as reports
from tests.integration.leaderboards import world
from tests.integration.leaderboards.conftest import storages_in

pytestmark = pytest.mark.django_db

OUTSIDERS = ("anonymous", "stranger", "member", "other", "staff")
FILES = ("document", "table_csv", "table_json", "evaluations", "model_index", "hardest_csv", "results_csv", "bundle")


@pytest.fixture(scope="module")
def base(django_db_setup, django_db_blocker, storage_folder):
    """Version 1 is from before the freeze and version 2, in which Ben leads, from after it; one day remains."""
    with (
        override_settings(STORAGES=settings.STORAGES | storages_in(storage_folder)),
        django_db_blocker.unblock(),
        transaction.atomic(),
    ):
        built = world.build(ranked=("open",))
        phase = built.phases["open"]
        Standing.objects.filter(phase=phase).update(since=timezone.now() - timedelta(hours=40))
        rankings.freeze_board(actor=built.people["organizer"], phase=phase, hours=36)
        world.scored_run(phase, built.teams["Ben"], built.people["other"], level=0.97)
        world.rank(phase)
        yield built
        transaction.set_rollback(True)


@pytest.fixture
def built(base, db):
    """The same for every test: what one changes is rolled back behind it."""
    return copy.deepcopy(base)


def client_of(built: world.World, person: str) -> Client:
    client = Client()
    if person != "anonymous":
        client.force_login(built.people[person])
    return client


def address(name: str, *arguments: object) -> str:
    return reverse(f"leaderboards:{name}", args=["liver", "open", *arguments])


def first_row(html: str) -> str:
    return html.split("<tbody>")[1].split("</tr>", maxsplit=1)[0]


@pytest.mark.parametrize("person", OUTSIDERS)
def test_outsiders_see_the_ranking_as_it_stood(built, person):
    client = client_of(built, person)
    for name in ("current", "embed"):
        html = client.get(address(name)).content.decode()
        assert "Ada" in first_row(html), name
    assert "Frozen: this is the ranking as of" in client.get(address("current")).content.decode()
    assert "Version 2" not in client.get(address("history")).content.decode()


@pytest.mark.parametrize("person", OUTSIDERS)
def test_nothing_newer_can_be_had_and_no_answer_tells_whether_it_exists(built, person):
    client = client_of(built, person)
    for name in ("version", *FILES):
        answers = [client.get(address(name, number)) for number in (2, 99)]
        assert [answer.status_code for answer in answers] == [403, 403], name
    assert client.get(address("figure", 2, "blob")).status_code == 403
    assert client.get(address("history_figure")).status_code == 403
    assert client.get(address("version", 1)).status_code == 200


def test_no_address_of_the_challenge_shows_what_came_after_the_freeze(built):
    """Every address with a GET that the challenge has, and those that lead to it: none holds the newer ranking."""
    newer = built.phases["open"].rankings.get(number=2)
    secrets = [newer.digest, newer.inputs_digest, "/v/2/", "Version 2,"]
    visited = set()
    for person in ("anonymous", "other"):  # the other one is in the team whose new result it is
        client = client_of(built, person)
        for path in sorted(addresses()):
            answer = client.get(path)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            # A refusal names the address that was asked for.
            told = [
                secret for secret in secrets if secret.encode() in body and not (secret == "/v/2/" and secret in path)
            ]
            assert not told, (person, path)
            if answer.status_code == 200:
                visited.add(path)
    assert {address("current"), address("embed"), address("history"), address("version", 1)} <= visited
    assert {address("table_json", 1), api("ranking", "open"), "/"} <= visited


def api(name: str, *arguments: object) -> str:
    return reverse(f"api:{name}", args=["liver", *arguments])


def addresses() -> set[str]:
    """Leaderboard, reports and API with every argument filled in, and the pages that name challenges."""
    given = {"slug": "liver", "key": "open", "number": 1, "name": "blob", "item": "1", "case": "case_01", "view": "a"}
    found = {"/", "/challenges/", "/challenges/liver/", "/registry/", api("rankings"), api("ranking", "open")}
    for namespace, patterns in (("leaderboards", leaderboards.urlpatterns), ("reports", reports.urlpatterns)):
        for pattern in patterns:
            wanted = {"slug": "liver"} | {name: given[name] for name in pattern.pattern.converters}
            for number in (1, 2) if "number" in wanted else (1,):
                numbered = wanted | ({"number": number} if "number" in wanted else {})
                found.add(reverse(f"{namespace}:{pattern.name}", kwargs=numbered))
    return found


def test_program_reads_the_ranking_as_it_stood_and_is_refused_the_newer_one(built):
    client = client_of(built, "anonymous")
    found = client.get(api("ranking", "open")).json()
    assert (found["version"], found["stands"]) == (1, True)
    assert client.get(api("ranking", "open"), {"version": 2}).status_code == 403
    assert client.get(api("ranking", "open"), {"version": 99}).status_code == 403
    assert client_of(built, "organizer").get(api("ranking", "open")).json()["version"] == 2


def test_organizers_see_it_as_it_is_and_are_told_that_others_do_not(built):
    client = client_of(built, "organizer")
    html = client.get(address("current")).content.decode()
    assert "Ben" in first_row(html)
    assert "Frozen for the public" in html
    assert client.get(address("version", 2)).status_code == 200
    assert "Ada" in first_row(client.get(address("embed")).content.decode()), "a frame shows what everybody sees"


def test_everything_is_shown_once_the_phase_has_closed(built):
    phase = built.phases["open"]
    phase.closes_at = timezone.now() - timedelta(minutes=1)
    phase.save()
    html = client_of(built, "anonymous").get(address("current")).content.decode()
    assert "Ben" in first_row(html)
    assert "Frozen" not in html


@pytest.mark.parametrize("person", OUTSIDERS)
def test_only_organizers_freeze(built, person):
    client_of(built, person).post(address("freeze"), {"hours": 2})
    assert Freeze.objects.get().hours == 36


def test_freezing_and_thawing_are_logged(built):
    client = client_of(built, "organizer")
    assert client.get(address("freeze")).status_code == 302
    client.post(address("freeze"), {"hours": 2})
    client.post(address("freeze"), {"hours": 0})
    client.post(address("freeze"), {"hours": ""})
    assert not Freeze.objects.exists()
    facts = [entry.facts["hours"] for entry in Entry.objects.filter(act="leaderboard_frozen").order_by("pk")]
    assert facts == [36, 2, None]
