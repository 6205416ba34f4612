"""Telling organizers that the compute time of all teams comes to its end."""

from django.urls import reverse

from accounts.notifications.domain.letters_of_runs import COMPUTE_TIME, OfComputeTime
from accounts.notifications.services import notify
from challenges.models import Phase
from challenges.queries.people import organizers_of
from executions.queries.budgets import NEAR, budget_of
from executions.queries.quotas import hours_words

KIND = "compute_time_near_its_end"


def tell_of_compute_time(phase: Phase) -> None:
    """Notify organizers once when four fifths of the compute time are used, and once when it is used up."""
    budget = budget_of(phase)
    if budget is None or budget.share < NEAR:
        return
    letter = COMPUTE_TIME.letter(
        OfComputeTime(
            phase.challenge.title,
            phase.task.name,
            hours_words(budget.used),
            hours_words(budget.allowed),
            is_spent=budget.is_spent,
        )
    )
    notify(
        people=organizers_of(phase.challenge),
        kind=KIND,
        subject=letter.subject,
        text=letter.text,
        address=reverse("results:work", args=[phase.challenge.slug]),
        scope=phase.challenge.slug,
        key=f"{phase.task_id} {'spent' if budget.is_spent else 'near'} {budget.allowed:g}",
    )
