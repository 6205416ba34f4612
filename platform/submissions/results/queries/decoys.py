"""Submitted predictions for decoys, for organizers.

Decoys are cases that are requested and not scored (MAN-22).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from challenges.models import Phase
from datastore.test_sets.models import TestSet
from evaluation.problems import kind_of
from submissions.models import Run


@dataclass(frozen=True)
class DecoySummary:
    """Summary of the predictions of a submission for the decoys, for organizers.

    Attributes
    ----------
    missing
        Decoys without a valid prediction.
    empty
        Decoys without any label.
    shared
        Decoys with exactly the labels that another team submitted, without empty ones.
    """

    run: Run
    total: int
    missing: int
    empty: int
    shared: int

    @property
    def present(self) -> int:
        return self.total - self.missing

    @property
    def is_suspicious(self) -> bool:
        return bool(self.missing or self.empty or self.shared)


def handed_in(test_set: TestSet) -> list[DecoySummary]:
    """Return the predictions for the decoys of a version, by team and submission number.

    Only submissions that are scored against the version count. The function runs two queries.
    """
    total = test_set.cases.filter(is_decoy=True).count()
    runs = _runs(test_set) if total else []
    teams: dict[tuple[str, str], set[int]] = defaultdict(set)
    for run in runs:
        for case, decoy in run.decoys.items():
            if decoy.get("digest") and decoy.get("labelled"):
                teams[case, decoy["digest"]].add(run.submission.team_id)
    lines = []
    for run in runs:
        counts: Counter[str] = Counter()
        for case, decoy in run.decoys.items():
            counts["missing"] += decoy["status"] != "valid"
            counts["empty"] += decoy.get("labelled") == 0
            counts["shared"] += len(teams[case, decoy.get("digest", "")]) > 1
        lines.append(DecoySummary(run, total, counts["missing"], counts["empty"], counts["shared"]))
    return lines


def decoy_columns(phase: Phase) -> tuple[str, ...]:
    """Headings of `decoy_rows`: what is kept of a prediction depends on the kind of problem."""
    return ("team", "submission", "decoy", "status", *kind_of(phase.assessment).texts.decoy_columns)


def decoy_rows(test_set: TestSet) -> Iterator[tuple[Any, ...]]:
    """Yield all predictions for the decoys of a version, one row per submission and decoy."""
    for run in _runs(test_set):
        for case, decoy in run.decoys.items():
            yield (
                run.submission.team.name,
                run.submission.number,
                case,
                decoy["status"],
                decoy.get("digest", ""),
                decoy.get("labelled"),
            )


def _runs(test_set: TestSet) -> list[Run]:
    rows = Run.objects.filter(test_set=test_set, counts=True).select_related("submission__team")
    return list(rows.defer("log", "summary", "provenance").order_by("submission__team__name", "submission__number"))
