"""Check texts that users read: documents of the help, README, changelog and templates.

Run ``python -m tests.lint.prose`` to list every problem with file and line.

Rules
-----
length
    A sentence has at most 25 words in documents and 15 on pages.
pattern
    No wording that the writing rules replace, such as "stands" for "appears" or "anew" for "again".
heading
    A heading is a noun or a task, not a question or a clause that begins with an interrogative.
per
    "5 per day", not "5 a day".
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT: Final = Path(__file__).resolve().parents[2]
EXCEPTIONS: Final = Path(__file__).with_name("prose_exceptions.txt")
WORDS_IN_DOCUMENTS: Final = 25
WORDS_ON_PAGES: Final = 15
# Notes for engineers and generated references are no help texts.
WITHOUT_RULES: Final = (
    "docs/api/",
    "docs/development/",
    "docs/correctness/",
    "docs/guides/",
    "docs/architecture.md",
    "docs/claims.md",
    "docs/dependencies.md",
    "docs/design-system.md",
    "docs/licences.md",
    "docs/performance.md",
    "docs/problems.md",
)

PATTERNS: Final = re.compile(
    r"\b(?:anew|whoever|nobody|somebody|everybody|handed in|hand in|hands in|of itself|meanwhile|"
    r"comes? to an end|begins? anew|there (?:is|are) no such|is asked for|are asked for|stands?|stood|"
    r"sent in|drawn anew|left out|takes? off|taken off)\b",
    re.IGNORECASE,
)
PER: Final = re.compile(
    r"\b(?:one|two|three|\d+|file|files|image|row|rows|value|values|entry|line|lines) an? "
    r"(?:case|day|line|team|phase|row|column|metric|task|week|minute|hour|year|algorithm|site)\b"
)
HEADING: Final = re.compile(r"^(?:what|who|where|when|why|which|whose)\b|\?$", re.IGNORECASE)
# A list after a colon is read on its own.
SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9“\"(*`])|(?<=:)\s+")


@dataclass(frozen=True)
class ProseProblem:
    """A text that breaks a rule."""

    file: str
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}: {self.text}"

    @property
    def key(self) -> str:
        """The problem without its line, as the list of exceptions names it."""
        return f"{self.file} | {self.rule} | {self.text[:80]}"


def documents() -> list[Path]:
    """Return the documents that users read."""
    paths = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path for path in paths if not str(path.relative_to(ROOT)).startswith(WITHOUT_RULES)]


def words(text: str) -> int:
    """Count the words of a text; code and a list of numbers count as one each."""
    plain = re.sub(r"(?:\(?[−-]?[\d.]+\)?,?\s+){2,}", "numbers ", re.sub(r"`[^`]*`", "code", text))
    return len(re.findall(r"[^\W_][\w’'.,/%-]*", plain))


def sentences(text: str) -> list[str]:
    """Split a text into sentences."""
    return [part.strip() for part in SENTENCE_END.split(text) if part.strip()]


def check_text(file: str, line: int, text: str, longest: int) -> Iterator[ProseProblem]:
    """Yield the problems of a paragraph, an item or a cell."""
    plain = re.sub(r"`[^`]*`", "code", text)
    for match in PATTERNS.finditer(plain):
        yield ProseProblem(
            file, line, "pattern", f"{match[0]}: …{plain[max(0, match.start() - 30) : match.end() + 30]}…"
        )
    for match in PER.finditer(plain):
        yield ProseProblem(file, line, "per", match[0])
    for sentence in sentences(text):
        if words(sentence) > longest:
            yield ProseProblem(file, line, "length", f"{words(sentence)} words: {sentence}")


def check_document(path: Path) -> list[ProseProblem]:
    """Return the problems of a Markdown document."""
    file = str(path.relative_to(ROOT))
    tokens = MarkdownIt("commonmark").enable("table").parse(path.read_text("utf-8"))
    problems: list[ProseProblem] = []
    line, in_heading, in_table = 1, False, False
    for token in tokens:
        if token.map:
            line = token.map[0] + 1
        if token.type in ("heading_open", "heading_close"):
            in_heading = token.type == "heading_open"
        if token.type in ("table_open", "table_close"):
            in_table = token.type == "table_open"
        if token.type != "inline":
            continue
        text = visible_text(token)
        if in_heading:
            if HEADING.search(text):
                problems.append(ProseProblem(file, line, "heading", text))
            continue
        # A cell may list many names; its sentences are as long as those of other texts.
        problems += check_text(file, line, text, WORDS_IN_DOCUMENTS + 15 * in_table)
    return problems


def visible_text(token: Token) -> str:
    """Return the text of a Markdown token, with code between backticks."""
    parts = []
    for child in token.children or []:
        if child.type == "code_inline":
            parts.append(f"`{child.content}`")
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "text":
            parts.append(child.content)
    return "".join(parts).strip()


_COMMENT: Final = re.compile(r"{%\s*comment.*?endcomment\s*%}|{#.*?#}|<script.*?</script>|<style.*?</style>", re.DOTALL)
_BLOCK: Final = re.compile(
    r"</?(?:p|li|ul|ol|h\d|td|th|tr|dt|dd|dl|div|section|article|summary|label|button|option|title|figcaption|a|span|br|table|thead|tbody|form|nav|header|footer|main|small|legend|fieldset|details)\b[^>]*>"
)
_INLINE: Final = re.compile(r"<[^>]+>")


def template_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a template with their lines; a variable counts as one word."""
    source = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), path.read_text("utf-8"))
    for number, line in enumerate(source.splitlines(), start=1):
        # Tags of the template language separate alternatives.
        row = re.sub(r"{%.*?%}", "\x00", re.sub(r"{{.*?}}", "X", line))
        for part in re.split("\x00", _BLOCK.sub("\x00", row)):
            text = re.sub(r"\s+", " ", _INLINE.sub("", part)).strip()
            # Attributes of a tag that a tag of the template language divides are no text.
            if " " in text and re.search(r"[a-z]{3}", text) and '="' not in text:
                yield number, text


def check_template(path: Path) -> list[ProseProblem]:
    """Return the problems of a template."""
    file = str(path.relative_to(ROOT))
    return [problem for line, text in template_texts(path) for problem in check_text(file, line, text, WORDS_ON_PAGES)]


def check_all() -> list[ProseProblem]:
    """Return the problems of all documents and templates."""
    problems = [problem for path in documents() for problem in check_document(path)]
    for path in sorted((ROOT / "templates").rglob("*.html")):
        problems += check_template(path)
    return problems


def main() -> int:
    problems = check_all()
    for problem in problems:
        print(problem)
    print(dict(Counter(problem.rule for problem in problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
