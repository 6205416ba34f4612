"""Fast emptying of the database after a test with real transactions, without the cost of Django's `flush`.

Django's `flush` empties every table and recreates content types and permissions. With a hundred tables that takes
longer than most tests. Here only the tables that a test wrote are emptied. Triggers that protect rows permanently are
disabled for that.
"""

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.test import TransactionTestCase

# Written once by the migrations, and the same for every test.
KEPT = frozenset({"django_content_type", "auth_permission", "django_migrations"})


def install() -> None:
    """Let tests with real transactions use it."""
    TransactionTestCase._fixture_teardown = _teardown


def _teardown(self: TransactionTestCase) -> None:
    for name in self._databases_names(include_mirrors=False):
        empty(connections[name])


def empty(connection: BaseDatabaseWrapper) -> None:
    """Delete all rows, except those of `KEPT`."""
    tables = sorted(set(connection.introspection.table_names()) - KEPT)
    quoted = {table: connection.ops.quote_name(table) for table in tables}
    with connection.cursor() as cursor:
        cursor.execute(
            " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {quoted[table]})" for table in tables)
        )
        written = [table for (table,) in cursor.fetchall()]
        if not written:
            return
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _delete(cursor, {table: quoted[table] for table in written})
            return
        cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = [(name, sql) for name, table, sql in cursor.fetchall() if table in written]
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {connection.ops.quote_name(name)}")
        for table in written:
            cursor.execute(f"DELETE FROM {quoted[table]}")
        for _, sql in triggers:
            cursor.execute(sql)


def _delete(cursor: CursorWrapper, written: dict[str, str]) -> None:
    """Delete the rows of these tables on PostgreSQL, where truncating would recreate every file of a table."""
    cursor.execute(
        "SELECT DISTINCT relname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid "
        "WHERE NOT tgisinternal AND relname = ANY(%s)",
        [list(written)],
    )
    kept = [written[table] for (table,) in cursor.fetchall()]
    for table in kept:
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    for table in written.values():
        cursor.execute(f"DELETE FROM {table}")
    # Triggers come back only when no check of a foreign key is waiting for the end of the transaction.
    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for table in kept:
        cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
