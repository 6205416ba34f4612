"""Phases of several tasks share a name: every page names their tasks, and every link leads to the phase that it names."""

import re

import pytest
from django.test import Client
from lxml import html

from challenges.models import Member, Phase, Seat, Task
from datastore.test_sets.models import TestCase
from evaluation.readers import Geometry
from submissions.models import Submission
from tests.integration.leaderboards import world

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Names are composed in Python. `test_tasks.py` reads challenges of several tasks on both databases."
    ),
]

TASKS = ("Main", "Second")
PHASE = "Finale"
BASE = "/challenges/liver/"
PUBLIC = ("", "leaderboard/", "leaderboard/second.finale/", "report/", "cases/reports/")
OF_TEAMS = ("submit/", "submissions/", "submissions/history/")
OF_ORGANIZERS = (
    *("organize/", "organize/test-sets/", "organize/submissions/", "organize/work/"),
    *("report/desk/", "report/exposure/", "organize/sites/", "organize/values/"),
)


@pytest.fixture
def built():
    built = world.build(ranked=())
    first = built.phases["open"]
    Phase.objects.exclude(pk=first.pk).delete()
    Phase.objects.filter(pk=first.pk).update(slug="finale", name=PHASE)
    task = Task.objects.create(challenge=built.challenge, slug="second", name="Second", position=2)
    second = Phase.objects.create(
        task=task,
        slug="finale",
        name=PHASE,
        opens_at=first.opens_at,
        closes_at=first.closes_at,
        leaderboard=Phase.Leaderboard.PUBLIC,
        assessment_document=first.assessment_document,
        assessment_digest=first.assessment_digest,
    )
    world.hidden_test_set(second)
    first.refresh_from_db()
    for phase in (first, second):
        for level, team in zip((0.9, 0.7), built.teams.values(), strict=True):
            world.scored_run(phase, team, built.people["member"], level=level)
        world.rank(phase)
    TestCase.objects.update(geometry=Geometry((8, 8, 8), spacing=(1.0, 1.0, 1.0)).document)
    return built


def shown(built, person: str, path: str) -> html.HtmlElement:
    client = Client()
    client.force_login(built.people[person])
    answer = client.get(path)
    assert answer.status_code == 200, path
    return html.fromstring(answer.content.decode())


def pages(built):
    own = [f"{BASE}submissions/{row.pk}/" for row in Submission.objects.filter(team=built.teams["Ada"])]
    yield from (
        ("member", path) for path in ("/", "/challenges/", *(BASE + path for path in (*PUBLIC, *OF_TEAMS)), *own)
    )
    yield from (("organizer", path) for path in ("/", *(BASE + path for path in OF_ORGANIZERS)))


def test_every_page_names_the_task_of_a_phase_whose_name_is_shared(built):
    bare = []
    for person, path in pages(built):
        page = shown(built, person, path)
        for node in page.xpath(
            "//body//text()[not(ancestor::script or ancestor::style)] | //title/text() | //@aria-label"
        ):
            text = " ".join(node.split())
            bare += [
                (path, text) for found in re.finditer(PHASE, text) if not text[: found.start()].endswith(TASK_BEFORE)
            ]
    assert not bare


TASK_BEFORE = tuple(f"{task}{mark} " for task in TASKS for mark in (":", ","))


def test_links_to_rankings_lead_to_the_task_that_they_name(built):
    members = Member.objects.filter(team=built.teams["Ada"])
    Seat.objects.bulk_create(
        Seat(member=member, task=task, user=member.user) for member in members for task in built.challenge.tasks.all()
    )
    for person in ("member",):
        links = [
            (link.get("href"), " ".join(link.xpath("string(ancestor::tr)").split()))
            for link in shown(built, person, "/").xpath("//a[contains(@href, '/leaderboard/')]")
        ]
        named = {("Second" if "Second:" in words else "Main"): href for href, words in links}
        assert named["Main"].startswith(f"{BASE}leaderboard/finale/")
        assert named["Second"].startswith(f"{BASE}leaderboard/second.finale/")
