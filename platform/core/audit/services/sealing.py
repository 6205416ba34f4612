"""Add digests of written rows to the chain of sealings, and adopt rows that were there before."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from django.apps import apps
from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils import timezone

from core.audit import hooks
from core.audit.domain.values import LENGTH, row_digest
from core.audit.models import Entry, Sealing, SealingHead
from core.audit.services import GENESIS, VALUES, record, values_of
from core.audit.transactions import Written

PIECE = 500
"""Rows that one sealing covers at most."""
ADOPTED: Final = "adopted as found on"
"""Beginning of the origin of sealings that adopt columns."""
MIGRATION: Final = "records_migrated"
"""The act that seals what migrations wrote."""
Part = dict[str, Any]


def seal(written: Written, origin: str) -> None:
    """Seal what a transaction wrote, as its last statement.

    The lock of this chain is taken after all others and kept until the commit that follows, so transactions cannot
    wait for each other in a circle.

    Parameters
    ----------
    origin
        The request, task or command; empty where an act was called from elsewhere.
    """
    entry = None
    if written.entries:
        # The last one that remains: a savepoint may have taken an entry back.
        noted = Entry.objects.only("sequence", "digest", "act").filter(pk__in=written.entries)
        entry = noted.order_by("sequence").last()
    parts = list(_parts(written))
    if parts:
        for piece in _pieces(parts):
            append(origin or f"act {entry.act if entry else ''}", piece, entry=entry)


def append(
    origin: str, parts: Sequence[Part], *, entry: Entry | None = None, adopts: Mapping[str, Sequence[str]] | None = None
) -> Sealing:
    """Append one sealing to the chain."""
    head = SealingHead.objects.select_for_update(no_key=True).filter(pk=1).first()
    if head is None:
        SealingHead.objects.get_or_create(pk=1)
        head = SealingHead.objects.select_for_update(no_key=True).get(pk=1)
    sealing = Sealing(
        sequence=head.sequence + 1,
        time=timezone.now(),
        origin=origin[:200],
        entry=entry,
        rows=list(parts),
        adopts={label: list(columns) for label, columns in (adopts or {}).items()},
        previous=head.digest,
    )
    sealing.digest = digest(sealing)
    sealing.save(force_insert=True)
    SealingHead.objects.filter(pk=1).update(sequence=sealing.sequence, digest=sealing.digest)
    return sealing


def digest(sealing: Sealing) -> str:
    """Return the SHA-256 of everything in a sealing, its entry's digest and the digest before it included."""
    entry = sealing.entry
    content = {
        "sequence": sealing.sequence,
        "time": sealing.time.isoformat(),
        "origin": sealing.origin,
        "entry": [entry.sequence, entry.digest] if entry else None,
        "rows": sealing.rows,
        "adopts": sealing.adopts,
        "previous": sealing.previous,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def part(model: type[Model], columns: Sequence[str], rows: Mapping[str, str | None]) -> Part:
    """Return digests of several rows with the same columns, as a sealing stores them."""
    return {"model": model._meta.label_lower, "columns": list(columns), "rows": dict(rows)}  # noqa: SLF001


def digests_of(
    model: type[Model], columns: Sequence[str], rows: QuerySet[Any], *, in_pieces: bool = True
) -> Iterator[tuple[str, str]]:
    """Yield the key and the digests of each row as it is in the database now.

    Parameters
    ----------
    in_pieces
        Read the rows piece by piece; without it one query reads all, which PostgreSQL answers in fewer round trips.
    """
    label = model._meta.label_lower  # noqa: SLF001
    selected = rows.order_by().values_list("pk", *columns)
    for key, *values in selected.iterator(PIECE) if in_pieces else selected:
        yield str(key), row_digest(label, str(key), columns, values)


def all_rows(model: type[Model]) -> QuerySet[Any]:
    """Return all rows of a model, including those that its managers exclude."""
    return QuerySet(model)


def _parts(written: Written) -> Iterator[Part]:
    for label, rows in written.rows.items():
        model, columns = apps.get_model(label), hooks.sealed_fields(label)
        by_columns: dict[tuple[str, ...], list[Any]] = defaultdict(list)
        for key, touched in rows.items():
            by_columns[tuple(column for column in columns if touched and column in touched)].append(key)
        for touched_columns, keys in by_columns.items():
            for piece in _chunks(keys):
                before = {str(key): rows[key] or {} for key in piece}
                yield from _changed(model, touched_columns, _sealed(model, touched_columns, piece), before)


def _changed(
    model: type[Model], columns: Sequence[str], rows: Mapping[str, str | None], before: Mapping[str, Mapping[str, Any]]
) -> Iterator[Part]:
    """Yield digests of the inserted and changed values.

    A value that is as it was is not sealed again: if it had been changed without the platform, it remains reported. Of a
    changed value, the part contains the digest before as well, which the verification compares with its last seal.
    """
    parts: dict[tuple[tuple[str, ...], bool], Part] = {}

    def add(key: str, names: tuple[str, ...], now: str | None, previous: str | None) -> None:
        is_update = previous is not None
        target = parts.setdefault((names, is_update), part(model, names, {}) | ({"before": {}} if is_update else {}))
        target["rows"][key] = now
        if is_update:
            target["before"][key] = previous

    for key, digests in rows.items():
        if digests is None:
            add(key, (), None, None)
            continue
        now = {name: digests[index * LENGTH : (index + 1) * LENGTH] for index, name in enumerate(columns)}
        inserted = tuple(name for name in columns if before[key][name] is None)
        changed = tuple(name for name in columns if before[key][name] not in (None, now[name]))
        if inserted:
            add(key, inserted, "".join(now[name] for name in inserted), None)
        if changed:
            add(key, changed, "".join(now[name] for name in changed), "".join(before[key][name] for name in changed))
    yield from parts.values()


def _sealed(model: type[Model], columns: Sequence[str], keys: Sequence[Any]) -> dict[str, str | None]:
    """Digests by key; None for rows that are deleted."""
    rows: dict[str, str | None] = dict.fromkeys(map(str, keys))
    if columns:
        rows.update(digests_of(model, columns, all_rows(model).filter(pk__in=keys), in_pieces=False))
    return rows


def _pieces(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """Group parts so that a sealing covers about `PIECE` rows at most."""
    piece: list[Part] = []
    size = 0
    for item in parts:
        if piece and size + len(item["rows"]) > PIECE:
            yield piece
            piece, size = [], 0
        piece.append(item)
        size += len(item["rows"])
    if piece:
        yield piece


def _chunks(keys: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(keys)
    while chunk := list(islice(rest, PIECE)):
        yield chunk


def adopted() -> dict[str, set[str]]:
    """Return the columns that are sealed since some moment, by label of the model."""
    columns_by_label: dict[str, set[str]] = defaultdict(set)
    for columns_by_model in Sealing.objects.exclude(adopts={}).values_list("adopts", flat=True).iterator():
        for label, columns in columns_by_model.items():
            columns_by_label[label] |= set(columns)
    return columns_by_label


def adopt_new() -> int:
    """Seal, as it is found, every column that was never sealed before; returns the number of rows.

    An installation that is older than the sealings is adopted once, and so is each new column after an upgrade.
    """
    sealed, day = adopted(), timezone.now().date()
    wanted: dict[str, list[str]] = {}
    number = 0
    for model in hooks.sealed_models():
        label = model._meta.label_lower  # noqa: SLF001
        columns = [column for column in hooks.sealed_fields(label) if column not in sealed.get(label, ())]
        if columns:
            wanted[label] = columns
    if not wanted:
        return 0
    origin = f"{ADOPTED} {day}"
    with transaction.atomic():
        for label, columns in wanted.items():
            model = apps.get_model(label)
            rows = digests_of(model, columns, all_rows(model))
            while piece := dict(islice(rows, PIECE)):
                append(origin, [part(model, columns, piece)])
                number += len(piece)
        append(origin, [], adopts=wanted)
    return number


def seal_migrated(transactions: Iterable[Written]) -> None:
    """Seal what migrations wrote, with an entry in the audit log: nothing else is sealed without knowing its writer."""
    together = Written()
    for written in transactions:
        for label, rows in written.rows.items():
            sealed = set(hooks.sealed_fields(label))
            for key, columns in rows.items():
                if sealed:
                    together.add(label, [key], None if columns is None else columns.keys() & sealed)
    if together.rows:
        with transaction.atomic():
            head, _ = SealingHead.objects.get_or_create(pk=1)
            values: dict[str, dict[str, str]] = {}
            for label, rows in together.rows.items():
                if hooks.attested_columns(label):
                    values |= values_of(*all_rows(apps.get_model(label)).filter(pk__in=list(rows)))
            facts = {"rows": {label: len(rows) for label, rows in together.rows.items()}, VALUES: values}
            together.entries.append(record(actor=None, act=MIGRATION, subject=head, facts=facts).pk)
            seal(together, "migration")


__all__ = ["GENESIS", "adopt_new", "adopted", "all_rows", "append", "digest", "digests_of", "part", "seal"]
