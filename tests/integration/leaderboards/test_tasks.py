"""A challenge of several tasks: the ranks side by side, and nothing of a task whose ranking is sealed or frozen."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from challenges.models import Phase, Task
from leaderboards.models import Standing
from leaderboards.services import following, rankings
from tests.integration.leaderboards import world

pytestmark = pytest.mark.django_db

LEVELS = {"Main": {"Ada": 0.9, "Ben": 0.7}, "Second": {"Ada": 0.6, "Ben": 0.8}, "Third": {"Ada": 0.5, "Ben": 0.85}}


def ranked(phase: Phase, built: world.World, levels: dict[str, float]) -> None:
    for team, level in levels.items():
        world.scored_run(phase, built.teams[team], built.people["member"], level=level)
    rankings.request_ranking(phase.pk)
    rankings.rank_phase(phase_id=phase.pk)
    following.follow_phase(phase_id=phase.pk)


@pytest.fixture
def built():
    built = world.build(ranked=())
    first = built.phases["open"]
    ranked(first, built, LEVELS["Main"])
    for position, name in enumerate(("Second", "Third"), start=2):
        task = Task.objects.create(challenge=built.challenge, slug=name.lower(), name=name, position=position)
        phase = Phase.objects.create(
            task=task,
            slug="open",
            name="Open",
            opens_at=first.opens_at,
            closes_at=first.closes_at,
            leaderboard=Phase.Leaderboard.PUBLIC,
            assessment_document=first.assessment_document,
            assessment_digest=first.assessment_digest,
        )
        world.hidden_test_set(phase)
        built.phases[name] = phase
        ranked(phase, built, LEVELS[name])
    return built


def page(person: str | None, built: world.World, key: str = "open", **asked: str):
    client = Client()
    if person:
        client.force_login(built.people[person])
    return client.get(reverse("leaderboards:tasks", args=["liver", key]), asked)


def test_ranks_stand_side_by_side_and_without_a_registered_step_nothing_is_combined(built):
    head, *rows = page(None, built, format="csv").content.decode().strip().split("\n")
    assert head == "team,Main,Second,Third"
    assert rows == ["Ada,1,2,2", "Ben,2,1,1"]
    html = page(None, built).content.decode()
    assert "does not register a ranking over tasks" in html
    assert "Consensus" not in html
    for address in (part.split('"')[0] for part in html.split('data-plot-src="')[1:]):
        assert Client().get(address).json()["data"]
    assert html.count("data-plot-src") == 2
    board = Client().get(reverse("leaderboards:current", args=["liver", "open"])).content.decode()
    assert reverse("leaderboards:tasks", args=["liver", "open"]) in board


@pytest.mark.parametrize("person", [None, "stranger", "member", "staff"])
def test_task_that_is_sealed_is_named_and_nothing_else_is_said_of_it(built, person):
    Phase.objects.filter(pk=built.phases["Third"].pk).update(leaderboard=Phase.Leaderboard.SEALED)
    answer = page(person, built)
    assert "no ranking that you may see: Third" in answer.content.decode()
    assert page(person, built, format="csv").content.decode().startswith("team,Main,Second\n")
    assert "Third" in page("organizer", built, format="csv").content.decode()


def test_task_that_is_frozen_counts_as_it_stood(built):
    phase = built.phases["Third"]
    Standing.objects.filter(phase=phase).update(since=timezone.now() - timedelta(hours=40))
    rankings.freeze_board(actor=built.people["organizer"], phase=phase, hours=36)
    ranked(phase, built, {"Ada": 0.99})
    assert "Ada,1,2,2" in page("member", built, format="csv").content.decode()
    assert "Ada,1,2,1" in page("organizer", built, format="csv").content.decode()


def test_challenge_that_is_not_public_has_no_such_page(built):
    built.challenge.is_public = False
    built.challenge.save()
    assert page("stranger", built).status_code == 404
    assert page("organizer", built).status_code == 200


def test_phase_of_one_task_has_no_such_page(built):
    assert page("organizer", built, "revealed").status_code == 404


def test_number_of_queries_does_not_depend_on_the_number_of_tasks(built):
    def made() -> int:
        page(None, built)
        with CaptureQueriesContext(connection) as found:
            page(None, built)
        return len(found)

    three = made()
    Task.objects.get(name="Third").phases.update(slug="other")
    assert made() == three
