"""Acts of chairs on a call itself; nothing of it needs a deployment."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from accounts.people.services.roles import keep_a_holder
from core.audit.services import record
from reviews import rules
from reviews.domain.sections import BY_KEY
from reviews.models import Answer, Call, Chair, MailText, Question
from reviews.services.defaults import MAILS, default_questions, unknown_words
from web.names import clean_name, slug_of

# Addresses that pages of their own have.
RESERVED = frozenset({"new", "invitations", "reviewing"})
# What tells who knows whom stays once reviewers were asked in the belief that it holds.
FIXED_ONCE_FILED = ("anonymity", "score_min", "score_max")


@transaction.atomic
def create_call(*, actor: User, title: str, **fields: Any) -> Call:
    """Create a call with the default questions; the creator becomes its chair."""
    title = clean_name(title)
    stem = slug_of(fields.pop("slug", "") or title, otherwise="call", length=50)
    if not stem:
        raise ValidationError({"title": "A title needs at least one letter or digit."})
    if stem in RESERVED:
        stem = f"{stem}-call"
    taken = set(Call.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    slug = next(name for name in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3))) if name not in taken)
    call = Call(slug=slug, title=title, **fields)
    call.full_clean()
    call.save()
    Chair.objects.create(call=call, user=actor)
    questions = default_questions()
    for question in questions:
        question.call = call
    Question.objects.bulk_create(questions)
    rules.forget(actor)
    record(actor=actor, act="call_created", subject=call, scope=call.slug, facts={"title": title})
    return call


@transaction.atomic
def change_call(*, actor: User, call: Call, **fields: Any) -> Call:
    """Change settings of a call.

    Raises
    ------
    ValidationError
        When they contradict each other, or anonymity or scale would change after designs were filed.
    """
    stored = Call.objects.select_for_update(no_key=True).get(pk=call.pk)
    changed = {name: value for name, value in fields.items() if getattr(stored, name) != value}
    fixed = [name for name in FIXED_ONCE_FILED if name in changed]
    if fixed and stored.filings.exists():
        raise ValidationError(dict.fromkeys(fixed, "Designs have been filed under the present rule."))
    for name, value in changed.items():
        setattr(stored, name, value)
    stored.full_clean()
    stored.save()
    if changed:
        record(
            actor=actor,
            act="call_changed",
            subject=stored,
            scope=stored.slug,
            facts={"changed": {name: str(value)[:200] for name, value in changed.items()}},
        )
    return stored


@transaction.atomic
def add_chair(*, actor: User, call: Call, user: User) -> Chair:
    """Let another person run the call too."""
    chair, created = Chair.objects.get_or_create(call=call, user=user)
    if created:
        rules.forget(user)
        record(actor=actor, act="call_chair_added", subject=call, scope=call.slug, facts={"user": user.pk})
    return chair


@transaction.atomic
def remove_chair(*, actor: User, chair: Chair) -> None:
    """End a person's part as a chair.

    Raises
    ------
    ValidationError
        For the only one.
    """
    call, user = chair.call, chair.user_id
    keep_a_holder(call, call.chairs.all(), leaving=user, message="A call has at least one chair.")
    chair.delete()
    record(actor=actor, act="call_chair_removed", subject=call, scope=call.slug, facts={"user": user})


@transaction.atomic
def add_question(*, actor: User, call: Call, section: str, **fields: Any) -> Question:
    """Ask something more in a section."""
    if section not in BY_KEY:
        raise ValidationError({"section": "There is no such section."})
    last = call.questions.filter(section=section).aggregate(last=Max("position"))["last"] or 0
    question = Question(call=call, section=section, position=last + 1, **fields)
    question.full_clean()
    question.save()
    _record_question(actor, "review_question_added", question)
    return question


@transaction.atomic
def change_question(*, actor: User, question: Question, **fields: Any) -> Question:
    """Change a question; one that has been answered is replaced by a new one, so that no answer changes its meaning."""
    answered = Answer.objects.filter(question=question).exists()
    for name, value in fields.items():
        setattr(question, name, value)
    if answered:
        Question.objects.filter(pk=question.pk).update(retired_at=timezone.now())
        question.pk = None
        question._state.adding = True  # noqa: SLF001 (Django's way to copy a row)
    question.full_clean()
    question.save()
    _record_question(actor, "review_question_changed", question)
    return question


@transaction.atomic
def retire_question(*, actor: User, question: Question) -> None:
    """Ask it no longer; given answers stay."""
    if question.retired_at is None:
        question.retired_at = timezone.now()
        question.save(update_fields=["retired_at"])
        _record_question(actor, "review_question_retired", question)


@transaction.atomic
def save_mail_text(*, actor: User, call: Call, kind: str, subject: str, body: str) -> MailText:
    """Replace a default mail text in this call.

    Raises
    ------
    ValidationError
        For placeholders in braces that this mail cannot fill.
    """
    if kind not in MAILS:
        raise ValidationError("Mail not found.")
    wrong = [*unknown_words(kind, subject), *unknown_words(kind, body)]
    if wrong:
        mail_words = ", ".join(f"{{{word}}}" for word in MAILS[kind].words)
        raise ValidationError({"body": f"Unknown: {', '.join(f'{{{word}}}' for word in wrong)}. Known: {mail_words}."})
    text, _ = MailText.objects.update_or_create(
        call=call, kind=kind, defaults={"subject": " ".join(subject.split()), "body": body.strip()}
    )
    record(actor=actor, act="call_mail_text_changed", subject=call, scope=call.slug, facts={"mail": kind})
    return text


@transaction.atomic
def restore_mail_text(*, actor: User, call: Call, kind: str) -> None:
    """Return to the delivered text."""
    if MailText.objects.filter(call=call, kind=kind).delete()[0]:
        record(actor=actor, act="call_mail_text_restored", subject=call, scope=call.slug, facts={"mail": kind})


def _record_question(actor: User, act: str, question: Question) -> None:
    record(
        actor=actor,
        act=act,
        subject=question,
        scope=question.call.slug,
        facts={"section": question.section, "text": question.text},
    )
