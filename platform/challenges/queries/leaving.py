"""Remaining records of a person in a challenge after they leave a team."""

from typing import Any

from challenges.models import Challenge, Seat


def seats_kept(user: Any, challenge: Challenge) -> list[Seat]:
    """Seats in tasks to which a person's former team had submitted.

    The person cannot continue in these tasks with another team.
    """
    rows = Seat.objects.filter(user=user, task__challenge=challenge, member__left_at__isnull=False)
    return list(rows.select_related("task", "member__team"))
