"""The life of a registration: its comment period ends, it is withdrawn or abandoned; it never goes away (REG-12)."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.audit.services import record
from core.work.services import enqueue
from registry.models import Registration
from registry.services.messages import tell_ended
from registry.services.registering import PUBLISH

State = Registration.State


@transaction.atomic
def end_registration(*, registration: Registration, state: str, actor: User | None, reason: str) -> Registration:
    """Mark a registration as withdrawn or abandoned, with a public reason.

    Raises
    ------
    ValidationError
        Without a reason, or if the registration has already ended.
    """
    if state not in (State.WITHDRAWN, State.ABANDONED):
        raise ValueError(f"A registration ends as withdrawn or abandoned, not {state}.")
    reason = reason.strip()
    if not reason:
        raise ValidationError({"reason": "Say why: the reason stays public."})
    registration = Registration.objects.select_for_update(no_key=True).get(pk=registration.pk)
    if registration.is_ended:
        raise ValidationError(f"This registration is {registration.get_state_display()} already.")
    before = registration.state
    registration.state, registration.reason, registration.state_changed_at = state, reason, timezone.now()
    registration.save(update_fields=["state", "reason", "state_changed_at"])
    record(
        actor=actor,
        act=f"registration_{state}",
        subject=registration,
        scope=registration.identifier,
        facts={"from": before, "reason": reason},
    )
    tell_ended(registration, actor)
    return registration


@transaction.atomic
def end_embargo(*, registration: Registration, actor: User | None) -> Registration:
    """Publish a registration that is under embargo, for good; repeating it changes nothing.

    Everyone can then compute the digests that were public since the registration.
    """
    registration = Registration.objects.select_for_update(no_key=True).get(pk=registration.pk)
    if not registration.is_embargoed:
        return registration
    registration.is_embargoed, registration.embargo_ended_at = False, timezone.now()
    registration.save(update_fields=["is_embargoed", "embargo_ended_at"])
    versions = list(registration.versions.order_by("major", "minor"))
    record(
        actor=actor,
        act="registration_embargo_ended",
        subject=registration,
        scope=registration.identifier,
        facts={"digests": {version.number: version.digest for version in versions}},
    )
    for version in versions:
        enqueue(PUBLISH, version.pk)
    return registration


@transaction.atomic
def finish_comment_period(*, registration: Registration) -> bool:
    """Make a registration final once its comment period is over; returns whether that was now."""
    registration = Registration.objects.select_for_update(no_key=True).get(pk=registration.pk)
    if registration.state != State.COMMENT_PERIOD:
        return False
    assert registration.comment_until is not None  # a constraint holds that a comment period has an end
    if registration.comment_until > timezone.now():
        return False
    registration.state, registration.state_changed_at = State.REGISTERED, timezone.now()
    registration.save(update_fields=["state", "state_changed_at"])
    record(
        actor=None,
        act="registration_final",
        subject=registration,
        scope=registration.identifier,
        facts={"comments": registration.threads.count()},
    )
    return True


def finish_due() -> int:
    """Make every registration final whose comment period is over; returns how many."""
    due = Registration.objects.filter(state=State.COMMENT_PERIOD, comment_until__lte=timezone.now())
    return sum(finish_comment_period(registration=registration) for registration in due)
