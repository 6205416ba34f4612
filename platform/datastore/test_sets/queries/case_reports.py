"""Reports about cases: all for organizers, own reports for their authors, and public counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from challenges.models import Challenge, Phase
from datastore.test_sets.models import CaseReport, TestCase


@dataclass(frozen=True)
class Counts:
    """Numbers of reports of one category, by state."""

    category: str
    open: int
    confirmed: int
    dismissed: int

    @property
    def total(self) -> int:
        return self.open + self.confirmed + self.dismissed


def public_counts(challenge: Challenge) -> list[Counts]:
    """Return the public counts by category and state, without cases, texts or people; one query."""
    rows = CaseReport.objects.filter(phase__task__challenge=challenge).order_by().values_list("category", "state")
    counted = {(category, state): number for category, state, number in rows.annotate(number=Count("pk"))}
    states = CaseReport.State
    return [
        Counts(
            category.label,
            *(
                counted.get((category.value, state.value), 0)
                for state in (states.OPEN, states.CONFIRMED, states.DISMISSED)
            ),
        )
        for category in CaseReport.Category
        if any((category.value, state.value) in counted for state in states)
    ]


def reports_for(user: Any, challenge: Challenge) -> QuerySet[CaseReport]:
    """All reports for those who answer them, else one's own; what is open first."""
    rows = CaseReport.objects.filter(phase__task__challenge=challenge)
    if not user.has_perm("test_sets.answer_case_report", challenge):
        rows = rows.filter(user=user) if user.is_authenticated else rows.none()
    return rows.select_related("phase__task__challenge", "user", "answered_by").order_by("-state", "-made_at", "-pk")


def asked_cases(phases: Sequence[Phase]) -> dict[int, set[str]]:
    """Return the names of the required cases by phase, including decoys; one query."""
    names_by_phase: dict[int, set[str]] = {phase.pk: set() for phase in phases}
    rows = TestCase.objects.filter(test_set__phase__in=phases, test_set__is_active=True)
    for phase, name in rows.values_list("test_set__phase", "name"):
        names_by_phase[phase].add(name)
    return names_by_phase
