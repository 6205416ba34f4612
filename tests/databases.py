"""Test databases, migrated once for each state of the migrations and copied from then on.

Migrating an empty database takes longer than most test files, and every process of a run needs a separate database.
A migrated database is therefore kept: as a file for SQLite, as a database to copy from on a PostgreSQL server. Its name
contains a digest of everything that it depends on, so any change there triggers a new migration.

``python -m tests.databases`` creates it in advance. A run of pytest does so after the collection if a collected test needs
a database: no test has the time for migrations, and a test that fails by its time limit would not say why.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path

import django
import pytest
from django.conf import settings
from django.db import connection
from django.db.backends.base.creation import BaseDatabaseCreation
from django.db.backends.postgresql.creation import DatabaseCreation as PostgresCreation

from operations.services import first_database

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "data" / "checks" / "databases"
PREFIX = "podium_migrated_"
# Migrated databases of so many states are kept: those of the branches that somebody changes between.
KEPT = 4
FIXTURES = frozenset({"db", "transactional_db", "django_db_setup", "live_server"})
"""Fixtures of a test that needs a database; all other fixtures with a database request one of them."""
# Any number, as long as nobody else takes it: the first half of the locks that are held on the server to make or copy.
LOCK = 7_406_213

Create = Callable[..., str]


def install() -> None:
    """Let test databases be copied."""
    if not hasattr(BaseDatabaseCreation.create_test_db, "migrates"):
        BaseDatabaseCreation.create_test_db = _copying(BaseDatabaseCreation.create_test_db)
        PostgresCreation._destroy_test_db = _drop


def _drop(self: PostgresCreation, test_database_name: str, verbosity: int) -> None:
    """Drop it also while a thread that a test began still has its session, which ends with the process a moment later."""
    with self._nodb_cursor() as cursor:
        cursor.execute(f"DROP DATABASE {self.connection.ops.quote_name(test_database_name)} WITH (FORCE)")


def digest(owner: str = "") -> str:
    """Of all that a test database depends on; on a server, it can be copied by its owner only, so each has their own."""
    return first_database.digest(owner, more=[Path(__file__)])


def _copying(migrate: Create) -> Create:
    def create_test_db(
        self: BaseDatabaseCreation,
        verbosity: int = 1,
        autoclobber: bool = False,
        serialize: bool = True,
        keepdb: bool = False,
    ) -> str:
        def made() -> str:
            return migrate(self, verbosity=verbosity, autoclobber=autoclobber, serialize=serialize, keepdb=keepdb)

        copy = {"sqlite": _file, "postgresql": _database}.get(self.connection.vendor)
        if copy is None or serialize or keepdb or not autoclobber:
            return made()
        name = copy(self, made)
        settings.DATABASES[self.connection.alias]["NAME"] = name
        self.connection.settings_dict["NAME"] = name
        self.connection.ensure_connection()
        _know_content_types()
        return name

    create_test_db.migrates = migrate
    return create_test_db


def _know_content_types() -> None:
    """Read what a migration leaves in memory, so that no test pays queries for being the first to need it."""
    from django.apps import apps
    from django.contrib.contenttypes.models import ContentType

    ContentType.objects.get_for_models(*apps.get_models(), for_concrete_models=False)


def _file(creation: BaseDatabaseCreation, migrate: Callable[[], str]) -> str:
    """Create a database file for this process by copying the migrated file."""
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
    except OSError:
        return migrate()
    source = FOLDER / f"{digest()}.sqlite3"
    with source.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if source.exists():
            name = creation._create_test_db(verbosity=0, autoclobber=True)
            creation.connection.close()
            shutil.copyfile(source, name)
            os.utime(source)
            return name
        name = migrate()
        # Closing the last connection moves what stands in the log into the file.
        creation.connection.close()
        shutil.copyfile(name, source.with_suffix(".new"))
        source.with_suffix(".new").replace(source)
        for old in sorted(FOLDER.glob("*.sqlite3"), key=lambda file: file.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)
            old.with_suffix(".lock").unlink(missing_ok=True)
    return name


def _database(creation: BaseDatabaseCreation, migrate: Callable[[], str]) -> str:
    """A database on the server, copied from the migrated one."""
    name, quote = creation._get_test_db_name(), creation.connection.ops.quote_name
    with creation._nodb_cursor() as cursor:
        cursor.execute("SELECT current_user")
        source = f"{PREFIX}{digest(cursor.fetchone()[0])}"
        # Held until this connection ends.
        cursor.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", [LOCK, source])
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [source])
        if cursor.fetchone():
            creation.connection.close()
            cursor.execute(f"DROP DATABASE IF EXISTS {quote(name)}")
            cursor.execute(f"CREATE DATABASE {quote(name)} TEMPLATE {quote(source)}")
            return name
        migrate()
        creation.connection.close()
        cursor.execute(f"CREATE DATABASE {quote(source)} TEMPLATE {quote(name)}")
        cursor.execute(
            "SELECT datname FROM pg_database JOIN pg_roles ON pg_roles.oid = datdba "
            "WHERE datname LIKE %s AND rolname = current_user ORDER BY pg_database.oid DESC OFFSET %s",
            [PREFIX.replace("_", r"\_") + "%", KEPT],
        )
        for (old,) in cursor.fetchall():
            cursor.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", [LOCK, old])
            if cursor.fetchone()[0]:
                cursor.execute(f"DROP DATABASE IF EXISTS {quote(old)}")
    return name


def is_needed(items: Iterable[pytest.Item]) -> bool:
    """Return whether any test needs a database."""
    return any(
        item.get_closest_marker("django_db") or not FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
        for item in items
    )


def is_there(unblock: Callable[[], AbstractContextManager[None]]) -> bool:
    """Return whether the migrated database of this state exists.

    Parameters
    ----------
    unblock
        Allows access to databases, which pytest-django prohibits outside of tests.
    """
    if connection.vendor == "sqlite":
        return (FOLDER / f"{digest()}.sqlite3").is_file()
    with unblock(), connection.creation._nodb_cursor() as cursor:
        cursor.execute("SELECT current_user")
        source = f"{PREFIX}{digest(cursor.fetchone()[0])}"
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [source])
        return cursor.fetchone() is not None


def prepare(unblock: Callable[[], AbstractContextManager[None]], report: Callable[[str], None]) -> None:
    """Create the migrated database of this state in another process, unless it exists.

    Of several processes that start at the same time, one creates it and the others wait. If it cannot be created, the
    output is reported, and the first test with a database fails.

    Parameters
    ----------
    unblock
        As in `is_there`.
    report
        Prints a message.
    """
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
        lock = (FOLDER / "preparing.lock").open("w")
    except OSError:
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_there(unblock):
            return
        report("Migrating an empty database, once for this state of the migrations …")
        made = subprocess.run(
            [sys.executable, "-m", "tests.databases"],
            check=False,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}{os.pathsep}{ROOT}"},
            capture_output=True,
            text=True,
        )
        report("The migrated database is ready." if made.returncode == 0 else f"{made.stdout}{made.stderr}")


def main() -> None:
    """Make the migrated database of this state, unless it is there."""
    import tests.environment  # noqa: F401

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    install()
    connection.settings_dict["TEST"]["NAME"] = f"{connection.creation._get_test_db_name()}_beforehand"
    name = connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    connection.creation.destroy_test_db(name, verbosity=0)


if __name__ == "__main__":
    main()
