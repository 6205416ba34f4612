"""A release is upgraded: its database comes up to date, nothing is lost, and the tables are those of a new one."""

import json
import os
import subprocess
import sys
import uuid

import psycopg2
import pytest
from django.conf import settings
from django.db import connection

from operations.services import layout
from tests import databases, releases
from tests.e2e.installation import create_database, drop_database

IN = [*releases.versions()]


def asked(environment: dict[str, str], *words: str) -> str:
    """Return the standard output of a command of an installation."""
    paths = f"{settings.ROOT / 'platform'}{os.pathsep}{settings.ROOT}"
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=settings.ROOT,
        env={**os.environ, "PODIUM_TLS": "0", "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def holds_all(environment: dict[str, str], before: dict) -> None:
    """Everything that the release counted is there, and both chains hold."""
    assert json.loads(asked(environment, "shell", "-v", "0", "-c", releases.COUNTED).splitlines()[-1]) == before
    asked(environment, "verify_audit")


@pytest.mark.parametrize("version", IN)
def test_migrations_of_a_release_are_never_written_anew(version):
    """An installation of that release has applied them; what it would get by others, it never gets."""
    of_release, now = releases.facts(version)["migrations"], releases.migrations()
    assert {name: now.get(name) for name in of_release} == of_release


@pytest.mark.parametrize("version", IN)
def test_a_data_folder_that_a_release_marked_is_accepted(version, tmp_path):
    """Digests in the folder were computed with the module names of that release."""
    first = {
        name.removesuffix("/0001_initial"): digest
        for name, digest in releases.facts(version)["migrations"].items()
        if name.endswith("/0001_initial")
    }
    assert {"audit", "workbench"} <= first.keys()
    (tmp_path / "layout.json").write_text(json.dumps({"files": layout.FILES, "migrations": first}))
    assert not layout.is_older(tmp_path)
    (tmp_path / "layout.json").write_text(json.dumps({"files": layout.FILES, "migrations": first | {"audit": "0"}}))
    assert layout.is_older(tmp_path)


@pytest.mark.any_database("Its folder contains a SQLite database on each leg.")
@pytest.mark.parametrize("version", IN)
def test_a_folder_of_a_release_is_brought_up_to_date(version, tmp_path):
    releases.read(releases.kept(version, "sqlite.sql"), tmp_path / "podium.sqlite3")
    environment = {"PODIUM_DATA": str(tmp_path), "DATABASE_URL": "embedded", "REDIS_URL": "embedded"}
    asked(environment, "migrate")
    holds_all(environment, releases.facts(version)["databases"]["sqlite"])
    new = databases.FOLDER / f"{databases.digest()}.sqlite3"
    if not new.exists():  # as where only tests on PostgreSQL run
        make = [sys.executable, "-m", "tests.databases"]
        paths = f"{settings.ROOT / 'platform'}{os.pathsep}{settings.ROOT}"
        without = {**os.environ, "DATABASE_URL": "embedded", "REDIS_URL": "embedded", "PYTHONPATH": paths}
        subprocess.run(make, cwd=settings.ROOT, env=without, capture_output=True, check=True)
    assert tables(releases.written(tmp_path / "podium.sqlite3")) == tables(releases.written(new))


@pytest.mark.services
@pytest.mark.skipif(not os.environ.get("DATABASE_URL"), reason="needs PostgreSQL")
@pytest.mark.parametrize("version", IN)
def test_a_database_of_a_release_is_brought_up_to_date(version, tmp_path):
    name = f"podium_upgrade_{uuid.uuid4().hex[:12]}"
    url = create_database(os.environ["DATABASE_URL"], name)
    try:
        with psycopg2.connect(url) as link, link.cursor() as cursor:
            cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        link.close()
        dump = releases.kept(version, "postgresql.sql")
        words = ["psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", url]
        subprocess.run(words, input=dump, capture_output=True, text=True, check=True)
        environment = {"PODIUM_DATA": str(tmp_path), "DATABASE_URL": url}
        asked(environment, "migrate")
        holds_all(environment, releases.facts(version)["databases"]["postgresql"])
    finally:
        drop_database(os.environ["DATABASE_URL"], name)


def tables(text: str) -> set[str]:
    """Statements that make tables, indexes and triggers, without their order."""
    made = [statement.strip() for statement in text.split(";\n") if statement.lstrip().startswith("CREATE ")]
    return {" ".join(statement.split()) for statement in made}


def test_there_is_a_release_to_upgrade_from():
    assert IN
    assert connection.vendor in {"sqlite", "postgresql"}
