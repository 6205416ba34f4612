"""Deciding about a change request: every parameter once, and the version that follows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from accounts.notifications.domain import letters_of_changes
from registry.changes.hooks import DeadlineMove, tell_of
from registry.changes.models import ChangeClass, ChangeDecision, ChangeRequest, ProposedChange
from registry.changes.queries.digests import decision_digest
from registry.changes.queries.documents import applied, is_current, parameter_of
from registry.changes.queries.policy import level_of, policy, stage_of
from registry.changes.queries.severity import Severity, needed_for, severity_of
from registry.changes.rules import chairs_of
from registry.changes.services.telling import (
    DECIDED,
    MAX_TEXT,
    changed,
    labels,
    locked,
    named,
    note_act,
    participants,
    tell,
)
from registry.hooks import Operation, operation_of
from registry.models import Registration, RegistrationVersion
from registry.queries import current_version
from registry.services import add_version

Outcome = ChangeDecision.Outcome


@dataclass(frozen=True)
class Verdict:
    """Verdict of a chair about one proposed change."""

    approve: bool
    reason: str = ""


def decide(
    *,
    actor: User,
    request: ChangeRequest,
    verdicts: Mapping[int, Verdict],
    as_deviation: bool = False,
) -> ChangeRequest:
    """Decide about every change of a request and create the next version from the approved changes.

    The challenge follows that version.

    Parameters
    ----------
    verdicts
        One verdict per proposed change, by its primary key.
    as_deviation
        True to approve critical changes after the first test submission, marked permanently.

    Raises
    ------
    ValidationError
        If another person has already decided, a verdict is missing, objections are still possible, a critical
        change must be a deviation, or the new version cannot be executed. Nothing is stored in these cases.
    """
    try:
        with transaction.atomic():
            request = locked(request)
            operation = operation_of(request.registration)
            _check(request, verdicts, operation, as_deviation=as_deviation)
            settle(request, verdicts, actor, operation)
    except IntegrityError as error:
        raise ValidationError("Another person has already decided this request.") from error
    request.refresh_from_db()
    return request


def _check(
    request: ChangeRequest, verdicts: Mapping[int, Verdict], operation: Operation | None, *, as_deviation: bool
) -> None:
    changes = list(request.changes.all())
    if {change.pk for change in changes} != set(verdicts):
        raise ValidationError("Decide about every parameter of the request.")
    for change in changes:
        verdict, label = verdicts[change.pk], parameter_of(change.parameter).label
        severity = severity_of(request.base, operation, change)
        needed = needed_for(change, severity, operation)
        if not verdict.approve:
            if not verdict.reason.strip():
                raise ValidationError(f"“{label}”: say why it is refused.")
            continue
        if change.change_class == ChangeClass.REPAIR and severity.change_class != ChangeClass.REPAIR:
            raise ValidationError(
                f"“{label}”: a submission has been accepted since the request. Refuse the change; the organizers can "
                "request it again, as a critical change."
            )
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
            raise ValidationError(f"“{label}”: a deviation needs a reason. It is shown next to the ranking.")


def settle(request: ChangeRequest, verdicts: Mapping[int, Verdict], actor: User, operation: Operation | None) -> None:
    """Store the decisions; make the version of what is approved."""
    changes = list(request.changes.all())
    severities = {change.pk: severity_of(request.base, operation, change) for change in changes}
    approved = [change for change in changes if verdicts[change.pk].approve]
    deviating = [
        change for change in approved if needed_for(change, severities[change.pk], operation).only_as_deviation
    ]
    stage = stage_of(operation)
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
        note_act(
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
    version = _new_version(request, approved, verdicts, actor, severities, deviating) if approved else None
    request.result = version
    request.save(update_fields=["state", "result"])
    if version is not None:
        tell_of(version, actor)
    moves = [move for change in approved for move in severities[change.pk].moves]
    _tell_outcome(request, approved, version, operation, moves)


def _new_version(
    request: ChangeRequest,
    approved: Sequence[ProposedChange],
    verdicts: Mapping[int, Verdict],
    actor: User,
    severities: Mapping[int, Severity],
    deviating: Sequence[ProposedChange],
) -> RegistrationVersion:
    registration = request.registration
    present = current_version(registration)
    if stale := [change for change in approved if not is_current(present, change)]:
        raise ValidationError(
            f"{labels(change.parameter for change in stale)} changed in version {present.number}, after this request. "
            "Withdraw it and ask again."
        )
    document, sealed = applied(present, approved)
    if not document["tasks"]:
        raise ValidationError("A registration has at least one task.")
    level = level_of(change.change_class for change in approved)
    reasons = [f"{parameter_of(change.parameter).label}: {_reason(change, verdicts)}" for change in approved]
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
                "deviation": change in deviating,
                **_concerned_tasks(change, severities[change.pk]),
            }
            for change in approved
        ],
        document=document,
        sealed=sealed,
        is_late=level == "critical" and _is_late(registration),
        is_deviation=bool(deviating),
    )


def _concerned_tasks(change: ProposedChange, severity: Severity) -> dict[str, list[str]]:
    """The tasks that a change of the challenge concerns, where these are not all of them."""
    return {} if change.task or severity.tasks is None else {"tasks": sorted(severity.tasks)}


def _reason(change: ProposedChange, verdicts: Mapping[int, Verdict]) -> str:
    verdict_reason = verdicts[change.pk].reason.strip()
    return f"{change.reason} ({verdict_reason})" if verdict_reason else change.reason


def _is_late(registration: Registration) -> bool:
    """Return whether the last date for critical changes of the call has passed (REG-7)."""
    return registration.filing is not None and timezone.now() > registration.filing.call.critical_change_at


def _tell_outcome(
    request: ChangeRequest,
    approved: Sequence[ProposedChange],
    version: RegistrationVersion | None,
    operation: Operation | None,
    moves: Sequence[DeadlineMove],
) -> None:
    registration = request.registration
    act = letters_of_changes.EXTENDED if request.change_class == ChangeClass.EXTENSION else letters_of_changes.DECIDED
    letter = act.letter(
        letters_of_changes.OfChange(
            named(registration),
            registration.identifier,
            changed(approved),
            moves=[move.words for move in moves],
            text="\n".join(dict.fromkeys(change.reason for change in approved)),
            refused=changed(change for change in request.changes.all() if change not in approved),
            version=str(version.number) if version else None,
            is_deviation=version is not None and version.is_deviation,
        )
    )
    tells = policy(request.change_class, stage_of(operation)).tells_participants
    tell(
        request,
        DECIDED,
        letter,
        people=[*chairs_of(registration), request.requested_by, *(participants(request) if tells else [])],
    )
