"""Acts on brought tables: bring, answer, share, keep, delete."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from core.audit.services import record
from core.work.services import ask
from datastore.uploads.storage import delete as delete_stored
from datastore.uploads.storage import store_bytes
from leaderboards.workbench.models import BroughtTable, end_of_keeping
from leaderboards.workbench.queries import BROUGHT_TABLES, expired, refusal_to

State = BroughtTable.State


@transaction.atomic
def bring_table(*, actor: User, title: str, file_name: str, content: bytes) -> BroughtTable:
    """Store a table and request that it is read.

    Raises
    ------
    ValidationError
        When the person has reached a limit on the number of tables.
    """
    # The lock makes two requests at once count each other.
    User.objects.select_for_update(no_key=True).get(pk=actor.pk)
    if refusal := refusal_to(actor):
        raise ValidationError(refusal)
    table = BroughtTable(owner=actor, title=title, file_name=file_name)
    table.stored = f"{folder_of(table)}/table"
    store_bytes(table.stored, content)
    table.save()
    record(actor=actor, act="table_brought", subject=table, facts={"bytes": len(content)})
    ask(BROUGHT_TABLES, table)
    return table


@transaction.atomic
def confirm_columns(*, actor: User, table: BroughtTable, roles: Mapping[str, str]) -> None:
    """Request that a table is read again with the column roles that its owner confirmed."""
    row = _waiting(table)
    row.roles, row.state, row.refusal, row.attempts = dict(roles), State.READING, "", 0
    row.save()
    record(actor=actor, act="table_columns_confirmed", subject=row)
    ask(BROUGHT_TABLES, row)


@transaction.atomic
def start_analysis(
    *, actor: User, table: BroughtTable, roles: Mapping[str, str], choices: Sequence[Mapping[str, Any]]
) -> None:
    """Have a table analysed as its owner answered."""
    row = _waiting(table)
    row.roles, row.choices, row.state, row.refusal, row.attempts = dict(roles), list(choices), State.COMPUTING, "", 0
    row.save()
    record(actor=actor, act="table_analysis_started", subject=row)
    ask(BROUGHT_TABLES, row)


def _waiting(table: BroughtTable) -> BroughtTable:
    row = BroughtTable.objects.select_for_update(no_key=True).get(pk=table.pk)
    if row.is_under_way or row.is_done:
        raise ValidationError("This table is being analysed, or has been. Bring it again to answer differently.")
    return row


@transaction.atomic
def share(*, actor: User, table: BroughtTable, is_shared: bool) -> None:
    """Let anyone with the address read the table, or only its owner."""
    BroughtTable.objects.filter(pk=table.pk).update(is_shared=is_shared)
    record(actor=actor, act="table_shared" if is_shared else "table_unshared", subject=table)


@transaction.atomic
def keep(*, actor: User, table: BroughtTable, is_kept: bool) -> None:
    """Keep it until it is deleted, or only for the usual time from now on."""
    BroughtTable.objects.filter(pk=table.pk).update(is_kept=is_kept, expires_at=end_of_keeping())
    record(actor=actor, act="table_kept" if is_kept else "table_not_kept", subject=table)


@transaction.atomic
def delete_table(*, actor: User | None, table: BroughtTable) -> None:
    """Delete a table with everything that was made of it."""
    record(actor=actor, act="table_deleted", subject=table)
    names = [table.stored, *table.files.values(), *(n for drawn in table.figures.values() for n in drawn.values())]
    table.delete()
    for name in names:
        transaction.on_commit(partial(delete_stored, name))


def delete_expired() -> int:
    """Delete tables that have expired and are not kept; return the number deleted."""
    rows = list(expired())
    for row in rows:
        delete_table(actor=None, table=row)
    return len(rows)


def folder_of(table: BroughtTable) -> str:
    """Return the folder of a table's files in the private storage."""
    return f"brought_tables/{table.key}"
