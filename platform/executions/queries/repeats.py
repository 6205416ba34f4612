"""Algorithms that were run again on the same cases, and the differences in the costs of their runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from evaluation.assessment import Assessment
from executions.models import Execution


@dataclass(frozen=True)
class Apart:
    """Differences between runs of one algorithm in one cost, as text.

    Attributes
    ----------
    title
        Name of the cost in the ranking.
    spread, widest
        Differences of single cases: at the median, and at most.
    means
        Difference of the means over the cases.
    """

    title: str
    spread: str
    widest: str
    means: str


@dataclass(frozen=True)
class Repeated:
    """Algorithm that appears in a ranking and was run again on the same cases."""

    team: str
    execution: UUID
    runs: int
    same_predictions: int
    costs: Sequence[Apart]


def repeated_runs(assessment: Assessment, teams: Mapping[UUID, str]) -> list[Repeated]:
    """Return the repeated runs behind some submissions, compared by the costs of an assessment.

    Runs one query.

    Parameters
    ----------
    assessment
        Assessment whose costs are compared.
    teams
        Submission → name of the team.
    """
    if not assessment.by_run:
        return []
    rows = Execution.objects.filter(subject__in=list(teams), state=Execution.State.DONE).order_by("created_at")
    latest = {row.subject: row for row in rows.only("id", "subject", "agreement", "created_at")}
    titles = {use.options["id"]: use.title for use in assessment.by_run}
    return [
        Repeated(
            teams[subject],
            row.pk,
            row.agreement["runs"],
            row.agreement["same_predictions"],
            [
                _apart(title, row.agreement["costs"][name])
                for name, title in titles.items()
                if name in row.agreement["costs"]
            ],
        )
        for subject, row in sorted(latest.items(), key=lambda item: teams[item[0]])
        if row.agreement
    ]


def _apart(title: str, cost: Mapping[str, Any]) -> Apart:
    means = f"{cost['of_means']:.1%}" if "of_means" in cost else "–"
    return Apart(title, f"{cost['spread']:.1%}", f"{cost['widest']:.1%}", means)
