"""Documents and pages follow the writing rules: short sentences, plain words, headings that are nouns or tasks."""

from pathlib import Path

import pytest

from tests.lint import prose

MOST_EXCEPTIONS = 1
"""May only shrink."""


def exceptions() -> list[str]:
    lines = prose.EXCEPTIONS.read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_documents_and_templates_follow_the_rules() -> None:
    problems = {problem.key: str(problem) for problem in prose.check_all()}
    known = exceptions()
    assert [text for key, text in problems.items() if key not in known] == []
    # An exception that nothing needs any more is removed.
    assert [key for key in known if key not in problems] == []
    assert len(known) <= MOST_EXCEPTIONS


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("The ranking is computed anew.", "pattern"),
        ("Teams can submit 5 a day.", "per"),
        ("Write one row a case.", "per"),
        (" ".join(["word"] * 26) + ".", "length"),
    ],
)
def test_each_rule_finds_its_kind(text: str, rule: str) -> None:
    assert [problem.rule for problem in prose.check_text("page", 1, text, prose.WORDS_IN_DOCUMENTS)] == [rule]


@pytest.mark.parametrize("text", ["Submit `5 a day anew` predictions.", " ".join(["word"] * 25) + ".", "5 per day"])
def test_code_and_good_sentences_are_no_problem(text: str) -> None:
    assert list(prose.check_text("page", 1, text, prose.WORDS_IN_DOCUMENTS)) == []


def test_questions_and_clauses_are_no_headings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("# What waits for whom\n\n## Submit predictions\n\n## Is it sure?\n", "utf-8")
    assert [(problem.line, problem.rule) for problem in prose.check_document(page)] == [(1, "heading"), (5, "heading")]


def test_texts_of_a_template_are_read_without_tags_and_variables(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<p class="x">You have {{ number }} <b>new</b> files{% if late %}, too late{% endif %}.</p>', "utf-8"
    )
    assert [text for _, text in prose.template_texts(page)] == ["You have X new files", ", too late"]
