"""The first word of every docstring, in code and tests."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.sources import parsed

ROOT = Path(__file__).parents[3]
SOURCES = ("evaluation", "platform", "confinement", "client", "tests", "docs", "examples")
# A docstring begins with a noun, an article or a verb: it names what a thing is, or says what a function does.
CONTAINERS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Fields of statements that contain statements. Expressions contain none."""
INDIRECT = re.compile(r"(What|Whatever|How|Who|Whoever|Whose|Whom|Where|Wherever|Which|Why|When|Whether|That|So|As)\b")


def docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each docstring, those of constants and attributes included."""
    containers = [tree]
    while containers:
        node = containers.pop()
        for statement in getattr(node, "body", []):
            match statement:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    yield statement.lineno, text
        for field in CONTAINERS:
            containers += getattr(node, field, [])


def test_docstrings_begin_with_a_noun_an_article_or_a_verb() -> None:
    indirect = [
        f"{path.relative_to(ROOT)}:{line} {text[:60]}"
        for path in sorted(path for source in SOURCES for path in (ROOT / source).rglob("*.py"))
        if "migrations" not in path.parts
        for line, text in docstrings(parsed(path.read_text("utf-8")))
        if INDIRECT.match(text.strip())
    ]
    assert not indirect, "\n".join(indirect)


def test_the_search_sees_modules_classes_functions_and_attributes() -> None:
    code = '"""What."""\nclass A:\n    """How."""\n    b = 1\n    """Why."""\n    def f(self):\n        """Who."""\n'
    found = [text for _, text in docstrings(parsed(code)) if INDIRECT.match(text)]
    assert sorted(found) == ["How.", "What.", "Who.", "Why."]
    assert not INDIRECT.match("Whole numbers.")
    assert not INDIRECT.match("Assessment of a design.")
