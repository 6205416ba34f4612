"""Answers to warnings, texts of the form."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.audit.services import record
from designs.models import CheckAnswer, Design, DesignTask, TextOverride
from designs.queries import texts
from evaluation.designs.catalogue import shipped

MAX_ANSWER = 5000


def _text(text: str, what: str) -> str:
    text = text.replace("\x00", "").strip()
    if not text:
        raise ValidationError(f"Write {what} first.")
    return text[:MAX_ANSWER]


@transaction.atomic
def answer_check(
    *, actor: User, design: Design, check_id: str, text: str, basis: str, task: DesignTask | None = None
) -> CheckAnswer:
    """Store the reason for not following a warning.

    Parameters
    ----------
    basis
        Digest of the values that the check read (`designs.contributions.checks.Finding.basis`).

    Raises
    ------
    ValidationError
        Without text, for an unknown check, and for an error, which must be corrected.
    """
    check = next((check for check in shipped().checks if check.id == check_id), None)
    if check is None:
        raise ValidationError("There is no such check.")
    if check.severity == "error":
        raise ValidationError("Errors must be fixed. Only warnings and hints can be explained.")
    answer, _ = CheckAnswer.objects.update_or_create(
        design=design,
        task=task,
        check_id=check_id,
        defaults={"text": _text(text, "the reason"), "basis": basis, "author": actor, "created_at": timezone.now()},
    )
    record(
        actor=actor,
        act="design_check_answered",
        subject=design,
        scope=design.slug,
        facts={"check": check_id, "task": task.key if task else None},
    )
    return answer


@transaction.atomic
def override_text(*, actor: User, override: TextOverride) -> TextOverride:
    """Replace a text of the form in this installation."""
    override.save()
    record(
        actor=actor,
        act="design_text_changed",
        subject=override,
        facts={"parameter": override.parameter, "text": override.text_name},
    )
    transaction.on_commit(texts.forget)
    return override


@transaction.atomic
def remove_text_override(*, actor: User, override: TextOverride) -> None:
    """Return to the delivered text."""
    record(
        actor=actor,
        act="design_text_restored",
        subject=override,
        facts={"parameter": override.parameter, "text": override.text_name},
    )
    override.delete()
    transaction.on_commit(texts.forget)
