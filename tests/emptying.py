"""Emptying the database after a test whose transactions were real, without Django's toll.

Django's `flush` empties every table, and makes content types and permissions anew; with a hundred tables that takes longer
than most tests. Only what a test wrote is emptied here. Triggers that keep rows for good are put aside for that.
"""

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
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
        if connection.vendor == "postgresql":
            cursor.execute(f"TRUNCATE {', '.join(quoted[table] for table in written)} CASCADE")
            return
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = [(name, sql) for name, table, sql in cursor.fetchall() if table in written]
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {connection.ops.quote_name(name)}")
        for table in written:
            cursor.execute(f"DELETE FROM {quoted[table]}")
        for _, sql in triggers:
            cursor.execute(sql)
