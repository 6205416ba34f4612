"""The compute time of all teams of a task together, where one is registered."""

from dataclasses import dataclass

from django.db.models import Sum

from challenges.models import Phase
from datastore.uploads.services.refusals import QuotaExceededError
from evaluation.running.registered import Registered
from executions.models import Execution
from executions.queries.quotas import HOUR, hours_words

NEAR = 0.8
"""Share of the budget at which organizers are notified."""


@dataclass(frozen=True)
class Budget:
    """Seconds that all teams have used in all phases of a task, and those that are registered."""

    used: float
    allowed: float

    @property
    def share(self) -> float:
        return self.used / self.allowed

    @property
    def is_spent(self) -> bool:
        """True if the budget is used up and no new runs start."""
        return self.used >= self.allowed

    @property
    def words(self) -> str:
        """For the submit page."""
        return f"{hours_words(self.used)} of {hours_words(self.allowed)} used by all teams"


def budget_of(phase: Phase) -> Budget | None:
    """The budget of the task of a phase, None where there is none; one query."""
    allowed = Registered.of(phase.algorithms).budget_hours
    if allowed is None:
        return None
    rows = Execution.objects.filter(phase__task=phase.task_id)
    return Budget(rows.aggregate(used=Sum("compute_seconds"))["used"] or 0.0, allowed * HOUR)


def budget_words(execution: Execution) -> str:
    """Explain why a queued execution does not start, for a page, or return an empty text if it can start."""
    if execution.state != Execution.State.QUEUED:
        return ""
    budget = budget_of(execution.phase)
    if budget is None or not budget.is_spent:
        return ""
    return f"The compute time of this task is used up ({budget.words}). It begins when the organizers have registered more."


def check_budget(phase: Phase) -> None:
    """Refuse a new execution when the compute time of all teams is used up.

    Raises
    ------
    QuotaExceededError
        With the figures.
    """
    budget = budget_of(phase)
    if budget is not None and budget.is_spent:
        raise QuotaExceededError(
            f"The compute time of this task is used up: {budget.words}. Nothing new is run until the organizers have registered more."
        )
