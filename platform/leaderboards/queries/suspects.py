"""Suspect references: their views, who reads them, what was answered, and numbers for reports."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count

from challenges.models import Phase
from datastore.test_sets import vault
from evaluation.problems import kind_of
from evaluation.problems.files import FileProblem
from evaluation.problems.images import LabelImageReferenceRules
from leaderboards.models import SuspectCase, SuspectReader, SuspectReading, SuspectSearch


def suits(phase: Phase) -> bool:
    """Return whether references of this kind can be compared with the agreement of algorithms."""
    problem = kind_of(phase.assessment)
    return isinstance(problem, FileProblem) and isinstance(problem.references, LabelImageReferenceRules)


def view_name(folder: str, view: str) -> str:
    """Return the name of a view in private storage. All of them show the reference and are encrypted."""
    return f"{folder}/{view}{vault.SUFFIX}"


def views_of(folder: str) -> dict[str, Any] | None:
    """Return the plan of the viewer of a suspect; None if it was replaced or has no views."""
    if not folder:
        return None
    with suppress(OSError, vault.VaultError):
        plan: dict[str, Any] = json.loads(vault.read_bytes(view_name(folder, "plan.json")))
        return plan
    return None


@dataclass
class Answers:
    """The answers of all readers about a case."""

    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    notes: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Number of readers."""
        return sum(self.counts.values())

    @property
    def words(self) -> list[tuple[str, int]]:
        """Label and number of each given answer."""
        return [
            (answer.label, self.counts[answer.value]) for answer in SuspectReading.Answer if self.counts.get(answer)
        ]

    @property
    def is_confirmed(self) -> bool:
        """True if a reader answered that the reference is wrong or the image unusable."""
        return any(self.counts.get(answer) for answer in CONFIRMED)


CONFIRMED = (SuspectReading.Answer.REFERENCE, SuspectReading.Answer.IMAGE)
"""Answers that can lead to a change of the test set."""


def search_of(phase: Phase) -> SuspectSearch | None:
    """Return the last search of a phase."""
    rows = SuspectSearch.objects.filter(phase=phase).select_related("version", "test_set")
    return rows.first()


def answers_by_case(search: SuspectSearch) -> dict[str, Answers]:
    """Return the answers about the cases of the test set that was searched; one query."""
    answers_found: dict[str, Answers] = defaultdict(Answers)
    rows = SuspectReading.objects.filter(test_set=search.test_set_id)
    for case, answer, note in rows.values_list("case", "answer", "note"):
        answers_found[case].counts[answer] += 1
        answers_found[case].notes += [note] if note else []
    return dict(answers_found)


def to_read(search: SuspectSearch, user: Any) -> list[SuspectCase]:
    """Return the cases that a person has not answered, in an order that reveals neither score nor position."""
    # A case that was excluded since the search counts no more, and its consent may have been withdrawn.
    done = set(search.phase.assessment.exclusions.cases)
    done |= set(SuspectReading.objects.filter(test_set=search.test_set_id, reader=user).values_list("case", flat=True))
    rows = [row for row in search.suspects.all() if row.case not in done]
    return sorted(rows, key=lambda row: hashlib.sha256(f"{search.test_set_id}:{user.pk}:{row.case}".encode()).digest())


def readers_of(phase: Phase) -> list[SuspectReader]:
    """Return the invited readers."""
    return list(SuspectReader.objects.filter(phase=phase).select_related("user"))


def numbers_of(phases: Sequence[Phase]) -> dict[int, dict[str, Any]]:
    """Return by phase the numbers for reports: cases, suspects, expected false ones, examined cases and answers; three queries."""
    searches = SuspectSearch.objects.filter(
        phase__in=phases, finished_at__isnull=False, test_set__isnull=False, note=""
    )
    listed = dict(
        SuspectCase.objects.filter(search__in=searches, listed=True)
        .order_by()
        .values_list("search__phase")
        .annotate(number=Count("pk"))
    )
    answers: dict[int, dict[str, set[tuple[int, str]]]] = defaultdict(lambda: defaultdict(set))
    rows = SuspectReading.objects.filter(test_set__phase__in=phases)
    for phase, test_set, case, answer in rows.values_list("test_set__phase", "test_set", "case", "answer"):
        answers[phase][answer].add((test_set, case))
    return {
        search.phase_id: {
            "cases": search.cases,
            "suspects": listed.get(search.phase_id, 0),
            "expected_false": round(search.expected_false, 3),
            "examined": len(set().union(*answers[search.phase_id].values())) if answers[search.phase_id] else 0,
            "answers": {str(answer): len(cases) for answer, cases in sorted(answers[search.phase_id].items())},
        }
        for search in searches
    }
