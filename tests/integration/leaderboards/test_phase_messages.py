"""Notifications to participants about moved phases and final rankings: once, and not too early."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.notifications.models import Notification
from challenges.models import Phase
from challenges.services import close_phase, end_phases
from challenges.services.phase_messages import tell_of_phases
from leaderboards.services import rankings
from leaderboards.services.public_rankings import tell_of_public_rankings
from tests.integration.leaderboards import world

pytestmark = pytest.mark.django_db


def told(kind, person):
    return list(
        Notification.objects.filter(kind=kind, user=person).order_by("created_at").values_list("subject", "text")
    )


@pytest.fixture
def liver():
    return world.build(ranked=("open", "sealed"))


def move(phase, **times):
    Phase.objects.filter(pk=phase.pk).update(**times)


def test_a_phase_is_told_of_when_it_opens_when_its_end_is_near_and_when_it_closes(liver):
    phase, member = liver.phases["open"], liver.people["member"]
    now = timezone.now()
    move(phase, opens_at=now - timedelta(minutes=1), closes_at=now + timedelta(days=20))
    tell_of_phases()
    tell_of_phases()
    mine = [subject for subject, _ in told("phase_moves", member) if "Open" in subject]
    assert mine == ["Liver: Open is open"]
    move(phase, opens_at=now - timedelta(days=20), closes_at=now + timedelta(days=2))
    tell_of_phases()
    tell_of_phases()
    close_phase(actor=None, phase=phase)
    end_phases()
    mine = [subject for subject, _ in told("phase_moves", member) if "Open" in subject]
    assert len(mine) == 3
    assert mine[1].startswith("Liver: Open closes ")
    assert mine[2] == "Liver: Open is closed"
    assert not told("phase_moves", liver.people["stranger"])
    assert told("phase_moves", liver.people["organizer"])


def test_a_deadline_that_moved_is_announced_again_when_it_is_near(liver):
    phase, member = liver.phases["open"], liver.people["member"]
    now = timezone.now()
    move(phase, opens_at=now - timedelta(days=20), closes_at=now + timedelta(days=2))
    tell_of_phases()
    move(phase, closes_at=now + timedelta(days=2, hours=20))
    tell_of_phases()
    tell_of_phases()
    assert len([subject for subject, _ in told("phase_moves", member) if "Open closes" in subject]) == 2


def test_what_is_long_past_and_what_is_not_public_is_not_told_of(liver):
    move(
        liver.phases["open"], opens_at=timezone.now() - timedelta(days=3), closes_at=timezone.now() + timedelta(days=30)
    )
    move(
        liver.phases["sealed"],
        opens_at=timezone.now() - timedelta(days=3),
        closes_at=timezone.now() + timedelta(days=30),
    )
    move(liver.phases["revealed"], opens_at=timezone.now() - timedelta(days=3))
    assert tell_of_phases() == 0
    move(liver.phases["open"], opens_at=timezone.now() - timedelta(minutes=1))
    liver.challenge.is_public = False
    liver.challenge.save()
    assert tell_of_phases() == 0


def test_a_final_ranking_is_told_of_with_its_verdict_once_it_is_public(liver):
    phase, member = liver.phases["sealed"], liver.people["member"]
    assert tell_of_public_rankings() == 0
    close_phase(actor=None, phase=phase)
    assert tell_of_public_rankings() == 0, "the final ranking is not computed yet"
    rankings.rank_phase(phase_id=phase.pk)
    tell_of_public_rankings()
    tell_of_public_rankings()
    ((subject, text),) = told("ranking_public", member)
    assert subject == "Liver: the final ranking of Sealed is public"
    version = rankings.RankingVersion.objects.filter(phase=phase).latest("number")
    verdict = next(iter(version.sentences.values()))[0]
    assert verdict[:20] in text
