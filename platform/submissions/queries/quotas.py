"""How much a team may still submit."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.utils import timezone

from challenges.models import Phase, Team
from submissions.limits import upload_limits
from submissions.models import Submission


@dataclass(frozen=True)
class Quota:
    """What a team has used of a phase's limits; None where there is no limit."""

    per_day: int | None
    in_total: int | None
    used_today: int
    used_in_total: int
    unsuccessful_today: int
    unsuccessful_per_day: int
    day_ends_at: datetime

    @property
    def left(self) -> int | None:
        """How many submissions are possible now."""
        left = [
            limit - used
            for limit, used in ((self.per_day, self.used_today), (self.in_total, self.used_in_total))
            if limit is not None
        ]
        return max(0, min(left)) if left else None

    @property
    def exhausted(self) -> str:
        """Why nothing can be submitted now, for the participant; empty when something can."""
        if self.in_total is not None and self.used_in_total >= self.in_total:
            return f"Your team has used its {_times(self.in_total)} in this phase."
        if self.per_day is not None and self.used_today >= self.per_day:
            return f"Your team has used its {_times(self.per_day)} of today; the next day begins at 00:00 UTC."
        if self.unsuccessful_today >= self.unsuccessful_per_day:
            return (
                f"{self.unsuccessful_per_day} submissions of your team were refused or withdrawn today; "
                "the next day begins at 00:00 UTC."
            )
        return ""


def quota(phase: Phase, team: Team) -> Quota:
    """Count what `team` has used; refused, withdrawn and failed submissions have a cap of their own."""
    day = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    unsuccessful = Q(state__in=Submission.UNSUCCESSFUL)
    today = Q(created_at__gte=day)
    used = Submission.objects.filter(phase=phase, team=team).aggregate(
        today=Count("pk", filter=today & ~unsuccessful),
        total=Count("pk", filter=~unsuccessful),
        unsuccessful=Count("pk", filter=today & unsuccessful),
    )
    return Quota(
        per_day=phase.submissions_per_day,
        in_total=phase.submissions_in_total,
        used_today=used["today"],
        used_in_total=used["total"],
        unsuccessful_today=used["unsuccessful"],
        unsuccessful_per_day=upload_limits().unsuccessful_per_day,
        day_ends_at=day + timedelta(days=1),
    )


def _times(number: int) -> str:
    return "one submission" if number == 1 else f"{number} submissions"
