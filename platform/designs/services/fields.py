"""Saving one field: checked, counted, kept in the history, and merged by field when two people write at once."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from core.audit.services import record
from designs.models import Design, DesignTask, FieldChange, FieldValue, OpenedEmbargo
from designs.services.links import enqueue_link_check
from evaluation.canonical import sha256
from evaluation.designs.catalogue import Parameter, shipped
from evaluation.designs.document import Entry, State, UnfitValueError, clean, is_empty
from evaluation.designs.document.dates import read_date
from evaluation.designs.document.sealing import commitment, new_nonce
from evaluation.designs.starting_points import starting_point

MAX_DETAILS = 10_000


@dataclass(frozen=True)
class Saved:
    """Result of a save; `changed` is False if the same value was already stored."""

    field: FieldValue
    changed: bool


class Conflict(Exception):  # noqa: N818 (it is a state to be shown, not a failure)
    """Conflict with another person's save of this field.

    `theirs` is the stored value, `base` the value that the writer saw, and `mine` the value that the writer entered.
    """

    def __init__(self, *, field: FieldValue, theirs: Entry, mine: Entry, base: Entry | None) -> None:
        self.field, self.theirs, self.mine, self.base = field, theirs, mine, base
        super().__init__(f"{field.parameter} has been changed by another person.")


def save_field(
    *,
    actor: User | None,
    design: Design,
    parameter: str,
    task: DesignTask | None = None,
    value: Any = None,
    details: str = "",
    state: State | str | None = None,
    reason: str = "",
    until: str = "",
    event: str = "",
    revision: int | None = None,
) -> Saved:
    """Store the value of a field, and its history.

    Parameters
    ----------
    state
        If omitted, it follows from the value: provided, or blank.
    revision
        Revision of the field that the writer saw; ``None`` overwrites the stored value in any case.

    Raises
    ------
    ValidationError
        When the value, the state or the location does not fit; keys are ``value``, ``reason``, ``until``, ``event``.
    Conflict
        When the field has been saved since `revision` with another content. Nothing is stored.
    """
    definition = _parameter(design, parameter, task)
    mine = entry_of(definition, value=value, details=details, state=state, reason=reason, until=until, event=event)
    try:
        with transaction.atomic():
            return _store(definition, mine, actor=actor, design=design, task=task, revision=revision)
    except IntegrityError:
        # Another person made the row between our look and our insert: now it is there, so the second try compares.
        with transaction.atomic():
            return _store(definition, mine, actor=actor, design=design, task=task, revision=revision)


def entry_of(
    parameter: Parameter,
    *,
    value: Any = None,
    details: str = "",
    state: State | str | None = None,
    reason: str = "",
    until: str = "",
    event: str = "",
) -> Entry:
    """Check what was entered and return it as an entry in canonical form.

    Raises
    ------
    ValidationError
        Names what is wrong under the key of the part that is.
    """
    try:
        cleaned = clean(parameter, value)
    except UnfitValueError as problem:
        raise ValidationError({"value": str(problem)}) from problem
    details = details.replace("\r\n", "\n").replace("\x00", "").strip()
    if len(details) > MAX_DETAILS:
        raise ValidationError({"value": f"At most {MAX_DETAILS:,} characters of details."})
    try:
        kind = State(state) if state else State.PROVIDED
    except ValueError as error:
        raise ValidationError({"value": f"{state} is no state of a field."}) from error
    if kind in (State.PROVIDED, State.BLANK):
        return Entry(cleaned, details, State.BLANK if is_empty(cleaned) else State.PROVIDED)
    if parameter.never_absent and kind is not State.EMBARGOED:
        raise ValidationError({"value": f"{parameter.label} cannot be left out: the design does not work without it."})
    if kind is State.NOT_APPLICABLE:
        if not reason.strip():
            raise ValidationError({"reason": "Say why it does not apply."})
        return Entry(None, details, kind, reason=reason.strip())
    if kind is State.FOLLOWS:
        try:
            day = date.fromisoformat(read_date(until))
        except ValueError as error:
            raise ValidationError({"until": "Give the day by which it follows, as in 31 March 2026."}) from error
        return Entry(None, details, kind, until=day.isoformat(), reason=reason.strip())
    if kind is State.EMBARGOED:
        if is_empty(cleaned):
            raise ValidationError({"value": "An embargo needs the value that is withheld; only its digest is public."})
        if not event.strip():
            raise ValidationError({"event": "Say which event ends the embargo."})
        return Entry(cleaned, details, kind, event=event.strip()[:120])
    return Entry(None, details, kind)


def as_json(entry: Entry) -> dict[str, Any]:
    """An entry as the history keeps it."""
    return {"value": entry.value, "details": entry.details, **entry.as_state()}


def from_history(data: dict[str, Any]) -> Entry:
    """An entry from the history."""
    return Entry(
        value=data.get("value"),
        details=data.get("details", ""),
        state=State(data["state"]),
        reason=data.get("reason", ""),
        until=data.get("until", ""),
        event=data.get("event", ""),
        digest=data.get("digest", ""),
    )


def _parameter(design: Design, identity: str, task: DesignTask | None) -> Parameter:
    parameter = shipped().parameters.get(identity)
    if parameter is None:
        raise ValidationError({"value": f"There is no parameter {identity}."})
    if task is not None and (task.design_id != design.pk or task.removed_at is not None):
        raise ValidationError({"value": "There is no such task in this design."})
    if parameter.is_task and task is None:
        raise ValidationError({"value": f"{parameter.label} is stated for each task."})
    if not parameter.is_task and task is not None and not parameter.overridable_per_task:
        raise ValidationError({"value": f"{parameter.label} is stated once for the whole challenge."})
    return parameter


def _store(
    parameter: Parameter,
    mine: Entry,
    *,
    actor: User | None,
    design: Design,
    task: DesignTask | None,
    revision: int | None,
) -> Saved:
    stored = FieldValue.objects.select_for_update(no_key=True).filter(
        design=design, task=task, parameter=parameter.id
    ).first() or FieldValue(design=design, task=task, parameter=parameter.id)
    theirs = stored.entry
    if replace(theirs, digest="") == mine:
        return Saved(stored, changed=False)
    if revision is not None and revision != stored.revision:
        seen = FieldChange.objects.filter(design=design, task=task, parameter=parameter.id, revision=revision).first()
        base = from_history(seen.after) if seen else None
        raise Conflict(field=stored, theirs=theirs, mine=mine, base=base)
    if mine.state is State.EMBARGOED:
        same = theirs.state is State.EMBARGOED and theirs.value == mine.value
        stored.nonce = stored.nonce if same else new_nonce()
        mine = replace(mine, digest=commitment(mine.value, stored.nonce))
    else:
        if theirs.state is State.EMBARGOED and mine.state is State.PROVIDED and mine.value == theirs.value:
            _keep_proof(stored)
        stored.nonce = ""
    stored.value, stored.details, stored.state = mine.value, mine.details, str(mine.state)
    stored.reason, stored.event, stored.digest = mine.reason, mine.event, mine.digest
    stored.until = date.fromisoformat(mine.until) if mine.until else None
    stored.revision += 1
    stored.updated_at, stored.updated_by = timezone.now(), actor
    stored.save()
    FieldChange.objects.create(
        design=design,
        task=task,
        parameter=parameter.id,
        revision=stored.revision,
        actor=actor,
        time=stored.updated_at,
        before=as_json(theirs),
        after=as_json(mine),
    )
    Design.objects.filter(pk=design.pk).update(changed_at=stored.updated_at)
    record(
        actor=actor,
        act="design_field_saved",
        subject=design,
        scope=design.slug,
        facts={
            "parameter": parameter.id,
            "task": task.key if task else None,
            "revision": stored.revision,
            "state": stored.state,
            # The log is read by many; of an embargoed value it may hold the salted commitment only.
            "digest": mine.digest or sha256(as_json(mine)),
        },
    )
    if parameter.type == "url":
        enqueue_link_check(design)
    return Saved(stored, changed=True)


def _keep_proof(stored: FieldValue) -> None:
    """Keep nonce and digest of an embargo that ends with the value that was promised."""
    promised = (
        FieldChange.objects.filter(
            design=stored.design, task=stored.task, parameter=stored.parameter, after__digest=stored.digest
        )
        .order_by("time")
        .first()
    )
    OpenedEmbargo.objects.get_or_create(
        design=stored.design,
        digest=stored.digest,
        defaults={
            "task": stored.task,
            "parameter": stored.parameter,
            "nonce": stored.nonce,
            "value": stored.value,
            "event": stored.event,
            "promised_at": promised.time if promised else stored.updated_at,
        },
    )


@transaction.atomic
def start_from_scheme(*, actor: User, task: DesignTask, scheme: str) -> None:
    """Save the values of a published scheme in a task, and in the challenge where the scheme covers tasks.

    Previous values remain in the history of the fields.

    Raises
    ------
    ValidationError
        When the scheme does not exist.
    """
    try:
        point = starting_point(scheme)
    except LookupError as error:
        raise ValidationError("There is no such published scheme.") from error
    for parameter, value in point.task.items():
        save_field(actor=actor, design=task.design, parameter=parameter, task=task, value=value)
    for parameter, value in point.challenge.items():
        save_field(actor=actor, design=task.design, parameter=parameter, value=value)
