"""Copies of the database, of either kind, that are consistent while the installation runs."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from django.db import connection, transaction

from evaluation import durable
from operations.domain.backups import BackupError

NAMES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
NO_HEAD = (0, "")
"""End of a chain without entries."""
_HEAD = "SELECT sequence, digest FROM audit_head WHERE id = 1"
_SECONDS = 24 * 3600


def dump(path: Path) -> tuple[int, str]:
    """Write the state of the database at one moment into a file; returns the end of the audit chain at that moment.

    Raises
    ------
    BackupError
        When the program that PostgreSQL brings for this is missing or fails.
    """
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        address = f"file:{connection.settings_dict['NAME']}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as source, closing(sqlite3.connect(path)) as copy:
            source.backup(copy)
            # One file, whatever the original keeps beside it.
            copy.execute("PRAGMA journal_mode=DELETE")
            row = copy.execute(_HEAD).fetchone()
        return row or NO_HEAD
    # What this connection reads and what the program writes are the same snapshot, whoever adds entries meanwhile.
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute(_HEAD)
        row = cursor.fetchone()
        cursor.execute("SELECT pg_export_snapshot()")
        _run(
            "pg_dump",
            "--format=custom",
            "--no-owner",
            "--no-privileges",
            f"--snapshot={cursor.fetchone()[0]}",
            f"--file={path}",
        )
    return row or NO_HEAD


def load(path: Path) -> None:
    """Fill the empty database with a copy.

    Raises
    ------
    BackupError
        When there are tables already, or PostgreSQL's program is missing or fails.
    """
    if tables := connection.introspection.table_names():
        raise BackupError(
            f"The database is not empty ({len(tables)} tables): restore into an empty one, before anything has migrated it."
        )
    if connection.vendor == "sqlite":
        name = Path(connection.settings_dict["NAME"])
        connection.close()
        for suffix in ("", "-wal", "-shm"):
            name.with_name(name.name + suffix).unlink(missing_ok=True)
        durable.copy(path, name, mode=0o600)
        return
    connection.close()
    # Rights belong to roles, which the server of the copy may not have; `database_roles` grants them again.
    options = ("--no-owner", "--no-privileges", "--exit-on-error")
    _run("pg_restore", *options, f"--dbname={connection.settings_dict['NAME']}", str(path))


def problem(path: Path, vendor: str) -> str:
    """Return the problem with a database copy, as far as it is detectable without a restore.

    The result is empty if the copy is readable.
    """
    if vendor == "sqlite":
        try:
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
                integrity = database.execute("PRAGMA integrity_check").fetchone()[0]
        except sqlite3.DatabaseError as error:
            return str(error)
        return "" if integrity == "ok" else str(integrity)
    try:
        _run("pg_restore", "--list", str(path), quiet=True)
    except BackupError as error:
        return str(error)
    return ""


def _run(program: str, *arguments: str, quiet: bool = False) -> None:
    if shutil.which(program) is None:
        raise BackupError(
            f"{program} is missing: install PostgreSQL's client programs of at least the server's version."
        )
    database_settings = connection.settings_dict
    given = {
        "PGHOST": database_settings["HOST"],
        "PGPORT": database_settings["PORT"],
        "PGUSER": database_settings["USER"],
        "PGPASSWORD": database_settings["PASSWORD"],
    }
    # By the environment: arguments of a process can be read by others on the machine.
    environment = {
        **os.environ,
        "PGDATABASE": str(database_settings["NAME"]),
        **{key: str(value) for key, value in given.items() if value},
    }
    done = subprocess.run(  # noqa: S603 (a program of PostgreSQL; nothing of it comes from people)
        [program, *arguments], env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    if done.returncode:
        raise BackupError(f"{program} failed: {done.stderr.strip()[-1000:] if not quiet else 'the file is no dump'}")
