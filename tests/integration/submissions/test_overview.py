"""Overview of work and scores for organizers and teams.

Organizers see the work and repeat it. Teams see their scores over time and compare them. All are notified at the end.
"""

import csv
import io
import zipfile
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from accounts.notifications.models import Email, Notification
from challenges.models import Concern, Phase
from challenges.queries import phases_of
from challenges.services.roles import set_standing
from core.work.services import sweep_kind
from datastore.uploads.services import refusals
from submissions import hooks
from submissions.models import Rescoring, Run, Submission
from submissions.queries import counted_runs
from submissions.queries.work import RESCORING
from submissions.results.queries.overview import failed, figure_by_day, work_of
from submissions.services import messages, states
from submissions.services.repeating import repeat_asked
from tests.integration.submissions.world import World, labels, nifti, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)
BASE = "/challenges/blocks/"


def break_down(submission):
    """Set the state that scoring leaves after it gave up on a run."""
    run = submission.runs.get()
    Run.objects.filter(pk=run.pk).update(
        state="failed", counts=False, result_file="", result_digest="", log="worker lost", finished_at=timezone.now()
    )
    Submission.objects.filter(pk=submission.pk).update(state="failed", reason="Something went wrong on our side.")


def test_the_work_page_shows_what_failed_and_repeats_it(client, world: World, workers):
    good, bad = (world.upload(zipped(predictions(shift))) for shift in (1, 2))
    digest = bad.runs.get().result_digest
    break_down(bad)
    client.force_login(world.organizer)
    page = client.get(f"{BASE}organize/work/").content.decode()
    assert "worker lost" in page
    assert "<dt>Queue</dt><dd>empty</dd>" in page
    assert [row.pk for row in failed(world.challenge)] == [bad.pk]
    client.post(f"{BASE}organize/work/repeat/", {"which": "failed"})
    bad.refresh_from_db()
    assert bad.state == "scored"
    assert bad.runs.get(counts=True).result_digest == digest
    assert good.runs.count() == 1
    assert not failed(world.challenge).exists()
    client.post(f"{BASE}organize/work/repeat/", {"which": "phase", "phase": world.phase.pk})
    assert good.runs.count() == 2
    assert client.post(f"{BASE}organize/work/repeat/", {"which": "all"}).status_code == 404
    client.post(f"{BASE}organize/work/repeat/", {"which": "chosen", "submission": [str(good.pk), "no id"]})
    assert (good.runs.count(), bad.runs.count()) == (3, 3)
    for rescoring in Rescoring.objects.filter(submission=good):
        repeat_asked(rescoring_id=rescoring.pk)  # a message that comes twice
    assert good.runs.count() == 3


def test_what_was_asked_to_be_scored_again_is_found_when_its_message_is_lost(client, world: World, workers):
    from celery import current_app

    submission = world.upload(zipped(predictions()))
    client.force_login(world.organizer)
    current_app.conf.task_always_eager = False
    for _ in range(2):  # asked for twice, it is done once
        client.post(f"{BASE}organize/work/repeat/", {"which": "phase", "phase": world.phase.pk})
    page = client.get(f"{BASE}organize/work/").content.decode()
    assert "Scoring again" in page
    current_app.conf.task_always_eager = True
    assert sweep_kind(RESCORING) == 0, "its message is on the way"
    Rescoring.objects.update(asked_at=None)
    assert sweep_kind(RESCORING) == 1
    assert submission.runs.count() == 2
    assert sweep_kind(RESCORING) == 0
    assert "Scoring again" not in client.get(f"{BASE}organize/work/").content.decode()


def test_the_queue_tells_how_long_it_takes(world: World, workers):
    submission = world.upload(zipped(predictions()))
    now = timezone.now()
    Run.objects.update(started_at=now - timedelta(seconds=120), finished_at=now - timedelta(seconds=60), cases_total=30)
    assert work_of(world.challenge).cases_per_minute == pytest.approx(30)
    assert work_of(world.challenge).minutes == 0
    submission.runs.get().chunks.update(state="waiting", cases_total=60, cases_done=0)
    assert work_of(world.challenge).waiting_here == 60
    assert work_of(world.challenge).minutes == pytest.approx(2)


def test_every_line_of_a_worker_names_the_run_that_it_works_on(world: World, workers, caplog):
    with caplog.at_level("INFO", logger="submissions"):
        run = world.upload(zipped(predictions())).runs.get()
    lines = [
        record.msg for record in caplog.records if isinstance(record.msg, dict) and "scored" in record.msg["event"]
    ]
    assert [line["event"] for line in lines] == ["chunk_scored", "run_scored"]
    assert {(line["run"], line["submission"]) for line in lines} == {(str(run.pk), str(run.submission_id))}


