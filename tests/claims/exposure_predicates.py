"""What each conclusion of the exposure report means, read from its words and held against the facts it is made from."""

import re
from typing import Any

from exposure.queries.facts import Facts
from tests.claims import exposure_organizers, exposure_participants  # noqa: F401 (their meanings are registered on import)
from tests.claims.exposure_facts import MEANINGS


def false_conclusions(facts: Facts, findings: list[Any]) -> list[str]:
    """Conclusions that are not true of the facts, and those whose meaning nobody has written down."""
    return [
        f"{finding.identity}: {wrong}"
        for finding in findings
        for wrong in MEANINGS.false(sentences(str(finding.conclusion)), facts)
    ]


def sentences(text: str) -> list[str]:
    """A conclusion is one sentence or two."""
    return re.split(r"(?<=\.) (?=[A-Z0-9])", text)
