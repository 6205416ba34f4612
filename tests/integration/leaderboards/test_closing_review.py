"""The review before a phase is closed lists exactly the teams that are then ranked, and why others are not."""

import random
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.notifications.models import Notification
from challenges.models import Member, Phase, Team
from challenges.services import close_phase
from datastore.test_sets.models import TestCase
from leaderboards.models import RankingVersion
from leaderboards.services import computing, rankings
from submissions.models import MethodDescription, Run, Submission
from submissions.queries.closing import entrants
from tests.integration.leaderboards import world as boards

pytestmark = pytest.mark.django_db
State = Submission.State


def conditions(phase: Phase, **fields) -> Phase:
    Phase.objects.filter(pk=phase.pk).update(**fields)
    return Phase.objects.select_related("task__challenge").get(pk=phase.pk)


@pytest.fixture
def world():
    made = boards.build(ranked=())
    conditions(made.phases["sealed"], requires_method=True, least_share=0.8)
    return made


@pytest.fixture
def phase(world) -> Phase:
    return Phase.objects.select_related("task__challenge").get(slug="sealed")


def team_of(world, phase: Phase, name: str, *, runs: bool = True, missing: int = 0, **submission) -> Team:
    """A team with one submission; `submission` replaces its fields."""
    team = world.teams.get(name) or Team.objects.create(challenge=world.challenge, name=name, slug=name.lower())
    world.teams[name] = team
    team.tasks.add(phase.task)
    run = boards.scored_run(phase, team, world.people["member"], level=0.8, missing=missing)
    Run.objects.filter(pk=run.pk).update(summary={"cases": 10, "missing_cases": missing, "values": []})
    Submission.objects.filter(pk=run.submission_id).update(**submission)
    if not runs:
        Run.objects.filter(pk=run.pk).delete()
    return team


def describe(phase: Phase, team: Team) -> None:
    submission = Submission.objects.filter(phase=phase, team=team).first()
    MethodDescription.objects.create(
        submission=submission, entries={}, filled=1, required=1, is_complete=True, changed_by=submission.user
    )


def everybody(world, phase: Phase) -> dict[str, str]:
    """A team for every reason; returns name → expected reason, empty for ranked teams."""
    for name in ("Ada", "Ben", "Cleo", "Dan", "Fay", "Gus"):
        team_of(
            world,
            phase,
            name,
            missing=5 if name == "Cleo" else 0,
            is_late=name == "Fay",
        )
    for name in ("Ada", "Cleo", "Dan", "Fay", "Gus"):
        describe(phase, world.teams[name])
    Team.objects.filter(name="Dan").update(standing=Team.Standing.DISQUALIFIED, standing_reason="Used test data.")
    Team.objects.filter(name="Gus").update(standing=Team.Standing.NO_AWARD, standing_reason="Organizer's institute.")
    states = {
        "Hal": State.HELD,
        "Ivy": State.WITHDRAWN,
        "Jon": State.FAILED,
        "Kim": State.REFUSED,
        "Leo": State.RECEIVED,
    }
    for name, state in states.items():
        team_of(world, phase, name, runs=False, state=state, reason="Case 3 cannot be read.")
    nobody = Team.objects.create(challenge=world.challenge, name="Max", slug="max")
    nobody.tasks.add(phase.task)
    return {
        "Ada": "",
        "Gus": "",
        "Ben": "no_method",
        "Cleo": "incomplete",
        "Dan": "disqualified",
        "Fay": "late",
        "Hal": "held",
        "Ivy": "withdrawn",
        "Jon": "failed",
        "Kim": "refused",
        "Leo": "received",
        "Max": "no_submission",
    }


def client_of(world, role: str = "organizer") -> Client:
    client = Client()
    client.force_login(world.people[role])
    return client


def address_of(phase: Phase) -> str:
    return f"/challenges/{phase.challenge.slug}/organize/phases/{phase.pk}/close/"


def test_the_page_lists_the_teams_that_are_then_ranked_and_why_others_are_not(world, phase):
    expected = everybody(world, phase)
    client = client_of(world)
    page = client.get(address_of(phase)).content.decode()
    listed = {int(pk) for pk in re.findall(r'data-ranked="(\d+)"', page)}
    found = {row.name: row.code for row in entrants(phase)}
    assert found == expected
    reasons = re.findall(r'data-reason="(\w+)"', page)
    assert sorted(reasons) == sorted(code for code in expected.values() if code not in ("", "received"))
    assert "It has answers to less than 80% of the cases." in page
    assert "Disqualified: Used test data." in page
    assert "Being processed." in page
    answer = client.post(address_of(phase), {"confirm": "sealed"}, follow=True)
    assert "is closed" in answer.content.decode()
    version = rankings.rank_phase(phase_id=phase.pk)
    assert {team["team"] for team in version.inputs["teams"]} == listed
    assert {world.teams["Ada"].pk, world.teams["Gus"].pk} == listed