def test_days_without_submissions_are_shown(world: World):
    old, _ = (world.upload(zipped(predictions())) for _ in range(2))
    Submission.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=3))
    (trace,) = figure_by_day(phases_of(world.challenge))["data"]
    assert trace["y"] == [1, 0, 0, 1]


def test_the_export_has_everything_but_references_and_predictions(client, world: World, workers):
    world.upload(zipped(predictions()))
    client.force_login(world.organizer)
    answer = client.get(f"{BASE}organize/export.zip")
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        assert archive.testzip() is None
        names = set(archive.namelist())
        tables = {
            name: list(csv.DictReader(io.StringIO(archive.read(name).decode())))
            for name in names
            if name.endswith(".csv")
        }
    assert names == {
        *("participants.csv", "organizers.csv", "teams.csv", "terms.csv", "concerns.csv"),
        *("submissions.csv", "runs.csv", "methods.json", "probing.csv"),
        *("assessments/blocks-first.json", "results/blocks-first/adas.csv"),
        *("test-sets/blocks-first-1.csv", "test-sets/blocks-first-1-manifest.txt", "test-sets/blocks-first-access.csv"),
        *(
            "rankings/versions.csv",
            "rankings/history.csv",
            "announcements.csv",
            "pages.csv",
            "discussion.csv",
            "log.csv",
        ),
    }
    assert {row["user"] for row in tables["participants.csv"]} == {"ada", "bo"}
    assert [row["sender"] for row in tables["submissions.csv"]] == ["ada"]
    assert [row["counts"] for row in tables["runs.csv"]] == ["True"]
    assert {"run_scored", "challenge_exported"} <= {row["act"] for row in tables["log.csv"]}


def test_a_team_is_told_once_when_it_is_done_and_no_score_is_mailed(world: World, workers):
    submission = world.upload(zipped(predictions()))
    states.repeat(submission=submission, actor=world.organizer)
    assert submission.runs.count() == 2
    # A ranking tells it; here none is made, and whoever waits for one is told without a rank.
    messages.tell_scored(world.phase, is_last=False)
    assert not Notification.objects.exists()
    for _ in range(2):
        messages.tell_scored(world.phase, is_last=True)
    (row,) = Notification.objects.all()
    assert (row.user, row.subject) == (world.ada, "Blocks: submission 1 of Ada's is scored")
    assert row.address == submission.get_absolute_url()
    assert "dsc" not in Email.objects.get().text.lower()
    world.upload(zipped({"readme.txt": b"x"}))
    assert Notification.objects.filter(subject__endswith="is refused").count() == 1


def test_two_submissions_are_compared_case_by_case(client, world: World, workers):
    first = world.upload(zipped(predictions(2)))
    better = predictions(1) | {
        "case_001.nii.gz": predictions(2)["case_001.nii.gz"],
        "case_002.nii.gz": nifti(labels(4)),
    }
    second = world.upload(zipped(better))
    client.force_login(world.ada)
    page = client.get(f"{BASE}submissions/compare/", {"before": first.pk, "after": second.pk}).content.decode()
    row = page.split('href="#c-1"')[1].split("</tr>")[0]
    assert [row.split(f'data-label="{name}">')[1].split("<")[0] for name in ("Better", "Worse", "Equal")] == [
        "2",
        "1",
        "1",
    ]
    same = client.get(f"{BASE}submissions/compare/", {"before": first.pk, "after": first.pk}).content.decode()
    assert "same result" in same
    assert "DSC" in client.get(f"{BASE}submissions/history/").content.decode()
    figure = client.get(f"{BASE}submissions/history/0.json").json()
    assert [trace["name"] for trace in figure["data"]] == ["anterior", "whole"]
    assert len(figure["data"][0]["x"]) == 2
    assert client.get(f"{BASE}submissions/history/99.json").status_code == 404
    assert len(client.get(f"{BASE}submissions/history.csv").content.decode().splitlines()) == 1 + 2 * 8


@pytest.mark.parametrize(
    ("results", "history", "compare"), [("cases", 8, 200), ("aggregate", 8, 404), ("validation", 0, 404)]
)
def test_the_phase_decides_what_a_team_compares(client, world: World, workers, results, history, compare):
    Phase.objects.update(results=results)
    own = world.upload(zipped(predictions()))
    other = world.upload(zipped(predictions()), team=world.bos)
    client.force_login(world.ada)
    assert len(client.get(f"{BASE}submissions/history.csv").content.decode().splitlines()) == 1 + history
    for pair, status in (((own, own), compare), ((own, other), 404), ((other, other), 404)):
        query = {"before": pair[0].pk, "after": pair[1].pk}
        assert client.get(f"{BASE}submissions/compare/", query).status_code == status
    assert client.get(f"{BASE}submissions/compare/", {"before": "x", "after": own.pk}).status_code == 404


