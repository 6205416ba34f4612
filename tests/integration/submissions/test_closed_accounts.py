"""Submissions of a person who closes their account."""

import pytest

from accounts.services.rights import close_account
from challenges.models import Member
from submissions.models import Submission
from tests.integration.submissions.world import World, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)
State = Submission.State


def state_of(submission: Submission) -> str:
    return Submission.objects.get(pk=submission.pk).state


def test_what_waits_for_a_decision_that_nobody_can_make_is_withdrawn_and_what_was_scored_stays(world: World, workers):
    scored = world.upload(zipped(predictions()))
    held = world.upload(zipped(predictions(cases=["case_001", "case_002", "case_003"])))
    assert (state_of(scored), state_of(held)) == (State.SCORED, State.HELD)
    close_account(user=world.ada)
    assert (state_of(scored), state_of(held)) == (State.SCORED, State.WITHDRAWN)


def test_somebody_who_is_left_in_the_team_decides(world: World, workers):
    held = world.upload(zipped(predictions(cases=["case_001"])))
    Member.objects.create(team=world.adas, challenge=world.challenge, user=world.organizer)
    close_account(user=world.ada)
    assert state_of(held) == State.HELD
