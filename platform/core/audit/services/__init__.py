"""Write to the chain and verify it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils import timezone

from core.audit import hooks
from core.audit.domain.values import field_digest
from core.audit.models import Entry, Head
from core.audit.transactions import note_entry

GENESIS = "0" * 64
VALUES = "values"
"""The fact of an entry that contains digests of values which its act wrote; see `values_of`."""


def record(
    *, actor: Model | None, act: str, subject: Model, scope: str = "", facts: Mapping[str, Any] | None = None
) -> Entry:
    """Append one act to the chain, inside the transaction of the act itself.

    Parameters
    ----------
    actor
        The user, or None for the system.
    act
        Name of the act in the past tense, for example ``"submission_scored"``.
    subject
        The object acted on.
    scope
        Slug of the challenge it belongs to, if any.
    facts
        JSON-serialisable details. Never reference data, never another person's private data.

    Raises
    ------
    RuntimeError
        When called outside a transaction: the act and its entry have to be stored together or not at all.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("An audit entry is written in the transaction of its act.")
    head = _locked_head()
    entry = Entry(
        sequence=head.sequence + 1,
        time=timezone.now(),
        actor_id=actor.pk if actor is not None else None,
        act=act,
        subject_type=subject._meta.label_lower,  # noqa: SLF001 (Django's public way to name a model)
        subject_id=str(subject.pk),
        scope=scope,
        facts=json.loads(json.dumps(facts or {})),
        previous=head.digest,
    )
    entry.digest = digest(entry)
    entry.save(force_insert=True)
    head.sequence, head.digest = entry.sequence, entry.digest
    head.save()
    note_entry(transaction.get_connection(), entry.pk)
    return entry


def values_of(*rows: Model, fields: Sequence[str] = ()) -> dict[str, dict[str, str]]:
    """Return digests of the stored values of rows, as the fact `VALUES` of the entry of their act.

    The verification compares the rows with the digests that declared acts left (`hooks.attest`). The values must not be
    short and confidential, because readers of the audit log can guess them.

    Parameters
    ----------
    fields
        Names of columns; without any, those that `hooks.attest` declares.
    """
    facts = {}
    for row in rows:
        label = row._meta.label_lower  # noqa: SLF001
        columns = tuple(fields) or hooks.attested_columns(label)
        stored = QuerySet(type(row)).filter(pk=row.pk).values_list(*columns).get()
        facts[f"{label} {row.pk}"] = {
            column: field_digest(label, str(row.pk), column, value)
            for column, value in zip(columns, stored, strict=True)
        }
    return facts


def hold_chain() -> None:
    """Take the lock of the chain before a lock that other acts take after their entry.

    Acts that take the two in different orders would wait for each other until the database ends one of them.
    """
    _locked_head()


def _locked_head() -> Head:
    head = Head.objects.select_for_update(no_key=True).filter(pk=1).first()
    if head is None:
        Head.objects.get_or_create(pk=1)
        head = Head.objects.select_for_update(no_key=True).get(pk=1)
    return head


def content(entry: Entry) -> dict[str, Any]:
    """Return the content of an entry, including the previous digest, as JSON values."""
    return {
        "sequence": entry.sequence,
        "time": entry.time.isoformat(),
        "actor": entry.actor_id,
        "act": entry.act,
        "subject": [entry.subject_type, entry.subject_id],
        "scope": entry.scope,
        "facts": entry.facts,
        "previous": entry.previous,
    }


def digest(entry: Entry) -> str:
    """SHA-256 over the canonical JSON of everything in the entry and the digest before it."""
    text = json.dumps(content(entry), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def broken_links() -> list[int]:
    """Sequence numbers at which the chain is broken: changed content, a gap, or a cut-off end.

    The end is read first. Entries that are added during the check come after it, and no other process must wait.
    """
    broken = []
    previous, expected = GENESIS, 1
    head = Head.objects.filter(pk=1).first()
    for entry in Entry.objects.order_by("sequence").iterator():
        other_end = head is not None and entry.sequence == head.sequence and entry.digest != head.digest
        if entry.sequence != expected or entry.previous != previous or digest(entry) != entry.digest or other_end:
            broken.append(entry.sequence)
        previous, expected = entry.digest, entry.sequence + 1
    if head is not None and expected <= head.sequence:
        broken.append(expected)
    return broken
