"""Scores that teams see at each time, and the submission that counts."""

import html
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from accounts.notifications.models import Notification
from challenges.models import Concern, Phase
from datastore.test_sets.models import TestCase
from submissions import hooks
from submissions.models import Release, Submission
from submissions.queries import counted_runs
from submissions.queries.progress import progress
from submissions.queries.releases import probing_of
from submissions.rules import access_to_submission
from submissions.services.choosing import choose
from submissions.services.messages import KIND, remind, remind_phase, tell_scored
from submissions.services.releasing import release_new
from tests.integration.submissions.world import World, build, labels, nifti, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)
HISTORY = "/challenges/blocks/submissions/history.csv"


def scored(world: World, *shifts: int, team=None) -> list[Submission]:
    made = [world.upload(zipped(predictions(shift)), team=team) for shift in shifts]
    return [Submission.objects.get(pk=entry.pk) for entry in made]


def end(world: World) -> None:
    world.phase.closed_at = timezone.now()
    world.phase.save()


def test_no_rank_is_promised_where_decoys_keep_the_ranking_from_teams(world: World, workers):
    Phase.objects.update(leaderboard=Phase.Leaderboard.PUBLIC)
    [made] = scored(world, 1)
    Notification.objects.all().delete()
    for decoys, said in (
        (False, "If this is your counted submission, it also shows your rank"),
        (True, "no team can see a rank"),
    ):
        TestCase.objects.filter(pk=TestCase.objects.first().pk).update(is_decoy=decoys)
        tell_scored(Phase.objects.get(pk=made.phase_id), is_last=True)
        assert said in Notification.objects.get(kind=KIND).text
        Notification.objects.all().delete()


def test_a_team_chooses_until_the_deadline_in_the_browser_and_over_the_interface(client, world: World, workers):
    Phase.objects.update(counts=Phase.Counts.CHOSEN)
    world.phase.refresh_from_db()
    first, second, third = scored(world, 1, 2, 3)
    assert [run.submission for run in counted_runs(world.phase)] == [third]  # no choice: the last one
    client.force_login(world.ada)
    page = client.get(second.get_absolute_url()).content.decode()
    assert "your team chose none, so the last one counts" in page
    assert "Count this submission" in page
    client.post(f"{second.get_absolute_url()}decide/", {"decision": "choose"})
    assert [run.submission for run in counted_runs(world.phase)] == [second]
    assert "your team chose it" in client.get(second.get_absolute_url()).content.decode()
    assert client.get("/challenges/blocks/submissions/").content.decode().count(">counts<") == 1
    api = f"/api/v1/submissions/{first.pk}/"
    shown = client.post(f"{api}decide/", {"decision": "choose"}, content_type="application/json").json()
    assert (shown["is_chosen"], shown["counts"]["counts"]) == (True, True)
    assert Submission.objects.filter(is_chosen=True).count() == 1
    end(world)
    assert [run.submission for run in counted_runs(world.phase)] == [first]
    answer = client.post(f"{api}decide/", {"decision": "choose"}, content_type="application/json")
    assert answer.status_code == 200  # it is chosen already
    answer = client.post(
        f"/api/v1/submissions/{third.pk}/decide/", {"decision": "choose"}, content_type="application/json"
    )
    assert (answer.status_code, "The choice is final" in answer.content.decode()) == (400, True)
    with pytest.raises(ValidationError, match="The choice is final"):
        choose(submission=third, actor=world.ada)
    Submission.objects.filter(pk=first.pk).update(is_late=True)
    assert [run.submission for run in counted_runs(world.phase)] == [third]
    client.get(first.get_absolute_url())
    assert "arrived after the phase closed" in client.get(first.get_absolute_url()).content.decode()


def test_what_is_refused_cannot_be_chosen_and_nothing_where_the_rule_is_another(world: World, workers):
    [submission] = scored(world, 1)
    with pytest.raises(ValidationError, match="the last one counts"):
        choose(submission=submission, actor=world.ada)
    Phase.objects.update(counts=Phase.Counts.CHOSEN)
    Submission.objects.update(state="refused", reason="x")
    with pytest.raises(ValidationError, match="accepted in time"):
        choose(submission=submission, actor=world.ada)


def test_which_one_is_best_stays_hidden_as_the_scores_do(client, tmp_path, db, workers):
    world = build(tmp_path / "r", results=Phase.Results.VALIDATION, leaderboard=Phase.Leaderboard.SEALED, counts="best")
    good, bad = scored(world, 0, 3)
    client.force_login(world.ada)
    pages = [client.get(entry.get_absolute_url()).content.decode() for entry in (good, bad)]
    assert all("which one that is stays hidden" in page for page in pages)
    listed = client.get("/challenges/blocks/submissions/").content.decode()
    assert ">counts<" not in listed
    digests = [run.result_digest[:12] for entry in (good, bad) for run in entry.runs.all()]
    assert not any(digest in listed or digest in "".join(pages) for digest in digests)
    end(world)
    assert "This submission counts: it is the best of your team" in client.get(good.get_absolute_url()).content.decode()


