"""Submission limits of a team, also for simultaneous attempts."""

import io
import threading
from datetime import timedelta
from unittest import mock

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from challenges.models import Seat, Team
from challenges.services import close_phase, join_with_team
from challenges.services.teams import leave
from datastore.uploads.models import Upload
from datastore.uploads.services import refusals, uploads
from executions.scoring.domain.report import Finding, Report, Status
from submissions.models import Run, Submission
from submissions.queries import quota
from submissions.services import states, submitting
from submissions.services.sweeping import sweep
from tests.integration.submissions.world import World, build, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world(db, tmp_path) -> World:
    return build(tmp_path / "references", submissions_per_day=2, submissions_in_total=3)


def test_the_limit_of_the_day_and_the_total_hold(world: World):
    content = zipped(predictions())
    world.upload(content)
    assert quota(world.phase, world.adas, world.ada).left == 1
    world.upload(content)
    with pytest.raises(refusals.QuotaExceededError, match="its 2 submissions of today"):
        world.upload(content)
    assert world.upload(content, team=world.bos).number == 1
    Submission.objects.update(created_at="2020-01-01T00:00:00Z")
    world.upload(content)
    with pytest.raises(refusals.QuotaExceededError, match="its 3 submissions in this phase"):
        world.upload(content)


@pytest.mark.parametrize("state", ["held", "refused", "withdrawn", "failed"])
def test_what_came_to_nothing_does_not_count_but_has_a_cap_of_its_own(world: World, settings, state: str):
    settings.PODIUM_UNSUCCESSFUL_PER_DAY = 3
    content = zipped(predictions())
    for _ in range(3):
        world.upload(content)
        Submission.objects.update(state=state, reason="for a reason")
    with pytest.raises(refusals.QuotaExceededError, match="refused, withdrawn or failed today"):
        world.upload(content)


def three_held(world: World, content: bytes) -> list[Submission]:
    held = []
    for _ in range(3):
        held.append(world.upload(content))
        Submission.objects.update(state="held")
    return held


def test_a_held_submission_counts_when_it_is_confirmed_on_the_day_on_which_it_came(world: World, client):
    content = zipped(predictions())
    held = three_held(world, content)
    assert quota(world.phase, world.adas, world.ada).left == 2
    Submission.objects.update(created_at=timezone.now() - timedelta(days=1))
    for submission in held[:2]:
        states.score_as_it_is(submission=submission, actor=world.ada)
    used = quota(world.phase, world.adas, world.ada)
    assert (used.used_today, used.used_in_total, used.left) == (0, 2, 1)
    yesterday = f"{timezone.now() - timedelta(days=1):%-d %B %Y}"
    with pytest.raises(
        ValidationError, match=f"its 2 submissions of {yesterday}. This submission can only be withdrawn."
    ):
        states.score_as_it_is(submission=held[2], actor=world.ada)
    client.force_login(world.ada)
    place = {"slug": "blocks", "pk": held[2].pk}
    page = client.post(reverse("submissions:decide", kwargs=place), {"decision": "score"}, follow=True, secure=True)
    assert f"its 2 submissions of {yesterday}" in page.content.decode()
    answer = client.post(f"/api/v1/submissions/{held[2].pk}/decide/", {"decision": "score"}, secure=True)
    assert answer.status_code == 400
    assert f"its 2 submissions of {yesterday}" in answer.content.decode()
    held[2].refresh_from_db()
    assert held[2].state == "held"
    states.withdraw(submission=held[2], actor=world.ada)


def test_at_the_close_no_more_held_submissions_are_scored_than_the_limits_allow(world: World):
    content = zipped(predictions())
    held = three_held(world, content)
    report = {**held[0].report, **Report(inspected=True, findings={"a": Finding("a", Status.VALID)}).document()}
    Submission.objects.update(report=report)
    close_phase(actor=world.organizer, phase=world.phase)
    assert sweep()["held"] == 3
    ends = list(Submission.objects.order_by("number").values_list("state", "reason"))
    assert [state for state, _ in ends[:2]] == ["scored", "scored"]
    assert ends[2] == ("withdrawn", states.LIMITS_USED)


