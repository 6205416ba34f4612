"""A data folder of an older layout is recognised before anything is done with it."""

import json
import os
import sqlite3
import subprocess
import sys

import pytest
from django.conf import settings

from operations.services import layout


def run_on(folder):
    return subprocess.run(
        [sys.executable, "manage.py", "run", "--port", "1"],
        cwd=settings.ROOT,
        env={**os.environ, "PODIUM_DATA": str(folder), "PODIUM_TLS": "0"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def make_database(folder):
    with sqlite3.connect(folder / "podium.sqlite3") as database:
        database.execute("CREATE TABLE django_migrations (app TEXT)")


def test_a_new_folder_is_not_older(tmp_path):
    assert not layout.is_older(tmp_path)


def test_a_database_that_was_only_opened_is_not_older(tmp_path):
    with sqlite3.connect(tmp_path / "podium.sqlite3") as database:
        database.execute("PRAGMA journal_mode=WAL")
    assert not layout.is_older(tmp_path)


def test_a_database_without_a_marker_is_older(tmp_path):
    make_database(tmp_path)
    assert layout.is_older(tmp_path)


def test_a_database_with_the_marker_of_this_code_is_not_older(tmp_path):
    make_database(tmp_path)
    layout.mark(tmp_path)
    assert not layout.is_older(tmp_path)


def marked(folder, change):
    layout.mark(folder)
    file = folder / "layout.json"
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content["migrations"].update(accounts="0" * 16),
        lambda content: content["migrations"].update(an_app_that_is_gone="0" * 16),
        lambda content: content.update(files=layout.FILES - 1),
        lambda content: content.pop("migrations"),
        lambda content: content.update(migrations=3),
    ],
    ids=["first migration rewritten", "app removed", "files elsewhere", "no migrations", "nonsense"],
)
def test_a_marker_that_this_code_cannot_follow_is_older(tmp_path, change):
    marked(tmp_path, change)
    assert layout.is_older(tmp_path)


def test_an_app_that_came_later_does_not_make_a_folder_older(tmp_path):
    marked(tmp_path, lambda content: content["migrations"].pop("accounts"))
    assert not layout.is_older(tmp_path)


def test_comments_in_a_first_migration_do_not_make_a_folder_older(tmp_path, monkeypatch):
    migrations = tmp_path / "platform" / "challenges" / "migrations"
    migrations.mkdir(parents=True)
    first = migrations / "0001_initial.py"
    monkeypatch.setattr(settings, "ROOT", tmp_path)
    first.write_text("# Generated on a Monday\noperations = []\n")
    layout.mark(tmp_path)
    first.write_text("# Generated on a Tuesday\n\noperations = []\n")
    assert not layout.is_older(tmp_path)
    first.write_text("operations = [1]\n")
    assert layout.is_older(tmp_path)


def test_run_says_so_in_one_sentence_and_touches_nothing(tmp_path):
    make_database(tmp_path)
    before = (tmp_path / "podium.sqlite3").read_bytes()
    result = run_on(tmp_path)
    assert result.returncode != 0
    assert result.stderr.strip() == f"CommandError: {layout.refusal(tmp_path)}"
    assert result.stderr.count(". ") == 0
    assert (tmp_path / "podium.sqlite3").read_bytes() == before
    assert not (tmp_path / "run").exists()


def test_migrating_an_empty_database_marks_the_folder(tmp_path):
    code = (
        "import django; django.setup(); from operations.services import layout; from django.conf import settings;"
        "layout.mark_new_database(using='default'); print(layout.is_older(settings.PODIUM_DATA))"
    )
    paths = os.pathsep.join([str(settings.ROOT / "platform"), str(settings.ROOT)])
    environment = {"PODIUM_DATA": str(tmp_path), "PYTHONPATH": paths, "DJANGO_SETTINGS_MODULE": "config.settings"}
    result = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "False"
    assert (tmp_path / "layout.json").exists()
