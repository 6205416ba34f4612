"""Baselines of the organizers: shown with the ranked teams, without a rank, and without an effect on ranks."""

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from challenges.models import Team
from challenges.services import roles
from datastore.test_sets.models import TestSet
from datastore.uploads.storage import load_json
from leaderboards.models import RankingVersion
from leaderboards.services import analyses, rankings
from submissions.models import Run
from submissions.queries.results import baseline_runs
from tests.integration.leaderboards import world

pytestmark = pytest.mark.django_db


@pytest.fixture
def baseline(scored, unranked):
    """A third team that the organizers made a baseline, with a result."""
    team = Team.objects.create(
        challenge=unranked.challenge,
        name="Atlas of 2010",
        slug="atlas",
        standing=Team.Standing.BASELINE,
        standing_reason="Published method",
    )
    world.scored_run(scored, team, unranked.people["organizer"], level=0.3)
    return team


def ranked(phase) -> RankingVersion:
    rankings.request_ranking(phase.pk)
    version = rankings.rank_phase(phase_id=phase.pk)
    analysis = analyses.analyse_version(version_id=version.pk)
    assert analysis.failures == {}
    return RankingVersion.objects.get(pk=version.pk)


def test_a_baseline_changes_no_rank_and_is_recorded_with_the_inputs(scored, unranked, baseline):
    version = ranked(scored)
    assert [team["name"] for team in version.inputs["teams"]] == ["Ada", "Ben"]
    assert list(version.table["teams"]) == ["Ada", "Ben"]
    [entry] = version.inputs["baselines"]
    run = baseline_runs(scored, 1)[0]
    assert (entry["name"], entry["run"], entry["result"]) == ("Atlas of 2010", str(run.pk), run.result_digest)
    Team.objects.filter(pk=baseline.pk).update(standing=Team.Standing.UNRANKED)
    later = ranked(scored)
    assert "baselines" not in later.inputs
    # The same claims at the same level: no further look at the cases.
    assert (later.number, later.digest) == (version.number + 1, version.digest)
    Run.objects.filter(submission__team=unranked.teams["Ben"]).update(counts=False)
    world.scored_run(scored, unranked.teams["Ben"], unranked.people["other"], level=0.99)
    assert load_json(ranked(scored).document_name)["look"]["change"] == later.number + 1


def test_teams_that_are_significantly_better_are_counted(scored, baseline):
    [finding] = ranked(scored).analysis.findings["baselines"]
    [order] = [order for key, order in finding["orders"].items() if key != "overall"][:1]
    assert (finding["name"], order["better"], order["worse"], order["of"]) == ("Atlas of 2010", 2, 0, 2)
    assert order["score"] == pytest.approx(0.3, abs=0.1)


def test_the_board_has_a_row_without_a_rank(scored, baseline, client):
    version = ranked(scored)
    key = next(order["key"] for order in version.table["orders"] if order["metric"])
    address = reverse("leaderboards:version", args=[scored.challenge.slug, scored.slug, version.number])
    page = client.get(address, {"by": key}, follow=True).content.decode()
    [row] = [part for part in page.split("<tr") if "is-baseline" in part]
    assert 'board__rank"><span>–</span>' in row
    assert 'Atlas of 2010 <span class="badge">baseline</span>' in row
    assert "2 of 2 teams are significantly better" in row


def test_a_result_of_another_version_of_the_test_set_is_not_compared(scored, baseline):
    TestSet.objects.filter(phase=scored).update(version=2)
    assert baseline_runs(scored, 1) == []
    assert len(baseline_runs(scored, 2)) == 1


def test_a_new_score_of_a_baseline_is_compared(scored, unranked, baseline):
    first = ranked(scored)
    baseline_runs(scored, 1)[0].submission.runs.update(counts=False)
    world.scored_run(scored, baseline, unranked.people["organizer"], level=0.95)
    second = ranked(scored)
    assert second.pk != first.pk
    assert second.table["orders"][0]["rank"] == first.table["orders"][0]["rank"]
    orders = second.analysis.findings["baselines"][0]["orders"]
    assert {order["better"] for order in orders.values()} == {0}


def test_a_board_without_baselines_has_no_such_row(scored, client):
    version = ranked(scored)
    assert "baselines" not in version.inputs
    page = client.get(reverse("leaderboards:first", args=[scored.challenge.slug]), follow=True).content.decode()
    assert "is-baseline" not in page


def test_an_owner_adds_a_baseline_that_nobody_can_rank(scored, unranked, client):
    owner, challenge = unranked.people["organizer"], scored.challenge
    client.force_login(owner)
    address = reverse("challenges:add_baseline", args=[challenge.slug])
    client.post(address, {"baseline-name": "nnU-Net", "baseline-method": ""})
    assert not Team.objects.filter(name="nnU-Net").exists()
    client.post(address, {"baseline-name": "nnU-Net", "baseline-method": "Isensee et al., 2021"})
    team = Team.objects.get(name="nnU-Net")
    assert (team.standing, team.standing_reason) == (Team.Standing.BASELINE, "Isensee et al., 2021")
    assert owner.has_perm("challenges.submit_to_challenge", challenge)
    for standing, reason in (("ranked", ""), ("unranked", "Late."), ("disqualified", "Labels.")):
        with pytest.raises(ValidationError, match="is a baseline and keeps this status"):
            roles.set_standing(actor=owner, teams=[team], standing=standing, reason=reason)
    roles.set_role(actor=owner, challenge=challenge, user=owner, role="owner")
    assert b"Add a baseline" in client.get(reverse("challenges:people", args=[challenge.slug])).content


def test_a_team_that_takes_part_is_never_named_as_a_baseline(scored, unranked, client):
    """On a board with pseudonyms, the name of a baseline is public."""
    owner, team = unranked.people["organizer"], unranked.teams["Ada"]
    with pytest.raises(ValidationError, match="Add a baseline instead"):
        roles.set_standing(actor=owner, teams=[team], standing="baseline", reason="Published in 2010")
    client.force_login(owner)
    address = reverse("challenges:set_standing", args=[scored.challenge.slug])
    client.post(address, {"team": team.pk, "standing": "baseline", "reason": "Published in 2010"})
    team.refresh_from_db()
    assert team.standing == Team.Standing.RANKED
    assert "baselines" not in ranked(scored).inputs
