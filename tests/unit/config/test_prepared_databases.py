"""The migrated database is created before the first test is timed, and only if a test needs it."""

import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest, databases


class Item:
    def __init__(self, *fixtures: str, mark: str = "") -> None:
        self.fixturenames, self.mark = fixtures, mark

    def get_closest_marker(self, name: str) -> object:
        return self.mark if self.mark == name else None


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return the commands that a preparation runs in an empty folder; they create nothing."""
    commands: list[list[str]] = []

    def run(command: list[str], **_options: Any) -> SimpleNamespace:
        commands.append(command)
        return SimpleNamespace(returncode=0, stdout="", stderr="")

    monkeypatch.setattr(databases, "FOLDER", tmp_path / "databases")
    monkeypatch.setattr(databases.connection, "vendor", "sqlite")
    monkeypatch.setattr(subprocess, "run", run)
    return commands


@pytest.mark.parametrize(
    ("item", "is_needed"),
    [
        (Item(mark="django_db"), True),
        (Item("tmp_path", "db"), True),
        (Item("transactional_db"), True),
        (Item("tmp_path", mark="slow"), False),
    ],
)
def test_a_database_is_needed_for_a_mark_or_a_fixture(item: Any, is_needed: bool) -> None:
    assert databases.is_needed([Item(), item]) is is_needed


def test_a_missing_database_is_created_in_another_process_with_a_message(runs: list[list[str]]) -> None:
    messages: list[str] = []
    databases.prepare(nullcontext, messages.append)
    assert runs == [[sys.executable, "-m", "tests.databases"]]
    assert messages[0].startswith("Migrating an empty database")


def test_a_database_of_this_state_is_not_created_again(runs: list[list[str]]) -> None:
    messages: list[str] = []
    databases.FOLDER.mkdir()
    (databases.FOLDER / f"{databases.digest()}.sqlite3").touch()
    databases.prepare(nullcontext, messages.append)
    assert (runs, messages) == ([], [])


def test_the_output_of_a_failed_preparation_is_shown(runs: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    failed = SimpleNamespace(returncode=1, stdout="", stderr="no such column")
    monkeypatch.setattr(subprocess, "run", lambda *_arguments, **_options: failed)
    messages: list[str] = []
    databases.prepare(nullcontext, messages.append)
    assert messages[-1] == "no such column"


@pytest.mark.parametrize(
    ("item", "collectonly", "times"), [(Item("db"), False, 1), (Item(), False, 0), (Item("db"), True, 0)]
)
def test_a_run_prepares_at_the_end_of_its_collection(
    item: Item, collectonly: bool, times: int, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    prepared: list[object] = []
    monkeypatch.setattr(databases, "prepare", lambda *arguments: prepared.append(arguments))
    config = SimpleNamespace(option=SimpleNamespace(collectonly=collectonly), stash=request.config.stash)
    conftest.pytest_collection_finish(SimpleNamespace(items=[item], config=config))
    assert len(prepared) == times
