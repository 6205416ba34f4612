"""Wording that was replaced appears in no template and no string of the code."""

import ast
import re
from pathlib import Path

import pytest

from tests.sources import parsed

ROOT = Path(__file__).parents[3]
FOLDERS = ("platform", "evaluation", "client", "confinement")
# Replaced sentences, and counts that disagree with their nouns.
SENTENCES = (
    r"\bTake off\b",
    r"\bNought\b",
    r"Designs are filed until",
    r"Expected time: nothing waits",
    r"There are \S+ words;",
    r"There are 0;",
    r"You may not see this",
    r"Not a value, or not yet public",
    r"Says that something stands there",
    r"Cases without a usable prediction",
    r"Single cases open when",
    r"% of \S+ resamples of the cases lie in it",
    r"It stands for your team in the ranking",
    r"The figure is drawn by a script",
    r"as stands under .What is expected",
    r"published 0 days before",
    r"cannot be told apart",
    r"\b1 (cases|teams|algorithms|submissions|words|days)\b",
)
LABELS = {"Words", "Blank", "Take off"}


def written() -> list[tuple[str, str]]:
    """File and text: what templates show, and the strings of the code without docstrings."""
    found = []
    for path in sorted((ROOT / "templates").rglob("*.html")):
        text = re.sub(r"{%\s*comment.*?endcomment\s*%}|{#.*?#}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        found.append((str(path.relative_to(ROOT)), text))
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" in path.parts:
                continue
            tree = parsed(path.read_text(encoding="utf-8"))
            docstrings = {
                id(node.value)
                for node in ast.walk(tree)
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            }
            found += [
                (str(path.relative_to(ROOT)), node.value)
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
            ]
    return found


@pytest.fixture(scope="module")
def texts():
    return written()


def test_no_sentence_of_the_list_is_written(texts):
    pattern = re.compile("|".join(SENTENCES))
    # What a person typed into a design is not ours to word.
    assert [(name, match[0]) for name, text in texts if (match := pattern.search(text))] == []


def test_no_label_of_the_list_is_written(texts):
    of_templates = re.compile(rf">\s*({'|'.join(LABELS)})\s*<")
    assert [(name, text) for name, text in texts if text.strip() in LABELS or of_templates.search(text)] == []
