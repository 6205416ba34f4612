"""The current ranking is determined in one module, and other code that reads stored rankings is detected here."""

import ast
from pathlib import Path

import pytest

from tests.sources import nodes

PLATFORM = Path(__file__).parents[2] / "platform"
PLACE = "leaderboards/queries/current.py"
MODELS = {"RankingVersion", "Standing"}
RELATIONS = {"rankings", "standings"}
"""Names of the relations from a phase or a version to these models."""
ALLOWED = {
    PLACE: "decides which version is current",
    "leaderboards/services/rankings.py": "stores versions and makes them current",
    "leaderboards/services/analyses.py": "locks the version whose analysis is finished, by its key",
    "leaderboards/services/stored_columns.py": "computes the columns of every stored version again",
    "leaderboards/services/both_assessments.py": "finds versions by an assessment that was replaced, beside the current one",
    "leaderboards/queries/rankings.py": "counts and lists versions by number, whether they are current or not",
    "leaderboards/views/place.py": "finds a version by the number in its address, whose page shows whether it is current",
    "leaderboards/contributions/exporting.py": "lists every version by its digests; tables come from the one place",
    "leaderboards/contributions/ledgers.py": "verifies the digest of every stored version",
    "leaderboards/contributions/stored.py": "lists the stored files of every version",
}


def readers(source: str) -> list[int]:
    """Lines that query the models of rankings, directly or through a relation."""
    lines = []
    for node in nodes(source):
        if not isinstance(node, ast.Attribute):
            continue
        owner = node.value
        of_model = node.attr in ("objects", "_default_manager") and isinstance(owner, ast.Name) and owner.id in MODELS
        of_relation = (
            node.attr in ("all", "filter", "exclude", "order_by", "last", "first", "latest", "get", "values_list")
            and isinstance(owner, ast.Attribute)
            and owner.attr in RELATIONS
        )
        if of_model or of_relation:
            lines.append(node.lineno)
    return lines


def test_stored_rankings_are_read_at_one_place():
    found = {
        path.relative_to(PLATFORM).as_posix(): lines
        for path in sorted(PLATFORM.rglob("*.py"))
        if "migrations" not in path.parts and (lines := readers(path.read_text(encoding="utf-8")))
    }
    around = {path: lines for path, lines in found.items() if path not in ALLOWED}
    assert not around, f"Ask {PLACE} for the current ranking"
    assert set(found) == set(ALLOWED), "remove files from ALLOWED that read no rankings"


@pytest.mark.parametrize(
    "source",
    [
        "Standing.objects.filter(phase=phase).last()",
        "RankingVersion.objects.order_by('number').last()",
        "phase.rankings.last()",
        "version.standings.filter(cause='score')",
    ],
)
def test_code_that_reads_around_it_is_found(source):
    assert readers(source) == [1]


def test_the_names_of_an_assessment_are_no_relation():
    assert readers("assessment.rankings[0]\nlen(case.rankings)") == []
