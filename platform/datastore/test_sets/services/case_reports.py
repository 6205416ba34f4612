"""Reporting a case, answering, and bringing a confirmed one before those who decide about changes."""

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.notifications.domain.letters_of_records import CASE_ANSWERED, CASE_REPORTED, OfCase
from accounts.notifications.services import notify
from challenges.models import Challenge, Phase
from challenges.queries import label_of
from challenges.queries.people import organizers_of
from challenges.queries.projections import projection_of
from core.audit.services import record
from datastore.test_sets.models import CaseReport
from datastore.test_sets.queries.case_reports import asked_cases
from datastore.test_sets.rules import takes_reports
from designs.models import FieldValue
from designs.services import save_field

REPORTED, ANSWERED = "case_reported", "case_report_answered"
EXCLUDED = "excluded_cases"
MOST_OPEN = 100
"""Open reports that a person may have in a challenge."""
REASONS = {
    CaseReport.Category.REFERENCE: "reference_error",
    CaseReport.Category.IMAGE: "image_damaged",
    CaseReport.Category.DUPLICATE: "duplicate",
    CaseReport.Category.DEFINITION: "outside_definition",
}
"""Reason of an exclusion (`evaluation.assessment.exclusions.REASONS`) by what was reported."""


@transaction.atomic
def report_case(*, user: User, phase: Phase, case: str, category: str, text: str) -> CaseReport:
    """Report a case, and notify the organizers.

    Raises
    ------
    ValidationError
        For a case that the phase does not require, an empty text, a repeated report, and too many open
        reports.
    """
    if not takes_reports(user, phase) or case not in asked_cases([phase])[phase.pk]:
        raise ValidationError(
            {"case": f"{phase.name} does not ask for a case “{case}”. Write it as the submit page lists it."}
        )
    if not text.strip():
        raise ValidationError({"text": "Say what you saw, and where."})
    open_reports = CaseReport.objects.filter(
        user=user, phase__task__challenge=phase.challenge, state=CaseReport.State.OPEN
    )
    if open_reports.count() >= MOST_OPEN:
        raise ValidationError(f"You have {MOST_OPEN} open reports. Wait until some are answered.")
    try:
        with transaction.atomic():
            report = CaseReport.objects.create(
                phase=phase, user=user, case=case, category=category, text=text.strip()[:2000]
            )
    except IntegrityError as error:
        raise ValidationError("You have reported this already; the report is open.") from error
    record(
        actor=user,
        act=REPORTED,
        subject=report,
        scope=phase.challenge.slug,
        facts={"phase": phase.slug, "case": case, "category": category},
    )
    letter = CASE_REPORTED.letter(OfCase(*_where(phase), case, report.get_category_display(), report.text))
    notify(
        people=organizers_of(phase.challenge),
        kind=REPORTED,
        subject=letter.subject,
        text=letter.text,
        address=reverse("test_sets:case_reports", args=[phase.challenge.slug]),
        scope=phase.challenge.slug,
    )
    return report


@transaction.atomic
def answer_report(*, actor: User, report: CaseReport, state: str, answer: str) -> CaseReport:
    """Confirm or dismiss a report with an answer, and notify its author; a later answer replaces an earlier one.

    Raises
    ------
    ValidationError
        Without an answer, and for another state.
    """
    if state not in (CaseReport.State.CONFIRMED, CaseReport.State.DISMISSED):
        raise ValidationError("A report is confirmed or dismissed.")
    if not answer.strip():
        raise ValidationError("Write an answer: the person who reported the case reads it.")
    report = (
        CaseReport.objects.select_for_update(of=("self",), no_key=True)
        .select_related("phase__task__challenge", "user")
        .get(pk=report.pk)
    )
    report.state, report.answer = state, answer.strip()[:2000]
    report.answered_by, report.answered_at = actor, timezone.now()
    report.save()
    challenge = report.phase.challenge
    record(
        actor=actor,
        act=ANSWERED,
        subject=report,
        scope=challenge.slug,
        facts={"phase": report.phase.slug, "case": report.case, "state": state},
    )
    letter = CASE_ANSWERED.letter(OfCase(*_where(report.phase), report.case, report.get_state_display(), report.answer))
    notify(
        people=[report.user],
        kind=ANSWERED,
        subject=letter.subject,
        text=letter.text,
        address=reverse("test_sets:case_reports", args=[challenge.slug]),
        scope=challenge.slug,
    )
    return report


@transaction.atomic
def propose_exclusion(*, actor: User, report: CaseReport) -> str:
    """Add a confirmed case to the working design as one that does not count.

    Returns the address of the page to request the change. Nothing changes before the change request is
    decided.

    Raises
    ------
    ValidationError
        For a report that is not confirmed, or a category that is no registered reason. Also for a challenge
        without a registration, and a person who may not change the design.
    """
    challenge: Challenge = report.phase.challenge
    if report.state != CaseReport.State.CONFIRMED:
        raise ValidationError("Confirm the report first.")
    reason = REASONS.get(CaseReport.Category(report.category))
    if reason is None:
        raise ValidationError(
            "“Something else” is no registered reason. Add the case in the design, under “Test cases that do not count”, "
            "with the reason that fits."
        )
    projection = projection_of(challenge)
    if projection is None:
        raise ValidationError("This challenge has no registration, so there is no change to ask for.")
    design = projection.registration.design
    if not actor.has_perm("designs.edit_design", design):
        raise ValidationError("Those who may change the design take cases out.")
    task = design.tasks.get(key=report.phase.task.design_key)
    field = FieldValue.objects.filter(design=design, task=task, parameter=EXCLUDED).first()
    rows = list((field.value if field is not None else None) or [])
    if all(row.get("case") != report.case for row in rows):
        note = f"Reported {report.made_at:%-d %B %Y}: {' '.join(report.answer.split())}"[:200]
        rows.append({"case": report.case, "reason": reason, "note": note})
        save_field(actor=actor, design=design, task=task, parameter=EXCLUDED, value=rows)
    record(
        actor=actor,
        act="case_exclusion_proposed",
        subject=report,
        scope=challenge.slug,
        facts={"phase": report.phase.slug, "case": report.case, "reason": reason},
    )
    return reverse("changes:new", args=[projection.registration.identifier])


def _where(phase: Phase) -> tuple[str, str]:
    """The challenge and the phase, as messages name them."""
    return phase.challenge.title, label_of(phase)
