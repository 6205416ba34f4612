"""Sentences about results are in the catalogues of claims, not in templates, and decreasingly elsewhere in code."""

import ast
import re
from pathlib import Path

import numpy as np

from evaluation.ranking.stability import resampling_range
from tests.sources import parsed

ROOT = Path(__file__).parents[3]
RESULTS = re.compile(
    r"\b(rank(s|ed|ing|ings)?|leads?|wins?|winners?|first place|scores?|scored|resampl\w+|better|worse|worst|equivalent|"
    r"within reach|missing|tied?|significan\w+)\b",
    re.IGNORECASE,
)
INLINE = re.compile(r"</?(strong|em|code|a|b|small|span|abbr)\b[^>]*>")
# How many sentences still stand in a template; none may be added. Labels and captions of tables are no claims about a result.
IN_TEMPLATES = {
    "challenges/organize.html": "which visibility was chosen",
    "designs/advice/references.html": "what was read of an upload",
    "measurements/table.html": "what sealing a table stores, for organizers",
    "measurements/tables.html": "what a table has to hold, for organizers",
    "reports/parts/checklist.html": "how many items of the guideline are covered",
    "reports/team.html": "what the report of a team holds",
    "reviews/call.html": "the scores that reviewers give",
    "results/decoys.html": "how many cases are decoys, for organizers",
    "test_sets/sending.html": "the format of references",
}
PLACES = (
    "evaluation/claims/",
    "platform/leaderboards/domain/states/",
    "platform/reports/exposure/services/of_",
    "platform/reports/exposure/services/lines.py",
    "platform/reports/exposure/services/questions.py",
    "platform/reports/services/items/claims.py",
)
"""The catalogues, with the questions that conditions ask. Rules of schemes (`evaluation.ranking.explain`, `evaluation.ranking.schemes`) are sentences about an assessment."""
RULES = ("evaluation/ranking/explain.py", "evaluation/ranking/schemes/")
FOLDERS = (
    "evaluation/analyses",
    "evaluation/claims",
    "evaluation/figures",
    "evaluation/ranking",
    "evaluation/reporting",
    "platform/leaderboards",
    "platform/reports",
)
IN_CODE = {
    "evaluation/analyses/case_groups.py": 1,
    "evaluation/figures/groups.py": 1,
    "evaluation/figures/panels.py": 1,
    "evaluation/figures/raw.py": 1,
    "evaluation/figures/tasks.py": 3,
    "evaluation/ranking/value_checks.py": 2,
    "evaluation/reporting/analyses.py": 2,
    "evaluation/reporting/further.py": 2,
    "evaluation/reporting/stability.py": 3,
    "platform/leaderboards/queries/over_tasks.py": 1,
    "platform/leaderboards/services/following.py": 1,
    "platform/leaderboards/services/rankings.py": 1,
    "platform/leaderboards/services/overall.py": 1,
    "platform/reports/queries/outdated.py": 2,
    "platform/leaderboards/views/pages.py": 1,
    "platform/leaderboards/workbench/forms.py": 2,
    "platform/reports/services/items/discussion.py": 1,
    "platform/reports/services/items/outcome.py": 1,
    "platform/reports/services/team_cases.py": 1,
}
"""Number of sentences with values about results elsewhere: headings, captions of figures, facts of the log."""


def told_in(template: str) -> list[str]:
    """Return the sentences about results that contain a value."""
    text = re.sub(r"{%.*?%}", " ", INLINE.sub("", re.sub(r"{#.*?#}", "", template)), flags=re.DOTALL)
    sentences = [
        " ".join(sentence.split())
        for block in re.split(r"<[^>]*>", text)
        for sentence in re.split(r"(?<=[.!?])\s+", block)
    ]
    return [
        sentence
        for sentence in sentences
        if "{{" in sentence and sentence.endswith((".", "!")) and len(sentence.split()) > 3 and RESULTS.search(sentence)
    ]


def told_by(source: str) -> list[str]:
    """Sentences with a value about results in code; messages of errors are none."""
    tree = parsed(source)
    errors = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
        or (isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "message" for t in node.targets))
        for part in ast.walk(node)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and id(node) not in errors:
            text = "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            if RESULTS.search(text) and len(text.split()) > 3 and re.search(r"[.!?]($|\s)", text):
                found.append(text)
    return found


def test_templates_hold_no_sentence_about_results():
    folder = ROOT / "templates"
    found = {
        str(path.relative_to(folder)): told
        for path in sorted(folder.rglob("*.html"))
        if (told := told_in(path.read_text(encoding="utf-8")))
    }
    more = {name: told for name, told in found.items() if name not in IN_TEMPLATES}
    assert not more, "ask a group of evaluation.claims for the sentence (docs/claims.md)"
    assert set(IN_TEMPLATES) <= set(found), "take what holds none any more off the list"


def test_code_says_what_results_are_by_claims_alone():
    found = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            number = len(told_by(path.read_text(encoding="utf-8")))
            if number and "/migrations/" not in name and not name.startswith((*PLACES, *RULES)):
                found[name] = number
    assert found == IN_CODE, "declare a claim (docs/claims.md); where there are fewer, lower the number"


def test_the_scan_sees_what_it_looks_for():
    assert told_in("<p>{{ team }} wins <strong>{{ share }}</strong> of the resamples.</p>")
    assert not told_in("<p>{{ team }}</p><p>Rankings are public.</p>")
    assert told_by('said = f"{name} is better than {other} by far."')
    assert not told_by('raise ValueError(f"{name} is better than {other} by far.")')


def test_every_sentence_that_was_false_once_has_its_test():
    page = (ROOT / "docs/claims.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .* \| `(tests/[^`:]+)::(\w+)` \|$", page.split("## Found false once")[1], re.MULTILINE)
    assert len(rows) >= 36
    for path, name in rows:
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), f"{path}::{name}"


def test_the_words_of_the_first_picture_are_what_it_shows():
    svg = (ROOT / "templates/web/hero_figure.html").read_text(encoding="utf-8")
    ticks = {int(x): rank for rank, x in enumerate(re.findall(r'<text x="(\d+)" y="286">', svg), 1)}
    teams = re.findall(r'<text x="0" y="\d+">(\w+)</text>', svg)
    bands = [
        (ticks[int(x)], ticks[int(x) + int(width)])
        for x, width in re.findall(r'<rect x="(\d+)" y="\d+" width="(\d+)"', svg)
    ]
    ranks = [ticks[int(x)] for x in re.findall(r'<circle cx="(\d+)"', svg)]
    assert ranks == [1, 2, 3, 4, 5]
    assert all(low <= rank <= high for (low, high), rank in zip(bands, ranks, strict=True))
    could_be_first = [team for team, (low, _) in zip(teams, bands, strict=True) if low == 1]
    assert could_be_first == ["Aspen", "Birch", "Cedar"]
    caption = "Aspen leads, but with other test cases Birch or Cedar could have come first."
    assert caption in (ROOT / "templates/web/home.html").read_text(encoding="utf-8")


def test_ranges_of_ranks_are_whole_numbers():
    # The 97.5 % point between the 975th and the 976th of 1,000 ranks is no rank.
    sampled = np.sort(np.random.default_rng(1).integers(2, 7, (1000, 1)).astype(float), axis=0)
    sampled[974:976, 0] = [5.0, 6.0]
    [low, high] = resampling_range(np.sort(sampled, axis=0), 0.95)[0]
    assert (low, high) == (int(low), int(high))
    assert resampling_range(np.array([[1.5], [2.5]]), 0.95).tolist() == [[1.0, 3.0]]
