"""The monitor shows organizers what is unusual in the results of teams, and nothing of it reaches the teams."""

import numpy as np
import pytest
from django.urls import reverse

from accounts.models import User
from challenges.models import Organizer, Phase, Team
from challenges.services import join_with_team, roles
from submissions.models import Run, Submission
from submissions.results.queries.monitor import TeamResults, _add_ranges, monitor_of
from submissions.services import states
from tests.integration.submissions.world import CASES, SHAPE, World, labels, nifti, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = "/challenges/blocks/organize/monitor/"


@pytest.fixture
def blind(world: World):
    Phase.objects.filter(pk=world.phase.pk).update(
        results=Phase.Results.VALIDATION, leaderboard=Phase.Leaderboard.SEALED
    )
    world.phase.refresh_from_db()
    return world


def team(world: World, name: str) -> Team:
    user = User.objects.create_user(name, f"{name}@example.org", "x")
    return join_with_team(user=user, challenge=world.challenge, team_name=name)


def signals_of(world: World) -> dict[str, set[str]]:
    return {entry.team.name: {signal.kind for signal in entry.signals} for entry in monitor_of(world.phase).teams}


def corner(case: str) -> bytes:
    """A prediction away from the reference, different in each case."""
    array = np.zeros(SHAPE, dtype=np.uint8)
    array[-1, -1, -(1 + int(case[-2:]) % 4) :] = 1
    array[-1, 0, -(1 + int(case[-2:]) % 4) :] = 2
    return nifti(array)


def test_each_signal_names_the_team_that_it_is_about(blind, workers):
    blind.upload(zipped(predictions()))  # Ada's
    blind.upload(zipped({f"out/{name}": content for name, content in predictions().items()}), team=blind.bos)
    blind.upload(zipped({f"{case}.nii.gz": corner(case) for case in CASES}), team=team(blind, "zero"))
    part = blind.upload(zipped(predictions(2, CASES[:-1])), team=team(blind, "part"))
    states.score_as_it_is(submission=part, actor=part.user)
    same = blind.upload(zipped({f"{case}.nii.gz": nifti(labels(1)) for case in CASES}), team=team(blind, "same"))
    states.score_as_it_is(submission=same, actor=same.user)
    held = blind.upload(zipped(predictions(2, CASES[:-1])), team=team(blind, "held"))
    assert signals_of(blind) == {
        "Ada's": {"identical"},
        "Bo's": {"identical"},
        "part": {"missing"},
        "same": {"identical"},
        "zero": {"zero"},
    }
    result = monitor_of(blind.phase)
    assert result.waiting == [held]
    assert len(result.unusual) == 5
    words = {entry.team.name: " ".join(signal.words for signal in entry.signals) for entry in result.teams}
    assert "equal those of Bo's." in words["Ada's"]
    assert "1 of 4 cases missing" in words["part"]
    assert "DSC is 0 (anterior, whole)" in words["zero"]
    assert "identical. Asked at validation." in words["same"]


def test_a_later_submission_replaces_the_signals_of_an_earlier_one(blind, workers):
    blind.upload(zipped({f"{case}.nii.gz": corner(case) for case in CASES}))
    blind.upload(zipped(predictions()))
    assert signals_of(blind) == {"Ada's": set()}


def test_the_page_shows_signals_and_the_distribution_of_a_metric(client, blind, workers):
    client.force_login(blind.organizer)
    page = client.get(ADDRESS).content.decode()
    assert "No results yet" in page
    blind.upload(zipped(predictions()))
    blind.upload(zipped(predictions(2)), team=blind.bos)
    page = client.get(f"{ADDRESS}?phase={blind.phase.pk}&measure=nsd|whole").content.decode()
    assert "<strong>0 of 2 teams</strong>" in page
    assert "No signals: Ada&#x27;s, Bo&#x27;s" in page
    assert "Values: NSD, whole" in page
    run = Run.objects.get(submission__team=blind.adas)
    [row] = [row for row in run.spread if (row["metric"], row["region"]) == ("nsd", "whole")]
    assert row["cases"] == len(CASES)
    assert not any(case in str(run.spread) for case in CASES)
    assert client.get(f"{ADDRESS}?phase=0").status_code == 404


def test_results_without_a_stored_distribution_are_shown_with_the_way_to_add_it(client, blind, workers):
    blind.upload(zipped(predictions()))
    Run.objects.update(spread=[])
    client.force_login(blind.organizer)
    page = client.get(ADDRESS).content.decode()
    assert "Some values have no distribution" in page
    assert "DSC, anterior" in page


def test_nothing_of_it_reaches_the_team(client, blind, workers):
    submission = blind.upload(zipped({f"{case}.nii.gz": corner(case) for case in CASES}))
    blind.upload(zipped({f"{case}.nii.gz": corner(case) for case in CASES}), team=blind.bos)
    assert signals_of(blind)["Ada's"] == {"zero", "identical"}
    client.force_login(blind.ada)
    for address in (submission.get_absolute_url(), f"/api/v1/submissions/{submission.pk}/", "/challenges/blocks/"):
        text = client.get(address).content.decode()
        assert "is 0" not in text
        assert "equal those of" not in text
        assert "spread" not in text
        assert "organize/monitor" not in text
    assert client.get(ADDRESS).status_code == 404


def test_an_organizer_who_takes_part_does_not_see_it(client, blind):
    Organizer.objects.create(challenge=blind.challenge, user=blind.ada, role=Organizer.Role.MANAGER)
    client.force_login(blind.ada)
    assert client.get(ADDRESS).status_code == 404
    client.force_login(blind.organizer)
    assert client.get(ADDRESS).status_code == 200
    assert ADDRESS in client.get(reverse("results:work", args=["blocks"])).content.decode()
    roles.add_baseline(actor=blind.organizer, challenge=blind.challenge, team_name="Atlas", method="Published in 2010")
    assert client.get(ADDRESS).status_code == 200


@pytest.mark.parametrize("number", [1, 3])
def test_the_page_takes_as_many_queries_with_three_teams_as_with_one(
    client, blind, workers, django_assert_num_queries, number
):
    for place in range(number):
        blind.upload(zipped(predictions(place)), team=team(blind, f"team-{place}"))
    assert Submission.objects.filter(state="scored").count() == number
    client.force_login(blind.organizer)
    client.get(ADDRESS)
    with django_assert_num_queries(12):
        assert client.get(ADDRESS).status_code == 200


def test_a_score_far_from_those_of_the_other_teams_is_reported(blind):
    def entries(*scores):
        return [
            TeamResults(Team(pk=place, name=str(place)), Submission(), {("dsc", "whole"): score}, {}, 0, 4)
            for place, score in enumerate(scores)
        ]

    assessment = blind.phase.assessment
    for scores, unusual in (
        ((0.80, 0.82, 0.83, 0.85, 0.10), [4]),
        ((0.80, 0.82, 0.83, 0.10), []),  # too few teams
        ((0.80, 0.82, 0.83, 0.85, None), []),
        ((0.5, 0.5, 0.5, 0.5, 0.5), []),
    ):
        rows = entries(*scores)
        _add_ranges(rows, assessment)
        assert [place for place, row in enumerate(rows) if row.signals] == unusual
    rows = entries(0.80, 0.82, 0.83, 0.85, 0.10)
    _add_ranges(rows, assessment)
    assert rows[4].signals[0].words == "DSC (whole) is 0.1; the median of the teams is 0.82."
