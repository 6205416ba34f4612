"""Meanings of the conclusions of the exposure report, read from their text and compared with its facts."""

import re
from typing import Any

from reports.exposure.queries.facts import Facts
from tests.claims import exposure_organizers, exposure_participants  # noqa: F401 (their meanings are registered on import)
from tests.claims.exposure_facts import MEANINGS


def false_conclusions(facts: Facts, findings: list[Any]) -> list[str]:
    """Return the conclusions that are false for the facts, and those without a registered meaning."""
    return [
        f"{finding.identity}: {wrong}"
        for finding in findings
        for wrong in MEANINGS.false(sentences(str(finding.conclusion)), facts)
    ]


def sentences(text: str) -> list[str]:
    """A conclusion is one sentence or two."""
    return re.split(r"(?<=\.) (?=[A-Z0-9])", text)
