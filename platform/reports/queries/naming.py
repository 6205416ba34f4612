"""Check of an existing report for names that can no longer be shown."""

from typing import Any

from challenges.models import Phase
from leaderboards.models import Pseudonym
from leaderboards.queries.names import is_pseudonym, named_teams, uses_pseudonyms, without_method
from reports.models import Report


def names_are_allowed(report: Report) -> bool:
    """Return whether every team named in the report can be named now.

    The files of a report are created once. A report that names another team is withheld until organizers publish
    a new report. The same applies to a report with pseudonyms that a team had in several phases.
    """
    inputs = Report.objects.values_list("inputs", flat=True).get(pk=report.pk)
    names = _names_by_phase(report, inputs)
    phases = Phase.objects.filter(pk__in=names).select_related("task__challenge")
    # A team reads its own name in its own report.
    own_names = {report.team.name} if report.team is not None else set()
    return all(not uses_pseudonyms(phase) or names[phase.pk] <= _allowed(phase) | own_names for phase in phases)


def _names_by_phase(report: Report, inputs: dict[str, Any]) -> dict[int, set[str]]:
    """Names and pseudonyms of ranked teams in a report, by the primary key of the phase."""
    if report.phase_id is not None:
        rankings = {report.phase_id: inputs.get("ranking")}
    else:
        rankings = {phase["pk"]: phase["ranking"] for phase in inputs.get("phases", ())}
    return {
        phase: {without_method(team["name"]) for team in ranking["teams"]}
        for phase, ranking in rankings.items()
        if ranking
    }


def _allowed(phase: Phase) -> set[str]:
    """Names that may be shown now, and the pseudonyms of the phase."""
    teams = {team.pk: team.name for team in phase.challenge.teams.all()}
    words = Pseudonym.objects.filter(phase=phase, over_tasks=False).values_list("word", flat=True)
    named = {teams[team] for team in named_teams(phase, teams)}
    return {name for name in named if not is_pseudonym(name)} | set(words)
