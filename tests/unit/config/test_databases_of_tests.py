"""Integration tests run on both databases. Those that run on one have a reason, and one command runs them on PostgreSQL."""

import ast
from pathlib import Path

from tests import run, statements
from tests.sources import nodes, parsed

MARK = "any_database"
TABLE = {
    "tests/integration/marks.py": "Gives the reason that a file passes on.",
    "tests/integration/results/test_case_visibility.py": "Visibility of files and stored values, which no query compares.",
}
"""Reasons of files that do not name them."""


def reasons() -> dict[str, list[str]]:
    """Return the reasons of each file whose tests run on the default database alone."""
    found: dict[str, list[str]] = {}
    for path in sorted((run.ROOT / "tests" / "integration").rglob("*.py")):
        all_nodes = nodes(path.read_text(encoding="utf-8"))
        marks = sum(isinstance(node, ast.Attribute) and node.attr == MARK for node in all_nodes)
        texts = [
            node.args[0].value
            for node in all_nodes
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == MARK
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ]
        if marks:
            name = path.relative_to(run.ROOT).as_posix()
            found[name] = [TABLE[name]] if name in TABLE else [*texts, *[""] * (marks - len(texts))]
    return found


def is_on_one(path: Path) -> bool:
    """Return whether a mark of the module applies to all its tests."""
    return any(
        isinstance(statement, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == "pytestmark" for target in statement.targets)
        and MARK in ast.dump(statement)
        for statement in parsed(path.read_text(encoding="utf-8")).body
    )


def test_each_file_on_one_database_has_a_reason():
    assert [path for path, texts in reasons().items() if not all(text.endswith(".") for text in texts)] == []


def test_a_file_that_covers_for_another_runs_on_both_databases():
    wrong = []
    for path, texts in reasons().items():
        for name in (part for text in texts for part in text.split("`")[1::2]):
            folder = run.ROOT / "tests" / "integration" if "/" in name else (run.ROOT / path).parent
            if not (folder / name).is_file() or is_on_one(folder / name):
                wrong.append((path, name))
    assert wrong == []


def test_one_command_runs_all_of_them_on_postgresql(monkeypatch, capsys):
    (leg,) = run.planned("postgres", ()).computing
    assert leg.services
    assert leg.command[-1] == "tests/integration"
    assert not any(MARK in part for part in leg.command)
    monkeypatch.setattr(run, "browser_lacks", lambda: "")
    (walks,) = run.planned("postgres", ()).waiting
    assert walks.services
    assert set(run.WALKS) <= set(walks.command)
    monkeypatch.delenv("REDIS_URL", raising=False)
    monkeypatch.setenv("DATABASE_URL", "postgres://somewhere")
    assert run.main("postgres") == 2
    assert "Set REDIS_URL to run" in capsys.readouterr().out


def test_that_command_runs_every_walk_that_the_suite_runs_on_postgresql():
    walks = [run.ROOT / name for name in run.WALKS]
    assert [path for path in walks if not path.exists()] == []
    marked = [path for path in (run.ROOT / "tests").rglob("test_*.py") if "mark.services" in path.read_text("utf-8")]
    others = [path for path in marked if "integration" not in path.parts and "unit" not in path.parts]
    assert others
    assert [path for path in others if not any(path.is_relative_to(walk) for walk in walks)] == []


def test_statements_are_compared_without_values():
    one = statements.shape("INSERT INTO t (a, b) VALUES (%s, %s), (%s, %s)")
    assert one == statements.shape("INSERT INTO t (a, b) VALUES (%s, %s)")
    assert statements.shape("SELECT a FROM t WHERE b = 'x'") == statements.shape("SELECT a FROM t WHERE b = 'y'")
    assert statements.shape("SELECT a FROM t") != statements.shape("SELECT a FROM u")


def test_the_choice_executes_every_statement_and_contains_what_is_needed_anyway():
    records = {
        "all": statements.Record({"1", "2", "3"}, seconds=9),
        "two": statements.Record({"1", "2"}, seconds=1),
        "third": statements.Record({"3"}, seconds=1),
        "same as third": statements.Record({"3"}, seconds=2),
        "a race": statements.Record({"1"}, seconds=1),
    }
    assert statements.chosen(records) == {"a race", "two", "third"}


def test_every_listed_test_exists():
    functions: dict[str, set[str]] = {}
    missing = []
    for name in sorted(statements.listed()):
        path, *_, function = name.split("::")
        if path not in functions:
            file = run.ROOT / path
            text = file.read_text(encoding="utf-8") if file.is_file() else ""
            functions[path] = {node.name for node in nodes(text) if isinstance(node, ast.FunctionDef)}
        if function not in functions[path]:
            missing.append(name)
    assert missing == [], "Run `python -m tests.statements`, or remove these lines from its list."
