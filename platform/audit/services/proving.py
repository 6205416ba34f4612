"""Compare every sealed row with the chain of sealings, and every derived field with its source."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.db.models import Model

from audit import hooks
from audit.domain.values import LENGTH, plain
from audit.models import Sealing, SealingHead
from audit.services import GENESIS
from audit.services.sealing import PIECE, all_rows, digest, digests_of

ADOPTION = "records_adopted"
"""The act that accepts differences."""
ATTEMPTS = 5
"""Number of times that a row is read again if an act changes it during the comparison."""


@dataclass(frozen=True)
class Difference:
    """A row that differs from the chain of sealings.

    Attributes
    ----------
    model, key
        The row.
    columns
        The columns that differ; empty if the whole row was added or removed.
    problem
        Description of the problem.
    sealing
        Sequence number of the last sealing of the column; 0 for none.
    is_derived
        True if the value differs from the result of its source, not from its seal.
    """

    model: str
    key: str
    columns: tuple[str, ...]
    problem: str
    sealing: int = 0
    is_derived: bool = False

    def __str__(self) -> str:
        where = f"{self.model} {self.key}" + (f", {', '.join(self.columns)}" if self.columns else "")
        source = f" Last sealed by sealing {self.sealing}." if self.sealing else ""
        return f"{where}: {self.problem}.{source}"


@dataclass
class Proof:
    """The result of comparing.

    Attributes
    ----------
    sealings, rows
        How many were read.
    broken
        Problems of the chain.
    differences
        Problems of rows.
    """

    sealings: int = 0
    rows: int = 0
    broken: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        """Descriptions of all problems."""
        return [*self.broken, *map(str, self.differences)]


class _Sealed:
    """The last digest of each sealed value, in a temporary file of SQLite: the chain may be larger than the memory."""

    def __init__(self) -> None:
        # An empty name is a database on the disk that is deleted when it is closed.
        self.database = sqlite3.connect("")
        self.database.execute("PRAGMA synchronous = OFF")
        self.database.execute("PRAGMA journal_mode = OFF")
        self.database.execute(
            "CREATE TABLE sealed (model TEXT, key TEXT, column_name TEXT, digest TEXT, sequence INTEGER, "
            "PRIMARY KEY (model, key, column_name)) WITHOUT ROWID"
        )
        self.database.execute(
            "CREATE TABLE replaced (model TEXT, key TEXT, column_name TEXT, sealed INTEGER, sequence INTEGER, "
            "PRIMARY KEY (model, key, column_name, sequence)) WITHOUT ROWID"
        )
        self.adopted: dict[str, set[str]] = {}
        self.end = 0
        self.digest = GENESIS

    def read(self, sealing: Sealing) -> None:
        """Take the digests of one more sealing over."""
        for label, columns in sealing.adopts.items():
            self.adopted.setdefault(label, set()).update(columns)
        for part in sealing.rows:
            model, columns = part["model"], part["columns"]
            self._compare_before(sealing, part)
            gone = [(model, key) for key, digests in part["rows"].items() if digests is None]
            self.database.executemany("DELETE FROM sealed WHERE model = ? AND key = ?", gone)
            self.database.executemany(
                "INSERT OR REPLACE INTO sealed VALUES (?, ?, ?, ?, ?)",
                (
                    (model, key, column, digests[index * LENGTH : (index + 1) * LENGTH], sealing.sequence)
                    for key, digests in part["rows"].items()
                    if digests is not None
                    for index, column in enumerate(columns)
                ),
            )
        self.end, self.digest = sealing.sequence, sealing.digest

    def _compare_before(self, sealing: Sealing, part: Mapping[str, Any]) -> None:
        """Keep the values that an update replaced although they were not as sealed; an adoption accepts them."""
        model, columns = part["model"], part["columns"]
        if sealing.entry is not None and sealing.entry.act == ADOPTION:
            accepted = [(model, key) for key in part["rows"]]
            self.database.executemany("DELETE FROM replaced WHERE model = ? AND key = ?", accepted)
        before = part.get("before", {})
        keys = iter(before)
        while piece := list(islice(keys, PIECE)):
            for key, seals in self.of(model, piece).items():
                mismatches = [
                    (model, key, column, seals[column][1], sealing.sequence)
                    for index, column in enumerate(columns)
                    if column in seals and seals[column][0] != before[key][index * LENGTH : (index + 1) * LENGTH]
                ]
                self.database.executemany("INSERT OR REPLACE INTO replaced VALUES (?, ?, ?, ?, ?)", mismatches)

    def replaced(self) -> Iterator[Difference]:
        """Yield the values that were changed without an act, and then replaced by the platform."""
        columns: dict[tuple[str, str, int, int], list[str]] = {}
        for model, key, column, sealed, sequence in self.database.execute("SELECT * FROM replaced"):
            if column in hooks.sealed_fields(model):
                columns.setdefault((model, key, sealed, sequence), []).append(column)
        for (model, key, sealed, sequence), names in columns.items():
            problem = f"the value was changed without an act before sealing {sequence} replaced it"
            yield Difference(model, key, tuple(names), problem, sealed)

    def of(self, model: str, keys: Iterable[str]) -> dict[str, dict[str, tuple[str, int]]]:
        """Return column → digest and sequence of the sealing, by key."""
        wanted = list(keys)
        marks = ",".join("?" * len(wanted))
        seals: dict[str, dict[str, tuple[str, int]]] = {}
        rows = self.database.execute(
            f"SELECT key, column_name, digest, sequence FROM sealed WHERE model = ? AND key IN ({marks})",  # noqa: S608
            [model, *wanted],
        )
        for key, column, value, sequence in rows:
            seals.setdefault(key, {})[column] = (value, sequence)
        return seals

    def keys(self, model: str) -> Iterator[str]:
        """Yield the keys of all rows of a model that must be there."""
        rows = self.database.execute("SELECT DISTINCT key FROM sealed WHERE model = ? ORDER BY key", [model])
        for (key,) in rows:
            yield key


def prove() -> Proof:
    """Compare the chain of sealings with itself and with every row, and rebuild what can be rebuilt.

    Nothing is locked. A row that differs is compared again after the sealings that were added during the
    comparison. Simultaneous acts are therefore not reported.
    """
    proof = Proof()
    sealed = _Sealed()
    with closing(sealed.database):
        _read_on(sealed, proof)
        if not proof.sealings:
            proof.broken.append("Nothing is sealed yet: run manage.py migrate, which adopts all rows as it finds them.")
            return proof
        head = SealingHead.objects.filter(pk=1).first()
        if head is None or sealed.end < head.sequence:
            proof.broken.append(f"The chain of sealings ends at {sealed.end}; its end is missing.")
        for model in hooks.sealed_models():
            proof.differences += _differences(model, sealed, proof)
        proof.differences += sealed.replaced()
    for rebuilder in hooks.rebuilders:
        proof.differences += _rebuilt(rebuilder)
    return proof


def _read_on(sealed: _Sealed, proof: Proof) -> None:
    """Read the sealings behind the last one that was read, and check their links."""
    rows = Sealing.objects.filter(sequence__gt=sealed.end).select_related("entry").order_by("sequence")
    for sealing in rows.iterator(PIECE):
        if sealing.sequence != sealed.end + 1:
            proof.broken.append(f"Sealing {sealed.end + 1} is missing.")
        elif sealing.previous != sealed.digest or digest(sealing) != sealing.digest:
            proof.broken.append(f"Sealing {sealing.sequence} was changed, or one before it.")
        sealed.read(sealing)
        proof.sealings += 1


def _differences(model: type[Model], sealed: _Sealed, proof: Proof) -> Iterator[Difference]:
    label = model._meta.label_lower  # noqa: SLF001
    columns = hooks.sealed_fields(label)
    rows = digests_of(model, columns, all_rows(model))
    seen = 0
    while piece := dict(islice(rows, PIECE)):
        seen += len(piece)
        seals = sealed.of(label, piece)
        for key, digests in piece.items():
            if list(_compare(model, key, digests, seals.get(key))):
                yield from _again(model, key, sealed, proof)
    proof.rows += seen
    yield from _removed(model, sealed, proof)


def _compare(
    model: type[Model],
    key: str,
    digests: str | None,
    seals: Mapping[str, tuple[str, int]] | None,
) -> Iterator[Difference]:
    label = model._meta.label_lower  # noqa: SLF001
    columns = hooks.sealed_fields(label)
    if digests is None:
        if seals:
            last = max(sequence for _, sequence in seals.values())
            yield Difference(label, key, (), "the row was removed without an act", last)
        return
    if seals is None:
        yield Difference(label, key, (), "the row was added without an act")
        return
    changed: dict[int, list[str]] = {}
    for index, column in enumerate(columns):
        value, sequence = seals.get(column, ("", 0))
        if value != digests[index * LENGTH : (index + 1) * LENGTH]:
            changed.setdefault(sequence, []).append(column)
    for sequence, names in changed.items():
        problem = "the value was changed without an act" if sequence else "the value was never sealed"
        yield Difference(label, key, tuple(names), problem, sequence)


def _again(model: type[Model], key: str, sealed: _Sealed, proof: Proof) -> list[Difference]:
    """Compare one row with what is sealed by now; an act may have written it after the chain was read."""
    label = model._meta.label_lower  # noqa: SLF001
    columns = hooks.sealed_fields(label)
    differences: list[Difference] = []
    for _ in range(ATTEMPTS):
        now = dict(digests_of(model, columns, all_rows(model).filter(pk=key)))
        end = sealed.end
        _read_on(sealed, proof)
        differences = list(_compare(model, key, now.get(key), sealed.of(label, [key]).get(key)))
        if not differences or sealed.end == end:
            break
    return differences


def _removed(model: type[Model], sealed: _Sealed, proof: Proof) -> Iterator[Difference]:
    label = model._meta.label_lower  # noqa: SLF001
    keys = iter(list(sealed.keys(label)))
    while piece := list(islice(keys, PIECE)):
        present = {str(key) for key in all_rows(model).filter(pk__in=piece).values_list("pk", flat=True)}
        for key in piece:
            if key not in present:
                yield from _again(model, key, sealed, proof)


def _rebuilt(rebuilder: hooks.Rebuilder) -> Iterator[Difference]:
    for key, stored, rebuild in rebuilder.rows():
        try:
            rebuilt = rebuild()
        except Exception as error:  # noqa: BLE001 (a source that was changed may be anything)
            problem = f"cannot be computed from {rebuilder.source}: {type(error).__name__}"
            yield Difference(rebuilder.model, key, rebuilder.fields, problem, is_derived=True)
            continue
        names = tuple(name for name in rebuilder.fields if plain(stored[name]) != plain(rebuilt[name]))
        if names:
            yield Difference(rebuilder.model, key, names, f"does not match {rebuilder.source}", is_derived=True)
