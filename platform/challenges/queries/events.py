"""A challenge as an event, for search engines."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings

from challenges.models import Challenge, Phase
from challenges.queries.timetable import period, timetable_of
from evaluation.metadata import ChallengeFacts, event
from web.addresses import absolute


def event_of(challenge: Challenge, phases: Sequence[Phase]) -> dict[str, Any]:
    """Return a challenge as ``Event`` of schema.org, from its first opening to its last deadline.

    The registered design is not opened for it: the page of a challenge shows the event on every visit.
    """
    first, last = period([timetable_of(phase) for phase in phases])
    facts = ChallengeFacts(
        name=challenge.title,
        description=challenge.summary,
        address=absolute(challenge.get_absolute_url()),
        starts=first.date().isoformat() if first else "",
        ends=last.date().isoformat() if last else "",
        publisher=settings.PODIUM_PUBLISHER,
        publisher_address=settings.PODIUM_ADDRESS,
    )
    return event(facts)
