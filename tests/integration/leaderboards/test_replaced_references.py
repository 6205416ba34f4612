"""After a test set was replaced, no ranking mixes results against the old and the new version."""

import pytest
from django.test import Client
from django.utils import timezone

from leaderboards.models import RankingVersion, Standing
from submissions.models import Run, TestSet
from submissions.queries import counted_runs, rescoring_of
from tests.integration.leaderboards import world

pytestmark = pytest.mark.django_db


def replaced(phase) -> TestSet:
    """Seal a second version, as a replacement does, without scoring anything."""
    first = TestSet.objects.get(phase=phase, is_active=True)
    TestSet.objects.filter(pk=first.pk).update(is_active=False)
    second = TestSet.objects.create(
        phase=phase, name="hidden", version=2, sealed_at=timezone.now(), manifest_digest="1" * 64, is_active=True
    )
    cases = list(first.cases.all())
    for case in cases:
        case.pk, case.test_set = None, second
    type(cases[0]).objects.bulk_create(cases)
    return second


def score_again(run: Run, built, *, level: float) -> Run:
    """A second result of the same submission, against the version in use."""
    other = world.scored_run(run.submission.phase, run.submission.team, built.people["member"], level=level)
    extra = other.submission
    Run.objects.filter(pk=run.pk).update(counts=False, state=Run.State.SUPERSEDED)
    Run.objects.filter(pk=other.pk).update(submission=run.submission, number=run.number + 1)
    upload = extra.upload
    extra.delete()
    upload.delete()
    return Run.objects.get(pk=other.pk)


def test_the_old_ranking_stays_until_everything_is_scored_against_the_new_version():
    built = world.build(ranked=("open",))
    phase = built.phases["open"]
    runs = {run.submission.team.name: run for run in counted_runs(phase)}
    first = RankingVersion.objects.get(phase=phase)
    assert first.inputs["test_set"] == 1
    assert rescoring_of(phase) is None
    replaced(phase)
    score_again(runs["Ada"], built, level=0.3)
    world.join(built, "Late", level=0.99)  # only scored against the new version
    found = rescoring_of(phase)
    assert (found.standing, found.wanted, found.done, found.total, found.failed) == (1, 2, 2, 3, 0)
    assert {run.pk for run in counted_runs(phase)} == {run.pk for run in runs.values()}
    assert Standing.objects.filter(phase=phase).count() == 1
    page = Client().get("/challenges/liver/leaderboard/").content.decode()
    assert "2 of 3 submissions are re-scored against version 2" in page

    lost = Run.objects.create(
        submission=runs["Ben"].submission,
        number=2,
        test_set=TestSet.objects.get(phase=phase, is_active=True),
        assessment_digest="0" * 64,
        cases_total=10,
        state=Run.State.FAILED,
        finished_at=timezone.now(),
    )
    assert rescoring_of(phase).failed == 1
    lost.delete()
    score_again(runs["Ben"], built, level=0.6)
    assert rescoring_of(phase) is None
    world.rank(phase)
    second = RankingVersion.objects.filter(phase=phase).latest("number")
    assert (second.inputs["test_set"], second.teams) == (2, 3)
    standing = Standing.objects.filter(phase=phase).latest("since")
    assert (standing.version, standing.changes["test_set"]) == (second, 2)
    client = Client()
    assert "re-scored against" not in client.get("/challenges/liver/leaderboard/").content.decode()
    for version, number in ((first, 1), (second, 2)):  # both stay readable, and say what they are of
        page = client.get(f"/challenges/liver/leaderboard/open/v/{version.number}/").content.decode()
        assert f"<dt>Test set</dt><dd>version {number}</dd>" in page
