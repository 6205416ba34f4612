"""Visibility of a ranking for every address, every person and every state of a phase."""

import re

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse

from challenges.models import Challenge
from evaluation.analyses import catalogue
from leaderboards.urls import urlpatterns
from tests.integration.leaderboards import world
from tests.integration.leaderboards.conftest import storages_in
from tests.integration.marks import on_both

pytestmark = pytest.mark.django_db

PEOPLE = ("anonymous", "stranger", "member", "other", "staff", "organizer")
OUTSIDERS = PEOPLE[:-1]
BOTH = ("member", "organizer")
"""People who are tested on both databases. They get all rows that anyone gets, by the same queries."""
EACH = on_both(PEOPLE, BOTH, "Members and organizers get all rows that anyone gets.")
EACH_OUTSIDER = on_both(OUTSIDERS, BOTH, "Members get all rows that outsiders get.")
PHASES = ("open", "sealed", "revealed")
PAGES = ("current", "history", "version")
FILES = (
    *(
        "document",
        "table_csv",
        "table_json",
        "evaluations",
        "model_index",
        "hardest_csv",
        "figure",
        "results_csv",
        "bundle",
        "history_figure",
    ),
)
SECRETS = ("0.900", "0.800", "unet", "Ada", "Ben")


@pytest.fixture(scope="module")
def built(django_db_setup, django_db_blocker, storage_folder):
    """One world for all tests of this file; what a test changes is rolled back behind it."""
    with (
        override_settings(STORAGES=settings.STORAGES | storages_in(storage_folder)),
        django_db_blocker.unblock(),
        transaction.atomic(),
    ):
        yield world.build()
        transaction.set_rollback(True)


def client_of(built: world.World, person: str) -> Client:
    client = Client()
    if person != "anonymous":
        client.force_login(built.people[person])
    return client


def address(name: str, phase: str, slug: str = "liver") -> str:
    arguments = {
        "first": [slug],
        "current": [slug, phase],
        "embed": [slug, phase],
        "history": [slug, phase],
        "history_figure": [slug, phase],
        "request": [slug, phase],
        "freeze": [slug, phase],
        "version": [slug, phase, 1],
        "figure": [slug, phase, 1, "blob"],
    }
    return reverse(f"leaderboards:{name}", args=arguments.get(name, [slug, phase, 1]))


def text(response) -> str:
    content = b"".join(response.streaming_content) if response.streaming else response.content
    # A random token may spell a name by chance.
    return re.sub(r'csrfmiddlewaretoken" value="\w+"', "", content.decode(errors="replace"))


def main_of(response) -> str:
    """Return the main part of the page, without the head and navigation of the site."""
    page = text(response)
    return page[page.index('<main id="main"') : page.index("</main>")]


def test_the_matrix_covers_every_address():
    covered = {
        "first",
        "request",
        "freeze",
        "tasks",
        "tasks_figure",
        "embed",
        "both_ways",
        "objects",
        "share_picture",
        "badge",  # test_cards.py
        "sites",  # of a ranking over sites: tests/integration/federation/test_roles.py
        "version_sites",
        "suspects",  # of organizers and invited readers: tests/integration/submissions/test_suspects.py
        "suspect",
        "suspect_plan",
        "suspect_view",
        *PAGES,
        *FILES,
    }
    assert {pattern.name for pattern in urlpatterns} == covered


@pytest.mark.parametrize("person", EACH)
def test_everybody_sees_a_ranking_that_is_not_sealed(built, person):
    client = client_of(built, person)
    names = (*PAGES, "document", "table_csv", "table_json", "figure", "history_figure")
    asked = {(name, phase): address(name, phase) for name in names for phase in ("open", "revealed")}
    assert {key: client.get(path).status_code for key, path in asked.items()} == dict.fromkeys(asked, 200)


@pytest.mark.parametrize("person", EACH)
def test_the_picture_for_other_pages_shows_everybody_what_everybody_may_see(built, person):
    """The shared picture is the same for all viewers and shows nothing of a sealed ranking."""
    client = client_of(built, person)
    asked = {phase: client.get(address("share_picture", phase)).status_code for phase in PHASES}
    assert asked == {"open": 200, "sealed": 403, "revealed": 200}


@pytest.mark.parametrize("person", EACH_OUTSIDER)
@pytest.mark.parametrize("name", FILES)
def test_nobody_but_organizers_gets_a_file_of_a_sealed_ranking(built, person, name):
    response = client_of(built, person).get(address(name, "sealed"))
    assert response.status_code == 403
    version = built.phases["sealed"].rankings.get()
    assert not any(secret in text(response) for secret in (*SECRETS, version.digest))


@pytest.mark.parametrize("person", EACH_OUTSIDER)
@pytest.mark.parametrize("name", PAGES)
def test_others_learn_only_how_many_teams_submitted_to_a_sealed_phase(built, person, name):
    response = client_of(built, person).get(address(name, "sealed"))
    page = main_of(response)
    version = built.phases["sealed"].rankings.get()
    assert "2 teams have submitted" in page
    assert "figures" not in page
    assert "plot" not in page
    assert version.digest not in page
    secrets = SECRETS if person not in ("member", "other") else SECRETS[:3]
    assert not any(secret in page for secret in secrets)


@pytest.mark.parametrize("name", [*PAGES, *FILES])
def test_address_of_a_sealed_version_does_not_tell_whether_it_exists(built, name):
    client = client_of(built, "stranger")
    real, invented = address(name, "sealed"), address(name, "sealed").replace("/v/1/", "/v/99/")
    first, second = client.get(real), client.get(invented)
    assert first.status_code == second.status_code
    changing = re.compile(r"/v/\d+/|<code>\w+</code>")
    assert changing.sub("", main_of(first)) == changing.sub("", main_of(second))


