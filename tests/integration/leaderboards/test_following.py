"""Follow-up of a ranking: durable separate work, notified once, and not lost if a worker dies."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.notifications.models import Notification
from core.work.services import UNEXPECTED, claim, sweep_kind
from datastore.uploads.storage import private
from leaderboards.models import FollowUp, RankingRequest, RankingVersion
from leaderboards.queries import work
from leaderboards.queries.work import FOLLOWING
from leaderboards.services import following, rankings
from leaderboards.services.following import history_name
from submissions.services.messages import KIND

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("jobs")]


class WorkerDiedError(BaseException):
    """Exception that no step catches, just as no step can catch a kill signal."""


def dies(_phase):
    raise WorkerDiedError


def fails(_phase):
    raise ValueError("no room for the figure")


def told() -> list[str]:
    """Return the users and keys of all notifications about scored submissions, in a fixed order."""
    return sorted(f"{row.user.username} {row.key}" for row in Notification.objects.filter(kind=KIND))


def a_while_later() -> None:
    """Age the pending work: expected messages did not arrive, and the worker with the lease stopped responding."""
    past = timezone.now() - timedelta(hours=1)
    FollowUp.objects.update(asked_at=past, due_at=None)
    FollowUp.objects.exclude(lease_until=None).update(lease_until=past)


@pytest.fixture
def phase(scored):
    """A phase that has just been ranked."""
    rankings.request_ranking(scored.pk)
    assert rankings.rank_phase(phase_id=scored.pk) is not None
    return scored


def test_a_ranking_ends_when_it_is_stored_and_people_are_told_by_what_follows_it(phase):
    assert told() == []
    assert FollowUp.objects.get(phase=phase).is_due
    assert following.follow_phase(phase_id=phase.pk)
    assert told() != []
    assert private().exists(history_name(phase))
    assert not FollowUp.objects.get(phase=phase).is_due


def test_followed_up_once_it_is_not_followed_up_again(phase):
    following.follow_phase(phase_id=phase.pk)
    first = told()
    assert not following.follow_phase(phase_id=phase.pk)
    assert told() == first


def test_a_worker_that_dies_between_ranking_and_telling_loses_nothing(phase, jobs):
    a_while_later()
    assert sweep_kind(FOLLOWING) == 1
    assert jobs == [("leaderboards.tasks.follow_phase", [phase.pk])]
    following.follow_phase(phase_id=phase.pk)
    assert told() != []


def test_a_worker_that_dies_after_telling_tells_nobody_twice(phase, monkeypatch):
    monkeypatch.setattr(following, "BESIDE", {"history": dies})
    with pytest.raises(WorkerDiedError):
        following.follow_phase(phase_id=phase.pk)
    first = told()
    assert first != []
    monkeypatch.undo()
    monkeypatch.setattr("core.work.services.send", lambda task, args, countdown=None: True)
    assert not following.follow_phase(phase_id=phase.pk), "whoever died still holds it"
    a_while_later()
    assert following.follow_phase(phase_id=phase.pk)
    assert told() == first
    assert private().exists(history_name(phase))


def test_a_worker_that_dies_while_it_tells_has_told_nobody(phase, monkeypatch):
    monkeypatch.setattr("submissions.services.messages.notify_each", lambda **_: dies(phase))
    with pytest.raises(WorkerDiedError):
        following.follow_phase(phase_id=phase.pk)
    assert told() == []
    monkeypatch.undo()
    a_while_later()
    assert following.follow_phase(phase_id=phase.pk)
    assert told() != []


def test_a_step_that_fails_keeps_no_other_from_being_taken_and_is_tried_again(phase, monkeypatch, caplog):
    taken = []
    steps = {"history": fails, "over tasks": taken.append}
    monkeypatch.setattr(following, "BESIDE", steps)
    following.follow_phase(phase_id=phase.pk)
    first = told()
    assert first != []
    assert taken == [phase]
    assert FollowUp.objects.get(phase=phase).failure == f"history: {UNEXPECTED}"
    steps["history"] = taken.append
    a_while_later()
    following.follow_phase(phase_id=phase.pk)
    assert taken == [phase] * 3
    assert told() == first
    follow_up = FollowUp.objects.get(phase=phase)
    assert (follow_up.is_due, follow_up.failure) == (False, "")


def test_a_step_that_always_fails_is_left_until_the_next_ranking(phase, monkeypatch, caplog):
    monkeypatch.setattr(following, "BESIDE", {"history": fails})
    for _ in range(FOLLOWING.errors):
        assert FollowUp.objects.get(phase=phase).is_due
        following.follow_phase(phase_id=phase.pk)
        a_while_later()
    follow_up = FollowUp.objects.get(phase=phase)
    assert (follow_up.is_due, follow_up.failure) == (False, f"history: {UNEXPECTED}")


def test_what_takes_its_workers_down_is_given_up(phase):
    for _ in range(FOLLOWING.attempts):
        assert claim(FOLLOWING, phase.pk, give_up=lambda lease: None) is not None
        a_while_later()
    assert not following.follow_phase(phase_id=phase.pk)
    follow_up = FollowUp.objects.get(phase=phase)
    assert (follow_up.is_due, follow_up.failure) == (False, "The worker died 3 times after this ranking.")


def test_a_ranking_that_ends_meanwhile_is_followed_up_next(phase, monkeypatch):
    monkeypatch.setattr(following, "BESIDE", {"history": lambda phase: rankings._request_follow_up(phase.pk)})
    following.follow_phase(phase_id=phase.pk)
    follow_up = FollowUp.objects.get(phase=phase)
    assert (follow_up.requested, follow_up.done, follow_up.is_ranked) == (2, 1, True)


def test_whom_no_ranking_ranks_waits_as_long_as_one_is_asked_for(phase, monkeypatch):
    """The team is notified when the last requested ranking has ended."""
    ended = []
    monkeypatch.setattr(following, "tell_scored", lambda _phase, *, is_last: ended.append(is_last))
    rankings.request_ranking(phase.pk)
    following.follow_phase(phase_id=phase.pk)
    rankings.rank_phase(phase_id=phase.pk)
    following.follow_phase(phase_id=phase.pk)
    assert ended == [False, True]


def test_a_ranking_that_fails_is_followed_up_by_telling_alone(phase, monkeypatch, caplog):
    following.follow_phase(phase_id=phase.pk)
    taken = []
    monkeypatch.setattr(following, "BESIDE", {"history": taken.append})
    monkeypatch.setattr(rankings.computing, "collect", lambda *_, **__: 1 / 0)
    rankings.request_ranking(phase.pk)
    assert rankings.rank_phase(phase_id=phase.pk) is None
    assert following.follow_phase(phase_id=phase.pk)
    assert taken == []
    assert RankingVersion.objects.filter(phase=phase).count() == 1


def test_what_fails_for_good_is_counted_for_alerts_and_a_rule_is_no_failure(phase, monkeypatch):
    assert work.failing() == 0
    RankingRequest.objects.update(failure=f"{work.NOT_RANKED}: two sites are missing.")
    assert work.failing() == 0
    RankingRequest.objects.update(failure=UNEXPECTED)
    assert work.failing() == 1
    monkeypatch.setattr(following, "TELLING", {"telling": fails})
    for _ in range(FOLLOWING.errors):
        FollowUp.objects.update(asked_at=None, due_at=None)
        following.follow_phase(phase_id=phase.pk)
    assert work.failing() == 2
    assert FollowUp.objects.get(phase=phase).failure == f"telling: {UNEXPECTED}"
