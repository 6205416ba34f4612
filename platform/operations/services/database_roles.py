"""Creation of the roles of PostgreSQL, with the rights of `operations.domain.database_roles`."""

from collections.abc import Mapping
from typing import Any

from django.db import connection, transaction
from psycopg2.extensions import encrypt_password

from operations.domain.database_roles import BACKUP, WEB, rights


class RoleError(Exception):
    """The roles cannot be created; the message states the remedy."""


def name_of(role: str) -> str:
    """Return the name of a role on the server: the owner's name, an underscore and the role."""
    return f"{connection.settings_dict['USER']}_{role}"


def grant(passwords: Mapping[str, str]) -> dict[str, int]:
    """Create or change roles, so that each has its password and exactly its rights; returns the number of its tables.

    A role keeps all rights until the new ones apply, so services can run meanwhile.

    Parameters
    ----------
    passwords
        Role → password.

    Raises
    ------
    RoleError
        When the database is not PostgreSQL, or this process is not the owner of its tables.
    """
    if connection.vendor != "postgresql":
        raise RoleError("The database is SQLite, which has no roles. Set DATABASE_URL to a PostgreSQL database.")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT tablename, pg_has_role(tableowner, 'USAGE') FROM pg_tables WHERE schemaname = current_schema()"
        )
        owned = dict(cursor.fetchall())
        if others := sorted(table for table, is_own in owned.items() if not is_own):
            raise RoleError(f"{connection.settings_dict['USER']} does not own the table {others[0]}. Use its owner.")
        quote = connection.ops.quote_name
        # Of several processes that start at the same time, one creates the roles.
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('podium.database_roles'))")
        database = quote(connection.settings_dict["NAME"])
        cursor.execute(f"REVOKE ALL ON DATABASE {database} FROM PUBLIC")
        cursor.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        granted = {}
        for role, password in passwords.items():
            name = quote(name_of(role))
            _create(cursor, role, password)
            cursor.execute(f"GRANT CONNECT ON DATABASE {database} TO {name}")
            cursor.execute(f"GRANT USAGE ON SCHEMA public TO {name}")
            cursor.execute(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {name}")
            granted[role] = 0
            for table, privileges in rights(role, owned):
                cursor.execute(f"GRANT {', '.join(privileges)} ON {quote(table)} TO {name}")
                granted[role] += 1
            # Numbers of new rows come from identity columns, which need no right. Backups read their state.
            if role in (WEB, BACKUP):
                cursor.execute(f"GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO {name}")
    return granted


def _create(cursor: Any, role: str, password: str) -> None:
    """Create a role without further rights on the server, or change its password, which the server never sees."""
    name = name_of(role)
    cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
    verb = "ALTER" if cursor.fetchone() else "CREATE"
    verifier = encrypt_password(password, name, cursor.connection, "scram-sha-256")
    cursor.execute(f"{verb} ROLE {connection.ops.quote_name(name)} LOGIN PASSWORD %s", [verifier])
