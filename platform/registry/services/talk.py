"""Comments on a registration in its comment period, and their answers (REG-15)."""

from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from audit.services import record
from evaluation.designs.catalogue import shipped
from registry.models import Comment, Registration
from registry.queries import current_version, takes_comments
from registry.services.messages import tell_answered, tell_commented

MAX_TEXT = 5_000
# Enough for a thorough reader, too few for a nuisance.
MAX_A_DAY = 20


@transaction.atomic
def add_comment(*, registration: Registration, author: User, text: str, parameter: str = "") -> Comment:
    """Say something to a registration, or to one parameter of it.

    Raises
    ------
    ValidationError
        Outside of the comment period, without words, or after too many comments on one day.
    """
    registration = Registration.objects.select_for_update().get(pk=registration.pk)
    if not takes_comments(registration):
        raise ValidationError("The comment period is over.")
    text = _words(text)
    if parameter and (parameter not in shipped().parameters or shipped()[parameter].visibility != "public"):
        raise ValidationError({"parameter": "There is no such parameter."})
    since = timezone.now() - timedelta(days=1)
    if Comment.objects.filter(registration=registration, author=author, created_at__gt=since).count() >= MAX_A_DAY:
        raise ValidationError(f"At most {MAX_A_DAY} comments a day; write more tomorrow.")
    comment = Comment.objects.create(
        registration=registration,
        version=current_version(registration),
        author=author,
        text=text,
        parameter=parameter,
    )
    _record(author, "registration_comment_added", comment, {"parameter": parameter})
    tell_commented(comment)
    return comment


@transaction.atomic
def answer_comment(*, comment: Comment, actor: User, text: str) -> Comment:
    """Answer for the organizers; a later answer replaces the earlier one.

    Raises
    ------
    ValidationError
        Without words.
    """
    comment = Comment.objects.select_for_update().get(pk=comment.pk)
    comment.answer, comment.answered_by, comment.answered_at = _words(text), actor, timezone.now()
    comment.save(update_fields=["answer", "answered_by", "answered_at"])
    _record(actor, "registration_comment_answered", comment, {})
    tell_answered(comment)
    return comment


@transaction.atomic
def hide_comment(*, comment: Comment, actor: User, reason: str) -> Comment:
    """Take a comment out of sight, with a public reason; its place stays.

    Raises
    ------
    ValidationError
        Without a reason.
    """
    reason = " ".join(reason.split())[:300]
    if not reason:
        raise ValidationError({"reason": "Say why: the reason is public."})
    comment = Comment.objects.select_for_update().get(pk=comment.pk)
    comment.hidden_reason, comment.hidden_by = reason, actor
    comment.save(update_fields=["hidden_reason", "hidden_by"])
    _record(actor, "registration_comment_hidden", comment, {"reason": reason})
    return comment


def _words(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\x00", "").strip()
    if not text:
        raise ValidationError({"text": "Write something first."})
    if len(text) > MAX_TEXT:
        raise ValidationError({"text": f"At most {MAX_TEXT:,} characters."})
    return text


def _record(actor: User, act: str, comment: Comment, facts: dict[str, str]) -> None:
    record(actor=actor, act=act, subject=comment, scope=comment.registration.identifier, facts=facts)
