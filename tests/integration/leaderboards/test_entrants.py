"""A phase that is open to the best teams of an earlier one: who can submit follows from its final ranking."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from challenges.models import Member, Phase, Seat, Team
from challenges.queries.entry import refusal_of_entry
from challenges.services import close_phase
from datastore.test_sets.models import TestCase
from datastore.uploads.services.refusals import NotAllowedError
from leaderboards.models import RankingVersion
from leaderboards.services import rankings
from submissions.queries.quotas import quota, quotas
from submissions.services import submitting
from tests.integration.leaderboards import world as boards

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    """Three teams in the first phase, of which the best can enter the second one."""
    made = boards.build(ranked=())
    first = made.phases["sealed"]
    made.teams["Cleo"] = Team.objects.create(challenge=made.challenge, name="Cleo", slug="cleo")
    for index, team in enumerate(made.teams.values()):
        team.tasks.add(first.task)
        boards.scored_run(first, team, made.people["member"], level=0.9 - 0.1 * index)
    for member in Member.objects.filter(challenge=made.challenge):
        Seat.objects.create(member=member, task=first.task, user=member.user)
    Phase.objects.filter(slug="open").update(entrants_from="sealed", entrants_best=1)
    return made


def second() -> Phase:
    return Phase.objects.select_related("task__challenge").get(slug="open")


def close(world) -> Phase:
    """Close the first phase and compute its final ranking."""
    phase = Phase.objects.select_related("task__challenge").get(slug="sealed")
    close_phase(actor=world.people["organizer"], phase=phase)
    rankings.rank_phase(phase_id=phase.pk)
    return phase


def send(world, person: str, team: str):
    return submitting.create_upload(
        user=world.people[person], phase=second(), team=world.teams[team], file_name="predictions.zip", size=5
    )


def test_nobody_enters_before_the_final_ranking_and_then_the_best_team_does(world):
    boards.rank(world.phases["sealed"])
    assert "They are known when Sealed has its final ranking." in refusal_of_entry(second(), world.teams["Ada"])
    with pytest.raises(NotAllowedError, match="They are known"):
        send(world, "member", "Ada")
    close(world)
    assert [refusal_of_entry(second(), team) for team in world.teams.values()] == [
        "",
        "Open is open to the best team of Sealed, and teams of equal rank. Your team is not one of them.",
        "Open is open to the best team of Sealed, and teams of equal rank. Your team is not one of them.",
    ]
    assert send(world, "member", "Ada").phase == second()
    with pytest.raises(NotAllowedError, match="not one of them"):
        send(world, "other", "Ben")


def test_a_correction_of_the_ranking_changes_who_can_submit_and_an_upload_begun_before_is_refused(world):
    close(world)
    upload = send(world, "member", "Ada")
    version = RankingVersion.objects.get(phase__slug="sealed")
    table = version.table
    order = next(order for order in table["orders"] if order["metric"] is None)
    index = table["teams"].index("Ada")
    order["rank"][index], order["rank"][table["teams"].index("Ben")] = 2, 1
    RankingVersion.objects.filter(pk=version.pk).update(table=table)
    assert refusal_of_entry(second(), world.teams["Ben"]) == ""
    upload.path.write_bytes(b"12345")
    upload.__class__.objects.filter(pk=upload.pk).update(offset=5)
    with pytest.raises(NotAllowedError, match="not one of them"):
        submitting.finish(upload=upload)


def test_rank_sets_admit_teams_that_may_be_among_the_best(world):
    Phase.objects.filter(slug="open").update(entrants_rule="rank_set")
    close(world)
    version = RankingVersion.objects.get(phase__slug="sealed")
    [order] = [order for order in version.table["orders"] if order["metric"] is None]
    lowest = dict(zip(version.table["teams"], order["set_low"], strict=True))
    admitted = {name for name, team in world.teams.items() if not refusal_of_entry(second(), team)}
    assert admitted == {name for name, low in lowest.items() if low == 1 or name == "Ada"}


def test_without_a_number_all_ranked_teams_enter_and_others_do_not(world):
    Phase.objects.filter(slug="open").update(entrants_best=None)
    world.teams["Dora"] = late = Team.objects.create(challenge=world.challenge, name="Dora", slug="dora")
    close(world)
    assert not any(refusal_of_entry(second(), world.teams[name]) for name in ("Ada", "Ben", "Cleo"))
    assert refusal_of_entry(second(), late) == (
        "Open is open to the ranked teams of Sealed. Your team is not ranked there."
    )


def test_pages_and_limits_state_the_same_reason(world, client):
    close(world)
    reason = refusal_of_entry(second(), world.teams["Ben"])
    assert quota(second(), world.teams["Ben"], world.people["other"]).exhausted == reason
    assert quotas([second()], [world.teams["Ben"]], world.people["other"])[second().pk].exhausted == reason
    assert quota(second(), world.teams["Ada"], world.people["member"]).exhausted == ""
    TestCase.objects.update(geometry={"shape": [8, 8], "spacing": [1.0, 1.0], "affine": None, "oriented_format": False})
    client.force_login(world.people["other"])
    page = client.get(reverse("submissions:submit", args=[world.challenge.slug]), {"phase": second().pk})
    assert reason in page.content.decode()
    rules = client.get(reverse("challenges:detail", args=[world.challenge.slug])).content.decode()
    assert "Which teams can submit?" in rules
    assert "the best team of Sealed, and teams of equal rank" in rules


def test_a_number_without_a_phase_cannot_be_stored(world):
    with pytest.raises(IntegrityError), transaction.atomic():
        Phase.objects.filter(slug="open").update(entrants_from="")
