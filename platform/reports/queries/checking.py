"""Findings of the report checks on the completed work of a challenge.

They appear on the page on which organizers create reports.
"""

from typing import Any, Final

from challenges.models import Challenge
from challenges.queries import projection_of, registered_document
from evaluation.designs.checks.running import Finding, check_description
from evaluation.designs.document import Entry, State
from submissions.models import Submission

CHECKED: Final = ("report_title", "number_of_submitting_teams", "participating_teams", "rankings")
"""Parameters of a report that the platform knows by itself; the rest is judged item by item of the guideline."""


def findings(challenge: Challenge, content: dict[str, Any] | None) -> list[Finding]:
    """Return what does not hold, the worst first, each thing once; nothing for a challenge without a registration.

    Parameters
    ----------
    content
        The last report that was made, for its title.
    """
    projection = projection_of(challenge)
    if projection is None:
        return []
    document = registered_document(projection.version)
    scored = Submission.objects.filter(phase__task__challenge=challenge, state=Submission.State.SCORED)
    unique_findings: dict[tuple[str, str], Finding] = {}
    for task in document.tasks:
        teams = scored.filter(phase__task__design_key=task).values("team").distinct().count()
        entries = {"number_of_submitting_teams": Entry(teams, state=State.PROVIDED)}
        if content is not None:
            entries["report_title"] = Entry(content["title"], state=State.PROVIDED)
        task_findings = check_description(
            entries,
            document=document,
            task=task,
            kind="outcome",
            phase="report",
            design=projection.registration.design,
        )
        for finding in task_findings:
            if finding.check.parameter in CHECKED:
                unique_findings.setdefault((finding.check.id, finding.detail), finding)
    return list(unique_findings.values())