def test_held_submissions_confirmed_at_the_same_instant_stay_within_the_limit(world: World):
    held = three_held(world, zipped(predictions()))
    twice = [submission for submission in held for _ in range(2)]
    ends = concurrently([lambda each=each: states.score_as_it_is(submission=each, actor=world.ada) for each in twice])
    assert {type(end) for end in ends} == {type(None), ValidationError}
    assert sorted(Submission.objects.values_list("state", flat=True)) == ["accepted", "accepted", "held"]
    assert Run.objects.count() == 2


def test_a_confirmation_and_an_upload_at_the_same_instant_stay_within_the_limit(world: World):
    content = zipped(predictions())
    world.upload(content)
    held = world.upload(content)
    Submission.objects.filter(pk=held.pk).update(state="held")
    upload = submitting.create_upload(
        user=world.ada, phase=world.phase, team=world.adas, file_name="p.zip", size=len(content), again=True
    )
    whole = uploads.append(upload=upload, offset=0, read=io.BytesIO(content).read)
    ends = concurrently(
        [
            lambda: states.score_as_it_is(submission=held, actor=world.ada),
            lambda: submitting.finish(upload=whole),
        ]
    )
    assert sum(isinstance(end, ValidationError | refusals.QuotaExceededError) for end in ends) == 1
    assert quota(world.phase, world.adas, world.ada).used_today == 2


def test_after_the_close_the_team_decides_no_held_submission(world: World, client):
    [submission, *_] = three_held(world, zipped(predictions()))
    close_phase(actor=world.organizer, phase=world.phase)
    client.force_login(world.ada)
    place = {"slug": "blocks", "pk": submission.pk}
    page = client.get(submission.get_absolute_url()).content.decode()
    assert "The phase closed on" in page
    assert "Submit as it is" not in page
    for decision in ("score", "withdraw"):
        answer = client.post(
            reverse("submissions:decide", kwargs=place), {"decision": decision}, follow=True, secure=True
        )
        assert "Held submissions are now scored or withdrawn automatically." in answer.content.decode()
        answer = client.post(f"/api/v1/submissions/{submission.pk}/decide/", {"decision": decision}, secure=True)
        assert answer.status_code == 400
        submission.refresh_from_db()
        assert submission.state == "held"


def test_the_close_changes_no_submission_that_was_decided_meanwhile(world: World):
    [submission, *_] = three_held(world, zipped(predictions()))
    Submission.objects.filter(pk=submission.pk).update(state="accepted")
    states.settle_at_close(submission=submission)
    submission.report = {}
    states.settle_at_close(submission=submission)
    submission.refresh_from_db()
    assert submission.state == "accepted"


def test_a_disqualified_team_neither_confirms_nor_finishes_an_upload(world: World):
    content = zipped(predictions())
    upload = submitting.create_upload(
        user=world.ada, phase=world.phase, team=world.adas, file_name="p.zip", size=len(content), again=True
    )
    whole = uploads.append(upload=upload, offset=0, read=io.BytesIO(content).read)
    [submission, other, _] = three_held(world, content)
    Team.objects.filter(pk=world.adas.pk).update(standing="disqualified", standing_reason="Two accounts.")
    with pytest.raises(ValidationError, match=r"your team: Two accounts\. This submission can only"):
        states.score_as_it_is(submission=submission, actor=world.ada)
    with pytest.raises(refusals.NotAllowedError, match="disqualified your team"):
        submitting.finish(upload=whole)
    states.withdraw(submission=other, actor=world.ada)
    assert sorted(Submission.objects.values_list("state", flat=True)) == ["held", "held", "withdrawn"]


def test_of_two_uploads_that_end_at_the_same_instant_at_the_limit_one_passes(world: World):
    content = zipped(predictions())
    world.upload(content)
    waiting = []
    for _ in range(2):
        upload = submitting.create_upload(
            user=world.ada, phase=world.phase, team=world.adas, file_name="p.zip", size=len(content), again=True
        )
        waiting.append(uploads.append(upload=upload, offset=0, read=io.BytesIO(content).read))
    ended = concurrently([lambda upload=upload: submitting.finish(upload=upload) for upload in waiting])
    assert sorted(type(entry).__name__ for entry in ended) == ["QuotaExceededError", "Submission"]
    assert Submission.objects.filter(team=world.adas).count() == 2


