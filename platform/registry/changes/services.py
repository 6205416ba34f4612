"""Acts on change requests: ask, withdraw, object, decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from audit.services import record
from designs.catalogue import shipped
from notifications.services import notify
from registry.changes.documents import applied, is_current, proposals
from registry.changes.hooks import operation_of, tell_of
from registry.changes.policy import Stage, gravest, policy, stage_of
from registry.changes.rules import chairs_of
from registry.decisions import decision_digest
from registry.models import (
    ChangeDecision,
    ChangeRequest,
    Objection,
    ProposedChange,
    Registration,
    RegistrationVersion,
)
from registry.queries import current_version
from registry.services import add_version

ASKED, DECIDED, OBJECTED = "change_requested", "change_decided", "change_objection"
MAX_TEXT = 4000
Outcome = ChangeDecision.Outcome


@dataclass(frozen=True)
class Wanted:
    """A parameter that the organizers want to change, with why and what it means for those who take part."""

    place: str
    reason: str
    effect: str


@dataclass(frozen=True)
class Verdict:
    """What a chair says about one proposed change."""

    approve: bool
    reason: str = ""


def request_change(
    *,
    actor: User,
    registration: Registration,
    wanted: Sequence[Wanted],
    note: str = "",
    wanted_on: date | None = None,
) -> ChangeRequest:
    """Ask to change parameters to what the working design holds; minor changes hold at once.

    Raises
    ------
    ValidationError
        Without a change, reason or effect; when another request is open; when the values are registered already.
    """
    try:
        with transaction.atomic():
            return _request(actor, registration, wanted, note, wanted_on)
    except IntegrityError as error:
        raise ValidationError("Another change request of this registration is open. It is decided first.") from error


def _request(
    actor: User, registration: Registration, wanted: Sequence[Wanted], note: str, wanted_on: date | None
) -> ChangeRequest:
    registration = Registration.objects.select_for_update().get(pk=registration.pk)
    if registration.is_ended:
        raise ValidationError(f"This registration was {registration.get_state_display()}; it does not change any more.")
    if registration.change_requests.filter(state=ChangeRequest.State.OPEN).exists():
        raise ValidationError("Another change request of this registration is open. It is decided first.")
    if not wanted:
        raise ValidationError("Choose at least one parameter that is to change.")
    base = current_version(registration)
    known = {proposal.place: proposal for proposal in proposals(registration, base)}
    operation = operation_of(registration)
    stage = stage_of(operation)
    chosen = []
    for entry in wanted:
        proposal = known.get(entry.place)
        if proposal is None:
            raise ValidationError(f"The working design holds the registered value of {entry.place}.")
        if not entry.reason.strip() or not entry.effect.strip():
            raise ValidationError(
                f"“{proposal.parameter.label}”: state the reason, and the effect on those who take part."
            )
        chosen.append((proposal, entry))
    change_class = gravest(proposal.parameter.change_class for proposal, _ in chosen)
    needed = policy(change_class, stage)
    now = timezone.now()
    request = ChangeRequest.objects.create(
        registration=registration,
        number=(registration.change_requests.aggregate(last=Max("number"))["last"] or 0) + 1,
        base=base,
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
            change_class=proposal.parameter.change_class,
            before=dict(proposal.before),
            after=dict(proposal.after),
            sealed=dict(proposal.sealed),
            reason=entry.reason.strip()[:MAX_TEXT],
            effect=entry.effect.strip()[:MAX_TEXT],
        )
        for proposal, entry in chosen
    )
    _record(
        actor,
        "change_requested",
        request,
        parameters=[proposal.place for proposal, _ in chosen],
        change_class=change_class,
        base=base.digest,
        stage=str(stage),
    )
    labels = _labels(proposal.parameter.id for proposal, _ in chosen)
    _tell(
        request,
        ASKED,
        f"Change of {registration.identifier} requested",
        f"The organizers ask for a {change_class} change: {labels}. {needed.words}",
        people=[*chairs_of(registration), *(_participants(request) if needed.tells_participants else [])],
    )
    if not needed.needs_chair:
        _settle(request, {change.pk: Verdict(approve=True) for change in request.changes.all()}, actor, stage)
    request.refresh_from_db()
    return request


@transaction.atomic
def withdraw_request(*, actor: User, request: ChangeRequest) -> ChangeRequest:
    """Take a request back before it is decided.

    Raises
    ------
    ValidationError
        When it is not open any more.
    """
    request = _locked(request)
    request.state = ChangeRequest.State.WITHDRAWN
    request.save(update_fields=["state"])
    _record(actor, "change_withdrawn", request)
    return request


def object_to(*, actor: User, request: ChangeRequest, text: str) -> Objection:
    """Object to a request as somebody who takes part.

    Raises
    ------
    ValidationError
        Without words, twice, or too late.
    """
    text = text.strip()
    if not text:
        raise ValidationError({"text": "Say what you have against the change."})
    try:
        with transaction.atomic():
            request = _locked(request)
            if not request.takes_objections:
                raise ValidationError("The time for objections is over.")
            objection = Objection.objects.create(request=request, user=actor, text=text[:MAX_TEXT])
            _record(actor, "change_objected", request, objection=objection.pk)
            _tell(
                request,
                OBJECTED,
                f"Objection to a change of {request.registration.identifier}",
                "Somebody who takes part objects to the requested change.",
                people=[*chairs_of(request.registration), request.requested_by],
                key=f"objection-{objection.pk}",
            )
    except IntegrityError as error:
        raise ValidationError("You have objected to this request already.") from error
    return objection


def decide(
    *,
    actor: User,
    request: ChangeRequest,
    verdicts: Mapping[int, Verdict],
    as_deviation: bool = False,
) -> ChangeRequest:
    """Decide about every change of a request; what is approved becomes the next version, which the challenge follows.

    Parameters
    ----------
    verdicts
        One for every proposed change, by its primary key.
    as_deviation
        Approve critical changes after the first test submission, marked for good.

    Raises
    ------
    ValidationError
        When somebody else decided, a verdict is missing, objections may still come, a critical change needs to be a
        deviation, or the new version cannot be executed. Nothing is stored then.
    """
    try:
        with transaction.atomic():
            request = _locked(request)
            stage = stage_of(operation_of(request.registration))
            _check(request, verdicts, stage, as_deviation=as_deviation)
            _settle(request, verdicts, actor, stage)
    except IntegrityError as error:
        raise ValidationError("Somebody else has decided about this request.") from error
    request.refresh_from_db()
    return request


def _check(request: ChangeRequest, verdicts: Mapping[int, Verdict], stage: Stage, *, as_deviation: bool) -> None:
    changes = list(request.changes.all())
    if {change.pk for change in changes} != set(verdicts):
        raise ValidationError("Decide about every parameter of the request.")
    for change in changes:
        verdict, label = verdicts[change.pk], shipped()[change.parameter].label
        needed = policy(change.change_class, stage)
        if not verdict.approve:
            if not verdict.reason.strip():
                raise ValidationError(f"“{label}”: say why it is refused.")
            continue
        if request.objections_until is not None and timezone.now() < request.objections_until:
            raise ValidationError(
                f"Those who take part can object until {request.objections_until:%-d %B %Y, %H:%M} UTC; "
                "nothing is approved before."
            )
        if needed.only_as_deviation and not as_deviation:
            raise ValidationError(
                f"“{label}”: submissions have arrived, so that a critical change is possible only as a deviation. "
                "It stays marked for good, and rankings are shown both ways."
            )
        if needed.only_as_deviation and not verdict.reason.strip():
            raise ValidationError(f"“{label}”: a deviation needs a reason; it stands beside the ranking.")


def _settle(request: ChangeRequest, verdicts: Mapping[int, Verdict], actor: User, stage: Stage) -> None:
    """Store the decisions; make the version of what is approved."""
    changes = list(request.changes.all())
    approved = [change for change in changes if verdicts[change.pk].approve]
    deviating = [change for change in approved if policy(change.change_class, stage).only_as_deviation]
    now = timezone.now()
    for change in changes:
        verdict = verdicts[change.pk]
        outcome = Outcome.REFUSED
        if verdict.approve:
            outcome = Outcome.DEVIATION if change in deviating else Outcome.APPROVED
        reason = verdict.reason.strip()[:MAX_TEXT]
        ChangeDecision.objects.create(
            change=change,
            outcome=outcome,
            reason=reason,
            decided_at=now,
            decided_by=actor,
        )
        _record(
            actor,
            "change_decided",
            request,
            parameter=change.place,
            outcome=str(outcome),
            digest=decision_digest(change, outcome, reason),
            change_class=change.change_class,
            stage=str(stage),
        )
    request.state = ChangeRequest.State.DECIDED
    version = _new_version(request, approved, verdicts, actor, is_deviation=bool(deviating)) if approved else None
    request.result = version
    request.save(update_fields=["state", "result"])
    if version is not None:
        tell_of(version, actor)
    _tell_outcome(request, approved, version, stage)


def _new_version(
    request: ChangeRequest,
    approved: Sequence[ProposedChange],
    verdicts: Mapping[int, Verdict],
    actor: User,
    *,
    is_deviation: bool,
) -> RegistrationVersion:
    registration = request.registration
    present = current_version(registration)
    if stale := [change for change in approved if not is_current(present, change)]:
        raise ValidationError(
            f"{_labels(change.parameter for change in stale)} changed in version {present.number}, after this request. "
            "Withdraw it and ask again."
        )
    document, sealed = applied(present, approved)
    level = gravest(change.change_class for change in approved)
    reasons = [f"{shipped()[change.parameter].label}: {_reason(change, verdicts)}" for change in approved]
    return add_version(
        registration=registration,
        actor=actor,
        level=level,
        note="\n".join([*([request.note] if request.note else []), *reasons]),
        changes=[
            {
                "task": change.task or None,
                "parameter": change.parameter,
                "class": change.change_class,
                "reason": change.reason,
                "effect": change.effect,
            }
            for change in approved
        ],
        document=document,
        sealed=sealed,
        is_late=level == "critical" and _is_late(registration),
        is_deviation=is_deviation,
    )


def _reason(change: ProposedChange, verdicts: Mapping[int, Verdict]) -> str:
    said = verdicts[change.pk].reason.strip()
    return f"{change.reason} ({said})" if said else change.reason


def _is_late(registration: Registration) -> bool:
    """Whether the last date for critical changes of the call has passed (REG-7)."""
    return registration.filing_id is not None and timezone.now() > registration.filing.call.critical_change_at


def _tell_outcome(
    request: ChangeRequest, approved: Sequence[ProposedChange], version: RegistrationVersion | None, stage: Stage
) -> None:
    registration = request.registration
    if version is None:
        text = "None of the requested changes was approved; the registration stays as it is."
    else:
        text = f"Version {version.number} holds since now: {_labels(change.parameter for change in approved)}."
        if version.is_deviation:
            text += (
                " It is a deviation that was decided after the first submission; it stays marked beside the rankings."
            )
    tells = policy(request.change_class, stage).tells_participants
    _tell(
        request,
        DECIDED,
        f"Change of {registration.identifier} decided",
        text,
        people=[*chairs_of(registration), request.requested_by, *(_participants(request) if tells else [])],
    )


def _participants(request: ChangeRequest) -> list[User]:
    operation = operation_of(request.registration)
    return list(User.objects.filter(pk__in=operation.participants)) if operation else []


def _tell(request: ChangeRequest, kind: str, subject: str, text: str, *, people: list[Any], key: str = "") -> None:
    notify(
        people=people,
        kind=kind,
        subject=subject,
        text=text,
        address=request.get_absolute_url(),
        scope=request.registration.identifier,
        key=key or f"{kind}-{request.pk}",
    )


def _locked(request: ChangeRequest) -> ChangeRequest:
    request = ChangeRequest.objects.select_for_update(of=("self",)).select_related("registration").get(pk=request.pk)
    if not request.is_open:
        raise ValidationError(f"This request is {request.get_state_display()} already.")
    return request


def _record(actor: User, act: str, request: ChangeRequest, **facts: Any) -> None:
    record(
        actor=actor,
        act=act,
        subject=request,
        scope=request.registration.identifier,
        facts={"registration": request.registration.identifier, "number": request.number, **facts},
    )


def _labels(parameters: Any) -> str:
    return ", ".join(dict.fromkeys(f"“{shipped()[parameter].label}”" for parameter in parameters))
