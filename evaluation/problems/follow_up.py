"""Number of events and follow-up of people whose times to an event are predicted."""

from __future__ import annotations

from typing import NamedTuple


class FollowUp(NamedTuple):
    """Number of people and of events among them, and the median of the follow-up; ``None`` if it cannot be estimated."""

    people: int
    events: int
    median: float | None