def second_team(world: World):
    """Ada leaves her team, which has only a refused submission, and goes on with a team of her own."""
    Submission.objects.update(state="refused", reason="for a reason")
    leave(user=world.ada, member=world.adas.members.get())
    assert not Seat.objects.filter(user=world.ada).exists()
    return join_with_team(user=world.ada, challenge=world.challenge, team_name="Ada again")


def test_who_changes_the_team_keeps_what_was_used(world: World, settings):
    settings.PODIUM_UNSUCCESSFUL_PER_DAY = 2
    content = zipped(predictions())
    world.upload(content)
    again = second_team(world)
    world.upload(content, team=again)
    Submission.objects.update(state="refused", reason="for a reason")
    found = quota(world.phase, again, world.ada)
    assert (found.team.unsuccessful_today, found.person.unsuccessful_today) == (1, 2)
    with pytest.raises(refusals.QuotaExceededError, match="that you sent with this and other teams"):
        world.upload(content, team=again)
    # What was refused at first may turn out to be fine, and counts then.
    Submission.objects.update(state="scored", reason="")
    assert found.counts_earlier_team is False
    found = quota(world.phase, again, world.ada)
    assert (found.team.today, found.person.today, found.left, found.counts_earlier_team) == (1, 2, 0, True)
    with pytest.raises(
        refusals.QuotaExceededError, match="2 submissions of today, those with an earlier team included"
    ):
        world.upload(content, team=again)


def test_of_two_uploads_of_one_person_with_two_teams_at_the_same_instant_at_the_limit_one_passes(world: World):
    """The lock on the person prevents both submissions even if the seat check did not.

    The seat check normally prevents a person from submitting for two teams at the same time.
    """
    content = zipped(predictions())
    world.upload(content)
    again = second_team(world)
    Submission.objects.update(state="scored", reason="")
    waiting = []
    for team in (world.adas, again):
        upload = Upload.objects.create(
            phase=world.phase,
            team=team,
            user=world.ada,
            size=len(content),
            expires_at=timezone.now() + timedelta(days=1),
        )
        submitting.scratch("uploads")
        upload.path.touch()
        waiting.append(uploads.append(upload=upload, offset=0, read=io.BytesIO(content).read))
    with mock.patch.object(submitting, "_check_seat"):
        ended = concurrently([lambda upload=upload: submitting.finish(upload=upload) for upload in waiting])
    assert sorted(type(entry).__name__ for entry in ended) == ["QuotaExceededError", "Submission"]
    assert Submission.objects.filter(user=world.ada).count() == 2


def test_nobody_finishes_an_upload_of_a_team_that_was_left(world: World):
    content = zipped(predictions())
    upload = submitting.create_upload(
        user=world.ada, phase=world.phase, team=world.adas, file_name="p.zip", size=len(content), again=True
    )
    upload = uploads.append(upload=upload, offset=0, read=io.BytesIO(content).read)
    leave(user=world.ada, member=world.adas.members.get())
    join_with_team(user=world.ada, challenge=world.challenge, team_name="Ada again")
    with pytest.raises(refusals.NotAllowedError, match="do not take part in the task Blocks"):
        submitting.finish(upload=upload)


def test_the_same_upload_finished_by_two_requests_at_once_is_one_submission(world: World):
    content = zipped(predictions())
    upload = submitting.create_upload(
        user=world.ada, phase=world.phase, team=world.adas, file_name="p.zip", size=len(content), again=True
    )
    upload = uploads.append(upload=upload, offset=0, read=io.BytesIO(content).read)
    ended = concurrently([lambda: submitting.finish(upload=upload)] * 2)
    assert len({entry.pk for entry in ended if isinstance(entry, Submission)}) == 1
    assert Submission.objects.count() == 1


def concurrently(acts):
    """Run `acts` in threads of their own, all at once; return what each returned or raised."""
    barrier = threading.Barrier(len(acts))
    results: list[object] = [None] * len(acts)

    def run(place: int) -> None:
        barrier.wait()
        try:
            results[place] = acts[place]()
        except Exception as error:  # noqa: BLE001 (handed to the test)
            results[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
