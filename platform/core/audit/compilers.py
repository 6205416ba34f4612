"""Compilers of Django's ORM that note which rows a statement writes.

Every write of the ORM goes through one of three compilers: `save`, `update`, the bulk methods, many-to-many relations and
cascades included. The statement itself returns the keys of its rows, so no other transaction can come between. Before an
update, its rows are locked and read: the sealing states which values the update replaced. SQL that bypasses the ORM is
not noted and therefore not sealed: the verification reports what it changed.
"""

from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.constants import OnConflict
from django.db.models.sql import Query
from django.db.models.sql.constants import CURSOR

from core.audit import hooks
from core.audit.domain.values import field_digest
from core.audit.transactions import NOT_READ, Before, is_migrating, is_open, note

if TYPE_CHECKING:
    from django.db.models.sql import compiler as base
else:
    # The backend's own: PostgreSQL has some that differ.
    base = import_module(connection.ops.compiler_module)

SQLCompiler = base.SQLCompiler
SQLAggregateCompiler = base.SQLAggregateCompiler


def install() -> None:
    """Let the ORM use these compilers, on every connection of this process."""
    type(connection.ops).compiler_module = __name__
    connection.ops._cache = None  # type: ignore[attr-defined]  # noqa: SLF001 (the module it has loaded already)


def _transaction(compiler: Any) -> AbstractContextManager[None]:
    """A statement outside a transaction gets one, so that it is sealed with what it writes."""
    if is_open(compiler.connection):
        return nullcontext()
    return transaction.atomic(using=compiler.using, savepoint=False)


def _keys(opts: Any, rows: list[Any]) -> list[Any]:
    """Keys as Python has them: SQLite returns UUIDs as text."""
    return [opts.pk.to_python(row[0]) for row in rows]


class SQLInsertCompiler(base.SQLInsertCompiler):
    """Note inserted rows with all their sealed columns."""

    def execute_sql(self, returning_fields: Any = None) -> list[Any]:  # type: ignore[override]  # as Django has it
        """Insert, and note the keys."""
        opts = self.query.get_meta()
        columns = hooks.sealed_fields(opts.label_lower)
        if not columns:
            return super().execute_sql(returning_fields)
        with _transaction(self):
            if self.query.on_conflict == OnConflict.IGNORE:  # type: ignore[attr-defined]
                keys = self._insert_new(opts)
                rows: list[Any] = []
            else:
                rows = super().execute_sql(returning_fields)
                keys = self._inserted(opts, rows, returning_fields)
            note(self.connection, opts.label_lower, keys, columns)
        return rows

    def _inserted(self, opts: Any, rows: list[Any], returning_fields: Any) -> list[Any]:
        names = [field.attname for field in returning_fields or ()]
        if opts.pk.attname in names:
            index = names.index(opts.pk.attname)
            return [row[index] for row in rows]
        return [obj.pk for obj in self.query.objs]

    def _insert_new(self, opts: Any) -> list[Any]:
        """Insert rows that are not there yet, and return the keys of those."""
        self.returning_fields = [opts.pk]
        rows: list[Any] = []
        with self.connection.cursor() as cursor:
            for sql, params in self.as_sql():
                cursor.execute(sql, params)
                rows += cursor.fetchall()
        return _keys(opts, rows)


class _Returning:
    """Statements that change rows and return their keys."""

    connection: Any
    query: Any
    returns = False

    def as_sql(self, *args: Any, **kwargs: Any) -> tuple[str, Any]:
        """Add the clause that returns the keys."""
        sql, params = super().as_sql(*args, **kwargs)  # type: ignore[misc]
        if sql and self.returns:
            opts, quote = self.query.get_meta(), self.connection.ops.quote_name
            sql = f"{sql} RETURNING {quote(opts.db_table)}.{quote(opts.pk.column)}"
        return sql, params

    def _execute_returning(self, execute: Any) -> list[Any] | None:
        """Return the keys of the rows; None where Django sees that there are none."""
        self.returns = True
        try:
            cursor = execute(CURSOR)
        finally:
            self.returns = False
        if cursor is None:
            return None
        with cursor:
            return _keys(self.query.get_meta(), cursor.fetchall())


class SQLUpdateCompiler(_Returning, base.SQLUpdateCompiler):
    """Note updated rows with those sealed columns that the statement sets, and with the values that it replaces."""

    def execute_sql(self, result_type: Any) -> Any:  # type: ignore[override]  # as Django has it
        """Update, and note the keys; returns the number of rows."""
        opts = self.query.get_meta()
        columns = set(hooks.sealed_fields(opts.label_lower)) & {field.attname for field, _, _ in self.query.values}
        if not columns or self.query.related_updates:
            return super().execute_sql(result_type)
        with _transaction(self):
            before = NOT_READ if is_migrating() else self._before(sorted(columns))
            keys = self._execute_returning(super(base.SQLUpdateCompiler, self).execute_sql) or []
            note(self.connection, opts.label_lower, keys, columns, before)
        return len(keys)

    def _before(self, columns: list[str]) -> Before:
        """Lock the rows, and return the digests of the values that the statement will replace."""
        model, query = self.query.model, self.query.chain(klass=Query)
        if query.group_by is not None or sum(count > 0 for count in query.alias_refcount.values()) > 1:
            # Rows of joined tables are neither locked nor repeated.
            rows: QuerySet[Any] = QuerySet(model, using=self.using).filter(
                pk__in=QuerySet(model, query=query).order_by().values("pk")
            )
        else:
            rows = QuerySet(model, query=query, using=self.using)
        label = model._meta.label_lower  # noqa: SLF001
        values = rows.order_by().select_for_update(no_key=True).values_list("pk", *columns)
        return {
            str(key): {
                name: field_digest(label, str(key), name, value) for name, value in zip(columns, row, strict=True)
            }
            for key, *row in values
        }


class SQLDeleteCompiler(_Returning, base.SQLDeleteCompiler):
    """Note deleted rows."""

    def execute_sql(self, result_type: Any) -> Any:  # type: ignore[override]  # as Django has it
        """Delete, and note the keys; returns the number of rows."""
        opts = self.query.get_meta()
        if not hooks.sealed_fields(opts.label_lower):
            return super().execute_sql(result_type)
        with _transaction(self):
            keys = self._execute_returning(super().execute_sql)
            note(self.connection, opts.label_lower, keys or [], None)
        return None if keys is None else len(keys)
