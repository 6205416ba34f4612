"""The personal page: pending actions with dates and the person's team results; a closed ranking for visitors."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge, Concern, Member, Organizer, Participation, Seat
from datastore.test_sets.models import TestSet
from submissions.models import Submission
from tests.integration.leaderboards import world
from tests.integration.leaderboards.conftest import storages_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def surroundings(settings, tmp_path):
    settings.STORAGES = settings.STORAGES | storages_in(tmp_path)
    settings.SECURE_SSL_REDIRECT = False


def built(**options):
    made = world.build(teams=("Ada", "Ben"), **options)
    for member in Member.objects.select_related("challenge"):
        Seat.objects.create(member=member, task=made.challenge.tasks.get(), user=member.user)
    return made


def home(person=None) -> str:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client.get("/").content.decode()


def test_a_member_reads_rank_set_quota_and_deadline_of_the_phase_that_closes_first():
    made = built(ranked=("open",))
    html = home(made.people["member"])
    assert "1 of 2" in html
    assert "in 23 hours" in html or "in 24 hours" in html
    assert "no limit" in html


def test_a_new_account_is_shown_where_to_start():
    html = home(User.objects.create_user("new-one", "new-one@example.org"))
    assert "You have no pending tasks." in html
    for name in ("designs:start", "challenges:list", "reviews:calls"):
        assert f'<a href="{reverse(name)}">' in html.split('id="next"')[1]


def test_a_new_account_is_offered_open_challenges_and_a_participant_is_not():
    made = built(ranked=("open",))
    html = home(User.objects.create_user("new-one", "new-one@example.org"))
    assert "Suggested challenges" in html
    assert f'<a href="{made.challenge.get_absolute_url()}">' in html
    for person in ("member", "organizer"):
        assert "Suggested challenges" not in home(made.people[person])


def test_a_change_is_against_the_ranking_before():
    made = built(ranked=("open",))
    phase = made.phases["open"]
    world.scored_run(phase, made.teams["Ben"], made.people["other"], level=0.99)
    world.rank(phase)
    assert "↓ 1" in home(made.people["member"])
    assert "↑ 1" in home(made.people["other"])


def test_a_sealed_ranking_tells_no_rank():
    made = built(ranked=("sealed",))
    made.phases["open"].delete() if not made.phases["open"].submissions.exists() else None
    assert " of 2</a>" not in home(made.people["member"])


def test_next_says_what_to_decide_and_until_when():
    made = built(ranked=("open",))
    last = Submission.objects.filter(team=made.teams["Ada"], phase=made.phases["open"]).latest("number")
    Submission.objects.filter(pk=last.pk).update(state=Submission.State.HELD)
    assert f"Decide about submission {last.number}" in home(made.people["member"])
    assert "Decide about submission" not in home(made.people["other"])


def test_organizers_see_what_keeps_submissions_from_coming_in_and_who_waits():
    made = built(ranked=())
    TestSet.objects.filter(phase=made.phases["open"]).update(is_active=False)
    Participation.objects.create(
        challenge=made.challenge, user=made.people["stranger"], state=Participation.State.PENDING
    )
    for key in "ab":
        Concern.objects.create(challenge=made.challenge, kind=Concern.Kind.ACCOUNTS, key=key, evidence="e")
    html = home(made.people["organizer"])
    for words in ("Test set missing", "1 request to decide", "2 concerns to look at", "Challenges I run"):
        assert words in html
    for words in ("Test set missing", "request to decide", "Challenges I run"):
        assert words not in home(made.people["member"])


def test_visitors_see_a_real_ranking_and_rather_one_that_has_closed():
    made = built(ranked=("sealed",))
    assert "Illustration with invented scores" in home()
    for level, name in ((0.9, "Ada"), (0.5, "Ben")):
        world.scored_run(made.phases["open"], made.teams[name], made.people["member"], level=level)
    world.rank(made.phases["open"])
    html = home()
    assert "Illustration with invented scores" not in html
    assert "Liver, Open" in html
    assert "so far" in html
    phase = made.phases["revealed"]
    for level, name in ((0.9, "Ada"), (0.5, "Ben")):
        world.scored_run(phase, made.teams[name], made.people["member"], level=level)
    world.rank(phase)
    html = home()
    assert "Illustration with invented scores" not in html
    assert "Liver, Revealed" in html
    assert 'class="forest__point"' in html
    Challenge.objects.update(is_public=False)
    assert "Illustration with invented scores" in home()


def test_the_page_costs_the_same_number_of_queries_for_one_challenge_and_for_three():
    made = built(ranked=("open",))
    person = made.people["member"]

    def cost() -> int:
        client = Client()
        client.force_login(person)
        client.get("/")
        with CaptureQueriesContext(connection) as queries:
            client.get("/")
        return len(queries)

    for_one = cost()
    for slug in ("kidney", "spleen"):
        challenge = Challenge.objects.create(slug=slug, title=slug, summary=slug, is_public=True)
        Organizer.objects.create(challenge=challenge, user=made.people["organizer"])
        now = timezone.now()
        task = challenge.tasks.create(slug="main", name="Main")
        phase = made.phases["open"]
        task.phases.create(
            slug="open",
            name="Open",
            opens_at=now - timedelta(days=2),
            closes_at=now + timedelta(days=2),
            assessment_document=phase.assessment_document,
            assessment_digest=phase.assessment_digest,
        )
        team = challenge.teams.create(name="Ada", slug="ada")
        member = Member.objects.create(team=team, challenge=challenge, user=person)
        Seat.objects.create(member=member, task=task, user=person)
    assert cost() == for_one <= 26
