"""Readers of suspect references: invitation, blinded answers, and reports of what was confirmed."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase
from challenges.rules import is_named_organizer, is_participant
from core.audit.services import record
from datastore.test_sets.models import CaseReport
from datastore.test_sets.services import case_reports
from leaderboards.models import SuspectReader, SuspectReading, SuspectSearch
from leaderboards.queries.suspects import CONFIRMED, answers_by_case

INVITED, REMOVED, READ = "suspect_reader_invited", "suspect_reader_removed", "suspect_reference_read"


@transaction.atomic
def invite_reader(*, actor: User, phase: Phase, person: User) -> SuspectReader:
    """Let a person with an account read the suspect references of a phase.

    Raises
    ------
    ValidationError
        For an organizer, and a member of a team of the challenge.
    """
    if is_named_organizer(person, phase.challenge):
        raise ValidationError(f"{person} is an organizer and can read suspect references already.")
    if is_participant(person, phase.challenge):
        raise ValidationError(f"{person} is in a team of this challenge. A reader must be in no team.")
    reader, is_new = SuspectReader.objects.get_or_create(phase=phase, user=person, defaults={"invited_by": actor})
    if is_new:
        _record(actor, INVITED, phase, reader=person.pk)
    return reader


@transaction.atomic
def remove_reader(*, actor: User, phase: Phase, reader: int) -> None:
    """End the access of an invited reader. The answers stay.

    Raises
    ------
    ValidationError
        If the person is not a reader.
    """
    row = SuspectReader.objects.filter(phase=phase, pk=reader).first()
    if row is None:
        raise ValidationError("This person is not an invited reader.")
    row.delete()
    _record(actor, REMOVED, phase, reader=row.user_id)


@transaction.atomic
def answer(*, reader: User, search: SuspectSearch, case: str, choice: str, note: str = "") -> SuspectReading:
    """Store the answer of a reader about a reference; a later answer replaces an earlier one.

    Raises
    ------
    ValidationError
        For another answer than the four, and a case that is not offered to readers.
    """
    if choice not in SuspectReading.Answer.values:
        raise ValidationError("Choose one of the four answers.")
    if search.test_set is None or not search.suspects.filter(case=case).exists():
        raise ValidationError("This case is not among the suspect references any more.")
    reading, _ = SuspectReading.objects.update_or_create(
        test_set=search.test_set,
        case=case,
        reader=reader,
        defaults={"answer": choice, "note": note.strip()[:1000], "made_at": timezone.now()},
    )
    _record(reader, READ, search.phase, case=case, answer=choice, version=search.test_set.version)
    return reading


@transaction.atomic
def report(*, actor: User, search: SuspectSearch, case: str) -> CaseReport:
    """Report a case that a reader found wrong, and confirm the report, so that a change can be requested.

    Raises
    ------
    ValidationError
        If no reader answered that the reference is wrong or the image unusable, and for a repeated report.
    """
    answers = answers_by_case(search).get(case)
    if answers is None or not answers.is_confirmed:
        raise ValidationError("A reader must first answer that the reference is wrong or the image is unusable.")
    categories = CaseReport.Category
    category = categories.REFERENCE if answers.counts.get(CONFIRMED[0]) else categories.IMAGE
    if CaseReport.objects.filter(
        phase=search.phase, case=case, category=category, state=CaseReport.State.CONFIRMED
    ).exists():
        raise ValidationError(f"A report about {case} is confirmed already.")
    counted = ", ".join(f"{label}: {number}" for label, number in answers.words)
    text = f"Blinded reading of a suspect reference. Answers: {counted}."
    report_row = case_reports.report_case(user=actor, phase=search.phase, case=case, category=category, text=text)
    return case_reports.answer_report(actor=actor, report=report_row, state=CaseReport.State.CONFIRMED, answer=text)


def _record(actor: User, act: str, phase: Phase, **facts: object) -> None:
    record(actor=actor, act=act, subject=phase, scope=phase.challenge.slug, facts={"phase": phase.slug, **facts})
