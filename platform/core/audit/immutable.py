"""Tables whose rows the database itself refuses to change or delete; used by migrations only."""

from collections.abc import Mapping
from typing import Any

from django.db import migrations


def keep_rows(tables: Mapping[str, str]) -> migrations.RunPython:
    """Return the operation after which rows of these tables remain as they were inserted.

    On SQLite, a later migration that alters such a table recreates it without its triggers: it must add this
    operation again.

    Parameters
    ----------
    tables
        Name of a table → message of the database when a row is changed.
    """

    def forbid(apps: Any, schema_editor: Any) -> None:  # noqa: ARG001 (Django's signature)
        for table, message in tables.items():
            if schema_editor.connection.vendor == "sqlite":
                for act in ("UPDATE", "DELETE"):
                    schema_editor.execute(
                        f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} "
                        f"BEGIN SELECT RAISE(ABORT, '{message}'); END;"
                    )
            elif schema_editor.connection.vendor == "postgresql":
                schema_editor.execute(
                    f"CREATE FUNCTION {table}_immutable() RETURNS trigger LANGUAGE plpgsql AS $$ "
                    f"BEGIN RAISE EXCEPTION '{message}'; END $$; "
                    f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table} "
                    f"FOR EACH ROW EXECUTE FUNCTION {table}_immutable();"
                )

    def permit(apps: Any, schema_editor: Any) -> None:  # noqa: ARG001
        for table in tables:
            if schema_editor.connection.vendor == "sqlite":
                for act in ("update", "delete"):
                    schema_editor.execute(f"DROP TRIGGER {table}_no_{act}")
            elif schema_editor.connection.vendor == "postgresql":
                schema_editor.execute(f"DROP FUNCTION {table}_immutable() CASCADE")

    return migrations.RunPython(forbid, permit)
