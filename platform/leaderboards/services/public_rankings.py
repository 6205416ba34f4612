"""Notifications of participants about final rankings that became public."""

from datetime import timedelta
from typing import Final

from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from accounts.notifications.domain import letters
from accounts.notifications.models import Notification
from accounts.notifications.services import notify
from challenges.models import Challenge, Phase
from challenges.queries import phases_of
from challenges.queries.people import organizers_of, participants_of
from challenges.rules import FOR_READERS
from challenges.services.phase_messages import where_of
from evaluation import boards
from leaderboards.models import RankingRequest, RankingVersion
from leaderboards.queries import names, rankings
from leaderboards.queries.current import current_standing

KIND: Final = "ranking_public"
# What became public longer ago is no news any more.
LOOKS_BACK: Final = timedelta(days=7)


def tell_of_public_rankings() -> int:
    """Notify once about each final ranking that is public by now, and return the number of these rankings."""
    now = timezone.now()
    ended = Phase.objects.filter(
        task__challenge__in=Challenge.objects.filter(FOR_READERS),
        is_dry_run=False,
        ended_at__isnull=False,
        ended_at__lte=now,
    ).select_related("task__challenge")
    recent = [
        phase for phase in ended if not phase.is_sealed and phase.is_revealed and phase.revealed_from > now - LOOKS_BACK
    ]
    return sum(_tell(phase) for phase in recent)


def _tell(phase: Phase) -> bool:
    standing = current_standing(phase)
    # The end of a phase asks for its final ranking in the same transaction: final is what nothing is asked for after.
    is_due = RankingRequest.objects.filter(phase=phase, requested__gt=F("computed")).exists()
    if standing is None or is_due or Notification.objects.filter(kind=KIND, key=str(phase.pk)).exists():
        return False
    # A message stays where it was sent: it names no team where a team may ask not to be named later.
    sentence = "" if names.uses_pseudonyms(phase) else _headline(standing.version)
    letter = letters.PUBLIC.letter(letters.OfPhase(where_of(phase), sentence=sentence))
    key = rankings.key_of(phase, phases_of(phase.challenge))
    notifications = notify(
        people=[*participants_of(phase.challenge), *organizers_of(phase.challenge)],
        kind=KIND,
        subject=letter.subject,
        text=letter.text,
        address=reverse("leaderboards:current", args=[phase.challenge.slug, key]),
        scope=phase.challenge.slug,
        key=str(phase.pk),
    )
    return bool(notifications)


def _headline(version: RankingVersion) -> str:
    order = version.table["orders"][0]
    return str(boards.spoken(order, version.sentences[order["key"]], closed=True)[0])
