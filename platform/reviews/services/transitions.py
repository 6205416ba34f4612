"""The one way in which a filing changes its state."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from core.audit.services import record
from reviews import queries, rules
from reviews.models import WAYS, Filing, State, Transition
from reviews.services.guards import GUARDS, Step

TAKEN = "Another person has just changed the state of this filing. Reload the page."


@transaction.atomic
def advance(*, filing: Filing, to: str, actor: Any, reason: str = "") -> Transition:
    """Change the state of a filing: guarded, with actor, time and reason, in the audit log.

    Parameters
    ----------
    to
        A value of `State`.
    actor
        The person, or ``None`` for the system (only ``registered``).
    reason
        The reason, or the letter of a decision.

    Raises
    ------
    ValidationError
        When there is no such way, a guard refuses, or another person was quicker. `filing` is the reader's view: when
        its state is not the present one any more, that counts as having been overtaken.
    """
    seen, target = filing.state, State(to)
    locked = (
        Filing.objects.select_for_update(of=("self",), no_key=True).select_related("call", "design").get(pk=filing.pk)
    )
    if locked.state != seen:
        raise ValidationError(TAKEN)
    before = State(locked.state)
    if target not in WAYS.get(before, ()):
        raise ValidationError(f"A filing that is {before.label} cannot become {target.label}.")
    if actor is not None:
        # Guards ask the database what the person may do now, not what the request has seen so far.
        rules.forget(actor)
    for guard in GUARDS[before, target]:
        guard(Step(filing=locked, to=target, actor=actor, reason=reason))
    try:
        with transaction.atomic():
            step = Transition.objects.create(
                filing=locked,
                predecessor=queries.last_transition(locked),
                from_state=before,
                to_state=target,
                actor=actor,
                reason=reason.strip(),
            )
    except IntegrityError as error:
        raise ValidationError(TAKEN) from error
    Filing.objects.filter(pk=locked.pk).update(state=target)
    filing.state = target
    record(
        actor=actor,
        act=f"filing_{target}",
        subject=locked,
        scope=locked.call.slug,
        facts={"design": locked.design.slug, "number": locked.number, "from": before, "to": target},
    )
    return step
