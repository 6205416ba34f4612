"""Asking for a change, taking it back, objecting to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from accounts.notifications.domain import letters_of_changes
from registry.changes.models import ChangeRequest, Objection, ProposedChange
from registry.changes.queries.documents import Proposal, proposals
from registry.changes.queries.policy import Policy, gravest, policy, stage_of
from registry.changes.queries.severity import severity_of, unsaved
from registry.changes.rules import chairs_of
from registry.changes.services.deciding import Verdict, settle
from registry.changes.services.telling import (
    ASKED,
    DECIDED,
    MAX_TEXT,
    OBJECTED,
    changed,
    locked,
    named,
    note_act,
    participants,
    tell,
)
from registry.hooks import operation_of
from registry.models import Registration
from registry.queries import current_version

ANOTHER_IS_OPEN: Final = "Another change request of this registration is open. It is decided first."


@dataclass(frozen=True)
class Wanted:
    """A parameter that the organizers request to change, with the reason and the effect on participants."""

    place: str
    reason: str
    effect: str


def request_change(
    *,
    actor: User,
    registration: Registration,
    wanted: Sequence[Wanted],
    note: str = "",
    wanted_on: date | None = None,
) -> ChangeRequest:
    """Request to change parameters to the values of the working design.

    Minor changes and later deadlines take effect at once.

    Raises
    ------
    ValidationError
        Without a change, reason or effect; when another request is open; when the values are registered already.
    """
    try:
        with transaction.atomic():
            registration = _locked(registration)
            by_place = {proposal.place: proposal for proposal in proposals(registration, current_version(registration))}
            chosen = []
            for entry in wanted:
                proposal = by_place.get(entry.place)
                if proposal is None:
                    raise ValidationError(f"The working design holds the registered value of {entry.place}.")
                chosen.append((proposal, entry))
            return _request(actor, registration, chosen, note, wanted_on)
    except IntegrityError as error:
        raise ValidationError(ANOTHER_IS_OPEN) from error


def request_proposal(
    *, actor: User, registration: Registration, proposal: Proposal, reason: str, effect: str
) -> ChangeRequest:
    """Request one change that was prepared elsewhere, such as a moved deadline; other drafts stay drafts.

    Raises
    ------
    ValidationError
        Without reason or effect; when a change that needs a decision is open already.
    """
    try:
        with transaction.atomic():
            registration = _locked(registration)
            return _request(actor, registration, [(proposal, Wanted(proposal.place, reason, effect))], "", None)
    except IntegrityError as error:
        raise ValidationError(ANOTHER_IS_OPEN) from error


def _locked(registration: Registration) -> Registration:
    registration = Registration.objects.select_for_update(no_key=True).get(pk=registration.pk)
    if registration.is_ended:
        raise ValidationError(f"This registration was {registration.get_state_display()}; it does not change any more.")
    return registration


def _request(
    actor: User,
    registration: Registration,
    chosen: Sequence[tuple[Proposal, Wanted]],
    note: str,
    wanted_on: date | None,
) -> ChangeRequest:
    if not chosen:
        raise ValidationError("Choose at least one parameter that is to change.")
    for proposal, entry in chosen:
        if not entry.reason.strip() or not entry.effect.strip():
            raise ValidationError(
                f"“{proposal.parameter.label}”: state the reason, and the effect on those who take part."
            )
    base = current_version(registration)
    operation = operation_of(registration)
    severities = [severity_of(base, operation, unsaved(proposal)) for proposal, _ in chosen]
    change_class = gravest(severity.change_class for severity in severities)
    needed = max((severity.policy for severity in severities), key=_weight)
    is_open = registration.change_requests.filter(state=ChangeRequest.State.OPEN).exists()
    if is_open and needed.needs_chair:
        raise ValidationError(ANOTHER_IS_OPEN)
    now = timezone.now()
    request = ChangeRequest.objects.create(
        registration=registration,
        number=(registration.change_requests.aggregate(last=Max("number"))["last"] or 0) + 1,
        base=base,
        # What takes effect at once does not wait for another request to be decided.
        state=ChangeRequest.State.OPEN if needed.needs_chair else ChangeRequest.State.DECIDED,
        change_class=change_class,
        note=note.strip()[:MAX_TEXT],
        wanted_on=wanted_on,
        requested_at=now,
        requested_by=actor,
        objections_until=now + timedelta(days=settings.PODIUM_OBJECTION_DAYS) if needed.waits_for_objections else None,
    )
    ProposedChange.objects.bulk_create(
        ProposedChange(
            request=request,
            task=proposal.task,
            parameter=proposal.parameter.id,
            change_class=severity.change_class,
            before=dict(proposal.before),
            after=dict(proposal.after),
            sealed=dict(proposal.sealed),
            reason=entry.reason.strip()[:MAX_TEXT],
            effect=entry.effect.strip()[:MAX_TEXT],
        )
        for (proposal, entry), severity in zip(chosen, severities, strict=True)
    )
    note_act(
        actor,
        "change_requested",
        request,
        parameters=[proposal.place for proposal, _ in chosen],
        change_class=change_class,
        base=base.digest,
        stage=str(stage_of(operation)),
    )
    if not needed.needs_chair:
        settle(request, {change.pk: Verdict(approve=True) for change in request.changes.all()}, actor, operation)
        request.refresh_from_db()
        return request
    tell(
        request,
        ASKED,
        letters_of_changes.ASKED.letter(
            letters_of_changes.OfChange(
                named(registration),
                registration.identifier,
                changed(request.changes.all()),
                kind=request.get_change_class_display(),
                next_step=needed.words,
            )
        ),
        people=[*chairs_of(registration), *(participants(request) if needed.tells_participants else [])],
    )
    request.refresh_from_db()
    return request


def _weight(needed: Policy) -> tuple[bool, ...]:
    """Order policies from what takes effect at once to what is possible only as a deviation."""
    return (needed.only_as_deviation, needed.waits_for_objections, needed.needs_chair, needed.tells_participants)


@transaction.atomic
def withdraw_request(*, actor: User, request: ChangeRequest) -> ChangeRequest:
    """Take a request back before it is decided.

    Raises
    ------
    ValidationError
        When it is not open any more.
    """
    request = locked(request)
    request.state = ChangeRequest.State.WITHDRAWN
    request.save(update_fields=["state"])
    note_act(actor, "change_withdrawn", request)
    registration = request.registration
    tells = policy(request.change_class, stage_of(operation_of(registration))).tells_participants
    tell(
        request,
        DECIDED,
        letters_of_changes.WITHDRAWN.letter(
            letters_of_changes.OfChange(named(registration), registration.identifier, changed(request.changes.all()))
        ),
        people=[*chairs_of(registration), *(participants(request) if tells else [])],
        key=f"withdrawn-{request.pk}",
    )
    return request


def object_to(*, actor: User, request: ChangeRequest, text: str) -> Objection:
    """Object to a request as a participant.

    Raises
    ------
    ValidationError
        For an objection without text, a second objection, or an objection after the end of the period.
    """
    text = text.strip()
    if not text:
        raise ValidationError({"text": "Say what you have against the change."})
    try:
        with transaction.atomic():
            request = locked(request)
            if not request.takes_objections:
                raise ValidationError("The time for objections is over.")
            objection = Objection.objects.create(request=request, user=actor, text=text[:MAX_TEXT])
            note_act(actor, "change_objected", request, objection=objection.pk)
            tell(
                request,
                OBJECTED,
                letters_of_changes.OBJECTED.letter(
                    letters_of_changes.OfChange(
                        named(request.registration),
                        request.registration.identifier,
                        changed(request.changes.all()),
                        text=objection.text,
                    )
                ),
                people=[*chairs_of(request.registration), request.requested_by],
                key=f"objection-{objection.pk}",
            )
    except IntegrityError as error:
        raise ValidationError("You have objected to this request already.") from error
    return objection
