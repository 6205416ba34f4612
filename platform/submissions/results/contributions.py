"""The organizers' pages of submissions among those of a challenge, and the section about decoys on their page of test sets."""

from dataclasses import dataclass
from typing import Any, ClassVar

from django.urls import reverse
from rules import test_rule

from challenges import hooks
from challenges.models import Challenge
from challenges.rules import is_organizer
from datastore.test_sets import hooks as test_set_hooks
from datastore.test_sets.hooks import Section
from datastore.test_sets.models import TestSet
from datastore.test_sets.queries.decoys import tells_decoys
from submissions.results.queries.decoys import DecoySummary, handed_in
from submissions.results.queries.overview import failed, work_of

SHOWN = 100


@dataclass(frozen=True)
class DecoySection(Section):
    """Submitted predictions for the decoys of a version, those that need attention first.

    Attributes
    ----------
    lines, total
        The lines shown, and the total number of submissions.
    tells
        Whether the phase is set to show values that reveal decoys while it is open.
    """

    template: ClassVar[str] = "results/decoys.html"
    lines: list[DecoySummary]
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
    """Add the pages, the figures and the section."""
    hooks.register_tab("Submissions", "results:organize", visible=_runs_it, order=91)
    hooks.register_organizer_page("Monitor", "results:monitor", visible=_watches, order=15)
    hooks.register_organizer_page("Work", "results:work", visible=_runs_it, order=20)
    hooks.figures.register(figures)
    test_set_hooks.sections.register(section)


def figures(challenge: Challenge) -> list[hooks.Figure]:
    """Return the number of submissions and the state of the work."""
    work, failures = work_of(challenge), failed(challenge).count()
    rows = reverse("results:organize", args=[challenge.slug])
    page = reverse("results:work", args=[challenge.slug])
    return [
        hooks.Figure("Submissions", f"{work.submissions:,}", rows),
        hooks.Figure("Being worked on", f"{work.moving:,}", f"{page}#queue"),
        hooks.Figure("Failed", f"{failures:,}", f"{page}#failed", failures > 0),
        hooks.Figure("Cases waiting", f"{work.waiting_here:,}", f"{page}#queue"),
        hooks.Figure("Queue", work.words),
    ]


def _runs_it(user: Any, challenge: Challenge) -> bool:
    return is_organizer(user, challenge)


def _watches(user: Any, challenge: Challenge) -> bool:
    return bool(test_rule("submissions.view_monitor", user, challenge))