def test_an_organizer_reads_whose_submission_counts_and_not_of_a_team_of_their_own(client, tmp_path, db, workers):
    world = build(tmp_path / "r", results=Phase.Results.CASES, counts="last")
    (only,) = scored(world, 0)
    client.force_login(world.organizer)
    page = html.unescape(client.get(only.get_absolute_url()).content.decode())
    assert f"This submission counts: it is the last of {only.team.name} that was scored." in page
    assert "your team" not in page.lower()
    client.force_login(world.ada)
    assert "it is the last of your team that was scored." in client.get(only.get_absolute_url()).content.decode()


def test_nothing_is_shown_before_the_registered_release_not_even_after_the_end(client, tmp_path, db, workers):
    later = timezone.now() + timedelta(days=3)
    world = build(
        tmp_path / "r",
        results="revealed",
        leaderboard="sealed",
        reveals_at=later,
        reveals_cases=True,
        publishes_methods=True,
    )
    [submission] = scored(world, 1)
    end(world)
    phase = submission.phase
    phase.refresh_from_db()
    assert (phase.is_closed, phase.is_revealed, phase.is_sealed) == (True, False, True)
    client.force_login(world.ada)
    address = submission.get_absolute_url()
    page = client.get(address).content.decode()
    assert "Aggregated scores" not in page
    assert "when results are released" in page
    hidden = [
        *(f"{address}results.csv", f"{address}cases/case_001/", f"{address}cases/case_001/picture.png"),
        *("/challenges/blocks/leaderboard/first/export.csv", f"/api/v1/submissions/{submission.pk}/results.csv/"),
    ]
    assert [client.get(path).status_code for path in hidden] == [404] * len(hidden)
    assert client.get(f"/api/v1/submissions/{submission.pk}/").json()["scores"] is None
    assert len(client.get(HISTORY).content.decode().splitlines()) == 1
    assert not any("0." in row.subject + row.text for row in Notification.objects.filter(user=world.ada))
    Phase.objects.update(reveals_at=timezone.now())
    assert "Aggregated scores" in client.get(address).content.decode()
    assert client.get(f"{address}results.csv").status_code == 200


@pytest.mark.parametrize("feedback", ["rounded", "ladder"])
def test_scores_are_told_as_exactly_as_the_phase_says_wherever_they_appear(
    client, tmp_path, db, workers, monkeypatch, feedback
):
    references = {f"case_{n:03}": labels(n % 3 - 1, case=f"case_{n:03}") for n in range(6)}
    world = build(tmp_path / "r", references=references, results="aggregate", leaderboard="sealed", feedback=feedback)
    monkeypatch.setattr(hooks, "run_scored", [release_new])

    def hand_in(shifts, team=None):
        files = {f"case_{n:03}.nii.gz": nifti(labels(shift, case=f"case_{n:03}")) for n, shift in enumerate(shifts)}
        return Submission.objects.get(pk=world.upload(zipped(files), team=team).pk)

    first = hand_in((0, 0, 0, 0, 0, 0))
    worse = hand_in((2, 2, 2, 2, 2, 2))
    better = hand_in((-1, 0, 1, -1, 0, 1))
    told = {entry.pk: entry.release.scores[0] for entry in (first, worse, better)}
    exact = {entry.pk: entry.runs.get().summary["values"][0]["value"] for entry in (first, worse, better)}
    assert told[worse.pk]["shown"] == (told[first.pk]["shown"] if feedback == "ladder" else told[worse.pk]["shown"])
    assert told[better.pk]["improved"]
    assert told[better.pk]["shown"] == 1.0
    client.force_login(world.ada)
    seen = "".join(
        client.get(path).content.decode()
        for path in (
            *(first.get_absolute_url(), worse.get_absolute_url(), HISTORY),
            *("/challenges/blocks/submissions/history/0.json", f"/api/v1/submissions/{worse.pk}/"),
        )
    )
    for entry in (first, worse):
        assert f"{exact[entry.pk]:.6g}"[:7] not in seen
    assert str(told[worse.pk]["shown"]) in seen
    assert client.get(f"{worse.get_absolute_url()}results.csv").status_code == 404
    Release.objects.all().delete()  # as before it is decided
    assert client.get(f"/api/v1/submissions/{better.pk}/").json()["scores"][0]["value"] is None
    client.force_login(world.organizer)
    assert client.get(f"/api/v1/submissions/{worse.pk}/").json()["scores"][0]["value"] == exact[worse.pk]
    end(world)
    client.force_login(world.ada)
    assert client.get(f"/api/v1/submissions/{worse.pk}/").json()["scores"][0]["value"] == exact[worse.pk]


