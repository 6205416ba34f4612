"""SQL statements of integration tests, and the tests that PostgreSQL needs.

Two databases answer differently where a statement does, not where a test does. A second database therefore runs a
choice of tests that executes every statement, and every test whose name says that it depends on the database in other
ways (`DEPENDS`): by values that databases compare or store differently, or by simultaneous work. The other tests are listed in `LISTED`. A new test is not listed
and runs on both databases.

``python -m tests.statements`` records all integration tests on SQLite, without those with the mark `any_database`, and
writes the list. The choice is the greedy one: again and again the test with the most new statements per second.

As a plugin (``-p tests.statements``), with a folder named by `VARIABLE`, it records the statements of each test.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Collection, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LISTED = Path(__file__).with_suffix(".txt")
"""Tests whose statements other tests execute, one per line, without parameters."""
VARIABLE = "PODIUM_STATEMENTS"
"""Environment variable that names the folder of records."""
MARK = "any_database"
DEPENDS = re.compile(
    "hostile|fuzz|null?_|long|sort|order|search|unique|upgrade|twice|once|race|same_time|concurren|simultan|exclusive|"
    "many_workers|slot|lock|lease|rolled_back|killed|deadline"
)
"""Words in names of tests that depend on the database in other ways than by their statements."""
PLACEHOLDERS = re.compile(r"%s(?:, %s)+")
ROWS = re.compile(r"\((?:%s(?:, )?)+\)(?:, \((?:%s(?:, )?)+\))+")
LITERALS = re.compile(r"'[^']*'|\b\d+\b|\bs\d+_x\d+\b")


def shape(sql: str) -> str:
    """Return a statement without its values: numbers, texts, and the lengths of lists.

    >>> shape("SELECT a FROM t WHERE b IN (%s, %s, %s) LIMIT 21")
    'SELECT a FROM t WHERE b IN (%s) LIMIT ?'
    """
    return LITERALS.sub("?", PLACEHOLDERS.sub("%s", ROWS.sub("(%s)", sql)))


@dataclass
class Record:
    """Statements of one test function, with all its parameters.

    Attributes
    ----------
    shapes
        Statements without values (`shape`).
    seconds
        CPU seconds of all parameters.
    """

    shapes: set[str] = field(default_factory=set)
    seconds: float = 0.0


def function_of(test: str) -> str:
    """Return the name of a test without its parameters.

    >>> function_of("tests/a.py::TestB::test_c[d::e]")
    'tests/a.py::TestB::test_c'
    """
    return test.partition("[")[0]


def chosen(records: Mapping[str, Record]) -> set[str]:
    """Return the tests that execute every statement, and those that depend on the database in other ways."""
    choice = set(filter(DEPENDS.search, records))
    covered = set().union(*(records[name].shapes for name in choice))
    left = {name: record.shapes - covered for name, record in records.items() if name not in choice}
    while left := {name: shapes for name, shapes in left.items() if shapes}:
        best = max(sorted(left), key=lambda name: len(left[name]) / (records[name].seconds + 0.05))
        choice.add(best)
        covered |= left.pop(best)
        left = {name: shapes - covered for name, shapes in left.items()}
    return choice


def listed() -> frozenset[str]:
    """Return the tests that run on SQLite alone."""
    return frozenset(LISTED.read_text("utf-8").split())


def is_listed(test: str, names: Collection[str]) -> bool:
    """Return whether a test is among these names, which have no parameters."""
    return function_of(test) in names


def read(folder: Path) -> dict[str, Record]:
    """Return the records of all processes that wrote to a folder."""
    records: dict[str, Record] = defaultdict(Record)
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            entry = json.loads(line)
            record = records[function_of(entry["test"])]
            record.shapes.update(entry["shapes"])
            record.seconds += entry["seconds"]
    return dict(records)


class Recorder:
    """Plugin that writes the statements of each test to a file of its process."""

    def __init__(self, folder: Path) -> None:
        from django.db.backends.utils import CursorWrapper

        self.file = (folder / f"{os.getpid()}.jsonl").open("a", encoding="utf-8")
        self.shapes: set[str] = set()
        self.known: dict[str, str] = {}
        execute = CursorWrapper._execute_with_wrappers

        def recorded(cursor: object, sql: object, *arguments: object, **options: object) -> object:
            text = str(sql)
            if text not in self.known:
                self.known[text] = shape(text)
            self.shapes.add(self.known[text])
            return execute(cursor, sql, *arguments, **options)

        CursorWrapper._execute_with_wrappers = recorded

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, bool, bool]:
        """Write what a test with its fixtures executes."""
        self.shapes.clear()
        before = time.process_time()
        try:
            return (yield)
        finally:
            entry = {
                "test": item.nodeid,
                "shapes": sorted(self.shapes),
                "seconds": round(time.process_time() - before, 3),
            }
            self.file.write(json.dumps(entry) + "\n")
            self.file.flush()


def pytest_configure(config: pytest.Config) -> None:
    """Record, where a folder is named."""
    if folder := os.environ.get(VARIABLE):
        config.pluginmanager.register(Recorder(Path(folder)))


def write(records: Mapping[str, Record]) -> None:
    """Write the list of the tests that are not chosen."""
    names = sorted(set(records) - chosen(records))
    LISTED.write_text("".join(f"{name}\n" for name in names), "utf-8")


def main(arguments: Iterable[str] = ()) -> int:
    """Record all integration tests, or the named ones, and write the list; returns the exit code of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "tests.statements", "-m", f"not {MARK}"]
        environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
        done = subprocess.run(
            [*command, *(arguments or ("tests/integration",))],
            cwd=ROOT,
            env={**environment, VARIABLE: folder},
            check=False,
        )
        if done.returncode == 0:
            records = read(Path(folder))
            write(records)
            print(f"{len(listed())} of {len(records)} tests run on SQLite alone.")
        return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
