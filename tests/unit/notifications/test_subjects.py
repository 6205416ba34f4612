"""The subject of every message names what it is about: the challenge, or the design, call or table that has no challenge yet."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.sources import nodes

PLATFORM = Path(__file__).parents[3] / "platform"
SENDERS = {"notify", "mail", "Letter", "post_letter"}
# What a reader knows a challenge, design, call or table by.
NAMES = {"title"}
# Messages about the reader's own account or day, and what passes on a subject that was made elsewhere.
OTHERS = {
    "accounts/adapter.py": "letters about the account itself",
    "accounts/notifications/services/__init__.py": "the digest of a day, and what is passed on",
}
PASSED_ON = {"letter", "subject", "target", "where"}


def subjects() -> Iterator[tuple[str, ast.expr]]:
    """Yield every expression that becomes a subject, with its file."""
    for path in sorted(PLATFORM.rglob("*.py")):
        where = str(path.relative_to(PLATFORM))
        if where in OTHERS or "/migrations/" in where:
            continue
        for node in nodes(path.read_text("utf-8")):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in SENDERS:
                given = {keyword.arg: keyword.value for keyword in node.keywords}
                is_letter = getattr(node.func, "id", getattr(node.func, "attr", "")) == "Letter"
                if found := given.get("subject") or (node.args[0] if is_letter and node.args else None):
                    yield f"{where}:{node.lineno}", found
            if isinstance(node, ast.FunctionDef) and node.name == "subject":
                yield from (
                    (f"{where}:{each.lineno}", each.value) for each in ast.walk(node) if isinstance(each, ast.Return)
                )


def names(expression: ast.expr) -> set[str]:
    """All names and attributes of an expression."""
    parts = list(ast.walk(expression))
    return {part.id for part in parts if isinstance(part, ast.Name)} | {
        part.attr for part in parts if isinstance(part, ast.Attribute)
    }


def test_every_subject_names_what_it_is_about():
    nameless = [where for where, said in subjects() if not names(said) & (NAMES | PASSED_ON)]
    assert nameless == []


def test_the_subjects_were_found():
    assert len(list(subjects())) > 30
