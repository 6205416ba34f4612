"""Rankings after a deviation: both the registered and the changed assessment are ranked and labelled."""

import json
import zipfile
from io import BytesIO

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase, Team
from challenges.services import close_phase, follow, launch
from leaderboards.models import RankingVersion, Standing
from leaderboards.services import both_assessments, following, rankings
from registry.services import add_version
from submissions.contributions import registrations
from submissions.models import Run
from submissions.queries.results import waits_for_scoring
from tests.integration.challenges import world
from tests.integration.leaderboards import world as boards

pytestmark = pytest.mark.django_db
METRICS = [
    {"metric": "dsc", "abbreviation": "DSC", "used_for_ranking": True},
    {"metric": "hausdorff_percentile", "abbreviation": "HD95", "options": {"percentile": 95}, "used_for_ranking": True},
]
SCHEME = {
    "name": "Mean rank",
    "metrics": ["DSC", "HD95"],
    "scheme": "metric_based",
    "operator": "mean",
    "metric_aggregation": "mean_rank",
    "region_aggregation": "with_metrics",
}


@pytest.fixture(autouse=True)
def surroundings(settings, tmp_path):
    private = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": tmp_path, "allow_overwrite": True},
    }
    settings.STORAGES = settings.STORAGES | {"private": private}


@pytest.fixture
def registered():
    return world.registered(
        {"phase_settings": [{"phase": "Final phase", "leaderboard": "public", "results": "cases"}]},
        regions=[{"name": "whole", "labels": ["1"]}],
        metrics=METRICS,
        ranking_method=[SCHEME],
        uncertainty_settings={"bootstrap": 20, "seed": 1, "interval": 0.95, "resample": ["case"]},
    )


@pytest.fixture
def phase(registered):
    """Ada is better but lacks a case: behind Ben by the mean, before him by the median."""
    challenge = launch(actor=registered.owner, registration=registered.registration, slug="liver")
    phase = Phase.objects.select_related("task__challenge").get(slug="final")
    boards.hidden_test_set(phase)
    member = User.objects.create(username="ada")
    for name, level, missing in (("Ada", 0.9, 1), ("Ben", 0.85, 0)):
        team = Team.objects.create(challenge=challenge, name=name, slug=name.lower())
        boards.scored_run(phase, team, member, level=level, missing=missing)
    boards.rank(phase)
    return phase


def deviate(registered, **task):
    data = registered.registration.versions.first().document
    data["tasks"][0] |= task
    version = add_version(
        registration=registered.registration,
        actor=registered.owner,
        level="critical",
        note="The mean punished missing cases twice.",
        changes=[{"parameter": name, "task": world.TASK, "class": "critical"} for name in task],
        document=data,
        is_deviation=True,
    )
    follow(version=version, actor=registered.owner)
    phase = Phase.objects.select_related("task__challenge").get(slug="final")
    rankings.rank_phase(phase_id=phase.pk)
    following.follow_phase(phase_id=phase.pk)
    return phase


def page(name, *arguments, **asked):
    return Client().get(reverse(f"leaderboards:{name}", args=["liver", "final", *arguments]), asked)


def test_without_a_deviation_there_is_one_way_and_no_mark(phase):
    assert both_assessments.comparison(phase) is None
    assert page("both_ways").status_code == 404
    assert "data-deviation" not in page("current").content.decode()


def test_both_rankings_are_stored_and_shown_and_every_page_is_marked(registered, phase):
    before = RankingVersion.objects.get(phase=phase)
    phase = deviate(registered, ranking_method=[{**SCHEME, "operator": "median"}])
    found = both_assessments.comparison(phase)
    assert [(line.team, line.ranks) for line in found.lines] == [("Ada", (2, 1)), ("Ben", (1, 2))]
    assert [column.version.assessment_digest for column in found.columns] == [
        before.assessment_digest,
        phase.assessment_digest,
    ]
    assert Standing.objects.filter(phase=phase).last().version.assessment_digest == phase.assessment_digest
    pages = [page("current"), page("history"), page("version", 1), page("embed"), page("both_ways")]
    for response in pages:
        text = response.content.decode()
        assert 'data-deviation="approved"' in text
        assert "The mean punished missing cases twice." in text
    assert 'data-deviation="superseded"' in pages[2].content.decode()
    lines = page("both_ways", format="csv").content.decode().splitlines()
    assert lines[1] == "Ada,2,1"


def test_the_registered_ranking_goes_on_with_new_submissions(registered, phase):
    phase = deviate(registered, ranking_method=[{**SCHEME, "operator": "median"}])
    team = Team.objects.create(challenge=phase.challenge, name="Cleo", slug="cleo")
    boards.scored_run(phase, team, User.objects.get(username="ada"), level=0.95)
    boards.rank(phase)
    found = both_assessments.comparison(phase)
    assert [line.team for line in found.lines] == ["Cleo", "Ada", "Ben"]
    assert all(None not in line.ranks for line in found.lines)
    versions = RankingVersion.objects.filter(phase=phase).order_by("number")
    assert [version.number for version in versions] == [1, 2, 3, 4]


def test_the_bundle_names_the_deviation_and_verifies_both_ways(registered, phase, tmp_path):
    from evaluation import bundle

    phase = deviate(registered, ranking_method=[{**SCHEME, "operator": "median"}])
    close_phase(actor=None, phase=phase)
    for version in RankingVersion.objects.filter(phase=phase):
        content = b"".join(page("bundle", version.number).streaming_content)
        file = tmp_path / f"{version.number}.zip"
        file.write_bytes(content)
        assert bundle.verify(file, digest=version.digest).same
        with zipfile.ZipFile(BytesIO(content)) as archive:
            facts = [json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".json")]
        assert any("approved" in json.dumps(entry) for entry in facts)


def test_values_that_are_not_there_are_scored_first_and_the_registered_ranking_stays(registered, phase, monkeypatch):
    before = RankingVersion.objects.get(phase=phase)
    repeated = []
    monkeypatch.setattr(registrations, "repeat", lambda submission, actor: repeated.append(submission.team.name))
    changed = [METRICS[0], {**METRICS[1], "options": {"percentile": 90}}]
    phase = deviate(registered, metrics=changed)
    assert sorted(repeated) == ["Ada", "Ben"]
    assert waits_for_scoring(phase)
    assert Standing.objects.filter(phase=phase).last().version == before  # nothing is ranked from the wrong values
    assert "data-deviation" in page("current").content.decode()
    Run.objects.update(assessment_digest=phase.assessment_digest)  # they have been scored anew
    boards.rank(phase)
    found = both_assessments.comparison(phase)
    assert found.columns[0].version == before
    assert found.columns[1].version.assessment_digest == phase.assessment_digest


def test_nothing_is_changed_while_it_is_scored(registered, phase):
    Run.objects.filter(submission__team__name="Ada").update(
        state=Run.State.SCORING, counts=False, result_file="", result_digest="", finished_at=None
    )
    with pytest.raises(ValidationError, match="being scored at this moment"):
        deviate(registered, metrics=[METRICS[0], {**METRICS[1], "options": {"percentile": 90}}])


def test_what_arrived_first_is_known_to_the_registry(phase):
    assert registrations.arrivals(phase.challenge)[phase.task_id].first_accepted_at <= timezone.now()
