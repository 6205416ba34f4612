"""Compare every sealed row with the chain of sealings, the acts of its entries, and every derived field with its source."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice

from django.apps import apps
from django.db.models import Model

from core.audit import hooks
from core.audit.domain.values import LENGTH, plain
from core.audit.hooks import EXEMPT_ACTS, INSERTED, REMOVED
from core.audit.models import Entry, Sealing, SealingHead
from core.audit.services import GENESIS, VALUES
from core.audit.services.sealing import ADOPTED, PIECE, Part, all_rows, digest, digests_of

ADOPTION = "records_adopted"
"""The act that accepts differences."""
ATTEMPTS = 5
"""Number of times that a row is read again if an act changes it during the comparison."""
BATCH = 100
"""Sealings that are read before the acts of their entries."""


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
        self.database.execute(
            "CREATE TABLE refused (model TEXT, key TEXT, column_name TEXT, problem TEXT, sequence INTEGER, "
            "PRIMARY KEY (model, key, column_name, problem, sequence)) WITHOUT ROWID"
        )
        self.adopted: dict[str, set[str]] = {}
        self.end = 0
        self.digest = GENESIS
        self.entry = 0
        self._last_size = 0
        self._last_acts: frozenset[str] | None = None

    def read(self, sealing: Sealing, acts: Mapping[int, str]) -> None:
        """Take the digests of one more sealing over.

        Parameters
        ----------
        acts
            The acts of the audit log by sequence number, from the entry of the sealing before to that of this one.
        """
        authority, flaw = self._authority(sealing, acts)
        for part in sealing.rows:
            model, columns = part["model"], part["columns"]
            self._refuse(sealing, part, authority, flaw)
            self._compare_before(sealing, part, accepts=authority is not None and ADOPTION in authority)
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
        for label, columns in sealing.adopts.items():
            self.adopted.setdefault(label, set()).update(columns)
        self.end, self.digest = sealing.sequence, sealing.digest
        self._last_acts, self._last_size = authority, sum(len(part["rows"]) for part in sealing.rows)

    def _authority(self, sealing: Sealing, acts: Mapping[int, str]) -> tuple[frozenset[str] | None, str]:
        """Return the acts that can have written a sealing, None without an act, and the flaw of its reference.

        The audit log stays locked from an entry to the commit. Transactions with an act therefore seal in the order of
        their entries, and each seals once, or several times directly one after the other if it wrote many rows.
        """
        if sealing.entry is None:
            return None, ""
        number = sealing.entry.sequence
        if number > self.entry:
            before, self.entry = self.entry, number
            return frozenset(act for sequence, act in acts.items() if before < sequence <= number), ""
        follows = self._last_acts is not None and number == self.entry and sealing.rows
        if follows and self._last_size + len(sealing.rows[0]["rows"]) > PIECE:
            return self._last_acts, ""
        return frozenset(), f"names entry {number} of the audit log, which was sealed before"

    def _refuse(self, sealing: Sealing, part: Part, authority: frozenset[str] | None, flaw: str) -> None:
        """Keep the values that this sealing cannot have written in the ordinary course."""
        model, columns = part["model"], part["columns"]
        writers, once = hooks.writers_of(model), hooks.once_columns(model)
        if (not writers and not once and not flaw) or (authority and authority & EXEMPT_ACTS):
            return
        adopts = authority is None and sealing.origin.startswith(ADOPTED)
        adopts = adopts and not set(columns) & self.adopted.get(model, set())
        rows: list[tuple[str, str, str, str, int]] = []
        keys = iter(part["rows"])
        while piece := list(islice(keys, PIECE)):
            present = self.of(model, piece)
            for key in piece:
                if part["rows"][key] is None:
                    places = [REMOVED] if key in present else []
                elif key in present:
                    places = [name for name in columns if name in present[key]] if adopts else columns
                else:
                    places = [] if adopts else [INSERTED]
                for column in places:
                    is_second = column in once and column in present[key]
                    problem = _refusal(writers.get(column), authority, flaw, is_second=is_second)
                    if problem:
                        rows.append((model, key, column, problem, sealing.sequence))
        self.database.executemany("INSERT OR REPLACE INTO refused VALUES (?, ?, ?, ?, ?)", rows)

    def refused(self) -> Iterator[Difference]:
        """Yield the values whose sealings contradict the declared writers."""
        columns: dict[tuple[str, str, str, int], list[str]] = {}
        for model, key, column, problem, sequence in self.database.execute("SELECT * FROM refused"):
            names = columns.setdefault((model, key, problem, sequence), [])
            if column not in (INSERTED, REMOVED):
                names.append(column)
        for (model, key, problem, sequence), names in columns.items():
            yield Difference(model, key, tuple(names), f"sealing {sequence} {problem}", sequence)

    def _compare_before(self, sealing: Sealing, part: Part, *, accepts: bool) -> None:
        """Keep the values that an update replaced although they were not as sealed; an adoption accepts them."""
        model, columns = part["model"], part["columns"]
        if accepts:
            accepted = [(model, key) for key in part["rows"]]
            self.database.executemany("DELETE FROM replaced WHERE model = ? AND key = ?", accepted)
            self.database.executemany("DELETE FROM refused WHERE model = ? AND key = ?", accepted)
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
        proof.differences += sealed.refused()
    proof.differences += attested_differences()
    for rebuilder in hooks.rebuilders:
        proof.differences += _rebuilt(rebuilder)
    return proof


def _read_on(sealed: _Sealed, proof: Proof) -> None:
    """Read the sealings behind the last one that was read, and check their links."""
    rows = Sealing.objects.filter(sequence__gt=sealed.end).select_related("entry").order_by("sequence")
    sealings = rows.iterator(PIECE)
    while batch := list(islice(sealings, BATCH)):
        named = [sealing.entry.sequence for sealing in batch if sealing.entry is not None]
        entries = Entry.objects.filter(sequence__gt=sealed.entry, sequence__lte=max(named, default=0))
        acts = dict(entries.values_list("sequence", "act"))
        for sealing in batch:
            if sealing.sequence != sealed.end + 1:
                proof.broken.append(f"Sealing {sealed.end + 1} is missing.")
            elif sealing.previous != sealed.digest or digest(sealing) != sealing.digest:
                proof.broken.append(f"Sealing {sealing.sequence} was changed, or one before it.")
            sealed.read(sealing, acts)
            proof.sealings += 1


def _refusal(writers: frozenset[str] | None, authority: frozenset[str] | None, flaw: str, *, is_second: bool) -> str:
    """Return why a sealing cannot have written a value; empty if it can."""
    if flaw:
        return flaw
    if is_second:
        return "sealed the value again, which is written once"
    if writers is None:
        return ""
    if authority is None:
        return "belongs to no act of the audit log, but only acts write this"
    if not authority & writers:
        return f"belongs to acts that do not write this ({', '.join(sorted(authority))})"
    return ""


def attested_differences() -> list[Difference]:
    """Compare rows with the digests of their values that acts left in the audit log (`core.audit.services.values_of`)."""
    attested: dict[tuple[str, str], dict[str, str]] = {}
    differences: list[Difference] = []
    end = _read_attested(attested, differences, 0)
    wanted = list(attested)
    for label in dict.fromkeys(label for label, _ in wanted):
        keys = iter([key for model, key in wanted if model == label])
        while piece := list(islice(keys, PIECE)):
            for key in _not_as_attested(label, piece, attested):
                names: list[str] = []
                for _ in range(ATTEMPTS):
                    # An act may have written it after the audit log was read.
                    before, end = end, _read_attested(attested, differences, end)
                    names = _not_as_attested(label, [key], attested).get(key, [])
                    if not names or end == before:
                        break
                if names:
                    problem = "the value differs from the one that the act left in the audit log"
                    differences.append(Difference(label, key, tuple(names), problem))
    return differences


def _read_attested(attested: dict[tuple[str, str], dict[str, str]], differences: list[Difference], after: int) -> int:
    """Read the digests of entries behind `after`, and return the last sequence number."""
    entries = Entry.objects.filter(sequence__gt=after, facts__has_key=VALUES).order_by("sequence")
    for sequence, act, facts in entries.values_list("sequence", "act", "facts").iterator(PIECE):
        after = sequence
        for row, digests in facts[VALUES].items():
            label, _, key = row.partition(" ")
            first_digests = attested.setdefault((label, key), {})
            for column, value in digests.items():
                if act in EXEMPT_ACTS:
                    # Operators and migrations accept present values, also of fields that no act attests.
                    if column in first_digests:
                        first_digests[column] = value
                        accepted = (label, key, (column,))
                        differences[:] = [
                            item for item in differences if (item.model, item.key, item.columns) != accepted
                        ]
                    continue
                if act not in hooks.attesting_acts(label):
                    continue
                if first_digests.get(column, value) != value:
                    problem = f"entry {sequence} of the audit log states another value than an entry before"
                    differences.append(Difference(label, key, (column,), problem))
                    continue
                first_digests[column] = value
    return after


def _not_as_attested(
    label: str, keys: Sequence[str], attested: Mapping[tuple[str, str], Mapping[str, str]]
) -> dict[str, list[str]]:
    """Return the columns that differ, by key; rows that are gone are compared with the sealings."""
    try:
        model = apps.get_model(label)
    except LookupError:
        return {}
    columns = hooks.sealed_fields(label)
    differing: dict[str, list[str]] = {}
    for key, digests in digests_of(model, columns, all_rows(model).filter(pk__in=keys)):
        wanted = attested[label, key]
        names = [
            column
            for index, column in enumerate(columns)
            if column in wanted and wanted[column] != digests[index * LENGTH : (index + 1) * LENGTH]
        ]
        if names:
            differing[key] = names
    return differing


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
