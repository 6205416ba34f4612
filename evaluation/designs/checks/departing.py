"""Metrics that depart from the recommendation need a reason before the design is filed."""

from collections.abc import Iterable
from typing import Final

from evaluation.canonical import sha256
from evaluation.designs.advising import departures_of
from evaluation.designs.catalogue import Check
from evaluation.designs.checks.running import Finding, StoredDesign
from evaluation.designs.document import Document

CHECK_ID: Final = "metrics.departure_reason"
PHASES: Final = ("draft", "submission", "change_request")
# What the recommendation and the departures from it are read from.
READ: Final = frozenset({"task_category", "regions", "metrics"})


def departure_findings(
    document: Document, *, stored: StoredDesign | None, phase: str, tasks: Iterable[str] | None = None
) -> list[Finding]:
    """Return one error for each departure without a reason.

    The list is empty until a recommendation is requested.
    """
    if stored is None or phase not in PHASES:
        return []
    wanted = set(document.tasks if tasks is None else tasks)
    answers = stored.problem_answers()
    return [
        Finding(
            check=Check(
                id=CHECK_ID,
                parameter="metrics",
                severity="error",
                message="The metrics depart from what fits the problem by your answers: give the reason under Advice.",
                assertion={},
                when=None,
                phases=PHASES,
            ),
            task=values.task_key,
            detail=f"{entry.words}.",
            basis=sha256(entry.key),
        )
        for values in document.each_task()
        if values.task_key in wanted and values.task_key in answers
        for entry in departures_of(values, answers[values.task_key])
        if not entry.reason
    ]
