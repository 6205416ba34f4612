"""Actions of organizers on tables of values measured outside: add, confirm columns, seal, discard."""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from challenges.models import Phase, Team
from core.audit.services import record
from core.work.services import ask
from datastore.uploads.storage import store_bytes
from evaluation.importing import SheetLimits
from submissions.measurements.models import Measurement
from submissions.measurements.queries import MEASUREMENTS, refusal_of, refusal_of_new_teams

State = Measurement.State


class Sent(NamedTuple):
    """Uploaded file: its name and its bytes."""

    name: str
    content: bytes


@transaction.atomic
def bring_table(
    *,
    actor: User,
    phase: Phase,
    file_name: str,
    content: bytes,
    replicates: Sent | None = None,
    kind: str = Measurement.Kind.VALUES,
    team: Team | None = None,
    makes_teams: bool = False,
    origin: Mapping[str, str] | None = None,
) -> Measurement:
    """Store a table and queue it for reading; nothing counts before it is sealed.

    Parameters
    ----------
    replicates
        The table of replicates that belongs to it, for values of the whole data set.
    origin
        Who measured (``by``), ``with`` what and ``when``; required for values.

    Raises
    ------
    ValidationError
        When the phase does not accept such a table now, the table is too large, or its origin is missing.
        Also when it would create teams that the rules of participation do not permit.
    """
    phase = (
        Phase.objects.select_for_update(of=("self",), no_key=True).select_related("task__challenge").get(pk=phase.pk)
    )
    if refusal := refusal_of(phase, kind):
        raise ValidationError(refusal)
    for sent in filter(None, (Sent(file_name, content), replicates)):
        if len(sent.content) > SheetLimits().file_bytes:
            read = SheetLimits().file_bytes
            raise ValidationError(f"{sent.name} has {len(sent.content):,} bytes; at most {read:,} are read.")
    stated_origin = {key: (origin or {}).get(key, "").strip() for key in ("by", "with", "when")}
    if kind == Measurement.Kind.VALUES and not all(stated_origin.values()):
        raise ValidationError("Say who measured, with what, and when.")
    if makes_teams and (refusal := refusal_of_new_teams(phase)):
        raise ValidationError(refusal)
    table = Measurement(
        phase=phase,
        kind=kind,
        team=team,
        makes_teams=makes_teams and team is None,
        file_name=file_name[:120],
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        measured_by=stated_origin["by"],
        measured_with=stated_origin["with"],
        measured_when=stated_origin["when"],
        brought_by=actor,
    )
    table.stored = f"{folder_of(table)}/table"
    store_bytes(table.stored, content)
    if replicates is not None:
        table.replicates_name, table.replicates_size = replicates.name[:120], len(replicates.content)
        table.replicates_sha256 = hashlib.sha256(replicates.content).hexdigest()
        table.replicates_stored = f"{folder_of(table)}/replicates"
        store_bytes(table.replicates_stored, replicates.content)
    table.save()
    _record(actor, "measurements_brought", table)
    ask(MEASUREMENTS, table)
    return table


@transaction.atomic
def confirm_columns(*, actor: User, table: Measurement, roles: Mapping[str, str]) -> None:
    """Queue a table for reading again with the confirmed roles of its columns.

    Raises
    ------
    ValidationError
        When the table does not await a decision.
    """
    row = _waiting(table)
    row.roles, row.state, row.preview, row.attempts = dict(roles), State.READING, {}, 0
    row.save()
    _record(actor, "measurements_columns_confirmed", row)
    ask(MEASUREMENTS, row)


@transaction.atomic
def seal(*, actor: User, table: Measurement) -> None:
    """Queue the previewed values for storage and ranking.

    Raises
    ------
    ValidationError
        When the table does not await a decision, or has problems.
    """
    row = _waiting(table)
    if not row.may_be_sealed:
        raise ValidationError(
            "As long as there are problems, the table cannot be sealed. Correct it and bring it again."
        )
    row.state, row.sealed_by, row.attempts = State.SEALING, actor, 0
    row.save()
    _record(actor, "measurements_accepted", row)
    ask(MEASUREMENTS, row)


@transaction.atomic
def discard(*, actor: User, table: Measurement) -> None:
    """Let a table go that was not sealed; the file is kept with the log.

    Raises
    ------
    ValidationError
        When it was sealed, or is being worked on.
    """
    row = Measurement.objects.select_for_update(no_key=True).get(pk=table.pk)
    if row.state not in (State.ASKING, State.REFUSED, State.FAILED):
        raise ValidationError(f"It cannot be discarded: it is {row.get_state_display()}.")
    row.state = State.DISCARDED
    row.save()
    _record(actor, "measurements_discarded", row)


def _waiting(table: Measurement) -> Measurement:
    row = Measurement.objects.select_for_update(no_key=True).get(pk=table.pk)
    if row.state != State.ASKING:
        raise ValidationError(f"It waits for no decision: it is {row.get_state_display()}.")
    return row


def _record(actor: User, act: str, table: Measurement) -> None:
    facts = {"phase": table.phase.name, "kind": table.kind, "file_sha256": table.sha256, "bytes": table.size}
    if table.replicates_sha256:
        facts |= {"replicates_sha256": table.replicates_sha256, "replicates_bytes": table.replicates_size}
    record(actor=actor, act=act, subject=table, scope=table.challenge.slug, facts=facts)


def folder_of(table: Measurement) -> str:
    """Return the folder of a table's files in the private storage."""
    return f"measurements/{table.key}"
