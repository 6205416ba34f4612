"""The backup drill of docs/operators/backup.md: back up, attack the backup, restore elsewhere, verify, break.

It runs in separate processes. With `DATABASE_URL` it runs against databases that it creates on that server, with
PostgreSQL's programs.
"""

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings

from tests import databases as kept

ROOT = settings.ROOT
SERVER = os.environ.get("DATABASE_URL", "")


def _ask_server(statement: str) -> list[tuple]:
    import psycopg2

    link = psycopg2.connect(SERVER)
    try:
        link.autocommit = True
        cursor = link.cursor()
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []
    finally:
        link.close()


def _migrated() -> str:
    """The migrated database that other tests left on the server; without one, the drill migrates, which takes longer."""
    name = f"{kept.PREFIX}{kept.digest(urlsplit(SERVER).username or '')}"
    return name if (name,) in _ask_server("SELECT datname FROM pg_database") else "template0"


@pytest.fixture
def databases(django_db_setup, tmp_path) -> Iterator[list[str]]:
    """Addresses of a migrated database and of an empty one; without a server the embedded ones, in the data folders."""
    for name in ("data", "restored"):
        (tmp_path / name).mkdir(mode=0o700)
    if not SERVER:
        migrated = kept.FOLDER / f"{kept.digest()}.sqlite3"
        if migrated.exists():  # otherwise the drill migrates it, which takes longer
            shutil.copyfile(migrated, tmp_path / "data" / "podium.sqlite3")
        yield ["", ""]
        return
    names = [f"podium_drill_{secrets.token_hex(6)}" for _ in range(2)]
    for name, source in zip(names, (_migrated(), "template0"), strict=True):
        _ask_server(f"CREATE DATABASE \"{name}\" ENCODING 'UTF8' TEMPLATE {source}")
    yield [f"{SERVER.rpartition('/')[0]}/{name}" for name in names]
    for name in names:
        _ask_server(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def _run(part: str, folder: Path, data: Path, database: str) -> None:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("PODIUM_", "DATABASE_", "REDIS_"))
    }
    environment = {
        **inherited,
        "PYTHONPATH": f"{ROOT / 'platform'}{os.pathsep}{ROOT}",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PODIUM_DATA": str(data),
        "PODIUM_TLS": "0",
        "DATABASE_URL": database or "embedded",
    }
    words = [sys.executable, "-m", "tests.integration.operations.drill", part, str(folder)]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_was_backed_up_comes_back_and_nothing_that_was_changed_passes(databases, tmp_path):
    _run("original", tmp_path, tmp_path / "data", databases[0])
    _run("restored", tmp_path, tmp_path / "restored", databases[1])
