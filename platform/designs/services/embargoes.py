"""Opening embargoed values when their event has come, with the proof that they are what was promised."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from designs.models import Design, FieldValue
from designs.queries import document_of, opening_day
from designs.services.fields import Saved, save_field
from evaluation.designs.document import State


@transaction.atomic
def open_embargo(*, actor: User | None, field: FieldValue) -> Saved:
    """Disclose an embargoed value.

    Nonce and value are published together with the digest, which anyone can then verify.

    Raises
    ------
    ValidationError
        When the field is not embargoed.
    """
    stored = (
        FieldValue.objects.select_for_update(of=("self",), no_key=True)
        .select_related("design", "task")
        .get(pk=field.pk)
    )
    if stored.state != State.EMBARGOED:
        raise ValidationError("This value is not embargoed.")
    return save_field(
        actor=actor,
        design=stored.design,
        task=stored.task,
        parameter=stored.parameter,
        value=stored.value,
        details=stored.details,
    )


def open_due_embargoes() -> int:
    """Open every embargo whose event has come; returns how many."""
    today = timezone.now().date()
    opened = 0
    waiting = FieldValue.objects.filter(state=str(State.EMBARGOED)).select_related("task")
    for design in Design.objects.filter(pk__in=waiting.values("design")):
        document = document_of(design)
        for field in waiting.filter(design=design):
            day = opening_day(document, field.event)
            removed = field.task is not None and field.task.removed_at is not None
            if day is not None and day <= today and not removed:
                open_embargo(actor=None, field=field)
                opened += 1
    return opened