@pytest.mark.parametrize("name", [*PAGES, *FILES])
def test_organizers_see_everything_of_a_sealed_ranking(built, name):
    assert client_of(built, "organizer").get(address(name, "sealed")).status_code == 200


def test_organizers_are_told_that_it_is_sealed(built):
    client = client_of(built, "organizer")
    assert "you see this as an organizer" in main_of(client.get(address("current", "sealed")))
    assert "you see this as an organizer" not in main_of(client.get(address("current", "open")))


@pytest.mark.parametrize("person", EACH_OUTSIDER)
@pytest.mark.parametrize("name", ["results_csv", "bundle", "hardest_csv"])
def test_results_of_single_cases_open_only_when_the_phase_closes(built, person, name):
    client = client_of(built, person)
    assert client.get(address(name, "open")).status_code == 403
    assert client.get(address(name, "revealed")).status_code == 200


@pytest.mark.parametrize("name", [picture.name for picture in catalogue.PICTURES if picture.shows_cases])
def test_figures_of_single_cases_open_only_when_the_phase_closes(built, name):
    outside, organizer = client_of(built, "member"), client_of(built, "organizer")
    for phase, is_open in (("open", False), ("sealed", False), ("revealed", True)):
        path = reverse("leaderboards:figure", args=["liver", phase, 1, name])
        drawn = "dsc/whole" in built.phases[phase].rankings.get().analysis.figures.get(name, {})
        there = 200 if drawn else 404  # some need metadata or more cases than there are here
        assert outside.get(path, {"by": "dsc/whole"}).status_code == (there if is_open else 403)
        assert organizer.get(path, {"by": "dsc/whole"}).status_code == there


def test_tabs_of_single_cases_are_offered_only_when_they_open(built):
    client = client_of(built, "member")
    assert "view=data" not in main_of(client.get(address("current", "open")))
    assert "view=data" in main_of(client.get(address("current", "revealed")))


@pytest.mark.parametrize("person", ["anonymous", "member", "staff"])
def test_page_offers_only_files_that_may_be_had(built, person):
    client = client_of(built, person)
    assert "results.csv" not in main_of(client.get(address("current", "open")))
    assert "results.csv" in main_of(client.get(address("current", "revealed")))


@pytest.mark.parametrize("person", EACH_OUTSIDER)
def test_challenge_that_is_not_public_does_not_exist_for_others(built, person):
    Challenge.objects.update(is_public=False)
    client = client_of(built, person)
    asked = {(name, phase): address(name, phase) for name in ("first", *PAGES, *FILES) for phase in PHASES}
    assert {key: client.get(path).status_code for key, path in asked.items()} == dict.fromkeys(asked, 404)


@pytest.mark.parametrize("person", EACH)
def test_objects_are_rated_apart_only_where_there_are_some_and_told_to_nobody_while_sealed(built, person):
    """Visibility of instances is tested in tests/integration/submissions/test_object_parts.py."""
    client = client_of(built, person)
    assert client.get(address("objects", "open")).status_code == 404
    answer = client.get(address("objects", "sealed"))
    assert (answer.status_code, "This ranking is sealed" in text(answer)) == (
        (404, False) if person == "organizer" else (200, True)
    )


@pytest.mark.parametrize("person", EACH)
def test_frame_shows_everybody_what_the_public_sees(built, person):
    client = client_of(built, person)
    assert "<table" in text(client.get(address("embed", "open")))
    sealed = text(client.get(address("embed", "sealed")))
    assert "This ranking is sealed until" in sealed
    assert not any(secret in sealed for secret in SECRETS)


def test_only_the_frame_may_be_framed_by_others(built):
    client = client_of(built, "anonymous")
    frame, page = client.get(address("embed", "open")), client.get(address("current", "open"))
    assert "X-Frame-Options" not in frame
    assert "frame-ancestors *" in frame["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]


def test_frame_of_a_challenge_that_is_not_public_does_not_exist(built):
    Challenge.objects.update(is_public=False)
    assert client_of(built, "organizer").get(address("embed", "open")).status_code == 404


@pytest.mark.parametrize("person", EACH)
def test_only_organizers_ask_for_a_ranking(built, person):
    response = client_of(built, person).post(address("request", "open"))
    expected = {"anonymous": "/accounts/login/", "organizer": address("current", "open")}.get(person)
    if expected:
        assert response.status_code == 302
        assert response.url.startswith(expected)
    else:
        assert response.status_code == 403


@pytest.mark.parametrize("phase", PHASES)
def test_first_address_leads_to_the_phase_that_is_asked_for(built, phase):
    response = client_of(built, "anonymous").get(address("first", phase), {"phase": phase})
    assert (response.status_code, response.url) == (302, address("current", phase))


def test_first_address_opens_the_first_phase(built):
    client = client_of(built, "anonymous")
    assert main_of(client.get(address("first", "open"))) == main_of(client.get(address("current", "open")))


@pytest.mark.parametrize("name", FILES)
def test_files_are_kept_by_the_asker_alone(built, name):
    response = client_of(built, "organizer").get(address(name, "sealed"))
    assert "private" in response["Cache-Control"]
    assert "Cookie" in response["Vary"]


def test_a_badge_of_a_sealed_ranking_is_not_there_for_anyone(built):
    for person in PEOPLE:
        client = client_of(built, person)
        for team in ("Ada", "Ben"):
            response = client.get(reverse("leaderboards:badge", args=["liver", "sealed"]), {"team": team})
            assert response.status_code == 404
            assert "rank set" not in text(response)