TEAMS = ("submissions/history/", "submissions/history.csv")


def test_every_role_at_the_addresses_of_teams(client, world: World, django_user_model):
    stranger = django_user_model.objects.create_user("stella", "stella@example.org", "a long password")
    for person in (None, stranger, world.ada, world.organizer):
        client.logout()
        if person:
            client.force_login(person)
        for rest in TEAMS:
            wanted = 302 if person is None else 200 if person is world.ada else 403
            assert client.get(BASE + rest).status_code == wanted, (person, rest)


def test_a_disqualified_team_leaves_the_ranking_and_a_rehabilitated_one_returns(world: World, workers, monkeypatch):
    world.upload(zipped(predictions()))
    world.upload(zipped(predictions(2)), team=world.bos)
    asked = []
    monkeypatch.setattr(hooks, "run_scored", [asked.append])
    for standing, reason, ranked in (("disqualified", "Labels.", [world.bos]), ("ranked", "", [world.adas, world.bos])):
        set_standing(actor=world.organizer, teams=[world.adas], standing=standing, reason=reason)
        assert [run.submission.team for run in counted_runs(world.phase)] == ranked
    assert asked == [world.phase.pk] * 2


def test_a_disqualified_team_submits_nothing_and_reads_why(world: World):
    set_standing(actor=world.organizer, teams=[world.adas], standing="disqualified", reason="Labels.")
    world.adas.refresh_from_db()
    with pytest.raises(refusals.NotAllowedError, match="Labels"):
        world.upload(zipped(predictions()))


def test_the_same_predictions_of_two_teams_are_found_once(client, world: World, workers):
    world.upload(zipped(predictions()))
    world.upload(zipped(predictions()))
    assert not Concern.objects.exists()
    for _ in range(2):
        world.upload(zipped(predictions() | {"notes.txt": b"another archive"}), team=world.bos)
    concern = Concern.objects.get()
    assert (concern.kind, concern.team) == ("predictions", world.bos)
    world.upload(zipped(predictions(2)), team=world.bos)
    assert Concern.objects.count() == 1
    client.force_login(world.organizer)
    assert "the same result in every case" in client.get(f"{BASE}organize/people/").content.decode()


def test_the_work_page_shows_the_backlog_that_the_metrics_report(client, world: World, settings):
    """Both slots are taken by other work: nothing is scored, and yet the queue is anything but empty."""
    settings.PODIUM_METRICS_TOKEN = "token"
    now = timezone.now()
    waiting = [world.upload(zipped(predictions(shift))) for shift in (1, 2, 3)]
    for minutes, submission in zip((36, 20, 5), waiting, strict=True):
        rows = Submission.objects.filter(pk=submission.pk)
        rows.update(state="received", state_since=now - timedelta(minutes=minutes), lease_token=None, lease_until=None)
    Email.objects.create(to="ada@example.org", kind="account", subject="S", text="T", unsubscribe="/")
    client.force_login(world.organizer)
    page = client.get(f"{BASE}organize/work/")
    metrics = client.get("/metrics", headers={"Authorization": "Bearer token"}).content.decode()
    backlog = page.context["backlog"]
    reported = {
        (sample.name, sample.labels["queue"]): sample.value
        for family in text_string_to_metric_families(metrics)
        for sample in family.samples
        if sample.name in {"podium_queue_length", "podium_queue_oldest_seconds"}
    }
    by_kind = {entry.kind.name: (entry, own) for entry, own in backlog.rows}
    assert (by_kind["validation"][0].waiting, by_kind["validation"][1]) == (3, 3)
    assert (by_kind["mail"][0].length, by_kind["mail"][1]) == (Email.objects.filter(state="waiting").count(), None)
    for name, (entry, _) in by_kind.items():
        assert reported["podium_queue_length", name] == entry.length
        if entry.oldest:
            assert abs(reported["podium_queue_oldest_seconds", name] - (now - entry.oldest).total_seconds()) < 60
    assert backlog.oldest == now - timedelta(minutes=36)
    text = " ".join(page.content.decode().split())
    assert f"<dt>Queue</dt><dd>{backlog.length} jobs, the oldest since" in text
    assert '<th scope="row">Validating</th><td class="num" data-label="Waiting">3</td>' in text


@pytest.mark.parametrize("number", [1, 3])
def test_the_work_page_makes_the_same_number_of_queries(
    client, world: World, workers, django_assert_num_queries, number
):
    for _ in range(number):
        break_down(world.upload(zipped(predictions())))
    client.force_login(world.organizer)
    client.get(f"{BASE}organize/work/")
    # Where several machines share a database, what time it is is one more question to it.
    with django_assert_num_queries(55 if connection.vendor == "postgresql" else 54):
        client.get(f"{BASE}organize/work/")
