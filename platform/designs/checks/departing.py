"""Metrics that depart from the recommendation need a reason before the design is filed."""

from collections.abc import Iterable
from typing import Final

from designs.advising import departures_of
from designs.catalogue import Check
from designs.checks.running import Finding
from designs.document import Document
from designs.models import Design, TaskAnswers
from evaluation.canonical import sha256

CHECK_ID: Final = "metrics.departure_reason"
PHASES: Final = ("draft", "submission", "change_request")
# What the recommendation and the departures from it are read from.
READ: Final = frozenset({"task_category", "regions", "metrics"})


def departure_findings(
    document: Document, *, design: Design | None, phase: str, tasks: Iterable[str] | None = None
) -> list[Finding]:
    """One error for each departure without a reason; nothing as long as nobody asked for a recommendation."""
    if design is None or phase not in PHASES:
        return []
    wanted = set(document.tasks if tasks is None else tasks)
    stored = {
        answers.task.key: answers
        for answers in TaskAnswers.objects.filter(task__design=design, task__removed_at=None).select_related("task")
    }
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
        if values.task_key in wanted and values.task_key in stored
        for entry in departures_of(values, stored[values.task_key])
        if not entry.reason
    ]
