"""Names in code describe a value and not its history (docs/glossary.md, “Names in code”)."""

import ast
from collections import Counter
from pathlib import Path

from tests.sources import parsed

ROOT = Path(__file__).parents[3]
SOURCES = ("evaluation", "platform", "confinement", "client")
SAYS_NOTHING = frozenset({"found", "own", "place", "shown", "said", "kept", "told", "there", "it", "known", "made"})
MOST = 46
"""May only shrink. Fields of stored models and documents, attributes of problem kinds, and arguments of methods that several kinds have."""


def bound(tree: ast.AST) -> list[str]:
    """Names that something is bound to: variables, attributes of classes, arguments."""
    nodes = list(ast.walk(tree))
    variables = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return variables + [node.arg for node in nodes if isinstance(node, ast.arg)]


def test_names_that_say_nothing_get_fewer() -> None:
    counts: Counter[str] = Counter()
    for path in sorted(path for source in SOURCES for path in (ROOT / source).rglob("*.py")):
        if "migrations" not in path.parts:
            names = bound(parsed(path.read_text("utf-8")))
            counts[str(path.relative_to(ROOT))] = sum(name in SAYS_NOTHING for name in names)
    assert sum(counts.values()) <= MOST, "; ".join(
        f"{path} {number}" for path, number in counts.most_common() if number
    )


def test_the_glossary_names_them() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    assert all(f"`{word}`" in page for word in SAYS_NOTHING)


def test_the_search_sees_variables_arguments_and_attributes() -> None:
    code = "class A:\n    own: int = 1\ndef f(found):\n    place = [kept for kept in found]\n    return (told := place)"
    assert sorted(set(bound(parsed(code))) & SAYS_NOTHING) == ["found", "kept", "own", "place", "told"]
