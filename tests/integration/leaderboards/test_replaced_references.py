"""After a test set was replaced, no ranking mixes results against the old and the new version."""

import pytest
from django.test import Client
from django.utils import timezone

from accounts.notifications.models import Notification
from challenges.models import Phase
from datastore.test_sets.models import TestSet
from leaderboards.models import RankingVersion, Standing
from submissions.models import Run
from submissions.queries import counted_runs, left_out, rescoring_of
from submissions.queries.counting import counting
from submissions.services import scoring
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
    number = Run.objects.filter(submission=run.submission).count() + 1
    Run.objects.filter(pk=other.pk).update(submission=run.submission, number=number)
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


def begin_again(run: Run) -> Run:
    """Create a run of the same submission against the active test set, not processed by any worker yet."""
    number = Run.objects.filter(submission=run.submission).count() + 1
    active = TestSet.objects.get(phase=run.submission.phase, is_active=True)
    return Run.objects.create(
        submission=run.submission, number=number, test_set=active, assessment_digest="0" * 64, cases_total=10
    )


def fail(run: Run) -> None:
    scoring.fail_run(run_id=run.pk, cause="an error on our side, 3 times at the same cases", log="Traceback: …")


def test_a_submission_that_cannot_be_scored_again_is_named_and_holds_up_nobody():
    built = world.build(ranked=("open",), teams=("Ada", "Ben", "Cy"))
    phase = built.phases["open"]
    runs = {run.submission.team.name: run for run in counted_runs(phase)}
    replaced(phase)
    score_again(runs["Ada"], built, level=0.3)
    score_again(runs["Cy"], built, level=0.4)
    assert left_out(phase) == []  # Ben's is still to be scored, and all wait
    fail(begin_again(runs["Ben"]))
    assert phase.ranking_request.is_due
    [missing] = left_out(phase)
    assert (missing.name, missing.number, missing.version) == ("Ben", 1, 2)
    assert rescoring_of(phase) is None
    world.rank(phase)
    version = RankingVersion.objects.filter(phase=phase).latest("number")
    assert (version.inputs["test_set"], sorted(version.table["teams"])) == (2, ["Ada", "Cy"])
    assert version.inputs["left_out"] == [missing.document()]

    page = Client().get("/challenges/liver/leaderboard/").content.decode()
    assert "1 team is not in this ranking: scoring against version 2 of the test set failed" in page
    assert "an error on our side, 3 times at the same cases" in page
    assert "Traceback" not in page
    assert "/challenges/liver/organize/work/" not in page
    told = {note.user.username: note for note in Notification.objects.exclude(subject__contains=" is scored")}
    assert set(told) == {"olga", "ben"}
    assert told["olga"].address == "/challenges/liver/organize/work/#failed"
    assert "not ranked by version 2" in told["ben"].text
    assert "not ranked by version 2" in counting(runs["Ben"].submission).words
    assert not counting(runs["Ben"].submission).counts
    organizer = Client()
    organizer.force_login(built.people["organizer"])
    assert "have it scored again" in organizer.get("/challenges/liver/leaderboard/").content.decode()

    begin_again(runs["Ben"])  # somebody repeats it: the others' ranking does not go back meanwhile
    assert {run.submission.team.name for run in counted_runs(phase)} == {"Ada", "Cy"}
    Run.objects.filter(submission=runs["Ben"].submission, state=Run.State.QUEUED).delete()
    score_again(runs["Ben"], built, level=0.6)
    world.rank(phase)
    version = RankingVersion.objects.filter(phase=phase).latest("number")
    assert (version.teams, "left_out" in version.inputs) == (3, False)


def test_where_nothing_could_be_scored_again_the_earlier_ranking_stands_and_says_so():
    built = world.build(ranked=("open",))
    phase = built.phases["open"]
    replaced(phase)
    for run in counted_runs(phase):
        fail(begin_again(run))
    found = rescoring_of(phase)
    assert (found.standing, found.wanted, found.done, found.failed) == (1, 2, 0, 2)
    assert [run.test_set.version for run in counted_runs(phase)] == [1, 1]
    assert left_out(phase) == []


@pytest.mark.parametrize(("rule", "ranked"), [(Phase.Counts.LAST, {"Ada", "Ben"}), (Phase.Counts.BEST, {"Ben"})])
def test_which_submissions_count_decides_whether_a_team_is_left_out(rule, ranked):
    """An early submission that failed does not matter where the last one counts; it may have been the best one."""
    built = world.build(ranked=())
    phase = built.phases["open"]
    Phase.objects.filter(pk=phase.pk).update(counts=rule)
    phase.refresh_from_db()
    member, values = built.people["member"], {"values": [{"metric": "dsc", "region": "all", "value": 0.5}]}
    runs = [world.scored_run(phase, built.teams[name], member, level=0.5) for name in ("Ada", "Ada", "Ben")]
    replaced(phase)
    fail(begin_again(runs[0]))
    for run in runs[1:]:
        score_again(run, built, level=0.4)
    Run.objects.update(summary=values)
    assert {run.submission.team.name for run in counted_runs(phase)} == ranked
    assert {entry.name for entry in left_out(phase)} == {"Ada", "Ben"} - ranked
