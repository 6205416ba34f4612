"""A first start begins with a database that was migrated before, and with nothing that does not fit."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from django.conf import settings

from operations.management.commands.run import Command
from operations.services import first_database, layout
from tests import databases


def tables(path):
    with closing(sqlite3.connect(path)) as database:
        return {name for (name,) in database.execute("SELECT name FROM sqlite_master")}


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """An environment of libraries, and a data folder without a database."""
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "environment"))
    (tmp_path / "environment").mkdir()
    monkeypatch.setattr(settings, "PODIUM_DATA", data)
    database = {
        **settings.DATABASES["default"],
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": data / "podium.sqlite3",
    }
    monkeypatch.setattr(settings, "DATABASES", {"default": database})
    return tmp_path / "environment"


@pytest.fixture
def migrating(environment, monkeypatch):
    """Names of the called commands, with a stand-in for the result of migrations."""
    called = []

    def migrate(command, **_options):
        called.append(command)
        with closing(sqlite3.connect(first_database.wanted())) as database:
            database.executescript("PRAGMA journal_mode=WAL; CREATE TABLE django_migrations (app TEXT)")

    monkeypatch.setattr("operations.management.commands.run.call_command", migrate)
    return called


def begun_anew():
    settings.DATABASES["default"]["NAME"].unlink()
    (settings.PODIUM_DATA / "layout.json").unlink(missing_ok=True)
    Command._tables()


def test_only_the_first_start_of_all_migrates(migrating):
    Command._tables()
    begun_anew()
    assert migrating == ["migrate"]
    assert tables(settings.DATABASES["default"]["NAME"]) == {"django_migrations"}


def test_a_folder_that_began_with_a_copy_has_the_present_layout(migrating):
    Command._tables()
    begun_anew()
    assert json.loads((settings.PODIUM_DATA / "layout.json").read_text()) == layout.current()
    assert not layout.is_older(settings.PODIUM_DATA)


def test_a_database_that_is_there_is_migrated_and_never_kept(migrating, environment, monkeypatch):
    with closing(sqlite3.connect(settings.DATABASES["default"]["NAME"])) as database:
        database.execute("CREATE TABLE of_people (name TEXT)")
    monkeypatch.setattr("operations.management.commands.run.call_command", lambda *_, **__: migrating.append("migrate"))
    Command._tables()
    assert migrating == ["migrate"]
    assert not list(environment.rglob("*.sqlite3"))


def test_another_migration_needs_another_database(environment, tmp_path, monkeypatch):
    code = tmp_path / "code"
    migration = code / "platform" / "audit" / "migrations" / "0001_initial.py"
    migration.parent.mkdir(parents=True)
    (code / "requirements.txt").write_text("django==1\n")
    monkeypatch.setattr(first_database, "_ROOT", code)
    migration.write_text("a = 1\n")
    before = first_database.place()
    migration.write_text("a = 2\n")
    assert first_database.place() != before


def test_four_are_kept(environment, migrating, monkeypatch):
    for number in range(6):
        monkeypatch.setattr(first_database, "digest", lambda number=number: f"state-{number}")
        settings.DATABASES["default"]["NAME"].unlink(missing_ok=True)
        Command._tables()
        os.utime(first_database.place(), (number, number))
    assert sorted(path.stem for path in environment.rglob("*.sqlite3")) == [f"state-{n}" for n in (2, 3, 4, 5)]


def test_an_environment_that_belongs_to_others_as_well_gets_none(migrating, environment, monkeypatch):
    monkeypatch.setattr(sys, "base_prefix", sys.prefix)
    Command._tables()
    begun_anew()
    assert migrating == ["migrate", "migrate"]
    assert not list(environment.rglob("*.sqlite3"))


def test_a_database_server_is_migrated(migrating, environment, monkeypatch):
    monkeypatch.setitem(settings.DATABASES["default"], "ENGINE", "django.db.backends.postgresql")
    assert first_database.wanted() is None


def test_what_was_kept_is_all_that_a_migration_makes(environment):
    """Triggers included; a migration has nothing left to do."""
    migrated = databases.FOLDER / f"{databases.digest()}.sqlite3"
    if not migrated.exists():
        own = {**os.environ, "PYTHONPATH": str(settings.ROOT / "platform")}
        made = [sys.executable, "-m", "tests.databases"]
        subprocess.run(made, cwd=settings.ROOT, env=own, check=True, timeout=300)
    first_database.keep(migrated)
    path = first_database.wanted()
    assert first_database.copy(path)
    assert "audit_entry_no_update" in tables(path)
    own = {**os.environ, "PODIUM_DATA": str(path.parent), "DATABASE_URL": "embedded"}
    checked = [sys.executable, "manage.py", "migrate", "--check"]
    subprocess.run(checked, cwd=settings.ROOT, env=own, check=True, timeout=120)
