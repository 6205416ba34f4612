"""Contributions of this app to the pages of a challenge."""

from django.core.exceptions import ValidationError
from django.db.models import Count, Q
from django.urls import reverse

from accounts.notifications import kinds
from challenges import hooks
from challenges.models import Challenge, Phase
from challenges.rules import is_organizer
from datastore.test_sets.models import CaseReport, OverlapCheck, TestCase, TestSet
from datastore.test_sets.services.case_reports import ANSWERED, REPORTED
from evaluation.assessment.exclusions import GRADES


def register() -> None:
    """Add the page."""
    hooks.register_organizer_page("Test sets", "test_sets:test_sets", visible=is_organizer, order=25)
    hooks.figures.register(figures)
    hooks.steps.register(steps)
    kinds.register(REPORTED, "A case of your challenge is reported as wrong", order=30, role="organizer")
    kinds.register(ANSWERED, "A case that you reported is answered", order=31, role="participant")
    hooks.assessment_changed.register(check_exclusions)


def steps(challenge: Challenge) -> list[hooks.Step]:
    """Return whether every phase has a sealed test set."""
    phases = Phase.objects.filter(task__challenge=challenge, task__removed_at=None)
    ready = phases.filter(test_sets__is_active=True).distinct().count()
    total = phases.count()
    return [
        hooks.Step(
            "Test sets sealed",
            is_done=0 < total == ready,
            order=40,
            note=f"{ready} of {total} phases",
            act="Upload a test set",
            address=reverse("test_sets:test_sets", args=[challenge.slug]),
        )
    ]


def overlaps(challenge: Challenge) -> list[hooks.Figure]:
    """Return the number of open pairs of overlapping images, as a warning before submissions open; empty without images."""
    checks = OverlapCheck.objects.filter(
        test_set__phase__task__challenge=challenge, test_set__phase__task__removed_at=None, test_set__is_active=True
    ).order_by("test_set__phase__position")
    counted = checks.annotate(number=Count("pairs", filter=Q(pairs__answered_at=None)))
    rows = list(counted.values_list("test_set__phase", "test_set__version", "number"))
    if not rows:
        return []
    total = sum(number for *_, number in rows)
    phase, version, _ = next((row for row in rows if row[2]), rows[0])
    page = reverse("test_sets:overlaps", args=[challenge.slug, phase, version])
    return [hooks.Figure("Open overlaps of test images", f"{total:,}", page, needs_you=total > 0)]


def figures(challenge: Challenge) -> list[hooks.Figure]:
    """Return the number of open reports about cases and of phases with a sealed test set, and of overlapping images.

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
        *overlaps(challenge),
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