@pytest.mark.parametrize("seed", range(6))
def test_the_list_equals_the_ranking_for_random_teams(world, phase, seed):
    draw = random.Random(seed)
    phase = conditions(
        phase,
        requires_method=draw.random() < 0.5,
        least_share=draw.choice([None, 0.6, 0.95]),
        counts=draw.choice([Phase.Counts.LAST, Phase.Counts.CHOSEN]),
    )
    for index in range(12):
        name = f"Team {index:02d}"
        for _ in range(draw.randint(1, 3)):
            team = team_of(
                world,
                phase,
                name,
                runs=draw.random() < 0.9,
                missing=draw.choice([0, 0, 1, 5]),
                is_late=draw.random() < 0.2,
                state=draw.choice([State.SCORED] * 6 + [State.WITHDRAWN]),
            )
        if draw.random() < 0.5:
            describe(phase, team)
        if draw.random() < 0.2:
            standing = draw.choice([Team.Standing.UNRANKED, Team.Standing.DISQUALIFIED, Team.Standing.NO_AWARD])
            Team.objects.filter(pk=team.pk).update(standing=standing, standing_reason="Decided.")
    listed = {row.team for row in entrants(phase) if row.outcome == "ranked"}
    assert len(entrants(phase)) == 12
    close_phase(actor=None, phase=phase)
    closed = Phase.objects.select_related("task__challenge").get(pk=phase.pk)
    assert {entry["team"] for entry in computing.collect(closed).document["teams"]} == listed


def test_a_scored_submission_that_was_withdrawn_is_named_as_withdrawn(world, phase):
    team_of(world, phase, "Ada", state=State.WITHDRAWN)
    assert [row.code for row in entrants(phase) if row.name == "Ada"] == ["withdrawn"]


def test_a_phase_in_which_no_team_would_be_ranked_says_so(world, phase):
    team_of(world, phase, "Ada")
    page = client_of(world).get(address_of(phase)).content.decode()
    assert "No team will be ranked" in page
    assert "No submission to this task has a complete method description. Missing: " in page
    assert "The sealed ranking of 0 teams becomes public as soon as it is computed." in page


def test_reminders_are_sent_once_per_day_to_the_chosen_teams(world, phase):
    team_of(world, phase, "Ada")
    team_of(world, phase, "Ben")
    Member.objects.filter(team__name="Ben").update(team=world.teams["Ben"])
    client = client_of(world)
    ben = world.teams["Ben"].pk
    assert "Choose the teams" in client.post(address_of(phase), {"act": "remind"}, follow=True).content.decode()
    page = client.post(address_of(phase), {"act": "remind", "team": [ben]}, follow=True).content.decode()
    assert "A reminder was sent to 1 team." in page
    letter = Notification.objects.get(kind="method_missing", key__contains="closing")
    assert letter.user == world.people["other"]
    assert "No submission to this task has a complete method description." in letter.text
    page = client.post(address_of(phase), {"act": "remind", "team": [ben]}, follow=True).content.decode()
    assert "got a reminder today already" in page
    assert Phase.objects.get(pk=phase.pk).is_open


def test_no_reminder_tells_how_much_is_missing_of_cases_among_which_decoys_are_hidden(world, phase):
    team_of(world, phase, "Cleo", missing=5)
    describe(phase, world.teams["Cleo"])
    cleo = world.teams["Cleo"].pk
    [entrant] = [row for row in entrants(phase) if row.team == cleo]
    assert (entrant.code, entrant.can_remind) == ("incomplete", True)
    assert not re.search(r"\b(5|10)\b", entrant.reason)
    TestCase.objects.filter(pk=TestCase.objects.filter(test_set__phase=phase).first().pk).update(is_decoy=True)
    [entrant] = [row for row in entrants(Phase.objects.get(pk=phase.pk)) if row.team == cleo]
    assert (entrant.code, entrant.can_remind) == ("incomplete", False)
    client_of(world).post(address_of(phase), {"act": "remind", "team": [cleo]})
    assert not Notification.objects.filter(key__contains="closing").exists()


def test_a_list_that_changed_is_shown_again(world, phase):
    team_of(world, phase, "Ada")
    client = client_of(world)
    page = client.get(address_of(phase)).content.decode()
    seen = re.search(r'name="seen" value="(\w+)"', page)[1]
    describe(phase, world.teams["Ada"])
    refused = client.post(address_of(phase), {"confirm": "sealed", "seen": seen})
    assert refused.status_code == 422
    assert "The list changed while you read it." in refused.content.decode()
    assert Phase.objects.get(pk=phase.pk).is_open
    assert not RankingVersion.objects.exists()


def test_what_becomes_public_and_when(world, phase):
    team_of(world, phase, "Ada")
    describe(phase, world.teams["Ada"])
    later = timezone.now() + timedelta(days=9)
    conditions(phase, reveals_at=later, announcement="top", announced_ranks=3, reveals_cases=True)
    page = client_of(world).get(address_of(phase)).content.decode()
    assert f"The sealed ranking of 1 team becomes public on {later:%-d %B %Y, %H:%M} UTC." in page
    assert "Teams on the first 3 ranks are named" in page
    assert "pictures of their predictions" in page
    assert "This is a deviation" not in page  # the challenge has no registration


def test_who_closes(world, phase):
    assert Client().get(address_of(phase)).status_code == 302
    for role in ("member", "stranger"):
        assert client_of(world, role).get(address_of(phase)).status_code == 403
