"""Contributions of this app to the pages of a challenge."""

from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.notifications import kinds
from challenges import hooks
from challenges.models import Challenge, Phase
from challenges.rules import is_organizer
from datastore.test_sets.models import CaseReport, TestCase, TestSet
from datastore.test_sets.services.case_reports import ANSWERED, REPORTED
from evaluation.assessment.exclusions import GRADES


def register() -> None:
    """Add the page."""
    hooks.register_organizer_page("Test sets", "test_sets:test_sets", visible=is_organizer, order=25)
    hooks.figures.register(figures)
    kinds.register(REPORTED, "Somebody reports that a case of your challenge is wrong", order=30)
    kinds.register(ANSWERED, "A case that you reported is answered", order=31)
    hooks.assessment_changed.register(check_exclusions)


def figures(challenge: Challenge) -> list[hooks.Figure]:
    """Return the number of open reports about cases and of phases with a sealed test set.

    Nothing can be scored in a phase without a sealed test set.
    """
    phases = Phase.objects.filter(task__challenge=challenge, task__removed_at=None).count()
    sealed = TestSet.objects.filter(
        phase__task__challenge=challenge, phase__task__removed_at=None, is_active=True
    ).count()
    address = reverse("test_sets:test_sets", args=[challenge.slug])
    reported = CaseReport.objects.filter(phase__task__challenge=challenge, state=CaseReport.State.OPEN).count()
    page = reverse("test_sets:case_reports", args=[challenge.slug])
    return [
        hooks.Figure("Open reports about cases", f"{reported:,}", page, needs_you=reported > 0),
        hooks.Figure("Sealed test sets", f"{sealed} of {phases}", address, needs_you=sealed < phases),
    ]


def check_exclusions(phase_id: int, needs_scoring: bool) -> None:  # noqa: ARG001 (the hook's signature)
    """Refuse a registered change that excludes cases which no test set of the task has, or grades that cases lack.

    Raises
    ------
    ValidationError
        Names the case, or the column, and what to do.
    """
    phase = Phase.objects.select_related("task").get(pk=phase_id)
    rule = phase.assessment.exclusions
    cases = TestCase.objects.filter(test_set__phase__task=phase.task_id, test_set__is_active=True)
    if not rule or not cases.exists():
        return
    names = set(cases.values_list("name", flat=True))
    if unknown := sorted(set(rule.cases) - names):
        raise ValidationError(
            f"No test set of {phase.task.name} has a case {unknown[0]}. "
            "Write the cases that do not count as the page “What is expected” lists them."
        )
    if rule.grade_column:
        for name, facts in cases.filter(test_set__phase=phase, is_decoy=False).values_list("name", "metadata"):
            if facts.get(rule.grade_column) not in GRADES:
                raise ValidationError(
                    f"Case {name} has no quality grade in the column {rule.grade_column} of cases.csv; "
                    f"a grade is one of {', '.join(GRADES)}."
                )
