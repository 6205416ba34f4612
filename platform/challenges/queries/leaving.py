"""What remains of a person in a challenge after leaving a team."""

from typing import Any

from challenges.models import Challenge, Seat


def seats_kept(user: Any, challenge: Challenge) -> list[Seat]:
    """Seats in tasks to which a person's former team had submitted: nobody goes on there with another one."""
    rows = Seat.objects.filter(user=user, task__challenge=challenge, member__left_at__isnull=False)
    return list(rows.select_related("task", "member__team"))
