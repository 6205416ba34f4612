"""Rows that a transaction writes, and their sealing just before it commits.

A transaction is sealed if it contains an act (`core.audit.services.record`) or belongs to a *unit*: a request, a task or a
command of the platform. Writes from anywhere else, such as a Python shell, remain unsealed, so that the verification
reports them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.transaction import Atomic

Origin = Callable[[], str]
Before = Mapping[str, Mapping[str, str]]
NOT_READ: Before = MappingProxyType({})


@dataclass
class Written:
    """Writes of one transaction up to now.

    Attributes
    ----------
    rows
        Label of the model → key → column → digest of the value before the transaction; None for an inserted
        value. None instead of the columns for a deleted row.
    entries
        Primary keys of the entries of the audit log, in order.
    """

    rows: dict[str, dict[Any, dict[str, str | None] | None]] = field(default_factory=dict)
    entries: list[int] = field(default_factory=list)

    def add(self, label: str, keys: Iterable[Any], columns: Iterable[str] | None, before: Before = NOT_READ) -> None:
        """Note rows that were inserted, updated, or (without columns) deleted.

        Parameters
        ----------
        before
            Key as text → column → digest of the value that an update replaces.
        """
        rows = self.rows.setdefault(label, {})
        names = None if columns is None else list(columns)
        for key in keys:
            if names is None:
                rows[key] = None
                continue
            row = rows[key] = rows.get(key) or {}
            for name in names:
                row.setdefault(name, before.get(str(key), {}).get(name))


Seal = Callable[[Written, str], None]

_unit: ContextVar[Origin | None] = ContextVar("audit_unit", default=None)
_migrated: list[Written] = []
_seals: list[Seal] = []
_is_migrating = False


@contextmanager
def unit(origin: str | Origin) -> Iterator[None]:
    """Seal all that is written inside, as written by this request, task or command."""
    token = _unit.set(origin if callable(origin) else lambda: origin)
    try:
        yield
    finally:
        _unit.reset(token)


def is_open(connection: BaseDatabaseWrapper) -> bool:
    """Return whether a transaction of the platform is open; the one around a test does not count."""
    blocks: list[Any] = connection.atomic_blocks  # type: ignore[attr-defined]
    return bool(blocks) and not blocks[-1]._from_testcase  # noqa: SLF001


def is_migrating() -> bool:
    """Return whether migrations are running: the models of a migration may have other columns than those of today."""
    return _is_migrating


def note(
    connection: BaseDatabaseWrapper,
    label: str,
    keys: Iterable[Any],
    columns: Iterable[str] | None,
    before: Before = NOT_READ,
) -> None:
    """Note rows that the open transaction wrote; see `Written.add`."""
    _written(connection).add(label, keys, columns, before)


def note_entry(connection: BaseDatabaseWrapper, entry: int) -> None:
    """Note that the open transaction is an act with an entry in the audit log."""
    if is_open(connection):
        _written(connection).entries.append(entry)


def _written(connection: BaseDatabaseWrapper) -> Written:
    written: Written = connection.__dict__.setdefault("podium_written", Written())
    return written


def begin_migration(**_: Any) -> None:
    """Keep what migrations write until all tables have their present columns; a receiver of `pre_migrate`."""
    global _is_migrating  # noqa: PLW0603 (one process migrates at a time)
    _is_migrating = True


def end_migration() -> list[Written]:
    """Return what migrations wrote in this process."""
    global _is_migrating  # noqa: PLW0603
    _is_migrating = False
    transactions = list(_migrated)
    _migrated.clear()
    return transactions


def seal_now() -> None:
    """Seal what the open transaction wrote so far, as its commit would.

    For a transaction that is rolled back on purpose and must take as much work as one that commits.
    """
    connection = transaction.get_connection()
    for seal in _seals:
        _seal(connection, seal)
    connection.__dict__.pop("podium_written", None)


def install(seal: Seal) -> None:
    """Have the outermost block of each transaction seal what it wrote before it commits."""
    leave = Atomic.__exit__
    if _seals:
        return
    _seals.append(seal)

    def __exit__(self: Atomic, exc_type: Any, exc_value: Any, traceback: Any) -> None:  # noqa: N807
        connection = transaction.get_connection(self.using)
        blocks = connection.atomic_blocks
        is_outermost = len(blocks) == 1 or (len(blocks) > 1 and blocks[-2]._from_testcase)  # noqa: SLF001
        if "podium_written" in connection.__dict__ and (is_outermost or not blocks):
            fails = exc_type is not None or connection.needs_rollback or connection.closed_in_transaction
            try:
                if not fails and not self._from_testcase:  # type: ignore[attr-defined]
                    _seal(connection, seal)
            except BaseException as error:
                leave(self, type(error), error, error.__traceback__)
                raise
            finally:
                connection.__dict__.pop("podium_written", None)
        leave(self, exc_type, exc_value, traceback)

    Atomic.__exit__ = __exit__  # type: ignore[method-assign]


def _seal(connection: BaseDatabaseWrapper, seal: Seal) -> None:
    written = _written(connection)
    if _is_migrating:
        _migrated.append(written)
        return
    origin = _unit.get()
    if written.rows and (written.entries or origin is not None):
        seal(written, origin() if origin else "")