def test_organizers_see_who_creeps_and_who_hands_in_what_another_team_did(client, tmp_path, db, workers, monkeypatch):
    references = {f"case_{n:03}": labels() for n in range(10)}
    world = build(tmp_path / "r", references=references)
    monkeypatch.setattr(hooks, "run_scored", [release_new])

    def hand_in(good, team=None):
        """The cases of `good` are met better than the others."""
        files = {f"case_{n:03}.nii.gz": nifti(labels(1 if n in good else 2)) for n in range(10)}
        world.upload(zipped(files), team=team)

    hand_in({0, 1, 2, 3})
    hand_in({0, 1, 4, 5, 6})  # a case more, by losing two and winning three: within the noise
    hand_in({2, 3, 4, 5, 7})
    hand_in({0, 1, 2, 3, 4, 5, 6, 7})
    hand_in({0, 1, 2, 3, 4, 5, 6, 7, 8}, team=world.bos)
    [row] = probing_of([world.phase])
    assert (row.team, row.scored, row.creeping, row.leaps, row.stands_out) == ("Ada's", 4, 2, 1, False)
    [concern] = Concern.objects.filter(kind=Concern.Kind.PREDICTIONS)
    assert "in 90% of the cases" in concern.evidence
    client.force_login(world.organizer)
    page = client.get("/challenges/blocks/organize/work/").content.decode()
    assert "Gains within noise" in page
    table = client.get("/challenges/blocks/organize/work/probing.csv").content.decode().splitlines()
    assert table[1].startswith("First,Ada's,4,")
    client.force_login(world.ada)
    assert client.get("/challenges/blocks/organize/work/probing.csv").status_code == 404


def test_a_dry_run_shows_its_references_to_those_who_take_part(client, tmp_path, db, workers, django_user_model):
    world = build(tmp_path / "r", is_dry_run=True)
    [submission] = scored(world, 1)
    address = f"/challenges/blocks/phases/{world.phase.pk}/references/case_001/"
    stranger = django_user_model.objects.create_user("stella", "stella@example.org", "a long password")
    for person, status in ((None, 302), (stranger, 404), (world.bo, 200), (world.ada, 200), (world.organizer, 200)):
        client.logout()
        if person:
            client.force_login(person)
        assert client.get(address).status_code == status, person
    assert client.get(address).content == nifti(labels())
    client.force_login(world.ada)
    assert address in client.get("/challenges/blocks/submit/").content.decode()
    assert "This is a dry run" in client.get(submission.get_absolute_url()).content.decode()
    picture = f"{submission.get_absolute_url()}cases/case_001/"
    assert "with_reference" not in client.get(picture).content.decode()
    assert access_to_submission(world.ada, submission).references
    # The same references hidden in another phase stay hidden here, too.
    other = Phase.objects.get(pk=world.phase.pk)
    other.pk, other.slug, other.is_dry_run = None, "final", False
    other.save()
    copy = world.test_set
    cases = list(copy.cases.all())
    copy.pk, copy.phase = None, other
    copy.save()
    for case in cases[:1]:
        case.pk, case.test_set = None, copy
        case.save()
    assert TestCase.objects.filter(test_set=copy).count() == 1
    assert client.get(address).status_code == 404
    assert not access_to_submission(world.ada, submission).references


def test_a_team_without_a_description_is_left_out_where_registered_and_reminded_once(client, world: World, workers):
    Phase.objects.update(requires_method=True)
    world.phase.refresh_from_db()
    [submission] = scored(world, 1)
    client.force_login(world.ada)
    assert "The final ranking leaves your team out until" in client.get(submission.get_absolute_url()).content.decode()
    for _ in range(2):
        remind(world.phase.pk)
    assert Notification.objects.filter(user=world.ada, kind="method_missing").count() == 1
    end(world)
    assert counted_runs(world.phase) == []
    remind_phase(world.phase.pk)
    assert Notification.objects.filter(user=world.ada, kind="method_missing").count() == 2


@pytest.mark.parametrize("state", Submission.State.values)
def test_no_state_is_unexplained(world: World, state):
    """Every state has a status, a start time and a next step.

    Moving states also state their duration. Failed states also state cause and remedy.
    """
    submission = world.upload(zipped(predictions()))
    submission.state, submission.reason = state, "a cause" if state in ("refused", "failed") else ""
    submission.state_since = timezone.now() - timedelta(hours=1)
    found = progress(submission)
    assert found.title
    # Of a scored one the page says its rank instead, which is no state.
    assert found.text or state == "scored"
    assert found.next
    assert found.since == submission.state_since
    assert found.is_moving == (state in ("running", "received", "validating", "accepted"))
    if found.is_moving:
        assert "Nothing is lost" in found.text  # an hour is long
        submission.state_since = timezone.now()
        assert "Nothing is lost" not in progress(submission).text
    if state in ("refused", "failed"):
        assert (found.text, found.kind) == ("a cause", "bad")
