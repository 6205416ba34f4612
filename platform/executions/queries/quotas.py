"""Compute time that a team has used and can still use."""

from dataclasses import dataclass

from django.db.models import Sum

from challenges.models import Phase, Team
from datastore.uploads.services.refusals import QuotaExceededError
from evaluation.running.registered import Registered
from executions.models import Execution

HOUR = 3600


@dataclass(frozen=True)
class ComputeTime:
    """Seconds of a team in a phase; what is under way is counted with what it may need at most.

    Attributes
    ----------
    allowed
        None where there is no limit.
    """

    used: float
    reserved: float
    allowed: float | None

    @property
    def left(self) -> float | None:
        return None if self.allowed is None else max(0.0, self.allowed - self.used - self.reserved)


def compute_time(phase: Phase, team: Team, plan: Registered) -> ComputeTime:
    """Return the compute time that a team has used, in one query."""
    rows = Execution.objects.filter(phase=phase, team=team)
    sums = rows.aggregate(used=Sum("compute_seconds"), reserved=Sum("reserved_seconds"))
    allowed = None if plan.compute_hours is None else plan.compute_hours * HOUR
    return ComputeTime(sums["used"] or 0.0, sums["reserved"] or 0.0, allowed)


def hours_words(seconds: float) -> str:
    """A compute time for people.

    >>> hours_words(80), hours_words(5400)
    ('1.3 min', '1.5 h')
    """
    return f"{seconds / HOUR:.1f} h" if seconds >= HOUR else f"{seconds / 60:.1f} min"


def check_compute_time(phase: Phase, team: Team, plan: Registered, needed: float) -> None:
    """Refuse an execution that might need more compute time than is left; the caller holds the lock on the team.

    Raises
    ------
    QuotaExceededError
        With the figures.
    """
    left = compute_time(phase, team, plan).left
    if left is not None and needed > left:
        raise QuotaExceededError(
            f"It needs up to {hours_words(needed)} of compute time, and your team has {hours_words(left)} left in this phase."
        )
