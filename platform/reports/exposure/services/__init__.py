"""Exposure of the challenge (MAN-21): the facts about each known way to manipulate a result.

A finding is decided by code from the facts.
It states which manipulation was prevented, which was only detectable, and which was not covered.
It accuses no one (MAN-20).
"""

from collections import Counter
from typing import Final

from registry.queries import ExecutionFacts, execution_facts_of
from reports.exposure.queries.facts import Facts
from reports.exposure.services import organizers, participants
from reports.exposure.services.case import Case, Cover, Evidence, Finding, Judge

__all__ = ["ATTACKS", "Cover", "Evidence", "Finding", "execution", "exposure", "summary"]

ATTACKS: Final[tuple[tuple[str, str, Judge], ...]] = (
    ("Choose metric, operator or order of ranking after seeing results", "organizers", organizers.scheme),
    ("Change metric variant or parameter", "organizers", organizers.parameters),
    ("Announce the metric but not the scheme", "organizers", organizers.announced),
    ("Drop, add or re-split test cases after results", "organizers", organizers.test_cases),
    (
        "Choose annotator or merge rule that suits a team; re-annotate after results",
        "organizers",
        organizers.references,
    ),
    ("Leave out bad cases", "participants", participants.selective),
    ("Exploit an unstated rule for missing values", "both", participants.missing_rule),
    ("Correct outputs by hand, train on test images", "participants", participants.by_hand),
    ("Many attempts until the score fits", "participants", participants.attempts),
    ("Several accounts or teams", "participants", participants.accounts),
    ("Peek at test labels", "both", participants.labels),
    ("Take part in one’s own challenge", "organizers", organizers.own_challenge),
    ("Train on undeclared extra data", "participants", participants.extra_data),
    ("Late or selective extension of a deadline", "organizers", organizers.schedule),
    ("Website says something else than the accepted design", "organizers", organizers.website),
    ("Wrong metric implementation, by accident", "organizers", organizers.implementation),
    ("Report only a flattering part", "organizers", organizers.flattering),
    ("Announce a winner where no team is significantly best", "organizers", organizers.winner),
)


def exposure(facts: Facts) -> list[Finding]:
    """Judge every attack, in the order of the catalogue."""
    case = Case(facts)
    findings = []
    for number, (attack, actor, judge) in enumerate(ATTACKS, start=1):
        cover, conclusion, evidence = judge(case)
        findings.append(Finding(number, attack, actor, cover, conclusion, tuple(evidence)))
    return findings


def execution(facts: Facts) -> ExecutionFacts | None:
    """Return the parts of the design that the platform executes and those that rely on the organizers.

    Returns ``None`` without a design.
    """
    return None if facts.design is None else execution_facts_of(facts.design.document)


def summary(findings: list[Finding]) -> dict[str, int]:
    """Count the attacks that were prevented, detectable and uncovered."""
    counts = Counter(finding.cover for finding in findings)
    return {str(cover): counts[cover] for cover in Cover}
