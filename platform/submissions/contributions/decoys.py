"""The section about decoys on the organizers' page of test sets."""

from dataclasses import dataclass
from typing import ClassVar

from submissions.queries.decoys import Handed, handed_in
from test_sets import hooks
from test_sets.hooks import Section
from test_sets.models import TestSet
from test_sets.queries.decoys import tells_decoys

SHOWN = 100


@dataclass(frozen=True)
class DecoySection(Section):
    """What was handed in for the decoys of a version, what needs a look first.

    Attributes
    ----------
    lines, total
        Those shown, and how many submissions there are.
    tells
        Whether the phase is set to show what tells decoys while it is open.
    """

    template: ClassVar[str] = "submissions/decoys.html"
    lines: list[Handed]
    total: int
    tells: bool


def section(test_set: TestSet) -> DecoySection | None:
    """Return the section about a version; None where it has no decoys."""
    if not test_set.cases.filter(is_decoy=True).exists():
        return None
    lines = sorted(handed_in(test_set), key=lambda line: not line.is_suspicious)
    phase = test_set.phase
    return DecoySection(lines[:SHOWN], len(lines), not phase.is_closed and tells_decoys(phase))


def register() -> None:
    """Answer the hook of the test sets."""
    hooks.sections.register(section)
